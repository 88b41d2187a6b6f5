"""A, the layer of a file: by its name, its folders and what was found in it, in that order."""

import re
from collections.abc import Mapping
from functools import lru_cache
from pathlib import PurePosixPath

from aoci_agent.aoci.facts.languages import BROWSER, BY_NAME
from aoci_agent.aoci.facts.model import Facts

CODE = frozenset((*BY_NAME, "text"))
_BUILDING = frozenset(("docker", "make", "server"))
MANIFESTS = frozenset(("package", "ini", "gomod", "tsconfig", "json", "yaml", "dotenv", "list"))

_TEST = re.compile(
    r"(?:^|/)(?:tests?|__tests__|spec|specs|e2e|testing)/|(?:^|/)(?:test_[^/]*|conftest)\.py\Z"
    r"|_test\.(?:go|py|rb)\Z|[.-](?:test|spec|e2e)\.[cm]?[jt]sx?\Z|(?:Test|Tests|Spec)\.(?:java|kt|cs|scala)\Z"
)
_MIGRATION = re.compile(r"(?:^|/)(?:migrations?|migrate|alembic/versions|drizzle)/|\.sql\Z")
_BUILD = re.compile(
    r"(?:^|/)(?:\.github|\.gitlab|\.circleci|\.ci|ci|deploy|deployment|docker|k8s|helm|charts|scripts|hack|build|\.husky)/"
    r"|(?:^|/)(?:Dockerfile|Containerfile|Makefile|GNUmakefile|justfile|Jenkinsfile|Procfile)[^/]*\Z"
    r"|(?:^|/)(?:docker-compose|compose)[^/]*\.ya?ml\Z|(?:^|/)\.(?:travis|gitlab-ci|pre-commit-config)\.ya?ml\Z"
)
_ENTRY = re.compile(
    r"(?:^|/)(?:__main__|manage)\.py\Z|(?:^|/)main\.(?:go|py|rs|tsx?|jsx?|c|cpp)\Z"
    r"|(?:^|/)cmd/[^/]+/[^/]+\.go\Z|(?:^|/)(?:cli|cli/__init__)\.(?:py|tsx?|jsx?)\Z|(?:^|/)bin/[^/]+\Z"
)
_CONFIG = re.compile(
    r"(?:^|/)(?:config|settings|conf|constants?|consts?)(?:\.\w+)?\.\w+\Z|\.config\.[cm]?[jt]s\Z|rc\.[cm]?js\Z"
)
_PAGE = re.compile(
    r"(?:^|/)app/(?:.*/)?(?:page|layout|loading|error|not-found|template)\.[jt]sx?\Z"
)
_SAMPLE = re.compile(
    r"(?:^|/)(?:examples?|samples?|demos?|benchmarks?|docs?|documentation)/", re.IGNORECASE
)
_ROUTE_FILE = re.compile(r"(?:^|/)app/(?:.*/)?route\.[jt]s\Z|(?:^|/)pages/api/")
_MIDDLEWARE = re.compile(
    r"(?:^|/)(?:src/)?(?:middleware|proxy)\.[jt]s\Z|middleware[^/]*\.\w+\Z", re.IGNORECASE
)

_FOLDERS: Mapping[str, str] = {
    folder: layer
    for layer, folders in {
        "R": "router routers routes routing urls",
        "W": "middleware middlewares intercept interceptor interceptors guards filters",
        "H": "handler handlers controller controllers api apis endpoints resolvers rest grpc",
        "S": "service services svc usecase usecases logic core domain business biz engine",
        "P": "repo repos repository repositories dao daos dal persistence",
        "M": "model models schema schemas entity entities types typings dto interfaces db database",
        "X": "client clients sdk adapter adapters provider providers integration integrations external"
        " thirdparty transports",
        "J": "job jobs worker workers task tasks queue queues cron mq consumer consumers subscriber"
        " subscriber subscription sub subs events scheduler listeners",
        "V": "pages views screens page view templates",
        "K": "components component ui widgets layouts styles icons assets theme",
        "O": "hooks hook store stores context contexts state composables reducers redux slices atoms",
        "L": "lib libs util utils common helper helpers shared pkg tools support internal",
        "C": "config configs settings constants consts i18n locales locale",
    }.items()
    for folder in folders.split()
}  # fmt: skip
_STEMS: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"\A(?:routes?|urls)\Z|(?:^|[_.-])router\Z", re.IGNORECASE), "R"),
    (re.compile(r"(?:^|[_.-])(?:handlers?|controllers?|views)\Z", re.IGNORECASE), "H"),
    (re.compile(r"(?:^|[_.-])(?:services?|usecase|logic)\Z", re.IGNORECASE), "S"),
    (re.compile(r"(?:^|[_.-])(?:repo|repository|dao|queries)\Z", re.IGNORECASE), "P"),
    (re.compile(r"(?:^|[_.-])(?:models?|schemas?|entit(?:y|ies)|types|dto)\Z", re.IGNORECASE), "M"),
    (re.compile(r"(?:^|[_.-])(?:client|adapter)\Z", re.IGNORECASE), "X"),
    (re.compile(r"(?:^|[_.-])(?:tasks?|jobs?|worker|cron|consumer)\Z", re.IGNORECASE), "J"),
    (
        re.compile(
            r"^use[A-Z-]|(?:^|[_.-])(?:store|context|slice|hooks?)\Z|(?:Context|Store|Provider)\Z"
        ),
        "O",
    ),
    (re.compile(r"(?:^|[_.-])(?:utils?|helpers?|common|compat)\Z", re.IGNORECASE), "L"),
)


