"""What a script binds and exports: `import` clauses, `require`, and exports by assignment."""

import re
from collections.abc import Iterator, Mapping

from aoci_agent.aoci.facts import common
from aoci_agent.aoci.facts.language import Captures
from aoci_agent.aoci.facts.model import Import

_CLAUSE = re.compile(r"\b(?:import|export)\s++(?:type\s++)?(?P<clause>.*?)\s*+\bfrom\b", re.DOTALL)
_REQUIRED = re.compile(
    r"\b(?:const|let|var)\s+(?P<bound>\{[^{}]*\}|[A-Za-z_$][\w$]*)\s*=\s*(?:new\s+)?\(?\s*require\(\s*[\"'](?P<from>[^\"'\n]+)[\"']\s*\)\)?"
    r"(?:\.(?P<member>[A-Za-z_$][\w$]*))?"
)
_ASSIGNED = re.compile(
    r"^module\.exports\s*=\s*(?:(?P<object>\{)|(?:new\s+)?(?:class\s+|(?:async\s+)?function\s*\*?\s*)?(?P<name>[A-Za-z_$][\w$]*))",
    re.MULTILINE,
)
_MEMBER = re.compile(r"^(?:module\.)?exports\.([A-Za-z_$][\w$]*)\s*=", re.MULTILINE)
_KEY = re.compile(r"^\s*(?:async\s+|\.\.\.)?([A-Za-z_$][\w$]*)\s*(?=$|[:,(}])")
# What follows a key that stands for something: nothing, parameters, a name, or a function.
_NAMED = re.compile(
    r"\s*(?:\Z|\(|:\s*(?:async\b|function\b|\(|(?!(?:true|false|null|undefined|require)\b)[A-Za-z_$][\w$.]*\s*(?:\Z|=>)))"
)
_NOT_NAMES = frozenset(("require", "function", "async", "class", "new"))


def assigned_exports(code: str) -> tuple[list[str], str]:
    """Names a module exports by assignment, and the one it exports as a whole ("" for none)."""
    if "exports" not in code:
        return [], ""
    names: list[str] = []
    whole = ""
    for found in _ASSIGNED.finditer(code):
        if found["object"]:
            names += keys_of(code, found.end(), named=True)
        elif found["name"] not in _NOT_NAMES:
            whole = found["name"]
            names.append(whole)
    names += [name for name in _MEMBER.findall(code) if name != "default"]
    return list(dict.fromkeys(names)), whole


def keys_of(code: str, start: int, *, named: bool = False) -> list[str]:
    """The keys of an object literal that begins before `start`, its inner ones left out.

    `named` keeps those whose value is a function or has a name, not what is mere configuration.
    """
    depth, item = 1, ""
    keys: list[str] = []
    for character in code[start : start + 20_000]:
        if character in "{[(":
            depth += 1
        elif character in "}])":
            depth -= 1
        if not depth or (depth == 1 and character == ","):
            found = _KEY.match(item)
            if found and (not named or _NAMED.match(item[found.end() :]) or found[1].isupper()):
                keys.append(found[1])
            item = ""
        elif depth == 1 or character in "({[":
            item += character
        if not depth:
            break
    return keys


def required(code: str) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """Module -> (name there, name here) for every `require` that binds names; `default` is the whole."""
    if "require(" not in code:
        return
    for found in _REQUIRED.finditer(code):
        bound = found["bound"]
        if bound.startswith("{"):
            yield found["from"], list(_destructured(bound))
        else:
            yield found["from"], [(found["member"] or "default", bound)]


def _destructured(bound: str) -> Iterator[tuple[str, str]]:
    for part in re.sub(r"//[^\n]*", "", bound.strip("{}")).split(","):
        name, _, alias = (side.strip() for side in part.partition(":"))
        name, alias = name.split("=")[0].strip(), alias.split("=")[0].strip()
        if name:
            yield name, alias or name


def imports_of(
    found: Captures, words: Mapping[str, int], text: str
) -> tuple[tuple[Import, ...], dict[str, str]]:
    """What a file imports, with the uses of each name, and every bound name with its module."""
    imports: dict[str, dict[str, int]] = {}
    bound: dict[str, str] = {}
    chains = common.chains(text)
    for module, pairs in required(text):
        names = imports.setdefault(module, {})
        for name, alias in pairs:
            bound[alias] = module
            names[name] = max(words.get(alias, 1) - 1, 1)
            for member, uses in chains.get(alias, {}).items() if name == "default" else ():
                names[member] = names.get(member, 0) + uses
    for captured in found:
        if "import" not in captured:
            continue
        module = captured.text("from").strip("'\"`")
        names = imports.setdefault(module, {})
        clause = _CLAUSE.search(captured.text("import"))
        for name, alias in _bindings(clause["clause"]) if clause else ():
            bound[alias] = module
            if name != "*" or alias == "*":
                names[name] = max(words.get(alias, 1) - 1, 1)
                continue
            names["*"] = 1
            for member, uses in chains.get(alias, {}).items():
                names[member] = names.get(member, 0) + uses
        if not names:
            names["*"] = 1
    listed = tuple(
        Import(module, tuple(sorted(names.items())[:80]))
        for module, names in sorted(imports.items())
    )
    return listed, bound


def _bindings(clause: str) -> list[tuple[str, str]]:
    """`A, {B as C, type D}` -> default A, B used as C, D."""
    pairs: list[tuple[str, str]] = []
    braces = re.search(r"\{(.*?)\}", clause, re.DOTALL)
    outer = clause.replace(braces[0], "") if braces else clause
    for part in re.sub(
        r"//[^\n]*|/\*.*?\*/", "", braces[1] if braces else "", flags=re.DOTALL
    ).split(","):
        words = part.replace("type ", " ").split()
        if words:
            pairs.append((words[0], words[-1]))
    for part in outer.split(","):
        words = part.split()
        if words and words[0] == "*":
            pairs.append(("*", words[-1]))
        elif words:
            pairs.append(("default", words[0]))
    return pairs
