"""What the model can do: one tool, one file, one prompt."""
