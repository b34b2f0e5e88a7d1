"""Lookup at a position of a text: words, mentions, names, symbols, and documentation of ops."""
