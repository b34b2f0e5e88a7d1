"""Pipelines: their text, the registry of passes, running them item by item, and what each line comes from."""
