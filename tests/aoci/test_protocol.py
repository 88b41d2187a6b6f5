import os
from dataclasses import replace

import pytest
from hypothesis import given, settings, strategies as st

from aoci_agent.aoci.model import Entry, HeaderLine, Index, TableEntry, Tag
from aoci_agent.aoci.parse import BadIndex, parse
from aoci_agent.aoci.tags import IMPORTANCE, LAYERS, TRAITS, read_tag, size_of, tag_text
from aoci_agent.aoci.write import entry_line, plain, write

EXAMPLES = int(os.environ.get("AOCI_AGENT_FUZZ", "0")) or 400
LISTING = """\
auth.go[WA9JM]: F:JWT authentication middleware |

R:pkg/jwt,model/user | A:- |

S:extract Bearer token from Authorization

header, parse and verify JWT, inject

match key_prefix and query SHA256

org_repo.go[PO9NTM]: F:organizational data access |

R:model/org | A:- |

S:CreateWithClosure, four-step atomic

transaction, MoveNode subtree closure-

relation reconstruction, Delete cascading cleanup

config.yaml[CC9T]: F:main configuration |

R:internal/config/config.go | A:- |

S:DB/Redis/JWT/encryption keys/rate

limiting/LLM proxy/CORS

users[U-M-M-GUID]: user primary table,
uuid/username/email unique, password_hash bcrypt, status,
is_superadmin, preferences JSONB, soft delete
"""

names = st.text("[]:()é ab1.X_-", min_size=1, max_size=14).filter(
    lambda name: name == name.strip() and name not in (".", "..")
)
prose = (
    st.text("ab]: ,.\\é[F:AR=#+~¦x|", max_size=40)
    .map(plain)
    .filter(lambda text: text != "-" and not text.startswith("F:"))
)
items = st.text("abC.x/é@:~]", min_size=1, max_size=10).filter(lambda item: item != "-")
tags = st.builds(
    Tag,
    st.sampled_from(sorted(LAYERS)),
    st.sampled_from(["A", "Cr", "Zz"]),
    st.sampled_from(IMPORTANCE),
    st.sets(st.sampled_from(sorted(TRAITS)), max_size=4).map(lambda codes: "".join(sorted(codes))),
    st.sampled_from("TSML"),
)
entries = st.builds(
    Entry,
    st.lists(names, max_size=3).map("/".join),
    names,
    tags,
    prose,
    st.lists(items, max_size=3).map(tuple),
    st.lists(items, max_size=3).map(tuple),
    prose,
    st.sampled_from(["", "M:something | N:else"]),
)
tables = st.builds(
    TableEntry,
    st.text("abc_", min_size=1, max_size=8),
    st.just("U"),
    st.sampled_from("MALCD"),
    st.sampled_from("TSML?"),
    st.lists(st.sampled_from(["GUID", "soft"]), max_size=2, unique=True).map(tuple),
    prose,
    st.sampled_from(["", "main"]),
)
headers = st.builds(
    HeaderLine,
    st.sampled_from(["overview", "A", "own-key"]),
    st.text("ab :=#é", max_size=20).map(plain),
)


def _index(rows: list[Entry], lines: list[HeaderLine], schema: list[TableEntry]) -> Index:
    unique = {(row.directory, row.name): row for row in rows}
    kept = {(row.schema, row.name): row for row in schema}
    return Index(
        tuple(lines),
        tuple(unique[key] for key in sorted(unique)),
        tuple(kept[key] for key in sorted(kept)),
    )


indexes = st.builds(
    _index,
    st.lists(entries, max_size=5),
    st.lists(headers, max_size=3),
    st.lists(tables, max_size=2),
)


@settings(max_examples=EXAMPLES, deadline=None)
@given(indexes)
def test_what_is_written_is_read_back(index: Index) -> None:
    text = write(index)
    assert parse(text) == index
    assert write(parse(text)) == text


@settings(max_examples=300, deadline=None)
@given(st.text("#=+~ \nab[]:|FRASAM9TJ-.,/", max_size=200))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        once = write(parse(text))
    except BadIndex:
        return
    assert write(parse(once)) == once


def test_the_papers_examples() -> None:
    index = parse(LISTING)
    auth, config, repo = index.by_path["auth.go"], index.by_path["config.yaml"], None
    repo = index.by_path["org_repo.go"]
    assert auth.tag == Tag("W", "A", 9, "J", "M")
    assert repo.tag == Tag("P", "O", 9, "NT", "M")
    assert config.tag == Tag("C", "C", 9, "", "T")
    assert auth.relations == ("pkg/jwt", "model/user")
    assert auth.api == ()
    assert auth.synopsis.startswith("extract Bearer token from Authorization header, parse")
    assert "closure-relation reconstruction, Delete" in repo.synopsis
    assert config.synopsis == "DB/Redis/JWT/encryption keys/rate limiting/LLM proxy/CORS"
    (users,) = index.tables
    assert (users.name, users.domain, users.kind, users.scale) == ("users", "U", "M", "M")
    assert users.features == ("GUID",)
    assert users.fields.endswith("is_superadmin, preferences JSONB, soft delete")


