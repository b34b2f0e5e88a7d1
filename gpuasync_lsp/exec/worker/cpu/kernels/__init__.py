"""Kernels as code of this machine: NVPTX-flavoured LLVM IR, rewritten, with what finds their bugs."""
