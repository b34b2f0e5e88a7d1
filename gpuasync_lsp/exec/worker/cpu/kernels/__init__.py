"""Kernels for this machine: NVPTX-flavoured LLVM IR, rewritten and instrumented to find bugs."""
