"""What of a repository takes effect by itself once a person trusts it, and what trust was given for.

Four kinds are told apart, because only what runs or is obeyed *because of trust* may take trust away
again when it changes; a person who is asked at every edit of a test learns to say yes unread:

* instructions: AGENTS.md, which becomes part of the rules of the prompt;
* git: settings that name programs, hooks and the origin; plainly reading git commands run unasked;
* servers: files that make a language server run something, once a setting wants servers at all;
* shown: all else that some program runs or obeys (conftest.py, Makefile, .envrc, .mcp.json, ...).
  This program reads none of them, and what it starts for the model is asked for or stays in a box.

Nothing is executed, and no link leads out. docs/trust.md says what follows from it.
"""

import hashlib
import os
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from aoci_agent.base.armed import hook_files, settings_that_run
from aoci_agent.base.autorun import autorun_files, is_autorun
from aoci_agent.base.errors import ForModel, NotPossible
from aoci_agent.base.files import Workspace
from aoci_agent.base.git import Repository
from aoci_agent.base.protected import protected_part
from aoci_agent.base.regular import READ, closing, read
from aoci_agent.base.text import content_id

ORIGIN = "git origin"  # not run: it tells a repository from another one put in its place
INSTRUCTIONS = ("AGENTS.md", "CLAUDE.md")  # the second is read only where the first is missing
_LIMIT = 4_000_000  # bytes of a file that is compared; a larger one never stays trusted
_MANY = 2_000  # files that are compared
# What a language server of `views/navigate/servers.py` executes or takes programs from.
_SERVED = frozenset({
    "tsconfig.json", "jsconfig.json", "rust-toolchain", "rust-toolchain.toml", "package.swift",
    "build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts", "gradlew",
    "gradle-wrapper.properties", "pom.xml", "gemfile", ".phpactor.json", ".phpactor.yml",
})  # fmt: skip
_SERVED_FOLDERS = (".cargo", ".mvn")
_SERVED_ENDS = (".csproj", ".props", ".targets")


class Kind(StrEnum):
    """Why something is listed; see the module."""

    INSTRUCTIONS = "instructions"
    GIT = "git"
    SERVERS = "servers"
    SHOWN = "shown"


@dataclass(frozen=True, slots=True)
class Item:
    """One file or setting. `digest` is "" for what is only shown, "?" for what cannot be compared."""

    kind: Kind
    name: str  # a path relative to the workspace, or "git setting core.pager"
    digest: str
    who: str  # who runs or obeys it


@dataclass(frozen=True, slots=True)
class Instructions:
    """One instruction file as it was compared: its bytes are what the prompt is made of."""

    name: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """What a repository would run or configure, at one moment."""

    items: tuple[Item, ...]
    instructions: tuple[Instructions, ...] = ()  # from the top of the repository to the workspace

    def id_of(self, kinds: Collection[Kind]) -> str:
        """One id for all that counts of these kinds."""
        hashed = hashlib.blake2b(digest_size=16)
        for item in sorted(self.items, key=lambda item: (item.kind, item.name)):
            if item.kind in kinds:
                hashed.update(os.fsencode(f"{item.kind}\0{item.name}\0{item.digest}\0"))
        return hashed.hexdigest()


def deciding(*, servers: bool) -> frozenset[Kind]:
    """The kinds whose change takes trust away; `servers`: the settings start language servers."""
    kinds = {Kind.INSTRUCTIONS, Kind.GIT}
    return frozenset(kinds | {Kind.SERVERS} if servers else kinds)


def fingerprint(root: Path, repository: Repository | None) -> Fingerprint:
    """Look at the folder `root`, and at the repository around it. Some 20 ms; raises BadWorkspace."""
    root = root.resolve()
    top = repository.root if repository else root
    items: list[Item] = []
    with Workspace(top) as workspace:
        instructions = _instructions(workspace, root)
        for one in instructions:
            items.append(Item(Kind.INSTRUCTIONS, one.name, content_id(one.data), "the model"))
        if repository is not None:
            items += _git_items(repository)
        items += _found(workspace, root, {one.name for one in instructions})
    return Fingerprint(tuple(items), instructions)


def _instructions(workspace: Workspace, root: Path) -> tuple[Instructions, ...]:
    """The instruction files from the top of the repository down to `root`, nearest last."""
    below = root.relative_to(workspace.root)
    folders = [Path(*below.parts[:depth]) for depth in range(len(below.parts) + 1)]
    found: list[Instructions] = []
    for folder in folders:
        for name in INSTRUCTIONS:
            with suppress(ForModel):
                data = workspace.read_bytes((folder / name).as_posix(), _LIMIT)
                path = os.path.relpath(workspace.root / folder / name, root)
                found.append(Instructions(path, data))
                break
    return tuple(found)


def _git_items(repository: Repository) -> list[Item]:
    try:
        settings = settings_that_run(repository.hardened)
        hooks = hook_files(repository.hardened, settings)
    except ForModel:
        return [Item(Kind.GIT, "git settings", "?", "git")]
    items: dict[str, Item] = {}
    for name, value in settings:
        key = ORIGIN if name.lower() == "remote.origin.url" else f"git setting {name}"
        before = items[key].digest if key in items else ""
        digest = content_id(os.fsencode(f"{before}\0{value}"))
        items[key] = Item(Kind.GIT, key, digest, "git")
    for path in hooks:
        key = f"git hook {path.name}"
        items[key] = Item(Kind.GIT, key, _digest_of(path), "git")
    return list(items.values())


def _found(workspace: Workspace, root: Path, known: Collection[str]) -> list[Item]:
    """What else lies in the workspace; of a language server's files the content counts."""
    items: list[Item] = []
    compared = 0
    for path in sorted(autorun_files(root), key=lambda path: (path.count("/"), path)):
        if path in known or protected_part(tuple(path.split("/"))):
            continue
        who, digest, kind = is_autorun(path), "", Kind.SHOWN
        if _is_served(path):
            compared += 1
            kind = Kind.SERVERS
            digest = _digest_of(root / path) if compared <= _MANY else "?"
        items.append(Item(kind, path, digest, who))
    for folder in ("node_modules/.bin", ".venv", "venv"):
        if os.path.lexists(root / folder):
            items.append(Item(Kind.SHOWN, f"{folder}/", "", "programs; none is used from here"))
    return items


def _is_served(path: str) -> bool:
    *folders, name = path.casefold().split("/")
    return (
        name in _SERVED or name.endswith(_SERVED_ENDS) or any(f in _SERVED_FOLDERS for f in folders)
    )


def _digest_of(path: Path) -> str:
    """The digest of a regular file, links followed since nothing of it is shown; "?" without one."""
    try:
        with closing(os.open(path, READ)) as descriptor:
            return content_id(read(descriptor, path.name, _LIMIT))
    except (OSError, NotPossible):
        return "?"
