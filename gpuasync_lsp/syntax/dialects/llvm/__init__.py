"""MLIR's `llvm` dialect: the ops in the output of `mlir-opt --gpu-to-llvm`, in MLIR 22's assembly.

Classes have the names of MLIR's ODS classes, and fields have the ODS argument names in snake case;
`create` creates ops. Results are named `res` (CallOp: `result`). Types and attributes are in
`llvm_attributes`. Ops without a class here are parsed with the ODS tables; those that the tables do not
support (debug intrinsics) become opaque ops.
"""

from __future__ import annotations

from gpuasync_lsp.syntax.dialects.llvm.arithmetic import *
from gpuasync_lsp.syntax.dialects.llvm.assembly import *
from gpuasync_lsp.syntax.dialects.llvm.control_flow import *
from gpuasync_lsp.syntax.dialects.llvm.functions import *
from gpuasync_lsp.syntax.dialects.llvm.globals import *
from gpuasync_lsp.syntax.dialects.llvm.intrinsics import *
from gpuasync_lsp.syntax.dialects.llvm.memory import *
