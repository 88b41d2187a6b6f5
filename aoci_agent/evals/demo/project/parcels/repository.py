"""Orders in and out of storage."""

from collections.abc import Iterator

from parcels.errors import UnknownOrder
from parcels.models import Address, Parcel, ServiceLevel
from parcels.order import Order
from parcels.storage import Storage


class OrderRepository:
    """Loads and saves whole orders."""

    def __init__(self, storage: Storage) -> None:
        self._storage = storage

    def next_id(self) -> int:
        ((highest,),) = self._storage.rows("SELECT coalesce(max(id), 0) FROM orders")
        return highest + 1

    def save(self, order: Order) -> None:
        """Write the order and its parcels in one transaction."""
        to = order.destination
        head = (order.id, order.customer, to.name, to.city, to.country)
        state = (order.service.value, order.dispatched)
        self._storage.write(
            [
                ("DELETE FROM orders WHERE id = ?", (order.id,)),
                ("INSERT INTO orders VALUES (?, ?, ?, ?, ?, ?, ?)", head + state),
                *(
                    (
                        "INSERT INTO parcels VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                        (order.id, place, box.label, box.weight_grams, *box.sides_cm, box.fragile),
                    )
                    for place, box in enumerate(order.parcels)
                ),
            ]
        )

    def load(self, order_id: int) -> Order:
        """The order with this number, or UnknownOrder."""
        rows = self._storage.rows("SELECT * FROM orders WHERE id = ?", order_id)
        if not rows:
            raise UnknownOrder(order_id)
        _, customer, name, city, country, service, dispatched = rows[0]
        return Order(
            id=order_id,
            customer=customer,
            destination=Address(name, city, country),
            service=ServiceLevel(service),
            parcels=list(self._parcels(order_id)),
            dispatched=bool(dispatched),
        )

    def all(self) -> list[Order]:
        ids = self._storage.rows("SELECT id FROM orders ORDER BY id")
        return [self.load(order_id) for (order_id,) in ids]

    def _parcels(self, order_id: int) -> Iterator[Parcel]:
        query = "SELECT * FROM parcels WHERE order_id = ? ORDER BY position"
        for _, _, label, weight, length, width, height, fragile in self._storage.rows(
            query, order_id
        ):
            yield Parcel(label, weight, (length, width, height), bool(fragile))
