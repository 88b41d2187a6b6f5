"""Command lines for bash, read without running them: their parts, and what each part may do."""
