"""The safe hands of a session: which mode may hold, who else works here, and the way back."""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Protocol

from aoci_agent.agent.continuing import take_up
from aoci_agent.agent.events import Notice
from aoci_agent.agent.folder_trust import FolderTrust, decided_line
from aoci_agent.agent.loop import Agent
from aoci_agent.agent.mode import Mode
from aoci_agent.agent.past import Past
from aoci_agent.agent.permissions import Permissions, capped
from aoci_agent.agent.rewind import Rewind
from aoci_agent.agent.trusting import UNTRUSTED, Terms
from aoci_agent.agent.undo import Undo
from aoci_agent.base.box import Box, Strength, Unboxed
from aoci_agent.base.errors import Exit, ForUser
from aoci_agent.base.trust import Fingerprint
from aoci_agent.base.trust_store import Trust, TrustStore

NOT_TRUSTED = (
    "this folder is not trusted: its tests and instructions are left out, nothing runs unasked "
    "(--trust, for this run)"
)
WITHOUT = "--dangerously-no-sandbox: commands run with all your rights, network included"


class Held(Protocol):
    """The folder, held for this session alone. Satisfied by `base.occupied.Occupation`."""

    def close(self) -> None: ...


class _Nothing:
    """Holds nothing."""

    def close(self) -> None: ...


class NoStrongBox(ForUser):
    """A strong sandbox was asked for, and there is none."""

    exit_code = Exit.LIMIT

    def __init__(self, what: str, box: Box) -> None:
        super().__init__(
            f"{what} a strong sandbox, and this one is {box.strength}: {box.why}",
            "install bubblewrap (`aoci-agent doctor` says more), or pass --dangerously-no-sandbox",
        )


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a session is surrounded by. `take` holds the folder alone, or raises Occupied."""

    box: Box
    no_sandbox: bool
    take: Callable[[], Held]
    left: Callable[[], str] = str  # at the end: what of a worktree stays, "" for nothing
    told: tuple[str, ...] = ()  # of worktrees: this one, and those of sessions that died
    terms: Terms = UNTRUSTED  # of the rules in the prompt


class Safety:
    """Decides about mode and trust, and holds what must be released at the end."""

    def __init__(
        self,
        permissions: Permissions,
        trust: FolderTrust,
        undo: Undo,
        rewind: Rewind,
        around: Surroundings,
    ) -> None:
        self.rewind = rewind
        self.undo = undo
        self._permissions = permissions
        self._trust = trust
        self._around = around
        self._held: Held | None = None
        self.notices: tuple[Notice, ...] = ()  # what to know before the first question
        self.terms = around.terms

    @property
    def mode(self) -> Mode:
        """The mode that holds."""
        return self._permissions.mode

    @property
    def trusted(self) -> bool:
        """Whether the folder may run and configure things in this session."""
        return self._permissions.trusted

    @property
    def trust(self) -> Trust:
        """What the person decided about the folder."""
        return self._trust.trust

    @property
    def sandbox(self) -> str:
        """For the status line: strong, partial, NONE, or OFF."""
        if self._around.no_sandbox:
            return "OFF"
        strength = self._around.box.strength
        return "NONE" if strength is Strength.NONE else str(strength)

    def begin(self, mode: Mode, *, attended: bool) -> None:
        """Start in this mode, or in the widest that holds, saying so. Raises ForUser where it must not start."""
        box, told = self._around.box, [*self._around.told, *self._trust.notices]
        if self._around.no_sandbox:
            told.append(WITHOUT)
        elif box.strength is not Strength.STRONG:
            gaps = f"; open: {', '.join(box.gaps)}" if box.gaps else ""
            told.append(f"sandbox {self.sandbox}: {box.why}{gaps}")
        allowed = capped(mode, trusted=self._permissions.trusted)
        if allowed is not mode:
            if not attended:
                raise ForUser(
                    f"mode {mode} needs a trusted folder", "pass --trust, or another --mode"
                )
            told.append(f"mode {allowed}, not {mode}: this folder is not trusted (/trust)")
        if not attended and not self.trusted:
            told.append(NOT_TRUSTED)
        try:
            self.set_mode(allowed)
        except NoStrongBox:
            raise
        except ForUser as error:
            self._permissions.mode = Mode.READ_ONLY
            told.append(f"{error.message}; mode read-only ({error.hint})")
        self.notices = tuple(Notice(one, "warning") for one in told)

    def set_mode(self, mode: Mode) -> None:
        """Raises ForUser, and keeps the mode, where this one may not hold."""
        if capped(mode, trusted=self._permissions.trusted) is not mode:
            raise ForUser(f"mode {mode} needs a trusted folder", "/trust shows what that means")
        if mode is Mode.FULL_AUTO and not self._confined():
            raise NoStrongBox("full-auto needs", self._around.box)
        if mode is not Mode.READ_ONLY:
            self.hold()
        self._permissions.mode = mode

    def hold(self) -> None:
        """From now on no other session writes in the folder. Raises Occupied where one does already."""
        if self._held is None:
            self._held = self._around.take()

    def set_trust(self, *, trusted: bool, fresh: bool) -> str:
        """Keep the person's decision; says what it changes now, and what at the next start.

        `fresh`: no model has seen the rules of this session yet, so that they may still change.
        """
        terms = self._trust.decide(trusted=trusted)
        self._permissions.trusted = trusted
        before, self._permissions.mode = self.mode, self.mode
        if fresh:
            self.terms = terms
        capped_to = f"; mode {self.mode}" if self.mode is not before else ""
        return decided_line(terms, fresh=fresh) + capped_to

    async def close(self) -> str:
        """Release all; what of the work stays elsewhere, "" for nothing."""
        await self.undo.close()
        self._let_go()
        return self._around.left()

    @contextmanager
    def held_on_success(self) -> Generator[None]:
        """What fails in it lets the folder go: the screen may try again."""
        try:
            yield
        except BaseException:
            self._let_go()
            raise

    def _let_go(self) -> None:
        if self._held is not None:
            self._held.close()
            self._held = None

    def _confined(self) -> bool:
        return self._around.no_sandbox or self._around.box.strength is Strength.STRONG


def bare(permissions: Permissions, agent: Agent, home: Path) -> Safety:
    """For measures in a folder of their own: no snapshots, no lock, no box. `home` takes nothing."""
    undo = Undo(None, "", bool)
    trust = FolderTrust(TrustStore(home / "trust.json"), home, Fingerprint(()), (), flag=True)
    rewind = Rewind(undo, Past(agent.recorder), partial(take_up, agent))
    return Safety(
        permissions, trust, undo, rewind, Surroundings(Unboxed(), no_sandbox=True, take=_Nothing)
    )
