import json

import pytest

from aoci_agent.aoci.facts import plain, shell, sql
from aoci_agent.aoci.facts.extract import extract, facts_key
from aoci_agent.aoci.facts.language import Source
from aoci_agent.aoci.facts.model import Facts, to_record


def facts(path: str, text: str) -> Facts:
    found = extract(path, text.encode())
    assert not found.problem
    return found


SECRETS: dict[str, str] = {
    ".env": "DB_PASSWORD=hunter2hunter2\nAPI_KEY=hunter2\nURL=https://u:hunter2@h/\nSESSION=hunter2a1b2c3d4e5f6a7b8\n",
    "config.yml": "db:\n  password: hunter2\n  url: pg://me:hunter2@db/x\n  apiKey: hunter2\nkey: hunter2abcdefgh1234567890\n",
    "config.json": '{"secret": "hunter2", "a": {"token": "hunter2"}, "url": "http://a:hunter2@b"}',
    "config.toml": 'token = "hunter2"\n[a]\nprivate_key = "hunter2"\n',
    "a.ini": "[a]\npassword = hunter2\n",
    "a.properties": "spring.datasource.password=hunter2\nurl=jdbc:x://u:hunter2@h\n",
    "nginx.conf": "server { location / { proxy_pass http://u:hunter2@h; proxy_set_header Authorization 'Basic hunter2hunter2=='; } }",
    "a.sh": "export TOKEN=hunter2\ncurl -H 'Authorization: Bearer hunter2hunter2' http://u:hunter2@h/\nURL=http://u:hunter2@h\n",
    "Dockerfile": "FROM a\nENV SECRET=hunter2\nARG TOKEN=hunter2\nCMD run --password=hunter2\n",
    "compose.yml": "services:\n  a:\n    image: x\n    command: run --token=hunter2x\n    environment: {PASSWORD: hunter2}\n",
    "s.yml": "apiVersion: v1\nkind: Secret\nstringData: {password: hunter2}\n",
    ".github/workflows/a.yml": "on: push\njobs:\n  a:\n    env: {TOKEN: hunter2}\n    steps:\n    - run: npm publish --token=hunter2x\n",
    "a.tf": 'variable "password" {\n  default = "hunter2"\n}\nprovider "x" {\n  token = "hunter2"\n}\n',
    "package.json": '{"scripts": {"deploy": "push --password=hunter2x https://u:hunter2@h"}}',
    "password.txt": "hunter2\n",
    "id_rsa": "hunter2\n",
    "a.pem": "-----BEGIN RSA PRIVATE KEY-----\nhunter2\n",
    "web.config": '<configuration><add key="ApiKey" value="hunter2"/><add name="password" value="hunter2"/></configuration>',
    "x.service": "[Service]\nEnvironment=TOKEN=hunter2\nExecStart=/bin/a --secret=hunter2\n",
    "Makefile": "deploy:\n\tpush --password=hunter2 all\n",
    "env.yml": "env:\n- name: PASSWORD\n  value: hunter2\n",
    "README.md": "# A\n\nLog in with token=hunter2x and be happy.\n",
}  # fmt: skip


@pytest.mark.parametrize("path", SECRETS)
def test_no_secret_becomes_a_fact(path: str) -> None:
    found = facts(path, SECRETS[path])
    assert "hunter2" not in json.dumps(to_record(found))


def test_equal_keys_give_equal_facts() -> None:
    names = [
        "a/nginx", "b/nginx", ".nvmrc", ".python-version", "x.conf", "conf", "deploy/templates/x.yaml", "x.yaml",
        ".circleci/x.yaml", "x.js.bak", "y.js.bak", "CODEOWNERS", "a.txt", "b.txt", "README", "LICENSE", "secret.txt",
        "a.sh", "b.bash", "run", "walk", "x.conf.j2", "x.j2", "Dockerfile", "Dockerfile.dev", "a.env", ".env.local",
    ]  # fmt: skip
    for text in ("#!/bin/sh\nA=1\n", "server { listen 80; }\n", "a: 1\n", "18\n"):
        by_key: dict[str, Facts] = {}
        for name in names:
            found = extract(name, text.encode())
            assert by_key.setdefault(facts_key(name, text), found) == found, name


BOMB = '<!DOCTYPE a [<!ENTITY b "hahaha"><!ENTITY c "&b;&b;&b;">]><a>&c;</a>'


def test_an_xml_document_type_is_never_read() -> None:
    assert facts("a.xml", BOMB).notes == ("elements a",)


# Whatever is read by patterns must be read in linear time; the suite's time limit is the guard.
NAMES = [
    "a.md",
    "nginx.conf",
    ".htaccess",
    "Caddyfile",
    "haproxy.cfg",
    "a.service",
    "Dockerfile",
    "a.yml",
    ".gitlab-ci.yml",
    "Jenkinsfile",
    "Makefile",
    "justfile",
    "CMakeLists.txt",
    "meson.build",
    "build.gradle",
    "build.gradle.kts",
    "build.sbt",
    "BUILD",
    "package.json",
    "pyproject.toml",
    "setup.cfg",
    "go.mod",
    "Cargo.toml",
    "composer.json",
    "Gemfile",
    "Package.swift",
    "requirements.txt",
    "pom.xml",
    "a.sln",
    "a.json",
    "a.toml",
    "a.ini",
    "a.properties",
    ".env",
    "a.proto",
    "a.graphql",
    "schema.prisma",
    "a.tf",
    "a.sql",
    "a.sh",
    "a.html",
    "a.css",
    "a.ipynb",
    "CHANGELOG.md",
    "a.unknown",
]
PIECES = ("a", "a ", " ", "\n", "\t", "a: ", "a=", "(", "[", "{", '"', "'", '\\"', "/*", "<a ", "<!--", "{{", "${",
          "- ", "a.b.", "a {\n", "CREATE TABLE a (", "![", "```", "x() {\n", "location /a {")  # fmt: skip


@pytest.mark.parametrize("path", NAMES)
def test_endless_repetition_is_read_to_its_end(path: str) -> None:
    for piece in PIECES:
        text = piece * (60_000 // len(piece))
        source = Source(path, text, text.encode())
        readers = {"a.sql": sql.sql, "a.sh": shell.shell}
        assert readers.get(path, plain.plain_facts)(source)


def test_every_kind_has_a_reader() -> None:
    assert {plain.kind_of(name).split(" ")[0] for name in NAMES} > {"server", "sbt", "unit", "code"}
