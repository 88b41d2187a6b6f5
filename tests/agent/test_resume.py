"""A session resumed from its record: what comes back, what does not, and what damage costs."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from support.fakes import call, says
from support.notices import own_notices

from aoci_agent.agent.approval import Answer, Decision, DenyAll
from aoci_agent.agent.events import (
    ApprovalAnswered,
    Event,
    Grew,
    HistoryRewritten,
    Notice,
    SessionStarted,
    StepFinished,
    StepStarted,
    ToolFinished,
    ToolStarted,
    TurnStarted,
)
from aoci_agent.agent.meter import StepRecord, Totals
from aoci_agent.agent.mode import Mode
from aoci_agent.agent.models.model import Reply, Usage
from aoci_agent.agent.models.scripted import ScriptedModel
from aoci_agent.agent.record import SessionRecord
from aoci_agent.agent.resume import find, message_of, read
from aoci_agent.agent.session import Session
from aoci_agent.assembly import open_session
from aoci_agent.base.errors import BadUsage, ForUser
from aoci_agent.base.places import Places
from aoci_agent.bench import Launch
from aoci_agent.config import Settings
from aoci_agent.policies.conversation import (
    AssistantMessage,
    Message,
    ToolCall,
    ToolMessage,
    UserMessage,
    said,
)
from aoci_agent.policies.digest import Digest, digest_of
from aoci_agent.policies.validity import INTERRUPTED, NOT_STARTED, STARTED
from aoci_agent.tools.tool import Check, Preview


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    root = tmp_path / "shop"
    root.mkdir()
    (root / "prices.py").write_text('"""Prices."""\n\n\ndef price(weight):\n    return 2\n')
    return root


def launch(root: Path, resume: Path | None = None, **settings: object) -> Launch:
    env = {"AOCI_AGENT_HOME": str(root.parent / "home")}
    trust = bool(settings.pop("trust", False))
    chosen = frozenset(settings)
    made = Settings.model_validate(settings)
    places = Places(env)
    opening = Launch(root, made, places, env, resume=resume, trust=trust, no_sandbox=trust)
    return replace(opening, chosen=chosen)


def opened(
    root: Path, *lines: AssistantMessage, resume: Path | None = None, **s: object
) -> Session:
    session = open_session(launch(root, resume, **s), DenyAll())
    if lines:
        session.agent.model = ScriptedModel(lines, name=session.agent.model.name)
    return session


async def turn(session: Session, prompt: str) -> list[Event]:
    return [event async for event in session.run(prompt)]


def record_of(root: Path) -> Path:
    (file,) = (root.parent / "home/data/sessions").glob("*/*.jsonl")
    return file


STARTED_FULL = SessionStarted("one", "/r", "m", "aoci", "full-auto", "", "p", "", "", "")
READ = ToolCall("r1", "read", '{"path": "prices.py"}')
TODO = ToolCall("t1", "todo", '{"items": [{"text": "weigh it"}]}')


async def left(shop: Path) -> Session:
    session = opened(shop, says("", READ, TODO), says("It is two."), policy="aoci")
    await turn(session, "what is the price?")
    await session.close()
    return session


async def test_the_conversation_the_sums_and_the_prefix_come_back(shop: Path) -> None:
    """19: the gauge is what it was, measured; the prefix has the same bytes."""
    first = await left(shop)
    again = opened(shop, says("Still two."), resume=record_of(shop))
    assert again.messages == first.messages
    assert again.agent.conversation.prefix == first.agent.conversation.prefix
    assert again.cost() == first.cost()
    assert again.steps() == first.steps()
    assert again.account.gauge() == first.account.gauge()
    assert again.started.session_id == first.started.session_id
    assert ["1 turn, 2 steps" in told for told in own_notices(again)] == [True]
    assert again.agent.conversation.notebook.pinned == first.agent.conversation.notebook.pinned
    assert "weigh it" in again.agent.conversation.notebook.pinned.facts.todo
    await turn(again, "sure?")
    model = again.agent.model
    assert isinstance(model, ScriptedModel)
    assert model.requests[0].messages[: len(first.messages)] == first.messages
    await again.close()
    third = read(record_of(shop))
    assert third.turns == 2
    assert third.messages == again.messages
    assert third.totals == again.cost()


async def test_the_same_bytes_without_saying_the_budget_again(shop: Path) -> None:
    for number in range(200):
        (shop / f"row_{number}.py").write_text(f"def weigh_{number}(row):\n    return {number}\n")
    first = opened(shop, says("Two."), index_budget=2_000)
    await turn(first, "price?")
    await first.close()
    again = opened(shop, resume=record_of(shop))
    assert again.agent.conversation.prefix == first.agent.conversation.prefix
    assert len(own_notices(again)) == 1
    await again.close()


async def test_an_index_that_changed_is_said(shop: Path) -> None:
    await left(shop)
    (shop / "weights.py").write_text("def weigh():\n    return 3\n")
    again = opened(shop, resume=record_of(shop))
    assert "what follows the first difference is sent anew" in own_notices(again)[1]
    assert again.started.prefix_id in own_notices(again)[1]
    await again.close()


async def test_policy_comes_back_and_the_mode_does_not(shop: Path) -> None:
    session = opened(shop, says("Two."), policy="aoci", mode="full-auto")
    session.set_policy("grep-read")
    await turn(session, "price?")
    await session.close()
    again = opened(shop, resume=record_of(shop))
    assert again.status.policy == "grep-read"
    assert again.status.mode is Mode.ASK
    assert again.agent.conversation.prefix.content_id == read(record_of(shop)).prefix_id
    await again.close()
    other = opened(shop, resume=record_of(shop), policy="aoci")
    assert other.status.policy == "aoci"
    await other.close()


async def test_the_model_chosen_last_comes_back_and_a_policy_that_does_not_fit_is_refused(
    shop: Path,
) -> None:
    session = opened(shop, says("Two."), policy="grep-read", model="ollama/one")
    await turn(session, "price?")
    await session.set_model("ollama/other")
    await session.close()
    again = opened(shop, resume=record_of(shop))
    assert again.status.model == "ollama/other"
    again.agent.model = ScriptedModel([], window=2_700)
    with pytest.raises(BadUsage, match="does not fit this model"):
        again.set_policy("aoci")
    assert again.status.policy == "grep-read"
    await again.close()


async def test_a_record_is_written_by_one_at_a_time(shop: Path) -> None:
    await left(shop)
    again = opened(shop, resume=record_of(shop))
    with pytest.raises(ForUser, match="open in another terminal"):
        opened(shop, resume=record_of(shop))
    await again.close()
    await opened(shop, resume=record_of(shop)).close()


@pytest.mark.gate("R10")
@pytest.mark.parametrize("cut", [2, 30, 200])
async def test_a_torn_tail_costs_its_line_only_and_is_kept_beside(shop: Path, cut: int) -> None:
    await left(shop)
    file = record_of(shop)
    torn = file.read_bytes()[:-cut]
    file.write_bytes(torn)
    again = opened(shop, says("Two."), resume=file)
    whole = torn[: torn.rindex(b"\n") + 1]
    assert file.read_bytes().startswith(whole)
    assert file.with_name(file.name + ".bad").read_bytes() == torn[len(whole) :]
    assert any("torn off by a crash" in notice.text for notice in again.notices)
    await turn(again, "go on")
    await again.close()
    assert read(file).turns == 2
    assert read(file).unread == 0


async def test_damaged_lines_are_said_and_the_rest_is_there_and_can_be_sent(shop: Path) -> None:
    """93 on load: whatever is missing, every call has one answer."""
    first = await left(shop)
    file = record_of(shop)
    lines = file.read_bytes().splitlines(keepends=True)
    grown = [at for at, line in enumerate(lines) if b'"Grew"' in line[:20]]
    for at in grown:
        broken = [line if n != at else b"\x00\xff not json\n" for n, line in enumerate(lines)]
        file.write_bytes(b"".join(broken))
        again = opened(shop, says("Two."), resume=file)
        assert any("1 line of" in notice.text for notice in again.notices)
        messages = again.messages
        calls = [c.id for m in messages if isinstance(m, AssistantMessage) for c in m.calls]
        answers = [m.call_id for m in messages if isinstance(m, ToolMessage)]
        assert calls == answers
        assert set(messages) - set(first.messages) <= {
            ToolMessage(c.id, c.name, text, ok=False)
            for c in (READ, TODO)
            for text in (INTERRUPTED, STARTED, NOT_STARTED)
        }
        await again.close()
        file.write_bytes(b"".join(lines))


def test_a_session_that_was_killed_in_a_call_is_closed_and_said(tmp_path: Path) -> None:
    file = tmp_path / "one.jsonl"
    record = SessionRecord(file)
    record.write(SessionStarted("one", "/r", "m", "aoci", "ask", "", "p", "", "", ""))
    record.write(TurnStarted("go"))
    record.write(Grew((said("go"), says("", call("look", "a"), call("look", "b")))))
    record.write(Grew((ToolMessage("look-a", "look", "saw"),)))
    record.close()
    made = read(file)
    assert [m.text for m in made.messages if isinstance(m, ToolMessage)] == ["saw", NOT_STARTED]
    assert (made.closed, made.dropped, made.unread) == (1, 0, 0)


def test_a_request_that_was_never_answered_says_nothing_of_the_one_before(tmp_path: Path) -> None:
    file = tmp_path / "one.jsonl"
    record = SessionRecord(file)
    record.write(SessionStarted("one", "/r", "m", "aoci", "ask", "", "p", "", "", ""))
    record.write(Grew((said("go"),)))
    record.write(StepStarted(1, 900))
    record.write(Grew((says("done"),)))
    record.write(StepFinished(StepRecord(1, "m", "aoci", Usage(1_000)), Totals()))
    record.write(Grew((said("and?"),)))
    record.write(StepStarted(1, 5_000))
    record.close()
    made = read(file)
    assert (made.sent, made.local, made.steps[-1].usage.prompt) == (1, 900, 1_000)


def test_what_a_session_that_went_on_closed_is_counted_where_it_was_sent(tmp_path: Path) -> None:
    file = tmp_path / "one.jsonl"
    record = SessionRecord(file)
    started = SessionStarted("one", "/r", "m", "aoci", "ask", "", "p", "", "", "")
    record.write(started)
    record.write(Grew((said("go"), says("", call("look", "a")))))
    record.write(started)
    record.write(Grew((said("go on"),)))
    record.write(StepStarted(1, 900))
    record.write(Grew((says("done"),)))
    record.write(StepFinished(StepRecord(1, "m", "aoci", Usage(1_000)), Totals()))
    record.close()
    made = read(file)
    assert (made.sent, len(made.messages), made.closed) == (4, 5, 0)


def test_history_that_was_rewritten_or_cleared_comes_back_so(tmp_path: Path) -> None:
    file = tmp_path / "one.jsonl"
    record = SessionRecord(file)
    record.write(SessionStarted("one", "/r", "m", "aoci", "ask", "", "p", "", "", ""))
    digest = digest_of([said("why?"), says("because")], "Files changed: a.py")
    record.write(Grew((said("why?"), says("because"))))
    record.write(HistoryRewritten("old steps digested", (digest,)))
    record.write(Grew((said("and?"),)))
    record.close()
    assert read(file).messages == (digest, said("and?"))
    record = SessionRecord(file)
    record.write(HistoryRewritten("cleared by the user", ()))
    record.close()
    assert read(file).messages == ()


MESSAGES: tuple[Message, ...] = (
    said("why?", "1. a.py:1-2", "[note]"),
    UserMessage("check it", harness=True),
    AssistantMessage("so", (ToolCall("c", "read", "{}"),), "hm"),
    ToolMessage(
        *("c", "read", "text", False, "read a.py", ("a.py",), ("b.py",)),
        check=Check("t", False, ("x",)),
    ),
    digest_of([said("why?"), says("because")], "Files changed: a.py"),
)


@pytest.mark.parametrize("message", MESSAGES, ids=lambda m: type(m).__name__)
def test_a_message_is_the_same_after_its_json(message: Message) -> None:
    from dataclasses import asdict

    data = json.loads(json.dumps(asdict(message)))
    assert message_of(data) == message
    assert type(message_of(data | {"of_a_later_version": 1})) is type(message)


def test_a_session_is_found_by_the_beginning_of_its_id(tmp_path: Path) -> None:
    with pytest.raises(BadUsage, match="no earlier session"):
        find(tmp_path)
    for name, spoken in (("20260101-a", True), ("20260102-b", True), ("20260103-c", False)):
        record = SessionRecord(tmp_path / f"{name}.jsonl")
        record.write(TurnStarted("x"))
        if spoken:
            record.write(Grew((said("x"),)))
        record.close()
    assert find(tmp_path).stem in ("20260101-a", "20260102-b")
    assert find(tmp_path, "20260103").stem == "20260103-c"
    with pytest.raises(BadUsage, match="3 sessions begin with"):
        find(tmp_path, "2026")
    with pytest.raises(BadUsage, match="no session begins with"):
        find(tmp_path, "1999")


def test_what_is_no_record_is_said(tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_text("hello\n")
    with pytest.raises(BadUsage, match="no record of a session"):
        read(tmp_path / "x.jsonl")


def test_a_digest_is_a_message_of_the_harness() -> None:
    made = digest_of([said("why?")], "")
    assert isinstance(made, Digest)
    assert made.harness


async def test_a_record_is_held_before_it_is_read_and_let_go_when_it_cannot_be(shop: Path) -> None:
    path = shop.parent / "notes.jsonl"
    path.write_text('{"no": "record"}\n')
    other = SessionRecord(path)
    with pytest.raises(ForUser, match="open in another terminal"):
        opened(shop, resume=path)
    other.close()
    for _ in "12":
        with pytest.raises(BadUsage, match="no record of a session"):
            opened(shop, resume=path)
    assert path.read_text() == '{"no": "record"}\n'


async def test_what_the_session_itself_says_is_in_the_record(shop: Path) -> None:
    session = opened(shop)
    silent = Reply(says("Two."), Usage(fresh=9_000), "stop", "m")
    session.agent.model = ScriptedModel([silent], name="anthropic/claude-x")
    told = [event for event in await turn(session, "price?") if isinstance(event, Notice)]
    await session.close()
    assert any(notice.text.startswith("cache: ") for notice in told)
    lines = map(json.loads, record_of(shop).read_text().splitlines())
    kept = [Notice(line["text"], line["level"]) for line in lines if line["type"] == "Notice"]
    assert kept == told


async def test_tools_that_changed_are_noticed(shop: Path) -> None:
    first = await left(shop)
    before = first.agent.conversation.prefix
    tool, *others = before.tools
    changed = replace(before, tools=(replace(tool, description="Another."), *others))
    assert changed.content_id != before.content_id
    whole = re.sub(r', "crc": "\w{8}"\}', "}", record_of(shop).read_text())
    record_of(shop).write_text(whole.replace(before.content_id, changed.content_id))
    again = opened(shop, resume=record_of(shop))
    assert "rules, tools, index or policy" in own_notices(again)[1]
    await again.close()


@pytest.mark.gate("T35", "R09")
async def test_what_a_record_says_was_allowed_is_neither_run_nor_allowed(shop: Path) -> None:
    """A record from somebody else: full-auto, an approval for the session, a command under way."""
    await left(shop)
    file = record_of(shop)
    evil = ToolCall("x", "bash", '{"command": "touch ran"}')
    record = SessionRecord(file)
    record.write(replace(STARTED_FULL, model=""))
    record.write(ApprovalAnswered("x", Decision(Answer.SESSION)))
    record.write(Grew((said("go"), says("", evil))))
    record.write(ToolStarted(evil, Preview("command", "touch ran", "touch ran", "touch ran")))
    record.close()
    again = opened(shop, says("", replace(evil, id="y")), says("No."), resume=file)
    assert again.messages[-1].text == STARTED
    events = await turn(again, "go on")
    await again.close()
    assert [e.status for e in events if isinstance(e, ToolFinished)] == ["denied"]
    assert (again.status.mode, (shop / "ran").exists()) == (Mode.ASK, False)


@pytest.mark.gate("T35", control=True)
async def test_the_same_command_runs_where_it_is_allowed(shop: Path) -> None:
    evil = ToolCall("x", "bash", '{"command": "touch ran"}')
    session = opened(shop, says("", evil), says("Done."), mode="full-auto", trust=True)
    await turn(session, "go")
    await session.close()
    assert (shop / "ran").exists()
