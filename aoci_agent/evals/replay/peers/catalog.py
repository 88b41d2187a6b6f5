"""The agents that are known: command lines, settings and traps, as they were run with the releases named.

mini-swe-agent 2.4.6, aider 0.86.2, pi 0.73.1, opencode 1.18.33, codex 0.171.0 and claude 2.1.197
solved a task in the sandbox with these words, measured by the proxy. codex asks by the Responses API
only and claude by Messages only: the endpoint has to serve that.
"""

import json
from collections.abc import Mapping

from aoci_agent.evals.replay.peers.peer import Job, Peer

DUMMY = "dummy"  # the proxy has the key
_LITELLM = {"LITELLM_LOCAL_MODEL_COST_MAP": "True"}  # no price list from the network


def _root(job: Job) -> str:
    """For clients that add /v1 by themselves."""
    return job.url.removesuffix("/v1")


def _openai(job: Job) -> dict[str, str]:
    urls = dict.fromkeys(("OPENAI_API_BASE", "OPENAI_BASE_URL"), job.url)
    urls |= dict.fromkeys(("ANTHROPIC_API_BASE", "ANTHROPIC_BASE_URL"), _root(job))
    return {"OPENAI_API_KEY": DUMMY, "ANTHROPIC_API_KEY": DUMMY, **urls}


def _litellm(job: Job) -> str:
    return f"{'anthropic' if job.anthropic else 'openai'}/{job.model}"


def _mini(job: Job) -> list[str]:
    # Its price table does not know every model: the proxy counts. It stops by the proxy's word.
    answers = ["-y", "--exit-immediately", "-l", "0"]
    return [
        *("-m", _litellm(job), "-t", job.prompt, *answers),
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
    # It has no tool that runs commands, and gets no --test-cmd: the check is hidden from everybody.
    model, home = _litellm(job), job.home
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
    name = _litellm(job)
    prices = {"input_cost_per_token": 0, "output_cost_per_token": 0}
    provider = {"litellm_provider": name.partition("/")[0]}
    return {"metadata.json": json.dumps({name: {**known, **prices, **provider}})}


def _pi(job: Job) -> list[str]:
    return ["--provider", "relay", "--model", job.model, "-p", "--mode", "json", job.prompt]


def _pi_files(job: Job) -> dict[str, str]:
    api, url = "openai-completions", job.url
    if job.anthropic:
        api, url = "anthropic-messages", _root(job)
    model = {"id": job.model, "contextWindow": 128_000, "maxTokens": 8_192}
    relay = {"baseUrl": url, "api": api, "apiKey": DUMMY, "models": [model]}
    return {".pi/agent/models.json": json.dumps({"providers": {"relay": relay}})}


def _opencode(job: Job) -> list[str]:
    # Beside the task it asks for a title: a call more, which is counted.
    return ["run", "--format", "json", "--auto", "-m", f"relay/{job.model}", job.prompt]


def _opencode_variables(job: Job) -> dict[str, str]:
    off = ("AUTOUPDATE", "MODELS_FETCH", "DEFAULT_PLUGINS")  # there is no network for them
    return {**_openai(job), **{f"OPENCODE_DISABLE_{name}": "1" for name in off}}


def _opencode_files(job: Job) -> dict[str, str]:
    relay = {
        "npm": "@ai-sdk/anthropic" if job.anthropic else "@ai-sdk/openai-compatible",
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
    lines = [
        'model_provider = "relay"',
        'web_search = "disabled"',  # the endpoint would do it, and the task's fix may be found there
        "[model_providers.relay]",
        'name = "relay"',
        f"base_url = {json.dumps(job.url)}",
        'wire_api = "responses"',
        'env_key = "OPENAI_API_KEY"',
    ]
    return {".codex/config.toml": "\n".join(lines) + "\n"}


def _claude(job: Job) -> list[str]:
    # Searching the web is done by the endpoint: the task's fix may be found there.
    tools = ["--allowedTools", "Bash,Edit,Write,Read,Glob,Grep,NotebookEdit"]
    words = [*tools, "--disallowedTools", "WebSearch,WebFetch"]
    return ["-p", "--output-format", "json", *words, "--", job.prompt]


def _claude_variables(job: Job) -> dict[str, str]:
    models = dict.fromkeys(("ANTHROPIC_MODEL", "ANTHROPIC_SMALL_FAST_MODEL"), job.model)
    return {
        **_openai(job),
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
        stages=True,
        shells=(),
    ),
    Peer("pi", "pi", "npm install -g @mariozechner/pi-coding-agent", _pi, _openai, _pi_files),
    Peer(
        "opencode",
        "opencode",
        "npm install -g opencode-ai",
        _opencode,
        _opencode_variables,
        _opencode_files,
    ),
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
