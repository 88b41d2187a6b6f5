"""What `/index` answers: the status, entries, a search, or the committed index brought in step."""

from aoci_agent.agent.offer import Offer
from aoci_agent.aoci.lookup import entries_at, search
from aoci_agent.aoci.model import Index
from aoci_agent.aoci.write import full_line


def answer(words: str, index: Index, status: str, offer: Offer | None) -> str:
    """`status` for "", entries at "show PATH", "diff" and "update" of the committed index, else a search."""
    if not words:
        return status
    verb, _, more = words.partition(" ")
    if verb in ("diff", "update"):
        return _committed(verb, more, offer)
    if words in ("build", "stats"):
        return f"run `aoci-agent index {words}` in a shell; here: /index, /index show PATH, /index WORDS"
    if words.startswith("show "):
        place = words.removeprefix("show ").strip().rstrip("/")
        found = [full_line(entry) for entry in entries_at(index, place)]
        return "\n".join(found) or f"no entry for {place}"
    hits = [full_line(hit.entry) for hit in search(index, words)]
    nothing = f"no entry matches '{words}'; entries hold names and summaries only"
    return "\n\n".join(hits) or nothing


def _committed(verb: str, more: str, offer: Offer | None) -> str:
    """ "diff": what an update of the committed index would write; "update" writes it."""
    if more:
        return (
            f"/index {verb} takes no words behind it, nothing was done; versions are compared "
            f"with `aoci-agent index diff OLD NEW` in a shell, words searched with /index WORDS"
        )
    if offer is None:
        return f"/index {verb} is not there in this session"
    return offer.diff() if verb == "diff" else offer.update()
