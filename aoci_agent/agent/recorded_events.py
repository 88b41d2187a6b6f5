"""A session's record read back as events, to be looked at again: nothing is run."""

from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, get_args

from pydantic import TypeAdapter, ValidationError

from aoci_agent.agent.events import Event, Grew
from aoci_agent.agent.record import read_record

_KINDS: Mapping[str, type[Any]] = {
    kind.__name__: kind for kind in get_args(Event) if kind is not Grew
}


def recorded_events(record: Path) -> Iterator[Event]:
    """The events of a record, oldest first. Those of other versions that cannot be read are left out."""
    for data in read_record(record):
        event = event_from(data)
        if event is not None:
            yield event


def event_from(data: Mapping[str, Any]) -> Event | None:
    """One event from its JSON; None for a kind that nobody is shown, or one that does not fit.

    What a rewriting left of the conversation is not read: a person is told that it happened.
    """
    name = str(data.get("type"))
    if name not in _KINDS:
        return None
    if name == "HistoryRewritten":
        data = {**data, "messages": ()}
    try:
        return _reader(name).validate_python(data)
    except ValidationError:
        return None


@cache
def _reader(name: str) -> TypeAdapter[Any]:
    return TypeAdapter(_KINDS[name])
