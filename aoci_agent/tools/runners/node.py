"""The test script of package.json, through the package manager the lock file names."""

import json
from typing import Any, cast

from aoci_agent.base.errors import NotPossible
from aoci_agent.base.process import find_program
from aoci_agent.tools.reports import node as reports
from aoci_agent.tools.reports.reading import Reader
from aoci_agent.tools.runners.runner import Request, Runner

LOCKS = {
    "pnpm-lock.yaml": "pnpm",
    "yarn.lock": "yarn",
    "bun.lock": "bun",
    "bun.lockb": "bun",
    "package-lock.json": "npm",
}
READERS: dict[str, Reader] = {
    "vitest": reports.vitest,
    "jest": reports.jest,
    "ava": reports.ava,
    "mocha": reports.mocha,
}


def find(request: Request) -> Runner | None:
    """`npm run test`, or the same of pnpm, yarn or bun."""
    script = _script(request)
    if not script or "no test specified" in script:
        return None
    manager = _manager(request)
    words = (*request.extra, *((request.target,) if request.target else ()))
    dashes = ("--",) if words and manager == "npm" else ()
    reader = next((reader for name, reader in READERS.items() if name in script), None)
    argv = (manager, "run", "test", *dashes, *words)
    return Runner(f"{manager} test", argv, reader, request.folder)


def _script(request: Request) -> str:
    try:
        package: object = json.loads(request.text("package.json") or "{}")
    except ValueError:
        return ""
    scripts = cast("dict[str, Any]", package).get("scripts") if isinstance(package, dict) else None
    return str(cast("dict[str, Any]", scripts).get("test", "")) if isinstance(scripts, dict) else ""


def _manager(request: Request) -> str:
    folders = (request.path, request.root)
    locked = [name for lock, name in LOCKS.items() for at in folders if (at / lock).is_file()]
    for name in (*locked, "npm"):
        if find_program(name, outside=request.root):
            return name
    wanted = locked[0] if locked else "npm"
    raise NotPossible(f"the project's tests need {wanted}, which is not installed")
