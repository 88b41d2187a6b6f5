"""Which server a model name means, and where its key is."""

import ipaddress
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from aoci_agent.base.errors import ModelUnavailable


@dataclass(frozen=True, slots=True)
class Provider:
    """An OpenAI-compatible chat service. Variables are asked in order."""

    url: str
    url_variables: tuple[str, ...]
    key_variable: str
    local: bool = False  # a server the user runs: probed for its style, needs no key


PROVIDERS: dict[str, Provider] = {
    "openai": Provider(
        "https://api.openai.com/v1", ("OPENAI_API_BASE", "OPENAI_BASE_URL"), "OPENAI_API_KEY"
    ),
    "openrouter": Provider(
        "https://openrouter.ai/api/v1", ("OPENROUTER_API_BASE",), "OPENROUTER_API_KEY"
    ),
    "deepseek": Provider("https://api.deepseek.com/v1", ("DEEPSEEK_API_BASE",), "DEEPSEEK_API_KEY"),
    "groq": Provider("https://api.groq.com/openai/v1", ("GROQ_API_BASE",), "GROQ_API_KEY"),
    "mistral": Provider("https://api.mistral.ai/v1", ("MISTRAL_API_BASE",), "MISTRAL_API_KEY"),
    "ollama": Provider("http://127.0.0.1:11434/v1", ("OLLAMA_API_BASE",), "OLLAMA_API_KEY", True),
    "lmstudio": Provider(
        "http://127.0.0.1:1234/v1", ("LMSTUDIO_API_BASE",), "LMSTUDIO_API_KEY", True
    ),
    "llamacpp": Provider(
        "http://127.0.0.1:8080/v1", ("LLAMACPP_API_BASE",), "LLAMACPP_API_KEY", True
    ),
}


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A server and a model on it. `name` is what the user wrote, `model` what the server is told."""

    name: str
    model: str
    url: str  # up to and with /v1, without a final slash
    key: str = ""
    key_variable: str = ""
    provider: str = "openai"
    url_variable: str = ""

    @property
    def loopback(self) -> bool:
        """The server is this machine: no key needed, no proxy, no price, patient with cold prompts."""
        return is_loopback(urlsplit(self.url).hostname or "")

    @property
    def own(self) -> bool:
        """The URL is the provider's own, so its catalogue prices and extra parameters apply."""
        return self.url == PROVIDERS[self.provider].url if self.provider in PROVIDERS else False

    @property
    def local(self) -> bool:
        """A server the user runs: which call style it speaks must be found out."""
        return self.provider == "local" or PROVIDERS[self.provider].local


def find_endpoint(name: str, env: Mapping[str, str]) -> Endpoint:
    """Resolve `provider/model` for a provider of PROVIDERS. ModelUnavailable when a key is missing."""
    prefix, _, model = name.partition("/")
    provider = PROVIDERS[prefix]
    if not model.strip():
        raise ModelUnavailable(f"the model name {name!r} ends too early", f"write {prefix}/NAME")
    variable = next((v for v in provider.url_variables if env.get(v, "").strip()), "")
    url = _tidy_url(env[variable] if variable else provider.url, provider, variable)
    endpoint = Endpoint(
        name=name,
        model=model,
        url=url,
        key=env.get(provider.key_variable, "").strip(),
        key_variable=provider.key_variable,
        provider=prefix,
        url_variable=provider.url_variables[0],
    )
    if not endpoint.key and not endpoint.loopback and not provider.local:
        raise ModelUnavailable(
            f"no key for {name}: {provider.key_variable} is not set",
            f"export {provider.key_variable}=..., or use a local server: --model ollama/NAME",
        )
    return endpoint


def is_loopback(host: str) -> bool:
    """True for this machine's own addresses."""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _tidy_url(url: str, provider: Provider, variable: str) -> str:
    """As given, without a final slash or the operation; bare Ollama addresses get their /v1."""
    url = url.strip()
    if "://" not in url and provider.local:
        url = "http://" + url
    url = url.rstrip("/").removesuffix("/chat/completions")
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ModelUnavailable(
            f"{variable or 'the base URL'} is not a web address: {url!r}",
            "it looks like http://127.0.0.1:8080/v1",
        )
    return url + "/v1" if provider.local and parts.path in ("", "/") else url
