"""A, the layer of a file: by its name, its folders and what was found in it, in that order."""

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from pathlib import PurePosixPath

from aoci_agent.aoci.facts.languages import BROWSER, BY_NAME
from aoci_agent.aoci.facts.model import Facts
from aoci_agent.aoci.wordset import wordset

CODE = frozenset((*BY_NAME, "text"))
_COMPONENTS = frozenset(("vue", "svelte"))  # one file, one component: only pages are not
_BUILDING = wordset("docker make server compose kubernetes infrastructure workflow build")
MANIFESTS = wordset("package manifest ini gomod tsconfig json yaml xml dotenv list key")

_TEST = re.compile(
    r"(?:^|/)(?:tests?|__tests__|spec|specs|e2e|testing)/|(?:^|/)(?:test_[^/]*|conftest)\.py\Z"
    r"|(?:^|/)tests?\.py\Z|(?:^|/)tests?(?:-[^/]*)?\.[cm]?[jt]sx?\Z|_test\.(?:go|py|rb)\Z|[.-](?:test|spec|e2e)\.[cm]?[jt]sx?\Z|(?:Test|Tests|Spec)\.(?:java|kt|scala)\Z"
    r"|(?:^|/)[\w.-]*(?:[.-]|(?<=[a-z]))Tests?/|(?<=\w)Tests?\.cs\Z|_spec\.rb\Z|\.(?:test|spec)\.(?:vue|svelte)\Z"
    r"|_(?:unit)?tests?\.(?:c|cc|cpp|cxx|h|hpp|rs)\Z|(?:^|/)tests?\.rs\Z|(?:^|/)test_[^/]*\.(?:c|cc|cpp|cxx|rs)\Z"
    r"|(?:^|/)Tests/|Tests?\.swift\Z"
)
_MIGRATION = re.compile(r"(?:^|/)(?:[Mm]igrations?|migrate|alembic/versions|drizzle)/|\.sql\Z")
_BUILD = re.compile(
    r"(?:^|/)(?:\.github|\.gitlab|\.circleci|\.ci|ci|deploy|deployment|docker|k8s|helm|charts|scripts|hack|build|\.husky)/"
    r"|(?:^|/)(?:Dockerfile|Containerfile|Makefile|GNUmakefile|justfile|Jenkinsfile|Procfile)[^/]*\Z"
    r"|\.gradle(?:\.kts)?\Z|(?:^|/)build\.sc\Z|\.(?:sbt|mill)\Z|(?:^|/)(?:gradlew|mvnw)(?:\.\w+)?\Z"
    r"|(?:^|/)(?:buildSrc|build-logic)/|(?:^|/)project/\w+\.scala\Z"
    r"|(?:^|/)build\.rs\Z|(?:^|/)CMakeLists\.txt\Z|\.cmake\Z|(?:^|/)Package(?:@swift-[\d.]+)?\.swift\Z"
    r"|(?:^|/)(?:docker-compose|compose)[^/]*\.ya?ml\Z|(?:^|/)\.(?:travis|gitlab-ci|pre-commit-config)\.ya?ml\Z"
)
_ENTRY = re.compile(
    r"(?:^|/)(?:__main__|manage)\.py\Z|(?:^|/)main\.(?:go|py|rs|tsx?|jsx?|c|cc|cpp|cxx|swift)\Z"
    r"|(?:^|/)cmd/[^/]+/[^/]+\.go\Z|(?:^|/)(?:cli|cli/__init__)\.(?:py|tsx?|jsx?)\Z|(?:^|/)bin/[^/]+\Z"
    r"|(?:^|/)(?:Program|Startup)\.cs\Z|(?:^|/)(?:artisan|config\.ru)\Z"
)
_CONFIG = re.compile(
    r"(?:^|/)(?:config|settings|conf|constants?|consts?)(?:\.\w+)?\.\w+\Z|\.config\.[cm]?[jt]s\Z|rc\.[cm]?js\Z"
)
_PAGE = re.compile(
    r"(?:^|/)app/(?:.*/)?(?:page|layout|loading|error|not-found|template)\.[jt]sx?\Z"
    r"|(?:^|/)\+(?:page|layout|error)\.svelte\Z|\.blade\.php\Z|\.cshtml(?:\.cs)?\Z"
)
_SAMPLE = re.compile(
    r"(?:^|/)(?:examples?|samples?|demos?|benchmarks?|bench|benches|fuzz|docs?|documentation)/",
    re.IGNORECASE,
)
# Copies that were set aside: they look like the file they were taken from.
_RETIRED = re.compile(
    r"\.(?:[cm]?[jt]sx?|py|go|java|rb|php|vue|css|less|scss|html|json|sql|ya?ml|sh|conf|md|toml|xml|rs|c|h|cpp|cs|kt|swift)[._-](?:bak|backup|old|orig|original|broken|before|stable|optimized|disabled|error|fix|new|save|copy)\w*(?:[._-][\w.-]*)?\Z"
    r"|\.(?:bak|orig|old)\Z|(?:^|/)_?(?:archived?|archives|deprecated|disabled|retired|obsolete)(?:_\w+)?/|(?:^|/)[^/]*\.(?:bak|old)(?:\.[\d_]+)?/",
    re.IGNORECASE,
)
_WORDING = re.compile(
    r"(?:^|/)(?:locales?|i18n|lang|langs|languages|translations|messages)/(?:.*\.(?:json|ya?ml|po)|(?:.*/)?[a-z]{2,3}(?:[_-][A-Za-z]{2,4})?\.[jt]s)\Z"
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
        "M": "model models schema schemas entity entities types typings dto dtos interfaces db database viewmodels requests responses contracts",
        "X": "client clients sdk adapter adapters provider providers integration integrations external"
        " thirdparty transports",
        "J": "job jobs worker workers task tasks queue queues cron mq consumer consumers subscriber"
        " subscriber subscription sub subs events scheduler listeners eventsubscriber eventlistener messagehandler",
        "V": "pages views screens page view templates",
        "K": "components component ui widgets layouts styles icons assets theme",
        "O": "hooks hook store stores context contexts state composables reducers redux slices atoms",
        "L": "lib libs util utils common helper helpers shared pkg tools support internal",
        "C": "config configs settings constants consts i18n locales locale",
    }.items()
    for folder in folders.split()
}  # fmt: skip
# Where packages are folders, their names say nothing about tests, samples or builds.
_SOURCE_ROOT = re.compile(r"((?:^|/)src/\w+/(?:java|kotlin|scala|groovy)/).*/")
_JVM = frozenset(("java", "kotlin", "scala"))
_STARTING = frozenset(("App", "IOApp", "ZIOAppDefault", "Application"))  # supertypes of programs
# Names of classes, which end in what they are.
_CLASSES: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(rf"(?<=[a-z0-9])(?:{names})\Z"), layer)
    for layer, names in {
        "H": "Controller|Resource|Endpoint|RestApi|ExceptionHandler|Servlet",
        "R": "Router|Routes|RouterConfig",
        "W": "Filter|Interceptor|Middleware|Aspect|Advice",
        "P": "Repository(?:Impl)?|D[aA][oO](?:Impl)?|Mapper",
        "S": "(?:Service|UseCase|Interactor|Facade)(?:Impl)?",
        "X": "(?:Rest|Http|Api|Feign|Grpc|Web)?Client|Gateway",
        "J": "Job|Task|Scheduler|Consumer|Listener|Subscriber|Worker",
        "M": "Entity|D[tT][oO]|V[oO]|Request|Response|Command|Event|Exception|Model",
        "C": "Config|Configuration|Configurer|Properties|AutoConfiguration|Settings|Constants",
        "V": "Activity|Fragment|Screen|Page",
        "L": "Utils?|Helpers?|Ext|Extensions?",
    }.items()
)
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
    return _TEST.search(_outside_packages(path)) is not None


