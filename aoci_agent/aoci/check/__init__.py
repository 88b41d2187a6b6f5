"""Is the index true? Static, deterministic, without a model: `run.check`."""
