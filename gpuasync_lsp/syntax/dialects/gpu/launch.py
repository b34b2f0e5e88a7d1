"""gpu ops that launch kernels: launch (with its body) and launch_func (by symbol)."""

from __future__ import annotations

from xdsl.dialects.builtin import (
    I32,
    FlatSymbolRefAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    SymbolRefAttr,
    UnitAttr,
)
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    opt_result_def,
    prop_def,
    region_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import HasParent, IsTerminator, Pure

from gpuasync_lsp.syntax.dialects.gpu.asynchronous import AsyncOpInterface
from gpuasync_lsp.syntax.dialects.gpu.attributes import AsyncTokenType

LaunchIndex = IndexType | IntegerType


@irdl_op_definition
class LaunchFuncOp(AsyncOpInterface):
    """`gpu.launch_func async [%t] @module::@kernel blocks in (...) threads in (...) args(...)`."""

    name = "gpu.launch_func"

    async_dependencies = var_operand_def(AsyncTokenType)
    grid_size_x = operand_def(LaunchIndex)
    grid_size_y = operand_def(LaunchIndex)
    grid_size_z = operand_def(LaunchIndex)
    block_size_x = operand_def(LaunchIndex)
    block_size_y = operand_def(LaunchIndex)
    block_size_z = operand_def(LaunchIndex)
    cluster_size_x = opt_operand_def(LaunchIndex)
    cluster_size_y = opt_operand_def(LaunchIndex)
    cluster_size_z = opt_operand_def(LaunchIndex)
    dynamic_shared_memory_size = opt_operand_def(I32)
    kernel_operands = var_operand_def()
    async_object = opt_operand_def()

    kernel = prop_def(SymbolRefAttr)
    cooperative = opt_prop_def(UnitAttr)
    async_token = opt_result_def(AsyncTokenType)

    irdl_options = (AttrSizedOperandSegments(as_property=True),)


@irdl_op_definition
class LaunchOp(AsyncOpInterface):
    """`gpu.launch async [%t] blocks(...) in (...) threads(...) in (...) { ... gpu.terminator }`."""

    name = "gpu.launch"

    async_dependencies = var_operand_def(AsyncTokenType)
    grid_size_x = operand_def(IndexType)
    grid_size_y = operand_def(IndexType)
    grid_size_z = operand_def(IndexType)
    block_size_x = operand_def(IndexType)
    block_size_y = operand_def(IndexType)
    block_size_z = operand_def(IndexType)
    cluster_size_x = opt_operand_def(IndexType)
    cluster_size_y = opt_operand_def(IndexType)
    cluster_size_z = opt_operand_def(IndexType)
    dynamic_shared_memory_size = opt_operand_def(I32)
    async_object = opt_operand_def()

    cooperative = opt_prop_def(UnitAttr)
    module = opt_prop_def(FlatSymbolRefAttr)
    function = opt_prop_def(FlatSymbolRefAttr)
    kernel_func = opt_prop_def(SymbolRefAttr, prop_name="kernelFunc")
    kernel_module = opt_prop_def(SymbolRefAttr, prop_name="kernelModule")
    workgroup_attributions = opt_prop_def(IntegerAttr)
    async_token = opt_result_def(AsyncTokenType)
    body = region_def()

    irdl_options = (AttrSizedOperandSegments(as_property=True),)


@irdl_op_definition
class TerminatorOp(IRDLOperation):
    """`gpu.terminator`, the end of a gpu.launch body."""

    name = "gpu.terminator"

    traits = traits_def(HasParent(LaunchOp), IsTerminator(), Pure())

    assembly_format = "attr-dict"
