"""The agents that are known: command lines and traps as they were measured with the releases named.

mini-swe-agent 2.4.6 and aider 0.86.2 were run with these words; pi 0.73.1, opencode 1.18.33, codex
0.171.0 and claude 2.1.197 ran with such command lines elsewhere, their settings are by documentation.
"""

import json
from collections.abc import Mapping

from aoci_agent.evals.replay.peers.peer import Job, Peer

DUMMY = "dummy"  # the proxy has the key
_OPENAI = ("OPENAI_API_BASE", "OPENAI_BASE_URL")
_LITELLM = {"LITELLM_LOCAL_MODEL_COST_MAP": "True"}  # no price list from the network


def _openai(job: Job) -> dict[str, str]:
    return {"OPENAI_API_KEY": DUMMY, **dict.fromkeys(_OPENAI, job.url)}


def _mini(job: Job) -> list[str]:
    # Its price table does not know every model: the proxy counts. It stops by the proxy's word.
    answers = ["-y", "--exit-immediately", "-l", "0"]
    return [
        *("-m", f"openai/{job.model}", "-t", job.prompt, *answers),
        *("-o", str(job.home / "trajectory.json")),
    ]


def _mini_variables(job: Job) -> dict[str, str]:
    return {
        **_openai(job),
        **_LITELLM,
        "MSWEA_CONFIGURED": "true",
        "MSWEA_SILENT_STARTUP": "1",
        "MSWEA_GLOBAL_CONFIG_DIR": str(job.home / "mini"),
        "MSWEA_COST_TRACKING": "ignore_errors",
    }


def _aider(job: Job) -> list[str]:
    model, home = f"openai/{job.model}", job.home
    return [
        *("--model", model, "--weak-model", model, "--edit-format", "diff"),
        *("--model-metadata-file", str(home / "metadata.json")),
        *("--yes-always", "--no-stream", "--no-pretty", "--no-fancy-input", "--no-check-update"),
        *("--no-show-release-notes", "--no-show-model-warnings", "--analytics-disable"),
        *("--no-gitignore", "--no-auto-commits", "--no-suggest-shell-commands"),
        *("--no-detect-urls", "--map-tokens", "1024"),
        *("--chat-history-file", str(home / "chat.md")),
        *("--input-history-file", str(home / "input")),
        *("--message", job.prompt),
    ]


def _aider_variables(job: Job) -> dict[str, str]:
    # Without the seed two runs get different maps of one tree. It cannot run commands by itself, so
    # the task's PYTHONPATH is of no use to it.
    fixed = {"PYTHONHASHSEED": "0", "TERM": "dumb", "PYTHONPATH": ""}
    return {**_openai(job), **_LITELLM, **fixed}


def _aider_files(job: Job) -> dict[str, str]:
    known = {"max_input_tokens": 128_000, "max_output_tokens": 8_192, "mode": "chat"}
    prices = {"input_cost_per_token": 0, "output_cost_per_token": 0, "litellm_provider": "openai"}
    return {"metadata.json": json.dumps({f"openai/{job.model}": {**known, **prices}})}


def _pi(job: Job) -> list[str]:
    return ["--provider", "relay", "--model", job.model, "-p", "--mode", "json", job.prompt]


def _pi_files(job: Job) -> dict[str, str]:
    model = {"id": job.model, "contextWindow": 128_000, "maxTokens": 8_192}
    relay = {"baseUrl": job.url, "api": "openai-completions", "apiKey": DUMMY, "models": [model]}
    return {".pi/agent/models.json": json.dumps({"providers": {"relay": relay}})}


def _opencode(job: Job) -> list[str]:
    return ["run", "--format", "json", "--auto", "-m", f"relay/{job.model}", job.prompt]


def _opencode_files(job: Job) -> dict[str, str]:
    relay = {
        "npm": "@ai-sdk/openai-compatible",
        "name": "relay",
        "options": {"baseURL": job.url, "apiKey": DUMMY},
        "models": {job.model: {"name": job.model}},
    }
    told = {"provider": {"relay": relay}, "autoupdate": False, "share": "disabled"}
    return {".config/opencode/opencode.json": json.dumps(told)}


def _codex(job: Job) -> list[str]:
    # The cell's sandbox holds it: its own would not start in there.
    words = ["exec", "--json", "--skip-git-repo-check", "-s", "danger-full-access"]
    return [*words, "-m", job.model, job.prompt]


def _codex_files(job: Job) -> dict[str, str]:
    quoted = json.dumps(job.url)
    lines = [
        'model_provider = "relay"',
        "[model_providers.relay]",
        'name = "relay"',
        f"base_url = {quoted}",
        'wire_api = "responses"',
        'env_key = "OPENAI_API_KEY"',
    ]
    return {".codex/config.toml": "\n".join(lines) + "\n"}


def _claude(job: Job) -> list[str]:
    tools = "Bash,Edit,Write,Read,Glob,Grep"
    return ["-p", "--output-format", "json", "--allowedTools", tools, "--", job.prompt]


def _claude_variables(job: Job) -> dict[str, str]:
    models = dict.fromkeys(("ANTHROPIC_MODEL", "ANTHROPIC_SMALL_FAST_MODEL"), job.model)
    return {
        "ANTHROPIC_BASE_URL": job.url.removesuffix("/v1"),
        "ANTHROPIC_API_KEY": DUMMY,
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
        **models,
    }


_ALL = (
    Peer(
        "mini-swe-agent",
        "mini",
        "pip install mini-swe-agent",
        _mini,
        _mini_variables,
        kept=("trajectory.json",),
        python=True,
        proved=True,
    ),
    Peer(
        "aider",
        "aider",
        "pip install aider-chat",
        _aider,
        _aider_variables,
        _aider_files,
        litter=(".aider*",),
        kept=("chat.md",),
        proved=True,
        stages=True,
        shells=(),
    ),
    Peer("pi", "pi", "npm install -g @mariozechner/pi-coding-agent", _pi, _openai, _pi_files),
    Peer("opencode", "opencode", "npm install -g opencode-ai", _opencode, _openai, _opencode_files),
    Peer(
        "codex",
        "codex",
        "npm install -g @openai/codex",
        _codex,
        _openai,
        _codex_files,
        shells=("shell", "exec_command", "local_shell_call", "shell_command"),
    ),
    Peer(
        "claude",
        "claude",
        "npm install -g @anthropic-ai/claude-code",
        _claude,
        _claude_variables,
        shells=("Bash",),
    ),
)
PEERS: Mapping[str, Peer] = {peer.name: peer for peer in _ALL}
