"""Server-sent events from bytes: the payloads of `data:` lines, nothing else."""

from collections.abc import Iterator

from aoci_agent.agent.models.model import MalformedReply

MAX_LINE = 16_000_000  # bytes

DONE = b"[DONE]"


class EventReader:
    """Splits on line feeds only: JSON may hold U+2028, which str.splitlines would break at.

    One `data:` line is one event; chat completion servers never spread one over lines.
    """

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Payloads completed by these bytes."""
        *lines, self._rest = (self._rest + data).split(b"\n")
        if len(self._rest) > MAX_LINE:
            raise MalformedReply(f"the model's server sent a line over {MAX_LINE} bytes")
        for line in lines:
            yield from _payload(line)

    def end(self) -> Iterator[bytes]:
        """What is left when the connection closed: an end mark may lack its line feed."""
        yield from _payload(self._rest)


def _payload(line: bytes) -> Iterator[bytes]:
    if line.startswith(b"data:"):
        payload = line[5:].strip()
        if payload:
            yield payload
