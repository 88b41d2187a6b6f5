"""The bytes of 50 requests of one session: what was sent once is sent again, byte for byte, in front.

Only what the person or the policy asks for may shorten what two requests share from their beginning:
a policy with other layers, a history that is rewritten, /clear.
"""

import itertools
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import pytest
from support.caching_provider import CachingProvider, Said, providing
from support.long_sessions import (
    AUTOMATIC,
    MARKED,
    Followed,
    make_repository,
    opened,
    path_of,
    record_of,
    text_of,
)

from aoci_agent.agent.mode import Mode
from aoci_agent.agent.session import Session

FILES = 40
TURNS = 10
FIVE = 5  # steps of every turn
COMPACT = 4  # the turn under that policy
LAYERS, CHANGES, CLEARED = "other layers", "changes behind the index", "cleared"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Room for repositories of ledgers, one for each test: they are edited."""
    return tmp_path_factory.mktemp("ledgers")


def turn_of(number: int, *, edits: bool) -> list[Said]:
    """Read, edit, read, and end: after an edit the harness asks for a check, so it ends twice.

    Where edits are denied it looks for something instead.
    """
    path, other = path_of(number), path_of(number + TURNS)
    old = text_of(number).splitlines()[0]  # what the index says of it
    new = f'"""Holds \\"row {number}\\" since the edit: ünder \\\\ and over."""'
    edit = {"path": path, "old": old, "new": new}
    return [
        Said(f"First {path}.", [("read", {"path": path}), ("grep", {"pattern": f"_{number:03}"})]),
        Said("", [("edit", edit)]),
        Said('Now "the" other: ünder.', [("read", {"path": other})]),
        Said("Done.") if edits else Said("Denied.", [("glob", {"pattern": "*_00?.py"})]),
        Said(f"Nothing checks {path}."),
    ]


def question(number: int) -> str:
    return f"Add a spare to ledger {number}, please."


@dataclass
class Driven:
    """A session of ten turns, and what was switched before which step."""

    followed: Followed
    switched: dict[int, str] = field(default_factory=dict[int, str])
    starts: list[int] = field(default_factory=list[int])

    async def turn(self, number: int, switched: str = "") -> None:
        """One turn of five steps."""
        at = len(self.followed.provider.posts)
        self.starts.append(at)
        if switched:
            self.switched[at] = switched
        edits = self.followed.session.status.mode in (Mode.AUTO_EDIT, Mode.FULL_AUTO)
        script = self.followed.provider.script
        script += turn_of(number, edits=edits)
        await self.followed.turn(question(number))
        assert not script

    async def resumed(self, place: Path, mode: Mode) -> Session:
        """Close the session and go on from its record."""
        old, provider = self.followed.session, self.followed.provider
        await old.close()
        record = record_of(old, place)
        self.followed.session = opened(place / "shop", place, provider, record, mode=mode)
        return self.followed.session


def bodies(provider: CachingProvider) -> list[bytes]:
    """The requests as they came, without the model's name: it stands first, and is switched."""
    raws: list[bytes] = []
    for post in provider.posts:
        head = b'{"model":' + json.dumps(post.body["model"]).encode()
        assert post.raw.startswith(head)
        raws.append(unmarked(post.raw).removeprefix(head))
    return raws


def unmarked(raw: bytes) -> bytes:
    """The request without breakpoints, which providers leave out when they compare prefixes."""
    if b'"cache_control"' not in raw:
        return raw
    body = json.loads(raw)
    for message in body["messages"]:
        if isinstance(message["content"], list):
            message["content"] = "".join(block["text"] for block in message["content"])
    return json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()


def common(one: bytes, other: bytes) -> int:
    """How many bytes two requests share from their beginning."""
    if one[: len(other)] == other or other[: len(one)] == one:
        return min(len(one), len(other))
    low, high = 0, min(len(one), len(other))
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if one[:middle] == other[:middle] else (low, middle)
    return low


def kept_whole(raw: bytes) -> int:
    """Bytes up to the end of the last message: all that a longer conversation can share."""
    return raw.rindex(b'],"tools":[')


def upto(raw: bytes, text: str) -> int:
    """Bytes up to the end of this text, where it is first sent."""
    sent = json.dumps(text, ensure_ascii=False)[1:-1].encode()
    return raw.index(sent) + len(sent)


async def fifty(place: Path, provider: CachingProvider, model: str, other: str) -> Driven:
    """Ten turns with everything a person may switch between them."""
    make_repository(place / "shop", FILES)
    session = opened(place / "shop", place, provider, policy="aoci", model=model)
    driven = Driven(Followed(session, provider))
    session.set_mode(Mode.READ_ONLY)
    await driven.turn(0)
    session = await driven.resumed(place, Mode.FULL_AUTO)  # nothing was edited: the same index
    await driven.turn(1)
    await session.set_model(other)
    await driven.turn(2)
    session.set_policy("eager")  # the same layers
    await driven.turn(3)
    session.set_policy("compact")
    await driven.turn(COMPACT)
    session.set_policy("grep-read")
    await driven.turn(5, LAYERS)
    session.set_mode(Mode.AUTO_EDIT)
    await session.set_model(model)
    await driven.turn(6)
    session.set_policy("aoci")
    await driven.turn(7, LAYERS)
    session = await driven.resumed(place, Mode.ASK)  # the index of the edited files
    await driven.turn(8, CHANGES)
    session.clear()
    await driven.turn(9, CLEARED)
    await session.close()
    return driven


@pytest.mark.parametrize(
    ("kind", "model", "other"),
    [("automatic", AUTOMATIC, f"{AUTOMATIC}-too"), ("marked", MARKED, f"{MARKED}-too")],
)
async def test_what_two_requests_share_never_shrinks_but_where_the_policy_says_so(
    place: Path, kind: Literal["automatic", "marked"], model: str, other: str
) -> None:
    async with providing(kind) as provider:
        driven = await fifty(place / kind, provider, model, other)
    raws = bodies(provider)
    assert len(raws) == TURNS * FIVE
    compacted = driven.starts[COMPACT] + 1  # the request after the first read under compact
    rules = driven.followed.session.agent.conversation.prefix.layers[0].text
    shares = [common(one, later) for one, later in itertools.pairwise(raws)]
    for at, (before, share) in enumerate(zip(raws, shares, strict=False), 1):
        if at == compacted:
            assert upto(before, question(COMPACT)) <= share < kept_whole(before)
        elif driven.switched.get(at) == LAYERS:
            assert upto(before, rules) <= share < upto(before, question(0))
        elif driven.switched.get(at) in (CHANGES, CLEARED):
            system = system_messages(provider)[at - 1]
            assert upto(before, system) <= share < upto(before, question(0))
        else:
            assert share == kept_whole(before), f"request {at} changed what came before it"
    shrunk = [at for at in range(2, len(raws)) if shares[at - 1] < shares[at - 2]]
    assert shrunk == list(driven.switched)  # compaction cut only what nobody had read twice
    systems = system_messages(provider)
    frozen = [*systems[: driven.starts[5]], *systems[driven.starts[7] : driven.starts[8]]]
    assert len(set(frozen)) == 1  # edits, switches there and back: the index of the beginning
    assert len(set(systems[driven.starts[8] :])) == 1
    assert len({json.dumps(post.body["tools"]) for post in provider.posts}) == 1


def system_messages(provider: CachingProvider) -> list[str]:
    """The system message of each request."""
    return [json.loads(unmarked(post.raw))["messages"][0]["content"] for post in provider.posts]
