"""Facts of XML: Maven, .NET projects, and anything else by its elements. No document type is ever read."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from aoci_agent.aoci.facts import common, prose, secrets
from aoci_agent.aoci.facts.language import Source
from aoci_agent.aoci.facts.model import Facts
from aoci_agent.aoci.facts.packages import USED
from aoci_agent.aoci.facts.settings import messages, telling_pairs, told

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

_VISITED = 4000  # elements looked at
_PLAIN_TYPE = re.compile(r"<!DOCTYPE[^\[<>]{0,400}>", re.IGNORECASE)  # declares nothing itself
_DOCUMENT_TYPE = re.compile(r"<!(?:DOCTYPE|ENTITY)", re.IGNORECASE)


def xml_facts(source: Source) -> Facts:
    """By the root element: a Maven project, a .NET project, else names of elements."""
    root = _root(source.text)
    if root is None:
        if source.path.endswith(".xml") and not _DOCUMENT_TYPE.search(source.text):
            source.damage.append("not valid XML")
        return _flat(source)
    tag = _tag(root)
    said = re.search(r"<!--(.{12,400}?)-->", source.text[:4000], re.DOTALL)
    doc = prose.clean(said[1]) if said else ""
    if tag == "project" and _child(root, "modelVersion") is not None:
        return _maven(root, doc)
    if tag == "Project":
        return _dotnet(root, doc)
    if tag == "mapper" and root.get("namespace"):
        return _mapper(root, doc)
    if tag == "resources":
        pairs = [(item.get("name", ""), item.text or "") for item in _all(root) if item.get("name")]
        return messages(pairs) if len(pairs) > 8 else _elements(root, doc)
    return _elements(root, doc)


def _root(text: str) -> "Element | None":
    """The parsed text; None where it is damaged or declares entities, which could grow without end."""
    text = _PLAIN_TYPE.sub("", text, count=1)
    if _DOCUMENT_TYPE.search(text):
        return None
    from xml.etree.ElementTree import ParseError, fromstring

    try:
        return fromstring(text)  # without a document type there is nothing to expand or to fetch
    except (ParseError, ValueError):
        return None


def _tag(element: "Element") -> str:
    return element.tag.rpartition("}")[2]


def _all(root: "Element") -> Iterator["Element"]:
    """Elements in document order, the first _VISITED."""
    pending, left = [root], _VISITED
    while pending and left:
        left -= 1
        here = pending.pop()
        yield here
        pending.extend(reversed(list(here)[:_VISITED]))


def _child(element: "Element | None", name: str) -> "Element | None":
    return (
        next((inner for inner in element if _tag(inner) == name), None)
        if element is not None
        else None
    )


def _text(element: "Element | None", *path: str) -> str:
    for name in path:
        element = _child(element, name)
    return " ".join((element.text or "").split()) if element is not None else ""


def _each(element: "Element | None", *path: str) -> list["Element"]:
    for name in path:
        element = _child(element, name)
    return list(element) if element is not None else []


def _maven(root: "Element", doc: str) -> Facts:
    """pom.xml: coordinates, modules, dependencies, plugins, profiles, properties."""
    parent = _child(root, "parent")
    group = _text(root, "groupId") or _text(parent, "groupId")
    name = _text(root, "artifactId")
    needs = [
        _text(item, "artifactId")
        for item in _each(root, "dependencies")
        if _text(item, "scope") != "test"
    ]
    tested = [
        _text(item, "artifactId")
        for item in _each(root, "dependencies")
        if _text(item, "scope") == "test"
    ]
    pairs = [
        (_tag(item), " ".join((item.text or "").split())) for item in _each(root, "properties")
    ]
    notes = [
        f"artifact {group}:{name}" + (f" {version}" if (version := _text(root, "version")) else ""),
        *told("modules", (" ".join((m.text or "").split()) for m in _each(root, "modules")), 20),
        *told("parent", [_text(parent, "artifactId")] if parent is not None else ()), *told("packaging", [_text(root, "packaging")]),
        *told("uses", needs, USED), *told("plugins", (_text(p, "artifactId") for p in _each(root, "build", "plugins"))),
        *told("profiles", (_text(p, "id") for p in _each(root, "profiles"))), *told("sets", telling_pairs(pairs, 6)),
        *told("tests use", tested, 5),
    ]  # fmt: skip
    said = _text(root, "description") or _text(root, "name") or doc
    settings = tuple(
        pair
        for pair in (("package", name), ("group", group), ("overview", _text(root, "description")))
        if pair[1]
    )
    return Facts("manifest", doc=prose.clean(said), notes=common.unique(notes), settings=settings)


def _dotnet(root: "Element", doc: str) -> Facts:
    """*.csproj and its like: target, packages, projects."""
    found = list(_all(root))
    needs = [item.get("Include", "") for item in found if _tag(item) == "PackageReference"]
    projects = [
        item.get("Include", "").replace("\\", "/")
        for item in found
        if _tag(item) == "ProjectReference"
    ]
    wanted = (
        "TargetFramework",
        "TargetFrameworks",
        "OutputType",
        "RootNamespace",
        "AssemblyName",
        "PackageId",
        "Version",
        "Nullable",
    )
    sets = [
        f"{_tag(item)} {(item.text or '').strip()}"
        for item in found
        if _tag(item) in wanted and item.text
    ]
    said = next((item.text for item in found if _tag(item) == "Description" and item.text), doc)
    notes = [
        *told("sdk", [root.get("Sdk", "")]),
        *told("sets", sets),
        *told("projects", projects),
        *told("uses", needs, USED),
    ]
    return Facts("manifest", doc=prose.clean(said), notes=common.unique(notes))


def _mapper(root: "Element", doc: str) -> Facts:
    """MyBatis: the interface it belongs to, its statements, the tables they touch."""
    statements = [item for item in root if _tag(item) in ("select", "insert", "update", "delete")]
    named = (f"{_tag(item)} {item.get('id', '')}" for item in statements)
    text = "; ".join(" ".join(item.itertext()) for item in statements[:200])
    notes = [*told("maps", [root.get("namespace", "")]), *told("statements", named, 20)]
    tables = common.sql_tables(text, whole=True)
    return Facts("xml", doc=doc, notes=tuple(notes), tables=tables)


def _elements(root: "Element", doc: str) -> Facts:
    """The root, the kinds of elements inside, and what names them."""
    found = list(_all(root))[1:]
    kinds = common.unique((_tag(item) for item in found), 8)
    named = (
        (_tag(item), item.get("name") or item.get("id") or item.get("android:name") or "")
        for item in found
    )
    pairs = [
        (
            item.get("key") or item.get("name") or item.get("id") or _tag(item),
            item.get("value") or (item.text or "").strip(),
        )
        for item in found
    ]
    telling = telling_pairs([(key, value) for key, value in pairs if value and len(value) < 60], 6)
    notes = [
        f"{_tag(root)} with {', '.join(kinds)}" if kinds else _tag(root),
        *told("named", (f"{kind} {name}" for kind, name in named if name), 8),
        *telling,
    ]
    return Facts("xml", doc=doc, notes=common.unique(map(secrets.masked, notes)))


def _flat(source: Source) -> Facts:
    """Element names by their look alone."""
    kinds = common.unique(re.findall(r"<([A-Za-z][\w:.-]{0,60})", source.text[:20_000]), 8)
    return Facts("xml", notes=tuple(told("elements", kinds)))


def solution_facts(source: Source) -> Facts:
    """Visual Studio solution: its projects."""
    projects = re.findall(
        r"^Project\([^)\n]{0,60}\)[ \t]*=[ \t]*\"([^\"\n]+)\",[ \t]*\"([^\"\n]+)\"",
        source.text,
        re.MULTILINE,
    )
    return Facts(
        "manifest",
        notes=tuple(told("projects", (path.replace("\\", "/") for _, path in projects), 20)),
    )
