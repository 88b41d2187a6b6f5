"""What is taken off an order's net price."""

from parcels.config import Settings
from parcels.money import ZERO, Money

VOLUME_FROM = 3


def volume(net: Money, parcel_count: int, settings: Settings) -> Money:
    """Taken off when an order has three parcels or more; zero or negative."""
    return -net.percent(settings.volume_percent) if parcel_count >= VOLUME_FROM else ZERO


def loyalty(net: Money, *, regular: bool, settings: Settings) -> Money:
    """Taken off for regular customers; zero or negative."""
    return -net.percent(settings.loyalty_percent) if regular else ZERO
