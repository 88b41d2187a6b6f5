"""Vue and Svelte components: their scripts read as scripts, and what the markup takes and shows."""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from html import unescape

from aoci_agent.aoci.facts import common, prose, typescript
from aoci_agent.aoci.facts.language import Source
from aoci_agent.aoci.facts.model import Facts, Import

_ATTRIBUTES = r"((?:[^>\"']|\"[^\"]*\"|'[^']*')*)"
_SCRIPT = re.compile(rf"<script\b{_ATTRIBUTES}>(.*?)(?:</script\s*>|\Z)", re.DOTALL)
_STYLE = re.compile(r"<style\b[^>]*>.*?(?:</style\s*>|\Z)|<!--.*?-->", re.DOTALL)
_LANGUAGE = re.compile(r"\blang=[\"'](\w+)")
_HEAD = re.compile(r"\A\s*<!--(.*?)-->", re.DOTALL)
_DOC = re.compile(r"<!--\s*@component\b(.*?)-->", re.DOTALL)
_TAG = re.compile(
    r"</?[a-zA-Z](?:[^>\"'{}]|\"[^\"]*\"|'[^']*'|\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\})*>"
    r"|\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}"
)
_LABEL = re.compile(
    r"(?<=\s)(?:title|label|placeholder|tooltip|alt|header|aria-label|description)=\"([^\"{}]{2,48})\"|\$?\bt\(\s*[\"']([\w.-]{3,48})[\"']|\$_\(\s*[\"']([\w.-]{3,48})[\"']"
)
_PROPS = re.compile(r"\bdefineProps\s*(?=[<(])|\bprops:\s*(?=[\[{])")
_RUNE = re.compile(
    r"(?:let|const)\s*+\{(.{0,2000}?)\}\s*+(?::[^=]{0,2000}+)?=\s*+\$props\(", re.DOTALL
)
_LET = re.compile(r"^\s*export\s+let\s+(\w+)", re.MULTILINE)
_KEY = re.compile(r"^\s*(?:readonly\s+)?[\"']?([A-Za-z_$][\w$-]*)[\"']?\??\s*[:,]", re.MULTILINE)
_NAME = re.compile(r"[\"']([\w:.-]+)[\"']")
_BOUND = re.compile(r"(?:^|,)\s*(?:\.\.\.)?(\w+)")
_NESTED = re.compile(r"\{[^{}]*\}|\([^()]*\)")
_MODEL = re.compile(r"\bdefineModel\s*(?:<[^()]*>)?\(\s*(?:[\"'](\w+)[\"'])?")
_EMITS = re.compile(r"\bdefineEmits\s*(?=[<(])|\bemits:\s*(?=[\[{])")
_BRACKETS = {
    "<": re.compile(r"<|(?<!=)>"),
    "(": re.compile(r"[()]"),
    "[": re.compile(r"[\[\]]"),
    "{": re.compile(r"[{}]"),
}
_EMITTED = re.compile(r"(?:\$emit|\bemit|\bdispatch)\(\s*[\"']([\w:.-]+)[\"']")
_TYPED_EVENT = re.compile(r"\(\s*\w+\s*:\s*((?:[\"'][\w:.-]+[\"'][\s|]*)+)")
_SLOT = re.compile(r"<slot\b([^>]*)>|\{@render\s+([\w.?]+)\(")
_NAMED_SLOT = re.compile(r"(?<![:\w-])name=\"([\w-]+)\"")
_STORE = re.compile(r"\b(use\w+Store)\(")
_STORED = re.compile(r"\bfrom\s+[\"'][^\"']*stores?/([\w-]+)[\"']")
_COMMENT = re.compile(r"/\*.*?\*/|(?<![:\"'`\w])//[^\n]*", re.DOTALL)
_METHODS = re.compile(r"^(\s+)methods:\s*\{\n(.*?)^\1\}", re.DOTALL | re.MULTILINE)
_METHOD = re.compile(
    r"^\s{2,8}(?:async\s+)?(\w+)\s*(?:\([^()]*\)\s*\{|:\s*(?:async\s+)?function)", re.MULTILINE
)
_IMPORTED = re.compile(r"\bimport\s+(?:type\s+)?([A-Z]\w*)[^;\n]*?\bfrom\s+[\"']([^\"']+)[\"']")
_CODE = re.compile(r"^&|[<>]|=[\"'{]")  # what is left of markup that could not be read
_NAMELESS = "default export"

Reader = Callable[[Source], Facts]


def vue(source: Source) -> Facts:
    """Vue single-file components."""
    return _component(source, "vue")


def svelte(source: Source) -> Facts:
    """Svelte components."""
    return _component(source, "svelte")


