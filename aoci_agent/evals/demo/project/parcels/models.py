"""The plain values an order is made of."""

from dataclasses import dataclass
from enum import Enum

from parcels.errors import InvalidParcel

MAX_WEIGHT_GRAMS = 31_500
MAX_GIRTH_CM = 300


class ServiceLevel(Enum):
    """How fast a shipment travels."""

    ECONOMY = "economy"
    EXPRESS = "express"


@dataclass(frozen=True)
class Address:
    """Where a shipment goes. `country` is an ISO code of two letters."""

    name: str
    city: str
    country: str


@dataclass(frozen=True)
class Parcel:
    """One box: weight in grams, sides in centimetres."""

    label: str
    weight_grams: int
    sides_cm: tuple[int, int, int] = (20, 15, 10)
    fragile: bool = False

    def __post_init__(self) -> None:
        if not 0 < self.weight_grams <= MAX_WEIGHT_GRAMS:
            raise InvalidParcel(f"{self.label}: weight must be 1 g to {MAX_WEIGHT_GRAMS} g")
        if self.girth_cm > MAX_GIRTH_CM:
            raise InvalidParcel(f"{self.label}: girth is over {MAX_GIRTH_CM} cm")

    @property
    def girth_cm(self) -> int:
        """Longest side plus twice each of the two others."""
        longest, *others = sorted(self.sides_cm, reverse=True)
        return longest + 2 * sum(others)
