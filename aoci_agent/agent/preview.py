"""What the next call would use and cost under each policy, computed locally, before anything is switched."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from aoci_agent.agent.forecast import Ahead
from aoci_agent.agent.ledger import scaled
from aoci_agent.agent.models.model import Request, Usage
from aoci_agent.agent.room import fixed_fits
from aoci_agent.policies.candidates import Candidate, Form
from aoci_agent.policies.catalog import POLICIES, policy_named
from aoci_agent.policies.conversation import Message, said
from aoci_agent.policies.layers import Prefix, ToolSchema
from aoci_agent.policies.policy import Material, Policy

_OPTIONS = ("", f",{Form.SNIPPETS}", ",no-index", f",no-index,{Form.SNIPPETS}")

Predict = Callable[[Request], Ahead]


@dataclass(frozen=True, slots=True)
class Coming:
    """What the next request is made of, whatever the policy."""

    tools: tuple[ToolSchema, ...]
    material: Material
    messages: tuple[Message, ...]
    question: str = ""
    note: str = ""
    candidates: tuple[Candidate, ...] = ()
    searched: bool = True  # False: nothing could be searched, or no question is known


@dataclass(frozen=True, slots=True)
class Choice:
    """One policy, and the next call under it. All figures are estimates; `layers` sums to the prompt."""

    name: str
    current: bool
    layers: dict[str, int]
    usage: Usage
    shared: int  # tokens the request has in common with the last one, from the beginning
    without: tuple[str, ...] = ()  # what the policy wants and will not get
    fits: bool = True  # False: its fixed layers leave no room in the window, it cannot be chosen

    @property
    def kept(self) -> int:
        """Tokens that the last request left in the cache and the call would read."""
        return self.usage.cache_read


def choices() -> tuple[Policy, ...]:
    """Every policy with every option that changes what is sent."""
    made: list[Policy] = []
    for policy in POLICIES:
        options = _OPTIONS if policy.wants_candidates else ("",)
        made += [policy_named(policy.name + option) for option in options]
    return tuple(made)


def request_under(policy: Policy, coming: Coming) -> Request:
    """The next request as this policy would have it."""
    prefix = Prefix(coming.tools, policy.layers(coming.material))
    delivered = policy.opening(coming.candidates[: policy.wants_candidates])
    asked = said(coming.question, delivered, coming.note)
    return Request(prefix, (*coming.messages, *((asked,) if asked.text else ())))


def preview(
    policies: Sequence[Policy],
    coming: Coming,
    current: str,
    *,
    predict: Predict,
    parts: Callable[[Request], dict[str, int]],
    window: int | None = None,
) -> tuple[Choice, ...]:
    """One row for each policy, in their order. `predict` and `parts` count and price a request.

    The layers are scaled as the prompt is: to how the provider counted the last request.
    """
    rows: list[Choice] = []
    for policy in policies:
        request = request_under(policy, coming)
        ahead, counted = predict(request), parts(request)
        missing = (
            "no index" if policy.wants_index and coming.material.index is None else "",
            "no candidates yet" if policy.wants_candidates and not coming.searched else "",
        )
        rows.append(
            Choice(
                name=policy.name,
                current=policy.name == current,
                layers=scaled(counted, ahead.usage.prompt),
                usage=ahead.usage,
                shared=ahead.shared,
                without=tuple(filter(None, missing)),
                fits=fixed_fits(counted, window),
            )
        )
    return tuple(rows)


def kept_line(before: Ahead, after: Ahead) -> str:
    """What a switch leaves of the cached beginning, in words. Both are the next call, before and after."""
    if not before.kept:
        return "nothing of the prompt is believed to be cached now"
    if after.kept >= before.kept:
        return f"all ~{before.kept:,} cached tokens stay"
    lost = before.kept - after.kept
    if not after.kept:
        return f"none of the ~{before.kept:,} cached tokens stay"
    return f"~{after.kept:,} of ~{before.kept:,} cached tokens stay, ~{lost:,} are sent anew"
