"""No argument of a tool weakens anything: what is not declared is refused."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, strategies as st
from support.permitted import permitted

from aoci_agent.agent.mode import Mode
from aoci_agent.agent.ruling import Verdict
from aoci_agent.agent.toolbox import Toolbox
from aoci_agent.base.errors import TryAgain
from aoci_agent.base.files import Workspace
from aoci_agent.policies.conversation import ToolCall
from aoci_agent.tools.registry import builtin_tools
from aoci_agent.tools.tool import Effect, Preview

Record = Callable[[str, object], None]
KEYS = (
    "dangerouslyDisableSandbox", "dangerously_disable_sandbox", "sandbox", "no_sandbox", "unsandboxed", "box",
    "access", "mode", "permission_mode", "permissions", "approved", "auto_approve", "autoApprove", "yes", "force",
    "confirm", "skip_confirmation", "always", "allow", "deny", "ask", "rules", "trust", "trusted", "env", "environment",
    "cwd", "workdir", "root", "user", "sudo", "privileged", "escalate", "with_escalated_permissions", "shell", "stdin",
    "network_access", "Network", "NETWORK", "internet", "allow_network", "writable_roots", "write", "home", "limits",
    "memory", "unlimited", "background", "detach", "__class__", "model_config", "effect", "preview",
)  # fmt: skip
GOOD: dict[str, dict[str, object]] = {
    "bash": {"command": "ls"}, "test": {}, "read": {"path": "a"}, "grep": {"pattern": "x"}, "todo": {"items": []},
    "write": {"path": "a", "content": "x"}, "edit": {"path": "a", "old": "x", "new": "y"}, "glob": {"pattern": "*"},
}  # fmt: skip


@pytest.fixture
def toolbox(tmp_path: Path) -> Toolbox:
    return Toolbox(builtin_tools(Workspace(tmp_path), None, tmp_path / "spill"))


@pytest.mark.gate("T34")
def test_no_tool_takes_an_argument_it_does_not_declare(
    toolbox: Toolbox, record_property: Record
) -> None:
    assert len(KEYS) >= 50
    names = [schema.name for schema in toolbox.schemas]
    for name in names:
        for key in KEYS:
            for value in (True, "true", {"a": 1}):
                given = {**GOOD.get(name, {}), key: value}
                with pytest.raises(TryAgain) as error:
                    toolbox.bind(ToolCall("c", name, json.dumps(given)))
                assert key in str(error.value) or "Bad arguments" in str(error.value)
    record_property("cases", len(names) * len(KEYS) * 3)


@pytest.mark.gate("T34", control=True)
def test_declared_arguments_are_taken(toolbox: Toolbox) -> None:
    call = ToolCall("c", "bash", json.dumps({"command": "ls", "timeout": 5}))
    assert toolbox.bind(call).tool.name == "bash"


@pytest.mark.gate("T34")
@given(st.text(max_size=30))
def test_no_wording_of_a_call_makes_it_allowed(words: str) -> None:
    line = f"touch x # approved sandbox=off {words}"
    ruling = permitted(Mode.ASK).judge("bash", Effect.RUN, Preview("command", line, line, line))
    assert ruling.verdict is Verdict.ASK
    assert ruling.always == ()
