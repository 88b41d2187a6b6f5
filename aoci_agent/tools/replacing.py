"""An edit worked out, not yet made: where, how it was found, and the text that results."""

from dataclasses import dataclass
from typing import Literal

from aoci_agent.base.files import TextFile
from aoci_agent.tools import matching
from aoci_agent.tools.lines import View, newline_near
from aoci_agent.tools.matching import Place

How = Literal["exact", "tolerant", "already"]


@dataclass(frozen=True, slots=True)
class Replacement:
    """`places` are spans of `view`; `text` is the whole new text with the file's own line ends."""

    how: How
    view: View
    places: tuple[Place, ...]
    text: str
    numbers_stripped: bool = False

    @property
    def line_numbers(self) -> tuple[int, ...]:
        """The lines, counted from 1, at which the old text stands."""
        return tuple(self.view.line_number(place.start) for place in self.places)


def find(file: TextFile, old: str, new: str) -> Replacement | None:
    """The strictest way in which `old` stands in the file; None when it does not."""
    view = View.of(file.text)
    old, new = _plain(old), _plain(new)
    found = _find(file, view, old, new)
    if found is None and (bare_old := matching.without_numbers(old)):
        bare_new = matching.without_numbers(new)
        found = _find(file, view, bare_old, new if bare_new is None else bare_new)
        if found is not None:
            return Replacement(found.how, view, found.places, found.text, numbers_stripped=True)
    return found


def _find(file: TextFile, view: View, old: str, new: str) -> Replacement | None:
    places = matching.exact(view.text, old, new)
    if places:
        done = _already_around(view.text, places, old, new)
        how: How = "already" if done else "exact"
    else:
        places, how = matching.tolerant(view.text, old, new), "tolerant"
    if not places:
        places, how = _already_there(view.text, new), "already"
    if not places:
        return None
    text = file.text if how == "already" else _applied(file, view, places)
    return Replacement(how, view, tuple(places), text)


def _plain(text: str) -> str:
    return text.replace("\r\n", "\n")


def _already_around(text: str, places: list[Place], old: str, new: str) -> bool:
    """Is every match inside what it is to become? Then the same insertion was made before."""
    inside = [match.start for match in matching.exact(new, old, "")]
    return bool(new.strip()) and all(
        any(at <= place.start and text.startswith(new, place.start - at) for at in inside)
        for place in places
    )


def _already_there(text: str, new: str) -> list[Place]:
    """The one place of the new text, if it is long enough to be no accident."""
    if len(new.strip()) < 12:
        return []
    places = matching.exact(text, new, new)
    return places if len(places) == 1 else []


def _applied(file: TextFile, view: View, places: list[Place]) -> str:
    """Splice each change into the real text, from the last to the first."""
    text = file.text
    for place in reversed(places):
        narrow = matching.narrowed(view.text, place)
        new = narrow.new.replace("\n", _newline(file, view, place, narrow))
        start, end = view.original(narrow.start), view.original(narrow.end)
        text = text[:start] + new + text[end:]
    return text


def _newline(file: TextFile, view: View, place: Place, narrow: Place) -> str:
    """The line end of the quoted line before the change, else of the line that is changed."""
    at = narrow.start
    if at > place.start and view.text[at - 1] == "\n":
        at -= 1
    return newline_near(file.text, view.original(at), file.newline)
