import json
from textwrap import dedent

import pytest

from aoci_agent.aoci.facts.extract import extract
from aoci_agent.aoci.facts.model import Facts, from_record, to_record
from aoci_agent.aoci.facts.yaml import load_yaml
from aoci_agent.aoci.importance import importance
from aoci_agent.aoci.layers import layer_of
from aoci_agent.aoci.resolve.links import resolve


def facts(path: str, text: str) -> Facts:
    found = extract(path, dedent(text).encode())
    assert from_record(json.loads(json.dumps(to_record(found)))) == found
    assert not found.problem
    return found


def said(path: str, text: str) -> str:
    found = facts(path, text)
    return "; ".join((found.doc, *found.notes, *found.shapes))


NGINX = """
    # Serves the shop.
    limit_req_zone $binary_remote_addr zone=api:10m rate=10r/s;
    upstream backend { server 127.0.0.1:3000; server 127.0.0.1:3001; }
    server { listen 80; server_name shop.example; return 301 https://$host$request_uri; }
    server {
        listen 443 ssl http2;
        server_name shop.example;
        client_max_body_size 50M;   # uploads
        location /assets/ { alias /var/www/assets/; expires 7d; }
        location /api/ {
            proxy_pass http://user:hunter2@backend:4000;
            proxy_set_header Upgrade $http_upgrade;
            proxy_buffering off;
            proxy_read_timeout 600s;
        }
        location / { try_files $uri /index.html; location = /x { deny all; } }
        location ~ ^/p/(\\d+)$ { proxy_pass http://${PAGES_HOST}; }
    }
"""


def test_nginx_says_where_each_path_leads_and_what_it_allows() -> None:
    found = facts("deploy/nginx.conf.template", NGINX)
    assert found.doc == "Serves the shop."
    assert found.notes[:4] == (
        "listens 80, 443 ssl http2 for shop.example",
        "rate limit api 10r/s",
        "client_max_body_size 50M",
        "/api/ -> http://backend:4000 (unbuffered, websocket)",
    )
    assert {
        "~ ^/p/(\\d+)$ -> http://${PAGES_HOST}",
        "80 -> 301 https://$host$request_uri",
        "/assets/ -> alias /var/www/assets/",
        "/ -> try_files $uri /index.html",
        "upstream backend: 127.0.0.1:3000, 127.0.0.1:3001",
        "proxy_read_timeout /api/ 600s",
    } <= set(found.notes)
    assert found.env == ("PAGES_HOST",)
    assert layer_of("deploy/nginx.conf.template", found) == "B"
    assert level("deploy/nginx.conf.template", found) == 7


def level(path: str, found: Facts) -> int:
    world = {path: found}
    return importance(world, resolve(world), {path: layer_of(path, found)})[path]


def test_compose_says_the_own_services_first() -> None:
    found = facts(
        "docker-compose.prod.yml",
        """
        services:
          db:
            image: postgres:16
            environment:
              POSTGRES_PASSWORD: ${DB_PASSWORD:-hunter2hunter2}
          api:
            build: {context: ., dockerfile: docker/api.Dockerfile}
            ports: ["4000:4000", {target: 9, published: 90}]
            depends_on:
              db: {condition: service_healthy}
            env_file: [.env]
            volumes:
              - ./data:/data
        """,
    )
    assert found.notes == (
        "services db, api",
        "api: build . (docker/api.Dockerfile), 4000:4000 90:9, needs db",
        "db: postgres:16",
        "env files .env",
        "binds ./data:/data",
        "takes DB_PASSWORD",
    )


def test_a_workflow_says_when_it_runs_and_what_for() -> None:
    found = facts(
        ".github/workflows/publish.yml",
        """
        name: Publish
        on:
          push: {tags: ["v*"]}
          schedule:
            - cron: '0 3 * * *'
        env: {REGISTRY: ghcr.io}
        jobs:
          build:
            strategy: {matrix: {node: [18, 20]}}
            steps:
              - uses: actions/checkout@v4
              - run: |
                  npm ci
                  npm publish --access public
                env: {NODE_AUTH_TOKEN: "${{ secrets.NPM_TOKEN }}"}
          deploy:
            needs: build
            steps:
              - uses: appleboy/ssh-action@v1
        """,
    )
    assert found.doc == "Publish"
    assert found.notes == (
        "on push (tags v*), cron 0 3 * * *",
        "uses appleboy/ssh-action",
        "runs npm publish --access public",
        "jobs build (node 18/20), deploy (after build)",
        "secrets NPM_TOKEN",
        "env REGISTRY",
    )


