"""Long repetitions are told from a few copies: nothing is lost, and no pattern runs away in them.

Most patterns look for the end of what they began, so a megabyte of beginnings without an end costs
the square of its length. Such text is one piece over and over, which says no more than a few copies.
"""

import re

_STEP = 512  # characters between the places where a repetition is looked for
_PROBE = 48
_PERIOD = 16_384  # longest piece that is looked for
_LEAST = 1536  # shortest repetition that is shortened
_COPIES = 4  # fewest copies that are a repetition
_KEPT = 512  # characters kept of one, or two copies where that is more
_SPACES = 256  # characters of space in a row that are kept
_WIDE = re.compile(r"[ \t]{256,}")


def without_repeats(text: str) -> str:
    """The text with long repetitions of one piece shortened to their beginning.

    Linear in the length; text without such repetitions comes back as it is.
    """
    if any(space * _SPACES in text for space in " \t"):
        text = _WIDE.sub(lambda found: found[0][:_SPACES], text)
    kept: list[str] = []
    start = place = 0
    while place + _LEAST <= len(text):
        period = _period(text, place)
        end = _end(text, place, period) if period else place
        if end - place < max(_LEAST, _COPIES * period):
            place += _STEP
            continue
        copies = max(2, -(-_KEPT // period))
        stays = place + copies * period
        kept.append(text[start:stays])
        start = stays + (end - stays) // period * period
        place = end
    return "".join((*kept, text[start:])) if kept else text


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
