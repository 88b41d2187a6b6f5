"""Base rates: what one parcel costs before surcharges, by zone, weight and service."""

from parcels.models import Parcel, ServiceLevel
from parcels.money import Money
from parcels.zones import Zone

# Upper bound of the weight step in grams -> cents in each zone.
STEPS = (
    (1_000, {Zone.HOME: 449, Zone.UNION: 899, Zone.WORLD: 1_690}),
    (5_000, {Zone.HOME: 649, Zone.UNION: 1_449, Zone.WORLD: 2_990}),
    (10_000, {Zone.HOME: 949, Zone.UNION: 1_999, Zone.WORLD: 4_490}),
    (31_500, {Zone.HOME: 1_649, Zone.UNION: 2_999, Zone.WORLD: 7_490}),
)
EXPRESS_FACTOR = 2


def base_rate(parcel: Parcel, zone: Zone, service: ServiceLevel) -> Money:
    """The price of carrying one parcel."""
    cents = next(prices[zone] for limit, prices in STEPS if parcel.weight_grams <= limit)
    rate = Money(cents)
    return rate.times(EXPRESS_FACTOR) if service is ServiceLevel.EXPRESS else rate
