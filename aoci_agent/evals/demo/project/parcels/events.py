"""What happened to orders, for whoever wants to know."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Event:
    """One fact: which order, and what was done to it."""

    order_id: int
    what: str


class EventLog:
    """Keeps every event and tells the listeners at once."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self._listeners: list[Callable[[Event], None]] = []

    def listen(self, listener: Callable[[Event], None]) -> None:
        self._listeners.append(listener)

    def tell(self, order_id: int, what: str) -> None:
        event = Event(order_id, what)
        self.events.append(event)
        for listener in self._listeners:
            listener(event)
