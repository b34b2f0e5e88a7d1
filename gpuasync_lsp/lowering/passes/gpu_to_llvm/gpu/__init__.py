"""Patterns for the ops of the gpu dialect, one file per kind of op."""
