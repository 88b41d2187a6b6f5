"""Where credentials are kept out: of what is said, and of the files that output is kept in."""

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from aoci_agent.agent.events import (
    ApprovalAnswered,
    ApprovalAsked,
    Event,
    ToolFinished,
    ToolStarted,
)
from aoci_agent.agent.toolbox import Bound
from aoci_agent.base.errors import TryAgain
from aoci_agent.base.files import atomic_write
from aoci_agent.base.secrets import Mask, quotes_mask
from aoci_agent.policies.conversation import AssistantMessage, ToolCall
from aoci_agent.tools.tool import Preview, ToolResult

E = TypeVar("E", bound=Event)
# The end of a text in which a key may still be growing: no key has a space in it.
_GROWING = re.compile(r"(?:(?<![!-~])[bB]earer +)?(?<![!-~])[!-~]*\Z")


def without_keys(message: AssistantMessage, mask: Mask) -> AssistantMessage:
    """A reply as it is told, kept and sent again. Its calls run as the model wrote them."""
    calls = tuple(_call(call, mask) for call in message.calls)
    return AssistantMessage(mask.mask(message.text), calls, mask.mask(message.reasoning))


class Streamed:
    """A text that comes in pieces, held back from the word on that has not ended.

    What may be shown comes as one piece, or none.
    """

    def __init__(self, mask: Mask) -> None:
        self._mask = mask
        self._held = ""

    def more(self, piece: str) -> Iterator[str]:
        """What has ended with this piece."""
        whole = self._held + piece
        found = _GROWING.search(whole)
        ends = found.start() if found else len(whole)
        self._held = whole[ends:]
        if ends:
            yield self._mask.mask(whole[:ends])

    def rest(self) -> Iterator[str]:
        """What was held back, once nothing more comes."""
        if self._held:
            yield self._mask.mask(self._held)


def hidden(event: E, mask: Mask) -> E:
    """An event of a call without credentials in what was called and found."""
    match event:
        case ToolFinished(call, result, title=title):
            masked, title = _call(call, mask), mask.mask(title)
            return replace(event, call=masked, result=_result(result, mask), title=title)
        case ToolStarted(call, preview):
            return replace(event, call=_call(call, mask), preview=_preview(preview, mask))
        case ApprovalAnswered(_, decision):
            said = mask.mask(decision.comment)
            return replace(event, decision=replace(decision, comment=said))
        case ApprovalAsked(question):
            parts, always = (
                tuple(map(mask.mask, some)) for some in (question.parts, question.always)
            )
            preview = _preview(question.preview, mask)
            asked = replace(question, preview=preview, parts=parts, always=always)
            return replace(event, question=asked)
        case _:
            return event


def _call(call: ToolCall, mask: Mask) -> ToolCall:
    return replace(call, arguments=mask.mask(call.arguments))


def _preview(preview: Preview, mask: Mask) -> Preview:
    """As it is shown once it was allowed; the question itself shows a person the exact bytes."""
    title, body, key = map(mask.mask, (preview.title, preview.body, preview.key))
    return replace(preview, title=title, body=body, key=key)


def _result(result: ToolResult, mask: Mask) -> ToolResult:
    if check := result.check:
        failing = tuple(map(mask.mask, check.failing))
        check = replace(check, command=mask.mask(check.command), failing=failing)
    return replace(
        result,
        text=mask.mask(result.text),
        summary=mask.mask(result.summary),
        diff=mask.mask(result.diff),
        check=check,
    )


class KeepsSecrets:
    """A guard: no call writes a mark in the place of a credential, no output is kept with one.

    A model that quotes `<secret: ...>` knows nothing of what stands there: an edit would not match,
    and a file written with it would have lost the credential.
    """

    def __init__(self, mask: Mask, spill_dir: Path) -> None:
        self._mask = mask
        self._folder = spill_dir
        self._seen: set[tuple[str, int]] = set()

    async def before(self, call: Bound) -> None:
        """Raises TryAgain where the arguments quote a mark."""
        # As they were read: in the model's JSON a "<" may be spelled \u003c.
        if quotes_mask(repr(call.arguments)):
            raise TryAgain(_quoted(call.call))

    async def after(self, call: Bound, result: ToolResult) -> ToolResult:
        """Mask the output that was kept in files meanwhile."""
        self.sweep()
        return result

    def sweep(self) -> None:
        """Mask every kept output that was not looked at yet."""
        for file in sorted(self._folder.glob("output-*.txt")):
            try:
                key = (file.name, file.stat().st_mtime_ns)
                if key in self._seen:
                    continue
                text = file.read_bytes().decode("utf-8", "surrogateescape")
                if (masked := self._mask.mask(text)) != text:
                    atomic_write(file, masked.encode("utf-8", "surrogateescape"))
                    key = (file.name, file.stat().st_mtime_ns)
            except OSError:  # removed meanwhile, or not ours
                continue
            self._seen.add(key)


def _quoted(call: ToolCall) -> str:
    return (
        f"{call.name} was not run: its arguments quote '<secret: ...>', which stands for a credential "
        "that is not shown to you. Such text is in no file, and writing it would destroy what it "
        "stands for. Change only what is around it, in pieces that do not hold it."
    )
