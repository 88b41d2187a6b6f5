"""How frameworks derive a table's name from a class: snake case and English plurals."""

import re

from aoci_agent.aoci.wordset import wordset

_INITIALISMS = re.compile(
    "API|ASCII|CPU|CSS|DNS|EOF|GUID|HTML|HTTPS|HTTP|ID|IP|JSON|LHS|QPS|RAM|RHS|RPC|SLA|SMTP|SSH|TLS|TTL"
    "|UID|UI|UUID|URI|URL|UTF8|VM|XML|XSRF|XSS"
)
_IRREGULAR = {
    "person": "people", "child": "children", "man": "men", "woman": "women", "datum": "data",
    "medium": "media", "mouse": "mice", "goose": "geese", "foot": "feet", "tooth": "teeth", "ox": "oxen",
    "quiz": "quizzes", "criterion": "criteria", "matrix": "matrices", "index": "indices",
    "life": "lives", "shelf": "shelves", "leaf": "leaves", "half": "halves", "wife": "wives",
}  # fmt: skip
_SAME = wordset(
    "equipment information rice money species series fish sheep news police jeans data media metadata"
    " people children feedback staff"
)


def snake(name: str) -> str:
    """`UserID` -> `user_id`, `AIInsight` -> `ai_insight`, `OrgIDs` -> `org_ids`."""
    name = re.sub(r"(?<=[a-z0-9])(?:IDs|URLs)\b", lambda found: found[0].capitalize(), name)
    if re.search(r"[A-Z]{2}", name):
        name = _INITIALISMS.sub(_capitalised, name)
    name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name)
    return name.lower()


def _capitalised(found: re.Match[str]) -> str:
    """Only at a word's start and end: `PAID` holds no `ID`."""
    before, after = found.string[: found.start()][-1:], found.string[found.end() :][:2]
    ends = not after or not after[0].islower() or after == "s"
    return found[0].capitalize() if not before.isupper() and ends else found[0]


def plural(name: str) -> str:
    """The plural of the last word of a snake or camel case name."""
    found = re.search(r"([A-Z]?[a-z0-9]+|[A-Z]+)\Z", name)
    word = found[1] if found else name
    lower = word.lower()
    if lower in _SAME:
        return name
    ending = (
        _IRREGULAR.get(lower)
        or (re.sub(r"sis\Z", "ses", lower) if lower.endswith("sis") else "")
        or (f"{lower[:-1]}ies" if re.search(r"[^aeiou]y\Z", lower) else "")
        or (lower if re.search(r"[^siu]s\Z", lower) and len(lower) > 3 else "")
        or (f"{lower}es" if re.search(r"(?:s|x|z|ch|sh)\Z", lower) else "")
        or f"{lower}s"
    )
    return name[: len(name) - len(word)] + word[:1] + ending[1:]
