"""Snapshots of a folder, kept outside of it: taken, compared, and put back path by path."""
