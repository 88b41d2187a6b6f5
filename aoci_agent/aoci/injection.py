"""Text that speaks to a model. Index text stands in the system prompt, so it must only describe."""

import re
from collections.abc import Mapping
from dataclasses import replace

from aoci_agent.aoci.model import Entry, HeaderLine, Index, TableEntry
from aoci_agent.aoci.write import entry_line, plain

_SPEAKS = re.compile(
    r"""\b(?:ignore|disregard|forget|override)\b.{0,30}\b(?:previous|prior|above|earlier|preceding|all)\b
      .{0,20}\b(?:instructions?|prompts?|rules|messages|directions)
    | <\|[\w-]{2,30}\|> | \[/?INST\] | </?(?:system|assistant|user_query|instructions?)>
    | \bnew\ instructions?\s*: | \byou\ (?:are\ now|must\ now|will\ now)\ (?:a|an|the|in|act|obey|ignore|reply)\b
    | \b(?:do\ not|don't|never)\ (?:tell|inform|alert|warn|mention)\b.{0,20}\b(?:user|developer|human)s?\b
    | \b(?:curl|wget)\b[^|]{0,120}\|\s*(?:sudo\s+)?(?:ba|z|da)?sh\b
    | \b(?:忽略|无视)(?:之前|以上|上面|所有)(?:的)?(?:指令|提示|规则)""",
    re.IGNORECASE | re.VERBOSE,
)  # fmt: skip


# A word of each alternative above: without one of them there is nothing to search for.
_HINTS = (
    *(
        "instruction",
        "prompt",
        "rules",
        "messages",
        "directions",
        "<|",
        "[inst",
        "[/inst",
        "<system",
    ),
    *(
        "</system",
        "<assistant",
        "</assistant",
        "<user_query",
        "</user_query",
        " now ",
        "curl",
        "wget",
    ),
    *("user", "developer", "human", "忽略", "无视"),
)


def speaks_to_a_model(text: str) -> bool:
    """Whether the text gives orders to who reads it. Meant to miss little and to hit rarely."""
    folded = text.lower()
    return any(hint in folded for hint in _HINTS) and _SPEAKS.search(text) is not None


def withheld(index: Index, made: Mapping[str, Entry] | None = None) -> Index:
    """The index as a model may see it: what speaks to it is left out, the files stay findable.

    Entries that are still the ones in `made` were looked at when they were generated.
    """
    known = made or {}
    return replace(
        index,
        header=tuple(map(_header, index.header)),
        entries=tuple(e if known.get(e.path) is e else describing(e) for e in index.entries),
        tables=tuple(map(_table, index.tables)),
    )


def describing(entry: Entry) -> Entry:
    """The entry without elements that speak to a model."""
    if not speaks_to_a_model(entry_line(entry)):
        return entry
    kept = replace(
        entry,
        function="" if speaks_to_a_model(entry.function) else entry.function,
        relations=tuple(item for item in entry.relations if not speaks_to_a_model(item)),
        api=tuple(item for item in entry.api if not speaks_to_a_model(item)),
        synopsis="; ".join(i for i in entry.synopsis.split("; ") if not speaks_to_a_model(i)),
        extra="" if speaks_to_a_model(entry.extra) else entry.extra,
    )
    if speaks_to_a_model(entry_line(kept)):  # only together do the elements say it
        return replace(entry, function="", relations=(), api=(), synopsis="", extra="")
    return kept


def canonical(entry: Entry) -> Entry:
    """A generated entry as it reads when written and read again, without what speaks to a model."""
    return describing(
        replace(
            entry,
            function=plain(entry.function),
            relations=_plain(entry.relations),
            api=_plain(entry.api),
            synopsis=plain(entry.synopsis),
        )
    )


def _plain(items: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(text for item in items if (text := plain(item)))


def _header(line: HeaderLine) -> HeaderLine:
    return replace(line, text="") if speaks_to_a_model(line.text) else line


def _table(table: TableEntry) -> TableEntry:
    return replace(table, fields="") if speaks_to_a_model(table.fields) else table
