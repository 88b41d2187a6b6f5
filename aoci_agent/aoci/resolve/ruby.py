"""Ruby: required paths over every load folder, and constants by where they are looked up."""

import posixpath
from collections.abc import Iterator, Mapping

from aoci_agent.aoci.facts.model import Facts
from aoci_agent.aoci.resolve.links import Links
from aoci_agent.aoci.resolve.namespaces import Namespaces, outward, spaces_of
from aoci_agent.aoci.wordset import wordset

_ROOTS = ("lib", "test", "spec", "app", "ext")
_STANDARD = wordset(
    "abbrev base64 benchmark bigdecimal bundler cgi coverage csv date delegate digest drb English erb etc"
    " fiber fileutils find forwardable io ipaddr irb json logger matrix mkmf monitor net objspace observer"
    " open-uri open3 openssl optparse ostruct pathname pp prettyprint prime psych pstore racc rbconfig rdoc"
    " readline reline resolv rinda ripper rubygems securerandom set shellwords singleton socket stringio"
    " strscan syslog tempfile time timeout tmpdir tsort un uri weakref yaml zlib rake thread"
)
_LEAST_UNIQUE = 4  # a shorter constant found nowhere around is no evidence


class RubyResolver:
    """Knows which file can be required under which name, and which defines which constant."""

    def __init__(self, world: Mapping[str, Facts]) -> None:
        self._names = Namespaces(world, "ruby")
        self._required: dict[str, list[str]] = {}
        for path, facts in sorted(world.items()):
            if facts.language == "ruby":
                for name in _requirable(path):
                    self._required.setdefault(name, []).append(path)

    def resolve(self, path: str, facts: Facts, links: Links) -> None:
        for item in facts.imports:
            target = self._file(path, item.module)
            if target:
                links.add(path, target, "*", 1)
            elif item.module.startswith("."):
                links.missing.setdefault(path, []).append(item.module)
            elif (package := item.module.split("/")[0]) not in _STANDARD:
                links.add_outside(path, package, 1)
        scopes = list(dict.fromkeys(_scopes(facts)))
        for word, uses in facts.words:
            name, target = self._constant(path, scopes, word)
            if target:
                links.add(path, target, name, uses)

    def note(self, path: str, facts: Facts) -> None:
        self._names.note(path, facts)

    def _file(self, path: str, module: str) -> str:
        if module.startswith("."):
            place = posixpath.normpath(posixpath.join(posixpath.dirname(path), module))
            found = self._required.get(f"/{place}", [])
            return found[0] if found else ""
        found = self._required.get(module, [])
        return max(
            found, key=lambda file: (len(posixpath.commonprefix([path, file])), file), default=""
        )

    def _constant(self, path: str, scopes: list[str], word: str) -> tuple[str, str]:
        """The constant and its file; of a path of constants, the last one some file defines."""
        parts = word.split("::")
        while parts:
            *inner, name = parts
            spaces = ["::".join((*filter(None, (scope,)), *inner)) for scope in scopes]
            if target := self._names.find(path, spaces, name):
                return name, target
            parts = inner
        lone = "::" not in word and len(word) >= _LEAST_UNIQUE
        return word, self._names.only(path, word) if lone else ""


def _requirable(path: str) -> Iterator[str]:
    """Names under which a file is required; the one from the top begins with a slash."""
    stem = path.removesuffix(".rb")
    yield f"/{stem}"
    parts = stem.split("/")
    yield from ("/".join(parts[i + 1 :]) for i, part in enumerate(parts[:-1]) if part in _ROOTS)


def _scopes(facts: Facts) -> Iterator[str]:
    """Where a constant is looked up: in the classes of the file, their modules, then at the top."""
    spaces = spaces_of(facts)
    classes = [
        symbol.name
        for symbol in facts.symbols
        if symbol.kind in ("class", "module") and not symbol.owner
    ]
    for space in spaces:
        yield from ("::".join(filter(None, (space, name))) for name in classes)
    for space in spaces:
        yield from outward(space, "::")
    yield ""