@pytest.mark.parametrize(
    ("path", "text", "wanted"),
    [
        (
            "Dockerfile",
            "# syntax=docker/dockerfile:1\nFROM node:18 AS build\nRUN npm ci && \\\n  npm run build\nFROM nginx\n"
            "COPY --from=build /app/dist /www\nEXPOSE 80\nENV TOKEN=abc MODE=fast\nCMD [\"nginx\", \"-g\"]\n",
            [
                "from node:18 as build, nginx", "exposes 80", "starts nginx -g", "builds with npm ci, npm run build",
                "copies /app/dist to /www from build", "sets MODE=fast",
            ],
        ),
        ("web/.htaccess", "RewriteEngine On\nRewriteRule ^api/(.*)$ /index.php [L]\n", ["RewriteRule ^api/(.*)$ /index.php [L]"]),
        ("Caddyfile", "shop.example {\n\treverse_proxy /api/* localhost:5000\n}\n", ["sites shop.example", "reverse_proxy /api/* localhost:5000"]),
        ("haproxy.cfg", "frontend web\n  bind *:80\n  default_backend app\nbackend app\n  server a 10.0.0.1:80\n", ["frontend web", "bind *:80", "server a 10.0.0.1:80"]),
        ("x.service", "[Unit]\nDescription=The api\n[Service]\nExecStart=/bin/api\nUser=www\nEnvironment=PORT=1\n", ["The api", "ExecStart /bin/api", "User www"]),
        ("Procfile", "web: gunicorn app\n", ["web: gunicorn app"]),
        (
            "k8s/app.yml",
            "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n  replicas: 2\n  template:\n    spec:\n"
            "      containers:\n      - image: shop:1\n        ports: [{containerPort: 80}]\n        envFrom:\n"
            "        - configMapRef: {name: cfg}\n---\napiVersion: v1\nkind: Service\nmetadata:\n  name: web\nspec:\n"
            "  ports:\n  - port: 80\n    targetPort: 8080\n---\napiVersion: v1\nkind: Secret\nmetadata: {name: s}\ndata: {pw: aHVudGVyMg==}\n",
            ["Deployment web: replicas 2, shop:1, :80, config cfg", "Service web: 80->8080", "Secret s: keys pw"],
        ),
        ("chart/Chart.yaml", "name: shop\nversion: 1.2.0\ndependencies:\n- name: redis\n  version: 17\n", ["chart name shop, version 1.2.0", "needs redis 17"]),
        (
            "main.tf",
            'variable "size" {\n  default = "small"\n}\nresource "aws_s3_bucket" "files" {\n}\nmodule "net" {\n  source = "./net"\n}\n',
            ["resources aws_s3_bucket.files", "modules net (./net)", "variables size", "defaults size=small"],
        ),
        ("site.yml", "- hosts: web\n  roles: [common, {role: nginx}]\n  tasks:\n  - name: copy it\n    copy: {}\n", ["play on web with roles common, nginx", "tasks copy it"]),
        (".gitlab-ci.yml", "stages: [test]\nunit:\n  stage: test\n  script:\n  - pytest -q\n", ["jobs unit (test)", "runs pytest -q"]),
        ("Jenkinsfile", "pipeline { stages { stage('Build') { steps { sh 'mvn package' } } } }", ["stages Build"]),
        ("Makefile", ".PHONY: up\nup: build ## start all\n\tdocker compose up\nbuild:\n\t@go build ./...\n", ["up: start all", "build: go build ./..."]),
        ("justfile", "# Run the tests\ntest arg='':\n    pytest\n", ["test: Run the tests"]),
        ("CMakeLists.txt", "project(shop C)\noption(WITH_TLS \"tls\" ON)\nadd_executable(shop main.c)\nfind_package(ZLIB)\n", ["project shop C", "targets shop (executable)", "options WITH_TLS", "needs ZLIB"]),
        ("build.gradle", "plugins {\n  id 'java'\n}\ndependencies {\n  implementation 'a.b:core:1'\n  testImplementation 'j:junit:4'\n}\n", ["plugins java", "uses core", "tests use junit"]),
        (
            "pom.xml",
            "<project><modelVersion>4</modelVersion><groupId>g</groupId><artifactId>a</artifactId><modules><module>m</module></modules>"
            "<dependencies><dependency><artifactId>d</artifactId></dependency></dependencies></project>",
            ["artifact g:a", "modules m", "uses d"],
        ),
        ("a.csproj", '<Project Sdk="Web"><PropertyGroup><TargetFramework>net8.0</TargetFramework></PropertyGroup></Project>', ["sdk Web", "sets TargetFramework net8.0"]),
        ("UserMapper.xml", '<!DOCTYPE mapper PUBLIC "x" "y"><mapper namespace="U"><select id="all">select * from users</select></mapper>', ["maps U", "statements select all"]),
        ("application.yml", "server:\n  port: 8081\nspring:\n  datasource:\n    url: jdbc:mysql://db/shop\n    password: hunter2hunter2\n", ["server.port=8081", "spring.datasource.url=jdbc:mysql://db/shop"]),
        ("application.properties", "server.port=8081\nspring.servlet.multipart.max-file-size=10MB\n", ["spring.servlet.multipart.max-file-size=10MB"]),
        (".env.example", "PORT=4000\nDEBUG=true\nAPI_KEY=abcdef\nNAME=x y\n", ["PORT=4000", "DEBUG=true"]),
        ("locales/de.json", json.dumps({f"cart.k{n}": "Der Korb" for n in range(5)} | {"pay": "Zahlen"}), ["6 messages: cart 5, pay"]),
        ("openapi.yaml", "openapi: 3.0.0\ninfo: {title: Shop}\npaths:\n  /cart: {get: {}}\ncomponents: {schemas: {Cart: {properties: {id: {}, sum: {}}}}}\n", ["openapi Shop", "Cart{id,sum}"]),
        ("a.graphql", "type Query { cart(id: ID!): Cart }\ntype Cart {\n  id: ID!\n  sum: Int\n}\nenum S {\n A\n B\n}\n", ["Cart{id,sum}", "S:A¦B"]),
        ("a.proto", "package shop;\nmessage Cart { string id = 1; repeated int32 sums = 2; }\nenum S { A = 0; }\n", ["package shop", "Cart{id,sums}", "S:A"]),
        ("schema.prisma", "model User {\n  id Int @id\n  name String\n}\n", ["table User{id,name}"]),
        ("index.html", '<title>Shop</title><form method="post" action="/login"><input name="user"></form><script src="/a.js">', ["Shop", "forms POST /login", "fields user", "loads /a.js"]),
        ("a.jinja", '{% extends "base.html" %}{% include "nav.html" %}', ["extends base.html", "includes nav.html"]),
        ("a.ipynb", '{"cells": [{"cell_type": "markdown", "source": ["# Sums"]}, {"cell_type": "code", "source": ["import numpy"], "outputs": ["secret"]}]}', ["Sums", "imports numpy"]),
        ("Gemfile", "ruby '3.3'\ngem 'rails', '~> 7'\n", ["ruby 3.3", "uses rails"]),
        ("a.css", ":root { --ink: #000; }\nbody { margin: 0 }\n", ["styles body"]),
        ("my.cnf", "[mysqld]\nmax_connections = 200\n", ["max_connections=200"]),
        ("x.js.before_fix_2025", "const a = 1;", ["copy of x.js, before_fix_2025"]),
        ("go.mod", "module x.com/y\n\ngo 1.24\n\nrequire (\n\tx.com/gin v1.0.0\n)\n", ["module x.com/y", "go 1.24", "uses gin"]),
    ],
)  # fmt: skip
def test_what_is_told_of_a_file(path: str, text: str, wanted: list[str]) -> None:
    told = said(path, text)
    missing = [item for item in wanted if item not in told]
    assert not missing, told


