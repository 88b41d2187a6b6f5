"""Every prompt is a file in this folder, rendered strictly: an undefined name is an error."""

from importlib.resources import files
from string import Template


def render(name: str, **values: object) -> str:
    """The text of `name`.md with `$value` names filled in. Raises KeyError for a missing one."""
    text = files(__name__).joinpath(f"{name}.md").read_text(encoding="utf-8")
    return Template(text).substitute(values).strip()
