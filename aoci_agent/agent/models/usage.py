"""What a provider says a call used, in whatever shape it says so, as buckets that never overlap."""

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple, TypeGuard, cast

from aoci_agent.agent.models.model import Provenance, Request, Usage
from aoci_agent.policies.conversation import AssistantMessage

Raw = Mapping[str, Any]

TICKS: Final = 10_000_000_000  # xAI counts money in these parts of a dollar


class _Counted(NamedTuple):
    """The buckets before they are checked; `prompt` contains what was read and written."""

    prompt: int = 0
    read: int = 0
    write: int = 0
    hour: int = 0  # of `write`
    output: int = 0
    reasoning: int = 0  # of `output`


def normalise(raw: object) -> Usage | None:
    """Read a raw usage object; `cost` is the provider's own figure.

    Known are the shapes of chat completions (OpenAI, OpenRouter, DeepSeek, Groq, Kimi, Mistral, xAI,
    and litellm's for all others), the Responses API, Anthropic, Gemini and Bedrock. None when no
    prompt was counted: the caller estimates.
    """
    usage = _mapping(raw)
    counted = _reader(usage)(usage)
    if not (counted.prompt or counted.read or counted.write):
        return None
    cost = _cost(usage)
    return Usage(
        fresh=max(0, counted.prompt - counted.read - counted.write),
        cache_read=counted.read,
        cache_write=counted.write,
        cache_write_1h=min(counted.write, counted.hour),
        output=counted.output,
        reasoning=min(counted.output, counted.reasoning),
        cost=cost,
        cost_from=Provenance.UNKNOWN if cost is None else Provenance.MEASURED,
        price_from="" if cost is None else "provider",
    )


def estimated(request: Request, message: AssistantMessage) -> Usage:
    """Counted locally, the prompt as the gauge counts it, and not split: the meter does that."""
    from aoci_agent.agent.ledger import Ledger
    from aoci_agent.base import tokens

    written = message.text + "".join(call.name + call.arguments for call in message.calls)
    reasoning = tokens.count(message.reasoning) if message.reasoning else 0
    return Usage(
        fresh=sum(Ledger().parts(request).values()),
        output=tokens.count(written) + reasoning,
        reasoning=reasoning,
        tokens_from=Provenance.ESTIMATED,
    )


def _reader(usage: Raw) -> Callable[[Raw], _Counted]:
    if "promptTokenCount" in usage or "prompt_token_count" in usage:
        return _gemini
    if "inputTokens" in usage:
        return _bedrock
    if "input_tokens" in usage and "prompt_tokens" not in usage:
        return _responses if "input_tokens_details" in usage else _anthropic
    return _chat


def _chat(usage: Raw) -> _Counted:
    """A chat completion's. The prompt total contains cache reads and writes (litellm: also for
    Anthropic; measured with 1.110.2), unless the grand total says otherwise.
    """
    told = _mapping(usage.get("prompt_tokens_details"))
    hit = _count(usage, "prompt_cache_hit_tokens")  # DeepSeek
    prompt = _count(usage, "prompt_tokens") or hit + _count(usage, "prompt_cache_miss_tokens")
    read = _count(told, "cached_tokens") or _count(
        usage,
        *("cache_read_input_tokens", "prompt_cache_hit_tokens"),
        *("cached_tokens", "num_cached_tokens"),  # Kimi, Mistral
    )
    short, hour = _lifetimes(_mapping(told.get("cache_creation_token_details")))
    if not short + hour:
        short, hour = _lifetimes(_mapping(usage.get("cache_creation")))
    write = (
        _count(told, "cache_creation_tokens", "cache_write_tokens")
        or _count(usage, "cache_creation_input_tokens")
        or short + hour
    )
    output = _count(usage, "completion_tokens")
    thought = _count(_mapping(usage.get("completion_tokens_details")), "reasoning_tokens")
    beyond = _count(usage, "total_tokens") - prompt - output
    if thought and beyond in (thought, thought + read + write):  # xAI: reasoning is not inside
        output, beyond = output + thought, beyond - thought
    if beyond > 0 and beyond == read + write:  # relays that keep Anthropic's way of counting
        prompt += read + write
    return _Counted(prompt, read, write, hour, output, thought)


