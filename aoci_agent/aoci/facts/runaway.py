"""What makes patterns run away is taken out of a text before they see it.

Most patterns look for the end of what they began. Beginnings without an end, one after the other, cost
the square of their number: hours for a megabyte. Real files have neither of the two that are undone here.
"""

import re
from collections.abc import Iterator

REPEATED = "with one piece over and over, described from a few copies of it"
UNCLOSED = "with brackets or comments without an end, passed over"

_STEP = 512  # characters between the places where a repetition is looked for
_PROBE = 48
_PERIOD = 16_384  # longest piece that is looked for
_LEAST = 1536  # shortest repetition that is shortened
_COPIES = 4  # fewest copies that are a repetition
_KEPT = 512  # characters kept of one, or two copies where that is more
_SPACES = 256  # characters of space in a row that are kept
_WIDE = re.compile(rf"[ \t]{{{_SPACES},}}")
_PAIRS = (("/*", "*/"), ("<!--", "-->"), ("(", ")"), ("[", "]"), ("{", "}"), ("<", ">"))
_MOST = 50_000_000  # beginnings times characters to the end of the file: half a second of a pattern


def tamed(text: str) -> tuple[str, str]:
    """The text with nothing in it that runs away, and a problem to say, "" for most.

    Linear in the length; a text without such things comes back as it is.
    """
    if any(space * _SPACES in text for space in " \t"):
        text = _WIDE.sub(lambda found: found[0][:_SPACES], text)
    shorter = _without_repeats(text)
    closed = _without_unclosed(shorter)
    problem = REPEATED if shorter is not text else ""
    return closed, problem or (UNCLOSED if closed is not shorter else "")


def _without_unclosed(text: str) -> str:
    """Blanks instead of beginnings in masses that nothing ends any more."""
    for begins, ends in _PAIRS:
        last = text.rfind(ends) + 1
        if text.count(begins, last) * (len(text) - last) > _MOST:
            text = text[:last] + text[last:].replace(begins, " " * len(begins))
    return text


def _without_repeats(text: str) -> str:
    """Long repetitions of one piece shortened to their beginning."""
    kept: list[str] = []
    start = 0
    for begin, end in repeats(text):
        kept.append(text[start:begin])
        start = end
    return "".join((*kept, text[start:])) if kept else text


def repeats(text: str) -> Iterator[tuple[int, int]]:
    """What a long repetition of one piece holds beyond its beginning: where it starts and ends."""
    place = 0
    while place + _LEAST <= len(text):
        period = _period(text, place)
        end = _end(text, place, period) if period else place
        if end - place < max(_LEAST, _COPIES * period):
            place += _STEP
            continue
        copies = max(2, -(-_KEPT // period))
        stays = place + copies * period
        yield stays, stays + (end - stays) // period * period
        place = end


def _period(text: str, place: int) -> int:
    """After how many characters the text at this place comes again, 0 for not soon."""
    probe = text[place : place + _PROBE]
    again = text.find(probe, place + 1, place + _PERIOD + _PROBE)
    return max(again - place, 0)


def _end(text: str, place: int, period: int) -> int:
    """Where the repetition that begins at this place ends."""
    end = place + period
    step = _PROBE
    while step:
        piece = text[end : end + step]
        if len(piece) == step and piece == text[end - period : end - period + step]:
            end += step
            step *= 2
        else:
            step //= 2
    return end
