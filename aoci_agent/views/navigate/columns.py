"""Columns in characters, as everything here counts them, and in UTF-16 units, as language servers do."""


def to_units(line: str, column: int) -> int:
    """A column in characters as UTF-16 units; past the end of the line it is the end."""
    before = line[: max(column, 0)]
    return (
        len(before) if before.isascii() else len(before.encode("utf-16-le", "surrogatepass")) // 2
    )


def from_units(line: str, units: int) -> int:
    """A column in UTF-16 units as characters; inside a pair it is that character, past the end the end."""
    units = max(units, 0)
    if line.isascii():
        return min(units, len(line))
    for column, character in enumerate(line):
        units -= 2 if character > "\uffff" else 1
        if units < 0:
            return column
    return len(line)


def lines_of(text: str) -> list[str]:
    r"""Lines without their ends. Only "\n" and "\r\n" end one, as for every parser here."""
    return [line.removesuffix("\r") for line in text.split("\n")]
