"""Does a part of a command line plainly read files of the workspace, and nothing else?"""

import posixpath
import re
from collections.abc import Callable

from aoci_agent.aoci.wordset import wordset
from aoci_agent.tools.shell.ground import Ground, pieces
from aoci_agent.tools.shell.line import Part, Word
from aoci_agent.tools.shell.options import sorted_words
from aoci_agent.tools.shell.readers import FIND_ALONE, FIND_VALUED, GIT, READERS, VERSIONS, Reader

MOST_FOLDERS = 8  # the shell may be in, after changes of folder
_BUILTINS = frozenset({"cd", "echo", "printf", "test", "[", "true", "false", "pwd", ":"})
_OPERATORS = frozenset({"<", ">", "1>", "2>", "&>", ">>", "2>>", ">&", "1>&", "2>&"})
# What is no name in a test. Not `-v`: bash would run what stands in an index, x[$(...)].
_TEST = wordset("-f -d -e -r -w -x -s -L -h -z -n -nt -ot -ef -eq -ne -lt -le -gt -ge = == != ! ]")
# What a jq program could read besides its input.
_JQ_REACHES = re.compile(r"\b(?:env|include|import|input_filename|modulemeta)\b|\$ENV")

HarmlessGit = Callable[[str], bool]  # by folder: git runs nothing of the repository there


class PlainReading:
    """Takes a line's parts in order, so that it knows every folder the shell may be in."""

    def __init__(self, ground: Ground, harmless_git: HarmlessGit) -> None:
        self._ground = ground
        self._harmless_git = harmless_git
        self.folders: tuple[str, ...] = ("",)  # the shell may be in; none: it may be anywhere

    def allows(self, part: Part) -> bool:
        """True only for a program on the closed list, when all it names is inside and no secret."""
        if part.program == "cd" and not self._moves(list(part.words[1:])):
            self.folders = ()
        if not self.folders:
            return False
        return not part.inside and self._quiet(part) and self._reads(part)

    def _reads(self, part: Part) -> bool:
        program, words = part.program, list(part.words[1:])
        special = {
            "echo": self._echoes,
            "printf": self._echoes,
            "test": self._tests,
            "[": self._tests,
            "find": self._finds,
            "git": self._git,
        }.get(program)
        if special or program == "cd":
            return special is None or special(words)
        if program in VERSIONS and [word.text for word in words] == ["--version"]:
            return True
        reader = READERS.get(program)
        return reader is not None and self._fits(program, reader, words)

    def _quiet(self, part: Part) -> bool:
        """A plain program name, found outside the workspace; nothing set, written or left open."""
        if not part.words or part.assignments or part.writes or part.words[0].text != part.program:
            return False
        reads = [one.target for one in part.redirections if one.operator == "<"]
        return (
            all(word.kind != "open" for word in part.words)
            and all(one.operator in _OPERATORS for one in part.redirections)
            and all(map(self._stays, reads))
            and (part.program in _BUILTINS or self._ground.installed(part.program))
        )

    def _moves(self, words: list[Word]) -> bool:
        """Follow a `cd`: it may fail, or stand in a subshell, so the shell may be in any folder."""
        there = words[0].text if len(words) == 1 and words[0].kind == "plain" else "-"
        if there.startswith("-") or not self._ground.inside(there, self.folders):
            return False
        moved = (posixpath.normpath(posixpath.join(folder, there)) for folder in self.folders)
        self.folders = tuple(dict.fromkeys((*self.folders, *moved)))
        return len(self.folders) <= MOST_FOLDERS

    def _git(self, words: list[Word]) -> bool:
        if words and words[0].text == "--no-pager":
            words = words[1:]
        name = words[0].text if words else ""
        if name == "--version":
            return len(words) == 1
        if name == "stash" and [word.text for word in words] != ["stash", "list"]:
            return False
        fits = name in GIT and self._fits("git", GIT[name], words[1:])
        return fits and all(map(self._harmless_git, self.folders))

    def _fits(self, program: str, reader: Reader, words: list[Word]) -> bool:
        """Whether all words are known options, or operands that lead nowhere else."""
        found = sorted_words(reader, words)
        if found is None or len(found.operands) > reader.most:
            return False
        first = found.operands[0].text if found.operands else ""
        if program == "jq" and (not first or _JQ_REACHES.search(first)):
            return False
        if program == "date" and first and not first.startswith("+"):
            return False
        lists = "--files" in found.options  # rg: names only, and no pattern
        skip = 0 if found.patterned or lists else reader.skip
        paths, others = found.operands[skip:], found.operands[:skip]
        if not all(map(self._stays, paths)) or not all(map(self._valued, found.values)):
            return False
        if reader.skip < reader.most and any(word.kind == "glob" for word in others):
            return False  # all names but the first would be files to read
        return (
            lists
            or not found.deep
            or self._searchable(paths, hidden=found.hidden or program != "rg")
        )

    def _searchable(self, paths: list[Word], *, hidden: bool) -> bool:
        names = [name for word in paths for name in self._names(word) or [word.text]] or ["."]
        return all(
            self._ground.searchable(posixpath.join(folder, name), hidden=hidden)
            for folder in self.folders
            for name in names
        )

    def _names(self, word: Word) -> list[str] | None:
        return self._ground.expanded(word.text, self.folders) if word.kind == "glob" else None

    def _finds(self, words: list[Word]) -> bool:
        """Starting points, then tests from the list. It shows names only."""
        rest = iter(words)
        for word in rest:
            if word.text in FIND_VALUED:
                value = next(rest, None)
                if value is None or value.kind != "plain":
                    return False
                if word.text == "-newer" and not self._stays(value):
                    return False
            elif word.text not in FIND_ALONE and (
                word.text.startswith("-") or not self._stays(word)
            ):
                return False
        return True

    def _echoes(self, words: list[Word]) -> bool:
        """Printing is harmless, except where bash puts names of files in, or `printf` sets something."""
        literal = (word for word in words if word.kind != "plain" or word.text.startswith("~"))
        return not (words and words[0].text.startswith("-v")) and all(map(self._stays, literal))

    def _tests(self, words: list[Word]) -> bool:
        names = [word for word in words if word.text not in _TEST]
        return not any(word.text.startswith("-") for word in names) and all(map(self._stays, names))

    def _valued(self, word: Word) -> bool:
        """An option's value: a path only if it looks like one."""
        if word.kind != "plain" or re.search(r"^[~/]|\.\.", word.text):
            return self._stays(word)
        return not any(self._ground.secret(piece) for piece in pieces(word.text))

    def _stays(self, word: Word) -> bool:
        """Whether all a word stands for is inside and no secret. "-" is the standard input."""
        if word.text == "-":
            return True
        names = [*pieces(word.text)] if word.kind == "plain" else self._names(word)
        # A name that begins with "-" would be an option.
        return names is not None and all(
            self._ground.inside(name, self.folders)
            and (word.kind == "plain" or not name.startswith("-"))
            for name in names
        )
