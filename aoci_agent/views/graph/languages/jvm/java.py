"""Java by table."""

from typing import TYPE_CHECKING

from aoci_agent.views.graph.languages.common import callables, expressions as ex, reading, types
from aoci_agent.views.graph.languages.common.callables import Form, Parameter
from aoci_agent.views.graph.languages.common.types import Shape
from aoci_agent.views.graph.languages.common.walk import Idiom, Walk, child_of
from aoci_agent.views.graph.model import UNKNOWN, FileFacts
from aoci_agent.views.syntax.parsed import Grammar

if TYPE_CHECKING:
    from tree_sitter import Node

    from aoci_agent.views.syntax.text import Text


def java(path: str, data: bytes) -> FileFacts:
    """A Java source file."""
    text = reading.text_of(path, data)
    return reading.read(text, _TONGUE)


def _package(text: "Text", root: "Node") -> str:
    stated = child_of(root, "package_declaration")
    named = child_of(stated, "scoped_identifier", "identifier") if stated is not None else None
    return "." if named is None else text.data[named.start_byte : named.end_byte].decode()


def _import(walk: Walk, node: "Node", _use: str) -> int:
    """`import a.b.C.D`, `import static a.b.C.f`, either with `*` for the last."""
    named = child_of(node, "scoped_identifier", "identifier")
    if named is None:
        return UNKNOWN
    whole = child_of(node, "asterisk") is not None
    static = any(child.type == "static" for child in node.children)
    value = dotted(walk, named, whole=whole)
    last = walk.text_of(named).rpartition(".")[2]
    if not whole:
        walk.alias(last, value)
        if static:
            holder = walk.draft.raw.nodes[value]
            walk.alias(f"{last}()", walk.term(*holder[:2], f"{last}()"))
    elif static or last[:1].isupper():
        walk.draft.behind.append(value)
    else:
        walk.stars.append("".join(walk.text_of(named).split()))
    return UNKNOWN


def dotted(walk: Walk, node: "Node", *, whole: bool = False) -> int:
    """The term of an imported name: packages are written small, types are not."""
    parts: list[Node] = []
    at: Node | None = node
    while at is not None and at.type == "scoped_identifier":
        inner = at.child_by_field_name("name")
        parts += [inner] if inner is not None else []
        at = at.child_by_field_name("scope")
    parts = [*([at] if at is not None else []), *reversed(parts)]
    names = [walk.text_of(part) for part in parts]
    last = len(names) if whole else len(names) - 1
    count = next((number for number, name in enumerate(names) if name[:1].isupper()), last)
    value = walk.term("import", ".".join(names[:count]), names[count] if count < len(names) else "")
    for number, part in enumerate(parts[count:]):
        if number:
            value = walk.term(".", value, names[count + number])
        walk.draft.use(walk.place(part), "import", value)
    return value


def _spread(walk: Walk, node: "Node") -> Parameter | None:
    """`Type... name`, besides plain parameters."""
    if node.type != "spread_parameter":
        return callables.plain(walk, node)
    held = child_of(node, "variable_declarator")
    kinds = [c for c in node.named_children if c.type not in ("modifiers", "variable_declarator")]
    if held is None or not kinds:
        return None
    declared = walk.visit(kinds[0], "type")
    return Parameter(held.child_by_field_name("name"), declared, "*", many=True)


def _static(walk: Walk, node: "Node") -> bool:
    marks = child_of(node, "modifiers")
    return marks is not None and any(child.type == "static" for child in marks.children)


def _constant(walk: Walk, node: "Node", _use: str) -> int:
    """A constant of an enum: an instance of it."""
    named = node.child_by_field_name("name")
    if named is not None:
        walk.keep(named, node, "constant", walk.me())
        walk.visit(node.child_by_field_name("arguments"))
        body = node.child_by_field_name("body")
        if body is not None:
            own = walk.term("own", walk.draft.scope.slot)
            ex.anonymous(walk, node, body, own)
    return UNKNOWN


def _reference(walk: Walk, node: "Node", _use: str) -> int:
    """`Type::method`."""
    first, *rest = node.named_children
    value = walk.visit(first)
    if rest and rest[-1].type == "identifier":
        walk.member(value, rest[-1], "call")
    return UNKNOWN


def _declared(walk: Walk, node: "Node", _use: str) -> int:
    """`catch (A | B name)`."""
    kinds = child_of(node, "catch_type")
    declared = walk.any_of(walk.all_of(kinds.named_children, "type") if kinds is not None else [])
    named = node.child_by_field_name("name")
    if named is not None:
        walk.bind(named, walk.is_a(declared), node.start_byte)
    return UNKNOWN


def _pattern(walk: Walk, node: "Node", _use: str) -> int:
    """`Type name` within a pattern."""
    kinds = [c for c in node.named_children if c.type != "modifiers"]
    if len(kinds) == 2 and kinds[1].type == "identifier":
        walk.bind(kinds[1], walk.is_a(walk.visit(kinds[0], "type")), node.start_byte)
    else:
        walk.inside(node)
    return UNKNOWN


