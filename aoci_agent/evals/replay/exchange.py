"""What goes between an agent and a model, read for the record: chat completions, Responses, Messages.

Nothing here changes what is sent. What cannot be read is left out of the record.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal, cast

from pydantic import BaseModel, ConfigDict, ValidationError

from aoci_agent.agent.models.accumulate import Accumulator
from aoci_agent.agent.models.model import MalformedReply
from aoci_agent.evals.replay.cell import Spent, Tokens

Json = Mapping[str, Any]
Api = Literal["chat", "responses", "messages", "other"]
Ended = Literal["whole", "cut", "refused", "unreachable", "budget"]
PATHS: Mapping[str, Api] = {
    "/chat/completions": "chat",
    "/responses": "responses",
    "/messages": "messages",
}
REQUESTS = "requests.jsonl"
LONGEST = 20_000  # characters kept of one text


class Called(BaseModel):
    """A call of a tool, as the model wrote it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    arguments: str = ""
    id: str = ""


class Said(BaseModel):
    """A message; `answers` is the id of the call whose result it is."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    role: str
    text: str = ""
    answers: str = ""
    calls: tuple[Called, ...] = ()


class Exchange(BaseModel):
    """One request and what became of it: a line of `requests.jsonl`. No header is in it, and no key."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    number: int
    at: float  # seconds since 1970
    api: Api
    path: str
    model: str = ""
    asked: str = ""  # the model the agent named, where it was another one
    status: int = 0
    ended: Ended = "whole"
    message: str = ""  # of an error
    seconds: float = 0.0
    sent: int = 0  # bytes
    received: int = 0
    streamed: bool = False
    messages: int = 0  # in the request
    told: tuple[Said, ...] = ()  # those after the model's newest one
    reply: Said | None = None
    usage: Tokens | None = None  # as the endpoint said it
    dollars: float | None = None

    @property
    def step(self) -> bool:
        """A call of the model that was answered, or begun to be."""
        return self.api != "other" and self.ended in ("whole", "cut")


def exchanges_in(log: Path) -> Iterator[Exchange]:
    """The lines of a `requests.jsonl`; none where there is none. A line that a crash tore is left out."""
    if log.exists():
        for line in log.read_bytes().splitlines():
            with suppress(ValidationError):
                yield Exchange.model_validate_json(line)


def spent_on(exchanges: Iterable[Exchange]) -> Spent:
    """By all calls of the model; None as soon as one did not say it."""
    steps = (one for one in exchanges if one.step)
    return sum((Spent(tokens=one.usage, dollars=one.dollars) for one in steps), Spent())


