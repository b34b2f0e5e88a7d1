"""Patterns for the dialects of host code, one file per dialect."""