def test_manifests_name_their_package() -> None:
    package = facts("package.json", '{"name": "p", "scripts": {"test": "x"}, "main": "lib.js"}')
    assert package.commands == ("run test",)
    assert dict(package.settings) == {"package": "p", "entry": "lib.js"}
    config = facts("tsconfig.json", '{"compilerOptions": {"paths": {"@/*": ["./src/*"],},}} // end')
    assert dict(config.settings)["path @/*"] == "./src/*"
    cargo = facts(
        "Cargo.toml", '[package]\nname = "shop"\n[lib]\npath = "x.rs"\n[[bin]]\nname = "s"\n'
    )
    assert dict(cargo.settings) == {"package": "shop", "lib": "x.rs"}
    assert "builds bin s" in cargo.notes
    composer = facts("composer.json", '{"name": "a/b", "autoload": {"psr-4": {"App\\\\": "src/"}}}')
    assert dict(composer.settings)["psr-4 App\\"] == "src/"


def test_sql_tables_have_their_columns() -> None:
    found = facts(
        "001.sql",
        """
        /*!40101 SET NAMES utf8 */;
        -- Users and roles.
        CREATE TABLE IF NOT EXISTS `users` (
          `id` int NOT NULL AUTO_INCREMENT COMMENT 'a, (b)',
          price DECIMAL(10, 2), -- note, here
          PRIMARY KEY (`id`), KEY idx (price)
        ) ENGINE=InnoDB;
        create unique index one on public.users (id);
        ALTER TABLE roles ADD COLUMN label TEXT, DROP COLUMN old;
        CREATE VIEW active AS SELECT * FROM users;
        INSERT INTO roles VALUES (1, 'CREATE TABLE fake (x int)');
        """,
    )
    assert found.doc == "Users and roles."
    assert found.shapes == ("table users{id,price}",)
    assert found.notes == (
        "changes roles +label -old",
        "defines view active",
        "indexes one on users",
    )
    assert found.tables == ("roles w", "users r")


