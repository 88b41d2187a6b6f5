"""From a model name to a model: which client, and which wrappers around it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from aoci_agent.agent.models.endpoints import PROVIDERS, find_endpoint
from aoci_agent.agent.models.model import Model
from aoci_agent.base.errors import ModelUnavailable

CallStyle = Literal["auto", "native", "text", "schema"]

EXAMPLES = "e.g. --model anthropic/claude-sonnet-5-5, openai/NAME, ollama/NAME or local:FILE.gguf"


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """What a user can say about how models are called.

    `prices` maps a model name to dollars per million tokens and a window (see prices.Prices).
    `state_dir` keeps what was learned about local servers between sessions.
    """

    call_style: CallStyle = "auto"
    prices: Mapping[str, Mapping[str, Any]] = field(default_factory=dict[str, Mapping[str, Any]])
    state_dir: Path | None = None
    record_to: Path | None = None
    replay_from: Path | None = None
    replay_pace: float = 0.0  # seconds per piece


def open_model(name: str, env: Mapping[str, str], settings: ModelSettings | None = None) -> Model:
    """The model a user named, ready to stream. Nothing is started or imported before its first use.

    ModelUnavailable (or BadUsage for a bad recording) with the way out when the name means nothing
    or its key is missing.
    """
    chosen = settings or ModelSettings()
    if chosen.replay_from is not None:
        from aoci_agent.agent.models.recorded import ReplayModel

        return ReplayModel(chosen.replay_from, chosen.replay_pace)
    model = _styled(name.strip(), env, chosen)
    if chosen.record_to is not None:
        from aoci_agent.agent.models.recorded import RecordingModel

        return RecordingModel(model, chosen.record_to)
    return model


def _styled(name: str, env: Mapping[str, str], settings: ModelSettings) -> Model:
    """The retrying client inside the wrapper for its call style."""
    from aoci_agent.agent.models.probe import ProbingModel
    from aoci_agent.agent.models.retry import RetryingModel
    from aoci_agent.agent.models.styles import with_style

    client, place = _client(name, env, settings)
    retrying = RetryingModel(client)
    if settings.call_style == "auto" and place:
        return ProbingModel(retrying, place, settings.state_dir)
    return with_style(retrying, settings.call_style)


def _client(name: str, env: Mapping[str, str], settings: ModelSettings) -> tuple[Model, str]:
    """The client for a name, and the place its call style is remembered under ("": no probing)."""
    if not name:
        raise ModelUnavailable("no model is chosen", EXAMPLES)
    if name.startswith("local:"):
        from aoci_agent.agent.models.local import LocalModel

        local = LocalModel(Path(name.removeprefix("local:")).expanduser(), settings.prices)
        return local, f"{local.name} {local.file.size}"
    direct = _direct_name(name)
    if direct:
        from aoci_agent.agent.models.openai_client import OpenAIClient

        endpoint = find_endpoint(direct, env)
        if not (endpoint.own and _needs_responses(direct)):
            place = f"{endpoint.url} {endpoint.model}" if endpoint.local else ""
            return OpenAIClient(endpoint, settings.prices), place
    from aoci_agent.agent.models.litellm_client import LitellmModel
    from aoci_agent.agent.models.litellm_names import worker_environment

    return LitellmModel(name, worker_environment(name, env), settings.prices), ""


def _direct_name(name: str) -> str:
    """The name with its provider when our own client serves it, "" when litellm must."""
    if name.partition("/")[0] in PROVIDERS:
        return name
    from aoci_agent.agent.models.prices import listing

    entry = None if "/" in name else listing(name)
    plain = entry is not None and (entry.get("litellm_provider"), entry.get("mode")) == (
        "openai",
        "chat",
    )
    return f"openai/{name}" if plain else ""


def _needs_responses(name: str) -> bool:
    """Some OpenAI models are served by the Responses API alone; litellm translates to it."""
    if not name.startswith("openai/"):
        return False
    from aoci_agent.agent.models.prices import listing

    return (listing(name) or {}).get("mode") == "responses"
