"""What a widget asks of the app around it: is movement wanted, how wide is the screen, the clipboard."""

import time
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from textual.app import App
    from textual.dom import DOMNode
    from textual.message import Message

FRAMES = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"


def moving(node: "DOMNode") -> bool:
    """False when the person wants a still screen (TEXTUAL_ANIMATIONS=none)."""
    return _app(node).animation_level != "none"


def screen_width(node: "DOMNode") -> int:
    """Cells from left to right."""
    return _app(node).size.width


def screen_height(node: "DOMNode") -> int:
    """Lines from top to bottom."""
    return _app(node).size.height


def copy(node: "DOMNode", text: str) -> None:
    """Put cleaned text on the clipboard of the terminal (OSC 52)."""
    _app(node).copy_to_clipboard(text)


def send_app(node: "DOMNode", message: "Message") -> None:
    """Straight to the app; a key goes on to whatever has the focus when its turn comes."""
    _app(node).post_message(message)


def spinner() -> str:
    """The frame of this moment; all spinners on a screen turn together."""
    return FRAMES[int(time.monotonic() * 10) % len(FRAMES)]


def _app(node: "DOMNode") -> "App[object]":
    # Textual types this as App[Unknown]; asked in one place only.
    return cast("App[object]", node.app)
