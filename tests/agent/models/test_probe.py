"""Finding out how a server takes tool calls."""

import json
from pathlib import Path

import pytest
from support.asking import asking, hear

from aoci_agent.agent.models.model import Busy, MalformedReply, NoticePiece
from aoci_agent.agent.models.probe import FILE, ProbingModel
from aoci_agent.agent.models.scripted import Line, ScriptedModel
from aoci_agent.base.errors import ModelUnavailable
from aoci_agent.policies.conversation import AssistantMessage, ToolCall

PLACE = "http://127.0.0.1:1/v1 m"
NATIVE = AssistantMessage("", (ToolCall("c", "look", '{"path": "notes.txt"}'),))
IN_TEXT = AssistantMessage('```json\n{"name": "look", "arguments": {"path": "notes.txt"}}\n```')
PROSE = AssistantMessage("I shall look at it.")
SCHEMA = AssistantMessage('{"thought": "t", "action": "look", "arguments": {"path": "notes.txt"}}')
FINISH = AssistantMessage('{"thought": "t", "action": "finish", "arguments": {"answer": "hi"}}')
FINE = AssistantMessage("hi")

CASES: list[tuple[str, list[Line], str, int]] = [
    ("the server parses calls", [NATIVE, FINE], "native", 1),
    ("calls are only readable in the text", [IN_TEXT, SCHEMA, FINISH], "schema", 2),
    ("only a schema works", [PROSE, SCHEMA, FINISH], "schema", 2),
    ("the server refuses tools", [ModelUnavailable("no tools"), SCHEMA, FINISH], "schema", 2),
    ("nothing works", [PROSE, PROSE, FINE], "text", 2),
    ("the server answers nonsense", [MalformedReply("?"), SCHEMA, FINISH], "schema", 2),
]


@pytest.mark.parametrize(
    ("lines", "style", "asked"), [x[1:] for x in CASES], ids=[x[0] for x in CASES]
)
async def test_styles(tmp_path: Path, lines: list[Line], style: str, asked: int) -> None:
    inner = ScriptedModel(lines)
    heard = await hear(ProbingModel(inner, PLACE, tmp_path))
    assert heard.reply.message.text == "hi"
    assert len(inner.requests) == asked + 1
    assert json.loads((tmp_path / FILE).read_text()) == {PLACE: style}
    assert isinstance(heard.pieces[0], NoticePiece)


async def test_asks_once_and_remembers_over_sessions(tmp_path: Path) -> None:
    inner = ScriptedModel([NATIVE, FINE, FINE])
    model = ProbingModel(inner, PLACE, tmp_path)
    await hear(model)
    await hear(model)
    assert len(inner.requests) == 3
    later = ScriptedModel([FINE])
    heard = await hear(ProbingModel(later, PLACE, tmp_path))
    assert len(later.requests) == 1
    assert not any(isinstance(piece, NoticePiece) for piece in heard.pieces)


async def test_other_places_are_asked_anew(tmp_path: Path) -> None:
    await hear(ProbingModel(ScriptedModel([NATIVE, FINE]), PLACE, tmp_path))
    await hear(ProbingModel(ScriptedModel([PROSE, SCHEMA, FINISH]), "other", tmp_path))
    assert json.loads((tmp_path / FILE).read_text()) == {PLACE: "native", "other": "schema"}


@pytest.mark.parametrize("content", ["", "[]", "{", f'{{"{PLACE}": "magic"}}'])
async def test_a_damaged_memory_is_replaced(tmp_path: Path, content: str) -> None:
    (tmp_path / FILE).write_text(content)
    await hear(ProbingModel(ScriptedModel([NATIVE, FINE]), PLACE, tmp_path))
    assert json.loads((tmp_path / FILE).read_text())[PLACE] == "native"


async def test_without_a_state_folder_it_works_for_the_session() -> None:
    inner = ScriptedModel([NATIVE, FINE, FINE])
    model = ProbingModel(inner, PLACE, None)
    await hear(model)
    await hear(model)
    assert len(inner.requests) == 3


@pytest.mark.parametrize("error", [ModelUnavailable("refused"), Busy("busy")])
async def test_an_unreachable_server_is_no_style(tmp_path: Path, error: Exception) -> None:
    model = ProbingModel(ScriptedModel([error, error]), PLACE, tmp_path)
    with pytest.raises(type(error)):
        await hear(model, asking())
    assert not (tmp_path / FILE).exists()
