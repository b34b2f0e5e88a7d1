"""Translates lowered host programs and kernel modules to LLVM IR, like mlir-translate."""
