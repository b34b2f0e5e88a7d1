"""gpu ops that take async dependencies and move memory: wait, alloc, dealloc, memcpy, memset."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import IndexType, MemRefType, UnitAttr, UnrankedMemRefType
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

from gpuasync_lsp.syntax.dialects.gpu.attributes import AsyncTokenType

TOKEN = AsyncTokenType()
AnyMemRef = MemRefType[Attribute] | UnrankedMemRefType[Attribute]


class AsyncOpInterface(IRDLOperation):
    """Every gpu op that takes `[dependencies]` and, with the keyword `async`, returns a token."""

    if TYPE_CHECKING:  # xDSL collects the fields of an op from class annotations: show these to checkers only
        async_dependencies: VarOperand[AsyncTokenType]
        async_token: OpResult[AsyncTokenType] | None


def token_types(is_async: bool) -> list[AsyncTokenType]:
    """Return the result types that the keyword `async` stands for."""
    return [TOKEN] if is_async else []


@irdl_op_definition
class WaitOp(AsyncOpInterface):
    """`gpu.wait async [%a, %b]`."""

    name = "gpu.wait"

    async_dependencies = var_operand_def(AsyncTokenType)
    async_token = opt_result_def(AsyncTokenType)

    def __init__(self, async_dependencies: Sequence[SSAValue] = (), is_async: bool = False):
        super().__init__(operands=[async_dependencies], result_types=[token_types(is_async)])


@irdl_op_definition
class AllocOp(AsyncOpInterface):
    """`gpu.alloc async [%a] host_shared (%size)[%symbol] : memref<?xf32>`."""

    name = "gpu.alloc"

    async_dependencies = var_operand_def(AsyncTokenType)
    dynamic_sizes = var_operand_def(IndexType)
    symbol_operands = var_operand_def(IndexType)
    host_shared = opt_prop_def(UnitAttr, prop_name="hostShared")
    memref = result_def(MemRefType[Attribute])
    async_token = opt_result_def(AsyncTokenType)

    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    def __init__(
        self,
        memref_type: MemRefType[Attribute],
        dynamic_sizes: Sequence[SSAValue] = (),
        symbol_operands: Sequence[SSAValue] = (),
        async_dependencies: Sequence[SSAValue] = (),
        *,
        is_async: bool = False,
        host_shared: bool = False,
    ):
        super().__init__(
            operands=[async_dependencies, dynamic_sizes, symbol_operands],
            result_types=[memref_type, token_types(is_async)],
            properties={"hostShared": UnitAttr() if host_shared else None},
        )


@irdl_op_definition
class DeallocOp(AsyncOpInterface):
    """`gpu.dealloc async [%a] %memref : memref<8xf32>`."""

    name = "gpu.dealloc"

    async_dependencies = var_operand_def(AsyncTokenType)
    memref = operand_def(AnyMemRef)
    async_token = opt_result_def(AsyncTokenType)

    def __init__(self, memref: SSAValue, async_dependencies: Sequence[SSAValue] = (), is_async: bool = False):
        super().__init__(operands=[async_dependencies, memref], result_types=[token_types(is_async)])


@irdl_op_definition
class MemcpyOp(AsyncOpInterface):
    """`gpu.memcpy async [%a] %dst, %src : memref<8xf32>, memref<8xf32>`."""

    name = "gpu.memcpy"

    async_dependencies = var_operand_def(AsyncTokenType)
    dst = operand_def(AnyMemRef)
    src = operand_def(AnyMemRef)
    async_token = opt_result_def(AsyncTokenType)

    def __init__(
        self,
        dst: SSAValue,
        src: SSAValue,
        async_dependencies: Sequence[SSAValue] = (),
        is_async: bool = False,
    ):
        super().__init__(operands=[async_dependencies, dst, src], result_types=[token_types(is_async)])


@irdl_op_definition
class MemsetOp(AsyncOpInterface):
    """`gpu.memset async [%a] %dst, %value : memref<8xf32>, f32`."""

    name = "gpu.memset"

    async_dependencies = var_operand_def(AsyncTokenType)
    dst = operand_def(AnyMemRef)
    value = operand_def(Attribute)
    async_token = opt_result_def(AsyncTokenType)

    def __init__(
        self,
        dst: SSAValue,
        value: SSAValue,
        async_dependencies: Sequence[SSAValue] = (),
        is_async: bool = False,
    ):
        super().__init__(operands=[async_dependencies, dst, value], result_types=[token_types(is_async)])
