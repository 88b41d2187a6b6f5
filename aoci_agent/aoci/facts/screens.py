"""What a browser program shows and keeps: words on the screen, message keys, query keys, storage keys."""

import re

from aoci_agent.aoci.facts import common

_SEEN = re.compile(
    r"[>tlpaho](?:(?<=>)\s*([^<>{}()=;\n]{2,48}?)\s*</|(?<!\w.)(?:(?:(?<=t)(?:itle|ooltip)|(?<=l)abel|(?<=p)laceholder|(?<=a)lt"
    r"|(?<=h)(?:eader(?:Name)?|elperText)|(?<=o)kText)\s*[=:]\s*[{]?[\"']([^\"'\n]{2,40})[\"']|(?<=t)\(\s*[\"']([\w.-]{3,48})[\"']))"
)
_QUERY_KEY = re.compile(r"queryKey:\s*\[\s*[\"']([\w/.-]+)")
_STORAGE = re.compile(r"(?:local|session)Storage\.(?:get|set|remove)Item\(\s*[\"'`]([\w.:-]+)")
_ATOM_STORAGE = re.compile(
    r"\b(?:atomWithStorage(?:<[^>\n]*>)?|useLocalStorage(?:<[^>\n]*>)?)\(\s*[\"']([\w.:-]+)"
)
_PERSISTED = re.compile(r"\bname:\s*[\"']([\w.:-]+)[\"']")

_PAGE = re.compile(
    r"<Route\b[^>]*?\bpath=[{\"']+([^\"'}]+)[\"'}]+(?:[^>]*?\b(?:element|component)=\{\s*<?\s*(\w+))?"
    r"|\bpath:\s*[\"']([^\"'\n]*)[\"'],?\s*(?:name:[^,\n]*,\s*)?(?:element|component|Component|lazy):\s*(?:<|\(\)\s*=>\s*import\([\"'])?\s*([\w@/.-]+)"
)


def texts(code: str, language: str) -> tuple[str, ...]:
    """Words on the screen: JSX text, labels and titles, message keys."""
    if language == "typescript" or "<" not in code:
        return ()
    found = [match[1] or match[2] or match[3] for match in _SEEN.finditer(code)]
    clean = (" ".join(item.split()) for item in found)
    return common.unique((item for item in clean if re.search(r"[^\W\d_]{2}", item)), 12)


def notes(code: str) -> list[str]:
    """Query keys and the keys of what is kept in the browser."""
    keys = list(dict.fromkeys(_QUERY_KEY.findall(code))) if "queryKey" in code else []
    kept = [*_STORAGE.findall(code), *_ATOM_STORAGE.findall(code)] if "torage" in code else []
    kept += _PERSISTED.findall(code) if "persist(" in code else []
    found = _PAGE.findall(code) if "<Route" in code or "path:" in code else []
    pages = [f"{a or c} {b or d}".strip() for a, b, c, d in found]
    told = [f"pages {', '.join(dict.fromkeys(pages))}"] if pages else []
    told += [f"query keys {', '.join(keys[:6])}"] if keys else []
    return told + ([f"browser storage {', '.join(list(dict.fromkeys(kept))[:8])}"] if kept else [])
