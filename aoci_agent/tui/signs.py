"""Signs used in several places, written as escapes because they resemble ASCII."""

PROMPT = "\u276f"
MINUS = "\u2212"
