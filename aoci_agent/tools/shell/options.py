"""The words of a command sorted into options, their values and operands, by what its program takes."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from aoci_agent.tools.shell.line import Word
from aoci_agent.tools.shell.readers import Reader


@dataclass(slots=True)
class Sorted:
    """What a program was given."""

    reader: Reader
    operands: list[Word] = field(default_factory=list[Word])
    values: list[Word] = field(default_factory=list[Word])
    letters: set[str] = field(default_factory=set[str])
    options: set[str] = field(default_factory=set[str])

    @property
    def patterned(self) -> bool:
        """An option gave the pattern, so that no operand is one."""
        return bool(self.letters & set(self.reader.pattern))

    @property
    def deep(self) -> bool:
        """It looks below folders."""
        given = self.letters & set(self.reader.deep) or "--recursive" in self.options
        return self.reader.deep == "*" or bool(self.reader.deep and given)

    @property
    def hidden(self) -> bool:
        """It was told to look at names that begin with a dot, or at what git ignores."""
        told = {"--hidden", "--no-ignore", "--glob", "--iglob"} & self.options
        return bool(told or self.letters & set(".g"))


def sorted_words(reader: Reader, words: Iterable[Word]) -> Sorted | None:
    """Sort them; None when one is an option that is not on the reader's list."""
    found = Sorted(reader)
    expects = only_operands = False
    for word in words:
        if expects:
            found.values.append(word)
            expects = False
        elif only_operands or not word.text.startswith("-") or word.text == "-":
            found.operands.append(word)
        elif word.text == "--":
            only_operands = True
        elif word.kind != "plain" or not _option(found, word.text):
            return None
        else:
            expects = _expects(reader, word.text)
    return found


def _option(found: Sorted, text: str) -> bool:
    if text.startswith("--"):
        name, sign, value = text.partition("=")
        found.options.add(name)
        found.values += [Word(value)] if sign else []
        return f"{name[2:]}{sign}" in found.reader.long.split()
    if found.reader.number and text[1:].isdecimal():
        return True
    for place, letter in enumerate(text[1:], 1):
        found.letters.add(letter)
        if letter in found.reader.valued:
            found.values += [Word(text[place + 1 :])] if text[place + 1 :] else []
            return True
        if letter not in found.reader.letters:
            return False
    return True


def _expects(reader: Reader, text: str) -> bool:
    """Whether the next word is this option's value: its last letter takes one, and none before."""
    if text.startswith("--") or (reader.number and text[1:].isdecimal()):
        return False
    return text[-1] in reader.valued and not any(letter in reader.valued for letter in text[1:-1])
