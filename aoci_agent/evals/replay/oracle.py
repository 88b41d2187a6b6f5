"""The harness's own models: `gold` knows the fix and works for it, `idle` does nothing.

They prove the harness: under every policy `gold` must pass and `idle` must fail. `gold` looks, reads,
edits piece by piece, and runs tests through the tools, as a model would; its seed varies the way.
"""

import difflib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from random import Random

from aoci_agent.agent.models.scripted import ScriptedModel
from aoci_agent.base.errors import NotPossible
from aoci_agent.policies.conversation import AssistantMessage, ToolCall

GOLD, IDLE = "gold", "idle"
NAMES = (GOLD, IDLE)
ASKED = 4  # times it says that it is done: the agent may ask for checks it does not have

Texts = Mapping[str, str | None]
"""Text by path; None where there is no such file."""


def idle() -> ScriptedModel:
    """A model that answers at once."""
    return ScriptedModel([AssistantMessage("I would not know what to change.")], name=IDLE)


def gold(before: Texts, after: Texts, test: str, seed: int) -> ScriptedModel:
    """A model that turns `before` into `after` and then runs the tests of `test`, a path or "" for none.

    Raises NotPossible where a change cannot be said by quoting text.
    """
    for path, text in (*before.items(), *after.items()):
        if text is not None and not _is_text(text):
            raise NotPossible(f"{path} is no text: the model gold cannot write it")
    random = Random(seed)
    paths = sorted(after)
    random.shuffle(paths)
    turns = list(_looking(paths, before, seed))
    for path in paths:
        turns += list(_changing(path, before.get(path), after[path], seed))
    turns.append([("bash", {"command": "git status --short"})])
    if test:
        turns.append([("test", {"target": test})])
    lines = [_said(number, calls) for number, calls in enumerate(turns, 1)]
    said = AssistantMessage("The change is made." + " The tests ran." * bool(test))
    return ScriptedModel([*lines, *[said] * ASKED], name=GOLD)


def _is_text(text: str) -> bool:
    """Not bytes that are no UTF-8, escaped."""
    return not re.search("[\ud800-\udfff]", text)


Call = tuple[str, dict[str, object]]


def _looking(paths: Sequence[str], before: Texts, seed: int) -> Iterator[list[Call]]:
    """A search first for odd seeds; then every file is read, together or one by one."""
    there = [path for path in paths if before.get(path) is not None]
    if seed % 2:
        yield [("grep", {"pattern": "def |function |class |fn |func "})]
    reads: list[Call] = [("read", {"path": path}) for path in there]
    if reads and seed % 3 == 0:
        yield reads
    else:
        yield from ([call] for call in reads)


def _changing(path: str, old: str | None, new: str | None, seed: int) -> Iterator[list[Call]]:
    if new is None:
        yield [("bash", {"command": f"rm -- {json.dumps(path)}"})]
    elif old is None:
        yield [("write", {"path": path, "content": new})]
    else:
        if seed % 2:  # a model quotes wrongly now and then
            yield [("edit", {"path": path, "old": "no line of this file\n", "new": "x\n"})]
        text = old
        for piece, instead in _pieces(old, new):
            if text.count(piece) != 1:
                raise NotPossible(f"a change of {path} cannot be quoted")
            text = text.replace(piece, instead)
            yield [("edit", {"path": path, "old": piece, "new": instead})]


def _pieces(old: str, new: str) -> Iterator[tuple[str, str]]:
    """What to replace by what, from the end to the beginning: each quote stands once in the text then."""
    had, has = old.splitlines(keepends=True), new.splitlines(keepends=True)
    groups = difflib.SequenceMatcher(None, had, has, autojunk=False).get_opcodes()
    for kind, first, last, start, end in reversed(groups):
        if kind == "equal":
            continue
        # What stands behind is new already, what stands before is still old.
        text = "".join(had[:last]) + "".join(has[end:])
        above = below = 0
        while True:
            above, below = min(above + 1, first), min(below + 1, len(has) - end)
            before, behind = "".join(had[first - above : first]), "".join(has[end : end + below])
            piece = before + "".join(had[first:last]) + behind
            if piece.strip() and text.count(piece) == 1:
                break
            if above == first and below == len(has) - end:
                raise NotPossible("a change cannot be quoted")
        yield piece, before + "".join(has[start:end]) + behind


def _said(number: int, calls: Sequence[Call]) -> AssistantMessage:
    made = (
        ToolCall(f"call-{number}-{place}", name, json.dumps(arguments))
        for place, (name, arguments) in enumerate(calls, 1)
    )
    return AssistantMessage("", tuple(made))
