"""The common part of models that wrap another one."""

from aoci_agent.agent.models.model import Model, Usage, Warmable


class Wrapper:
    """Passes everything on but `stream`, which a wrapper brings itself."""

    def __init__(self, inner: Model) -> None:
        self.inner = inner

    @property
    def name(self) -> str:
        """The name the user chose."""
        return self.inner.name

    @property
    def window(self) -> int | None:
        """Context window in tokens, None when unknown."""
        return self.inner.window

    @property
    def recorded(self) -> bool:
        """Whether replies come from a recording."""
        return self.inner.recorded

    def priced(self, usage: Usage) -> Usage:
        """Tokens counted by the caller, with what they cost here."""
        return self.inner.priced(usage)

    async def warm(self) -> None:
        """Warm the wrapped model up, if it can be."""
        await warm(self.inner)

    async def close(self) -> None:
        """Close the wrapped model."""
        await self.inner.close()


async def warm(model: Model) -> None:
    """Prepare a model (imports, child process) before its first request; nothing if it needs none."""
    if isinstance(model, Warmable):
        await model.warm()
