"""The loop, its events, the models behind it, the meter, permissions and the session record."""
