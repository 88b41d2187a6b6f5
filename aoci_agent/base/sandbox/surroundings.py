"""The environment of programs in the box: where they find tools, and where they keep what they fetch."""

from collections.abc import Mapping
from pathlib import Path

from aoci_agent.base.box import Access
from aoci_agent.base.sandbox.layout import GIT_SETTINGS, Layout

# What was installed below a home's `.cache`, whose place is another one in the box.
_INSTALLED: Mapping[str, str] = {
    "POETRY_VIRTUALENVS_PATH": ".cache/pypoetry/virtualenvs",
    "PLAYWRIGHT_BROWSERS_PATH": ".cache/ms-playwright",
    "PUPPETEER_CACHE_DIR": ".cache/puppeteer",
    "CYPRESS_CACHE_FOLDER": ".cache/Cypress",
    "HF_HUB_CACHE": ".cache/huggingface/hub",
}
# Stores of packages that other projects build from: the person's are only read. With each, what is
# in it once something was fetched.
_STORES: Mapping[str, tuple[str, str]] = {
    "CARGO_HOME": ("{}/cargo", "cargo/registry/cache"),
    "GOMODCACHE": ("{}/gomod", "gomod/cache/download"),
    "GRADLE_USER_HOME": ("{}/gradle", "gradle/caches"),
    "MAVEN_OPTS": ("-Dmaven.repo.local={}/maven", "maven/org"),
}
_RETRIES = ("PIP_RETRIES", "CARGO_NET_RETRY", "npm_config_fetch_retries")


def environment(layout: Layout, temporary: Path, access: Access) -> dict[str, str]:
    """What is added to the scrubbed environment.

    A command with the network fills stores of packages of this workspace; once there is something
    in one, commands without it use that too, and until then the person's own.
    """
    caches = str(layout.scratch)
    told = {
        "HOME": str(layout.home),
        "TMPDIR": str(temporary),
        "XDG_CACHE_HOME": caches,
        "XDG_RUNTIME_DIR": str(temporary),
        "npm_config_cache": f"{caches}/npm",
        "npm_config_store_dir": f"{caches}/pnpm",
        "BUN_INSTALL_CACHE_DIR": f"{caches}/bun",
        # Git and npm end with an error where they may not read what is there.
        "GIT_CONFIG_GLOBAL": str(layout.scratch.with_name(GIT_SETTINGS)),
        "npm_config_userconfig": "/dev/null",
    }
    installed = {name: layout.home / folder for name, folder in _INSTALLED.items()}
    told |= {name: str(path) for name, path in installed.items() if path in layout.shown}
    for name, (value, content) in _STORES.items():
        if access.network or (layout.scratch / content).is_dir():
            told[name] = value.format(caches)
    if not access.write:
        told["CARGO_TARGET_DIR"] = f"{caches}/target"  # cargo's would be in the workspace
    if not access.network:
        told |= dict.fromkeys(_RETRIES, "0")
    return told
