"""Sessions for measures that drive some: read-only, in a folder of the measure's own."""

from typing import Any

from aoci_agent.agent.approval import DenyAll
from aoci_agent.agent.mode import Mode
from aoci_agent.agent.session import Session
from aoci_agent.assembly import open_session
from aoci_agent.base.places import Places
from aoci_agent.bench import Launch
from aoci_agent.config import Settings, environment, load_settings
from aoci_agent.evals.policies_run import Opening


def opened(opening: Opening) -> Session:
    """A session without a record. A live model is reached by the user's settings; else these are the defaults."""
    env = environment()
    flags: dict[str, Any] = {
        "model": opening.model,
        "policy": opening.policy,
        "mode": Mode.READ_ONLY,
        "max_steps": opening.steps,
    }
    settings = load_settings(Places(env), env, flags) if opening.model else Settings(**flags)
    own = env | {"AOCI_AGENT_HOME": str(opening.state)}
    launch = Launch(opening.root, settings, Places(own), own, keep_record=False)
    return open_session(launch, DenyAll())