def test_shell() -> None:
    text = """
        #!/bin/bash
        # Deploys the shop.
        set -e
        APP_DIR=/srv/shop
        DB_PASSWORD=hunter2
        source ./lib/common.sh
        # Stops it.
        stop_all() {
          pm2 stop "$APP_NAME"
        }
        while true; do
          case "$1" in
            start|stop) stop_all ;;
            --fast) FAST=1 ;;
          esac
        done
        cat <<EOF
        rsync never
        EOF
        npm run build && docker compose up
        curl http://localhost:4000/health || exit ${RETRIES:-3}
        """
    found = facts("deploy.sh", text)
    assert found.doc == "Deploys the shop."
    assert [(s.name, s.doc) for s in found.symbols] == [("stop_all", "Stops it")]
    assert (
        found.notes[0]
        == "runs pm2 stop, npm run build, docker compose, curl http://localhost:4000/health"
    )
    assert {"verbs start|stop", "options --fast", "asks http://localhost:4000/health"} <= set(
        found.notes
    )
    assert found.constants == ("APP_DIR=/srv/shop",)
    assert found.env == ("APP_NAME", "RETRIES")
    world = {"deploy.sh": found, "lib/common.sh": facts("lib/common.sh", "echo\n")}
    assert resolve(world).edges == {"deploy.sh": {"lib/common.sh": 1}}
    assert layer_of("deploy.sh", found) == "B"


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("#!/usr/bin/env python3\ndef go(): ...\n", "python"),
        ("#!/usr/bin/env -S node --x\nfunction go() {}\n", "javascript"),
        ("#!/bin/sh\ngo() {\n}\n", "shell"),
        ("#!/opt/strange\nfunction go\n", "text"),
    ],
)
def test_a_script_without_an_ending_is_read_by_its_first_line(text: str, language: str) -> None:
    found = facts("bin/run", text)
    assert found.language == language
    assert [symbol.name for symbol in found.symbols] == ["go"]


def test_yaml() -> None:
    text = """
        a: &x {b: [1, "c: d", {e: f}], 'g': } # note
        h:
        - - 1
          - 2
        -
          i: |
            - not: this
            # nor this
          j: >-
            folded
        <<: *x
        {{- if .Values.k }}
        l: {{ .Values.m }}
        {{- end }}
        n: http://x:80/#y
        --- # next
        - o
        ...
    """
    first, second = load_yaml(dedent(text))
    assert first == {
        "a": {"b": ["1", "c: d", {"e": "f"}], "g": ""},
        "h": [["1", "2"], {"i": "- not: this\n# nor this", "j": "folded"}],
        "<<": "*x",
        "l": "{{ .Values.m }}",
        "n": "http://x:80/#y",
    }
    assert second == ["o"]
