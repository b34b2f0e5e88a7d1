"""MLIR's `llvm` dialect: the ops of `mlir-opt --gpu-to-llvm` output, in MLIR 22's own assembly.

Classes have the names of MLIR's ODS classes, fields the ODS argument names in snake_case. To build ops:

    LLVMFuncOp(name, LLVMFunctionType(inputs, output), linkage="external", region=None)
    CallOp("callee" or value, arguments, result_type=None, callee_type=None)   .callee, .args, .result
    ConstantOp(attribute, type), ZeroOp(type), UndefOp(type), PoisonOp(type), AddressOfOp("global", type)
    GEPOp(base, indices, elem_type, flags="", result_type=None)    indices: values or ints
    LoadOp(addr, type, alignment=None), StoreOp(value, addr, alignment=None), AllocaOp(array_size, elem_type)
    InsertValueOp(value, container, position), ExtractValueOp(container, position)
    PtrToIntOp(arg, type), BitcastOp, AddrSpaceCastOp, ZExtOp, ... : all casts alike
    AddOp(lhs, rhs, overflow=""), FAddOp(lhs, rhs), ... : all binary ops alike;  FNegOp(operand)
    ICmpOp("eq", lhs, rhs), FCmpOp("olt", lhs, rhs), SelectOp(condition, true_value, false_value)
    BrOp(dest, operands), CondBrOp(condition, true_dest, true_operands, false_dest, false_operands)
    SwitchOp(value, default, default_operands, [(case value, block, operands), ...])
    ReturnOp(value=None), UnreachableOp()
    GlobalOp(name, type, linkage, value=None, constant=False, region=None)
    IntrinsicOps: see `INTRINSICS`, a class for each: INTRINSICS["llvm.intr.fma"](operands, result_type)

Results are called `res` (CallOp: `result`). Types and attributes are in `llvm_attributes`. What is missing
here (llvm.invoke, llvm.indirectbr, debug intrinsics) parses as an opaque op.
"""

from __future__ import annotations

from gpuasync_lsp.syntax.dialects.llvm.aggregates import *
from gpuasync_lsp.syntax.dialects.llvm.arithmetic import *
from gpuasync_lsp.syntax.dialects.llvm.assembly import *
from gpuasync_lsp.syntax.dialects.llvm.casts import *
from gpuasync_lsp.syntax.dialects.llvm.constants import *
from gpuasync_lsp.syntax.dialects.llvm.control_flow import *
from gpuasync_lsp.syntax.dialects.llvm.functions import *
from gpuasync_lsp.syntax.dialects.llvm.globals import *
from gpuasync_lsp.syntax.dialects.llvm.intrinsics import *
from gpuasync_lsp.syntax.dialects.llvm.memory import *
