"""Permissions where all is well: a trusted folder and a strong sandbox, unless a test says otherwise."""

from functools import partial

from aoci_agent.agent.permissions import Permissions
from aoci_agent.base.box import Strength

permitted = partial(Permissions, trusted=True, strength=Strength.STRONG)
