"""Figures as a person reads them: short, with their provenance (`~` estimated, `?` unknown)."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from aoci_agent.agent.meter import Totals


def tokens(count: int, *, estimated: bool = False) -> str:
    """640, 1.2k, 61k, 1.3M; `~` in front when counted locally."""
    mark = "~" if estimated else ""
    if count < 1000:
        return f"{mark}{count}"
    if count < 9_950:
        return f"{mark}{count / 1000:.1f}k"
    if count < 999_500:
        return f"{mark}{count / 1000:.0f}k"
    return f"{mark}{count / 1_000_000:.1f}M"


def money(cost: float | None, *, estimated: bool = False) -> str:
    """US dollars. Unknown is `$?`, never zero; a small cost never rounds to zero."""
    if cost is None:
        return "$?"
    mark = "~" if estimated else ""
    if cost == 0:
        return f"{mark}$0.00"
    if cost < 0.0001:
        return f"{mark}<$0.0001"
    digits = 4 if cost < 0.001 else 3 if cost < 0.1 else 2
    return f"{mark}${cost:.{digits}f}"


def cost(totals: "Totals") -> str:
    """Dollars of these steps; `local` when all of them ran on this machine: there are no dollars then."""
    if totals.steps and totals.local == totals.steps:
        return "local"
    return money(totals.cost, estimated=totals.estimated)


def seconds(value: float) -> str:
    """0.4s, 12s, 3m05s."""
    if value < 9.95:
        return f"{value:.1f}s"
    whole = round(value)
    return f"{whole}s" if whole < 60 else f"{whole // 60}m{whole % 60:02d}s"


def percent(share: float) -> str:
    """95%; 100% only when it is all of it."""
    whole = round(share * 100)
    return f"{99 if whole == 100 and share < 1 else whole}%"


def buckets(totals: "Totals") -> str:
    """`up 1.2k down 640 R 58k W 1.9k hit 95%`: fresh, output, cache read, cache write, hit rate."""
    guess = totals.estimated
    parts = [
        f"up {tokens(totals.fresh, estimated=guess)}",
        f"down {tokens(totals.output, estimated=guess)}",
        f"R {tokens(totals.cache_read, estimated=guess)}",
        f"W {tokens(totals.cache_write, estimated=guess)}",
        f"hit {percent(totals.hit_rate)}",
    ]
    return " ".join(parts)