def layer_of(path: str, facts: Facts) -> str:
    """One of the codes of `tags.LAYERS`."""
    return _by_name(path, facts) or _by_folder(path, facts) or _by_content(path, facts)


@lru_cache(maxsize=65536)
def is_test(path: str) -> bool:
    """Whether the file belongs to the tests."""
    return _TEST.search(path) is not None


def is_sample(path: str) -> bool:
    """Whether the file shows or measures the product instead of being part of it."""
    return _SAMPLE.search(path) is not None


def is_code(facts: Facts) -> bool:
    """Whether the file is program text rather than configuration or prose."""
    return facts.language in CODE


def _by_name(path: str, facts: Facts) -> str:
    if _TEST.search(path) and not _ROUTE_FILE.search(path):
        return "T"
    if facts.language == "document":
        return "D"
    drawn = facts.language == "tsx"
    checks = (
        ("G", _MIGRATION.search(path) is not None),
        ("W", _MIDDLEWARE.search(path) is not None),
        ("H", _ROUTE_FILE.search(path) is not None),
        ("V", _PAGE.search(path) is not None),
        ("B", facts.language in _BUILDING or (not drawn and _BUILD.search(path) is not None)),
        ("E", _ENTRY.search(path) is not None and is_code(facts)),
        (
            "C",
            PurePosixPath(path).name.startswith(".")
            or facts.language in MANIFESTS
            or _CONFIG.search(path) is not None,
        ),
        ("K", facts.language == "style"),
    )
    return next((layer for layer, applies in checks if applies), "")


def _by_folder(path: str, facts: Facts) -> str:
    pure = PurePosixPath(path)
    if facts.routes:
        return "R" if {"router", "routes", "routers"} & set(pure.parts) else "H"
    stem = pure.name.split(".")[0]
    for pattern, layer in _STEMS:
        if pattern.search(stem) and _fits(layer, facts):
            return layer
    return next((layer for f in reversed(pure.parts[:-1]) if (layer := _of_folder(f, facts))), "")


def _fits(layer: str, facts: Facts) -> bool:
    """Whether a file's own name may put it in this layer."""
    if facts.language == "tsx":
        return layer in "OM"
    return layer != "O" or facts.language in BROWSER


def _of_folder(folder: str, facts: Facts) -> str:
    layer = _FOLDERS.get(folder.lower(), "")
    if folder.lower() in ("api", "apis") and facts.language in ("typescript", "javascript"):
        return "X"  # in a browser program this folder asks, it does not answer
    if folder in ("pkg", "internal", "lib") or (layer == "C" and facts.language == "tsx"):
        return ""
    return layer if layer not in "OK" or facts.language in BROWSER or not is_code(facts) else ""


def _by_content(path: str, facts: Facts) -> str:
    folders = set(PurePosixPath(path).parts[:-1])
    top = {symbol.kind for symbol in facts.symbols if not symbol.owner}
    drawn = facts.language == "tsx" or path.endswith((".jsx", ".vue", ".svelte", ".html"))
    silent = facts.language == "text" and not facts.symbols and not facts.env
    checks = (
        ("E", bool(facts.commands)),
        ("Z", silent),
        ("K", drawn),
        ("Z", not is_code(facts)),
        ("L", bool(folders & {"pkg", "lib", "internal"})),
        ("M", bool(top) and top <= {"type", "interface", "enum"}),
        ("S", bool(folders) or bool(facts.symbols)),
    )
    return next((layer for layer, applies in checks if applies), "Z")
