"""What an agent changed against what a person changed. Pure; lines are those of the base commit."""

import re
from collections.abc import Collection, Sequence
from typing import NamedTuple

from aoci_agent.evals.policies_score import Span, score
from aoci_agent.evals.replay.history import is_source

_BLOCKS = re.compile(r"^diff --git ", re.MULTILINE)
_HUNK = re.compile(r"^@@ -(\d+)(?:,(\d+))? \+\d+(?:,(\d+))? @@", re.MULTILINE)
_NAMED = re.compile(r'^(?:---|\+\+\+) "?[ab]/(.*)$', re.MULTILINE)


class Patch(NamedTuple):
    """A unified diff without context, read: spans in its order, and lines added and removed by file."""

    spans: tuple[Span, ...]
    lines: dict[str, int]


class Scores(NamedTuple):
    """Shares from 0 to 1; None where there is no gold, or nothing was changed."""

    precision: float | None  # of the changed files of source, those that are gold
    recall: float | None  # of the gold files, those that were changed
    answer_recall: float | None  # AnswerRecall@5: gold blocks among the first five changed spans
    line_precision: float | None  # of the lines of those spans, those in gold blocks
    outside: tuple[str, ...]  # changed files that the fix leaves alone


def patch_of(diff: str) -> Patch:
    """Of `git diff -U0 --no-renames`. A hunk that only adds spans the line it is added behind.

    A new file spans its first line; a binary one has no span, and 0 lines.
    """
    spans: list[Span] = []
    lines: dict[str, int] = {}
    for block in _BLOCKS.split(diff)[1:]:
        head, *_ = _HUNK.split(block, maxsplit=1)
        named = _NAMED.findall(head) or [head.partition("\n")[0].rpartition(" b/")[2]]
        path = named[-1].rstrip("\t").strip('"')
        lines[path] = 0
        for start, removed, added in _HUNK.findall(block):
            gone, come = (int(count) if count else 1 for count in (removed, added))
            first = max(int(start), 1)
            spans.append(Span(path, first, first + max(gone, 1) - 1))
            lines[path] += gone + come
    return Patch(tuple(spans), lines)


def scores(
    patch: Patch, files: Collection[str], blocks: Sequence[Span], besides: Collection[str] = ()
) -> Scores:
    """`files` and `blocks` are the gold; new files of the gold have no lines at the base.

    `besides` is all else that the fix touches: tests, documents, lock files, new modules. Who does
    as the person did is not outside of the gold there, and not more precise for it either:
    precision counts source files, and the gold's own, whatever they are.
    """
    changed = list(patch.lines)
    right = [path for path in changed if path in files]
    wrong = [path for path in changed if path not in files and path not in besides]
    counted = len(right) + sum(map(is_source, wrong))
    found = score(patch.spans, blocks, tuple(files)) if blocks and files else None
    return Scores(
        precision=len(right) / counted if files and counted else None,
        recall=len(right) / len(files) if files else None,
        answer_recall=found.recall if found else None,
        line_precision=found.precision if found and changed else None,
        outside=tuple(wrong) if files else (),
    )
