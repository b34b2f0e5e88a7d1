"""Edits for quick fixes."""
