"""The lexical view: BM25 over units."""
