"""The common part of models that wrap another one."""

from aoci_agent.agent.models.model import Model, Usage, Warmable


class Wrapper:
    """Passes everything on but `stream`, which a wrapper brings itself."""

    def __init__(self, inner: Model) -> None:
        self.inner = inner

    @property
    def name(self) -> str:
        return self.inner.name

    @property
    def window(self) -> int | None:
        return self.inner.window

    @property
    def recorded(self) -> bool:
        return self.inner.recorded

    def priced(self, usage: Usage) -> Usage:
        return self.inner.priced(usage)

    async def warm(self) -> None:
        await warm(self.inner)

    async def close(self) -> None:
        await self.inner.close()


async def warm(model: Model) -> None:
    """Prepare a model (imports, child process) before its first request; nothing if it needs none."""
    if isinstance(model, Warmable):
        await model.warm()
