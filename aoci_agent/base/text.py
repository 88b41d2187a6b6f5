"""Bytes to text and back without changing a byte that was not edited."""

import codecs
import hashlib
from dataclasses import dataclass

from aoci_agent.base.errors import NotPossible, TryAgain

# Longest first: the UTF-32 mark begins with the UTF-16 mark.
_MARKS: tuple[tuple[bytes, str], ...] = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
# Single-byte encodings decode any bytes, so they only serve what looks like text.
_CONTROLS = bytes(byte for byte in range(32) if byte not in b"\b\t\n\f\r\x1b") + b"\x7f"
_CONTROL_SHARE = 0.02
# In these a character may end in a byte that looks like ASCII, so an edit must know of them. Each
# fits other texts by accident too, hence the share of characters that running text is made of.
_WIDE = (
    ("cp932", "kana", 0.2),
    ("euc-jp", "kana", 0.2),
    ("euc-kr", "hangul", 0.8),
    ("gb18030", "gb2312", 0.8),
    ("big5", "big5", 0.8),
)
_FREQUENT = {"gb2312": (0xB0, 0xD7), "big5": (0xA4, 0xC6)}  # first byte of a common character
_FEWEST = 3  # wide characters from which a guess is worth something
_JUDGED = 5_000


def content_id(data: bytes) -> str:
    """The id of a file's bytes: BLAKE2b with 16 bytes, as 32 hex digits."""
    return hashlib.blake2b(data, digest_size=16).hexdigest()


@dataclass(frozen=True)
class TextFile:
    """A decoded file. `text` keeps the file's own line ends; `content_id` is of the bytes read.

    For an edit use `dataclasses.replace(file, text=...)`: encoding and byte order mark stay, and
    `content_id` still names the version the edit was made from (the `expect` of a write).
    """

    text: str
    encoding: str
    bom: bytes = b""
    content_id: str = ""

    @property
    def newline(self) -> str:
        r"""The line end most lines have: "\n" (also for a file without any), "\r\n" or "\r"."""
        pairs = self.text.count("\r\n")
        feeds = self.text.count("\n") - pairs
        returns = self.text.count("\r") - pairs
        if pairs > feeds and pairs >= returns:
            return "\r\n"
        return "\r" if returns > feeds else "\n"

    def encode(self) -> bytes:
        """The bytes of `text` in the file's own encoding. Raises TryAgain for what it cannot hold."""
        try:
            return self.bom + self.text.encode(self.encoding)
        except UnicodeEncodeError as error:
            wrong = self.text[error.start]
            raise TryAgain(
                f"the file is {self.encoding}, which has no U+{ord(wrong):04X}; "
                "write the text without that character"
            ) from error


def decode(data: bytes) -> TextFile:
    """Decode a file: byte order mark, UTF-8, an East Asian encoding, a single-byte one.

    Only an encoding that gives the very bytes back is taken. Raises NotPossible for binary content: a NUL byte, or too many control characters.
    """
    return _marked(data) or _plain(data)


def _marked(data: bytes) -> TextFile | None:
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            text = _exactly(data[len(mark) :], encoding)
            if text is not None:
                return TextFile(text, encoding, mark, content_id(data))
    return None


def _plain(data: bytes) -> TextFile:
    if b"\0" in data:
        raise NotPossible("binary content (it holds NUL bytes)")
    text = _exactly(data, encoding := "utf-8")
    if text is None and _looks_like_text(data):
        encoding = _east_asian(data) or (
            "latin-1" if _exactly(data, "cp1252") is None else "cp1252"
        )
        text = _exactly(data, encoding)
    if text is None:
        raise NotPossible("binary content (no known text encoding fits)")
    return TextFile(text, encoding, b"", content_id(data))


def _east_asian(data: bytes) -> str:
    """The encoding of two bytes a character that a text reads well in, "" for none."""
    for encoding, kind, share in _WIDE:
        text = _exactly(data, encoding)
        wide = [char for char in text or "" if char > "\x7f"][:_JUDGED]
        fitting = sum(_is_frequent(char, kind) for char in wide)
        if len(wide) >= _FEWEST and fitting >= share * len(wide):
            return encoding
    return ""


def _is_frequent(char: str, kind: str) -> bool:
    if kind == "kana":
        return "\u3001" <= char <= "\u30ff"
    if kind == "hangul":
        return "\uac00" <= char <= "\ud7a3"
    first, last = _FREQUENT[kind]
    coded = char.encode(kind, "replace")
    return len(coded) == 2 and first <= coded[0] <= last


def _exactly(data: bytes, encoding: str) -> str | None:
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        return None
    return text if text.encode(encoding, "replace") == data else None


def _looks_like_text(data: bytes) -> bool:
    controls = len(data) - len(data.translate(None, _CONTROLS))
    return controls <= len(data) * _CONTROL_SHARE
