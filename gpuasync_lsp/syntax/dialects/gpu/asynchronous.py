"""gpu ops that take async dependencies and move memory: wait, alloc, dealloc, memcpy, memset."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import IndexType, MemRefType, UnitAttr
from xdsl.ir import Attribute, OpResult, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    VarOperand,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    opt_result_def,
    result_def,
    var_operand_def,
)

from gpuasync_lsp.syntax.dialects.gpu.assembly import TOKENS
from gpuasync_lsp.syntax.dialects.gpu.attributes import AsyncTokenType
from gpuasync_lsp.syntax.ods.by_table import ByTable

INDEX = IndexType()
AnyMemRef = MemRefType[Attribute]


class AsyncOpInterface(IRDLOperation):
    """Base of the gpu ops that take async dependencies and, with the keyword `async`, return a token."""

    if TYPE_CHECKING:  # xDSL would treat these annotations as fields of the op.
        async_dependencies: VarOperand
        async_token: OpResult[AsyncTokenType] | None


@irdl_op_definition
class WaitOp(AsyncOpInterface, ByTable):
    """`gpu.wait async [%a, %b]`."""

    name = "gpu.wait"

    async_dependencies = var_operand_def(AsyncTokenType)
    async_token = opt_result_def(AsyncTokenType)

    def __init__(self, async_dependencies: Sequence[SSAValue] = (), is_async: bool = False):
        super().__init__(operands=[async_dependencies], result_types=[TOKENS if is_async else []])


@irdl_op_definition
class AllocOp(AsyncOpInterface, ByTable):
    """`gpu.alloc async [%a] host_shared (%size)[%symbol] : memref<?xf32>`."""

    name = "gpu.alloc"

    async_dependencies = var_operand_def(AsyncTokenType)
    dynamic_sizes = var_operand_def(IndexType)
    symbol_operands = var_operand_def(IndexType)
    host_shared = opt_prop_def(UnitAttr, prop_name="hostShared")
    memref = result_def(AnyMemRef)
    async_token = opt_result_def(AsyncTokenType)

    irdl_options = (AttrSizedOperandSegments(as_property=True),)


@irdl_op_definition
class DeallocOp(AsyncOpInterface, ByTable):
    """`gpu.dealloc async [%a] %memref : memref<8xf32>`."""

    name = "gpu.dealloc"

    async_dependencies = var_operand_def(AsyncTokenType)
    memref = operand_def(AnyMemRef)
    async_token = opt_result_def(AsyncTokenType)


@irdl_op_definition
class MemcpyOp(AsyncOpInterface, ByTable):
    """`gpu.memcpy async [%a] %dst, %src : memref<8xf32>, memref<8xf32>`."""

    name = "gpu.memcpy"

    async_dependencies = var_operand_def(AsyncTokenType)
    dst = operand_def(AnyMemRef)
    src = operand_def(AnyMemRef)
    async_token = opt_result_def(AsyncTokenType)


@irdl_op_definition
class MemsetOp(AsyncOpInterface, ByTable):
    """`gpu.memset async [%a] %dst, %value : memref<8xf32>, f32`."""

    name = "gpu.memset"

    async_dependencies = var_operand_def(AsyncTokenType)
    dst = operand_def(AnyMemRef)
    value = operand_def()
    async_token = opt_result_def(AsyncTokenType)
