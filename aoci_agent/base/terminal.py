"""Making any text harmless to show: nothing in it moves a cursor, hides or reorders."""

import re
import unicodedata

# What cannot be seen or reorders what is seen, besides the control characters.
_UNSEEN = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200c\u200e\u200f"
    "\u2028-\u202e\u2060-\u206f\u2800\u3164\ufe00-\ufe0d\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff\ud800-\udfff"
)
_EMOJI = (
    "\u00a9\u00ae\u203c\u2049\u2122\u2139\u2190-\u21ff\u2300-\u23ff\u24c2\u25a0-\u27bf"
    "\u2934\u2935\u2b00-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff"
)
# A joiner stays between two emoji, a variation selector after an emoji or a key cap's character.
_HARMFUL = re.compile(
    f"\r\n|[\0-\x08\x0b-\x1f\x7f-\x9f{_UNSEEN}]"
    f"|(?<![{_EMOJI}\ufe0f])\u200d|\u200d(?![{_EMOJI}])"
    f"|(?<![{_EMOJI}#*0-9])[\ufe0e\ufe0f]"
)
_WIDE = frozenset("WF")
_MARKS = frozenset(("Mn", "Me", "Cf"))


def clean(text: str) -> str:
    r"""`text` with every control shown instead of obeyed.

    C0 controls (except "\n" and "\t"; "\r\n" becomes "\n"), DEL and C1 show as symbols: ESC is "␛".
    Bidirectional and invisible characters, tags and lone surrogates show as "<U+202E>". Joiners and
    variation selectors stay where they form an emoji.
    """
    return _HARMFUL.sub(_shown, text)


def one_line(text: str, width: int) -> str:
    """`text` cleaned and on one line of at most `width` terminal cells, cut with "…"."""
    if width <= 0:
        return ""
    # Every cell costs a character or more, except marks without width; 8 each is generous.
    line = clean(text[: width * 8 + 64]).replace("\n", "⏎").replace("\t", " ")
    cut = len(text) > width * 8 + 64
    if not cut and cell_width(line) <= width:
        return line
    return _fitting(line, width - 1) + "…"


def cell_width(text: str) -> int:
    """The terminal cells of cleaned text on one line: 2 for wide, 0 for combining, else 1."""
    if text.isascii():
        return len(text)
    return sum(map(_cells, text))


def _fitting(line: str, width: int) -> str:
    used = 0
    for position, character in enumerate(line):
        used += _cells(character)
        if used > width:
            return line[:position]
    return line


def _cells(character: str) -> int:
    if character.isascii():
        return 1
    if unicodedata.category(character) in _MARKS:
        return 0
    return 2 if unicodedata.east_asian_width(character) in _WIDE else 1


def _shown(match: re.Match[str]) -> str:
    found = match[0]
    if found == "\r\n":
        return "\n"
    code = ord(found)
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "␡"
    return f"<U+{code:04X}>"
