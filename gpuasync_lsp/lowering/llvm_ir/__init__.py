"""Translates lowered modules to LLVM IR, like mlir-translate: host and kernels."""
