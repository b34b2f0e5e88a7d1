"""Dumps of IR between passes, as printed by `--mlir-print-ir-after-all`, and the effect of each pass."""
