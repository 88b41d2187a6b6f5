"""Tables of replayed requests: match by language and kind, and what each source takes."""

from collections.abc import Callable, Iterable, Sequence
from statistics import median

from aoci_agent.evals.nav_replay import Replayed, Verdict

Row = tuple[str, ...]
HEAD: Row = (
    "", "asked", "n", *(verdict.value for verdict in Verdict), "agree", "of some", "meet", "no imports",
    "static ms", "live ms", "ratio", "exact", "exact agree",
)  # fmt: skip


def tables(done: Sequence[tuple[str, Replayed]]) -> str:
    """All tables; requests come with the label of their language and server."""
    by_label = _grouped(done, lambda label, item: (label, item.request.ask))
    by_kind = _grouped(done, lambda _, item: (item.request.kind, item.request.ask))
    both = _grouped(done, lambda _, item: ("all", item.request.ask))
    rows = [*by_label, *both, ("all", "", [item for _, item in done])]
    return "\n\n".join((_table(rows), _table(by_kind)))


Named = tuple[str, str, list[Replayed]]


def _grouped(
    done: Sequence[tuple[str, Replayed]], key: Callable[[str, Replayed], tuple[str, str]]
) -> list[Named]:
    groups: dict[tuple[str, str], list[Replayed]] = {}
    for label, item in done:
        groups.setdefault(key(label, item), []).append(item)
    return [
        (*name, items) for name, items in sorted(groups.items(), key=lambda pair: pair[0][::-1])
    ]


def _table(named: Iterable[Named]) -> str:
    cells = [HEAD, *(_row(*row) for row in named if row[2])]
    widths = [max(len(line[at]) for line in cells) for at in range(len(HEAD))]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if at < 2 else cell.rjust(width)
            for at, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in cells
    )


def _row(label: str, ask: str, items: Sequence[Replayed]) -> Row:
    """Agreement is of requests with a live answer: the same places, nothing on both sides included.

    `of some` leaves those out for which neither has a place in the repository, `meet` is the share of
    these with a place in common; `no imports` leaves lines out that only import.
    """
    counts = [sum(item.verdict is verdict for item in items) for verdict in Verdict]
    matching = [item for item in items if item.verdict is Verdict.MATCH]
    static = median(item.static_seconds for item in matching) * 1e3 if matching else 0.0
    live = median(item.live_seconds for item in matching) * 1e3 if matching else 0.0
    exact = [item for item in items if item.exact and item.verdict is not Verdict.NONE]
    return (
        label,
        ask,
        str(len(items)),
        *(str(count) for count in counts),
        _share(sum(item.agreed for item in items), len(items) - counts[-1]),
        _share(len(matching), len(items) - counts[-1] - counts[1]),
        _share(
            sum(bool(item.static & item.live) for item in items),
            len(items) - counts[-1] - counts[1],
        ),
        _share(sum(item.agreed_aside for item in items), len(items) - counts[-1]),
        f"{static:.2f}" if matching else "-",
        f"{live:.2f}" if matching else "-",
        f"{live / static:.1f}x" if static else "-",
        str(len(exact)),
        _share(sum(item.agreed for item in exact), len(exact)),
    )


def _share(count: int, of: int) -> str:
    return f"{count / of:.1%}" if of else "-"


def examples(done: Sequence[tuple[str, Replayed]], most: int) -> str:
    """Requests on which the two do not agree, the same number of every kind of disagreement."""
    lines: list[str] = []
    seen: dict[tuple[str, str, Verdict], int] = {}
    for label, item in done:
        if item.agreed:
            continue
        key = (label, item.request.ask, item.verdict)
        seen[key] = seen.get(key, 0) + 1
        if seen[key] <= most:
            lines.append(_told(label, item))
    return "\n".join(lines)


def _told(label: str, item: Replayed) -> str:
    request = item.request
    return (
        f"{label} {request.ask} {item.verdict} ({request.kind}) {request.path}:{request.line}:"
        f"{request.column} {request.name}\n    static {_places(item.static - item.live)}\n"
        f"    live   {item.why or _places(item.live - item.static)}"
        f"\n    both   {len(item.static & item.live)}"
    )


def _places(places: frozenset[tuple[str, int]]) -> str:
    told = [f"{path}:{line}" for path, line in sorted(places)]
    return ", ".join(told[:5]) + (f" and {len(told) - 5} more" if len(told) > 5 else "") or "-"
