"""Scala by table. An object is called `Name$`, so that it and the class of its name are told apart."""

from typing import TYPE_CHECKING

from aoci_agent.views.graph.languages.common import callables, expressions as ex, reading, types
from aoci_agent.views.graph.languages.common.callables import Parameter
from aoci_agent.views.graph.languages.common.walk import Idiom, Walk, child_of, lines_of
from aoci_agent.views.graph.model import UNKNOWN, Entry, FileFacts
from aoci_agent.views.syntax.parsed import Grammar

if TYPE_CHECKING:
    from tree_sitter import Node

    from aoci_agent.views.syntax.text import Text

_OBJECT = "$"


def scala(path: str, data: bytes) -> FileFacts:
    """A Scala source file."""
    text = reading.text_of(path, data)
    return reading.read("jvm", text, Grammar("tree_sitter_scala"), _IDIOM, _package)


def _clauses(text: "Text", root: "Node") -> list[str]:
    found = [c.child_by_field_name("name") for c in root.named_children if c.type == "package_clause"]
    return [text.data[n.start_byte : n.end_byte].decode("utf-8", "replace") for n in found if n is not None]


def _package(text: "Text", root: "Node") -> str:
    return ".".join(_clauses(text, root)) or "."


def _clause(walk: Walk, node: "Node", _use: str) -> int:
    """Every clause but the last is a package around that is seen, too."""
    named = node.child_by_field_name("name")
    written = walk.text_of(named)
    whole = f"{walk.stars[-1]}.{written}" if walk.stars and walk.package else written
    walk.package = True
    if walk.draft.space != whole:
        walk.stars.append(whole)
    walk.visit(node.child_by_field_name("body"))
    return UNKNOWN


def _import(walk: Walk, node: "Node", _use: str) -> int:
    """`import a.b.C, d.{E, F => G}, h._`"""
    paths: list[Node] = []
    done = True
    for child in node.named_children:
        if child.type in ("identifier", "operator_identifier"):
            paths = [child] if done else [*paths, child]
            done = False
        elif child.type == "namespace_wildcard":
            _whole(walk, paths)
            done = True
        elif child.type == "namespace_selectors":
            _selected(walk, child, paths)
            done = True
        following = child.next_sibling
        if not done and (following is None or following.type == ","):
            _bound(walk, paths, walk.text_of(paths[-1]))
            done = True
    return UNKNOWN


def _path(walk: Walk, parts: "list[Node]") -> tuple[int, str]:
    """The term of a path, and its text where it is all packages."""
    names = [walk.text_of(part) for part in parts]
    count = next((n for n, name in enumerate(names) if name[:1].isupper()), len(names))
    value = UNKNOWN
    for number, part in enumerate(parts[count:], count):
        name = names[number]
        if number == count:
            before = ".".join(names[:count])
            pair = [_imported(walk, before, name + _OBJECT), _imported(walk, before, name)]
        else:
            pair = [walk.term(".", value, name + _OBJECT), walk.term(".", value, name)]
        value = walk.draft.use(walk.place(part), "import", walk.draft.first(*pair))
    return value, ".".join(names) if count == len(names) else ""


def _imported(walk: Walk, module: str, name: str) -> int:
    return walk.term("import", module, name) if module else walk.draft.read(name, 0)


def _bound(walk: Walk, parts: "list[Node]", shown: str) -> None:
    value, text = _path(walk, parts[:-1])
    _give(walk, value, text, parts[-1], shown)


def _give(walk: Walk, value: int, text: str, named: "Node", shown: str) -> None:
    """Bind an imported name, and the object of that name."""
    name = walk.text_of(named)
    terms = {
        mark: walk.term(".", value, name + mark) if not text else walk.term("import", text, name + mark)
        for mark in ("", _OBJECT)
    }
    either = walk.draft.first(terms[""], terms[_OBJECT])
    walk.draft.use(walk.place(named), "import", either)
    walk.alias(shown, either)
    walk.alias(shown + _OBJECT, walk.draft.first(terms[_OBJECT], terms[""]))


def _whole(walk: Walk, parts: "list[Node]") -> None:
    value, text = _path(walk, parts)
    if text:
        walk.stars.append(text)
    elif value != UNKNOWN:
        walk.draft.behind.append(value)


def _selected(walk: Walk, node: "Node", parts: "list[Node]") -> None:
    value, text = _path(walk, parts)
    for child in node.named_children:
        if child.type == "identifier":
            _give(walk, value, text, child, walk.text_of(child))
        elif child.type == "namespace_wildcard":
            if text:
                walk.stars.append(text)
            else:
                walk.draft.behind.append(value)
        else:
            named, alias = child.child_by_field_name("name"), child.child_by_field_name("alias")
            if named is not None and alias is not None:
                _give(walk, value, text, named, walk.text_of(alias))


