"""What mlir-translate makes of lowered modules: LLVM IR of host and kernels."""
