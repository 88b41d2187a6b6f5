"""Who may do what: the mode, the rules of the person, trust, the sandbox, and what was granted.

Deny wins over ask, ask over allow. Nothing is ever allowed because of how a command line begins:
it is read into its parts, every part must be allowed, and what cannot be read asks.
"""

import shlex
from pathlib import Path

from aoci_agent.agent.mode import Mode
from aoci_agent.agent.rules import Rule, Rules, exact_command, exact_path, parse_rule
from aoci_agent.agent.ruling import ALLOWED, Ruling, Verdict
from aoci_agent.agent.shell_judge import ShellJudge, Standing
from aoci_agent.base.box import Strength
from aoci_agent.tools.shell.ground import Ground
from aoci_agent.tools.shell.line import Word
from aoci_agent.tools.tool import Effect, Preview

_ORDER = tuple(Mode)
_TESTS = "test"
UNTRUSTED_TESTS = "tests run the repository's own code, and this folder is not trusted"


def capped(mode: Mode, *, trusted: bool) -> Mode:
    """The mode that applies: in a folder that is not trusted at most `ask`."""
    return mode if trusted else min(mode, Mode.ASK, key=_ORDER.index)


class Permissions:
    """Judges calls. What is granted is exact, lives for the session, and is never widened.

    `strength` is the sandbox's; `no_sandbox` is the person's own word that none is wanted. `root`
    is the workspace: without it no command is known to read only there.
    """

    def __init__(
        self,
        mode: Mode,
        *,
        rules: Rules | None = None,
        trusted: bool = False,
        strength: Strength = Strength.NONE,
        no_sandbox: bool = False,
        root: Path | None = None,
    ) -> None:
        self.trusted = trusted
        self.mode = mode
        self._rules = rules or Rules()
        self._strength = strength
        self._no_sandbox = no_sandbox
        self._confined = no_sandbox or strength is Strength.STRONG
        self._ground = Ground(root)
        self._shell = ShellJudge(self._ground)
        self._granted: list[Rule] = []

    @property
    def mode(self) -> Mode:
        """The mode that applies; setting it never goes beyond what trust allows."""
        return self._mode

    @mode.setter
    def mode(self, wanted: Mode) -> None:
        self._mode = capped(wanted, trusted=self.trusted)

    def judge(
        self, tool: str, effect: Effect, preview: Preview, *, network: bool = False
    ) -> Ruling:
        """May this call run? `network`: it wants the network, which no mode, rule or grant gives."""
        if effect is Effect.NOTE:
            return ALLOWED
        if effect in (Effect.EDIT, Effect.RUN) and self.mode is Mode.READ_ONLY:
            noun = "edits" if effect is Effect.EDIT else "commands"
            return Ruling(Verdict.DENY, f"mode {self.mode} refuses {noun}")
        if tool == "bash":
            return self._shell.judge(preview.body, self._standing(), network=network)
        if effect is Effect.RUN:
            return self._run(tool, preview.key, network=network)
        return self._file(tool, effect, preview.key)

    def grant(self, always: tuple[str, ...]) -> None:
        """Remember an "always in this session": the rules a ruling offered."""
        self._granted += map(parse_rule, always)

    def confinement(self, *, network: bool = False) -> str:
        """What holds a command while it runs, for the one who is asked."""
        net = "NETWORK OPEN" if network else "no network"
        if self._no_sandbox or self._strength is Strength.NONE:
            return "NO SANDBOX: it runs with all your rights, network included"
        if self._strength is Strength.PARTIAL:
            return f"sandbox: partial (see `aoci-agent doctor` for its gaps); {net}"
        return f"sandbox: strong; {net}"

    def _standing(self) -> Standing:
        allow = self._rules.allow if self.trusted else ()
        known = Rules((*allow, *self._granted), self._rules.ask, self._rules.deny)
        free = self.mode is Mode.FULL_AUTO and self._confined
        return Standing(known, reads=self.trusted, free=free, why=self._why(Effect.RUN))

    def _why(self, effect: Effect) -> str:
        """Why the mode asks."""
        if effect is Effect.RUN and self.mode is Mode.FULL_AUTO:
            return f"full-auto runs commands in a strong sandbox only; this one is {self._strength}"
        noun = "edits" if effect is Effect.EDIT else "commands"
        untrusted = "" if self.trusted else "; this folder is not trusted"
        return f"mode {self.mode} confirms {noun}{untrusted}"

    def _run(self, tool: str, key: str, *, network: bool) -> Ruling:
        """A program that is no line for bash: the project's tests, or a tool of another kind."""
        if tool == _TESTS and not self.trusted:
            return Ruling(Verdict.DENY, UNTRUSTED_TESTS)
        known, words = self._standing(), _words(key)
        if rule := _naming(known.rules.deny, tool, words):
            return Ruling(Verdict.DENY, f"rule deny: {rule.text}")
        if rule := _naming(known.rules.ask, tool, words):
            return Ruling(Verdict.ASK, f"rule ask: {rule.text}", (key,))
        if network:
            return Ruling(Verdict.ASK, "it wants the network", (key,))
        if known.free or _naming(known.rules.allow, tool, words):
            return ALLOWED
        first = "tests run the repository's own code; " if tool == _TESTS else ""
        always = (exact_command(tool, [word.text for word in words]),) if words else ()
        return Ruling(Verdict.ASK, first + known.why, (key,), always)

    def _file(self, tool: str, effect: Effect, path: str) -> Ruling:
        """Reading or changing a file. A path that may hold secrets asks in every mode."""
        known = self._standing().rules
        named = (tool, "edit") if effect is Effect.EDIT else (tool,)
        # A link is covered when its own name is, and that of what it leads to.
        places = list(dict.fromkeys((path, self._ground.real(path)))) if path else [path]

        def fitting(rules: tuple[Rule, ...]) -> Rule | None:
            fits = (
                rule
                for rule in rules
                if rule.tool in named
                and any(rule.covers_path(place, any_case=True) for place in places)
            )
            return next(fits, None)

        if rule := fitting(known.deny):
            return Ruling(Verdict.DENY, f"rule deny: {rule.text}")
        if rule := fitting(known.ask):
            return Ruling(Verdict.ASK, f"rule ask: {rule.text}")
        mine = [rule for rule in known.allow if rule.tool in named]
        exact = all(any(r.exact and r.covers_path(place) for r in mine) for place in places)
        covered = all(any(r.covers_path(place) for r in mine) for place in places)
        secret = bool(path) and self._ground.secret(path)
        free = effect is Effect.READ or self.mode in (Mode.AUTO_EDIT, Mode.FULL_AUTO) or covered
        if exact or (free and not secret):
            return ALLOWED
        why = f"{path} may hold secrets" if secret else self._why(effect)
        always = tuple(exact_path(named[-1], place) for place in places if place)
        return Ruling(Verdict.ASK, why, always=always)


def _words(key: str) -> list[Word]:
    try:
        return [Word(text) for text in shlex.split(key)]
    except ValueError:
        return [Word(key)]


def _naming(rules: tuple[Rule, ...], tool: str, words: list[Word]) -> Rule | None:
    return next((rule for rule in rules if rule.tool == tool and rule.covers(words)), None)