def _component(source: Source, language: str) -> Facts:
    text = source.text
    script, reader = _script(text)
    inner = Source(source.path, script, script.encode())
    facts = reader(inner)
    source.damage.extend(inner.damage)
    markup = _STYLE.sub("", _SCRIPT.sub("", text))
    code = _COMMENT.sub("", script)
    props = _props(code)
    shown = tuple(s for s in facts.symbols if s.public and not s.owner and s.name not in props)
    own = {symbol.name for symbol in shown}
    texts = _texts(markup)
    functions = [s.name for s in facts.symbols if s.kind == "function" and s.name not in own]
    for block in _METHODS.finditer(code):
        functions += [
            name
            for name in _METHOD.findall(block[2])
            if name not in ("if", "for", "switch", "while")
        ]
    emitted, slots = _emits(code + markup), _slots(markup)
    face = [*_listed("props", props), *_listed("emits", emitted), *_listed("slots", slots)]
    notes = list(face)
    notes += [*_listed("stores", _stores(code)), *_listed("functions", functions)]
    notes += [note for note in facts.notes if not note.startswith(_NAMELESS)]
    told = _doc(text) or ("" if facts.doc.startswith("import ") else facts.doc)
    if not told and not texts and face:  # without a word to show, what it takes tells most of it
        told = "; ".join(face)
        notes = notes[len(face) :]
    return replace(
        facts,
        language=language,
        settings=(),
        doc=told,
        symbols=shown,
        exports=tuple(name for name in facts.exports if name in own),
        imports=tuple(_imports(facts.imports, script, markup)),
        texts=texts,
        notes=common.unique(notes, 8),
        members=common.members(text),
    )


def _script(text: str) -> tuple[str, Reader]:
    """The scripts alone, each on its own lines, and who reads them."""
    kept: list[str] = []
    end = 0
    reader: Reader = typescript.javascript
    for found in _SCRIPT.finditer(text):
        kept += ["\n" * text.count("\n", end, found.start(2)), found[2]]
        end = found.end(2)
        lang = _LANGUAGE.search(found[1])
        if lang:
            reader = {
                "ts": typescript.typescript,
                "typescript": typescript.typescript,
                "tsx": typescript.tsx,
            }.get(lang[1], reader)
    return "".join((*kept, "\n" * text.count("\n", end))), reader


def _doc(text: str) -> str:
    found = _DOC.search(text) or _HEAD.match(text)
    return prose.clean(found[1]) if found else ""


def _listed(word: str, names: list[str]) -> list[str]:
    return [f"{word} {', '.join(names[:10])}"] if names else []


def _props(script: str) -> list[str]:
    names = _LET.findall(script)
    for found in _PROPS.finditer(script):
        names += _keys(_bracketed(script, found.end()))
    for found in _RUNE.finditer(script) if "$props(" in script else ():
        names += _BOUND.findall(_NESTED.sub("", found[1]))
    names += [f"v-model{f':{name}' if name else ''}" for name in _MODEL.findall(script)]
    return list(dict.fromkeys(names))


def _bracketed(text: str, start: int) -> str:
    """What stands in the bracket that opens at `start`."""
    depth = 0
    for found in _BRACKETS[text[start]].finditer(text, start):
        depth += 1 if found[0] == text[start] else -1
        if not depth:
            inner = text[start + 1 : found.start()].strip()
            return inner if text[start] in "<(" else f"{text[start]}{inner}{found[0]}"
    return ""


def _keys(body: str) -> list[str]:
    """Names at the first level of an object, a type or a list."""
    body = body.strip()
    if body.startswith("["):
        return _NAME.findall(body)
    inner = body[1:].rpartition("}")[0] if body.startswith("{") else ""
    while (flat := _NESTED.sub("", inner)) != inner:
        inner = flat
    return _KEY.findall(inner.replace(";", "\n").replace(",", ",\n") + ",")


def _emits(text: str) -> list[str]:
    names = list(_EMITTED.findall(text))
    for found in _EMITS.finditer(text):
        body = _bracketed(text, found.end())
        typed = " ".join(_TYPED_EVENT.findall(body))
        names += _NAME.findall(typed or (body if body.startswith("[") else "")) or _keys(body)
    return list(dict.fromkeys(names))


def _slots(markup: str) -> list[str]:
    names: list[str] = []
    for attributes, rendered in _SLOT.findall(markup):
        named = _NAMED_SLOT.search(attributes)
        names.append(rendered.split(".")[-1].rstrip("?") or (named[1] if named else "default"))
    return list(dict.fromkeys(names))


def _stores(script: str) -> list[str]:
    return list(dict.fromkeys(_STORE.findall(script) or _STORED.findall(script)))


def _texts(markup: str) -> tuple[str, ...]:
    found = _TAG.sub("\0", markup).split("\0")
    found += ["".join(names) for names in _LABEL.findall(markup)]
    clean = (" ".join(unescape(item).split()) for item in found)
    said = (prose.cut(item, 48) for item in clean if re.search(r"[^\W\d_]{2}", item))
    return common.unique((item for item in said if not _CODE.search(item)), 12)


def _imports(listed: tuple[Import, ...], script: str, markup: str) -> Iterator[Import]:
    """Imports, a component counted as often as its tag is written."""
    tags = {module: name for name, module in _IMPORTED.findall(script)}
    for item in listed:
        name = tags.get(item.module)
        kebab = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", name or "").lower()
        more = len(re.findall(rf"<(?:{name}|{kebab})(?=[\s/>])", markup)) if name else 0
        names = tuple(
            (n, uses + more if n == "default" and more else uses) for n, uses in item.names
        )
        yield item._replace(names=names)
