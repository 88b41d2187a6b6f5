from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from aoci_agent.views.lexical.deriving import derive, units_of
from aoci_agent.views.lexical.settings import LexicalSettings
from aoci_agent.views.lexical.tokens import counts_of, stemmed, words_of

PACKAGE = Path(__file__).parents[3] / "aoci_agent"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("cart", "cart"),
        ("getUserName", "getusername get user name"),
        ("parseHTTPResponse", "parsehttpresponse parse http response"),
        ("get_user_name", "get_user_name get user name"),
        ("MAX_SIZE", "max_size max size"),
        ("URLs parseURLsFast", "urls parseurlsfast parse urls fast"),
        ("utf8 sha256", "utf8 utf sha256 sha 256"),
        ("_private __init__ __", "private __init__ init"),
        ("shop/cart.py", "shop cart py"),
        ("is the list of x and 7", "list"),
        ("don't", "don"),
        ("用户数据", "用户 户数 数据"),
        ("数", "数"),
        ("user用户name", "user 用户 name"),
        ("ユーザー名", "ユー ーザ ザー ー名"),
        ("получитьИмя naïveBayes", "получитьимя получить имя naïvebayes naïve bayes"),
        ("", ""),
    ],
)
def test_words_are_identifiers_and_their_parts(text: str, words: str) -> None:
    assert words_of(text) == words.split()


def test_data_is_no_word_but_long_names_have_parts() -> None:
    assert words_of("A1" * 500) == []
    name = "test_that_" + "very_long_" * 8 + "names_are_found"
    assert name not in words_of(name)
    assert {"names", "found", "very"} <= set(words_of(name))


@given(st.text())
def test_counting_is_counting_the_words(text: str) -> None:
    assert counts_of(text) == Counter(words_of(text))
    assert counts_of(text, stems=True) == stemmed(Counter(words_of(text)))


@given(st.text(alphabet="abZ_9 数é\n"))
def test_words_do_not_depend_on_what_stands_around_their_line(text: str) -> None:
    lines = [word for line in text.split("\n") for word in words_of(line)]
    assert words_of(text) == lines


def test_a_file_has_the_words_of_its_text() -> None:
    plain = LexicalSettings(path_times=0, symbol_times=0)
    for file in sorted(PACKAGE.rglob("*.*"))[::7]:
        if file.suffix not in {".py", ".md", ".go", ".rs", ".java", ".cjs"}:
            continue
        path, data = str(file.relative_to(PACKAGE)), file.read_bytes()
        for document in derive(path, units_of(path, data), plain).file.documents:
            assert document.words == counts_of(data.decode())
