"""Table entries of the index, from what all files say about stored data."""
