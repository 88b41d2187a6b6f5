"""Rules as a person writes them."""

import pytest
from hypothesis import given, strategies as st

from aoci_agent.agent.rules import Rules, exact_path, parse_rule
from aoci_agent.base.errors import BadUsage
from aoci_agent.tools.shell.line import Word

TOOLS = ("bash", "edit", "write", "read", "test", "grep")


def words(text: str) -> list[Word]:
    return [Word(word) for word in text.split(" ")]


@pytest.mark.parametrize(
    ("rule", "fits", "fits_not"),
    [
        ("bash(pytest *)", ["pytest", "pytest -q a"], ["pytest2", "xpytest", "python pytest"]),
        ("bash(git status)", ["git status"], ["git", "git status -s"]),
        (
            "bash(npm run test:*)",
            ["npm run test:", "npm run test:a"],
            ["npm run test", "npm run test:a b"],
        ),
        ("bash(git * main)", ["git push main"], ["git main", "git a b main"]),
        ("bash(rg 'a.*b' *)", ["rg a.*b", "rg a.*b x"], ["rg axxb"]),
        (r"bash(echo \*)", ["echo *"], ["echo x"]),
        ('bash(echo "a*")', ["echo a*"], ["echo ab"]),
        ("bash", ["ls", "rm x"], []),
    ],
)
def test_words(rule: str, fits: list[str], fits_not: list[str]) -> None:
    parsed = parse_rule(rule, TOOLS)
    assert [text for text in fits if not parsed.covers(words(text))] == []
    assert [text for text in fits_not if parsed.covers(words(text))] == []


@pytest.mark.parametrize(
    ("rule", "fits", "fits_not"),
    [
        ("edit(docs/**)", ["docs/a.md", "docs/x/a.md"], ["a.md", "xdocs/a.md", "docs"]),
        ("read(.env)", [".env", "a/.env"], [".env.x", "x.env"]),
        ("read(/.env)", [".env"], ["a/.env"]),
        ("edit(src/a.py)", ["src/a.py"], ["x/src/a.py", "src/aXpy"]),
        ("write(*.md)", ["a.md", "x/a.md"], ["a.mdx"]),
        (r"edit(/app/\[id\].tsx)", ["app/[id].tsx"], ["app/i.tsx"]),
        ("edit", ["anything"], []),
    ],
)
def test_paths(rule: str, fits: list[str], fits_not: list[str]) -> None:
    parsed = parse_rule(rule, TOOLS)
    assert [path for path in fits if not parsed.covers_path(path)] == []
    assert [path for path in fits_not if parsed.covers_path(path)] == []


@pytest.mark.parametrize(
    "rule",
    [
        "",
        "bash()",
        "bash(",
        "Bash(x)",
        "bahs(x)",
        "bash(*)",
        "bash( )",
        "bash(a 'b)",
        "grep(x)",
        "edit([z-a])",
        "x y",
    ],
)
def test_a_rule_that_makes_no_sense_is_named(rule: str) -> None:
    with pytest.raises(BadUsage) as error:
        Rules.parse(deny=[rule], tools=TOOLS)
    assert f'"{rule}"' in error.value.message


@given(st.text(alphabet="ab/.[]{}*?\\-", min_size=1))
def test_an_exact_path_is_exact(path: str) -> None:
    path = path.strip("/") or "x"
    rule = parse_rule(exact_path("edit", path))
    assert rule.exact
    assert rule.covers_path(path)
    assert not rule.covers_path(f"x/{path}")
    assert not rule.covers_path(f"{path}x")
