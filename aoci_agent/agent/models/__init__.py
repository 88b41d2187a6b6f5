"""Models behind one small protocol (`model.Model`): sibling clients, never switches."""
