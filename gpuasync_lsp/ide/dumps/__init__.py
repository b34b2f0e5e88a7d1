"""Dumps of IR between passes, as `--mlir-print-ir-after-all` writes them, and what each pass did."""
