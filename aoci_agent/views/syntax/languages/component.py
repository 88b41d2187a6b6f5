"""Vue and Svelte components: the definitions of their scripts, at the lines where they stand."""

import re
from collections.abc import Iterable

from aoci_agent.views.syntax import heads
from aoci_agent.views.syntax.languages import script
from aoci_agent.views.syntax.outline import Definition
from aoci_agent.views.syntax.text import Text, refuse_runaway

_OPEN = re.compile(r"<script\b((?:[^>\"']|\"[^\"]*\"|'[^']*')*)>", re.IGNORECASE)
_CLOSE = re.compile(r"</script\s*>", re.IGNORECASE)
_LANGUAGE = re.compile(r"\blang\s*=\s*[\"']?(\w+)")
_READERS = {"ts": script.typescript, "typescript": script.typescript, "tsx": script.tsx}


def component(text: Text) -> Iterable[Definition]:
    """What the scripts define; everything else is read as blanks. Raises TooSlow."""
    refuse_runaway(text.text)
    kept: list[str] = []
    reader = script.javascript
    place = 0
    while (opened := _OPEN.search(text.text, place)) is not None:
        closed = _CLOSE.search(text.text, opened.end())
        end = closed.start() if closed else len(text.text)
        kept += [heads.blanks(text.text[place : opened.end()]), text.text[opened.end() : end]]
        place = end
        if named := _LANGUAGE.search(opened[1]):
            reader = _READERS.get(named[1], reader)
    if not kept:
        return ()
    return reader(Text(text.path, "".join((*kept, heads.blanks(text.text[place:])))))
