"""Lookup at a position in a document: words, mentions, names, symbols, and documentation of ops."""
