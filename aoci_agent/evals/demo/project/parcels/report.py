"""The day's figures as plain text."""

from collections import Counter

from parcels.money import Money, total
from parcels.quotes import QuoteDesk
from parcels.repository import OrderRepository
from parcels.zones import Zone, zone_of


def revenue_by_zone(orders: OrderRepository, desk: QuoteDesk) -> dict[Zone, Money]:
    """Gross revenue of the dispatched orders; zones without one are left out."""
    cents: Counter[Zone] = Counter()
    for order in orders.all():
        if order.dispatched:
            cents[zone_of(order.destination.country)] += desk.quote(order).gross.cents
    return {zone: Money(cents[zone]) for zone in Zone if zone in cents}


def as_text(revenue: dict[Zone, Money]) -> str:
    """One line for each zone and one for the sum."""
    lines = [f"{zone.value:<8}{amount!s:>14}" for zone, amount in revenue.items()]
    return "\n".join([*lines, f"{'total':<8}{total(revenue.values())!s:>14}"])
