"""How near two files are to each other."""


def shared_parts(one: str, other: str) -> int:
    """How many leading parts two paths have in common."""
    count = 0
    for mine, yours in zip(one.split("/"), other.split("/"), strict=False):
        if mine != yours:
            break
        count += 1
    return count
