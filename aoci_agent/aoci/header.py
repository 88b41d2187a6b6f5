"""The index header: overview, stack, dictionaries, hubs, scope."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath

from aoci_agent.aoci.facts.languages import BY_NAME
from aoci_agent.aoci.facts.model import Facts
from aoci_agent.aoci.layers import is_test
from aoci_agent.aoci.model import HeaderLine
from aoci_agent.aoci.scan import Listing
from aoci_agent.aoci.surroundings import Surroundings
from aoci_agent.aoci.tags import LAYERS, TRAITS

_MANIFEST_ORDER = ("gomod", "ini", "manifest", "package")
MAX_HUBS = 16
MAX_STACK = 16
MAX_FOLDED = 10
SIZES_TOLD = "T<100; S<200; M<400; L>=400 lines"
LEVELS_TOLD = "9 core; 8 widely used; 7 business; 5 routine; 3 supporting; 1 edge"


def header(modules: Mapping[str, str], around: Surroundings, listed: Listing) -> list[HeaderLine]:
    """Header lines in their fixed order; empty ones are left out. `modules` is directory -> code.

    Whole dictionaries and a line for each module, no counts: two branches that both add files must
    not meet in the header. A rendering shows the codes in use (`lines.header_lines`).
    """
    hubs = sorted(around.hubs, key=lambda path: (-around.fan_in[path], path))[:MAX_HUBS]
    lines = [
        ("overview", _overview(around.world)),
        ("stack", _stack(around.world, around)),
        ("A", _dictionary(LAYERS)),
        *(("B", f"{code}={folder}/") for folder, code in sorted(modules.items())),
        ("C", LEVELS_TOLD),
        ("D", _dictionary(TRAITS)),
        ("E", SIZES_TOLD),
        ("ubiquitous", ", ".join(around.names(path) for path in hubs)),
        ("routes", _base_paths(around.world)),
        ("folded", _folded(listed.folded)),
        ("scope", _scope(listed.left_out)),
    ]
    return [HeaderLine(key, text) for key, text in lines if text]


def _dictionary(codes: Mapping[str, str]) -> str:
    """`E=entry point; R=router`, in dictionary order."""
    return "; ".join(f"{code}={name}" for code, name in codes.items())


def _shallow(paths: Sequence[str]) -> list[str]:
    return sorted(paths, key=lambda path: (path.count("/"), path))


def _overview(world: Mapping[str, Facts]) -> str:
    """README's first paragraph, else a manifest's description."""
    readmes = [p for p in world if p.rpartition("/")[2].lower().startswith("readme")]
    manifests = [p for p in world if world[p].language in _MANIFEST_ORDER]
    for path in [*_shallow(readmes)[:3], *_shallow(manifests)]:
        text = dict(world[path].settings).get("overview", "")
        if len(re.findall(r"[^\W\d_]", text)) >= 12:
            return text
    return ""


def _stack(world: Mapping[str, Facts], around: Surroundings) -> str:
    """Languages by their share of the lines, in tenths, then the outside packages most files use."""
    lines: Counter[str] = Counter()
    users: dict[str, Counter[str]] = {}
    for path, facts in world.items():
        if facts.language not in BY_NAME or is_test(path):
            continue
        name = BY_NAME[facts.language].shown
        lines[name] += facts.lines
        users.setdefault(name.split("/")[0], Counter()).update(
            around.links.outside.get(path, {}).keys()
        )
    whole = max(sum(lines.values()), 1)
    parts = [_share(name, count / whole) for name, count in sorted(lines.items(), key=_most)]
    for name, packages in sorted(users.items()):
        if sum(lines[key] for key in lines if key.split("/")[0] == name) < whole * 0.05:
            continue
        ranked = [package for package, _ in sorted(packages.items(), key=_most)[:MAX_STACK]]
        parts += [f"{name} uses {', '.join(ranked)}"] if ranked else []
    return "; ".join(parts)


def _most(item: tuple[str, int]) -> tuple[int, str]:
    return (-item[1], item[0])


def _share(name: str, share: float) -> str:
    """`Go 70%`; a language below a tenth is only named. Tenths, so that it seldom changes."""
    tenths = round(share * 10)
    return f"{name} {tenths}0%" if tenths else name


def _base_paths(world: Mapping[str, Facts]) -> str:
    """What stands before the routes of a program that says so in one place."""
    found = sorted(
        {
            (base, path)
            for path, facts in world.items()
            if (base := dict(facts.settings).get("base path"))
        }
    )
    return "; ".join(f"below {base} as {path} says" for base, path in found[:4])


def _folded(paths: Sequence[str]) -> str:
    """Data files by directory: they exist, and are not worth a line each."""
    groups: Counter[tuple[str, str]] = Counter()
    for path in paths:
        pure = PurePosixPath(path)
        groups[f"{pure.parent}/", pure.suffix] += 1
    shown = sorted(groups.items(), key=lambda item: (-item[1], item[0]))
    text = "; ".join(f"{folder} {count} {suffix}" for (folder, suffix), count in shown[:MAX_FOLDED])
    rest = sum(count for _, count in shown[MAX_FOLDED:])
    return f"{text}; and {rest} more" if rest else text


def _scope(left_out: Mapping[str, int]) -> str:
    left = sorted(left_out.items(), key=_most)
    return f"left out: {', '.join(reason for reason, _ in left)}" if left else ""
