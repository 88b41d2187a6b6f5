from pathlib import Path

import pytest
from support.lexical import Tree, built, view

from aoci_agent.views.lexical.settings import LexicalSettings
from aoci_agent.views.model import Delta, Level, Scored

TEXTS = {
    "shop/cart.py": "class Cart holds items\n\nadd_item appends to items\n\ntotal sums prices",
    "shop/prices.py": "parse_price reads a price\n\nformat_price writes a price",
    "test_cart.py": "test_total checks total of prices",
}


def found(query: str, **options: object) -> list[tuple[str, int]]:
    level = options.get("level")
    assert level is None or isinstance(level, Level)
    answer = built(TEXTS).search(query, level=level, tests=bool(options.get("tests", True)))
    return [(scored.path, scored.start) for scored in answer]


def test_a_block_is_found_by_its_words_its_symbol_and_its_path() -> None:
    assert found("appends")[0] == ("shop/cart.py", 3)
    assert found("format price")[0] == ("shop/prices.py", 3)
    assert found("shop")
    assert all(path.startswith("shop/") for path, _ in found("shop"))


def test_words_are_found_in_other_forms_where_asked() -> None:
    text = {"a.py": "closes the cart_items", "b.py": "other"}
    stems = built(text, LexicalSettings(stems=True))
    assert stems.search("closing")
    assert stems.frequency("closed") == stems.frequency("cart_items") == 1
    assert not built(text).search("closing")


def test_levels_are_told_apart() -> None:
    assert found("cart items", level=Level.L0)[0] == ("shop/cart.py", 1)
    assert found("items", level=Level.L1) == [("shop/cart.py", 1)]
    assert ("shop/cart.py", 1) not in found("items", level=Level.L2)


def test_tests_are_left_out_where_asked() -> None:
    assert ("test_cart.py", 1) in found("total")
    assert found("total", tests=False) == [("shop/cart.py", 5)]


def test_an_answer_can_be_kept_to_some_files() -> None:
    everywhere = built(TEXTS)
    everywhere.apply(Tree({**TEXTS, "shop/new.py": "new prices"}), Delta(added=("shop/new.py",)))
    for level in (None, Level.L0):
        shop = everywhere.search("prices", level=level, within=lambda path: "/" in path)
        assert {one.path for one in shop} == {"shop/cart.py", "shop/prices.py", "shop/new.py"}
        everything = everywhere.search("prices", level=level)
        assert [one for one in everything if "/" in one.path] == shop


def test_frequency_counts_files_or_blocks() -> None:
    assert built(TEXTS).frequency("shop", Level.L0) == 2
    assert built(TEXTS).frequency("shop") == 5
    assert built(TEXTS).frequency("unheard") == 0


def test_what_is_found_says_what_it_is() -> None:
    first = built(TEXTS).search("add_item", limit=1)
    assert [one._replace(score=0) for one in first] == [
        Scored("shop/cart.py", 3, 3, Level.L2, "paragraph", "add_item", 0)
    ]


def test_a_limit_keeps_the_best_and_ties_go_by_place() -> None:
    same = {f"{name}.py": "same words here" for name in "dbca"}
    answer = built(same, LexicalSettings(path_times=0)).search("words", limit=2)
    assert [one.path for one in answer] == ["a.py", "b.py"]
    assert built(same).search("words", limit=0) == []
    assert len(built(same).search("words")) == 4


def test_a_repeated_word_and_a_weight_count_more() -> None:
    two = {"a.py": "alpha", "b.py": "beta"}
    assert built(two).search("alpha beta beta")[0].path == "b.py"
    assert built(two).search_weighted({"alpha": 1.5, "beta": 1.0})[0].path == "a.py"
    assert built(two).search_weighted({"alpha": 1.0, "beta": -1.0})[-1].path == "a.py"


@pytest.mark.parametrize("query", ["", "  \n", "of the", "unheard of", "x", "💥", "\udcff"])
def test_a_query_without_known_words_finds_nothing(query: str) -> None:
    assert built(TEXTS).search(query) == []


def test_nothing_is_searched_in_no_files() -> None:
    for empty in (view(), built({})):
        assert empty.search("anything") == []
        assert empty.counts == {"files": 0, "blocks": 0, "words": 0}
    assert view().digest() == built({}).digest()


def test_one_document_is_found() -> None:
    (one,) = built({"a.py": "alpha"}).search("alpha", level=Level.L0)
    assert one.score > 0


def test_a_megabyte_on_one_line_is_found_by_its_words() -> None:
    line = " ".join(f"name{number % 5_000}" for number in range(115_000))
    blob = "Q" * 1_000_000
    large = built({"data.json": line, "blob.txt": blob})
    assert [one.path for one in large.search("name777")] == ["data.json"]
    assert large.counts["words"] < 800_000


def test_settings_of_the_content_are_in_the_config() -> None:
    usual, other = built(TEXTS), built(TEXTS, LexicalSettings(symbol_times=9))
    assert usual.config != other.config
    assert usual.digest() != other.digest()
    assert built(TEXTS, LexicalSettings(k1=2.0)).config == usual.config


@pytest.mark.gate("R24", "S11")
def test_a_damaged_index_is_refused(tmp_path: Path) -> None:
    built(TEXTS).save(tmp_path)
    (tmp_path / "blocks.times.npy").write_bytes(b"short")
    with pytest.raises((ValueError, OSError)):
        view().load(tmp_path)
