"""Names of files that usually hold secrets: their contents are shown only when a person says so."""

import re
import unicodedata

# Whole names, compared without case. Examples and templates are made to be read.
_NAME = re.compile(
    r"\.env(?:rc|[.\-_].*)?|.*\.env|\.netrc|_netrc|\.npmrc|\.yarnrc\.yml|\.pypirc|\.pgpass|\.my\.cnf"
    r"|\.git-credentials|\.dockercfg|\.htpasswd|\.vault[-_]?pass.*|\.boto|\.s3cfg|\.rhosts"
    r"|id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?|.*_(?:rsa|dsa|ecdsa|ed25519)"
    r"|.*\.(?:pem|key|p12|pfx|kdbx?|jks|keystore|ppk|gpg|ovpn|tfvars|agekey)"
    r"|(?:.*[.\-_])?(?:credentials?|secrets?)(?:\.(?:json|ya?ml|toml|ini|txt|csv|env|xml|properties|db))?"
    r"|service[-_]?account.*\.json|client_secrets?.*\.json|.*\.tfstate(?:\.backup)?|master\.key"
    r"|\.(?:bash|zsh|python|node_repl|psql|mysql)_history",
)
_EXAMPLE = re.compile(r".*[.\-_](?:example|sample|template|dist|defaults?|tmpl|md|rst)|.*\.pub")
_FOLDERS = frozenset(
    {".aws", ".ssh", ".gnupg", ".kube", ".azure", ".gcloud", ".password-store", ".age"}
)


def may_hold_secrets(path: str) -> bool:
    """Whether a path (forward slashes) names such a file, or anything in such a folder."""
    parts = [_plain(part) for part in path.split("/") if part not in ("", ".", "..")]
    if not parts:
        return False
    name = parts[-1]
    if any(part in _FOLDERS for part in parts):
        return True
    if parts[-2:] in ([".git", "config"], [".docker", "config.json"]):
        return True  # addresses with tokens in them
    return _NAME.fullmatch(name) is not None and not _EXAMPLE.fullmatch(name)


def _plain(part: str) -> str:
    """As a file system compares it that ignores case, composition and dots at the end."""
    name = unicodedata.normalize("NFC", unicodedata.normalize("NFKC", part).casefold())
    return name.rstrip(". ")
