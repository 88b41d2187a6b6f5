"""Countries grouped by how far they are and whether they share our customs."""

from enum import Enum


class Zone(Enum):
    """A price area."""

    HOME = "home"
    UNION = "union"
    WORLD = "world"


HOME_COUNTRY = "DE"
UNION_COUNTRIES = frozenset(
    "AT BE BG CY CZ DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK".split()
)


def zone_of(country: str) -> Zone:
    """The zone of an ISO country code; anything unknown is the world."""
    code = country.upper()
    if code == HOME_COUNTRY:
        return Zone.HOME
    return Zone.UNION if code in UNION_COUNTRIES else Zone.WORLD
