"""Patterns for the ops of the gpu dialect, one kind of op a file."""
