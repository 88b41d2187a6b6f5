import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from aoci_agent.base import tokens

SOURCE = Path(tokens.__file__).read_text()


def test_the_tokenizer_is_bundled() -> None:
    assert tokens.exact()
    assert tokens.count("hello world") == 2
    assert tokens.count("") == 0


def test_special_tokens_are_plain_text() -> None:
    assert tokens.count("<|endoftext|>") > 1
    assert tokens.count("<|endofprompt|>" * 3) > 3


def test_pieces_count_as_the_whole() -> None:
    import tiktoken

    tokens.count("load")
    before = os.environ.get("TIKTOKEN_CACHE_DIR")
    encoding = tiktoken.get_encoding("o200k_base")  # cached by the call above
    text = SOURCE * 12
    assert len(text) > 60_000
    assert tokens.count(text) == len(encoding.encode_ordinary(text))
    assert os.environ.get("TIKTOKEN_CACHE_DIR") == before


@pytest.mark.parametrize("run", ["a", " ", "\n", "=", "é", "\t", "你", "a1", "\ud800"])
def test_long_runs_end(run: str) -> None:
    assert tokens.count(run * 400_000) > 0


def test_loading_is_safe_from_many_threads() -> None:
    counts: list[int] = []
    threads = [
        threading.Thread(target=lambda: counts.append(tokens.count("hello world")))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert counts == [2] * 8


@pytest.mark.slow
def test_neither_import_nor_count_loads_litellm_or_the_network(tmp_path: Path) -> None:
    script = """
import socket, sys
def refuse(*args, **options): raise AssertionError("network")
import aoci_agent.base.tokens as tokens
assert "tiktoken" not in sys.modules and tokens.estimate("abcd") == 1 and "tiktoken" not in sys.modules
sys.addaudithook(lambda event, args: refuse() if event.startswith("socket.connect") else None)
assert tokens.count("hello world") == 2 and "litellm" not in sys.modules
import os; assert "TIKTOKEN_CACHE_DIR" not in os.environ
"""
    environment = {name: value for name, value in os.environ.items() if "TIKTOKEN" not in name}
    subprocess.run([sys.executable, "-c", script], env=environment, cwd=tmp_path, check=True)


@pytest.mark.slow
def test_without_the_file_it_estimates_and_stays_offline(tmp_path: Path) -> None:
    (tmp_path / "litellm").mkdir()
    (tmp_path / "litellm" / "__init__.py").write_text("raise SystemExit('imported')")
    script = """
import sys
def refuse(event, args):
    if event.startswith("socket.connect") or event == "socket.getaddrinfo": raise SystemExit("network")
sys.addaudithook(refuse)
from aoci_agent.base import tokens
assert not tokens.exact() and tokens.count("abcdefgh") == 2, tokens.count("abcdefgh")
"""
    environment = {**os.environ, "PYTHONPATH": f"{tmp_path}:{Path.cwd()}"}
    subprocess.run([sys.executable, "-c", script], env=environment, cwd=tmp_path, check=True)


@given(st.text())
def test_estimates_are_near_and_never_fail(text: str) -> None:
    assert 0 <= tokens.estimate(text) <= len(text.encode("utf-8", "surrogatepass")) // 4 + 1
    assert (tokens.estimate(text) == 0) == (text == "")


def test_a_text_within_the_limit_is_whole() -> None:
    assert tokens.cut_middle("a\nb\n", 100) == tokens.Cut("a\nb\n", 0, 0)


def test_the_middle_is_cut_by_whole_lines() -> None:
    lines = [f"line number {number}\n" for number in range(1000)]
    cut = tokens.cut_middle("".join(lines), 300)
    head, _, rest = cut.text.partition("[... ")
    marker, _, tail = rest.partition("\n")
    assert tokens.count(cut.text) <= 300
    assert tokens.count(cut.text) > 250
    assert "".join(lines).startswith(head)
    assert "".join(lines).endswith(tail)
    kept = head.count("\n") + tail.count("\n")
    assert cut.omitted_lines == 1000 - kept
    assert marker == f"{cut.omitted_lines:,} lines omitted, {cut.omitted_tokens:,} tokens ...]"


def test_one_long_line_is_cut_inside() -> None:
    cut = tokens.cut_middle("word " * 5000, 100)
    assert 50 < tokens.count(cut.text) <= 100
    assert cut.text.startswith("word word")
    assert cut.text.endswith("word ")


def test_no_room_at_all_gives_nothing() -> None:
    cut = tokens.cut_middle("a\n" * 100, 3)
    assert cut.text == ""
    assert cut.omitted_lines == 100


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.text("ab \t{}=()é你\r", max_size=40), max_size=60).map("\n".join),
    st.integers(0, 120),
)
def test_a_cut_never_exceeds_its_limit(text: str, limit: int) -> None:
    cut = tokens.cut_middle(text, limit)
    assert tokens.count(cut.text) <= limit
    if cut.omitted_tokens == 0:
        assert cut.text == text


def test_long_lines_are_shortened_and_others_kept() -> None:
    text = "short\r\n" + "x" * 3000 + "\r\nlast"
    assert tokens.shorten_lines(text) == (
        "short\r\n" + "x" * 2000 + " [... 1,000 characters]\r\nlast"
    )
    assert tokens.shorten_lines("a\n" * 3000) == "a\n" * 3000
