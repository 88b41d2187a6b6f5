"""Recording and replaying."""

import json
from pathlib import Path

import pytest
from support.asking import asking, hear

from aoci_agent.agent.models.model import Provenance, Reply, Usage
from aoci_agent.agent.models.recorded import RecordingModel, ReplayModel, digest
from aoci_agent.agent.models.scripted import ScriptedModel
from aoci_agent.base.errors import BadUsage, ForUser, ModelUnavailable
from aoci_agent.policies.conversation import AssistantMessage, ToolCall, UserMessage

LOOK = AssistantMessage("I look.", (ToolCall("c1", "read", '{"path": "ä😀"}'),), "hm")
DONE = AssistantMessage("done")


async def record(path: Path) -> list[list[object]]:
    usage = Usage(1, 2, 3, 4, 1, 0.25, Provenance.ESTIMATED, Provenance.MEASURED)
    inner = ScriptedModel([Reply(LOOK, usage, "calls", "real/model-1"), DONE], window=8192)
    model = RecordingModel(inner, path)
    return [list((await hear(model)).pieces), list((await hear(model)).pieces)]


@pytest.mark.gate("R37")
async def test_a_replay_is_the_same_stream(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    recorded = await record(path)
    model = ReplayModel(path)
    replayed = [list((await hear(model)).pieces), list((await hear(model)).pieces)]
    assert replayed == recorded
    assert (model.recorded, model.name, model.window) == (True, "recorded replies", 8192)
    assert not ScriptedModel([]).recorded


async def test_lines_are_appended_private_and_readable(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    await record(path)
    await record(path)
    lines = path.read_text("utf-8").splitlines()
    assert len(lines) == 4
    first = json.loads(lines[0])
    assert first["request"] == digest(asking())
    assert first["usage"]["cache_write"] == 3
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_recording_that_cannot_be_written_is_known_before_anything_is_asked(
    tmp_path: Path,
) -> None:
    with pytest.raises(BadUsage, match="No such file"):
        RecordingModel(ScriptedModel([DONE]), tmp_path / "none" / "r.jsonl")


async def test_an_exhausted_recording_says_so(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    await record(path)
    model = ReplayModel(path)
    await hear(model)
    await hear(model)
    with pytest.raises(ModelUnavailable, match="2 replies"):
        await hear(model)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "empty"),
        ("{}\n", "line 1"),
        ("not json\n", "line 1"),
        ('{"version": 2}\n', "line 1"),
        ("\n", "line 1"),
    ],
)
@pytest.mark.gate("T35", "S11")
def test_a_file_that_is_no_recording(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "r.jsonl"
    path.write_text(text)
    with pytest.raises(BadUsage, match=words) as caught:
        ReplayModel(path)
    assert "--record-responses" in caught.value.hint


async def test_a_torn_last_line_names_its_number(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    await record(path)
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(ForUser, match="line 2"):
        ReplayModel(path)


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(BadUsage, match="No such file"):
        ReplayModel(tmp_path / "none")


def test_the_digest_sees_everything_that_is_sent() -> None:
    assert digest(asking()) == digest(asking())
    assert digest(asking()) != digest(asking(UserMessage("other")))
