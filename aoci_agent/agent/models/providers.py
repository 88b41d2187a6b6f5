"""Which server a model name means, and where its key is."""

import ipaddress
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Final
from urllib.parse import urlsplit

from aoci_agent.agent.models.prices import listing, table
from aoci_agent.base.errors import ModelUnavailable


@dataclass(frozen=True, slots=True)
class Provider:
    """An OpenAI-compatible chat service. Variables are asked in order."""

    url: str
    key_variable: str
    url_variables: tuple[str, ...]
    local: bool = False  # a server the user runs: probed for its style, needs no key


DIRECT: Final[dict[str, Provider]] = {
    "openai": Provider(
        "https://api.openai.com/v1", "OPENAI_API_KEY", ("OPENAI_API_BASE", "OPENAI_BASE_URL")
    ),
    **{
        name: Provider(url, f"{name.upper()}_API_KEY", (f"{name.upper()}_API_BASE",), local)
        for name, url, local in (
            ("openrouter", "https://openrouter.ai/api/v1", False),
            ("deepseek", "https://api.deepseek.com/v1", False),
            ("groq", "https://api.groq.com/openai/v1", False),
            ("mistral", "https://api.mistral.ai/v1", False),
            ("ollama", "http://127.0.0.1:11434/v1", True),
            ("lmstudio", "http://127.0.0.1:1234/v1", True),
            ("llamacpp", "http://127.0.0.1:8080/v1", True),
        )
    },
}
"""Who is served by our own client; litellm serves the rest."""

# What the litellm worker may see of the environment: network settings (nothing secret unless the
# user put it into a proxy URL) and PROVIDER_*; below, who has other prefixes or names besides.
NETWORK: Final = {
    *("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"),
    *("SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE"),
}
ALSO: Final[dict[str, tuple[str, ...]]] = {
    "azure_ai": ("AZURE_",),
    "bedrock": ("AWS_",),
    "bedrock_converse": ("AWS_",),
    "cohere": ("CO_API_KEY",),
    "fireworks_ai": ("FIREWORKS_", "FIREWORKSAI_"),
    "gemini": ("GOOGLE_API_KEY",),
    "huggingface": ("HF_TOKEN",),
    "perplexity": ("PERPLEXITYAI_",),
    "sagemaker": ("AWS_",),
    "together_ai": ("TOGETHERAI_", "TOGETHER_"),
    "vertex_ai": ("VERTEXAI_", "VERTEX_", "GOOGLE_", "CLOUDSDK_"),
    "watsonx": ("WX_",),
}
# The variable a person sets. Providers not named here may have credentials elsewhere (files,
# metadata servers), so they are let through and answer for themselves.
KEYS: Final[dict[str, str]] = {
    "fireworks_ai": "FIREWORKS_API_KEY",
    "perplexity": "PERPLEXITYAI_API_KEY",
    "together_ai": "TOGETHERAI_API_KEY",
    **{
        name: f"{name.upper()}_API_KEY"
        for name in (
            "anthropic",
            "cerebras",
            "deepinfra",
            "gemini",
            "moonshot",
            "openai",
            "xai",
            "zai",
        )
    },
}


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A server and a model on it. `name` is what the user wrote, `model` what the server is told."""

    name: str
    model: str
    url: str  # up to and with /v1, without a final slash
    key: str = ""
    provider: str = "openai"  # a key of DIRECT, or "local" for a server we started
    key_variable: str = ""
    url_variable: str = ""

    @property
    def loopback(self) -> bool:
        """The server is this machine: no key needed, no proxy, no price, patient with cold prompts."""
        host = urlsplit(self.url).hostname or ""
        try:
            return host == "localhost" or ipaddress.ip_address(host).is_loopback
        except ValueError:
            return False

    @property
    def own(self) -> bool:
        """The URL is the provider's own, so its catalogue prices and extra parameters apply."""
        return self.provider in DIRECT and self.url == DIRECT[self.provider].url

    @property
    def local(self) -> bool:
        """A server the user runs: which call style it speaks must be found out."""
        return self.provider == "local" or DIRECT[self.provider].local


