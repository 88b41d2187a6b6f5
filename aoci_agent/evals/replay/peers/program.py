"""Where another agent is installed, in which version, and which folders the sandbox has to show of it."""

import hashlib
import json
import os
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from aoci_agent.base.environment import find_program
from aoci_agent.base.errors import BadUsage, NotPossible
from aoci_agent.base.places import home_of
from aoci_agent.evals.replay.peers.catalog import PEERS
from aoci_agent.evals.replay.peers.peer import Peer


def peer_named(name: str) -> Peer:
    """Raises BadUsage with those that are known."""
    if name not in PEERS:
        raise BadUsage(f"no agent {name!r} is known", f"one of {', '.join(PEERS)}")
    return PEERS[name]


def program_of(peer: Peer, env: Mapping[str, str], outside: Path | None = None) -> Path:
    """Its program: as its variable names it, or on PATH. Raises BadUsage with how to install it."""
    named = env.get(peer.variable, "").strip()
    found = find_program(named or peer.program, outside=outside)
    if found is None:
        where = f"{named}, named by {peer.variable}, is no program" if named else "is not on PATH"
        raise BadUsage(
            f"{peer.name} is not installed: {peer.program} {where}" if not named else where,
            f"{peer.install}; or let {peer.variable} name its program",
        )
    return Path(found)


def argv_of(peer: Peer, program: Path) -> list[str]:
    """What starts it. A Python program is kept from the PYTHONPATH that its commands need."""
    python = program.resolve().parent / "python"
    if peer.python and python.exists():
        return [str(python), "-I", str(program.resolve())]
    return [str(program)]


def version_of(peer: Peer, program: Path) -> str:
    """Of the package it was installed with, by npm or pip; else a digest of the program.

    It is read, not asked: not every agent can tell, and one that cannot may begin to work instead.
    """
    program = program.resolve()
    for folder in (one for one in program.parents if "node_modules" in one.parts):
        with suppress(OSError, ValueError, KeyError, TypeError):
            return str(json.loads((folder / "package.json").read_bytes())["version"])
    package = peer.install.split()[-1].replace("-", "_")
    pattern = f"lib/python*/*-packages/{package}-*.dist-info"
    for found in program.parent.parent.glob(pattern):
        return found.name.removesuffix(".dist-info").rpartition("-")[2]
    with program.open("rb") as file:
        return f"digest {hashlib.file_digest(file, 'sha256').hexdigest()[:16]}"


def needed(program: Path) -> tuple[Path, ...]:
    """Folders that are to be readable: of the program, of its interpreter, and of this Python."""
    found: list[Path] = []
    for path in (program, program.resolve()):
        found += _installed(path)
        for python in (path.parent / "python", path.parent / "node"):
            if python.exists():
                found += _installed(python.resolve())
    found += [Path(sys.prefix), Path(sys.base_prefix)]
    return tuple(dict.fromkeys(path for path in found if path.is_dir()))


def _installed(program: Path) -> tuple[Path, ...]:
    """Where a program was installed into; never a folder that would show a home, or keys in it."""
    parts = program.parts
    if "node_modules" in parts:
        return (Path(*parts[: parts.index("node_modules") + 1]),)
    folder, prefix = program.parent, program.parent.parent
    home = home_of(os.environ)
    if home.is_relative_to(folder):
        raise NotPossible(f"{program} lies in your home itself: move it into a folder of its own")
    if folder.name not in ("bin", ".bin") or home.is_relative_to(prefix):
        return (folder,)
    return (folder, prefix / "lib") if prefix == home / ".local" else (prefix,)
