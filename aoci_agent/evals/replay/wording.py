"""From a commit's message to the prompt of a task: what was wanted, without how it was done."""

import re

from aoci_agent.base.git import Repository
from aoci_agent.evals.replay.history import Candidate

MOST = 4_000  # characters
_TRAILER = re.compile(
    r"^(?:[A-Z][A-Za-z-]*-by|Change-Id|PiperOrigin-RevId|Cc|Link|Reviewed-on): .*\n?", re.MULTILINE
)
_MERGE = re.compile(r"\AMerge (?:pull request|branch|remote-tracking branch|tag|commit)\b.*\n?")
_NUMBER = re.compile(r" *\(#\d+\)(?=\s*$)", re.MULTILINE)
# A piece of a patch in a message would be the answer.
_PATCH = re.compile(r"^(?:diff --git .*|@@ -\d.*|(?:---|\+\+\+) [ab]/.*)$", re.MULTILINE)


def prompt_of(repository: Repository, candidate: Candidate) -> str:
    """The message without trailers, numbers and patches; "" when nothing is said.

    Of a merge whose message only says that it is one, the messages of what it brings.
    """
    text = _cleaned(_MERGE.sub("", candidate.message))
    if not text and candidate.other:
        span = f"{candidate.base}..{candidate.other}"
        brought = repository.git("log", "--reverse", "--no-merges", "--format=%B%x00", span)
        pieces = (_cleaned(piece) for piece in brought.split("\0"))
        text = "\n\n".join(dict.fromkeys(filter(None, pieces)))
    # Bytes that are no text could not be written down.
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")[:MOST].rstrip()


def _cleaned(message: str) -> str:
    text = message.replace("\r\n", "\n")
    patch = _PATCH.search(text)
    text = text[: patch.start()] if patch else text
    text = _NUMBER.sub("", _TRAILER.sub("", text))
    return re.sub(r"\n{3,}", "\n\n", text).strip()
