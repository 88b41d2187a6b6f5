"""Every provider litellm knows, through the worker process."""

import re
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from typing import Any

from aoci_agent.agent.models.connection import Timeouts
from aoci_agent.agent.models.faults import Caller, refusal
from aoci_agent.agent.models.litellm_names import key_variable, provider_of
from aoci_agent.agent.models.model import Busy, ContextOverflow, Piece, Request, Usage
from aoci_agent.agent.models.prices import Prices, Table
from aoci_agent.agent.models.reading import END, Account, Dropped, EndMark, read_reply
from aoci_agent.agent.models.wire import conversation, marked_conversation, tools
from aoci_agent.agent.models.worker import Worker
from aoci_agent.base.errors import AgentError


class LitellmModel:
    """One model by its litellm name. `env` is all the worker gets (see litellm_names)."""

    recorded = False

    def __init__(
        self,
        name: str,
        env: Mapping[str, str],
        user_prices: Table | None = None,
        timeouts: Timeouts | None = None,
    ) -> None:
        self.name = name
        variable = key_variable(name)
        caller = Caller(name, provider_of(name), variable, env.get(variable, ""))
        self._account = Account(name, caller, Prices(name, user_prices or {}))
        self._worker = Worker(env, timeouts)

    @property
    def window(self) -> int | None:
        """Context window in tokens, None when unknown."""
        return self._account.prices.window

    def priced(self, usage: Usage) -> Usage:
        """Tokens counted by the caller, with what they cost here."""
        return self._account.prices.priced(usage)

    async def warm(self) -> None:
        """Start the worker and wait until it has imported litellm."""
        await self._worker.ready()

    async def stream(self, request: Request) -> AsyncGenerator[Piece]:
        """One completion, streamed."""
        async with (
            aclosing(self._chunks(request)) as chunks,
            aclosing(read_reply(chunks, request, self._account)) as pieces,
        ):
            async for piece in pieces:
                yield piece

    async def close(self) -> None:
        """End the worker."""
        await self._worker.close()

    def body(self, request: Request) -> dict[str, Any]:
        """The arguments of litellm's completion. Equal requests give equal bytes."""
        claude = "claude" in self.name.lower()
        body: dict[str, Any] = {
            "model": self.name,
            "messages": marked_conversation(request) if claude else conversation(request),
            "max_tokens": request.max_output,
            "stream": True,
            "stream_options": {"include_usage": True},
            "num_retries": 0,
            "max_retries": 0,
        }
        if request.prefix.tools:
            body["tools"] = tools(request.prefix.tools)
        return body | request.extra

    async def _chunks(self, request: Request) -> AsyncGenerator[Mapping[str, Any] | EndMark]:
        shown = False
        async with aclosing(self._worker.ask(self.body(request))) as messages:
            async for message in messages:
                if "error" in message:
                    raise self._failure(message["error"], shown=shown)
                if "chunk" in message:
                    shown = True
                    yield message["chunk"]
        yield END

    def _failure(self, error: Mapping[str, Any], *, shown: bool) -> AgentError | Dropped:
        """litellm's exception, as the worker described it."""
        caller = self._account.caller
        # "litellm.RateLimitError: AnthropicException - {json}": the provider's words come last.
        body = re.sub(r"^(litellm\.)?\w+: (\w+ - )?", "", str(error["message"]))
        body = re.sub(r"^b'(.*)'$", r"\1", body, flags=re.DOTALL)  # a bytes body, printed as such
        if error["kind"] == "ContextWindowExceededError":
            return ContextOverflow(f"the request is longer than {self.name} can read")
        mapped = refusal(int(error["status"]), body, caller, error["headers"])
        if shown and isinstance(mapped, Busy):
            return Dropped(str(mapped))
        return mapped
