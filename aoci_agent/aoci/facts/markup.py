"""Facts of pages and their styles: HTML, templates of any engine, CSS and its dialects."""

import re

from aoci_agent.aoci.facts import common, prose
from aoci_agent.aoci.facts.language import Source
from aoci_agent.aoci.facts.model import Facts
from aoci_agent.aoci.facts.settings import told

_TITLE = re.compile(
    r"<title[^>]{0,200}>([^<]{1,160})</title>|<h[1-3][^>]{0,300}>([^<@{]{2,120})<|ViewData\[\"Title\"\][ \t]*=[ \t]*\"([^\"\n]{2,80})",
    re.IGNORECASE,
)
_META = re.compile(
    r"<meta[^>]{0,60}name=[\"']description[\"'][^>]{0,20}content=[\"']([^\"'\n]{8,200})",
    re.IGNORECASE,
)
_FORM = re.compile(r"<form\b([^>]{0,600})", re.IGNORECASE)
_ACTION = re.compile(
    r"(?:action|hx-(?:get|post|put|delete)|th:action|formaction)=[\"']([^\"'\n]{1,120})",
    re.IGNORECASE,
)
_METHOD = re.compile(r"method=[\"']?(\w+)", re.IGNORECASE)
_FIELD = re.compile(
    r"<(?:input|select|textarea)\b[^>]{0,200}?\bname=[\"']([\w\[\].-]{1,60})", re.IGNORECASE
)
_SCRIPT = re.compile(r"<script[^>]{1,300}?\bsrc=[\"']([^\"'\n]{1,160})", re.IGNORECASE)
_SHEET = re.compile(r"<link[^>]{0,200}?\bhref=[\"']([^\"'\n]{1,120}\.css)", re.IGNORECASE)
# How engines name other templates: Jinja/Twig/Django/Nunjucks/Liquid, EJS, Handlebars, ERB, Blade, Go, Thymeleaf.
_EXTENDS = re.compile(r"\{%-?[ \t]*(?:extends|layout)[ \t]+[\"']([^\"'\n]+)|@extends\([\"']([^\"'\n]+)|layout:decorate=\"~?\{?([\w/.-]+)|^extends[ \t]+([\w/.-]+)", re.MULTILINE)  # fmt: skip
_INCLUDES = re.compile(
    r"\{%-?[ \t]*(?:include|import|from|embed|render|component)[ \t]+[\"']([^\"'\n]+)|<%-?[ \t]*include\([ \t]*[\"']([^\"'\n]+)"
    r"|\{\{#?>[ \t]*([\w/.-]+)|\{\{-?[ \t]*(?:template|partial|include)[ \t]+\"([^\"\n]+)|@(?:include|component|each)\([\"']([^\"'\n]+)"
    r"|<%=[ \t]*render[ \t(]+(?:partial:[ \t]*)?[\"']([^\"'\n]+)|th:(?:replace|insert)=\"~?\{?([\w/.-]+)|^[ \t]*include[ \t]+([\w/.-]+)",
    re.MULTILINE,
)  # fmt: skip
_BLOCK = re.compile(
    r"\{%-?[ \t]*block[ \t]+(\w+)|@(?:section|yield)\([\"'](\w+)|\{\{-?[ \t]*(?:define|block)[ \t]+\"([^\"\n]+)"
)
_VARIABLE = re.compile(
    r"(?:\{\{-?|<%[=-]|\$\{)[ \t]*[.$@]?([A-Za-z_][\w.]{1,60})[ \t]*(?:\||-?\}|-?%>)"
)
_URL = re.compile(
    r"(?:hx-(?:get|post|put|delete)|href|src|data-url)=[\"'](/(?:api|v\d)[^\"'\n{<]{0,80})|\{%[ \t]*url[ \t]+[\"']([\w:.-]+)"
)
_TAG = re.compile(
    r"<(?:script|style)\b.*?(?:</|\Z)|<[^>]{0,400}>|\{[{%].{0,200}?[%}]\}|@\{[^}]*\}", re.DOTALL
)
_CUSTOM = re.compile(r"<([a-z]\w*(?:-[a-z]\w*)+)\b")


def html_facts(source: Source) -> Facts:
    """Title, layout, forms, parts, scripts, what it asks for."""
    text = source.text
    title = _TITLE.search(text)
    said = _META.search(text)
    comment = prose.clean(prose.leading_comment(source.lines, ("<!--", "{#", "{{!", "<%#", "{{/*")))
    forms = [
        f"{(m[1].upper() + ' ') if (m := _METHOD.search(form)) else ''}{a[1]}"
        for form in _FORM.findall(text)
        if (a := _ACTION.search(form))
    ]
    roots = re.findall(r"<(?:div|main)[^>]{0,60}\bid=[\"'](root|app|__next|mount)[\"']", text)
    notes = [
        *told("extends", _either(_EXTENDS, text), 3), *told("forms", forms, 6), *told("fields", _FIELD.findall(text), 10),
        *told("includes", _either(_INCLUDES, text), 8), *told("mounts", roots, 2), *told("loads", [*_SCRIPT.findall(text), *_SHEET.findall(text)], 6),
        *told("blocks", _either(_BLOCK, text), 8), *told("asks", _either(_URL, text), 6), *told("elements", _CUSTOM.findall(text), 6),
        *told("shows", _VARIABLE.findall(text), 8),
    ]  # fmt: skip
    name = " ".join(title[title.lastindex or 1].split()) if title else ""
    name = "" if re.fullmatch(r"\W*", name) else prose.clean(name) or name[:60]
    doc = comment or ": ".join(filter(None, (name, prose.clean(said[1]) if said else "")))
    if not doc and not notes:
        doc = prose.clean(" ".join(_TAG.sub(" ", text[:4000]).split())[:160], 100)
    return Facts("html", doc=doc, notes=common.unique(notes))


def _either(pattern: re.Pattern[str], text: str) -> list[str]:
    """What the one group that took part in each match holds."""
    return [m[m.lastindex] for m in pattern.finditer(text) if m.lastindex]


def style_facts(source: Source) -> Facts:
    """Leading comment, variables, mixins, imports, classes."""
    text = source.text
    doc = prose.clean(prose.leading_comment(source.lines, ("/*", "*", "//")))
    variables = sorted(
        set(re.findall(r"^[ \t]*(--[\w-]+)[ \t]*:|^[ \t]*([$@][\w-]+)[ \t]*:", text, re.MULTILINE))
    )
    classes = dict.fromkeys(re.findall(r"^[ \t]*\.([A-Za-z][\w-]+)", text, re.MULTILINE))
    selectors = re.findall(
        r"^([a-z#][\w#:-]*(?:[ \t]*,[ \t]*[a-z#][\w#:-]*){0,4})[ \t]*\{", text, re.MULTILINE
    )
    notes = [
        *told("styles", selectors if not classes else (), 8),
        *told("CSS variables", (a or b for a, b in variables), 8), *told("classes", classes, 8),
        *told("mixins", re.findall(r"@mixin[ \t]+([\w-]+)", text), 6), *told("keyframes", re.findall(r"@keyframes[ \t]+([\w-]+)", text), 5),
        *told("imports", re.findall(r"@(?:import|use|forward)[ \t]+(?:url\()?[\"']([^\"'\n]+)", text), 6),
        *told("breakpoints", re.findall(r"\((?:max|min)-width:[ \t]*([\w.]+)", text), 4),
    ]  # fmt: skip
    return Facts("style", doc=doc, notes=tuple(notes))
