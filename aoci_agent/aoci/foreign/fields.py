"""The tag and the elements of one entry, however they are spelt."""

import re
from collections.abc import Iterator

from aoci_agent.aoci.model import Entry, Tag
from aoci_agent.aoci.tags import read_tag

# Compact, dotted, or with a version behind; what has no importance digit is a heading's bracket.
TAG = r"[A-Z][A-Za-z.]{0,24}[1-9](?:[A-Za-z.][A-Za-z.\d]{0,16})?"
COLON = r"\s*[:\uff1a]"  # ASCII or full-width, as are bars and commas
BAR = r"[|\uff5c]"
COMMA = r"[,\uff0c\u3001]"
_VERSION = re.compile(r"v\d+(?:\.\d+)*\Z")
_BAR = re.compile(rf"\s*{BAR}\s*(?=(?P<key>[A-Z][A-Za-z]{{0,9}}|S\d){COLON})")
_KEY = re.compile(rf"\A(?:[FRA]|S\d?){COLON}\s*")
_NONE = frozenset(("-", "\u2013", "\u2014", "\uff0d", "none", "n/a", "无", ""))
_OPENING, _CLOSING = "([{\uff08【", ")]}\uff09】"
_SEPARATORS = ",;\uff0c\uff1b\u3001"


def tag_of(text: str) -> Tag | None:
    """The tag of a bracket; one without letters for an empty bracket, None for what is no tag."""
    if not text:
        return Tag("", "", 1)
    text = _VERSION.sub("", text)
    if re.fullmatch(TAG, text) is None:
        return None
    parts = text.split(".")
    if len(parts) < 3:
        return read_tag(text)
    digit = next((i for i, part in enumerate(parts) if part in list("987654321")), None)
    if digit is None:  # only compact tags run letters and the digit together
        return read_tag(text)
    rest = parts[digit + 1 :]
    size = rest.pop() if rest and rest[-1] in list("TSML") else ""
    layer, *module = parts[:digit]
    return Tag(layer, ".".join(module), int(parts[digit]), "".join(rest), size)


def fields_of(text: str, *, exact: bool = False) -> Entry:
    """F, R, A and S of the text behind a tag; name, tag and directory are left open.

    `exact` reads what this program writes: lists are parted in one way only.
    """
    values: dict[str, str] = {}
    extra = ""
    cuts = [(0, 0, "F"), *((m.start(), m.end(), m["key"]) for m in _BAR.finditer(text))]
    for position, (_, start, key) in enumerate(cuts):
        end = cuts[position + 1][0] if position + 1 < len(cuts) else len(text)
        value = _KEY.sub("", text[start:end].strip(), count=1).strip()
        value = "" if value == "-" or (not exact and value.lower() in _NONE) else value
        if re.fullmatch(r"S\d", key):  # a summary in several parts
            values["S"] = f"{values.get('S', '')} {value}".strip()
        elif key in ("F", "R", "A", "S") and key not in values:
            values[key] = value
        else:
            extra = text[start:].strip()
            break
    refers = values.get("R", "")
    return Entry(
        directory="",
        name="",
        tag=Tag("", "", 1),
        function=values.get("F", ""),
        relations=tuple(map(_reference, _exactly(refers, ",") if exact else _items(refers))),
        api=_exactly(values.get("A", ""), ", ") if exact else tuple(_items(values.get("A", ""))),
        synopsis=values.get("S", ""),
        extra=extra,
    )


def _exactly(text: str, separator: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(separator) if part.strip())


def _reference(item: str) -> str:
    """`code:path` and `database://db/schema/table` as they are written here."""
    if item.startswith("database://"):
        return f"@db:{item.rpartition('/')[2]}"
    return item.removeprefix("code:").strip()


def _items(text: str) -> Iterator[str]:
    """The items of a list; commas inside brackets do not part them."""
    depth, start = 0, 0
    for position, letter in enumerate(f"{text},"):
        if letter in _OPENING:
            depth += 1
        elif letter in _CLOSING:
            depth = max(depth - 1, 0)
        elif (letter in _SEPARATORS and not depth) or position == len(text):
            item = text[start:position].strip()
            if item.lower() not in _NONE:
                yield item
            start = position + 1
