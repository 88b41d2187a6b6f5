"""What tests of the program as a whole share: an endpoint on loopback."""

from collections.abc import AsyncGenerator

import pytest
from support.endpoint import FakeEndpoint, serving


@pytest.fixture
async def endpoint() -> AsyncGenerator[FakeEndpoint]:
    async with serving() as server:
        yield server
