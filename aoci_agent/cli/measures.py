"""`aoci-agent eval NAME ...`: a measure of `aoci_agent.evals`, by its name."""

import re
from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.util import find_spec
from pkgutil import iter_modules
from typing import cast

from aoci_agent import evals
from aoci_agent.base.errors import BadUsage

DRIVING = ("policies",)  # measures that drive sessions: only the front door can open one


def run(name: str, arguments: Sequence[str]) -> int:
    """Run it with its own arguments; its exit code. Raises BadUsage for none of that name."""
    module = name.replace("-", "_")
    if not re.fullmatch(r"[a-z]\w*", module) or find_spec(f"{evals.__name__}.{module}") is None:
        raise BadUsage(f"no measure is called '{name}'", f"there are {', '.join(_names())}")
    main = getattr(import_module(f"{evals.__name__}.{module}"), "main", None)
    if main is None:
        raise BadUsage(f"'{name}' is no measure of its own", f"there are {', '.join(_names())}")
    if module in DRIVING:
        from aoci_agent.cli.measuring_sessions import opened

        return cast("Callable[[Sequence[str], object], int]", main)(arguments, opened)
    return cast("Callable[[Sequence[str]], int]", main)(arguments)


def _names() -> list[str]:
    """Modules with a `main`, found in their text: importing them all would take seconds."""
    found: list[str] = []
    for module in iter_modules(evals.__path__):
        spec = find_spec(f"{evals.__name__}.{module.name}")
        if spec is not None and spec.origin is not None:
            with open(spec.origin, encoding="utf-8") as file:  # noqa: PTH123 - a path of the import system
                if "\ndef main(" in file.read():
                    found.append(module.name)
    return found
