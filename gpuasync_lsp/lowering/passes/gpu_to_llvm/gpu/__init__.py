"""Patterns for the ops of the gpu dialect, one module per kind of op."""
