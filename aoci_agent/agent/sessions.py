"""What the records of earlier sessions say they used. Damaged lines are left out and counted."""

import datetime
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, cast

from aoci_agent.agent.models.model import Usage, same_model
from aoci_agent.agent.models.usage import is_figure
from aoci_agent.agent.record import begins
from aoci_agent.base.sealed import event_of, lines_of

_STARTED, _TURN, _STEP = "SessionStarted", "TurnStarted", "StepFinished"
_ENDED = "TurnFinished"
_WANTED = begins(_STARTED, _TURN, _STEP, _ENDED)
_SENT, _RESUMED = begins("StepStarted"), begins(_STARTED)
_OVER = begins("StepStarted", "TurnFinished")  # a call before it was refused: nothing came of it
BUCKETS: Final = ("fresh", "cache_read", "cache_write", "cache_write_1h", "output", "reasoning")


@dataclass(slots=True)
class Sums:
    """Use of a session, or of several. `cost` holds the live steps whose price is known."""

    sessions: int = 0
    turns: int = 0
    steps: int = 0
    buckets: dict[str, int] = field(default_factory=lambda: dict.fromkeys(BUCKETS, 0))
    cost: float = 0.0
    unpriced: int = 0
    estimated: int = 0  # steps that were counted locally
    disputed: int = 0
    recorded: int = 0  # steps whose reply came from a file: no money was spent
    local: int = 0  # steps of a model on this machine: there is nothing to pay
    unended: int = 0  # calls that were sent and never ended: the process was killed, or runs now
    seconds: float = 0.0  # of model time
    damaged: int = 0  # lines that cannot be read

    @property
    def prompt(self) -> int:
        return self.buckets["fresh"] + self.buckets["cache_read"] + self.buckets["cache_write"]

    @property
    def nothing_sent(self) -> bool:
        """Started, and no model was asked anything; damage is no such case."""
        return not (self.steps or self.unended or self.damaged)

    @property
    def hit_rate(self) -> float:
        """Share of the prompt tokens that were read from a cache, 0 to 1."""
        return self.buckets["cache_read"] / self.prompt if self.prompt else 0.0

    @property
    def provenance(self) -> str:
        """measured, estimated (some tokens were counted locally), recorded (no model was asked)."""
        if self.steps and self.recorded == self.steps:
            return "recorded"
        return "estimated" if self.estimated else "measured"

    def add(self, other: "Sums") -> None:
        """Take another sum into this one."""
        for name in self.__dataclass_fields__:
            if name != "buckets":
                setattr(self, name, getattr(self, name) + getattr(other, name))
        for name in BUCKETS:
            self.buckets[name] += other.buckets[name]


@dataclass(slots=True)
class SessionUse:
    """One record. `started` is in local time; `models` and `policies` in the order they were used."""

    path: Path
    session_id: str
    project: str
    started: datetime.datetime
    models: list[str] = field(default_factory=list[str])
    policies: list[str] = field(default_factory=list[str])
    chosen: list[str] = field(default_factory=list[str])  # models, also those never asked
    prompt: str = ""  # the first one
    ended: str = ""  # how its newest turn ended; "" when it was cut off, or runs now
    sums: Sums = field(default_factory=lambda: Sums(sessions=1))

    @property
    def interrupted(self) -> bool:
        """Whether its newest turn did not come to its end."""
        return self.sums.turns > 0 and self.ended in ("", "interrupted")


def records_in(folder: Path) -> list[Path]:
    """The records of one repository, or none where there is no folder. Raises OSError."""
    return sorted(folder.glob("*.jsonl"))


def use_of(path: Path) -> SessionUse:
    """What a record tells. Never fails for what stands in it; raises OSError."""
    use = SessionUse(path, path.stem, path.parent.name, _from_name(path))
    waiting = False  # a call was sent and has not ended
    for line in lines_of(path):
        if line is None:
            use.sums.damaged += 1
            continue
        use.sums.unended += waiting and line.startswith(_RESUMED)
        waiting = _waits(line, waiting=waiting)
        if line.startswith(_WANTED):
            _take(use, line)
        elif not line.startswith(b'{"type": "') or not line.endswith(b"}\n"):
            use.sums.damaged += 1
    use.sums.unended += waiting
    return use


def summed(uses: Iterable[SessionUse]) -> Sums:
    """All of them together."""
    sums = Sums()
    for use in uses:
        sums.add(use.sums)
    return sums


def _waits(line: bytes, *, waiting: bool) -> bool:
    """Whether a call is on its way behind this line. A summary's end is not the end of another call."""
    if line.startswith(_SENT):
        return True
    ended = (*_OVER, *_RESUMED, *begins(_STEP))
    return waiting and not line.startswith(ended)


def _take(use: SessionUse, line: bytes) -> None:
    data = event_of(line)
    if data is None:
        use.sums.damaged += 1
        return
    kind = data["type"]
    if kind == _STARTED:
        _start(use, data)
    elif kind == _TURN:
        use.sums.turns, use.ended = use.sums.turns + 1, ""
        use.prompt = use.prompt or _text(data.get("prompt"))
    elif kind == _ENDED:
        use.ended = _text(data.get("reason"))
    elif not _step(use, _mapping(data.get("record"))):
        use.sums.damaged += 1


def _start(use: SessionUse, data: dict[str, Any]) -> None:
    at = data.get("at")
    if is_figure(at) and use.sums.steps == 0:
        use.started = datetime.datetime.fromtimestamp(min(at, 4e9))
    use.session_id = _text(data.get("session_id")) or use.session_id
    _once(use.policies, _text(data.get("policy")))
    _once(use.chosen, _text(data.get("model")))
    if not use.models:
        _once(use.models, _text(data.get("model")))


def _step(use: SessionUse, record: dict[str, Any]) -> bool:
    """Take one call in; False when its figures make no sense."""
    usage, sums = _mapping(record.get("usage")), use.sums
    figures = {name: usage.get(name, 0) for name in BUCKETS}
    cost, seconds = usage.get("cost"), record.get("seconds", 0.0)
    if not usage or not all(map(is_figure, figures.values())):
        return False
    if not (cost is None or is_figure(cost)) or not is_figure(seconds):
        return False
    if sums.steps == 0:
        use.models.clear()  # those that were asked, no others
    # Older records have the reply's name here, without the provider.
    model, recorded = _text(record.get("model")), record.get("recorded") is True
    _once(use.models, next((name for name in use.chosen if same_model(name, model)), model))
    _once(use.policies, "" if record.get("side") else _text(record.get("policy")))
    sums.steps += 1
    sums.seconds += seconds
    for name, figure in figures.items():
        sums.buckets[name] += int(figure)
    sums.unpriced += cost is None and not recorded
    sums.cost += 0.0 if recorded else cost or 0.0
    sums.local += usage.get("price_from") == "local"
    sums.estimated += usage.get("tokens_from") != "measured"
    sums.disputed += _disputed(cost, usage.get("own_cost"))
    sums.recorded += recorded
    return True


def _disputed(cost: float | None, own: object) -> bool:
    return is_figure(own) and Usage(cost=cost, own_cost=own).disputed


def _from_name(path: Path) -> datetime.datetime:
    """When a record was begun, by its name, else by the file's own time."""
    try:
        return datetime.datetime.strptime(path.stem[:15], "%Y%m%d-%H%M%S")
    except ValueError:
        return datetime.datetime.fromtimestamp(path.stat().st_mtime)


def _once(names: list[str], name: str) -> None:
    if name and name not in names:
        names.append(name)


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _mapping(value: object) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}
