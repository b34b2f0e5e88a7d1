"""Every op of MLIR from its own definition: tables by release, their assembly formats, their constraints.

`table.py` reads the tables, `formats.py` an assembly format; `operation.py` makes op classes that are read
(`reading.py`) and printed (`writing.py`) by it; `predicates.py` says what types and attributes satisfy,
`rules.py` verifies.
"""
