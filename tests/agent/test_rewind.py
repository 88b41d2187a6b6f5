"""Going back: never over what somebody else did, and the conversation with it."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st
from support.net import Net, run, state, workspace

from aoci_agent.agent.events import Grew, HistoryRewritten, SessionStarted, TurnStarted
from aoci_agent.agent.past import Past
from aoci_agent.agent.record import NoRecord, SessionRecord
from aoci_agent.agent.resume import read
from aoci_agent.agent.rewind import Refused
from aoci_agent.policies.conversation import AssistantMessage, Message, ToolCall, UserMessage, said
from aoci_agent.policies.validity import mended


async def net_in(tmp_path: Path, kind: str = "none") -> Net:
    net = Net(workspace(tmp_path, kind), tmp_path / "store")
    await net.asks("change it")
    return net


@pytest.mark.gate("P91", "R06", "S14")
@pytest.mark.parametrize(
    ("person", "why"),
    [
        ("echo mine >> a.py", "it was changed since"),
        ("rm a.py", "it was removed since"),
        ("chmod +x a.py", "it was changed since"),
        ("rm a.py; ln -s data.bin a.py", "it was changed since"),
        ("rm a.py; mkdir a.py", "it was changed since"),
    ],
)
async def test_a_later_edit_of_somebody_else_is_never_overwritten(
    person: str, why: str, tmp_path: Path
) -> None:
    net = await net_in(tmp_path)
    await net.edits("a.py", b"agent\n")
    await net.edits("src/b.py", b"agent\n")
    run(net.root, person)
    now = state(net.root)
    with pytest.raises(Refused) as refused:
        await net.back()
    assert [(file.path, file.why) for file in refused.value.conflicts] == [("a.py", why)]
    assert state(net.root) == now
    await net.back(only_safe=True)
    assert (net.root / "src/b.py").read_bytes() == b"import a\r\nprint('b')\r\n"
    assert state(net.root)[b"a.py" if b"a.py" in now else b"src"] == now.get(b"a.py", now[b"src"])
    await net.close()


@pytest.mark.gate("P91")
async def test_the_refusal_shows_what_somebody_else_did(tmp_path: Path) -> None:
    net = await net_in(tmp_path)
    await net.edits("a.py", b"one\ntwo\n")
    (net.root / "a.py").write_bytes(b"one\n2\n")
    with pytest.raises(Refused, match="changed by somebody else since the agent did: a") as no:
        await net.back()
    assert ["-two\n+2" in file.diff for file in no.value.conflicts] == [True]
    await net.close()


@pytest.mark.gate("P91")
async def test_an_edit_between_two_of_the_agents_is_never_lost(tmp_path: Path) -> None:
    net = await net_in(tmp_path)
    await net.edits("a.py", b"agent\n")
    (net.root / "a.py").write_bytes(b"agent\nperson\n")
    await net.edits("a.py", b"agent\nperson\nagent\n")
    preview = await net.rewind.preview((await net.rewind.points())[0])
    assert [f.why for f in preview.conflicts] == [
        "it was changed between two of the agent's changes"
    ]
    await net.close()


async def test_what_somebody_undid_by_hand_is_no_conflict(tmp_path: Path) -> None:
    net = await net_in(tmp_path)
    old = (net.root / "a.py").read_bytes()
    await net.edits("a.py", b"agent\n")
    (net.root / "a.py").write_bytes(old)
    preview = await net.rewind.preview((await net.rewind.points())[0])
    assert (preview.files, preview.conflicts) == ((), ())
    await net.close()


async def test_somebody_elses_file_in_the_agents_folder_keeps_the_folder(tmp_path: Path) -> None:
    net = await net_in(tmp_path)
    await net.runs("mkdir -p out/deep; echo a > out/deep/a; echo b > out/b")
    (net.root / "out/deep/mine").write_text("mine\n")
    assert (await net.back()).failed == {}
    assert sorted(path.name for path in (net.root / "out").rglob("*")) == ["deep", "mine"]
    await net.close()


async def test_a_file_where_a_folder_was_is_a_conflict_for_all_below(tmp_path: Path) -> None:
    net = await net_in(tmp_path)
    await net.runs("rm -r src")
    (net.root / "src").write_text("the person's own\n")
    with pytest.raises(Refused):
        await net.back()
    await net.back(only_safe=True)
    assert (net.root / "src").read_text() == "the person's own\n"
    await net.close()


async def test_a_preview_says_what_would_happen(tmp_path: Path) -> None:
    net = await net_in(tmp_path)
    await net.runs("printf 'x\\ny\\n' > a.py; rm src/b.py; echo new > made.txt; chmod +x empty")
    preview = await net.rewind.preview((await net.rewind.points())[0])
    assert {f.path: (f.added, f.removed) for f in preview.files} == {
        "a.py": (1, 2), "src/b.py": (2, 0), "made.txt": (0, 1), "empty": (0, 0),
    }  # fmt: skip
    await net.close()


# -- a model: the agent edits, the person edits, undo never takes a byte of the person's ------------

FILES = ("a", "b", "d/c", "d/e/f")
ACTIONS = st.lists(
    st.tuples(st.sampled_from(("agent", "person", "ask")), st.sampled_from(FILES), st.integers(0, 3)),
    max_size=12,
)  # fmt: skip


class Model:
    """What a file was before the agent's first change since each question, and who changed it after."""

    def __init__(self) -> None:
        self.before: list[dict[str, str | None]] = []
        self.persons: list[set[str]] = []

    def ask(self) -> None:
        self.before.append({})
        self.persons.append(set())

    def agent(self, name: str, old: str | None) -> None:
        for turn in self.before:
            turn.setdefault(name, old)

    def person(self, name: str) -> None:
        for turn, names in zip(self.before, self.persons, strict=True):
            if name in turn:
                names.add(name)


