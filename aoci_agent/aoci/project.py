"""What the repository itself says about its index: `.aoci-agent/aoci.toml` and `.aociignore`."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, cast

from aoci_agent.aoci.check.finding import CHECKS
from aoci_agent.aoci.roles import Role, role_of
from aoci_agent.base.errors import BadUsage, ForModel
from aoci_agent.base.files import STATE

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

FILE = f"{STATE}/aoci.toml"
IGNORE_FILE = ".aociignore"
_SECTIONS: Mapping[str, tuple[str, ...]] = {
    "scope": ("index", "fold", "exclude"),
    "index": ("target_tokens", "max_tokens"),
    "check": (),  # check ids, judged by `check`
}
_WAY_OUT = "see docs/index.md for what the file may hold"


class Readable(Protocol):
    """Files by path: the workspace, or a commit."""

    def read_bytes(self, path: str) -> bytes:
        """The whole file. Raises ForModel."""
        ...


@dataclass(frozen=True)
class Project:
    """Roles by pattern (gitignore syntax, the last section that matches wins), limits, severities."""

    index: "GitIgnoreSpec | None" = None
    fold: "GitIgnoreSpec | None" = None
    exclude: "GitIgnoreSpec | None" = None
    ignored: "GitIgnoreSpec | None" = None  # .aociignore
    target_tokens: int = 120_000
    max_tokens: int = 240_000
    severities: Mapping[str, str] = field(default_factory=dict[str, str])

    def role(self, path: str) -> tuple[Role, str]:
        """The role of a file, and the reason when it is not indexed.

        `exclude` beats `fold` beats `index`; all of them beat `.aociignore` and the defaults.
        """
        by_default = role_of(path)
        if by_default[1] == "agent state":
            return by_default
        if self.exclude is not None and self.exclude.match_file(path):
            return Role.EXCLUDE, "excluded"
        if self.fold is not None and self.fold.match_file(path):
            return Role.FOLD, "data"
        if self.index is not None and self.index.match_file(path):
            return Role.INDEX, ""
        if self.ignored is not None and self.ignored.match_file(path):
            return Role.EXCLUDE, "excluded"
        return by_default

    def wants(self, path: str) -> bool:
        """Whether the repository asks for an entry by a pattern of its own."""
        return self.index is not None and self.index.match_file(path)


def project_of(workspace: Readable) -> Project:
    """Read both files. Raises BadUsage, naming file and key, for one that makes no sense."""
    ignored = _lines(workspace, IGNORE_FILE)
    text = _text(workspace, FILE)
    if text is None:
        return Project(ignored=_spec(ignored))
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BadUsage(f"{FILE} is not valid TOML: {error}", _WAY_OUT) from error
    _refuse_unknown(tables)
    scope, limits = tables.get("scope", {}), tables.get("index", {})
    return Project(
        index=_spec(_patterns(scope, "index")),
        fold=_spec(_patterns(scope, "fold")),
        exclude=_spec(_patterns(scope, "exclude")),
        ignored=_spec(ignored),
        target_tokens=_whole(limits, "target_tokens", Project.target_tokens),
        max_tokens=_whole(limits, "max_tokens", Project.max_tokens),
        severities=_severities(tables.get("check", {})),
    )


def _text(workspace: Readable, path: str) -> str | None:
    try:
        return workspace.read_bytes(path).decode("utf-8", "replace")
    except ForModel:
        return None


def _lines(workspace: Readable, path: str) -> list[str]:
    return (_text(workspace, path) or "").splitlines()


def _spec(patterns: list[str]) -> "GitIgnoreSpec | None":
    if not any(pattern.strip() for pattern in patterns):
        return None
    from pathspec import GitIgnoreSpec

    return GitIgnoreSpec.from_lines(patterns)


def _refuse_unknown(tables: Mapping[str, Any]) -> None:
    for section, value in tables.items():
        if section not in _SECTIONS or not isinstance(value, dict):
            known = ", ".join(f"[{name}]" for name in _SECTIONS)
            raise BadUsage(f"{FILE}: [{section}] is not known; known are {known}", _WAY_OUT)
        keys = _SECTIONS[section]
        for key in cast("dict[str, Any]", value):
            if keys and key not in keys:
                listed = ", ".join(keys)
                raise BadUsage(f"{FILE}: {section}.{key} is not known, only {listed}", _WAY_OUT)


def _patterns(scope: Mapping[str, Any], name: str) -> list[str]:
    value: Any = scope.get(name, [])
    items = cast("list[Any]", value) if isinstance(value, list) else [value]
    patterns = [item for item in items if isinstance(item, str)]
    if len(patterns) < len(items) or not isinstance(value, list):
        raise BadUsage(f"{FILE}: scope.{name} must be a list of patterns", _WAY_OUT)
    return patterns


def _whole(limits: Mapping[str, Any], name: str, default: int) -> int:
    value: Any = limits.get(name, default)
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise BadUsage(f"{FILE}: index.{name} must be a positive whole number", _WAY_OUT)
    return value


def _severities(table: Mapping[str, Any]) -> dict[str, str]:
    allowed = ("error", "warn", "info", "off")
    for check, value in table.items():
        if check not in CHECKS:
            raise BadUsage(f"{FILE}: there is no check {check}", f"checks are {', '.join(CHECKS)}")
        if value not in allowed:
            told = ", ".join(allowed)
            raise BadUsage(f"{FILE}: check.{check} must be one of {told}", _WAY_OUT)
    return dict(table)
