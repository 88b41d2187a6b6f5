"""Judging a command line for bash, part by part."""

import functools
import posixpath
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from aoci_agent.agent.rules import Rule, Rules, exact_command
from aoci_agent.agent.ruling import ALLOWED, Ruling, Verdict
from aoci_agent.base.protected import protected_part
from aoci_agent.tools.shell.danger import changed, commands, destructive, hides, network as reaches
from aoci_agent.tools.shell.ground import Ground, pieces
from aoci_agent.tools.shell.harmless_git import harmless_below
from aoci_agent.tools.shell.line import CommandLine, Part, Word
from aoci_agent.tools.shell.plainly import PlainReading
from aoci_agent.tools.shell.reader import read_line

REASONS = 3  # told of one line
_HERE = ("",)  # the workspace itself
# Options that stand between git and its command, and whether a value follows.
_GIT_VALUED = frozenset({"-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path"})


@dataclass(frozen=True, slots=True)
class Standing:
    """What holds for commands now. `free`: they need no consent, because the sandbox holds them."""

    rules: Rules
    reads: bool  # commands that plainly read need none
    free: bool
    why: str  # why the others ask


class ShellJudge:
    """Reads a line, and asks for the parts that nothing allows."""

    def __init__(self, ground: Ground) -> None:
        self._ground = ground

    def judge(self, text: str, standing: Standing, *, network: bool) -> Ruling:
        """The ruling for a whole line: every part must be allowed, and one denied part is enough."""
        line, deny = read_line(text), standing.rules.deny
        for part in line.parts:
            if rule := _restricting(deny, part):
                return Ruling(Verdict.DENY, f"rule deny: {rule.text}")
        if any(rule.text == "bash" for rule in deny):
            return Ruling(Verdict.DENY, "rule deny: bash")
        if why := self._doubt(line, standing, network=network):
            parts = tuple(part.text for part in line.parts) if line.complete else (text,)
            return Ruling(Verdict.ASK, why, parts)
        return self._by_part(line, standing)

    def _doubt(self, line: CommandLine, standing: Standing, *, network: bool) -> str:
        """Why the whole line asks, whatever its parts are."""
        if network:
            return "it wants the network"
        if not line.complete and not standing.free:
            return f"not sure what runs: {line.why}"
        clear = line.complete and not any(part.open or hides(part) for part in line.parts)
        restricted = [*standing.rules.deny, *standing.rules.ask]
        if not clear and any(rule.tool == "bash" for rule in restricted):
            return f"there are rules for bash, and {line.why or 'bash fills in words'}"
        return ""

    def _by_part(self, line: CommandLine, standing: Standing) -> Ruling:
        git = functools.cache(harmless_below(self._ground.root))
        reading = PlainReading(self._ground, git)
        reasons: dict[str, None] = {}
        parts: dict[str, None] = {}
        always: dict[str, None] = {}
        lasting = True  # "always" would answer for the whole line the next time
        for part in line.parts:
            reads = reading.allows(part)
            rule = self._restricted(part, standing.rules, reading.folders)
            if rule is not None and rule in standing.rules.deny:
                return Ruling(Verdict.DENY, f"rule deny: {rule.text}")
            why = self._asks(part, standing, rule, reading.folders, reads=reads)
            if why:
                reasons[why] = parts[_shown(part)] = None
            grants = part.exact and rule is None and not self._risks(part, _HERE)
            if why and grants:
                always[exact_command("bash", part.argv)] = None
            lasting = lasting and (grants or not why)
        if not reasons:
            return ALLOWED
        told = "; ".join(list(reasons)[:REASONS])
        return Ruling(Verdict.ASK, told, tuple(parts), tuple(always) if lasting else ())

    def _asks(
        self,
        part: Part,
        standing: Standing,
        rule: Rule | None,
        folders: tuple[str, ...],
        *,
        reads: bool,
    ) -> str:
        """Why this part needs consent, "" where it needs none. `reads`: it plainly reads."""
        rules = standing.rules
        if rule is not None:
            return f"rule ask: {rule.text}"
        allowing = [rule for rule in rules.allow if rule.tool == "bash" and rule.covers(part.words)]
        if (part.exact and any(rule.exact for rule in allowing)) or (reads and standing.reads):
            return ""
        if standing.free:
            return self._reaches_out(part, _HERE)
        risks = self._risks(part, folders)
        covered = allowing and not risks and not part.open
        return "" if covered else risks or standing.why

    def _restricted(self, part: Part, rules: Rules, folders: tuple[str, ...]) -> Rule | None:
        """The rule that asks about this part, or restricts what it does to a file that it names."""
        restricting = (*rules.deny, *rules.ask)
        reading = [rule for rule in restricting if rule.tool == "read"]
        changing = [rule for rule in restricting if rule.tool in ("edit", "write") and rule.path]
        for kinds, words in ((reading, _named(part)), (changing, changed(part))):
            for path in self._paths(words, folders) if kinds else ():
                for rule in kinds:
                    if rule.covers_path(path, any_case=True):
                        return rule
        return _restricting(rules.ask, part)

    def _paths(self, words: Iterable[Word], folders: tuple[str, ...]) -> Iterator[str]:
        for word in words:
            for name in self._names(word, folders):
                yield posixpath.normpath(name)
                yield self._ground.real(name)

    def _risks(self, part: Part, folders: tuple[str, ...]) -> str:
        """Why no wildcard covers a part."""
        return destructive(part) or self._reaches_out(part, folders)

    def _reaches_out(self, part: Part, folders: tuple[str, ...]) -> str:
        """Why a part asks even where the sandbox holds it. `folders`: where the shell may be."""
        if why := reaches(part) or ("" if folders else "it is not known in which folder it runs"):
            return why
        for word in _named(part):
            if word.kind == "glob" and self._ground.expanded(word.text, folders) is None:
                return f"{word.text} may stand for anything"
            for name in self._names(word, folders):
                if outside := self._ground.leaves(name):
                    return f"{outside} is outside the workspace"
                if self._ground.secret(name):
                    return f"{word.text} may hold secrets"
                if protected_part(tuple(name.split("/"))):
                    return f"{word.text} belongs to git or to the agent"
        return ""

    def _names(self, word: Word, folders: tuple[str, ...]) -> Iterator[str]:
        """What a word may name, from each of these folders."""
        names = [*pieces(word.text)]
        if word.kind == "glob":
            names += self._ground.expanded(word.text, folders) or ()
        for folder in folders:
            yield from (name if name[:1] == "~" else posixpath.join(folder, name) for name in names)


def _named(part: Part) -> Iterator[Word]:
    """The words that may be paths: all behind the program, and where it reads from or writes to."""
    yield from part.words[1:]
    yield from (one.target for one in part.redirections)


def _shown(part: Part) -> str:
    """A part with the files it writes, which may stand behind a group of parts."""
    written = (f"{one.operator} {one.target.text}" for one in part.writes)
    return " ".join((part.text, *(text for text in written if text not in part.text)))


def _restricting(rules: tuple[Rule, ...], part: Part) -> Rule | None:
    """The rule that names this part, also behind `env` and the like, by any path of its program."""
    for rule in rules:
        if rule.tool == "bash" and any(rule.covers(words) for words in _variants(part)):
            return rule
    return None


def _variants(part: Part) -> Iterator[tuple[Word, ...]]:
    yield part.words
    for words in commands(part):
        yield words
        if words[0].text == "git":
            yield (words[0], *_behind_options(words[1:]))


def _behind_options(words: tuple[Word, ...]) -> tuple[Word, ...]:
    while words and words[0].text.startswith("-"):
        words = words[2:] if words[0].text in _GIT_VALUED else words[1:]
    return words