def find_endpoint(name: str, env: Mapping[str, str]) -> Endpoint:
    """Resolve `provider/model` for a provider of DIRECT. ModelUnavailable when a key is missing."""
    prefix, _, model = name.partition("/")
    provider = DIRECT[prefix]
    if not model.strip():
        raise ModelUnavailable(f"the model name {name!r} ends too early", f"write {prefix}/NAME")
    variable = next((v for v in provider.url_variables if env.get(v, "").strip()), "")
    endpoint = Endpoint(
        name,
        model,
        _tidy_url(env[variable], provider, variable) if variable else provider.url,
        env.get(provider.key_variable, "").strip(),
        prefix,
        provider.key_variable,
        provider.url_variables[0],
    )
    if not (endpoint.key.isascii() and endpoint.key.isprintable()):
        raise ModelUnavailable(
            f"{provider.key_variable} holds characters no key has",
            "copy the key again, on one line",
        )
    if not endpoint.key and not endpoint.loopback and not provider.local:
        raise _no_key(name, provider.key_variable)
    return endpoint


def provider_of(name: str) -> str:
    """The litellm provider of a name. ModelUnavailable, with close names, when there is none."""
    prefix, slash, rest = name.partition("/")
    if slash and rest and (prefix in ALSO or prefix in KEYS or prefix in _listed_providers()):
        return prefix
    entry = listing(name)
    if not slash and entry:
        return str(entry.get("litellm_provider", "")).partition("-")[0]
    close = get_close_matches(name, table(), n=3, cutoff=0.6)
    raise ModelUnavailable(
        f"no provider is known for the model {name!r}",
        f"did you mean {', '.join(close)}?"
        if close
        else "write PROVIDER/MODEL, e.g. anthropic/claude-sonnet-5-5, openai/NAME or ollama/NAME",
    )


def worker_environment(name: str, env: Mapping[str, str]) -> dict[str, str]:
    """What the litellm worker gets of the environment: this provider's variables and the network's.

    ModelUnavailable, naming the variable, when the provider's key is missing.
    """
    provider = provider_of(name)
    prefixes = (f"{provider.upper()}_", *ALSO.get(provider, ()))
    own = {key: value for key, value in env.items() if key.startswith(prefixes) and value.strip()}
    if provider in KEYS and not any(key.endswith(("_API_KEY", "_TOKEN")) for key in own):
        raise _no_key(name, KEYS[provider])
    return own | {key: value for key, value in env.items() if key.upper() in NETWORK}


def _no_key(name: str, variable: str) -> ModelUnavailable:
    return ModelUnavailable(
        f"no key for {name}: {variable} is not set",
        f"export {variable}=..., or use a local server: --model ollama/NAME",
    )


def _listed_providers() -> set[str]:
    """Prefixes that occur in the table, as `provider/model` keys or as provider fields."""
    named = {str(entry.get("litellm_provider", "")) for entry in table().values()}
    return (named | {key.partition("/")[0] for key in table() if "/" in key}) - {""}


def _tidy_url(url: str, provider: Provider, variable: str) -> str:
    """As given, without a final slash or the operation; bare Ollama addresses get their /v1."""
    url = url.strip()
    if "://" not in url and provider.local:
        url = "http://" + url
    url = url.rstrip("/").removesuffix("/chat/completions")
    if not _is_address(url):
        raise ModelUnavailable(
            f"{variable} is not a web address: {url!r}", "it looks like http://127.0.0.1:8080/v1"
        )
    return url + "/v1" if provider.local and urlsplit(url).path in ("", "/") else url


def _is_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
        _ = parts.port  # read for its check of the range
        return parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:
        return False