@pytest.mark.gate("S12", "P87", "P91", "R06")
@settings(max_examples=25)
@given(actions=ACTIONS, back=st.integers(1, 4), safe=st.booleans())
async def test_undo_never_loses_a_byte_of_somebody_else(
    tmp_path_factory: pytest.TempPathFactory,
    actions: list[tuple[str, str, int]],
    back: int,
    safe: bool,  # noqa: FBT001
) -> None:
    folder = tmp_path_factory.mktemp("model")
    root = folder / "ws"
    for name in FILES[:3]:
        put(root / name, "start\n")
    net, model = Net(root, folder / "store", git=False), Model()
    for number, (who, name, what) in enumerate([("ask", "", 0), *actions]):
        old = content(root / name)
        new = None if what == 0 and old is not None else f"{who} {number}\n"
        if who == "ask":
            await net.asks()
            model.ask()
        elif who == "agent":
            model.agent(name, old)
            await net.edits(name, new.encode() if new is not None else None)
        else:
            model.person(name)
            put(root / name, new)
    turn = min(back, len(model.before))
    before, persons = model.before[turn - 1], model.persons[turn - 1]
    now = {name: content(root / name) for name in FILES}
    try:
        await net.back(turn, only_safe=safe)
        expected = {n: now[n] if n in persons else before.get(n, now[n]) for n in FILES}
    except Refused:
        assert persons
        assert not safe
        expected = now
    assert {name: content(root / name) for name in FILES} == expected
    await net.close()


def content(path: Path) -> str | None:
    return path.read_text() if path.is_file() else None


def put(path: Path, text: str | None) -> None:
    if text is None:
        path.unlink()
    else:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


# -- the conversation -------------------------------------------------------------------------------

STARTED = SessionStarted("s1", "/x", "m", "grep-read", "ask", "", "p", "", "no index", "0")


def words(messages: tuple[Message, ...]) -> list[str]:
    return [m.question if isinstance(m, UserMessage) else m.text for m in messages]


async def test_the_conversation_ends_before_the_question_and_redo_brings_it_back(
    tmp_path: Path,
) -> None:
    net = Net(workspace(tmp_path, "none"), tmp_path / "store")
    for prompt in ("one", "two", "three"):
        await net.asks(prompt)
        await net.edits("a.py", prompt.encode())
    done = await net.back(2, "both")
    assert done.prompt == "two"
    assert words(net.taken_up[-1]) == ["one", "done"]
    assert (net.root / "a.py").read_bytes() == b"one"
    assert [p.name[0] for p in await net.rewind.points()] == ["r", "t"]
    await net.redo("both")
    assert words(net.taken_up[-1]) == ["one", "done", "two", "done", "three", "done"]
    assert (net.root / "a.py").read_bytes() == b"three"
    names = [p.name for p in await net.rewind.points()]
    assert names[1:] == ["turn 3", "turn 2", "turn 1"]
    await net.back("turn 3", "conversation")
    assert words(net.taken_up[-1]) == ["one", "done", "two", "done"]
    assert (net.root / "a.py").read_bytes() == b"three"
    await net.close()


