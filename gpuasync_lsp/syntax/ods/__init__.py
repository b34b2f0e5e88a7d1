"""Every op of MLIR by its definition: tables by release, assembly formats, constraints.

`table.py` reads the tables, `formats.py` parses an assembly format; `operation.py` creates op classes that
are parsed (`reading`) and printed (`writing`) by it; `predicates.py` evaluates constraints of types and
attributes, `rules.py` verifies.
"""
