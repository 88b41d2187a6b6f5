"""Packages that only replay needs: where one is missing, the way to get it."""

from importlib.util import find_spec

from aoci_agent.base.errors import ForUser

_EXTRA_OF = {"scipy": "replay", "matplotlib": "replay", "distributed": "dask"}


def need(package: str) -> None:
    """Raises ForUser where it is not installed."""
    if find_spec(package) is None:
        extra = _EXTRA_OF[package]
        raise ForUser(f"{package} is not installed", f"pip install 'aoci-agent[{extra}]'")
