"""The dense view: content-addressed embeddings of units, searched with FAISS."""
