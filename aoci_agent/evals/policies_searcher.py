"""A scripted searcher: a model without a model, which behaves the same under every policy.

It decides from the text of the request alone (`policies_sight`), and remembers nothing beside it, so
that what a policy delivers, keeps or cuts is all that differs. One rule, asked at every step:

1. If a block that it has read fits the question (`policies_words.fit`) by ENOUGH, it answers.
2. If blocks came with the question, it reads around the best two of them, the best first. The best
   is by fit and by rank: fit + 0.5 / rank. If it sees none, its own note takes their place.
3. If there is an index, it looks into the best three files by it, one after the other. The best is by
   the words of the question in an entry, weighted by how rare they are in the index, and by how many
   names of the question stand in it as they are; where the question has names, one must. A file that its
   tag calls long is searched for six of the question's names and read around the densest of their lines;
   another, and one without such lines, is read from its beginning.
4. Where greps gave lines, it reads around the densest of the best files by them, three for each round
   of greps. A line counts by the names in it, a name by how few lines have it.
5. Else it greps for the next three names of the question, the rarest looking first (`names_in`).
6. When nothing is left, or tools are forbidden, it answers: of the blocks it has read, those that
   came with the question and those of its note the best five by fit, none that fits less than half as
   well as the best.

Beside its calls it says in one line which five places are the best so far, with their fit: what a
policy keeps of a model's words it can go on from (`mute`: it says nothing). It makes one read a step
(`together`: two). It reads neither tests nor prose, and a block of them fits a third: the question is
where to change code.
"""

import json
from collections.abc import AsyncGenerator, Sequence
from dataclasses import replace
from pathlib import PurePosixPath

from aoci_agent.agent.models.model import (
    CallPiece,
    Piece,
    Provenance,
    Reply,
    Request,
    TextPiece,
    Usage,
)
from aoci_agent.agent.models.prices import Price
from aoci_agent.aoci.facts.languages import language_of
from aoci_agent.aoci.layers import is_test
from aoci_agent.evals.policies_blocks import Block, blocks_of
from aoci_agent.evals.policies_cache import SimulatedCache
from aoci_agent.evals.policies_score import MOST, counted
from aoci_agent.evals.policies_sight import Entry, Hits, Sight, entries_of, noted, sight_of
from aoci_agent.evals.policies_words import fit, names_in, rarity, weights_of, words_of
from aoci_agent.policies.conversation import AssistantMessage, ToolCall

VERSION = 3  # of the rule; rows of another version are not taken for this one's
ENOUGH = 0.35  # half of the blocks that were to be found fit so well, in 28 cases not used since
WINDOW = 160  # lines read where a line is known
ABOVE = 30  # of them above it
DELIVERED = 2
ENTRIES = 3
ROUND = 3  # greps in one step, and reads that follow from them
GREP_LINES = 50
_UNLIKELY = 1 / 3
_SIDE = 0.5  # of the best fit: what an answer still names

Call = tuple[str, dict[str, object]]


class Searcher:
    """The searcher as a model. Its usage is simulated (`policies_cache`), its prices are given."""

    window: int | None = None
    recorded = False

    def __init__(
        self, price: Price, together: int = 1, *, mute: bool = False, warm: bool = False
    ) -> None:
        options = (
            "mute" if mute else "",
            f"{together} reads" if together > 1 else "",
            "warm" if warm else "",
        )
        self.name = ", ".join((f"searcher {VERSION}", *filter(None, options)))
        self._price = price
        self._together = together
        self._mute = mute
        self._cache = SimulatedCache(warm=warm)

    def priced(self, usage: Usage) -> Usage:
        """By the stated price."""
        return replace(
            usage,
            cost=self._price.of(usage),
            cost_from=Provenance.MEASURED,
            price_from="config",
        )

    async def stream(self, request: Request) -> AsyncGenerator[Piece]:
        """One step."""
        message = decided(request, self._together)
        if self._mute and message.calls:
            message = replace(message, text="")
        if message.text:
            yield TextPiece(message.text)
        for call in message.calls:
            yield CallPiece(call.name, len(call.arguments))
        usage = self.priced(self._cache.usage(request, message))
        yield Reply(message, usage, "calls" if message.calls else "stop", self.name)

    async def close(self) -> None:
        """Nothing is held."""