def _object(walk: Walk, node: "Node", _use: str) -> int:
    named, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    if named is None:
        return UNKNOWN
    name = walk.text_of(named)
    slot, qualified = walk.draft.slot(name + _OBJECT), walk.draft.qualified(name)
    with walk.draft.part(slot, qualified, lines_of(node), "class"):
        above = node.child_by_field_name("extend")
        bases = tuple(t for t in types.base_list(walk, above) if t != UNKNOWN) if above is not None else ()
        walk.draft.entries.append(Entry(slot, "class", bases=bases))
        with walk.type_scope(slot, qualified, walk.term("self", slot), open_=bool(bases)):
            walk.inside(body)
    walk.define(slot, named, "class", node, body)
    return UNKNOWN


def _name(walk: Walk, node: "Node", use: str) -> int:
    """A name: `this` and `super` among them; a capital may be an object or a class."""
    text = walk.text_of(node)
    if text == "this":
        return walk.me()
    if text == "super":
        return ex.parent(walk, node, use)
    if use in ("type", "base"):
        return walk.name(node, use)
    if not text[:1].isupper():
        return _without(walk, walk.name(node, use), use)
    place, read = walk.place(node), walk.draft.read
    pair = read(text + _OBJECT, place.at), read(text, place.at)
    return walk.draft.use(place, use, walk.draft.first(*(pair if use == "read" else pair[::-1])))


def _without(walk: Walk, term: int, use: str) -> int:
    """A method may be called without brackets."""
    return walk.draft.first(walk.term("()", term), term) if use == "read" else term


def _field(walk: Walk, node: "Node", use: str) -> int:
    value, named = walk.visit(node.child_by_field_name("value")), node.child_by_field_name("field")
    if named is None:
        return UNKNOWN
    text = walk.text_of(named)
    term = walk.term(".", value, text)
    if text[:1].isupper():
        term = walk.draft.first(walk.term(".", value, text + _OBJECT), term)
    return _without(walk, walk.draft.use(walk.place(named), use, term), use)


def _call(walk: Walk, node: "Node", _use: str) -> int:
    function = node.child_by_field_name("function")
    base = walk.visit(function, "call")
    outer, walk.item = walk.item, UNKNOWN
    raw = walk.draft.raw.nodes[base]
    if raw[0] == "." and isinstance(raw[1], int):
        walk.item = walk.term("each", raw[1])
    given = ex.arguments(walk, node.child_by_field_name("arguments"))
    walk.item = outer
    made = ex.called(walk, base, given)
    if walk.text_of(function)[:1].isupper():
        applied = ex.called(walk, walk.term(".", base, "apply"), given)
        return walk.draft.first(applied, made)
    return made


def _parameters(walk: Walk, node: "Node") -> list[Parameter]:
    """Every list of a function that has several."""
    lists = node.parent.children_by_field_name("parameters") if node.parent is not None else [node]
    found: list[Parameter] = []
    for listed in lists:
        found += [p for p in (callables.plain(walk, c) for c in listed.named_children) if p is not None]
    return found


def _value(walk: Walk, node: "Node", _use: str) -> int:
    """`val a: T = x`."""
    declared = walk.visit(node.child_by_field_name("type"), "type")
    held = walk.visit(node.child_by_field_name("value"))
    value = walk.is_a(declared) if declared != UNKNOWN else held
    pattern = node.child_by_field_name("pattern") or node.child_by_field_name("name")
    if pattern is not None and pattern.type == "identifier":
        walk.variable(pattern, node, value, declared=declared != UNKNOWN)
    elif pattern is not None:
        _pattern(walk, pattern, value)
    return UNKNOWN


def _pattern(walk: Walk, node: "Node", value: int) -> None:
    """Bind the names of a pattern."""
    if node.type == "identifier" and not walk.text_of(node)[:1].isupper():
        walk.variable(node, node, value, declared=False)
    elif node.type == "typed_pattern":
        kind = walk.is_a(walk.visit(node.child_by_field_name("type"), "type"))
        inner = node.child_by_field_name("pattern")
        if inner is not None:
            _pattern(walk, inner, kind)
    elif node.type == "tuple_pattern":
        for number, child in enumerate(node.named_children):
            _pattern(walk, child, walk.term("part", value, str(number)))
    elif node.type == "case_class_pattern":
        kind = node.child_by_field_name("type")
        walk.visit(kind, "type")
        for child in node.named_children:
            if child != kind:
                _pattern(walk, child, UNKNOWN)
    elif node.type in ("alternative_pattern", "capture_pattern"):
        for child in node.named_children:
            _pattern(walk, child, value)
    else:
        walk.visit(node)


def _match(walk: Walk, node: "Node", _use: str) -> int:
    value, body = walk.visit(node.child_by_field_name("value")), node.child_by_field_name("body")
    outer, walk.subject = walk.subject, value
    found = [walk.visit(child) for child in body.named_children] if body is not None else []
    walk.subject = outer
    return walk.any_of(found)


def _case(walk: Walk, node: "Node", _use: str) -> int:
    with walk.draft.scoped("function", walk.draft.scope.slot, walk.draft.scope.qualified):
        pattern, body = node.child_by_field_name("pattern"), node.child_by_field_name("body")
        if pattern is not None:
            _pattern(walk, pattern, walk.subject)
        rest = [walk.visit(child) for child in node.named_children if child != pattern]
    return rest[-1] if rest and body is not None else UNKNOWN


