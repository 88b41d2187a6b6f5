"""A terminal coding agent that already knows the repository it is started in."""

__version__ = "0.1.0"
