import codecs
from dataclasses import replace

import pytest
from hypothesis import given, strategies as st

from aoci_agent.base.errors import NotPossible, TryAgain
from aoci_agent.base.files import TextFile, content_id, decode

SAMPLES = [
    (b"", "utf-8", b""),
    (b"plain\n", "utf-8", b""),
    ("größe → 你好\n".encode(), "utf-8", b""),
    (codecs.BOM_UTF8 + "é\r\n".encode(), "utf-8", codecs.BOM_UTF8),
    (codecs.BOM_UTF16_LE + "héllo\n".encode("utf-16-le"), "utf-16-le", codecs.BOM_UTF16_LE),
    (codecs.BOM_UTF16_BE + "héllo\n".encode("utf-16-be"), "utf-16-be", codecs.BOM_UTF16_BE),
    (codecs.BOM_UTF32_LE + "héllo\n".encode("utf-32-le"), "utf-32-le", codecs.BOM_UTF32_LE),
    (codecs.BOM_UTF32_BE + "😀\n".encode("utf-32-be"), "utf-32-be", codecs.BOM_UTF32_BE),
    ("café \u2013 “quoted”\n".encode("cp1252"), "cp1252", b""),
    (b"caf\xe9 \x81 undefined in cp1252\n", "latin-1", b""),
    ("日本語のコメント\nx = 1\n".encode("shift-jis"), "cp932", b""),
    ("ポインタを表示する\n".encode("euc-jp"), "euc-jp", b""),
    ("打印变量的值\n".encode("gbk"), "gb18030", b""),
    ("使用者登入功能說明\n".encode("big5"), "big5", b""),
    ("이것은 한국어 주석입니다\n".encode("euc-kr"), "euc-kr", b""),
    ("это комментарий на русском\n".encode("cp1251"), "cp1252", b""),
    ("été créée à l'élève\n".encode("latin-1"), "cp1252", b""),
    ("Şişli çiğl öğretmen\n".encode("cp1254"), "cp1252", b""),
    (b"form\x0cfeed\tand \x1b[1mescape\n", "utf-8", b""),
]


@pytest.mark.parametrize(("data", "encoding", "mark"), SAMPLES)
def test_every_encoding_is_recognised_and_round_trips(
    data: bytes, encoding: str, mark: bytes
) -> None:
    file = decode(data)
    assert (file.encoding, file.bom) == (encoding, mark)
    assert file.encode() == data
    assert file.content_id == content_id(data)


@pytest.mark.gate("P43", "P44", "R04", "S11")
@pytest.mark.parametrize(("data", "encoding", "mark"), SAMPLES)
def test_an_edit_changes_only_the_edited_bytes(data: bytes, encoding: str, mark: bytes) -> None:
    file = decode(data)
    edited = replace(file, text=file.text + "x = 2\n").encode()
    assert edited == data + "x = 2\n".encode(encoding)
    assert edited.startswith(mark)


@pytest.mark.gate("R04")
@given(st.binary(max_size=400))
def test_what_decodes_gives_the_same_bytes_back(data: bytes) -> None:
    try:
        file = decode(data)
    except NotPossible:
        return
    assert file.encode() == data
    assert not any("\ud800" <= character <= "\udfff" for character in file.text)


@given(st.text(max_size=200), st.sampled_from(["utf-16-le", "utf-16-be"]))
def test_marked_utf16_round_trips(text: str, encoding: str) -> None:
    mark = codecs.BOM_UTF16_LE if encoding == "utf-16-le" else codecs.BOM_UTF16_BE
    try:
        data = mark + text.encode(encoding)
    except UnicodeEncodeError:
        return
    try:
        assert decode(data).encode() == data
    except NotPossible:
        # FF FE 00 00 also is the UTF-32 mark; a text that starts with NUL is no text anyway.
        assert text.startswith("\0")


@given(
    st.binary(min_size=1, max_size=60), st.binary(max_size=60), st.sampled_from([b"\n", b"\r\n"])
)
def test_a_random_edit_leaves_the_bytes_around_it(head: bytes, tail: bytes, end: bytes) -> None:
    data = head + end + b"MIDDLE" + end + tail
    try:
        file = decode(data)
    except NotPossible:
        return
    if file.text.count("MIDDLE") != 1:
        return
    edited = replace(file, text=file.text.replace("MIDDLE", "other")).encode()
    assert edited == head + end + b"other" + end + tail


@pytest.mark.parametrize(
    "data",
    [b"\0", b"text\0text", b"\x7fELF\x02\x01\x01\0\0", bytes(range(1, 256)) * 4, b"\xff\xfe\x00"],
)
def test_binary_content_is_refused(data: bytes) -> None:
    with pytest.raises(NotPossible, match="binary"):
        decode(data)


def test_a_character_the_encoding_lacks_is_named() -> None:
    file = decode("é\n".encode("cp1252"))
    with pytest.raises(TryAgain, match=r"cp1252.*U\+2192"):
        replace(file, text="→").encode()


def test_a_lone_surrogate_is_not_written() -> None:
    with pytest.raises(TryAgain, match="U\\+D800"):
        TextFile("\ud800", "utf-8").encode()


@pytest.mark.parametrize(
    ("text", "newline"),
    [
        ("", "\n"),
        ("one line", "\n"),
        ("a\nb\n", "\n"),
        ("a\r\nb\r\n", "\r\n"),
        ("a\rb\r", "\r"),
        ("a\r\nb\nc\n", "\n"),
        ("a\r\nb\r\nc\n", "\r\n"),
        ("a\r\nb\n", "\n"),
    ],
)
def test_the_majority_of_line_ends(text: str, newline: str) -> None:
    assert TextFile(text, "utf-8").newline == newline


def test_content_ids_are_stable() -> None:
    assert content_id(b"") == "cae66941d9efbd404e4d88758ea67670"