def decided(request: Request, together: int = 1) -> AssistantMessage:
    """What it says to a request. The same request, the same words."""
    sight = sight_of(request)
    weights = weights_of(sight.question)
    blocks = _judged(sight, weights)
    satisfied = any(score >= ENOUGH for score, block in blocks if _was_read(sight, block))
    if not satisfied and request.extra.get("tool_choice") != "none":
        calls = _next(sight, weights, entries_of(request), together)
        if calls:
            step = f"s{len(request.messages)}"
            made = [
                ToolCall(f"{step}-{at}-{name}", name, json.dumps(arguments))
                for at, (name, arguments) in enumerate(calls)
            ]
            best = [(score, block.span) for score, block in blocks[:MOST]]
            return AssistantMessage(noted(best), tuple(made))
    return AssistantMessage(_answer(blocks))


def _next(
    sight: Sight, weights: dict[str, float], entries: dict[str, Entry], together: int
) -> list[Call]:
    """The calls of the next step; none when nothing is left to try."""
    names = names_in(sight.question)
    for leads in (
        _around_delivered(sight, weights),
        _into_entries(sight, _best_entries(weights, entries, names), names),
        _around_hits(sight, weights, names),
    ):
        if leads:
            return leads[:together]
    left = [name for name in names if name not in sight.grepped][:ROUND]
    return [("grep", {"pattern": name, "limit": GREP_LINES}) for name in left]


def _judged(sight: Sight, weights: dict[str, float]) -> list[tuple[float, Block]]:
    """Every block it can see or has noted with its fit, the best first."""
    seen = [block for path, page in sight.pages.items() for block in blocks_of(path, page.lines)]
    for one in sight.delivered:
        if one.span.path not in sight.pages or not _read_at(sight, one.span.path, one.span.start):
            seen.append(Block(one.span, one.text, one.text.partition("\n")[0]))
    scored = [(_fit(weights, block), block) for block in seen]
    for span, score in sight.notes.items():
        if not any(span.meets(block.span) for block in seen):
            scored.append((score, Block(span, "", "")))
    return sorted(scored, key=lambda pair: -pair[0])


def _answer(blocks: list[tuple[float, Block]]) -> str:
    best = blocks[0][0] if blocks else 0.0
    spans = counted(block.span for score, block in blocks if score and score >= _SIDE * best)
    told = ", ".join(f"{span.path}:{span.start}-{span.end}" for span in spans[:MOST])
    return f"Locations: {told or 'none'}"


def _around_delivered(sight: Sight, weights: dict[str, float]) -> list[Call]:
    """Reads around the best of what came with the question, those not made yet."""
    valued: list[tuple[float, str, int]] = []
    for rank, one in enumerate(sight.delivered, 1):
        block = Block(one.span, one.text, one.text.partition("\n")[0])
        valued.append((-_fit(weights, block) - 0.5 / rank, one.span.path, one.span.start))
    if not sight.delivered:
        valued = [(-score, span.path, span.start) for span, score in sight.notes.items()]
    valued = [one for one in valued if _likely(one[1])]
    return [
        _window(path, start)
        for _, path, start in sorted(valued)[:DELIVERED]
        if not _read_at(sight, path, start)
    ]


