"""A query taken apart: its title, its prose, and the code names and places it mentions.

A query is anything from one word to a bug report. Of a report the first line says best what it is
about, then its sentences, then pasted code and output; a file or a frame of a traceback it names is
a place to look at.
"""

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from aoci_agent.aoci.wordset import wordset
from aoci_agent.views.lexical.tokens import words_of

LONGEST = 20_000  # characters of a query that are read
_TITLE = 300
_COMMON = wordset(
    "all also am any because been being could did does doing get got had he her here him his just"
    " like make may me might must my need no now off only other our out over please same see she"
    " should since some such than that their them they thing too two under up us use used using very"
    " want was way well while would your after before about"
)
_FENCE = re.compile(r"\s*(`{3,}|~{3,})")
_PROMPT = re.compile(r"\s*(>>>|\.\.\. |In \[\d*\]:|Out\[\d*\]:|\$ |#!)")
_STATEMENT = re.compile(
    r"\s*(?:(?:async )?def \w|class \w+\s*[(:{]|import [\w.{*\"]|from \S+ import |return\b.*[\w)\]};]$"
    r"|(?:pub )?(?:func|fn) |(?:let|const|var) \w+ |@\w)"
)
_TRAIL = re.compile(r"[=({\[;]\s*$|^\s*[\w.\[\]]+\s*=\s|\)\s*;?$")
_RAISED = "Traceback"
_OUTER_FIRST = re.compile(r"Traceback|File \"[^\"\n]+\", line \d")

# Found in two steps, so that no text takes more than a time in proportion to its length.
_RUN = re.compile(r"[~\w.\\/<>\[\]-]+")
_PATH = re.compile(r"[~\w.\\/<>\[\]-]*\w\.[A-Za-z]{1,5}\b")
_LINE = re.compile(
    r"\"?(?::\d|, line \d|\(\d| in [\w<>]{1,80}\()"
)  # what follows a path in a frame
_LONGEST_PATH = 300
_DOTTED = re.compile(r"\b[A-Za-z_]\w*(?:(?:\.|::|#)[A-Za-z_]\w*)+")
_LONGEST_NAME = 200
_NAME = re.compile(r"[A-Za-z_$]\w+")
_QUOTED = re.compile(r"`([^`\n]{1,200})`")
_CALLED = re.compile(r"\b([A-Za-z_]\w*)\(")
_COMPOUND = re.compile(r"\w_\w|[a-z][A-Z]|^[A-Z]{2,}[a-z]")


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, in parts. `names` maps a name that may be of code to how sure that is, up to 1."""

    text: str
    title: str
    prose: str
    names: Mapping[str, float]
    qualified: tuple[str, ...] = ()  # `Class.method`, `package.module.Class`
    paths: tuple[str, ...] = ()  # of files, as written
    frames: tuple[str, ...] = ()  # paths of a traceback's frames, the innermost first


def question_of(text: str) -> Question:
    """Take a query apart; never fails."""
    text = text.strip()[:LONGEST]
    title, _, body = text.partition("\n")
    sentences = "\n".join(_sentences(body))
    qualified = dict.fromkeys(_DOTTED.findall(text))
    runs = list(_RUN.finditer(text))
    paths = dict.fromkeys(path for run in runs for path in _PATH.findall(_end_of(run)))
    frames = [path for run in runs if (path := _frame(run))]
    if _OUTER_FIRST.search(text):
        frames.reverse()
    return Question(
        text=text,
        title=title[:_TITLE].strip(),
        prose=f"{title}\n{sentences}".strip(),
        names=_names(text),
        qualified=tuple(name for name in qualified if len(name) <= _LONGEST_NAME),
        paths=tuple(paths),
        frames=tuple(dict.fromkeys(frames)),
    )


def _end_of(run: re.Match[str]) -> str:
    return run.group()[-_LONGEST_PATH:]


def _frame(run: re.Match[str]) -> str:
    """The path at the end of a run when a line number or a function follows it, "" otherwise."""
    if _LINE.match(run.string, run.end()) is None:
        return ""
    path = _PATH.fullmatch(_end_of(run))
    return path.group() if path else ""


def weights_of(text: str) -> dict[str, float]:
    """The words to search for; a word that is repeated counts more, but not as often as it is."""
    counts = Counter(word for word in words_of(text) if word not in _COMMON)
    return {word: 1 + math.log(times) for word, times in counts.items()}


def _sentences(body: str) -> Iterable[str]:
    """The lines that are no code, no output and no frames."""
    fenced = traced = False
    for line in body.split("\n"):
        if _FENCE.match(line):
            fenced = not fenced
            continue
        if line.lstrip().startswith(_RAISED):
            traced = True
        elif traced and line.strip() and not line[0].isspace():
            traced = False  # the error itself, which is said in words
            yield line
            continue
        if not (fenced or traced or _is_code(line)):
            yield line


def _is_code(line: str) -> bool:
    if line.startswith(("    ", "\t")):
        return True
    if _PROMPT.match(line) or _STATEMENT.match(line) or _TRAIL.search(line):
        return True
    run = _RUN.match(line.strip())
    return run is not None and _frame(run) != ""


def _names(text: str) -> dict[str, float]:
    quoted = set(_NAME.findall(" ".join(_QUOTED.findall(text))))
    called = set(_CALLED.findall(text))
    return {name: _sureness(name, quoted | called) for name in dict.fromkeys(_NAME.findall(text))}


def _sureness(name: str, marked: set[str]) -> float:
    if _COMPOUND.search(name):
        return 1.0
    if name in marked:
        return 0.7
    return 0.3 if name[0].isupper() else 0.15
