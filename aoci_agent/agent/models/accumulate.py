"""Chunks of an OpenAI-shaped stream, put together to one whole message."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

from aoci_agent.agent.models.model import (
    CallPiece,
    Finish,
    MalformedReply,
    ReasoningPiece,
    StreamCut,
    TextPiece,
)
from aoci_agent.policies.conversation import AssistantMessage, ToolCall

MAX_ARGUMENTS = 1_000_000  # characters in the arguments of one call
MAX_REPLY = 8_000_000  # characters in all
MAX_CALLS = 128

Shown = TextPiece | ReasoningPiece | CallPiece
Chunk = Mapping[str, Any]

FINISHES: dict[str, Finish] = {
    "tool_calls": "calls",
    "function_call": "calls",
    "length": "length",
    "model_length": "length",
    "content_filter": "filtered",
}


@dataclass(slots=True)
class _Call:
    """A call that is still being written."""

    id: str = ""
    name: str = ""
    arguments: str = ""


@dataclass(frozen=True, slots=True)
class Finished:
    """What a complete stream amounts to. `usage` is the provider's raw object, or None."""

    message: AssistantMessage
    finish: Finish
    usage: object
    model: str


class Accumulator:
    """Feed it chunks; ask it for `finished` once the stream has ended.

    A call is executed by the loop only out of `finished`, which exists only when the stream came to
    its terminal event. What `feed` yields is for display.
    """

    def __init__(self, taken_ids: Iterable[str] = ()) -> None:
        """`taken_ids` are the call ids the conversation already uses; new calls get others."""
        self._taken = set(taken_ids)
        self._text = ""
        self._reasoning = ""
        self._calls: list[_Call] = []
        self._slots: dict[int, _Call] = {}
        self._size = 0
        self._finish = ""
        self._usage: object = None
        self._model = ""
        self._fed = self._understood = False

    @property
    def received(self) -> str:
        """The visible text so far."""
        return _whole(self._text)

    @property
    def usage(self) -> object:
        """The provider's raw object, None where it was not told."""
        return self._usage

    def so_far(self) -> AssistantMessage:
        """The message as far as it came, whole or not. Once: its calls get their ids here."""
        calls = tuple(self._whole_call(call) for call in self._calls if call.name or call.arguments)
        return AssistantMessage(self.received, calls, _whole(self._reasoning))

    def feed(self, chunk: object) -> Iterator[Shown]:
        """Take in one chunk. Unknown fields are passed over; MalformedReply when it is absurd."""
        if not isinstance(chunk, Mapping):
            raise MalformedReply("the model's server sent a chunk that is not a JSON object")
        self._fed = True
        data = cast("Chunk", chunk)
        self._model = _string(data.get("model")) or self._model
        choices = data.get("choices")
        first = cast("list[object]", choices)[0] if isinstance(choices, list) and choices else None
        choice = _mapping(first)
        # Usage comes in a chunk of its own, in the last choice (Kimi) or under x_groq.
        groq = _mapping(data.get("x_groq"))
        self._usage = data.get("usage") or choice.get("usage") or groq.get("usage") or self._usage
        if not isinstance(first, Mapping):
            return
        self._understood = True
        # A server that ignores `stream` answers with one whole `message` in place of a delta.
        yield from self._take_delta(_mapping(choice.get("delta") or choice.get("message")))
        self._finish = _string(choice.get("finish_reason")) or self._finish

    def finished(self, *, done: bool) -> Finished:
        """The whole message. `done` says that the stream's own end mark ([DONE]) was seen.

        StreamCut when there is neither a finish reason nor an end mark. With the mark alone, calls
        must be whole JSON objects: some proxies add the mark to a stream that was cut behind them.
        """
        if not self._fed and not done:
            raise StreamCut("the connection was closed before the reply began")
        if not self._understood:
            raise MalformedReply("the model's server answered with something that is not a chat")
        if not self._finish and not (done and all(_is_object(c.arguments) for c in self._calls)):
            raise StreamCut("the reply was cut off before its end", self.received)
        message = self.so_far()
        finish = FINISHES.get(self._finish.lower(), "stop")
        if finish in ("stop", "calls"):  # many servers say "stop" after tool calls
            finish = "calls" if message.calls else "stop"
        return Finished(message, finish, self._usage, self._model)

    def _take_delta(self, delta: Chunk) -> Iterator[Shown]:
        thought = _string(delta.get("reasoning_content") or delta.get("reasoning"))
        if thought:
            self._grow(thought)
            self._reasoning += thought
            yield ReasoningPiece(_whole(thought))
        text = _text(delta.get("content"))
        if text:
            self._grow(text)
            self._text += text
            yield TextPiece(_whole(text))
        calls = delta.get("tool_calls")
        if isinstance(calls, list):
            for part in cast("list[object]", calls):
                if isinstance(part, Mapping):
                    yield self._take_call(cast("Chunk", part))

    def _take_call(self, part: Chunk) -> CallPiece:
        function = _mapping(part.get("function"))
        name = _string(function.get("name"))
        call = self._slot(part, name)
        call.id = call.id or _string(part.get("id"))
        if name != call.name:  # some servers repeat the whole name in every delta
            call.name += name
        arguments = function.get("arguments")
        if isinstance(arguments, Mapping):  # already parsed by the server
            arguments = json.dumps(arguments, ensure_ascii=False)
        call.arguments += self._grow(_string(arguments))
        if len(call.arguments) > MAX_ARGUMENTS:
            raise MalformedReply(f"the arguments of a call are over {MAX_ARGUMENTS} characters")
        return CallPiece(call.name, len(call.arguments))

    def _slot(self, part: Chunk, name: str) -> _Call:
        """The call a delta belongs to. Some servers send no index, or 0 for every call."""
        index, given = part.get("index"), _string(part.get("id"))
        if isinstance(index, int):
            call = self._slots.get(index)
            if call is None or (name and given and call.id and given != call.id):
                call = self._slots[index] = self._new()
            return call
        for call in self._calls:
            if given and call.id == given:
                return call
        return self._calls[-1] if self._calls and not name else self._new()

    def _new(self) -> _Call:
        if len(self._calls) >= MAX_CALLS:
            raise MalformedReply(f"the reply holds over {MAX_CALLS} calls")
        self._calls.append(_Call())
        return self._calls[-1]

    def _grow(self, text: str) -> str:
        self._size += len(text)
        if self._size > MAX_REPLY:
            raise MalformedReply(f"the reply is over {MAX_REPLY} characters")
        return text

    def _whole_call(self, call: _Call) -> ToolCall:
        """The call with an id of its own: nine letters and digits, Mistral refuses other forms."""
        given, number = call.id, len(self._taken)
        while not given or given in self._taken:
            given, number = f"call{number:05d}", number + 1
        self._taken.add(given)
        return ToolCall(given, _whole(call.name.strip()), _arguments(_whole(call.arguments)))


def _text(content: object) -> str:
    """Text, or the text of a list of typed parts."""
    if isinstance(content, list):
        return "".join(_string(_mapping(x).get("text")) for x in cast("list[object]", content))
    return _string(content)


def _mapping(value: object) -> Chunk:
    return cast("Chunk", value) if isinstance(value, Mapping) else {}


def _string(value: object) -> str:
    return value if isinstance(value, str) else ""


def _whole(text: str) -> str:
    """Text that can be written anywhere: halves of surrogate pairs joined, lone ones replaced."""
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _arguments(text: str) -> str:
    """The raw text; a server's way of writing "none" becomes an empty object."""
    return "{}" if text.strip() in ("", '""', "null") else text


def _is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(_arguments(text)), dict)
    except (ValueError, RecursionError):
        return False
