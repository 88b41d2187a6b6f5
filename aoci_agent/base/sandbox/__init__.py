"""Confining the programs that run for a model: the strong layer, the partial one, and how one is chosen."""
