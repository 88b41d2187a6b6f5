"""The policies there are, by name and with their options."""

from aoci_agent.base.errors import BadUsage
from aoci_agent.policies.candidates import Form
from aoci_agent.policies.compact import Compact
from aoci_agent.policies.eager import Eager
from aoci_agent.policies.plain import Aoci, GrepRead
from aoci_agent.policies.policy import Policy

POLICIES: tuple[Policy, ...] = (GrepRead(), Aoci(), Eager(), Compact())
OPTIONS = ("index", "no-index", *Form)
_WITH_OPTIONS = {"eager": Eager, "compact": Compact}


def policy_named(choice: str) -> Policy:
    """`NAME` or `NAME,OPTION,...`: eager and compact take `no-index` and `snippets`.

    Raises BadUsage naming the choices.
    """
    name, *options = (part.strip() for part in choice.split(","))
    made = _WITH_OPTIONS.get(name)
    if made is not None and set(options) <= set(OPTIONS):
        form = Form.SNIPPETS if Form.SNIPPETS in options else Form.BLOCKS
        return made("no-index" not in options, form)
    for policy in POLICIES:
        if policy.name == name and not options:
            return policy
    names = ", ".join(policy.name for policy in POLICIES)
    way_out = f"choose one of: {names}; eager and compact take ,no-index and ,snippets"
    raise BadUsage(f"there is no policy '{choice}'", way_out)
