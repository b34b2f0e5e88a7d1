"""MLIR's definitions of all ops: tables per release, assembly formats, constraints.

The ODS tables contain TableGen's definitions of all ops, per release. `table.py` loads them,
`formats.py` parses an assembly format; `operation.py` creates op classes that are parsed (`reading`)
and printed (`writing`) with it; `predicates.py` evaluates constraints of types and attributes,
`rules.py` verifies ops.
"""
