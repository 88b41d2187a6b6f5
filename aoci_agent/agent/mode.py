"""Permission modes. Apart from everything else, so that the screen can name them before heavy imports."""

from enum import StrEnum


class Mode(StrEnum):
    """From least to most trusting (safety.md section 3)."""

    READ_ONLY = "read-only"
    ASK = "ask"
    AUTO_EDIT = "auto-edit"
    FULL_AUTO = "full-auto"
