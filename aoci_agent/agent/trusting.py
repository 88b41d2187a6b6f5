"""What a person's trust in a folder means for a session, as plain data."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from aoci_agent.agent.prompts import render
from aoci_agent.aoci.render import Rendered
from aoci_agent.base.errors import NotPossible
from aoci_agent.base.terminal import clean, one_line
from aoci_agent.base.text import content_id, decode
from aoci_agent.base.tokens import estimate
from aoci_agent.base.trust import Instructions

TOKENS = 8_000  # of all instruction files together; nearer ones are served first
_END = "</project-instructions>"
_FRAME = re.compile(r"<(?=/?project-instructions)", re.IGNORECASE)
_NAMES = (
    r"(?:agents|claude|gemini)(?:\.\w+)?\.md|copilot-instructions\.md|\.\w+rules|[^\n/\[:]+\.mdc"
)
_FOR_AGENTS = re.compile(rf"(?:.*/)?(?:{_NAMES})", re.IGNORECASE)
# The entry of such a file, as a line of the index or of what changed in it.
_ENTRY = re.compile(
    rf"^((?:Δ (?:[^\n\[:]*/)?)?(?:{_NAMES})(?:\[\w+\])?): .*$", re.IGNORECASE | re.MULTILINE
)


def for_agents(path: str) -> bool:
    """Whether a file is by its name one with instructions for coding agents, this one or others."""
    return _FOR_AGENTS.fullmatch(path) is not None


@dataclass(frozen=True, slots=True)
class Terms:
    """What the project may say in a session. The mode, tests and reading commands follow `trusted` too.

    `instructions` is text for the rules of the prompt, fixed for the session; `cut` names what of
    it was left out.
    """

    trusted: bool
    instructions: str = ""
    cut: str = ""

    def rules(self, rules: str) -> str:
        """The rules of the prompt, with the project's own below them."""
        return f"{rules}\n\n{self.instructions}" if self.instructions else rules

    def index(self, rendered: Rendered) -> Rendered:
        """The index for the prompt. Without trust a file with instructions for agents is only named:
        its first words would reach the model as rules do, before anything else.
        """
        texts = rendered.entries, rendered.changes
        entries, changes = (_ENTRY.sub(r"\1: F:-", text) for text in texts)
        if self.trusted or (entries, changes) == texts:
            return rendered
        name = content_id(f"{rendered.content_id} untrusted".encode())
        return replace(rendered, entries=entries, changes=changes, content_id=name)


UNTRUSTED = Terms(trusted=False)


def terms(instructions: Sequence[Instructions], *, trusted: bool) -> Terms:
    """The terms of a session. `instructions` go from the outermost file to the nearest one."""
    if not trusted:
        return Terms(trusted=False)
    room, texts, cut = TOKENS, list[str](), list[str]()
    for one in reversed(instructions):
        text, name = _text(one.data), one_line(one.name, 100)
        if not text:
            continue
        kept = _within(text, room)
        room -= estimate(kept)
        if len(kept) < len(text):
            note = f"{name}: the first {len(kept.splitlines())} of {len(text.splitlines())} lines"
            cut.append(note)
            kept = f"{kept}\n[{note}; read the file for the rest]"
        texts.append(f'<project-instructions file="{name}">\n{kept}\n{_END}')
    if not texts:
        return Terms(trusted=True)
    shown = render("project", texts="\n\n".join(reversed(texts)))
    return Terms(trusted=True, instructions=shown, cut="; ".join(reversed(cut)))


def _text(data: bytes) -> str:
    """The words, harmless to show, unable to end their frame; "" for what is no text."""
    try:
        text = clean(decode(data).text)
    except NotPossible:
        return ""
    return _FRAME.sub("&lt;", text).strip()


def _within(text: str, room: int) -> str:
    """As many whole lines from the beginning as fit."""
    if estimate(text) <= room:
        return text
    kept: list[str] = []
    for line in text.splitlines(keepends=True):
        room -= estimate(line)
        if room < 0:
            break
        kept.append(line)
    return "".join(kept).rstrip()
