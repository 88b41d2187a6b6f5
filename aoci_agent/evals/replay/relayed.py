"""The bytes of an answer on their way to an agent, read as they pass."""

from aoci_agent.agent.models.connection import DONE
from aoci_agent.evals.replay.exchange import Reading, parsed


class Relayed:
    """One answer. `hides_usage`: the event that only tells the usage was asked for by us, and stays here."""

    def __init__(self, reading: Reading, *, streamed: bool, hides_usage: bool) -> None:
        self._reading = reading
        self._hides = hides_usage
        self._rest = b""  # of a line that is not whole yet
        self._hidden = False  # the line before was kept back: so is the empty one behind it
        self._body = bytearray()
        self.streamed = streamed
        self.count = 0  # bytes that came
        self._finished = False  # the stream said that it is whole

    @property
    def text(self) -> str:
        """Of an answer that is no stream."""
        return self._body.decode("utf-8", "replace")

    @property
    def broke(self) -> bool:
        """A chat completion whose stream ended before its end, without a word."""
        chat = self.streamed and self._reading.api == "chat"
        return chat and not self._finished and not self._reading.usage

    def take(self, data: bytes) -> bytes:
        """What is to be sent on of the bytes that came."""
        self.count += len(data)
        if not self.streamed:
            self._body += data
            return data
        *lines, self._rest = (self._rest + data).split(b"\n")
        kept = [line + b"\n" for line in lines if self._passes(line)]
        return b"".join(kept) if self._hides else data

    def end(self) -> bytes:
        """Nothing more comes: what is left to be sent on."""
        if not self.streamed:
            self._reading.whole(parsed(bytes(self._body)))
            return b""
        rest, self._rest = self._rest, b""
        passes = not rest or self._passes(rest)
        return rest if self._hides and passes else b""

    def _passes(self, line: bytes) -> bool:
        if not line.startswith(b"data:"):
            behind, self._hidden = self._hidden and not line.strip(), False
            return not behind
        payload = line[5:].strip()
        self._hidden = False
        self._finished |= payload == DONE
        event = parsed(payload)
        self._reading.event(event)
        self._hidden = self._hides and event.get("choices") == [] and bool(event.get("usage"))
        return not self._hidden
