"""Where settings come from, and who wins."""

from pathlib import Path

import pytest

from aoci_agent.agent.mode import Mode
from aoci_agent.base.errors import BadUsage
from aoci_agent.base.places import Places
from aoci_agent.config import Settings, load_settings


def places(tmp_path: Path) -> Places:
    return Places({"AOCI_AGENT_HOME": str(tmp_path)})


def write_config(tmp_path: Path, text: str) -> None:
    (tmp_path / "config").mkdir(exist_ok=True)
    (tmp_path / "config" / "config.toml").write_text(text)


def test_defaults_ask_and_use_the_index(tmp_path: Path) -> None:
    settings = load_settings(places(tmp_path), {}, {})
    assert (settings.mode, settings.policy, settings.index_budget) == (Mode.ASK, "aoci", 60_000)


def test_flag_beats_environment_beats_file(tmp_path: Path) -> None:
    write_config(tmp_path, 'model = "file"\npolicy = "grep-read"\nmax_steps = 3\n')
    env = {"AOCI_AGENT_MODEL": "env", "AOCI_AGENT_MAX_STEPS": "4"}
    settings = load_settings(places(tmp_path), env, {"model": "flag"})
    assert (settings.model, settings.max_steps, settings.policy) == ("flag", 4, "grep-read")


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("mode = 'yolo'", "mode"),
        ("colour = 'red'", "colour"),
        ("max_steps = 0", "max_steps"),
        ("this is not toml", "config.toml"),
        ("[prices.x]\ninput = -1\noutput = 1", "prices.x.input"),
    ],
)
def test_bad_file_is_named(tmp_path: Path, text: str, named: str) -> None:
    write_config(tmp_path, text)
    with pytest.raises(BadUsage, match=r"config\.toml") as error:
        load_settings(places(tmp_path), {}, {})
    assert named in error.value.message


def test_bad_environment_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadUsage, match="AOCI_AGENT"):
        load_settings(places(tmp_path), {"AOCI_AGENT_MODE": "yolo"}, {})


def test_places_follow_xdg_and_ignore_relative_values() -> None:
    given = Places({"HOME": "/h", "XDG_CACHE_HOME": "/c", "XDG_DATA_HOME": "relative"})
    assert given.cache == Path("/c/aoci-agent")
    assert given.data == Path("/h/.local/share/aoci-agent")
    assert given.config_file == Path("/h/.config/aoci-agent/config.toml")


def test_two_repositories_with_one_name_have_two_places(tmp_path: Path) -> None:
    given = places(tmp_path)
    assert given.project(Path("/a/x")) != given.project(Path("/b/x"))


def test_every_setting_can_come_from_the_environment(tmp_path: Path) -> None:
    values = {"model": "m", "policy": "aoci", "mode": "auto-edit", "call_style": "text"}
    numbers = {n: "7000" for n in Settings.model_fields if n.startswith(("max_", "index_"))}
    env = {f"AOCI_AGENT_{k.upper()}": v for k, v in (values | numbers).items()}
    settings = load_settings(places(tmp_path), env, {})
    assert settings.mode is Mode.AUTO_EDIT
    assert settings.max_time == 7000
