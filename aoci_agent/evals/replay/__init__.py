"""Replay: the repository's own backlog, worked on under every policy, and compared."""
