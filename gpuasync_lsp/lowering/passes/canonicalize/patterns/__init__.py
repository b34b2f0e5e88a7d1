"""The canonicalization patterns of MLIR, one module per dialect.

A module's `PATTERNS` maps op classes to patterns, in the order in which they are tried. A pattern
changes its op in place and returns whether it changed anything. The driver in `conversion/greedy.py`
applies the patterns.
"""
