"""Kernels on the CPU: LLVM IR for NVPTX, rewritten for the host, with checks that find bugs."""
