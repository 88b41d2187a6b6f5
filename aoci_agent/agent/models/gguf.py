"""The few facts of a GGUF file that are needed before serving it."""

import struct
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final

from aoci_agent.base.errors import ModelUnavailable

# Value types of the format: struct codes by number; 8 is a string, 9 an array.
_SCALARS: Final = {
    0: "B",
    1: "b",
    2: "H",
    3: "h",
    4: "I",
    5: "i",
    6: "f",
    7: "?",
    10: "Q",
    11: "q",
    12: "d",
}
_STRING, _ARRAY = 8, 9
_MAX_TEXT = 16_000_000  # bytes

SMALL = 3_000_000_000  # bytes: below it, models answer questions and fail at edits (measured)


@dataclass(frozen=True, slots=True)
class ModelFile:
    """A GGUF file: its size in bytes and the context length it was trained for, None if unstated."""

    path: Path
    size: int
    context: int | None

    @property
    def label(self) -> str:
        """What a person may expect of it."""
        ability = (
            "answers where/what questions; does not edit reliably"
            if self.size < SMALL
            else "a local model; its edits need a check"
        )
        return f"{self.path.name} ({self.size / 1e9:.1f} GB): {ability}"


def inspect(path: Path) -> ModelFile:
    """Read the header. ModelUnavailable when there is no such file or it is something else."""
    try:
        with path.open("rb") as file:
            if file.read(4) != b"GGUF":
                raise ModelUnavailable(
                    f"{path} is not a GGUF file", "download a model in GGUF form"
                )
            size = path.stat().st_size
            try:
                context = _context(file)
            except (struct.error, ValueError, OverflowError) as error:
                raise ModelUnavailable(
                    f"{path} has a damaged header: is the download complete?"
                ) from error
    except OSError as error:
        raise ModelUnavailable(
            f"cannot read the model file {path}: {error.strerror}",
            "write local: and the path of a .gguf file",
        ) from error
    return ModelFile(path, size, context)


def _context(file: BinaryIO) -> int | None:
    """The `ARCHITECTURE.context_length` value; it comes before the large arrays of the tokenizer."""
    version, _tensors, count = _unpack(file, "<IQQ")
    if not 2 <= version <= 3 or count > 100_000:
        raise ValueError("unknown version")
    for _ in range(count):
        key = _text(file)
        value = _value(file, _unpack(file, "<I")[0])
        if key.endswith(".context_length") and isinstance(value, int):
            return value
    return None


def _value(file: BinaryIO, kind: int) -> object:
    if kind == _STRING:
        return _text(file)
    if kind == _ARRAY:
        inner, count = _unpack(file, "<IQ")
        if inner in _SCALARS:
            file.seek(struct.calcsize("<" + _SCALARS[inner]) * count, 1)
            return None
        for _ in range(count):
            _value(file, inner)
        return None
    if kind not in _SCALARS:
        raise ValueError("unknown value type")
    return _unpack(file, "<" + _SCALARS[kind])[0]


def _text(file: BinaryIO) -> str:
    (length,) = _unpack(file, "<Q")
    if length > _MAX_TEXT:
        raise ValueError("text too long")
    return file.read(length).decode("utf-8", "replace")


def _unpack(file: BinaryIO, code: str) -> tuple[int, ...]:
    return struct.unpack(code, file.read(struct.calcsize(code)))
