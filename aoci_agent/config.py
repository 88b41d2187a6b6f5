"""Settings: defaults < user's config.toml < environment < flags. Nothing here is read from a repository."""

import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from aoci_agent.agent.mode import Mode
from aoci_agent.agent.models.probe import CallStyle
from aoci_agent.base.errors import BadUsage
from aoci_agent.base.places import Places

_TABLES = ("prices", "index_tags", "allow", "ask", "deny")  # set in config.toml only
_FLAGS = "the command line"
_OLD_NAMES = {"max_seconds": "max_time"}


class Price(BaseModel):
    """US dollars per million tokens, for models no catalogue knows or prices of your own."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    input: float = Field(ge=0)
    output: float = Field(ge=0)
    cache_read: float | None = Field(default=None, ge=0)
    cache_write: float | None = Field(default=None, ge=0)
    cache_write_1h: float | None = Field(default=None, ge=0)
    window: int | None = Field(default=None, gt=0)


class Settings(BaseModel):
    """Everything a user can set. Field names are the keys of config.toml."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    model: str = ""
    """Model name, e.g. anthropic/claude-sonnet-5-5, openai/gpt-6.2, ollama/qwen3, local:FILE.gguf."""
    policy: str = "aoci"
    """Context policy: grep-read, aoci, eager or compact; the last two take `,no-index` and `,snippets`."""
    mode: Mode = Mode.ASK
    """Permission mode at start: read-only, ask, auto-edit, full-auto."""
    call_style: CallStyle = "auto"
    """How tool calls travel: native, read out of text, or a schema-constrained action."""
    index_budget: int = Field(default=60_000, ge=1_000)
    """Hard bound of the rendered index, in tokens."""
    max_steps: int | None = Field(default=None, ge=1)
    """Model calls of a session."""
    max_tokens: int | None = Field(default=None, ge=1)
    """Prompt plus output tokens of a session."""
    max_cost: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    """US dollars of a session."""
    max_time: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    """Seconds of work in a session: turns, not the time between them."""
    turn_steps: int | None = Field(default=100, ge=1)
    """Model calls of one turn; ends a turn that runs away."""
    day_max_cost: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    """US dollars of all sessions of a day."""
    day_max_tokens: int | None = Field(default=None, ge=1)
    """Prompt plus output tokens of all sessions of a day."""
    compaction: Literal["auto", "off"] = "auto"
    """What happens when the window is nearly full: make room by itself, or stop and ask."""
    cache_hour: bool = False
    """Have the fixed layers cached for an hour, not five minutes, where a provider sells that."""
    sandbox: Literal["auto", "required"] = "auto"
    """The box commands run in: the best there is, or a strong one and no start without."""
    allow: tuple[str, ...] = ()
    """Calls that need no consent, e.g. "bash(pytest *)" or "edit(docs/**)"."""
    ask: tuple[str, ...] = ()
    """Calls that always ask, whatever else allows them."""
    deny: tuple[str, ...] = ()
    """Calls that are refused in every mode."""
    navigation: Literal["static", "live", "auto"] = "static"
    """Who answers where a name is defined and used. Other than static starts language servers, which may
    run code of the repository."""
    index_tags: dict[str, bool] = Field(default_factory=dict)
    """Whether a model sees the tags of the index, by the beginning of its name; true when nothing fits."""
    prices: dict[str, Price] = Field(default_factory=dict)
    """Your own prices and windows by model name; they win over the catalogue."""


def shows_tags(settings: Settings, model: str) -> bool:
    """Whether this model sees tags: the longest beginning of its name in `index_tags` decides."""
    fitting = [name for name in settings.index_tags if model.startswith(name)]
    return settings.index_tags[max(fitting, key=len)] if fitting else True


def load_settings(places: Places, env: Mapping[str, str], flags: Mapping[str, Any]) -> Settings:
    """Settings from all sources. `flags` holds only what was given. Raises BadUsage naming the source."""
    file = places.config_file
    values = _renamed(_read(file))
    _check(values, str(file))
    from_env = _renamed(
        {
            name: env[key]
            for name in (*Settings.model_fields, *_OLD_NAMES)
            if (key := f"AOCI_AGENT_{name.upper()}") in env and name not in _TABLES
        }
    )
    _check(values | from_env, "the environment (AOCI_AGENT_*)")
    return _check(values | from_env | dict(flags), _FLAGS)


def _renamed(values: Mapping[str, Any]) -> dict[str, Any]:
    """With the present names of settings that had another one; the present name wins."""
    old = {_OLD_NAMES[name]: value for name, value in values.items() if name in _OLD_NAMES}
    return old | {name: value for name, value in values.items() if name not in _OLD_NAMES}


def _read(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise BadUsage(f"cannot read {file}: {error}", "mend or remove that file") from error


def _check(values: Mapping[str, Any], source: str) -> Settings:
    try:
        return Settings.model_validate(values)
    except ValidationError as error:
        first = error.errors()[0]
        name = ".".join(str(part) for part in first["loc"])
        flag = f"--{name.replace('_', '-')}" if source == _FLAGS else name
        raise BadUsage(
            f"{source}: {flag}: {first['msg']}", "see `aoci-agent --help` and docs/config.md"
        ) from error


def environment() -> dict[str, str]:
    """The process's environment, read in one place."""
    return dict(os.environ)
