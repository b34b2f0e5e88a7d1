"""The canonicalization patterns of MLIR, one module per dialect.

A module has `PATTERNS`: by class of op, the patterns to try on it, in order. A pattern changes its op in
place and returns whether it changed anything. They run in the greedy driver of `greedy.py`.
"""