def _responses(usage: Raw) -> _Counted:
    """The Responses API's: the input contains what was cached."""
    told = _mapping(usage.get("input_tokens_details"))
    wrote = _mapping(usage.get("output_tokens_details"))
    return _Counted(
        _count(usage, "input_tokens"),
        _count(told, "cached_tokens"),
        _count(told, "cache_write_tokens", "cache_creation_tokens"),
        0,
        _count(usage, "output_tokens"),
        _count(wrote, "reasoning_tokens"),
    )


def _anthropic(usage: Raw) -> _Counted:
    """Anthropic's own: the input is only what was neither read nor written."""
    read = _count(usage, "cache_read_input_tokens")
    short, hour = _lifetimes(_mapping(usage.get("cache_creation")))
    write = _count(usage, "cache_creation_input_tokens") or short + hour
    wrote = _mapping(usage.get("output_tokens_details"))
    thought = _count(wrote, "thinking_tokens", "reasoning_tokens")
    prompt = _count(usage, "input_tokens") + read + write
    return _Counted(prompt, read, write, hour, _count(usage, "output_tokens"), thought)


def _bedrock(usage: Raw) -> _Counted:
    """Bedrock's Converse: as Anthropic's, and lifetimes as a list."""
    read = _count(usage, "cacheReadInputTokens", "cacheReadInputTokenCount")
    write = _count(usage, "cacheWriteInputTokens", "cacheWriteInputTokenCount")
    details: object = usage.get("cacheDetails")
    rows = cast("list[object]", details) if isinstance(details, list) else []
    hour = sum(
        _count(row, "inputTokens") for row in map(_mapping, rows) if row.get("ttl") in ("1h", "12h")
    )
    prompt = _count(usage, "inputTokens") + read + write
    return _Counted(prompt, read, write, hour, _count(usage, "outputTokens"))


def _gemini(usage: Raw) -> _Counted:
    """Gemini's: the prompt contains what was cached, the candidates not the thoughts.

    Some models count the thoughts among the candidates; then the total has no room for them.
    """
    prompt = _count(usage, "promptTokenCount", "prompt_token_count")
    prompt += _count(usage, "toolUsePromptTokenCount", "tool_use_prompt_token_count")
    said = _count(usage, "candidatesTokenCount", "candidates_token_count")
    thought = _count(usage, "thoughtsTokenCount", "thoughts_token_count")
    inside = _count(usage, "totalTokenCount", "total_token_count") == prompt + said
    return _Counted(
        prompt,
        _count(usage, "cachedContentTokenCount", "cached_content_token_count"),
        output=said if inside else said + thought,
        reasoning=thought,
    )


def _lifetimes(told: Raw) -> tuple[int, int]:
    """Tokens written for minutes, and for an hour or longer."""
    return (
        _count(told, "ephemeral_5m_input_tokens"),
        _count(told, "ephemeral_1h_input_tokens"),
    )


def _cost(usage: Raw) -> float | None:
    """Dollars the provider named. With a key of one's own OpenRouter's `cost` is only its fee."""
    ticks, cost = usage.get("cost_in_usd_ticks"), usage.get("cost")
    if isinstance(cost, Mapping):  # Perplexity
        cost = _mapping(cast("object", cost)).get("total_cost")
    if not is_figure(cost):
        return ticks / TICKS if is_figure(ticks) else None
    upstream = _mapping(usage.get("cost_details")).get("upstream_inference_cost")
    if usage.get("is_byok") is True and is_figure(upstream):
        return float(cost + upstream)
    return float(cost)


def _count(usage: Raw, *names: str) -> int:
    """The first of these that counts anything, else 0: providers send null, floats, even text."""
    figures = (usage.get(name) for name in names)
    return next((int(figure) for figure in figures if is_figure(figure) and figure), 0)


def is_figure(value: object) -> TypeGuard[int | float]:
    """Whether what was read can be tokens, dollars or seconds: a finite number, not below 0."""
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 1e15


def _mapping(value: object) -> Raw:
    return cast("Raw", value) if isinstance(value, Mapping) else {}
