"""MLIR's `llvm` dialect: the ops of `mlir-opt --gpu-to-llvm` output, in MLIR 22's own assembly.

Classes have the names of MLIR's ODS classes, fields the ODS argument names in snake case; ops are
created by `create`. Results are called `res` (CallOp: `result`). Types and attributes are in
`llvm_attributes`. Ops without a class here are parsed by the ODS tables; those that the
tables do not support (debug intrinsics) become opaque ops.
"""

from __future__ import annotations

from gpuasync_lsp.syntax.dialects.llvm.arithmetic import *
from gpuasync_lsp.syntax.dialects.llvm.assembly import *
from gpuasync_lsp.syntax.dialects.llvm.control_flow import *
from gpuasync_lsp.syntax.dialects.llvm.functions import *
from gpuasync_lsp.syntax.dialects.llvm.globals import *
from gpuasync_lsp.syntax.dialects.llvm.intrinsics import *
from gpuasync_lsp.syntax.dialects.llvm.memory import *