def _lambda(walk: Walk, node: "Node", _use: str) -> int:
    item, walk.item = walk.item, UNKNOWN
    with walk.draft.scoped("function", walk.draft.scope.slot, walk.draft.scope.qualified):
        given = node.children_by_field_name("parameters")
        if len(given) == 1 and given[0].type == "identifier":
            walk.bind(given[0], item, 0, "parameter")
        elif given and given[0].type == "identifier":
            walk.bind(given[0], walk.is_a(walk.visit(given[1], "type")), 0, "parameter")
        elif given:
            callables.bind_all(walk, _bindings(walk, given[0]))
        walk.all_of(child for child in node.named_children if child not in given)
    return UNKNOWN


def _bindings(walk: Walk, node: "Node") -> list[Parameter]:
    found = [callables.plain(walk, child) for child in node.named_children]
    return [item for item in found if item is not None]


def _enumerator(walk: Walk, node: "Node", _use: str) -> int:
    """`i <- xs`, `j = x`."""
    first, *rest = node.named_children or [node]
    values = walk.all_of(rest)
    drawn = any(child.type == "<-" for child in node.children)
    value = values[0] if values else UNKNOWN
    if rest:
        _pattern(walk, first, walk.term("each", value) if drawn else value)
    else:
        walk.visit(first)
    return UNKNOWN


def _scoped(walk: Walk, node: "Node", _use: str) -> int:
    """The value of a block is that of its last expression; its names are its own."""
    last = UNKNOWN
    with walk.draft.scoped("function", walk.draft.scope.slot, walk.draft.scope.qualified):
        for child in node.named_children:
            last = walk.visit(child)
    return last


def _new(walk: Walk, node: "Node", _use: str) -> int:
    kind, *rest = node.named_children or [node]
    base = walk.visit(kind, "type")
    for child in rest:
        if child.type == "template_body":
            ex.anonymous(walk, node, child, base)
        else:
            walk.visit(child)
    return walk.is_a(base)


def _type_member(walk: Walk, node: "Node", _use: str) -> int:
    named = node.child_by_field_name("name")
    value = walk.visit(node.child_by_field_name("type"), "type")
    if named is not None:
        slot = walk.draft.slot(walk.text_of(named))
        walk.draft.entries.append(Entry(slot, "alias", value))
        walk.define(slot, named, "type", node)
    return UNKNOWN


def _enum_case(walk: Walk, node: "Node", _use: str) -> int:
    named = node.child_by_field_name("name")
    if named is not None:
        walk.keep(named, node, "constant", walk.me())
        walk.inside(node.child_by_field_name("class_parameters"))
    return UNKNOWN


def _infix(walk: Walk, node: "Node", _use: str) -> int:
    """`a method b`."""
    left, at = walk.visit(node.child_by_field_name("left")), node.child_by_field_name("operator")
    right = walk.visit(node.child_by_field_name("right"))
    if at is None or at.type != "identifier":
        return UNKNOWN
    return ex.called(walk, walk.member(left, at, "call"), [right])


def _class(kind: str) -> "types.Rule":
    return types.type_(kind, bases=("extend",), record="class_parameters")


_def = callables.callable_("function", result="return_type", listed=_parameters, inferred=True)
_nothing = ("comment", "block_comment", "string", "integer_literal", "namespace_wildcard", "modifiers")
_IDIOM = Idiom(
    rules={
        "package_clause": _clause,
        "import_declaration": _import,
        "class_definition": _class("class"),
        "trait_definition": _class("interface"),
        "enum_definition": _class("enum"),
        "object_definition": _object,
        "package_object": _object,
        "simple_enum_case": _enum_case,
        "full_enum_case": _enum_case,
        "function_definition": _def,
        "function_declaration": _def,
        **dict.fromkeys(("val_definition", "var_definition", "val_declaration", "var_declaration"), _value),
        "type_definition": _type_member,
        "call_expression": _call,
        "generic_function": lambda walk, node, use: _first(walk, node, use),
        "field_expression": _field,
        "instance_expression": _new,
        "infix_expression": _infix,
        "assignment_expression": ex.assign(),
        "match_expression": _match,
        "case_clause": _case,
        "lambda_expression": _lambda,
        "for_expression": _scoped,
        "enumerator": _enumerator,
        "block": _scoped,
        "indented_block": _scoped,
        "if_expression": ex.either("consequence", "alternative"),
        "parenthesized_expression": ex.same(),
        "return_expression": callables.given,
        "identifier": _name,
        "type_identifier": types.type_name,
        "generic_type": types.generic("type"),
        "stable_type_identifier": types.qualified(),
        "compound_type": types.inner_type,
        "annotated_type": types.inner_type,
        **dict.fromkeys(_nothing, ex.nothing),
    },
)


def _first(walk: Walk, node: "Node", use: str) -> int:
    held = child_of(node, "type_arguments")
    walk.all_of(held.named_children if held is not None else [], "type")
    return walk.visit(node.child_by_field_name("function"), use)