def _switch(walk: Walk, node: "Node", _use: str) -> int:
    """Labels may be constants of the type that is switched over."""
    outer = walk.subject
    walk.subject = walk.visit(node.child_by_field_name("condition"))
    walk.visit(node.child_by_field_name("body"))
    walk.subject = outer
    return UNKNOWN


def _label(walk: Walk, node: "Node", _use: str) -> int:
    for child in node.named_children:
        if child.type == "identifier":
            place, name = walk.place(child), walk.text_of(child)
            constant = walk.term(".", walk.subject, name)
            term = walk.draft.first(constant, walk.draft.read(name, place.at))
            walk.draft.use(place, "read", term)
        else:
            walk.visit(child)
    return UNKNOWN


def _class_literal(walk: Walk, node: "Node", _use: str) -> int:
    """`Type.class`."""
    return walk.term("lit", "Class", walk.is_a(walk.visit(node.named_children[0], "type")))


def _instance(walk: Walk, node: "Node", _use: str) -> int:
    """`x instanceof Type name`: the name is seen wherever the test may have held."""
    walk.visit(node.child_by_field_name("left"))
    declared = walk.visit(node.child_by_field_name("right"), "type")
    named = node.child_by_field_name("name")
    if named is not None:
        walk.bind(named, walk.is_a(declared), node.start_byte)
    walk.visit(node.child_by_field_name("pattern"))
    return walk.term("lit", "boolean")


def _type_name(walk: Walk, node: "Node", use: str) -> int:
    """`var` is no type: the value says it."""
    return UNKNOWN if walk.text_of(node) == "var" else types.type_name(walk, node, use)


_TYPE_BASES = ("superclass", "interfaces", "extends_interfaces", "super_interfaces")
_listed = callables.one_by_one(_spread)
_method = callables.callable_(Form(listed=_listed, static=_static))
_IDIOM = Idiom(
    calls="()",
    bare_calls=True,
    callables=frozenset(("method_declaration", "constructor_declaration")),
    rules={
        "import_declaration": _import,
        "package_declaration": ex.nothing,
        "class_declaration": types.type_(Shape("class", _TYPE_BASES)),
        "record_declaration": types.type_(Shape("class", _TYPE_BASES, "parameters")),
        "interface_declaration": types.type_(Shape("interface", _TYPE_BASES)),
        "annotation_type_declaration": types.type_(Shape("interface")),
        "enum_declaration": types.type_(Shape("enum", _TYPE_BASES)),
        "enum_constant": _constant,
        "method_declaration": _method,
        "constructor_declaration": callables.callable_(Form(result="", listed=_listed)),
        "annotation_type_element_declaration": _method,
        "field_declaration": ex.variables,
        "constant_declaration": ex.variables,
        "local_variable_declaration": ex.variables,
        "block": ex.block,
        "for_statement": ex.block,
        "try_with_resources_statement": ex.block,
        "catch_clause": ex.block,
        "switch_block_statement_group": ex.block,
        "switch_rule": ex.block,
        "enhanced_for_statement": ex.each,
        "catch_formal_parameter": _declared,
        "resource": ex.bound("value"),
        "switch_expression": _switch,
        "switch_label": _label,
        "class_literal": _class_literal,
        "lambda_expression": callables.lambda_,
        "return_statement": callables.given,
        "method_invocation": ex.invoke,
        "field_access": ex.member("object", "field"),
        "object_creation_expression": ex.new("class_body"),
        "method_reference": _reference,
        "array_access": ex.index("array", "index"),
        "cast_expression": ex.cast(),
        "assignment_expression": ex.assign(),
        "instanceof_expression": _instance,
        "type_pattern": _pattern,
        "record_pattern_component": _pattern,
        "ternary_expression": ex.either("consequence", "alternative"),
        "parenthesized_expression": ex.same(),
        "this": ex.me,
        "super": ex.parent,
        "identifier": ex.name,
        "string_literal": ex.literal("String"),
        "decimal_integer_literal": ex.literal("int"),
        "true": ex.literal("boolean"),
        "false": ex.literal("boolean"),
        "character_literal": ex.literal("char"),
        "type_identifier": _type_name,
        "scoped_type_identifier": types.qualified,
        "generic_type": types.generic(),
        "array_type": types.outer("Array", "element"),
        "annotated_type": types.inner_type,
        "wildcard": types.inner_type,
        "integral_type": types.outside,
        "floating_point_type": types.outside,
        "boolean_type": types.outside,
        "labeled_statement": ex.same(),
        "break_statement": ex.nothing,
        "continue_statement": ex.nothing,
        "element_value_pair": ex.only("value"),
        "line_comment": ex.nothing,
        "block_comment": ex.nothing,
    },
)
_TONGUE = reading.Tongue("jvm", Grammar("tree_sitter_java"), _IDIOM, _package)
