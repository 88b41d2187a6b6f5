"""Between sessions: the prompt text sent before stays the base while a provider may still hold it.

Rendering anew after every change would rewrite the cached prefix from the first line that moved; the
same base with the changed entries behind it rewrites a twelfth of that (aoci.md section 8, measured
over 200 commits). The base is dropped once it is no longer warm, when the header differs, or when
what changed has grown to a fifth of it.
"""

import json
import os
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from aoci_agent.aoci.lines import changed_line, gone_line
from aoci_agent.aoci.model import Index
from aoci_agent.aoci.render import Rendered, prompt_header, render
from aoci_agent.aoci.write import full_line, line_hash
from aoci_agent.base import tokens
from aoci_agent.base.files import content_id
from aoci_agent.base.replace import atomic_write

COMPACT_AT = 0.2  # share of the base that changes may add before all is rendered anew
WARM = 3600.0  # seconds: the longest time to live that is asked of a provider
_FORM = 1


@dataclass(frozen=True, slots=True)
class Basis:
    """What an earlier session sent, and the entries it was made of: path -> hash of the line."""

    rendered: Rendered
    entries: Mapping[str, str]


class Bases:
    """The base of each way to render an index, in files outside of the repository."""

    def __init__(self, folder: Path, warm: float = WARM) -> None:
        self._folder = folder
        self._warm = warm
        self._in_use: set[Path] = set()

    def shown(self, index: Index, budget: int, *, tags: bool = True) -> Rendered:
        """The index within `budget` tokens: the warm base and what changed since, else all anew."""
        file = self._folder / f"shown-{budget}-{'tags' if tags else 'bare'}.json"
        self._in_use.add(file)
        now = {entry.path: line_hash(full_line(entry)) for entry in index.entries}
        basis = self._load(file)
        if basis is not None and (kept := _continued(basis, index, now, budget, tags=tags)):
            self._touch(file)
            return kept
        fresh = render(index, budget, tags=tags)
        self._save(file, Basis(fresh, now))
        return fresh

    def close(self) -> None:
        """The session ends: what it sent was used until now."""
        for file in self._in_use:
            self._touch(file)

    def _load(self, file: Path) -> Basis | None:
        """The base, unless it is too old or cannot be read."""
        try:
            if not 0 <= time.time() - file.stat().st_mtime <= self._warm:
                return None
            data = json.loads(file.read_bytes())
            if data["form"] != _FORM:
                return None
            return Basis(Rendered(**data["rendered"]), dict(data["entries"]))
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def _save(self, file: Path, basis: Basis) -> None:
        data = {"form": _FORM, "rendered": asdict(basis.rendered), "entries": basis.entries}
        with suppress(OSError):  # without a base the next session renders anew
            atomic_write(file, json.dumps(data, ensure_ascii=False).encode("utf-8", "replace"))

    def _touch(self, file: Path) -> None:
        with suppress(OSError):
            os.utime(file)


def _continued(
    basis: Basis, index: Index, now: Mapping[str, str], budget: int, *, tags: bool
) -> Rendered | None:
    """The base with the changes behind it; None where rendering anew is better."""
    base = basis.rendered
    if base.header != prompt_header(index, budget, tags=tags):
        return None
    changed = [entry for entry in index.entries if basis.entries.get(entry.path) != now[entry.path]]
    gone = sorted(basis.entries.keys() - now.keys())
    lines = [*(changed_line(entry, tags=tags) for entry in changed), *map(gone_line, gone)]
    if not lines:
        return base
    text = "\n".join(lines)
    more = tokens.count(text)
    if more > COMPACT_AT * base.tokens or base.tokens + more > budget:
        return None
    name = content_id(f"{base.content_id} {text}".encode())
    tokens_now, total = base.tokens + more, len(now)
    return replace(base, changes=text, tokens=tokens_now, total=total, content_id=name)
