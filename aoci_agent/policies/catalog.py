"""The policies there are, by name."""

from aoci_agent.base.errors import BadUsage
from aoci_agent.policies.plain import Aoci, GrepRead
from aoci_agent.policies.policy import Policy

POLICIES: tuple[Policy, ...] = (GrepRead(), Aoci())


def policy_named(name: str) -> Policy:
    """The policy of that name. Raises BadUsage naming the choices."""
    for policy in POLICIES:
        if policy.name == name:
            return policy
    names = ", ".join(policy.name for policy in POLICIES)
    raise BadUsage(f"there is no policy '{name}'", f"choose one of: {names}")