class Reading:
    """An answer as it comes: `event` takes those of a stream, `whole` one that came at once.

    What the other two say is read as the chunks of a chat completion that would say the same.
    """

    def __init__(self, api: Api) -> None:
        self.api = api
        self._gathered = Accumulator()
        self._told: dict[str, Any] = {}  # usage of Responses and Messages
        self._items_told = 0  # of Responses
        self.over = api == "other"  # the answer's own end was seen

    @property
    def usage(self) -> Json:
        """Raw, as far as it was told; nothing for an answer that did not come to its end."""
        return (self._told or mapping(self._gathered.usage)) if self.over else {}

    def reply(self) -> Said | None:
        """What the model said, as far as it came."""
        said = self._gathered.so_far()
        calls = tuple(
            Called(name=call.name, arguments=call.arguments[:LONGEST], id=call.id)
            for call in said.calls
        )
        text = said.text[:LONGEST]
        return Said(role="assistant", text=text, calls=calls) if text or calls else None

    def event(self, data: Json) -> None:
        """One event of a stream."""
        if self.api == "chat":
            self._chat(data)
        elif self.api == "messages":
            self._messages_event(data)
        elif data.get("type") == "response.output_item.done":
            self._output(mapping(data.get("item")))
        elif data.get("type") in _LAST:  # some servers do not tell the items again
            told = mapping(data.get("response"))
            self.whole({**told, "output": []} if self._items_told else told)

    def whole(self, data: Json) -> None:
        """A whole answer."""
        if self.api == "chat":
            self._chat(data)
        elif self.api == "responses":
            for item in _items(data.get("output")):
                self._output(item)
        elif self.api == "messages":
            for at, block in enumerate(_items(data.get("content"))):
                self._block(at, block)
        if self.api != "chat":
            self._use(data.get("usage"))
        self.over |= bool(data)

    def _use(self, raw: object) -> None:
        """Later figures replace earlier ones: Messages tell the prompt first, the output last."""
        self._told |= {name: value for name, value in mapping(raw).items() if value is not None}

    def _chat(self, data: Json) -> None:
        with suppress(MalformedReply):  # the record has what came before it
            for _ in self._gathered.feed(data):
                pass
        choices = _items(data.get("choices"))
        ended = choices[0].get("finish_reason") if choices else data.get("usage")
        self.over |= bool(ended)

    def _say(self, **delta: object) -> None:
        self._chat({"choices": [{"delta": delta}]})

    def _call(self, at: int, call_id: object, name: object, arguments: object) -> None:
        function = {"name": name, "arguments": arguments}
        self._say(tool_calls=[{"index": at, "id": call_id, "function": function}])

    def _output(self, item: Json) -> None:
        """An item of Responses."""
        self._items_told += 1
        if item.get("type") == "message":
            self._say(content=item.get("content"))
        elif "name" in item or "action" in item:
            given = item.get("arguments", item.get("input", item.get("action", "")))
            name = item.get("name", item.get("type"))
            self._call(self._items_told, item.get("call_id"), name, given)

    def _messages_event(self, data: Json) -> None:
        at = data.get("index")
        index = at if isinstance(at, int) else 0
        match data.get("type"):
            case "message_start":
                self._use(mapping(data.get("message")).get("usage"))
            case "content_block_start":
                block = mapping(data.get("content_block"))
                self._block(index, {**block, "input": ""} if "input" in block else block)
            case "content_block_delta":
                delta = mapping(data.get("delta"))
                self._say(content=delta.get("text"))
                if "partial_json" in delta:
                    self._call(index, None, None, delta["partial_json"])
            case "message_delta":
                self._use(data.get("usage"))
                self.over = True
            case _:
                pass

    def _block(self, at: int, block: Json) -> None:
        """A block of Messages."""
        if block.get("type") == "tool_use":
            self._call(at, block.get("id"), block.get("name"), block.get("input"))
        else:
            self._say(content=block.get("text"))


_LAST = ("response.completed", "response.incomplete", "response.failed")


def told_of(api: Api, body: Json) -> tuple[int, tuple[Said, ...]]:
    """How many messages a request has, and those that came after the model's newest one."""
    name = "input" if api == "responses" else "messages"
    given: object = body.get(name)
    if isinstance(given, str):
        return 1, (Said(role="user", text=given[:LONGEST]),)
    items = _items(given)
    own = [at for at, item in enumerate(items) if _of_model(item)]
    new = items[own[-1] + 1 :] if own else items
    return len(items), tuple(said for item in new for said in _said(item))


def _of_model(item: Json) -> bool:
    kind = str(item.get("type", ""))
    return item.get("role") == "assistant" or kind.endswith("_call") or kind == "reasoning"


def _said(item: Json) -> list[Said]:
    role, content = str(item.get("role", "tool")), item.get("content", item.get("output"))
    answers = str(item.get("tool_call_id", item.get("call_id", "")))
    results = [block for block in _items(content) if block.get("type") == "tool_result"]
    found = [
        Said(
            role="tool",
            text=text_of(block.get("content"))[:LONGEST],
            answers=str(block.get("tool_use_id", "")),
        )
        for block in results
    ]
    text = text_of(content)[:LONGEST]
    return [*found, Said(role=role, text=text, answers=answers)] if text or not found else found


def text_of(content: object) -> str:
    """The text of a message, whose content is one text or a list of blocks."""
    if isinstance(content, str):
        return content
    return "\n".join(str(block["text"]) for block in _items(content) if "text" in block)


def mapping(value: object) -> Json:
    """It, or nothing."""
    return cast("Json", value) if isinstance(value, Mapping) else {}


def parsed(data: bytes) -> Json:
    """A JSON object, or nothing."""
    try:
        return mapping(json.loads(data))
    except (ValueError, RecursionError):
        return {}


def _items(value: object) -> list[Json]:
    return (
        [mapping(item) for item in cast("list[object]", value)] if isinstance(value, list) else []
    )
