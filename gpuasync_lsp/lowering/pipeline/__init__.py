"""Pipelines: parsing, the registry of passes, execution item by item, and the source of each printed line."""
