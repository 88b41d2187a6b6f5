"""The budget: what may be spent in a session and in a day, warned of at 80 %, stopped before it passes.

The next call is predicted locally (`forecast`): a call that would pass a limit is not sent.
"""

from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Final, Literal, NamedTuple

from aoci_agent.agent.limits import Guard, Limits, Stop
from aoci_agent.agent.meter import StepRecord, Totals
from aoci_agent.agent.models.model import Model, Usage
from aoci_agent.agent.spending import Spending, Spent, new_call
from aoci_agent.base.errors import BadUsage

WARN_AT: Final = 0.8
Kind = Literal["cost", "tokens", "steps", "time"]


class Bound(NamedTuple):
    """A limit as it is set: by which flag or setting, and in which field of `Limits`."""

    kind: Kind
    name: str
    field: str


BOUNDS: Final = {
    "cost": Bound("cost", "--max-cost", "cost"),
    "tokens": Bound("tokens", "--max-tokens", "tokens"),
    "steps": Bound("steps", "--max-steps", "steps"),
    "time": Bound("time", "--max-time", "seconds"),
    "day-cost": Bound("cost", "day_max_cost", "day_cost"),
    "day-tokens": Bound("tokens", "day_max_tokens", "day_tokens"),
}


@dataclass(frozen=True, slots=True)
class Line:
    """One limit and what of it is used: dollars, tokens, steps or seconds. `bound` None: no limit."""

    key: str
    used: float
    bound: float | None

    @property
    def near(self) -> bool:
        """80 % of it is used, or more."""
        return self.bound is not None and self.used >= WARN_AT * self.bound and self.used > 0

    def told(self) -> str:
        """`$0.41 of $0.50 (--max-cost)`."""
        bound = BOUNDS[self.key]
        used = amount(bound.kind, self.used)
        if self.bound is None:
            return f"{used}, no limit ({bound.name})"
        return f"{used} of {amount(bound.kind, self.bound)} ({bound.name})"


