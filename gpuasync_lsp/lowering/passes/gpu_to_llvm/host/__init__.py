"""Patterns for the dialects of host code, one module per dialect."""
