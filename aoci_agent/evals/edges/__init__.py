"""Whether the import edges of an index are true: drawn, judged and counted against other tools."""