def is_sample(path: str) -> bool:
    """Whether the file shows or measures the product instead of being part of it."""
    return _SAMPLE.search(_outside_packages(path)) is not None


def _outside_packages(path: str) -> str:
    return _SOURCE_ROOT.sub(r"\1", path) if "src/" in path else path


@lru_cache(maxsize=65536)
def is_retired(path: str) -> bool:
    """Whether the file is a copy kept aside, not part of the product any more."""
    return _RETIRED.search(path) is not None


def is_wording(path: str) -> bool:
    """Whether the file holds the program's words in one language."""
    return _WORDING.search(path) is not None


def is_aside(path: str) -> bool:
    """Whether the name alone is worth its place: a copy kept aside, or words by language."""
    return is_retired(path) or is_wording(path)


def is_code(facts: Facts) -> bool:
    """Whether the file is program text rather than configuration or prose."""
    return facts.language in CODE


def _by_name(path: str, facts: Facts) -> str:
    if is_test(path) and not _ROUTE_FILE.search(path):
        return "T"
    if facts.language == "document":
        return "D"
    return next((layer for layer, applies in _BY_NAME if applies(path, facts)), "")


def _builds(path: str, facts: Facts) -> bool:
    """Whether the file makes, ships or runs the product; what is drawn is never meant."""
    if facts.language in _BUILDING:
        return True
    drawn = facts.language == "tsx" or facts.language in _COMPONENTS
    return not drawn and _BUILD.search(_outside_packages(path)) is not None


def _begins(path: str, facts: Facts) -> bool:
    return (_ENTRY.search(path) is not None and is_code(facts)) or _starts(facts)


