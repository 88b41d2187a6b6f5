"""What everything stands on: errors, files, processes, git, the terminal sanitizer, token counts."""
