"""Pipelines: their text, the registry of passes, execution item by item, and the source of each line."""
