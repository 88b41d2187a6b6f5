"""What the counter does with orders: open, change, price, dispatch."""

from parcels.events import EventLog
from parcels.models import Address, Parcel, ServiceLevel
from parcels.money import Money
from parcels.order import Order
from parcels.quotes import QuoteDesk
from parcels.repository import OrderRepository


class ShippingService:
    """The one way orders are changed; every change is saved and told."""

    def __init__(self, orders: OrderRepository, desk: QuoteDesk, log: EventLog) -> None:
        self._orders = orders
        self._desk = desk
        self._log = log

    def open(self, customer: str, destination: Address) -> int:
        """Start an order and return its number."""
        order = Order(self._orders.next_id(), customer, destination)
        return self._keep(order, "opened")

    def add(self, order_id: int, parcel: Parcel) -> None:
        order = self._orders.load(order_id)
        order.add(parcel)
        self._keep(order, f"added {parcel.label}")

    def remove(self, order_id: int, label: str) -> None:
        order = self._orders.load(order_id)
        order.remove(label)
        self._keep(order, f"removed {label}")

    def redirect(self, order_id: int, destination: Address) -> None:
        order = self._orders.load(order_id)
        order.redirect(destination)
        self._keep(order, f"redirected to {destination.country}")

    def upgrade(self, order_id: int, service: ServiceLevel) -> None:
        order = self._orders.load(order_id)
        order.upgrade(service)
        self._keep(order, f"now {service.value}")

    def price(self, order_id: int) -> Money:
        """What the customer pays, tax included."""
        return self._desk.quote(self._orders.load(order_id)).gross

    def dispatch(self, order_id: int) -> Money:
        """Close the order and return the amount to charge."""
        order = self._orders.load(order_id)
        charge = self._desk.quote(order).gross
        order.close()
        self._keep(order, f"dispatched for {charge}")
        return charge

    def _keep(self, order: Order, what: str) -> int:
        self._orders.save(order)
        self._log.tell(order.id, what)
        return order.id
