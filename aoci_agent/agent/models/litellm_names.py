"""Which names litellm serves, and which environment variables its worker may see for them."""

from collections.abc import Mapping
from difflib import get_close_matches

from aoci_agent.agent.models.prices import listing, table
from aoci_agent.base.errors import ModelUnavailable

# Network settings every provider may need; nothing secret unless the user put it into a proxy URL.
NETWORK = (
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "NO_PROXY",
    "http_proxy",
    "https_proxy",
    "all_proxy",
    "no_proxy",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "REQUESTS_CA_BUNDLE",
)

# Variables per provider; a name that ends in _ is a prefix. Others get PROVIDER_ as their prefix.
VARIABLES: dict[str, tuple[str, ...]] = {
    "anthropic": ("ANTHROPIC_",),
    "azure": ("AZURE_",),
    "azure_ai": ("AZURE_AI_", "AZURE_"),
    "bedrock": ("AWS_",),
    "bedrock_converse": ("AWS_",),
    "cohere": ("COHERE_", "CO_API_KEY"),
    "databricks": ("DATABRICKS_",),
    "fireworks_ai": ("FIREWORKS_", "FIREWORKSAI_"),
    "gemini": ("GEMINI_", "GOOGLE_API_KEY"),
    "github_copilot": ("GITHUB_COPILOT_",),
    "huggingface": ("HF_TOKEN", "HUGGINGFACE_"),
    "openai": ("OPENAI_",),
    "perplexity": ("PERPLEXITYAI_", "PERPLEXITY_"),
    "sagemaker": ("AWS_",),
    "together_ai": ("TOGETHERAI_", "TOGETHER_", "TOGETHER_AI_"),
    "vertex_ai": ("VERTEX_", "VERTEXAI_", "GOOGLE_", "CLOUDSDK_"),
    "watsonx": ("WATSONX_", "WX_"),
    "xai": ("XAI_",),
}

# One of these must be set. Providers that are not named here may have credentials elsewhere
# (files, metadata servers), so they are let through and answer for themselves.
KEYS: dict[str, tuple[str, ...]] = {
    "anthropic": ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"),
    "azure": ("AZURE_API_KEY", "AZURE_AD_TOKEN", "AZURE_CLIENT_ID"),
    "cerebras": ("CEREBRAS_API_KEY",),
    "cohere": ("COHERE_API_KEY", "CO_API_KEY"),
    "deepinfra": ("DEEPINFRA_API_KEY",),
    "fireworks_ai": ("FIREWORKS_API_KEY", "FIREWORKS_AI_API_KEY", "FIREWORKSAI_API_KEY"),
    "gemini": ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
    "moonshot": ("MOONSHOT_API_KEY",),
    "openai": ("OPENAI_API_KEY",),
    "perplexity": ("PERPLEXITYAI_API_KEY", "PERPLEXITY_API_KEY"),
    "together_ai": ("TOGETHERAI_API_KEY", "TOGETHER_API_KEY", "TOGETHER_AI_API_KEY"),
    "xai": ("XAI_API_KEY",),
    "zai": ("ZAI_API_KEY",),
}


def provider_of(name: str) -> str:
    """The litellm provider of a name. ModelUnavailable, with close names, when there is none."""
    prefix, slash, rest = name.partition("/")
    entry = listing(name)
    if slash and rest and (prefix in VARIABLES or prefix in KEYS or prefix in _providers()):
        return prefix
    if not slash and entry is not None:
        return str(entry.get("litellm_provider", "")).partition("-")[0]
    close = get_close_matches(name, table(), n=3, cutoff=0.6)
    raise ModelUnavailable(
        f"no provider is known for the model {name!r}",
        f"did you mean {', '.join(close)}?"
        if close
        else "write PROVIDER/MODEL, e.g. anthropic/claude-sonnet-5-5, openai/NAME or ollama/NAME",
    )


def key_variable(name: str) -> str:
    """The variable a person would set for this model; "" when it is not that simple."""
    return KEYS.get(provider_of(name), ("",))[0]


def worker_environment(name: str, env: Mapping[str, str]) -> dict[str, str]:
    """What the worker gets of the environment: this provider's variables and the network's.

    ModelUnavailable, naming the variable, when the provider's key is missing.
    """
    provider = provider_of(name)
    needed = KEYS.get(provider, ())
    if needed and not any(env.get(variable, "").strip() for variable in needed):
        raise ModelUnavailable(
            f"no key for {name}: {needed[0]} is not set",
            f"export {needed[0]}=..., or use a local server: --model ollama/NAME",
        )
    wanted = VARIABLES.get(provider, (f"{provider.upper()}_",))
    prefixes = tuple(item for item in wanted if item.endswith("_"))
    return {
        variable: value
        for variable, value in env.items()
        if variable in NETWORK or variable in wanted or variable.startswith(prefixes)
    }


def _providers() -> set[str]:
    """Prefixes that occur in the table, as `provider/model` keys or as provider fields."""
    named = {str(entry.get("litellm_provider", "")) for entry in table().values()}
    return (named | {key.partition("/")[0] for key in table() if "/" in key}) - {""}
