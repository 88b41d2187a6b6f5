"""The line that tells an unchanged export of this program from a file somebody wrote or edited."""

import hashlib
import re

WRITTEN_BY = "Written-By"
_LINE = re.compile(rf"^#{WRITTEN_BY}: aoci-agent, body (?P<hash>[0-9a-f]{{16}})\n", re.MULTILINE)
_OPEN = f"#{WRITTEN_BY}: aoci-agent, body ?\n"


def signed(head: str, body: str) -> str:
    """The text with the mark between its two parts; what stands in `head` belongs to the layout."""
    line = _OPEN.replace("?", _hash(head + body))
    return f"{head}{line}{body}"


def is_ours(text: str) -> bool:
    """Whether the text is an export as it was written."""
    text = text.replace("\r\n", "\n").removeprefix("\ufeff")
    found = _LINE.search(text)
    if found is None:
        return False
    return found["hash"] == _hash(text[: found.start()] + text[found.end() :])


def _hash(text: str) -> str:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
