"""Facts of text for people: documents, change logs, licences, notebooks, keys."""

import re
from collections.abc import Iterator

from aoci_agent.aoci.facts import common, prose, trees
from aoci_agent.aoci.facts.language import Source
from aoci_agent.aoci.facts.model import Facts
from aoci_agent.aoci.facts.settings import told

_FRONT = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)
# What is no running text: code blocks, layout blocks, comments; an open one ends with the text.
_MARKUP = re.compile(
    r"^(?:```.*?(?:^```|\Z)|~~~.*?(?:^~~~|\Z))|<(p|h1|div|center)\b[^>\n]{0,300}>.{0,1500}?</\1>|<!--.*?(?:-->|\Z)",
    re.DOTALL | re.MULTILINE,
)
_HEADING = re.compile(
    r"^(?:#{1,3}[ \t]+(\S[^\n]*)|=[ \t]+(\S[^\n]*)|(\S[^\n]{0,200})\n(?:={3,}|-{3,}|~{3,}|\^{3,})[ \t]*)$",
    re.MULTILINE,
)
# Paragraphs that are no sentences: lists, tables, quotes, badges, directives, lone links, lead-ins.
_ASIDE = re.compile(
    r"\W{0,9}[\w ]{2,20}:\W{0,9}\S*\Z|[=~*+-]{3}|<|\{|\[!|!\[|\.\. |[-*$] |\d+\. |\||> *$|(?:\[[^\]\n]*\]\([^)\n]*\)[^\w\[]{0,9}+){1,40}+\Z|\Z"
)
_BADGE = re.compile(
    r"\[!\[[^\[\]\n]{0,200}\]\([^()\n]{0,400}\)\](?:\([^()\n]{0,400}\))?|!\[[^\[\]\n]{0,200}\]\([^()\n]{0,400}\)"
)
_UNDERLINED = re.compile(r"^(?:#{1,6} .*|\S.*\n(?:=|-|~){3,}[ \t]*)$", re.MULTILINE)
_LONGEST = 60_000  # characters of a document that are read for its first paragraph


def document_facts(source: Source) -> Facts:
    """Title, first paragraph that says something, and the names of the sections."""
    front = _FRONT.match(source.text)
    text = _MARKUP.sub("", source.text[front.end() :] if front else source.text)
    text = _BADGE.sub("", text)
    headings = [
        (match.start(), heading)
        for match in _HEADING.finditer(text)
        if (heading := prose.clean(match[1] or match[2] or match[3], 60))
    ]
    start, doc = next(_paragraphs(text[:_LONGEST]), (len(text), ""))
    said = (
        re.search(
            r"^(?:description|about|summary):[ \t]*[\"']?([^\n]{12,400}?)[\"']?$", front[0], re.M
        )
        if front
        else None
    )
    doc = prose.clean(said[1]) if said else doc
    named = re.search(r"^title:[ \t]*[\"']?([^\n\"']{2,80})", front[0], re.M) if front else None
    title = (
        headings[0][1]
        if headings and (headings[0][0] < start or not doc)
        else named[1].strip()
        if named
        else ""
    )
    told_ = f"{title}: {doc}" if title and doc and not doc.startswith(title) else doc or title
    sections = [
        name for _, name in headings if name != title and not re.match(r"\W*v?\d+\.\d", name)
    ]
    return Facts(
        "document",
        doc=told_,
        notes=tuple(told("sections", sections, 10)),
        settings=(("overview", doc or title),),
    )


def _paragraphs(text: str) -> Iterator[tuple[int, str]]:
    """Start and cleaned text of the paragraphs that are sentences."""
    for found in re.finditer(r"(?:.+\n?)+", text):
        lines = _UNDERLINED.sub("", found[0]).strip()
        lead_in = lines.endswith((":", "\uff1a"))
        if not lead_in and not _ASIDE.match(lines) and (doc := prose.clean(lines[:4000])):
            yield found.start(), doc


def changelog_facts(source: Source) -> Facts:
    """Change logs: the latest version named."""
    latest = re.search(r"^[^\w\n]*(?:version )?v?(\d+\.\d[\w.]*)", source.text, re.I | re.M)
    return Facts("document", doc="changelog", notes=(f"latest {latest[1]}",) if latest else ())


def licence_facts(source: Source) -> Facts:
    """The licence by its name."""
    found = re.search(
        r"\b(MIT|Apache|BSD|ISC|Mozilla Public|GNU (?:Affero |Lesser )?General Public|Unlicense|Server Side Public|Business Source)",
        source.text,
    )
    return Facts("document", doc=f"{found[1]} licence" if found else "licence")


def notebook_facts(source: Source) -> Facts:
    """Jupyter notebooks: first heading, imports, what is defined; never an output."""
    cells = [trees.table(cell) for cell in trees.items(trees.at(trees.json_of(source), "cells"))]
    prosaic = [
        "".join(trees.words(cell.get("source")))
        for cell in cells
        if cell.get("cell_type") == "markdown"
    ]
    code = "\n".join(
        "".join(trees.words(cell.get("source")))
        for cell in cells
        if cell.get("cell_type") == "code"
    )
    read = document_facts(Source(source.path, "\n\n".join(prosaic)))
    imports = re.findall(r"^[ \t]*(?:from|import)[ \t]+([\w]+)", code, re.MULTILINE)
    defined = re.findall(r"^(?:def|class)[ \t]+(\w+)", code, re.MULTILINE)
    notes = (*told("imports", imports), *told("defines", defined, 8), *read.notes)
    return Facts("document", doc=read.doc or "notebook", notes=notes)


def key_facts(source: Source) -> Facts:
    """Certificates and keys: what they are, nothing of what they hold."""
    kinds = re.findall(r"-----BEGIN ([A-Z0-9 ]{3,40})-----", source.text)
    return Facts(
        "key", doc=", ".join(common.unique(kind.lower() for kind in kinds)) or "key material"
    )


def ignore_facts(source: Source) -> Facts:
    """.gitignore and its like: the first patterns."""
    items = [line.strip() for line in source.lines if line.strip() and not line.startswith("#")]
    return Facts("list", notes=tuple(told("ignores", items, 6)))
