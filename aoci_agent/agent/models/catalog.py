"""From a model name to a model: which client, and which wrappers around it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from aoci_agent.agent.models.litellm_client import LitellmModel
from aoci_agent.agent.models.local import LocalModel
from aoci_agent.agent.models.model import Model
from aoci_agent.agent.models.openai_client import OpenAIClient
from aoci_agent.agent.models.prices import listing
from aoci_agent.agent.models.probe import CallStyle, ProbingModel, with_style
from aoci_agent.agent.models.providers import DIRECT, find_endpoint, worker_environment
from aoci_agent.agent.models.retry import RetryingModel
from aoci_agent.base.errors import ModelUnavailable

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
    long_prefix: bool = False  # the fixed layers are to be cached for an hour where that is offered


def open_model(name: str, env: Mapping[str, str], settings: ModelSettings | None = None) -> Model:
    """The model a user named, ready to stream. Nothing is started or imported before its first use.

    ModelUnavailable (or BadUsage for a bad recording) with the way out when the name means nothing
    or its key is missing.
    """
    chosen = settings or ModelSettings()
    if chosen.replay_from is not None:
        from aoci_agent.agent.models.recorded import ReplayModel

        return ReplayModel(chosen.replay_from, chosen.replay_pace)
    client, place = _client(name.strip(), env, chosen)
    model: Model = RetryingModel(client)
    if chosen.call_style == "auto" and place:
        model = ProbingModel(model, place, chosen.state_dir)
    else:
        model = with_style(model, chosen.call_style)
    if chosen.record_to is not None:
        from aoci_agent.agent.models.recorded import RecordingModel

        return RecordingModel(model, chosen.record_to)
    return model


def _client(name: str, env: Mapping[str, str], settings: ModelSettings) -> tuple[Model, str]:
    """The client for a name, and the place its call style is remembered under ("": no probing)."""
    if not name:
        raise ModelUnavailable("no model is chosen", EXAMPLES)
    if name.startswith("local:"):
        local = LocalModel(Path(name.removeprefix("local:")).expanduser(), settings.prices)
        return local, f"{local.name} {local.file.size}"
    direct = _direct_name(name)
    if direct:
        endpoint = find_endpoint(direct, env)
        if not (endpoint.own and _needs_responses(direct)):
            place = f"{endpoint.url} {endpoint.model}" if endpoint.local else ""
            return OpenAIClient(endpoint, settings.prices, long_prefix=settings.long_prefix), place
    environment = worker_environment(name, env)
    return LitellmModel(name, environment, settings.prices, long_prefix=settings.long_prefix), ""


def _direct_name(name: str) -> str:
    """The name with its provider when our own client serves it, "" when litellm must."""
    if name.partition("/")[0] in DIRECT:
        return name
    entry = listing(name)
    direct = (entry.get("litellm_provider"), entry.get("mode")) == ("openai", "chat")
    return f"openai/{name}" if direct and "/" not in name else ""


def _needs_responses(name: str) -> bool:
    """Some OpenAI models are served by the Responses API alone; litellm translates to it."""
    return name.startswith("openai/") and listing(name).get("mode") == "responses"
