"""The model of a session that has none yet: everything but asking works."""

from collections.abc import AsyncGenerator

from aoci_agent.agent.models.model import Piece, Request, Usage
from aoci_agent.base.errors import ModelUnavailable

HINT = (
    "set a key (ANTHROPIC_API_KEY, OPENAI_API_KEY, ...) and choose with --model NAME or /model NAME, "
    "or start a local server (Ollama, LM Studio, llama.cpp); `aoci-agent demo` needs neither"
)


class NoModel:
    """Refuses to answer, naming the way out."""

    name = ""
    window: int | None = None
    recorded = False

    def priced(self, usage: Usage) -> Usage:
        """No price."""
        return usage

    async def stream(self, request: Request) -> AsyncGenerator[Piece]:
        """Raise ModelUnavailable."""
        raise ModelUnavailable("no model is chosen", HINT)
        yield  # pragma: no cover - makes this an async generator

    async def close(self) -> None:
        """Nothing to release."""
