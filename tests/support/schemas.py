"""Definitions of tables, in every way the index reads."""

MYSQL = """
-- CREATE TABLE ignored (id int);
CREATE TABLE IF NOT EXISTS `orgs` (`id` int NOT NULL AUTO_INCREMENT, `parent_id` int, PRIMARY KEY (`id`),
  KEY `idx` (`parent_id`), CONSTRAINT `fk` FOREIGN KEY (`parent_id`) REFERENCES `orgs` (`id`)) ENGINE=InnoDB;
CREATE TABLE users (
  id CHAR(36) PRIMARY KEY, -- the key, of course
  email varchar(255) NOT NULL UNIQUE COMMENT 'a, b; PRIMARY KEY',
  org_id int DEFAULT NULL, role enum('admin','it''s, member') DEFAULT 'member',
  password_hash varchar(64), settings json, deleted_at timestamp NULL, name text, created_at timestamp,
  updated_at timestamp, UNIQUE KEY uk (org_id, name), FOREIGN KEY (org_id) REFERENCES orgs(id)
);
"""
POSTGRES = """
CREATE TYPE "public"."mood" AS ENUM('good', 'bad');--> statement-breakpoint
CREATE TABLE "public"."posts" ("id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL, "key" text,
 "state" text CHECK (state IN ('draft', 'live')), "mood" "mood", "body" jsonb DEFAULT '{}'::jsonb,
 CONSTRAINT "u" UNIQUE("key"));--> statement-breakpoint
CREATE TABLE audit.log (id bigserial PRIMARY KEY, at timestamptz);
ALTER TABLE "posts" ADD CONSTRAINT "fk" FOREIGN KEY ("key") REFERENCES "public"."keys"("id") ON DELETE cascade;
CREATE UNIQUE INDEX IF NOT EXISTS one ON posts USING btree (state, mood);
CREATE VIEW live_posts AS SELECT * FROM posts;
"""
DRIZZLE = """
import { pgTable, text, pgEnum } from 'drizzle-orm/pg-core';
export const kind = pgEnum('kind', ['a', 'b']);
type Role = 'owner' | 'guest';
const stamps = { createdAt: timestamp('created_at'), updatedAt: timestamp('updated_at') };
export const teams = pgTable('teams', { id: uuid('id').primaryKey(), slug: text('slug').notNull().unique() });
export const members = pgTable('team_members', {
  userId: text('user_id').notNull().references(() => user.id, { onDelete: 'cascade' }), // who
  teamId: uuid('team_id').references(() => teams.id), kind: kind('kind'), role: text('role').$type<Role>(),
  plain: text(), ...stamps,
}, t => [primaryKey({ columns: [t.userId, t.teamId] }), uniqueIndex('u').on(t.teamId, t.role)]);
"""
PRISMA = """
enum Role {
  ADMIN
  USER
}
model User {
  id    String @id @default(uuid())
  email String @unique // login
  role  Role   @default(USER)
  posts Post[]
  @@map("users")
}
model Post {
  id       Int   @id
  authorId String @map("author_id")
  author   User  @relation(fields: [authorId], references: [id])
  meta     Json?
  @@unique([authorId, id])
}
"""
TYPEORM = """
export enum Role { Admin = 'admin', User = 'user' }
export abstract class Stamped { @CreateDateColumn({ name: 'created_at' }) createdAt: Date; }
@Entity({ name: 'accounts' })
export class Account extends Stamped {
  @PrimaryGeneratedColumn('uuid') id: string;
  @Column({ unique: true }) email: string;
  @Column({ type: 'enum', enum: Role, default: Role.User }) role: Role;
  @ManyToOne(() => Account, (a) => a.children) @JoinColumn({ name: 'parent_id' }) parent: Account;
  @OneToMany(() => Account, (a) => a.parent) children: Account[];
}
"""
SEQUELIZE = """
const User = sequelize.define('User', {
  email: { type: DataTypes.STRING, unique: true },
  teamId: { type: DataTypes.INTEGER, field: 'team_id', references: { model: 'teams', key: 'id' } },
  state: DataTypes.ENUM('on', 'off'),
}, { paranoid: true });
class Team extends Model {}
Team.init({ name: DataTypes.STRING }, { sequelize, tableName: 'teams', timestamps: false });
"""
QUERY_INTERFACE = """
module.exports = {
  up: async (queryInterface, Sequelize) => {
    await queryInterface.createTable('jobs', { id: { type: Sequelize.INTEGER, primaryKey: true }, old: Sequelize.TEXT });
    await queryInterface.addColumn('jobs', 'state', { type: Sequelize.STRING });
    await queryInterface.removeColumn('jobs', 'old');
  },
  down: async (queryInterface) => { await queryInterface.dropTable('jobs'); }
};
"""
KNEX = """
exports.up = async function (knex) {
  await knex.schema.createTable('keys', (table) => {
    table.bigIncrements('id').primary(); /* key */
    table.integer('user_id').unsigned().references('id').inTable('users').onDelete('CASCADE');
    table.enum('status', ['active', 'gone']).defaultTo('active').comment('x, y');
    table.string('api_key', 64).notNullable().unique();
    table.timestamps(true, true);
    table.unique(['user_id', 'status']);
    table.index('status', 'idx');
  });
};
exports.down = async function (knex) { await knex.schema.dropTable('keys'); };
"""
MONGOOSE = """
const mongoose = require('mongoose');
const PartSchema = new mongoose.Schema({ x: Number });
const OrderSchema = new mongoose.Schema({
  customer: { type: mongoose.Schema.Types.ObjectId, ref: 'Customer', required: true },
  state: { type: String, enum: ['new', 'done'] }, code: { type: String, unique: true },
  parts: [PartSchema], address: { street: String }, note: String,
}, { timestamps: true });
module.exports = mongoose.model('Order', OrderSchema);
"""
GORM = """
package model

type Base struct {
	ID        uint `gorm:"primarykey"`
	CreatedAt time.Time
}

type Kind string

const (
	KindA Kind = "a"
	KindB Kind = "b"
)

type UserProfile struct {
	Base
	OrgID   uint   `gorm:"column:org;index"` // which
	Org     Org    `gorm:"foreignKey:OrgID"`
	Email   string `gorm:"uniqueIndex"`
	Kind    Kind   `gorm:"type:text"`
	APIKey  string
	Skipped string `gorm:"-"`
	hidden  string
}

type Org struct {
	gorm.Model
	Name string
}

func (Org) TableName() string { return "organisations" }
"""
DJANGO = """
from django.db import models
class Stamped(models.Model):
    created_at = models.DateTimeField(auto_now_add=True)
    class Meta:
        abstract = True
class State(models.TextChoices):
    NEW = "new", "New"
    OLD = "old", "Old"
class Tag(models.Model):
    name = models.CharField(max_length=5, unique=True)
class Item(Stamped):
    owner = models.ForeignKey("auth.User", on_delete=models.CASCADE)
    state = models.CharField(choices=State.choices, max_length=5)
    tags = models.ManyToManyField(Tag)
    class Meta:
        unique_together = [("owner", "state")]
class Named(models.Model):
    key = models.UUIDField(primary_key=True)
    class Meta:
        db_table = "named_things"
"""
ALCHEMY = """
import enum
from sqlalchemy.orm import Mapped, mapped_column
class Role(enum.Enum):
    ADMIN = "admin"
    USER = "user"
class Stamped:
    created_at: Mapped[datetime] = mapped_column()
class User(Stamped, Base):
    __tablename__ = "users"
    __table_args__ = (UniqueConstraint("org_id", "email"),)
    id: Mapped[int] = mapped_column(primary_key=True)
    email: Mapped[str] = mapped_column(String(9), unique=True)
    role: Mapped[Role] = mapped_column(Enum(Role))
    org_id: Mapped[int] = mapped_column(ForeignKey("orgs.id"))
    name: Mapped[str | None]
    posts: Mapped[list["Post"]] = relationship()
links = Table("links", metadata, Column("a_id", ForeignKey("users.id"), primary_key=True), Column("n", Integer))
"""
RAILS = """
ActiveRecord::Schema[7.1].define(version: 1) do
  create_table "posts", id: :uuid, force: :cascade do |t|
    t.string "title", default: "a, b", null: false
    t.references "user", foreign_key: true
    t.bigint "author_id"
    t.jsonb "meta"
    t.datetime "created_at", null: false
    t.index ["title"], name: "i", unique: true
  end
  add_foreign_key "posts", "people", column: "author_id"
end
"""
RAILS_MIGRATION = """
class A < ActiveRecord::Migration[7.1]
  def up
    create_table :cards do |t|
      t.string :a, :b
      t.belongs_to :deck
      t.timestamps
    end
    rename_column :cards, :a, :front
    remove_column :cards, :b
  end
  def down
    drop_table :cards
  end
end
"""
LARAVEL = """<?php
return new class extends Migration {
    public function up(): void {
        Schema::create('songs', function (Blueprint $table) {
            $table->id(); // key
            $table->foreignId('album_id')->constrained()->onDelete('cascade');
            $table->enum('state', ['on', 'off']);
            $table->string('slug')->unique();
            $table->timestamps();
            $table->softDeletes();
        });
        Schema::table('songs', function (Blueprint $table) { $table->renameColumn('slug', 'handle'); });
    }
    public function down(): void { Schema::dropIfExists('songs'); }
};
"""
JPA = """
@MappedSuperclass public class Base { @Id @GeneratedValue private Long id; }
@Entity @Table(name = "pets", uniqueConstraints = @UniqueConstraint(columnNames = {"a", "b"}))
public class Pet extends Base {
    public enum Kind { CAT, DOG }
    @Column(name = "birth_date") @Pattern(regexp = "\\\\d{4}") private LocalDate birthDate;
    @ManyToOne @JoinColumn(name = "owner_id") private Owner owner;
    @Enumerated(EnumType.STRING) private Kind kind;
    private String petName;
    @Transient private int skipped;
    @OneToMany(mappedBy = "pet") private Set<Visit> visits;
    public Kind getKind() { return this.kind; }
}
@Entity class Owner extends Base { private String name; }
"""
KOTLIN = """
@Entity @Table(name = "cards")
class Card(
    @Id val id: UUID,
    @Column(name = "front_text", unique = true) val front: String,
    val back: String? = null,
)
"""
DIESEL = """// @generated automatically by Diesel CLI.
diesel::table! {
    use diesel::sql_types::*;
    /// Who signs in.
    users (id) {
        id -> Int4,
        #[sql_name = "type"]
        kind -> Nullable<Text>,
        team_id -> Int4,
    }
}
diesel::table! { teams (id) { id -> Uuid, } }
diesel::joinable!(users -> teams (team_id));
"""
IN_CODE = """
const sql = `CREATE TABLE IF NOT EXISTS rules (
  id INT NOT NULL, subject VARCHAR(9), PRIMARY KEY (id), UNIQUE KEY u (subject)) ENGINE=InnoDB`;
db.exec("ALTER TABLE rules ADD COLUMN note TEXT");
const pattern = /CREATE TABLE `(\\w+)`/;
"""