async def test_after_a_rewinding_a_new_question_counts_on(tmp_path: Path) -> None:
    net = Net(workspace(tmp_path, "none"), tmp_path / "store")
    await net.asks("one")
    await net.edits("a.py", b"1")
    await net.asks("two")
    await net.edits("a.py", b"2")
    await net.back(2, "both")
    await net.asks("other")
    await net.edits("a.py", b"3")
    points = await net.rewind.points()
    assert [p.prompt for p in points] == ["other", "turn 2", "one"]
    await net.back(points[0].name, "both")
    assert (net.root / "a.py").read_bytes() == b"1"
    await net.back(1, "both")
    assert (net.root / "a.py").read_bytes() == b"print('a, changed and not committed')\n"
    assert words(net.taken_up[-1]) == []
    await net.close()


@pytest.mark.gate("P91", "R09")
async def test_a_resumed_session_has_the_rewound_conversation_and_its_points(
    tmp_path: Path,
) -> None:
    path = tmp_path / "sessions/s1.jsonl"
    net = Net(workspace(tmp_path, "none"), tmp_path / "store", recorder=SessionRecord(path))
    net.past.write(STARTED)
    for prompt in ("one", "two", "three"):
        await net.asks(prompt)
        await net.edits("a.py", prompt.encode())
    await net.back(2, "both")
    net.past.close()
    await net.close()
    assert words(read(path).messages) == ["one", "done"]
    past = Past(NoRecord())
    past.read(path, read(path).messages)
    later = Net(net.root, tmp_path / "store", past=past)
    points = await later.rewind.points()
    assert [(p.name[0], p.files) for p in points] == [("r", 1), ("t", 1)]
    await later.redo("both")
    assert (net.root / "a.py").read_bytes() == b"three"
    assert words(later.taken_up[-1])[-2:] == ["three", "done"]
    await later.close()


async def test_points_survive_a_compaction_and_clear(tmp_path: Path) -> None:
    net = Net(workspace(tmp_path, "none"), tmp_path / "store")
    await net.asks("one")
    net.past.write(HistoryRewritten("compact", (UserMessage("digest", harness=True),)))
    await net.asks("two")
    net.past.write(HistoryRewritten("cleared by the user", ()))
    await net.asks("three")
    await net.back(2, "conversation")
    assert words(net.taken_up[-1]) == [""]
    await net.close()


CALLS = AssistantMessage("", (ToolCall("c1", "read", "{}"),))


@pytest.mark.gate("P93")
@given(
    st.lists(st.sampled_from(("turn", "call", "cut")), min_size=1, max_size=6), st.integers(0, 5)
)
def test_what_is_taken_up_can_be_sent(turns: list[str], at: int) -> None:
    past = Past(NoRecord())
    for turn in turns:
        past.write(TurnStarted(turn))
        past.write(Grew((said(turn),)))
        if turn != "turn":
            past.write(Grew((CALLS,)))
        if turn == "call":
            past.write(Grew(mended((CALLS,))[1:]))
        past.write(Grew(tuple(mended((CALLS,))[1:]) if turn == "cut" else (AssistantMessage("x"),)))
    mark = past.marks[min(at, len(past.marks) - 1)]
    assert mended(mark.messages) == mark.messages


def test_damaged_lines_of_a_record_are_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    lines = [
        {"type": "TurnStarted", "prompt": "one"},
        {"type": "Grew"},
        {"type": "Grew", "messages": [{"text": "one", "question": "one"}]},
        {"type": "TurnStarted", "prompt": "two", "at": 5.0},
    ]
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines) + '{"type": "Turn')
    past = Past(NoRecord())
    past.read(path)
    assert [(mark.name, words(mark.messages)) for mark in past.marks] == [
        ("turn 1", []), ("turn 2", ["one"]),
    ]  # fmt: skip
