"""What can go wrong, sorted by who has to act."""


class ParcelsError(Exception):
    """Base of all errors of this package."""


class InvalidParcel(ParcelsError):
    """A parcel's weight or size cannot be carried."""


class UnknownOrder(ParcelsError):
    """No order has this number."""

    def __init__(self, order_id: int) -> None:
        super().__init__(f"there is no order {order_id}")
        self.order_id = order_id


class OrderClosed(ParcelsError):
    """The order was dispatched; it can no longer be changed."""


class BadSettings(ParcelsError):
    """A settings file has an unknown name or a value out of range."""
