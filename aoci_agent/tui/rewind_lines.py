"""What is said of points, previews and rewindings. All of it may hold foreign text."""

import datetime
from typing import TYPE_CHECKING

from textual.content import Content

from aoci_agent.tui import diff, foreign, signs

if TYPE_CHECKING:
    from aoci_agent.agent.past import What
    from aoci_agent.agent.rewind import File, Point, Preview, Rewound

FILES = 12  # files of a preview that are named
DIFF = 12  # lines of a refused file's diff


def point_line(point: "Point", width: int, *, chosen: bool) -> Content:
    """One line: its name, when, how many files and lines, the first words."""
    at = datetime.datetime.fromtimestamp(point.at).strftime("%H:%M") if point.at else ""
    files = "1 file" if point.files == 1 else f"{point.files} files"
    lines = f"+{point.added} {signs.MINUS}{point.removed}" if point.files else ""
    facts = f" {point.label:>3}  {at:5}  {files:>9}  {lines:<12} "
    style = "reverse" if chosen else ""
    return Content.assemble(
        (f"{signs.PROMPT if chosen else ' '}", "$text-primary"),
        (facts, "$muted"),
        foreign.line(point.words, max(10, width - len(facts) - 2), style),
    )


def preview_lines(preview: "Preview") -> Content:
    """The files that are put back, then those that are not, with the reason and the diff."""
    parts = [foreign.line(f"  {preview.words}", style="$muted")] if preview.words else []
    parts += [_file(file) for file in preview.files[:FILES]]
    if (more := len(preview.files) - FILES) > 0:
        parts.append(Content.styled(f"  … {more} more", "$muted"))
    if not preview.files:
        parts.append(Content.styled("  no file is put back", "$muted"))
    if preview.conflicts:
        parts.append(Content.styled("not put back: changed by somebody else too", "$text-warning"))
        parts += [_refused(file) for file in preview.conflicts[:FILES]]
    if preview.lost:
        parts.append(Content.styled("cannot be put back", "$text-warning"))
        parts += [_kept(file) for file in preview.lost[:FILES]]
    parts += [foreign.line(f"  {note}", style="$muted") for note in preview.notes]
    return Content("\n").join(parts)


def _file(file: "File") -> Content:
    tally = f"  +{file.added} {signs.MINUS}{file.removed}"
    return Content.assemble("  ", foreign.line(file.path), (tally, "$muted"))


def _kept(file: "File") -> Content:
    why = foreign.line(f"  {file.why}", style="$muted")
    return Content.assemble("  ", foreign.line(file.path), why)


def _refused(file: "File") -> Content:
    return Content("\n").join(
        [_kept(file), diff.render(file.diff, DIFF)] if file.diff else [_kept(file)]
    )


def told(point: "Point", what: "What", done: "Rewound") -> str:
    """What was done, in a line or two."""
    files = "1 path" if len(done.files) == 1 else f"{len(done.files)} paths"
    parts = {"code": files, "conversation": "the conversation"}
    put = parts.get(what, f"{files} and the conversation")
    lines = [f"back to before {point.name}: {put}; /redo takes it back"]
    lines += [f"not put back: {path}: {why}" for path, why in done.not_back.items()]
    return "\n".join(lines)
