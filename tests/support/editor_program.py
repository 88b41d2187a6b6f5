"""An editor that saves one file again and again, and counts the saves that others made away with.

`editor_program.py FILE rename|inplace SAVES`. Save K is the line "person K;". Until the next one the
file must hold that: as it was saved, or with the edits of somebody who had seen it.
"""

import random
import sys
import time
from pathlib import Path


def save(file: Path, data: bytes, how: str) -> None:
    """As vim does: a new file renamed over the old one, or the file itself emptied and written."""
    if how == "rename":
        new = file.with_suffix(".swp")
        new.write_bytes(data)
        new.rename(file)
        return
    with file.open("wb", buffering=0) as opened:
        time.sleep(random.random() / 2000)
        opened.write(data)


def is_lost(file: Path, token: bytes) -> bool:
    """Whether the token is gone for good; a replacement that is taken back shows for a moment."""
    until = time.monotonic() + 0.25
    while time.monotonic() < until:
        if token in file.read_bytes():
            return False
        time.sleep(0.001)
    return True


def main(file: Path, how: str, saves: int) -> int:
    """Save so often; the number of saves that were lost."""
    lost = 0
    for number in range(saves):
        token = b"person %d;" % number
        save(file, token + b"\n" + b"text\n" * 200, how)
        time.sleep(random.random() / 500)
        lost += is_lost(file, token)
    return lost


if __name__ == "__main__":
    random.seed(5)
    print(main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])))  # noqa: T201
