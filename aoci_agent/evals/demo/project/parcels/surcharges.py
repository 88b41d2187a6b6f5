"""What is added to a parcel's base rate."""

from parcels.config import Settings
from parcels.models import Parcel
from parcels.money import ZERO, Money

BULKY_GIRTH_CM = 200
BULKY = Money(1_200)
FRAGILE = Money(350)


def fuel(base: Money, settings: Settings) -> Money:
    """The fuel surcharge, in percent of the base rate."""
    return base.percent(settings.fuel_percent)


def handling(parcel: Parcel) -> Money:
    """Extra for boxes that need two hands or a careful one."""
    bulky = BULKY if parcel.girth_cm > BULKY_GIRTH_CM else ZERO
    fragile = FRAGILE if parcel.fragile else ZERO
    return bulky + fragile
