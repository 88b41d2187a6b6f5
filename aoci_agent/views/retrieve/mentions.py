"""What a query names: symbols among the blocks found, and files."""

import re
from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from aoci_agent.views.retrieve.question import Question
from aoci_agent.views.retrieve.ranking import Block

_QUALIFIED = 1.5  # `Class.method` as written, over and above the method's own name
_SEPARATOR = re.compile(r"\.|::|#")
_OUTSIDE = 0.5  # a bare file name is a weaker hint than a path


def named_symbols(question: Question, blocks: Iterable[Block]) -> dict[Block, float]:
    """Blocks whose symbol the query names. A name that many blocks have says little of each."""
    by_name: defaultdict[str, list[Block]] = defaultdict(list)
    for block in blocks:
        name = block.symbol.rpartition(".")[2]
        if name in question.names and not _is_special(name):
            by_name[name].append(block)
    found: defaultdict[Block, float] = defaultdict(float)
    for name, having in by_name.items():
        for block in having:
            found[block] += question.names[name] / len(having) ** 0.5
    written: defaultdict[str, list[str]] = defaultdict(list)
    for name in question.qualified:
        plain = f".{_SEPARATOR.sub('.', name)}"
        written[plain.rpartition(".")[2]].append(plain)
    for block in list(found):
        _, dot, name = block.symbol.rpartition(".")
        if dot and any(ending.endswith(f".{block.symbol}") for ending in written[name]):
            found[block] += _QUALIFIED
    return dict(found)


def _is_special(name: str) -> bool:
    return name.startswith("__") and name.endswith("__")


class _Fit(NamedTuple):
    paths: list[str]
    parts: int  # of the path that agree, from its end


class Places:
    """Files by the ends of their paths."""

    def __init__(self, paths: Iterable[str]) -> None:
        self._by_name: defaultdict[str, list[str]] = defaultdict(list)
        self._by_stem: defaultdict[str, list[str]] = defaultdict(list)
        for path in sorted(paths):
            self._by_name[path.rpartition("/")[2]].append(path)
            self._by_stem[_module(path)[-1]].append(path)

    def named(self, question: Question) -> dict[str, float]:
        """Files the query names: by path, as a module, or in a traceback, each up to 1."""
        found: dict[str, float] = {}

        def note(fit: _Fit, score: float) -> None:
            for path in fit.paths:
                found[path] = max(found.get(path, 0), score / len(fit.paths))

        for written in question.paths:
            fit = self._fit(_parts(written))
            note(fit, 1 if fit.parts > 1 else _OUTSIDE)
        return found

    def framed(self, question: Question) -> dict[str, float]:
        """Files in the frames of a traceback, the innermost 1, the next 1/2."""
        found: dict[str, float] = {}
        rank = 0
        for written in question.frames:
            fit = self._fit(_parts(written))
            if fit.parts > 1:
                rank += 1
                for path in fit.paths:
                    found[path] = max(found.get(path, 0), 1 / rank / len(fit.paths))
        return found

    def modules(self, question: Question) -> dict[str, float]:
        """Files named as modules: `package.module.Class`."""
        found: dict[str, float] = {}
        for written in question.qualified:
            parts = _SEPARATOR.split(written)
            for length in range(len(parts), 1, -1):
                candidates = self._by_stem.get(parts[length - 1], [])
                fit = _longest(parts[:length], [(path, _module(path)) for path in candidates])
                if fit.parts > 1:
                    for path in fit.paths:
                        score = fit.parts / length / len(fit.paths)
                        found[path] = max(found.get(path, 0), score)
                    break
        return found

    def _fit(self, parts: list[str]) -> _Fit:
        candidates = self._by_name.get(parts[-1], [])
        return _longest(parts, [(path, path.split("/")) for path in candidates])


def _longest(parts: list[str], candidates: Iterable[tuple[str, list[str]]]) -> _Fit:
    best = _Fit([], 0)
    for path, own in candidates:
        agree = 0
        for one, other in zip(reversed(parts), reversed(own), strict=False):
            if one != other:
                break
            agree += 1
        if agree > best.parts:
            best = _Fit([path], agree)
        elif agree and agree == best.parts:
            best.paths.append(path)
    return best


def _parts(written: str) -> list[str]:
    return [
        part for part in written.replace("\\", "/").split("/") if part not in ("", ".", "~")
    ] or [""]


def _module(path: str) -> list[str]:
    """A path as the names of a module: `a/b/__init__.py` is a, b."""
    parts = path.split("/")
    stem = parts.pop().partition(".")[0]
    return parts if stem in ("__init__", "index", "mod", "lib") and parts else [*parts, stem]
