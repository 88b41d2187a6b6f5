"""The bytes of an answer on their way to an agent, read as they pass."""

from aoci_agent.agent.models.connection import DONE
from aoci_agent.evals.replay.exchange import Reading, parsed

MOST = 32_000_000  # bytes of an answer, or of one event of it, that are kept to be read


class Relayed:
    """One answer. `hides_usage`: the event that only tells the usage was asked for by us, and stays here.

    What is too long to be read is passed on all the same, and is not known to be whole.
    """

    def __init__(self, reading: Reading, *, streamed: bool, hides_usage: bool) -> None:
        self._reading = reading
        self._hides = hides_usage
        self._kept = bytearray()  # the answer; of a stream, its newest line as far as it came
        self._hidden = False  # the line before was kept back: so is the empty one behind it
        self._too_long = False
        self.streamed = streamed
        self.count = 0  # bytes that came

    def take(self, data: bytes) -> bytes:
        """What is to be sent on of the bytes that came."""
        self.count += len(data)
        if self._too_long:
            return data
        before = len(self._kept)
        self._kept += data
        kept = self._lines(before) if self.streamed else b""
        if len(self._kept) > MOST:
            self._too_long = True
            kept += bytes(self._kept)
            self._kept.clear()
        return kept if self.streamed and self._hides else data

    def end(self) -> bytes:
        """Nothing more comes: what is left to be sent on."""
        rest = bytes(self._kept)
        if not self.streamed:
            self._reading.whole(parsed(rest))
            return b""
        passes = not rest or self._passes(rest)
        return rest if self._hides and passes else b""

    def _lines(self, before: int) -> bytes:
        """The lines that are whole now and pass; `before`: how much was looked through already."""
        end = self._kept.rfind(b"\n", before) + 1
        if not end:
            return b""
        lines = [line + b"\n" for line in bytes(self._kept[: end - 1]).split(b"\n")]
        del self._kept[:end]
        return b"".join(line for line in lines if self._passes(line))

    def _passes(self, line: bytes) -> bool:
        if not line.startswith(b"data:"):
            behind, self._hidden = self._hidden and not line.strip(), False
            return not behind
        payload = line[5:].strip()
        self._hidden = False
        if payload == DONE:
            self._reading.over = True
            return True
        event = parsed(payload)
        self._reading.event(event)
        self._hidden = self._hides and event.get("choices") == [] and bool(event.get("usage"))
        return not self._hidden
