"""How a session of this program is opened on a task of a run."""

from aoci_agent.agent.approval import DenyAll
from aoci_agent.agent.mode import Mode
from aoci_agent.agent.session import Session
from aoci_agent.assembly import open_session
from aoci_agent.base.git import Repository
from aoci_agent.base.places import Places
from aoci_agent.bench import Launch
from aoci_agent.cli.replay_places import hidden_from
from aoci_agent.config import Settings, environment
from aoci_agent.evals.replay.attempt import Opener, Opening
from aoci_agent.evals.replay.store import Run


def opener_of(made: Run, repository: Repository) -> Opener:
    """Sessions with the settings of the run, which cannot see the person's repository or other cells."""

    def opened(opening: Opening) -> Session:
        env = environment()
        places = Places(env)
        budget = {f"max_{name}": value for name, value in opening.budget if value is not None}
        settings = Settings.model_validate(
            {
                **made.settings,
                **budget,
                "model": opening.model,
                "policy": opening.policy,
                "mode": Mode.FULL_AUTO,
            }
        )
        own = env | {"AOCI_AGENT_HOME": str(opening.state)}
        launch = Launch(
            opening.tree, settings, Places(own), own,
            trust=True, attended=False, no_sandbox=made.no_sandbox,
            readable=opening.readable, variables=opening.variables,
            hidden=hidden_from(repository, places),
        )  # fmt: skip
        return open_session(launch, DenyAll())

    return opened