def _best_entries(
    weights: dict[str, float], entries: dict[str, Entry], names: Sequence[str]
) -> list[tuple[str, Entry]]:
    """The files whose entries say most of the question, the best first."""
    words = {path: words_of(f"{path} {entry.text}") for path, entry in entries.items()}
    rare = rarity(words.values(), weights)
    exact = [name for name in names if not name.islower()]
    valued: list[tuple[float, str]] = []
    for path, there in words.items():
        told = sum(weight * rare[word] for word, weight in weights.items() if word in there)
        if exact:
            told *= sum(name in entries[path].text for name in exact)
        if told and _likely(path):
            valued.append((-told / len(there) ** 0.25, path))
    return [(path, entries[path]) for _, path in sorted(valued)[:ENTRIES]]


def _into_entries(
    sight: Sight, best: Sequence[tuple[str, Entry]], names: Sequence[str]
) -> list[Call]:
    """A look into each of these files that was not looked into yet."""
    leads: list[Call] = []
    pattern = "|".join(names[: 2 * ROUND])  # more would fill the answer with common ones
    for path, entry in best:
        if path in sight.pages or path in sight.known or (path, 1) in sight.began:
            continue
        lines = _weighted([hits for hits in sight.hits if hits.within == path], names)
        if entry.long and pattern and f"{pattern} in {path}" not in sight.grepped:
            leads.append(("grep", {"pattern": pattern, "path": path}))
        elif lines:
            leads.append(_window(path, _densest(lines[path])))
        else:
            leads.append(("read", {"path": path}))
    return leads


def _around_hits(sight: Sight, weights: dict[str, float], names: Sequence[str]) -> list[Call]:
    """Reads around the densest lines of the best files by all greps, as many as the rounds allow."""
    lines = _weighted(sight.hits, names)
    valued = [
        (-sum(some.values()) * (1 + _named(path, weights)), path)
        for path, some in lines.items()
        if _likely(path)
    ]
    rounds = -(-sum(not hits.within for hits in sight.hits) // ROUND)
    best = sorted(valued)[: ROUND * rounds]
    windows = [(path, _densest(lines[path])) for _, path in best]
    return [_window(path, line) for path, line in windows if not _read_at(sight, path, line)]


def _weighted(found: Sequence[Hits], names: Sequence[str]) -> dict[str, dict[int, float]]:
    """By file and line, how much the names in it tell: the fewer lines have a name, the more."""
    texts: dict[tuple[str, int], str] = {}
    for hits in found:
        for path, lines in hits.lines.items():
            texts |= {(path, number): text for number, text in lines.items()}
    common = {name: sum(name in text for text in texts.values()) for name in names}
    told: dict[str, dict[int, float]] = {}
    for (path, number), text in texts.items():
        worth = sum(1 / common[name] for name in names if name in text)
        told.setdefault(path, {})[number] = worth
    return told


def _densest(lines: dict[int, float]) -> int:
    """The line that most hits are at or within a window below."""

    def below(start: int) -> float:
        return sum(some for line, some in lines.items() if start <= line < start + WINDOW - ABOVE)

    return max(sorted(lines), key=below)


def _window(path: str, line: int) -> Call:
    return "read", {"path": path, "offset": max(1, line - ABOVE), "limit": WINDOW}


def _read_at(sight: Sight, path: str, line: int) -> bool:
    """Whether it sees this line, or knows that it has read there, or tried to."""
    if path in sight.pages and line in sight.pages[path].lines:
        return True
    return any(where == path and start <= line < start + WINDOW for where, start in sight.began)


def _was_read(sight: Sight, block: Block) -> bool:
    page = sight.pages.get(block.span.path)
    return page is not None and block.span.start in page.lines


def _fit(weights: dict[str, float], block: Block) -> float:
    lines = block.span.end - block.span.start + 1
    share = 1.0 if _likely(block.span.path) else _UNLIKELY
    return share * fit(weights, block.text, block.head, lines)


def _likely(path: str) -> bool:
    return language_of(path) is not None and not is_test(path)


def _named(path: str, weights: dict[str, float]) -> bool:
    """Whether the file is called after a word of the question."""
    return bool(words_of(PurePosixPath(path).stem) & weights.keys())
