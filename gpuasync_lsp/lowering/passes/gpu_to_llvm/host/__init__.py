"""Patterns for the dialects of host code, one dialect a file."""
