"""Provider usage, in any of its shapes, as buckets that never overlap."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from aoci_agent.agent.models.model import Provenance, Request, Usage
from aoci_agent.agent.models.wire import request_parts
from aoci_agent.policies.conversation import AssistantMessage

Raw = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Counted:
    """Buckets of one call. `write_1h` is the part of `cache_write` with the dearer lifetime."""

    fresh: int
    cache_read: int
    cache_write: int
    output: int
    reasoning: int
    write_1h: int = 0
    cost: float | None = None  # in dollars, when the provider said it

    def usage(self) -> Usage:
        """The buckets with no price yet, or the provider's own price."""
        return Usage(
            fresh=self.fresh,
            cache_read=self.cache_read,
            cache_write=self.cache_write,
            output=self.output,
            reasoning=self.reasoning,
            cost=self.cost,
            cost_from=Provenance.UNKNOWN if self.cost is None else Provenance.MEASURED,
        )


def normalise(raw: object) -> Counted | None:
    """Read OpenAI, litellm, Anthropic, Responses, Gemini, DeepSeek and OpenRouter usage.

    None when there is nothing usable: the caller estimates. Except for Anthropic's own shape the
    prompt total contains cache reads and writes, so fresh = prompt - read - write, never below 0
    (litellm: also for Anthropic; measured with 1.110.2).
    """
    if not isinstance(raw, Mapping):
        return None
    usage = cast("Raw", raw)
    if "promptTokenCount" in usage or "candidatesTokenCount" in usage:
        return _gemini(usage)
    if "prompt_tokens" not in usage and _is_anthropic(usage):
        return _anthropic(usage)
    return _contained(usage)


def estimated(request: Request, message: AssistantMessage) -> Usage:
    """Counted locally: no provider usage came. All of the prompt counts as fresh, marked `~`."""
    from aoci_agent.base import tokens

    written = message.text + "".join(call.name + call.arguments for call in message.calls)
    reasoning = tokens.count(message.reasoning) if message.reasoning else 0
    return Usage(
        fresh=sum(tokens.count(part) for part in request_parts(request)),
        output=tokens.count(written) + reasoning,
        reasoning=reasoning,
        tokens_from=Provenance.ESTIMATED,
    )


def _contained(usage: Raw) -> Counted | None:
    """Chat completions and Responses: the prompt total contains what was cached."""
    prompt = _first(usage, "prompt_tokens", "input_tokens")
    output = _first(usage, "completion_tokens", "output_tokens")
    if prompt is None and output is None:
        return None
    told = _inner(usage, "prompt_tokens_details", "input_tokens_details")
    wrote = _inner(usage, "completion_tokens_details", "output_tokens_details")
    read = (
        _first(told, "cached_tokens")
        or _first(usage, "cache_read_input_tokens", "prompt_cache_hit_tokens", "cached_tokens")
        or 0
    )
    write = (
        _first(told, "cache_creation_tokens", "cache_write_tokens")
        or _first(usage, "cache_creation_input_tokens")
        or 0
    )
    return _counted(
        prompt=prompt or 0,
        read=read,
        write=write,
        output=output or 0,
        reasoning=_first(wrote, "reasoning_tokens") or 0,
        usage=usage,
    )


def _anthropic(usage: Raw) -> Counted:
    """Anthropic's own shape: input_tokens is the fresh part alone."""
    fresh = _first(usage, "input_tokens") or 0
    read = _first(usage, "cache_read_input_tokens") or 0
    write = _first(usage, "cache_creation_input_tokens") or 0
    return _counted(
        prompt=fresh + read + write,
        read=read,
        write=write,
        output=_first(usage, "output_tokens") or 0,
        reasoning=0,
        usage=usage,
    )


def _gemini(usage: Raw) -> Counted:
    """Gemini: thoughts are counted beside the answer, the cached part inside the prompt."""
    thoughts = _first(usage, "thoughtsTokenCount") or 0
    prompt = _first(usage, "promptTokenCount") or 0
    return _counted(
        prompt=prompt + (_first(usage, "toolUsePromptTokenCount") or 0),
        read=_first(usage, "cachedContentTokenCount") or 0,
        write=0,
        output=(_first(usage, "candidatesTokenCount") or 0) + thoughts,
        reasoning=thoughts,
        usage=usage,
    )


def _counted(
    *, prompt: int, read: int, write: int, output: int, reasoning: int, usage: Raw
) -> Counted:
    by_lifetime = _inner(usage, "cache_creation") or _inner(
        _inner(usage, "prompt_tokens_details"), "cache_creation_token_details"
    )
    return Counted(
        fresh=max(0, prompt - read - write),
        cache_read=read,
        cache_write=write,
        output=output,
        reasoning=min(reasoning, output),
        write_1h=min(write, _first(by_lifetime, "ephemeral_1h_input_tokens") or 0),
        cost=_cost(usage.get("cost")),
    )


def _is_anthropic(usage: Raw) -> bool:
    keys = ("cache_read_input_tokens", "cache_creation_input_tokens", "cache_creation")
    return "input_tokens" in usage and any(key in usage for key in keys)


def _inner(usage: Raw, *names: str) -> Raw:
    for name in names:
        value = usage.get(name)
        if isinstance(value, Mapping):
            return cast("Raw", value)
    return {}


def _first(usage: Raw, *names: str) -> int | None:
    """The first of these that is a count; providers send null, floats and, rarely, text."""
    for name in names:
        value = usage.get(name)
        if isinstance(value, int | float) and not isinstance(value, bool) and value >= 0:
            return int(value)
    return None


def _cost(value: object) -> float | None:
    if isinstance(value, int | float) and not isinstance(value, bool) and value >= 0:
        return float(value)
    return None
