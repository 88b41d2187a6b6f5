"""Java, Kotlin and Scala: packages spread over source roots, seen from all three languages."""

import re
from collections.abc import Iterator, Mapping, Set
from pathlib import PurePosixPath
from typing import NamedTuple

from aoci_agent.aoci.facts.model import Facts
from aoci_agent.aoci.resolve.links import Links
from aoci_agent.aoci.resolve.nearness import shared_parts
from aoci_agent.aoci.wordset import wordset

LANGUAGES = ("java", "kotlin", "scala")
# Of the platform itself; the rest of javax is libraries.
_STANDARD = re.compile(
    r"(?:java|kotlin|scala|jdk|sun|com\.sun)(?:\.|\Z)|javax\.(?:swing|crypto|net|sql|xml|security|naming|management"
    r"|script|imageio|print|sound|tools|lang|annotation|accessibility|rmi|transaction\.xa)(?:\.|\Z)"
    r"|jakarta\.annotation(?:\.|\Z)|org\.jetbrains\.annotations\Z"
)
# How a package is called by those who use it, the longest prefix first.
_KNOWN: Mapping[str, str] = {
    "com.google.common": "guava", "com.google.inject": "guice", "com.google.errorprone": "errorprone",
    "com.fasterxml.jackson": "jackson", "com.squareup.okhttp": "okhttp", "okhttp3": "okhttp", "retrofit2": "retrofit",
    "org.springframework.data": "spring-data", "org.springframework.security": "spring-security",
    "org.springframework.web.reactive": "spring-webflux", "org.springframework.web": "spring-web",
    "org.springframework.http": "spring-web", "org.springframework.jdbc": "spring-jdbc",
    "org.springframework.kafka": "spring-kafka", "org.springframework.amqp": "spring-rabbitmq",
    "org.springframework.cache": "spring-cache", "org.springframework.test": "spring-test",
    "org.springframework.boot.test": "spring-test", "org.springframework.cloud": "spring-cloud",
    "org.springframework.transaction": "spring-tx", "org.springframework.batch": "spring-batch",
    "org.springframework.boot": "spring-boot", "org.springframework": "spring",
    "jakarta.persistence": "jpa", "javax.persistence": "jpa", "jakarta.servlet": "servlet", "javax.servlet": "servlet",
    "jakarta.ws.rs": "jax-rs", "javax.ws.rs": "jax-rs", "jakarta.validation": "bean-validation",
    "javax.validation": "bean-validation", "jakarta.inject": "inject", "javax.inject": "inject",
    "org.openjdk.jmh": "jmh", "jakarta": "jakarta-", "platform": "platform-", "jakarta.xml.bind": "jaxb", "jakarta.websocket": "websocket",
    "javax.websocket": "websocket", "jakarta.transaction": "jta", "javax.transaction": "jta", "javax.cache": "jcache",
    "jakarta.jms": "jms", "javax.jms": "jms", "jakarta.mail": "mail", "javax.mail": "mail",
    "org.apache.commons": "commons-", "org.apache.logging.log4j": "log4j", "org.apache.http": "httpclient",
    "org.apache.hc": "httpclient", "org.apache.ibatis": "mybatis", "com.baomidou.mybatisplus": "mybatis-plus",
    "kotlinx": "kotlinx-", "kotlinx.coroutines": "coroutines", "androidx": "androidx-", "android": "android",
    "org.jetbrains.exposed": "exposed", "io.ktor": "ktor",
    "com.typesafe.config": "typesafe-config", "com.typesafe.akka": "akka", "akka.http": "akka-http",
    "org.apache.pekko.http": "pekko-http", "cats.effect": "cats-effect", "play.api": "play", "software.amazon.awssdk": "aws-sdk",
    "com.amazonaws": "aws-sdk", "io.jsonwebtoken": "jjwt", "com.auth0.jwt": "jwt", "redis.clients": "jedis",
    "io.github.resilience4j": "resilience4j", "com.github.benmanes": "caffeine", "com.zaxxer.hikari": "hikari",
    "cn.hutool": "hutool", "org.junit": "junit", "io.swagger": "swagger", "springfox": "swagger",
}  # fmt: skip
_KNOWN_ORDER = sorted(_KNOWN, key=len, reverse=True)
_TOPS = wordset(
    "com org net io de fr uk ru cn me dev edu eu co info app ai ch nl it jp pl se us in tech tools gov cc"
)
# Firms and foundations with many products: the name after theirs tells.
_FIRMS = wordset(
    "google apache fasterxml squareup jetbrains microsoft alibaba typesafe lightbend twitter netflix facebook"
    " eclipse oracle ibm redhat jboss codehaus typelevel lihaoyi github gitlab softwaremill airbnb uber linkedin"
    " amazon tencent baidu yahoo spotify glassfish vmware bitbucket sourceforge hubspot comcast touchlab cash wordpress"
)


class _User(NamedTuple):
    """A file that uses others: packages it sees without import, the nearest first, and its words."""

    path: str
    scopes: tuple[str, ...]
    words: Mapping[str, int]
    links: Links


