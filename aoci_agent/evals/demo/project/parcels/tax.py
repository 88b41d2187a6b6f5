"""Value added tax."""

from parcels.config import Settings
from parcels.money import ZERO, Money
from parcels.zones import Zone


def value_added(net: Money, zone: Zone, settings: Settings) -> Money:
    """Tax on the net price; shipments that leave the union are exempt."""
    return ZERO if zone is Zone.WORLD else net.percent(settings.tax_percent)
