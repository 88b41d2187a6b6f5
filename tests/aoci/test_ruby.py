from support.facts import docs, facts, names

from aoci_agent.aoci.layers import layer_of


def test_ruby() -> None:
    found = facts(
        "lib/shop/cart.rb",
        """
        # frozen_string_literal: true

        require 'json'
        require_relative "../tax"

        module Shop
          LIMIT = 5
          Point = Struct.new(:x, :y)

          # Keeps what is bought.
          #
          # @api public
          class Cart < Base::Box
            include Countable
            attr_reader :items, :owner

            class Full < StandardError; end

            # Adds one.
            def add(item) = Item.new(item)

            def self.load(path)
              raise Full, "no room for Anything" if ENV.fetch("CART_ROOM")
            end

            def initialize; end
            private def quiet; end

            private

            def inner; end
          end

          module Helpers
            def help?; end
          end
        end
        """,
    )
    assert names(found) == [
        "LIMIT",
        "Point",
        "Cart",
        "Cart.Full",
        "Cart.add",
        "Cart.load",
        "Helpers",
    ]
    assert set(names(found, public=False)) == {
        "Cart.initialize",
        "Cart.quiet",
        "Cart.inner",
        "Helpers.help?",
    }
    assert docs(found) == {"Cart": "Keeps what is bought", "add": "Adds one"}
    assert dict(found.settings)["namespace"] == "Shop"
    assert [item.module for item in found.imports] == ["./../tax", "json"]
    assert {"Base::Box", "Countable", "Item"} <= set(dict(found.words))
    assert not {"Anything", "Shop", "Cart"} & set(dict(found.words))
    assert found.raises == ("Full",)
    assert found.env == ("CART_ROOM",)
    assert found.constants == ("LIMIT=5",)
    assert "Point{x,y}" in found.shapes


def test_rails_routes_stand_under_their_resources() -> None:
    found = facts(
        "config/routes.rb",
        """
        Rails.application.routes.draw do
          root "home#index"
          get "/about" => "pages#about"
          get "/page/:page(.:format)", to: "home#page"
          namespace :admin do
            resources :users, only: [:index, :show]
          end
          scope "/api" do
            resources :stories do
              member do
                post :vote
              end
              get "search", on: :collection
              resources :comments, :votes
            end
            resource :profile
          end
          mount Sidekiq::Web => "/jobs"
        end
        """,
    )
    assert found.routes == (
        "GET /",
        "GET /about",
        "GET /page/:page",
        "ANY /admin/users",
        "ANY /admin/users/:id",
        "ANY /api/stories",
        "ANY /api/stories/:id",
        "POST /api/stories/:id/vote",
        "GET /api/stories/search",
        "ANY /api/stories/:story_id/comments",
        "ANY /api/stories/:story_id/comments/:id",
        "ANY /api/stories/:story_id/votes",
        "ANY /api/stories/:story_id/votes/:id",
        "ANY /api/profile",
        "ANY /jobs",
    )
    assert {"StoriesController", "PagesController", "HomeController"} <= set(dict(found.words))
    assert layer_of("config/routes.rb", found) == "R"
    sinatra = facts("app.rb", "require 'sinatra'\nget '/hi/:name' do\n  x.get('/no')\nend\n")
    assert sinatra.routes == ("GET /hi/:name",)


def test_rails_models_schema_jobs_and_tasks() -> None:
    schema = facts(
        "db/schema.rb",
        """
        # This file is made from the state of the database. Instead
        # of editing this file, please use the migrations feature.
        ActiveRecord::Schema[7.1].define(version: 2026_01_01) do
          create_table "stories", force: :cascade do |t|
            t.string "title", null: false
            t.bigint "user_id"
            t.index ["user_id"], name: "i"
          end
        end
        """,
    )
    assert schema.doc == "schema of 1 table"
    assert schema.tables == ("stories ddl",)
    assert schema.shapes == ("table stories{title,user_id}",)
    model = facts(
        "app/models/story.rb",
        """
        class Story < ApplicationRecord
          belongs_to :user
          has_many :categories
          enum :state, { draft: 0, live: 1 }
          after_save { NotifyJob.perform_later(id) }
        end
        """,
    )
    assert model.tables == ("stories w",)
    assert model.notes == ("belongs_to user", "has_many categories")
    assert model.events == ("publish NotifyJob",)
    assert "state:draft¦live" in model.shapes
    assert {"User", "Category"} <= set(dict(model.words))
    tasks = facts(
        "lib/tasks/a.rake",
        "namespace :data do\n  desc 'x'\n  task load: :environment do\n  end\nend\n",
    )
    assert tasks.commands == ("rake data:load",)
    spec = facts("spec/a_spec.rb", 'RSpec.describe Story do\n  it "isn\'t lost" do\n  end\nend\n')
    assert spec.cases == ("isn't lost",)
    assert layer_of("spec/a_spec.rb", spec) == "T"
