"""The JSON schema of a tool's arguments, as few tokens as say it all."""

from typing import Any, cast

from aoci_agent.tools.tool import Arguments

KEPT = ("description", "enum", "items", "properties", "required", "type")


def parameters(arguments: type[Arguments]) -> dict[str, Any]:
    """Compact JSON schema with sorted keys: no titles, no `$defs`, no defaults, plain types.

    Whatever is left out here is still enforced when the arguments are parsed.
    """
    whole = arguments.model_json_schema()
    return _compact(whole, whole.get("$defs", {}))


def _compact(node: dict[str, Any], definitions: dict[str, Any]) -> dict[str, Any]:
    node = _plain(node, definitions)
    kept: dict[str, Any] = {key: node[key] for key in KEPT if key in node}
    if "properties" in kept:
        kept.pop("description", None)  # the class's docstring: for readers of the code
        properties = cast("dict[str, dict[str, Any]]", kept["properties"])
        kept["properties"] = {
            name: _compact(properties[name], definitions) for name in sorted(properties)
        }
    if "items" in kept:
        kept["items"] = _compact(kept["items"], definitions)
    if "required" in kept:
        kept["required"] = sorted(kept["required"])
    return kept


def _plain(node: dict[str, Any], definitions: dict[str, Any]) -> dict[str, Any]:
    """Follow a reference, and take the one real type of an optional."""
    if "$ref" in node:
        name = str(node["$ref"]).rsplit("/", 1)[-1]
        node = {**definitions[name], **{k: v for k, v in node.items() if k != "$ref"}}
    options = [
        option
        for option in cast("list[dict[str, Any]]", node.get("anyOf", []))
        if option.get("type") != "null"
    ]
    if len(options) == 1:
        node = {**node, **_plain(options[0], definitions)}
    return node