def test_one_entry_is_one_line() -> None:
    entry = Entry(
        "src", "a.py", Tag("S", "Cr", 5, "", "T"), "one\ntwo | three", ("b",), ("C",), "s\u2028t"
    )
    assert entry_line(entry) == "a.py[SCr5T]: F:one two ¦ three | R:b | A:C | S:s t"
    assert entry_line(entry, tags=False) == "a.py: F:one two ¦ three | R:b | A:C | S:s t"


def test_entries_are_parted_by_a_blank_line() -> None:
    tag = Tag("S", "Cr", 5, "", "T")
    text = write(Index((), (Entry("d", "a", tag), Entry("d", "b", tag))))
    assert text == (
        "#AOCI 1\n\n=== d/\n\na[SCr5T]: F:- | R:- | A:- | S:-\n\nb[SCr5T]: F:- | R:- | A:- | S:-\n"
    )


def test_foreign_sections_lose_their_common_root() -> None:
    text = (
        "# overview: x\n===/home/u/proj/src/===\na.go[SC5T]: F:x | R:- | A:- | S:-\n"
        "===/home/u/proj/lib/util/===\nb.go[SC5T]: F:y | R:- | A:- | S:-\n"
    )
    assert sorted(parse(text).by_path) == ["lib/util/b.go", "src/a.go"]


def test_a_full_path_may_stand_in_the_name() -> None:
    text = "#AOCI 1\nsrc/a.go[SC5T]: F:x\n=== src/\nsrc/b.go[SC5T]: F:y\nin/c.go[SC5T]: F:z\n"
    assert sorted(parse(text).by_path) == ["src/a.go", "src/b.go", "src/in/c.go"]


def test_dotted_tags_and_loose_spacing() -> None:
    entry = parse("a.go[W.A.9.J.M] : F: x |R:b| A: - |S: y").by_path["a.go"]
    assert entry.tag == Tag("W", "A", 9, "J", "M")
    assert (entry.function, entry.relations, entry.synopsis) == ("x", ("b",), "y")


def test_unknown_header_keys_and_elements_survive() -> None:
    text = "#AOCI 1\n#team: red\n# a remark\n#S quota: 600\n=== x/\n\na.go[SC5T]: F:x | R:- | A:- | S:- | M:q | Q:r\n"
    index = parse(text)
    assert index.header[0] == HeaderLine("team", "red")
    assert index.entries[0].extra == "M:q | Q:r"
    assert "#team: red\n\n# a remark\n" in write(index)
    assert write(index).endswith("S:- | M:q | Q:r\n")


def test_bars_inside_foreign_text_are_kept_as_text() -> None:
    entry = parse("a.go[SC5T]: F:a | b | R:- | A:- | S:x || y").by_path["a.go"]
    assert (entry.function, entry.synopsis) == ("a | b", "x || y")
    assert "F:a ¦ b | R:" in entry_line(entry)


def test_repeated_paths_keep_their_first_entry() -> None:
    text = "#AOCI 1\n=== x/\na[SC5T]: F:one\n<<<<<<< HEAD\na[SC5T]: F:two\n"
    assert parse(text).by_path["x/a"].function.startswith("one")


@pytest.mark.parametrize("text", ["", "hello\nworld\n", "# a markdown title\n\ntext"])
def test_text_without_an_index_is_refused(text: str) -> None:
    with pytest.raises(BadIndex):
        parse(text)


def test_tags_have_one_spelling() -> None:
    assert tag_text(Tag("W", "Au", 9, "TJA", "M")) == "WAu9AJTM"
    assert read_tag("WAu9AJTM") == Tag("W", "Au", 9, "AJT", "M")
    assert read_tag("WA9J") == Tag("W", "A", 9, "J", "")
    assert read_tag("nonsense") is None
    assert [size_of(n) for n in (0, 99, 100, 199, 200, 399, 400)] == list("TTSSMML")


def test_sections_are_in_byte_order() -> None:
    tag = Tag("S", "Cr", 5, "", "T")
    made = [
        Entry(d, n, tag) for d, n in (("b", "z"), ("", "é"), ("b", "A"), ("a/b", "x"), ("a", "y"))
    ]
    index = parse(write(Index((), tuple(made))))
    assert [e.path for e in index.entries] == ["é", "a/y", "a/b/x", "b/A", "b/z"]
    assert replace(index, entries=index.entries) == index
