"""An order: where its parcels go, how fast, and whether it still can change."""

from collections.abc import Hashable
from dataclasses import dataclass, field

from parcels.errors import OrderClosed
from parcels.models import Address, Parcel, ServiceLevel


@dataclass
class Order:
    """A shipment that is being put together."""

    id: int
    customer: str
    destination: Address
    service: ServiceLevel = ServiceLevel.ECONOMY
    parcels: list[Parcel] = field(default_factory=list)
    dispatched: bool = False

    def add(self, parcel: Parcel) -> None:
        self._must_be_open()
        self.parcels.append(parcel)

    def remove(self, label: str) -> None:
        """Take out the parcel with this label; a label that is not there changes nothing."""
        self._must_be_open()
        self.parcels = [parcel for parcel in self.parcels if parcel.label != label]

    def redirect(self, destination: Address) -> None:
        """Send the whole order somewhere else."""
        self._must_be_open()
        self.destination = destination

    def upgrade(self, service: ServiceLevel) -> None:
        self._must_be_open()
        self.service = service

    def close(self) -> None:
        self._must_be_open()
        self.dispatched = True

    def fingerprint(self) -> Hashable:
        """Equal for two states of an order that cost the same."""
        return (self.customer, self.service, tuple(self.parcels))

    def _must_be_open(self) -> None:
        if self.dispatched:
            raise OrderClosed(f"order {self.id} was dispatched")
