"""The canonicalization patterns of MLIR, a module for each dialect.

A module has `PATTERNS`: for each class of op the patterns that are tried on it, in this order. A pattern
changes its op in place and returns whether it changed something. They run in the greedy driver of
`greedy.py`.
"""
