"""Widgets of the screen. Every foreign string reaches them as literal `Content`."""