class JvmResolver:
    """Knows which files define each name of each package, whatever folder or language they are in."""

    def __init__(self, world: Mapping[str, Facts]) -> None:
        self._definers: dict[str, dict[str, list[str]]] = {}  # package -> name -> files, sorted
        self._defined: dict[str, tuple[str, list[str]]] = {}  # file -> its package and names
        for path, facts in world.items():
            if facts.language in LANGUAGES:
                self._define(path, facts)

    def resolve(self, path: str, facts: Facts, links: Links) -> None:
        outer = (value for key, value in facts.settings if key == "within")
        user = _User(path, (_package(facts), *outer), dict(facts.words), links)
        for item in facts.imports:
            for name, uses in item.names:
                if not self._import(user, item.module, name, uses) and not item.level:
                    self._unknown(user, item.module, name, uses)
        imported = {name for item in facts.imports for name, _ in item.names}
        for package in user.scopes:
            self._use(user, package, imported)

    def note(self, path: str, facts: Facts) -> None:
        package, names = self._defined.pop(path, ("", []))
        for name in names:
            definers = self._definers[package][name]
            definers.remove(path)
            if not definers:
                del self._definers[package][name]
        self._define(path, facts)

    def _define(self, path: str, facts: Facts) -> None:
        script = path.endswith((".kts", ".sc", ".mill"))
        names = [] if script else sorted({*facts.defined, *_file_class(path, facts)})
        package = _package(facts)
        self._defined[path] = (package, names)
        known = self._definers.setdefault(package, {})
        for name in names:
            known[name] = sorted((*known.get(name, ()), path))

    def _import(self, user: "_User", module: str, name: str, uses: int) -> bool:
        """Link one imported name; True when its package or type is of this repository."""
        nested = (f"{scope}.{module}" for scope in user.scopes if scope)
        for place in (module, *nested):
            if name == "*" and place in self._definers:
                self._use(user, place, frozenset())
                return True
            target, defined = self._find(user.path, place, name)
            if target:
                user.links.add(user.path, target, defined, uses)
                return True
        return False

    def _find(self, path: str, module: str, name: str) -> tuple[str, str]:
        """The file and its top-level name: of `a.b.C`, `a.b.C.Inner` or a member of either."""
        parts = [*module.split("."), name] if name != "*" else module.split(".")
        for end in range(len(parts) - 1, 0, -1):  # nothing imports from the package without a name
            definers = self._definers.get(".".join(parts[:end]), {}).get(parts[end])
            if definers:
                return _nearest(path, definers), parts[end]
        return "", ""

    def _use(self, user: "_User", package: str, imported: Set[str]) -> None:
        """Link names of a package that are in use without an import of their own."""
        known = self._definers.get(package, {})
        for word in sorted(user.words.keys() & known.keys()):
            if word not in imported:
                user.links.add(user.path, _nearest(user.path, known[word]), word, user.words[word])

    def _unknown(self, user: "_User", module: str, name: str, uses: int) -> None:
        if _STANDARD.match(module):
            return
        if self._is_own(module):
            user.links.missing.setdefault(user.path, []).append(f"{module}.{name}")
        else:
            user.links.add_outside(user.path, short(module), uses)

    def _is_own(self, module: str) -> bool:
        """Whether an import means a package of this repository or something inside of one."""
        parts = module.split(".")
        return (
            any(".".join(parts[:end]) in self._definers for end in range(len(parts), 1, -1))
            or module in self._definers
        )


def _package(facts: Facts) -> str:
    return next((value for key, value in facts.settings if key == "package"), "")


def _file_class(path: str, facts: Facts) -> Iterator[str]:
    """The class that holds a Kotlin file's functions for Java, whether or not it has any now."""
    if facts.language == "kotlin":
        named = (value for key, value in facts.settings if key == "jvm name")
        stem = PurePosixPath(path).stem
        yield next(named, f"{stem[:1].upper()}{stem[1:]}Kt")


def _nearest(path: str, definers: list[str]) -> str:
    """Of several files that define a name, the one that shares most folders: its own module, its own variant."""
    if len(definers) == 1:
        return definers[0]

    def distance(other: str) -> tuple[int, bool, str]:
        return (-shared_parts(path, other), "/commonMain/" not in other, other)

    return min(definers, key=distance)


def short(module: str) -> str:
    """A telling name for a package from outside: com.fasterxml.jackson.databind -> jackson."""
    for prefix in _KNOWN_ORDER:
        if module == prefix or module.startswith(f"{prefix}."):
            name = _KNOWN[prefix]
            following = module[len(prefix) + 1 :].split(".")[0]
            return f"{name}{following}".rstrip("-") if name.endswith("-") else name
    parts = module.split(".")
    if len(parts) > 1 and parts[0] in _TOPS:
        del parts[0]
        if len(parts) > 1 and parts[0] in _FIRMS:
            user = parts.pop(0) in ("github", "gitlab", "bitbucket")
            if user and len(parts) > 1:
                del parts[0]
    return parts[0]
