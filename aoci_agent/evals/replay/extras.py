"""Packages that only replay needs: where one is missing, the way to get it."""

from importlib.util import find_spec

from aoci_agent.base.errors import ForUser

_EXTRA_OF = {"scipy": "replay", "matplotlib": "replay", "distributed": "dask"}


def there(package: str) -> bool:
    """Whether it is installed."""
    return find_spec(package) is not None


def way_to(package: str) -> str:
    """The command that installs it."""
    return f"pip install 'aoci-agent[{_EXTRA_OF[package]}]'"


def need(package: str) -> None:
    """Raises ForUser where it is not installed."""
    if not there(package):
        raise ForUser(f"{package} is not installed", way_to(package))
