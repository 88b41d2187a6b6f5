"""Languages read by a table: which node of their tree is what."""
