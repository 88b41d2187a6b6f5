"""What a cancelled piece of work had come to: it travels in the arguments of its CancelledError.

Not in a class derived from it: `asyncio.timeout` takes only the exact type for its own doing.
"""

import asyncio
from typing import TypeVar

T = TypeVar("T")


def carried(cut: asyncio.CancelledError, kind: type[T]) -> tuple[T, ...]:
    """What a cancellation carries of this kind."""
    return tuple(one for one in cut.args if isinstance(one, kind))
