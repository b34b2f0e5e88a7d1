"""Dumps of IR between passes, as `--mlir-print-ir-after-all` prints them, and the effect of each pass."""
