"""Which layers a policy fills, and that they never move."""

import pytest

from aoci_agent.aoci.render import Rendered
from aoci_agent.base.errors import BadUsage
from aoci_agent.policies.catalog import POLICIES, policy_named
from aoci_agent.policies.layers import Prefix
from aoci_agent.policies.policy import Material

RENDERED = Rendered("#AOCI 1", "a.py[...]", 1, 1, 10, 0, "id")


def test_grep_read_has_no_index_layer() -> None:
    layers = policy_named("grep-read").layers(Material("rules", RENDERED))
    assert [layer.name for layer in layers] == ["rules"]


def test_aoci_puts_the_index_after_the_rules() -> None:
    layers = policy_named("aoci").layers(Material("rules", RENDERED))
    assert [layer.name for layer in layers] == ["rules", "index header", "index"]
    assert Prefix((), layers).system == "rules\n\n#AOCI 1\n\na.py[...]\n\n"


def test_aoci_without_an_index_is_rules_only() -> None:
    assert [layer.name for layer in policy_named("aoci").layers(Material("rules", None))] == [
        "rules"
    ]


@pytest.mark.parametrize("policy", POLICIES, ids=lambda policy: policy.name)
def test_same_material_same_bytes(policy: object) -> None:
    chosen = policy_named(getattr(policy, "name"))  # noqa: B009
    first, second = (Prefix((), chosen.layers(Material("r", RENDERED))) for _ in range(2))
    assert first.content_id == second.content_id


def test_an_unknown_policy_names_the_choices() -> None:
    with pytest.raises(BadUsage) as error:
        policy_named("magic")
    assert "grep-read, aoci, eager, compact" in error.value.hint
