"""B and N: whether entries and index keep their length, and say something of their own."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace

from aoci_agent.aoci.check.case import Case
from aoci_agent.aoci.check.finding import Finding, Severity
from aoci_agent.aoci.elements import weigh
from aoci_agent.aoci.render import render
from aoci_agent.aoci.tags import BUDGETS
from aoci_agent.aoci.write import entry_line

FAR_OVER = 1.6  # times the budget of its importance
ALIKE = 3  # files with the same words
_WORDS = 5  # below so many words everything is alike


def size(case: Case) -> Iterator[Finding]:
    """All of them."""
    for entry in case.disk.entries:
        told = entry_line(replace(entry, name="", extra=""))
        cost, budget = weigh(told), BUDGETS.get(entry.tag.importance, 40)
        if cost > budget * FAR_OVER:
            told = f"about {cost} tokens, {budget} are meant for importance {entry.tag.importance}"
            yield Finding("B1", Severity.WARN, entry.path, told, case.lines.get(entry.path, 0))
    yield from _whole(case)
    yield from _alike(case)


def _whole(case: Case) -> Iterator[Finding]:
    whole, project = render(case.disk, 10**9).tokens, case.project
    way_out = "fold or exclude files in aoci.toml, or raise index.max_tokens there"
    if whole > project.max_tokens:
        told = f"{whole} tokens, over the limit of {project.max_tokens}: {way_out}"
        yield Finding("B2", Severity.ERROR, "", told)
    elif whole > project.target_tokens:
        told = f"{whole} tokens, over the target of {project.target_tokens}: {way_out}"
        yield Finding("B2", Severity.WARN, "", told)


def _alike(case: Case) -> Iterator[Finding]:
    for element in ("function", "synopsis"):
        users: dict[str, list[str]] = defaultdict(list)
        for entry in case.disk.entries:
            text: str = getattr(entry, element)
            if len(text.split()) >= _WORDS:
                users[text].append(entry.path)
        for text, paths in users.items():
            if len(paths) >= ALIKE:
                told = f"{element[0].upper()} is the same in {len(paths)} entries: {text[:60]}"
                yield Finding("N1", Severity.INFO, paths[0], told, case.lines.get(paths[0], 0))