class Budget:
    """The limits of a session and of the day, what is used of them, and what was warned of."""

    def __init__(self, limits: Limits, day: Spending | None = None) -> None:
        self.limits = limits
        self._day = day
        self._warned: set[str] = set()
        self._said_free: set[str] = set()  # models that were said to be free
        self._call = ""  # the call that is reserved in the day's ledger
        self._guard: Guard | None = None
        self._worked = 0.0  # seconds of the turns before the present one

    def guard(self) -> Guard:
        """The guard of a new turn."""
        if self._guard is not None:
            self._worked += self._guard.end()
        self._guard = Guard(self.limits, self._worked)
        return self._guard

    def resume(self, worked: float) -> None:
        """Go on with a session whose turns took so many seconds."""
        self._worked += worked

    def before(self, ahead: Usage, session: Totals, *, recorded: bool = False) -> None:
        """Raise Stop when this call would pass a limit; else reserve it in the day's ledger.

        A recorded reply costs nothing now and is no part of the day.
        """
        ahead = replace(ahead, cost=_cost(ahead, session))
        self._check_cost(ahead, session)
        self._check("tokens", session.tokens, ahead.prompt + ahead.output)
        if not recorded:
            self._reserve(ahead)

    def unbound(self, model: Model) -> str:
        """What to say, once, before a model on this machine is asked: no limit in dollars binds."""
        limits = (("cost", self.limits.cost), ("day-cost", self.limits.day_cost))
        names = [BOUNDS[key].name for key, bound in limits if bound is not None]
        free = model.priced(Usage(fresh=1, output=1)).price_from == "local"
        if not names or not free or model.name in self._said_free or _our_own(model.name):
            return ""
        self._said_free.add(model.name)
        binds = f"{' and '.join(names)} {'do' if len(names) > 1 else 'does'} not bind"
        return (
            f"{model.name} counts as free: a server on this machine; "
            f"{binds} unless [prices] names this model"
        )

    def after(self, record: StepRecord) -> None:
        """A call ended: what it took goes into the day's ledger."""
        usage = record.usage
        self._write(usage.prompt + usage.output, usage.cost)

    def release(self) -> None:
        """Nothing came of the call that was reserved."""
        self._write(0, 0.0)

    def lines(self, session: Totals) -> tuple[Line, ...]:
        """All limits of the session, and those of the day, with what is used."""
        limits, day = self.limits, self._spent()
        working = self._guard.elapsed if self._guard else 0.0
        return (
            Line("cost", session.priced, limits.cost),
            Line("tokens", session.tokens, limits.tokens),
            Line("steps", session.steps, limits.steps),
            Line("time", self._worked + working, limits.seconds),
            Line("day-cost", day.cost, limits.day_cost),
            Line("day-tokens", day.tokens, limits.day_tokens),
        )

    def set(self, key: str, value: str) -> str:
        """Change a limit from now on: a number, or `none`. Raises BadUsage."""
        if key not in BOUNDS:
            raise BadUsage(f"there is no limit '{key}'", f"there are {', '.join(BOUNDS)}")
        bound = None if value == "none" else _number(value)
        if bound is not None and BOUNDS[key].kind in ("tokens", "steps"):
            bound = int(bound)
        changed = {BOUNDS[key].field: bound}
        self.limits = replace(self.limits, **changed)
        self._warned.discard(key)
        if self._guard is not None:
            self._guard.limits = self.limits
        limit = "no limit" if bound is None else amount(BOUNDS[key].kind, bound)
        return f"{key}: {limit}, from the next call on"

    def _check_cost(self, ahead: Usage, session: Totals) -> None:
        limits = self.limits
        if limits.cost is not None and session.cost is None:
            raise Stop("cost", f"stopped: --max-cost is set but {_unpriced(session)}")
        for key, bound in (("cost", limits.cost), ("day-cost", limits.day_cost)):
            if bound is not None and ahead.cost is None:
                name = BOUNDS[key].name
                raise Stop(
                    "cost",
                    f"stopped: {name} is set but this model has no known price "
                    f"(state one in [prices] of config.toml, or {_off(key)})",
                )
        self._check("cost", session.priced, ahead.cost or 0.0)

    def _check(self, key: str, used: float, more: float) -> None:
        kind, name, field = BOUNDS[key]
        bound: float | None = getattr(self.limits, field)
        if bound is None or used + more <= bound:
            return
        reason = "tokens" if kind == "tokens" else "cost"
        raise Stop(
            reason,
            f"stopped before a call of ~{amount(kind, more)} that would pass {name} "
            f"{amount(kind, bound)} ({amount(kind, used)} used); {_go_on(key)}",
        )

    def _reserve(self, ahead: Usage) -> None:
        """Write the call into the day's ledger, unless it would pass a limit of the day."""
        if self._day is None:
            return
        tokens = ahead.prompt + ahead.output
        try:
            with self._day.alone():
                spent = self._day.spent()
                self._check("day-cost", spent.cost, ahead.cost or 0.0)
                self._check("day-tokens", spent.tokens, tokens)
                self._call = new_call()
                self._day.write(self._call, tokens, ahead.cost)
        except OSError as error:
            # It stops a session that has a limit for the day, and no other.
            if self.limits.day_cost is not None or self.limits.day_tokens is not None:
                why = f"the day's ledger cannot be kept: {error.strerror}"
                raise Stop("cost", f"stopped: {why}; {_off('day-cost')} goes on") from error

    def _write(self, tokens: int, cost: float | None) -> None:
        """Where it fails what was reserved stands, and the next call is not sent: nothing is raised here."""
        if self._day is not None and self._call:
            call, self._call = self._call, ""
            with suppress(OSError):
                self._day.write(call, tokens, cost)

    def _spent(self) -> Spent:
        if self._day is None:
            return Spent()
        try:
            return self._day.spent()
        except OSError:
            return Spent()

    def near(self, session: Totals) -> list[str]:
        """One line for each limit that is used to 80 %, once."""
        near = [line for line in self.lines(session) if line.near and line.key not in self._warned]
        self._warned.update(line.key for line in near)
        return [f"the budget comes to its end: {line.told()}" for line in near]


def amount(kind: Kind, value: float) -> str:
    """A figure with its unit: $0.41, 120,000 tokens, 12 steps, 90 s."""
    if kind == "cost":
        return f"${value:.2f}" if value >= 0.1 or value == 0 else f"${value:.4f}"
    if kind == "time":
        return f"{value:.0f} s"
    return f"{value:,.0f} {kind.removesuffix('s') if value == 1 else kind}"


def _cost(ahead: Usage, session: Totals) -> float | None:
    """Dollars of the next call; without prices of ours, at what the provider charged so far."""
    if ahead.cost is not None or session.cost is None or not session.tokens:
        return ahead.cost
    return session.cost / session.tokens * (ahead.prompt + ahead.output)


def _our_own(name: str) -> bool:
    """A file that is served by ourselves: nobody behind it takes money."""
    return name.startswith("local:")


def _unpriced(session: Totals) -> str:
    calls = "call has" if session.unpriced == 1 else "calls have"
    return (
        f"{session.unpriced} {calls} no known price "
        f"(state one in [prices] of config.toml, or {_off('cost')})"
    )


def _go_on(key: str) -> str:
    if key.startswith("day"):
        return f"go on tomorrow, or with a larger {BOUNDS[key].name} in config.toml, or {_off(key)}"
    name = BOUNDS[key].name
    return f"to go on: /budget {key} N, or `aoci-agent --continue` with a larger {name}"


def _off(key: str) -> str:
    return f"/budget {key} none"


def _number(value: str) -> float:
    try:
        number = float(value.lstrip("$").replace(",", "").replace("_", ""))
    except ValueError:
        number = -1.0
    if not 0 <= number < 1e15:
        raise BadUsage(f"'{value}' is no limit", "a number, 0 or more, or `none`")
    return number
