"""Judging a command line for bash, part by part."""

import functools
from collections.abc import Iterator
from dataclasses import dataclass

from aoci_agent.agent.rules import Rule, Rules, exact_command
from aoci_agent.agent.ruling import ALLOWED, Ruling, Verdict
from aoci_agent.base.protected import protected_part
from aoci_agent.tools.shell.danger import commands, destructive, network as reaches
from aoci_agent.tools.shell.ground import Ground, pieces
from aoci_agent.tools.shell.harmless_git import harmless_below
from aoci_agent.tools.shell.line import CommandLine, Part, Word
from aoci_agent.tools.shell.plainly import PlainReading
from aoci_agent.tools.shell.reader import read_line

REASONS = 3  # told of one line
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
        self._harmless_git = harmless_below(ground.root)

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
        clear = line.complete and not any(part.open for part in line.parts)
        restricted = [*standing.rules.deny, *standing.rules.ask]
        if not clear and any(rule.tool == "bash" for rule in restricted):
            return f"there are rules for bash, and {line.why or 'bash fills in words'}"
        return ""

    def _by_part(self, line: CommandLine, standing: Standing) -> Ruling:
        git = functools.cache(harmless_below(self._ground.root))
        reading = PlainReading(self._ground, git)
        asking = [
            (part, why)
            for part in line.parts
            if (why := self._asks(part, standing, reads=reading.allows(part)))
        ]
        if not asking:
            return ALLOWED
        reasons = list(dict.fromkeys(why for _, why in asking))[:REASONS]
        parts = tuple(dict.fromkeys(_shown(part) for part, _ in asking))
        always = (
            exact_command("bash", part.argv)
            for part, _ in asking
            if part.exact and not self._risks(part) and not _restricting(standing.rules.ask, part)
        )
        return Ruling(Verdict.ASK, "; ".join(reasons), parts, tuple(dict.fromkeys(always)))

    def _asks(self, part: Part, standing: Standing, *, reads: bool) -> str:
        """Why this part needs consent, "" where it needs none. `reads`: it plainly reads."""
        rules = standing.rules
        if rule := _restricting(rules.ask, part) or self._hidden(rules, part):
            return f"rule {'deny' if rule in rules.deny else 'ask'}: {rule.text}"
        allowing = [rule for rule in rules.allow if rule.tool == "bash" and rule.covers(part.words)]
        if (part.exact and any(rule.exact for rule in allowing)) or (reads and standing.reads):
            return ""
        if standing.free:
            return self._reaches_out(part)
        risks = self._risks(part)
        covered = allowing and not risks and not part.open
        return "" if covered else risks or standing.why

    def _hidden(self, rules: Rules, part: Part) -> Rule | None:
        """The rule for reading that restricts a file which this part names."""
        for rule in (*rules.deny, *rules.ask):
            if rule.tool == "read" and any(
                rule.covers_path(name, any_case=True)
                for word in part.words[1:]
                for name in self._names(word)
            ):
                return rule
        return None

    def _risks(self, part: Part) -> str:
        """Why no wildcard covers a part."""
        return destructive(part) or self._reaches_out(part)

    def _reaches_out(self, part: Part) -> str:
        """Why a part asks even where the sandbox holds it."""
        if why := reaches(part):
            return why
        for word in (*part.words[1:], *(one.target for one in part.redirections)):
            if outside := self._ground.leaves(word.text):
                return f"{outside} is outside the workspace"
            if word.kind == "glob" and self._ground.expanded(word.text) is None:
                return f"{word.text} may stand for anything"
            if any(self._ground.secret(name) for name in self._names(word)):
                return f"{word.text} may hold secrets"
            if any(protected_part(tuple(piece.split("/"))) for piece in pieces(word.text)):
                return f"{word.text} belongs to git or to the agent"
        return ""

    def _names(self, word: Word) -> Iterator[str]:
        yield from pieces(word.text)
        if word.kind == "glob":
            yield from self._ground.expanded(word.text) or ()


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
    for argv in commands(part):
        # As many words from the end, with what is known of them.
        tail = part.words[len(part.words) - len(argv) :]
        words = (Word(argv[0], tail[0].kind), *tail[1:])
        yield words
        if argv[0] == "git":
            yield (words[0], *_behind_options(words[1:]))


def _behind_options(words: tuple[Word, ...]) -> tuple[Word, ...]:
    while words and words[0].text.startswith("-"):
        words = words[2:] if words[0].text in _GIT_VALUED else words[1:]
    return words
