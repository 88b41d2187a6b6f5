"""The folders of a home that build tools need, and no others: never keys, tokens or settings."""

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

# Relative to the home. Where settings and keys lie beside, only the folders that hold neither.
_KNOWN = (
    *("bin", ".local/bin", ".local/lib", ".local/pipx", ".local/share/pipx", ".local/share/uv"),
    *(".local/share/mise", ".local/share/pnpm", ".local/share/virtualenv", ".local/share/fnm"),
    *(".local/share/virtualenvs", ".local/share/hatch", ".virtualenvs", ".pyenv", ".pythonz"),
    *("miniconda3", "anaconda3", "miniforge3", "mambaforge", "micromamba", ".conda/envs"),
    *(".nvm", ".volta", ".fnm", ".asdf", ".proto", ".deno", ".bun", ".npm-global", ".yarn/bin"),
    *(".cargo", ".rustup", "go/bin", "go/pkg", ".goenv", ".gvm", "sdk"),
    *(".rbenv", ".rvm", ".gem", ".phpenv", ".composer/vendor", ".config/composer/vendor"),
    *(".sdkman", ".jenv", ".jabba", ".m2/repository", ".m2/wrapper", ".gradle/wrapper"),
    *(".gradle/caches", ".gradle/jdks", ".ivy2/cache", ".ivy2/local", ".sbt/boot"),
    *(".dotnet", ".nuget/packages", ".pub-cache", ".swiftly", ".julia", ".elan", ".juliaup"),
    *(".opam", ".ghcup", ".cabal/bin", ".cabal/packages", ".stack/programs", ".nix-profile"),
    *(".mix", ".hex/packages", ".kiex", ".luarocks", ".platformio/packages", ".emsdk"),
    *(".cache/ms-playwright", ".cache/puppeteer", ".cache/Cypress", ".cache/huggingface/hub"),
    ".cache/pypoetry/virtualenvs",
)
_ROOTS = (
    *("VIRTUAL_ENV", "CONDA_PREFIX", "PYENV_ROOT", "NVM_DIR", "JAVA_HOME", "GOROOT"),
    *("CARGO_HOME", "RUSTUP_HOME"),
)
# Keys that lie in one of those folders all the same.
_KEYS = (
    *(".cargo/credentials", ".cargo/credentials.toml", ".gem/credentials"),
    *(".pub-cache/credentials.json", ".julia/servers", ".dotnet/corefx/cryptography"),
)
_NEVER = (".ssh", ".aws", ".gnupg", ".config", ".docker", ".kube", ".azure", ".password-store")


def toolchains(home: Path, env: Mapping[str, str]) -> tuple[Path, ...]:
    """The folders of tools that are there: the known ones, those of PATH, and those that ENV names.

    A folder that holds the whole home, or a folder of keys, is not taken, whatever names it.
    """
    never = [home / name for name in _NEVER]
    found: dict[Path, None] = {}
    for folder in _named(home, env):
        if folder in found or home.is_relative_to(folder) or not os.access(folder, os.X_OK):
            continue
        known = any(folder == home / name for name in _KNOWN)
        if not known and any(one.is_relative_to(folder) for one in never):
            continue
        if not known and any(folder.is_relative_to(one) for one in never):
            continue
        found[folder] = None
    return tuple(found)


def keys_among(home: Path, env: Mapping[str, str]) -> tuple[Path, ...]:
    """Where keys lie inside those folders, there or not yet; they are to be hidden."""
    cargo = Path(env.get("CARGO_HOME") or home / ".cargo")
    more = [cargo / "credentials.toml", cargo / "credentials"]
    with suppress(OSError):
        # Settings that builds need; in old ones a token may stand among them.
        settings = cargo / "config.toml"
        if b"token" in settings.read_bytes():
            more.append(settings)
    return (*(home / name for name in _KEYS), *more)


def _named(home: Path, env: Mapping[str, str]) -> Iterator[Path]:
    yield from (home / name for name in _KNOWN)
    yield from (Path(env[name]) for name in _ROOTS if env.get(name, "").startswith("/"))
    for folder in env.get("GOPATH", "").split(":"):
        if folder.startswith("/"):
            yield from (Path(folder) / "bin", Path(folder) / "pkg")
    yield from (Path(one) for one in env.get("PATH", "").split(":") if one.startswith("/"))
    # This very program: its own interpreter runs inside, for the self-test and the language servers.
    yield from (Path(sys.prefix), Path(sys.base_prefix), Path(__file__).resolve().parents[2])
