"""Where credentials are kept out: of what tools say, of the files their output is kept in."""

from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from aoci_agent.agent.events import ApprovalAsked, Event, ToolFinished, ToolStarted
from aoci_agent.agent.toolbox import Bound
from aoci_agent.base.errors import TryAgain
from aoci_agent.base.files import atomic_write
from aoci_agent.base.secrets import Mask, quotes_mask
from aoci_agent.policies.conversation import ToolCall
from aoci_agent.tools.tool import Preview, ToolResult

E = TypeVar("E", bound=Event)


def hidden(event: E, mask: Mask) -> E:
    """An event of a call without credentials in what was found; the call itself is the model's."""
    match event:
        case ToolFinished():
            return replace(event, result=_result(event.result, mask), title=mask.mask(event.title))
        case ToolStarted():
            return replace(event, preview=_preview(event.preview, mask))
        case ApprovalAsked(question):
            return replace(
                event, question=replace(question, preview=_preview(question.preview, mask))
            )
        case _:
            return event


def _preview(preview: Preview, mask: Mask) -> Preview:
    """As it is shown once it was allowed; the question itself shows a person the exact bytes."""
    return replace(preview, title=mask.mask(preview.title), body=mask.mask(preview.body))


def _result(result: ToolResult, mask: Mask) -> ToolResult:
    return replace(
        result,
        text=mask.mask(result.text),
        summary=mask.mask(result.summary),
        diff=mask.mask(result.diff),
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
