"""The facts, by subject."""
