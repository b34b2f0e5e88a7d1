"""Pipelines: parsing, the registry of passes, lowering item by item, and the source of each printed line."""
