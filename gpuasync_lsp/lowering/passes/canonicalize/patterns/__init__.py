"""The canonicalization patterns of MLIR, one module per dialect.

A module's `PATTERNS` maps op classes to patterns, in the order in which they are tried. A pattern
changes its op in place and returns whether it changed anything. Patterns run in the greedy driver of
`greedy.py`.
"""
