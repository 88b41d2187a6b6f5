from support.fake_session import DIFF

from aoci_agent.tui import diff


def test_lines_carry_their_numbers() -> None:
    shown = [(line.kind, line.number, line.text) for line in diff.shown_lines(DIFF)]
    assert shown[0] == ("same", 10, "def price(quote: Quote) -> Decimal:")
    assert shown[2] == ("removed", 12, "    if quote.discount > 1:")
    assert shown[3] == ("added", 12, "    if quote.discount >= 1:")
    assert shown[-1] == ("same", 16, "")


def test_the_tally_counts_changed_lines_only() -> None:
    assert diff.counts(DIFF) == (2, 2)


def test_a_removed_line_that_looks_like_a_header_is_a_removed_line() -> None:
    text = (
        "--- a/x.sql\n+++ b/x.sql\n@@ -1,2 +1,2 @@\n--- old comment\n+-- new comment\n select 1;\n"
    )
    assert [(line.kind, line.text) for line in diff.shown_lines(text)] == [
        ("removed", "-- old comment"),
        ("added", "-- new comment"),
        ("same", "select 1;"),
    ]


def test_a_new_file_counts_from_one() -> None:
    text = "--- /dev/null\n+++ b/n.py\n@@ -0,0 +1,2 @@\n+a\n+b\n\\ No newline at end of file\n"
    assert [(line.kind, line.number) for line in diff.shown_lines(text)] == [
        ("added", 1),
        ("added", 2),
        ("note", 0),
    ]


def test_headers_stay_when_several_files_change() -> None:
    two = DIFF + DIFF.replace("quotes", "orders")
    assert "+++ b/shop/orders.py" in diff.render(two).plain


def test_hidden_lines_are_counted() -> None:
    shown = diff.render(DIFF, limit=4).plain
    assert shown.endswith("… 5 more lines, Ctrl+O shows all")
    assert "more line" not in diff.render(DIFF).plain


def test_line_ends_and_controls_are_visible() -> None:
    text = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\r\n+a\x1b[2J\n"
    shown = diff.render(text).plain
    assert "+ a␛[2J" in shown
    assert "\x1b" not in shown


def test_what_is_no_diff_is_shown_as_it_is() -> None:
    assert diff.render("nothing to see").plain.strip() == "nothing to see"
