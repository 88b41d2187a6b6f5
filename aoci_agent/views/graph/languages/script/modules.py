"""Imports and exports of a module."""

from typing import TYPE_CHECKING

from aoci_agent.views.graph.languages.walker import children_of
from aoci_agent.views.graph.model import UNKNOWN, Entry

if TYPE_CHECKING:
    from tree_sitter import Node

    from aoci_agent.views.graph.languages.script.reader import ScriptReader


def imported(reader: "ScriptReader", node: "Node") -> None:
    """`import d, {a as b} from "m"`, `import * as n from "m"`."""
    source = node.child_by_field_name("source")
    if source is None:
        return
    module = _module(reader, source)
    for clause in (child for child in children_of(node) if child.type == "import_clause"):
        for child in children_of(clause):
            if child.type == "identifier":
                _bind(reader, child, child, module, "default")
            elif child.type == "namespace_import":
                for name in children_of(child):
                    _enter(reader, name, reader.term("import", module, ""))
                    reader.name(name, "import")
            elif child.type == "named_imports":
                for item in children_of(child):
                    name = item.child_by_field_name("name")
                    if name is not None:
                        alias = item.child_by_field_name("alias") or name
                        _bind(reader, name, alias, module, reader.text_of(name))


def _module(reader: "ScriptReader", source: "Node") -> str:
    module = reader.text_of(source).strip("\"'`")
    reader.draft.use(reader.place(source), "import", reader.term("import", module, ""))
    return module


def _bind(reader: "ScriptReader", name: "Node", alias: "Node", module: str, member: str) -> None:
    value = reader.term("import", module, member)
    same = reader.draft.read(reader.text_of(alias), alias.start_byte) if name == alias else value
    reader.draft.use(reader.place(name), "import", same)
    _enter(reader, alias, value)


def _enter(reader: "ScriptReader", name: "Node", value: int) -> None:
    """A name of the module that stands for an import."""
    text, (line, column, *_) = reader.text_of(name), reader.place(name)
    reader.draft.entries.append(Entry(text, "import", value))
    reader.draft.imports[text] = ((line, column),)


def exported(reader: "ScriptReader", node: "Node") -> None:
    """`export ...`, whatever follows."""
    source = node.child_by_field_name("source")
    module = _module(reader, source) if source is not None else ""
    default = any(child.type == "default" for child in node.children)
    for child in children_of(node):
        if child == source:
            continue
        if child.type == "export_clause":
            for item in children_of(child):
                _passed_on(reader, item, module)
        elif child.type == "namespace_export":
            for name in children_of(child):
                value = reader.term("import", module, "")
                reader.draft.entries.append(Entry(reader.text_of(name), "import", value))
        elif default:
            _default(reader, child)
        else:
            reader.statement(child)
    if any(child.type == "*" for child in node.children):
        value = reader.term("import", module, "")
        reader.draft.entries.append(Entry("*", "star", value))


def _passed_on(reader: "ScriptReader", item: "Node", module: str) -> None:
    """`a as b` of `export {...}`, with `from` or without."""
    names = [child for child in item.children if child.type not in ("as", "type")]
    if not names:
        return
    name, alias = reader.text_of(names[0]), reader.text_of(names[-1])
    if module:
        value = reader.term("import", module, name)
    elif name == alias and names[0].type == "identifier":
        reader.name(names[0], "read")
        return
    else:
        value = reader.draft.read(name, names[0].start_byte)
    reader.draft.use(reader.place(names[0]), "import" if module else "read", value)
    reader.draft.entries.append(Entry(alias, "import", value))


def _default(reader: "ScriptReader", node: "Node") -> None:
    named = node.child_by_field_name("name")
    if node.type.endswith("_declaration") and named is not None:
        reader.statement(node)
        value = reader.draft.read(reader.text_of(named), node.end_byte)
        reader.draft.entries.append(Entry("default", "import", value))
    elif node.type == "identifier":
        reader.draft.entries.append(Entry("default", "import", reader.name(node, "read")))
    else:
        value = _anonymous(reader, node)
        if value != UNKNOWN:
            reader.draft.entries.append(Entry("default", "variable", value))


def _anonymous(reader: "ScriptReader", node: "Node") -> int:
    """`export default {...}`, a class or function without a name, the result of a call."""
    if node.type in ("arrow_function", "function_expression", "function_declaration"):
        reader.callable(node, node, "default", "default", "function")
        return UNKNOWN
    if node.type in ("class", "class_declaration"):
        reader.class_body(node, "default", "default", part=True)
        reader.define("default", "default", node, "class", node)
        return UNKNOWN
    if node.type == "object":
        value = reader.object(node, "default", "default")
        reader.define("default", "default", node, "constant", node)
        return value
    return reader.visit(node)