def _configures(path: str, facts: Facts) -> bool:
    hidden = path.rpartition("/")[2].startswith(".")
    return hidden or facts.language in MANIFESTS or _CONFIG.search(path) is not None


# The first that applies; what costs more to ask stands where it decides, not before.
_BY_NAME: tuple[tuple[str, Callable[[str, Facts], bool]], ...] = (
    ("Z", lambda _, facts: facts.language == "copy"),
    ("M", lambda _, facts: facts.language == "schema"),
    ("G", lambda path, _: _MIGRATION.search(path) is not None),
    ("W", lambda path, _: _MIDDLEWARE.search(path) is not None),
    ("H", lambda path, _: _ROUTE_FILE.search(path) is not None),
    ("V", lambda path, _: _PAGE.search(path) is not None),
    ("B", _builds),
    ("B", lambda _, facts: facts.language == "shell"),
    ("E", _begins),
    ("C", _configures),
    ("K", lambda _, facts: facts.language == "style"),
)


def _by_folder(path: str, facts: Facts) -> str:
    pure = PurePosixPath(path)
    if facts.routes:
        routing = {"router", "routes", "routers"} & set(pure.parts)
        return "R" if routing or pure.name == "routes.rb" else "H"
    stem = pure.name.split(".")[0]
    for pattern, layer in (*_CLASSES, *_STEMS) if facts.language in _JVM else _STEMS:
        if pattern.search(stem) and _fits(layer, facts):
            return layer
    return next((layer for f in reversed(pure.parts[:-1]) if (layer := _of_folder(f, facts))), "")


def _starts(facts: Facts) -> bool:
    """Whether a class is where a program begins."""
    return facts.language in _JVM and any(
        (s.name == "main" and s.public and s.kind in ("method", "function"))
        or _STARTING & set(s.bases)
        for s in facts.symbols
    )


def _fits(layer: str, facts: Facts) -> bool:
    """Whether a file's own name may put it in this layer."""
    if facts.language in _COMPONENTS:
        return False
    if facts.language == "tsx":
        return layer in "OM"
    return layer != "O" or facts.language in BROWSER


def _of_folder(folder: str, facts: Facts) -> str:
    layer = _FOLDERS.get(folder.lower(), "")
    own = _as_the_language_has_it(folder, layer, facts)
    if own is not None:
        return own
    drawn = facts.language == "tsx" or (facts.language == "javascript" and facts.texts)
    if folder in ("pkg", "internal", "lib") or (layer == "C" and drawn):
        return ""
    return layer if layer not in "OK" or facts.language in BROWSER or not is_code(facts) else ""


def _as_the_language_has_it(folder: str, layer: str, facts: Facts) -> str | None:
    """Where a folder's name means something else in a language; None where it does not."""
    language, lower = facts.language, folder.lower()
    rules = (
        # the program is the database there
        (language in ("c", "cpp") and lower in ("db", "database"), ""),
        (language in _JVM and folder in ("api", "templates"), ""),
        (language in _COMPONENTS, layer if layer in ("V", "K") else ""),
        # these wire a program together, they ask no other
        (language == "php" and lower == "providers", "C"),
        # in a browser program this folder asks, it does not answer
        (language in ("typescript", "javascript") and lower in ("api", "apis"), "X"),
    )
    return next((own for applies, own in rules if applies), None)


def _by_content(path: str, facts: Facts) -> str:
    folders = set(PurePosixPath(path).parts[:-1])
    top = {symbol.kind for symbol in facts.symbols if not symbol.owner}
    drawn = facts.language in ("tsx", "html") or path.endswith((".jsx", ".vue", ".svelte", ".html"))
    silent = facts.language == "text" and not facts.symbols and not facts.env
    seen = facts.language == "swift" and any("View" in symbol.bases for symbol in facts.symbols)
    checks = (
        ("E", bool(facts.commands)),
        ("Z", silent),
        ("K", drawn or seen),
        ("Z", not is_code(facts)),
        ("L", bool(folders & {"pkg", "lib", "internal"})),
        ("M", bool(top) and _is_model(top, facts)),
        ("S", bool(folders) or bool(facts.symbols)),
    )
    return next((layer for layer, applies in checks if applies), "Z")


def _is_model(top: set[str], facts: Facts) -> bool:
    """Types alone; on the JVM an interface is a promise of behaviour, an entity or a record a model."""
    if facts.language not in _JVM:
        return top <= {"type", "interface", "enum"}
    mapped = any(table.endswith(" ddl") for table in facts.tables)
    shaped = {shape.split("{")[0] for shape in facts.shapes if "{" in shape}
    held = {s.name for s in facts.symbols if not s.owner and s.kind == "class" and s.public}
    active = any(s.owner and s.kind == "method" for s in facts.symbols)
    return mapped or top <= {"type", "enum"} or (bool(held) and held <= shaped and not active)
