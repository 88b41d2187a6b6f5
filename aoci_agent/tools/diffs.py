"""Unified diffs that stay quick on big files."""

import difflib

from aoci_agent.tools.lines import View, common_start

CONTEXT = 3
SLOW = 4_000  # changed lines above which a minimal diff is not worth its time
NO_NEWLINE = "\\ No newline at end of file"

Change = tuple[int, int, int, int]  # old lines from..to became new lines from..to


def unified(path: str, before: str | None, after: str | None) -> str:
    """The change from one text to another, "" when only line ends differ or nothing does.

    None means that there is no file. Line ends are shown as plain ones.
    """
    old, new = _lines(before), _lines(after)
    hunks = [_hunk(group, old, new) for group in _groups(_changes(old, new))]
    if not hunks:
        return ""
    old_name = "/dev/null" if before is None else f"a/{path}"
    new_name = "/dev/null" if after is None else f"b/{path}"
    return "\n".join([f"--- {old_name}", f"+++ {new_name}", *hunks])


def _lines(text: str | None) -> list[str]:
    if not text:
        return []
    view = View.of(text)
    lines = view.lines
    if not view.text.endswith("\n"):
        lines = [*lines[:-1], f"{lines[-1]}\n{NO_NEWLINE}"]
    return lines


def _changes(old: list[str], new: list[str]) -> list[Change]:
    """Only what lies between the common beginning and the common end is compared."""
    head = common_start(old, new)
    tail = common_start(old[head:][::-1], new[head:][::-1])
    left, right = old[head : len(old) - tail], new[head : len(new) - tail]
    if not left and not right:
        return []
    if max(len(left), len(right)) > SLOW:
        return [(head, head + len(left), head, head + len(right))]
    codes = difflib.SequenceMatcher(None, left, right).get_opcodes()
    return [
        (head + i1, head + i2, head + j1, head + j2)
        for kind, i1, i2, j1, j2 in codes
        if kind != "equal"
    ]


def _groups(changes: list[Change]) -> list[list[Change]]:
    """Changes whose contexts touch go into one hunk."""
    groups: list[list[Change]] = []
    for change in changes:
        if groups and change[0] - groups[-1][-1][1] <= 2 * CONTEXT:
            groups[-1].append(change)
        else:
            groups.append([change])
    return groups


def _hunk(group: list[Change], old: list[str], new: list[str]) -> str:
    before = min(CONTEXT, group[0][0])
    after = min(CONTEXT, len(old) - group[-1][1])
    start, end = group[0][0] - before, group[-1][1] + after
    body: list[str] = []
    at = start
    for i1, i2, j1, j2 in group:
        body += [f" {line}" for line in old[at:i1]]
        body += [f"-{line}" for line in old[i1:i2]]
        body += [f"+{line}" for line in new[j1:j2]]
        at = i2
    body += [f" {line}" for line in old[at:end]]
    new_start, new_end = group[0][2] - before, group[-1][3] + after
    return "\n".join([f"@@ -{_range(start, end)} +{_range(new_start, new_end)} @@", *body])


def _range(start: int, end: int) -> str:
    """Lines as the format counts them: from 1, but an empty range names the line before it."""
    length = end - start
    if length == 1:
        return f"{start + 1}"
    return f"{start + 1 if length else start},{length}"
