"""What the screen needs of a session: a protocol at the consumer, satisfied by the agent room."""

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:  # the agent room reaches pydantic, which must not delay the first paint
    from collections.abc import AsyncGenerator

    from aoci_agent.agent.approval import Mode
    from aoci_agent.agent.budget import Line
    from aoci_agent.agent.events import Event, Notice, SessionStarted
    from aoci_agent.agent.gauge import Gauge
    from aoci_agent.agent.meter import StepRecord, Totals
    from aoci_agent.agent.past import What
    from aoci_agent.agent.preview import Choice
    from aoci_agent.agent.rewind import Point, Preview, Rewound
    from aoci_agent.agent.saving import Saving
    from aoci_agent.base.trust_store import Trust
    from aoci_agent.policies.conversation import Message


class Status(Protocol):
    """Where the session stands right now. `model` is "" when none is set."""

    @property
    def model(self) -> str: ...

    @property
    def policy(self) -> str: ...

    @property
    def mode(self) -> "Mode": ...

    @property
    def index_status(self) -> str: ...

    @property
    def window(self) -> int | None:
        """Context window of the model in tokens, None when unknown."""
        ...

    @property
    def branch(self) -> str:
        """Branch checked out, "" without git or when detached."""
        ...

    @property
    def sandbox(self) -> str:
        """What holds commands: strong, partial, NONE, or OFF by the person's own word."""
        ...

    @property
    def trusted(self) -> bool:
        """Whether the folder may run and configure things."""
        ...


class Rewinding(Protocol):
    """Going back to before a question. Satisfied by `agent.rewind.Rewind`."""

    async def points(self) -> "tuple[Point, ...]":
        """Where one can go back to, newest first."""
        ...

    async def preview(self, point: "Point") -> "Preview":
        """What going back would do to files."""
        ...

    async def restore(
        self, point: "Point", what: "What" = "both", *, only_safe: bool = False
    ) -> "Rewound":
        """Go back. Raises ForUser, and has then changed nothing."""
        ...


class Session(Protocol):
    """One conversation in one repository. Everything slow happens behind `ready`."""

    async def ready(self) -> "SessionStarted":
        """Open repository, index and model; may take seconds. Raises ForUser; may be called again."""
        ...

    def run(self, prompt: str) -> "AsyncGenerator[Event]":
        """One turn. Closing it, or cancelling the task that reads it, stops model and command."""
        ...

    @property
    def status(self) -> Status: ...

    def set_mode(self, mode: "Mode") -> None: ...

    async def set_model(self, name: str) -> str:
        """Switch the model and return a line to show. Raises ForUser."""
        ...

    def set_policy(self, name: str) -> str:
        """Switch the context policy and return a line to show. Raises ForUser."""
        ...

    def compact(self, focus: str) -> "AsyncGenerator[Event]":
        """Make room in the window: a digest, and a summary that keeps what `focus` names."""
        ...

    @property
    def notices(self) -> "tuple[Notice, ...]":
        """What to know before the first question: of a resumed session, of what does not fit."""
        ...

    @property
    def messages(self) -> "tuple[Message, ...]":
        """The conversation as it is: of a resumed session, what was said before."""
        ...

    @property
    def rewind(self) -> Rewinding:
        """Goes back in this session."""
        ...

    @property
    def trust(self) -> "Trust":
        """Whether the folder is trusted, and what it would run or configure."""
        ...

    def set_trust(self, *, trusted: bool) -> str:
        """Keep the person's decision about the folder; a line to show. Raises ForUser."""
        ...

    def clear(self) -> None:
        """Start a new conversation in the same session record."""
        ...

    def cost(self) -> "Totals": ...

    def steps(self) -> "tuple[StepRecord, ...]": ...

    def turn(self) -> "Totals":
        """Sums of the newest turn, also of one that was interrupted."""
        ...

    def gauge(self) -> "Gauge":
        """How full the window is: the last request and its reply, or an estimate of the next one."""
        ...

    def saving(self) -> "Saving | None":
        """What the index saved in the newest turn, estimated; None when it was not sent."""
        ...

    def limits(self) -> "tuple[Line, ...]":
        """Every limit, and what is used of it."""
        ...

    def set_limit(self, key: str, value: str) -> str:
        """Change a limit and return a line to show. Raises ForUser."""
        ...

    async def policies(self, prompt: str) -> "tuple[Choice, ...]":
        """The next call under each policy, for this prompt or, when it is "", the last question."""
        ...

    async def index(self, words: str) -> str:
        """ "" gives the status, "show PATH" an entry, anything else a search. Needs no model."""
        ...

    async def models(self) -> tuple[str, ...]:
        """Names to offer: servers found on the usual local ports, and configured models."""
        ...

    async def close(self) -> None:
        """Stop what runs and release everything."""
        ...
