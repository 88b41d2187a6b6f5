"""A provider on loopback with a real prefix cache: it counts what arrives and says what it read.

How it counts, in o200k_base tokens: the tools as compact JSON of their `function` objects; then each
message, of whatever role, as 3 tokens before and 1 after the text of its blocks, each block counted
by itself; a call is its name and arguments, directly after the text. Nothing else of the body counts.
A mark stands at the end of its block's text, so the 1 after a marked newest message stays fresh.
"""

import json
from collections.abc import AsyncGenerator, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Literal

import tiktoken
from support.endpoint import (
    Answer,
    FakeEndpoint,
    Json,
    Seen,
    call_delta,
    delta,
    events,
    refuses,
    running,
    usage_chunk,
)
from support.prefix_cache import AutomaticCache, Laid, Mark, MarkedCache, Refused, Split

from aoci_agent.base import tokens

ROLES = ("system", "user", "assistant", "tool")
BEFORE, AFTER = 3, 1  # tokens around a message


@dataclass(frozen=True)
class Said:
    """One scripted reply. `usage`: whether it ends with one; `cut`: it breaks off after its text."""

    text: str = ""
    calls: Sequence[tuple[str, Json]] = ()
    usage: bool = True
    cut: bool = False


@dataclass(frozen=True)
class Charged:
    """One request as the provider saw it."""

    split: Split
    output: int
    model: str
    raw: bytes


@dataclass(eq=False)
class CachingProvider(FakeEndpoint):
    """Answers from `script`, in order. `now` is its clock, in seconds; `ttl` what a bare mark means."""

    kind: Literal["automatic", "marked"] = "automatic"
    ttl: str = "5m"
    script: list[Said] = field(default_factory=list[Said])
    charged: list[Charged] = field(default_factory=list[Charged])
    now: float = 0.0

    def __post_init__(self) -> None:
        super().__init__()
        self._cache = AutomaticCache() if self.kind == "automatic" else MarkedCache()
        self._calls = 0

    def answer_to(self, seen: Seen) -> Answer:
        body = seen.body
        if not self.script:
            return refuses(400, "the script of this provider is over")
        said = self.script.pop(0)
        try:
            split = self._cache.take(body["model"], laid_out(body, self.ttl), self.now)
        except Refused as refusal:
            return refuses(400, str(refusal))
        written = said.text + "".join(name + json.dumps(given) for name, given in said.calls)
        self.charged.append(Charged(split, tokens.count(written), body["model"], seen.raw))
        return self._streamed(said, self._usage(self.charged[-1]) if said.usage else None)

    def _streamed(self, said: Said, usage: Json | None) -> Answer:
        chunks = [delta(content=said.text)] if said.text else []
        for place, (name, given) in enumerate(said.calls):
            self._calls += 1
            chunks.append(call_delta(place, name, "", f"call_{self._calls}"))
            chunks.append(call_delta(place, None, json.dumps(given)))
        if said.cut:
            body = events(*chunks, done=False)
            return Answer(body + b"data: {", cut=len(body) + 3, chunked=True)
        chunks.append(delta("tool_calls" if said.calls else "stop"))
        return Answer(events(*chunks, *([usage_chunk(usage)] if usage else [])))

    def _usage(self, charged: Charged) -> Json:
        split, output = charged.split, charged.output
        told: Json = {"cached_tokens": split.read, "audio_tokens": 0}
        usage: Json = {
            "prompt_tokens": split.prompt,
            "completion_tokens": output,
            "total_tokens": split.prompt + output,
            "prompt_tokens_details": told,
            "completion_tokens_details": {"reasoning_tokens": 0, "audio_tokens": 0},
        }
        if self.kind == "marked":
            told["cache_creation_tokens"] = split.write_5m + split.write_1h
            told["cache_creation_token_details"] = {
                "ephemeral_5m_input_tokens": split.write_5m,
                "ephemeral_1h_input_tokens": split.write_1h,
            }
        return usage


@asynccontextmanager
async def providing(
    kind: Literal["automatic", "marked"] = "automatic", *script: Said, ttl: str = "5m"
) -> AsyncGenerator[CachingProvider]:
    """A running CachingProvider."""
    async with running(CachingProvider(kind=kind, ttl=ttl, script=list(script))) as provider:
        yield provider


def laid_out(body: Json, ttl: str = "5m") -> Laid:
    """A request body as the tokens the model reads. `ttl` is that of a mark which names none."""
    layout = _Layout(ttl)
    offered = [tool["function"] for tool in body.get("tools", ())]
    if offered:
        layout.ids += encoded(json.dumps(offered, separators=(",", ":")))
        layout.blocks += [len(layout.ids)] * len(offered)
    for message in body["messages"]:
        layout.message(message)
    return Laid(layout.ids, layout.blocks, layout.marks)


@dataclass
class _Layout:
    ttl: str
    ids: list[int] = field(default_factory=list[int])
    blocks: list[int] = field(default_factory=list[int])
    marks: list[Mark] = field(default_factory=list[Mark])

    def message(self, message: Json) -> None:
        role = ROLES.index(message["role"])
        self.ids += [-1, -10 - role, -2]
        made = message.get("tool_calls", ())
        blocks = _blocks(message.get("content"), _written(made))
        for block in blocks:
            self.ids += encoded(block["text"])
            self.blocks.append(len(self.ids))
            mark = block.get("cache_control")
            if mark is not None:
                ttl = mark.get("ttl", self.ttl)
                self.marks.append(Mark(len(self.ids), len(self.blocks), ttl))
        self.ids.append(-3)
        # Each call is a block of its own where blocks are counted.
        self.blocks += self.blocks[-1:] * (len(made) - (not message.get("content")))


def _written(made: Iterable[Json]) -> str:
    return "".join(call["function"]["name"] + call["function"]["arguments"] for call in made)


def _blocks(content: object, after: str) -> list[dict[str, Any]]:
    """The text blocks of a message, its calls as text at the end of the last one."""
    if isinstance(content, list):
        blocks: list[dict[str, Any]] = [dict(block) for block in content]  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    else:
        blocks = [{"text": content or ""}]
    blocks[-1]["text"] += after
    return blocks


@lru_cache(maxsize=4096)
def encoded(text: str) -> tuple[int, ...]:
    """The token ids of a text."""
    assert tokens.exact(), "the tokenizer is not installed"
    # Loaded by the line above from a file that is there; by itself it would ask the network.
    return tuple(tiktoken.get_encoding("o200k_base").encode_ordinary(text))
