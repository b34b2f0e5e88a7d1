"""gpu ops inside kernels (ids, barrier, shuffles, reductions, matrices, printf) and the host's device ops."""

from __future__ import annotations

from xdsl.dialects.builtin import (
    I1,
    I32,
    ArrayAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    StringAttr,
    UnitAttr,
    UnrankedMemRefType,
)
from xdsl.ir import Attribute
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.traits import IsolatedFromAbove, IsTerminator, Pure

from gpuasync_lsp.syntax.dialects.gpu.attributes import (
    AllReduceOperationAttr,
    BarrierScopeAttr,
    BroadcastTypeAttr,
    DimensionAttr,
    MMAElementwiseAttr,
    MMAMatrixType,
    NamedBarrierType,
    ShuffleModeAttr,
)

# Ids and sizes


class DimensionOp(IRDLOperation):
    """Base of the ops that read one dimension of an id or a size: `gpu.thread_id x upper_bound 32`."""

    dimension = prop_def(DimensionAttr)
    upper_bound = opt_prop_def(IntegerAttr[IndexType])
    result = result_def(IndexType)

    traits = traits_def(Pure())


@irdl_op_definition
class ClusterDimOp(DimensionOp):
    name = "gpu.cluster_dim"


@irdl_op_definition
class ClusterDimBlocksOp(DimensionOp):
    name = "gpu.cluster_dim_blocks"


@irdl_op_definition
class ClusterIdOp(DimensionOp):
    name = "gpu.cluster_id"


@irdl_op_definition
class ClusterBlockIdOp(DimensionOp):
    name = "gpu.cluster_block_id"


@irdl_op_definition
class BlockDimOp(DimensionOp):
    name = "gpu.block_dim"


@irdl_op_definition
class BlockIdOp(DimensionOp):
    name = "gpu.block_id"


@irdl_op_definition
class GridDimOp(DimensionOp):
    name = "gpu.grid_dim"


@irdl_op_definition
class ThreadIdOp(DimensionOp):
    name = "gpu.thread_id"


@irdl_op_definition
class GlobalIdOp(DimensionOp):
    name = "gpu.global_id"


@irdl_op_definition
class LaneIdOp(IRDLOperation):
    name = "gpu.lane_id"

    upper_bound = opt_prop_def(IntegerAttr[IndexType])
    result = result_def(IndexType)

    traits = traits_def(Pure())


class SubgroupIndexOp(IRDLOperation):
    """Base of the ops about subgroups: `gpu.subgroup_id : index`."""

    upper_bound = opt_prop_def(IntegerAttr[IndexType])
    result = result_def(IndexType)

    traits = traits_def(Pure())


@irdl_op_definition
class SubgroupIdOp(SubgroupIndexOp):
    name = "gpu.subgroup_id"


@irdl_op_definition
class NumSubgroupsOp(SubgroupIndexOp):
    name = "gpu.num_subgroups"


@irdl_op_definition
class SubgroupSizeOp(SubgroupIndexOp):
    name = "gpu.subgroup_size"


# Work together


@irdl_op_definition
class BarrierOp(IRDLOperation):
    """`gpu.barrier memfence [#gpu.address_space<workgroup>]`; named and scope exist from LLVM 23."""

    name = "gpu.barrier"

    address_spaces = opt_prop_def(ArrayAttr[Attribute])
    named_barrier = opt_operand_def(NamedBarrierType)
    scope = opt_prop_def(BarrierScopeAttr)


@irdl_op_definition
class InitializeNamedBarrierOp(IRDLOperation):
    name = "gpu.initialize_named_barrier"

    member_count = operand_def(I32)
    result = result_def(NamedBarrierType)


@irdl_op_definition
class ShuffleOp(IRDLOperation):
    """`%value, %valid = gpu.shuffle xor %a, %offset, %width : f32`."""

    name = "gpu.shuffle"

    value = operand_def()
    offset = operand_def(I32)
    width = operand_def(I32)
    mode = prop_def(ShuffleModeAttr)
    shuffle_result = result_def()
    valid = result_def(I1)

    traits = traits_def(Pure())


@irdl_op_definition
class RotateOp(IRDLOperation):
    """`%value, %valid = gpu.rotate %a, 1, 16 : f32`; up to LLVM 20 offset and width are operands."""

    name = "gpu.rotate"

    value = operand_def()
    offset = prop_def(IntegerAttr[I32])
    width = prop_def(IntegerAttr[I32])
    rotate_result = result_def()
    valid = result_def(I1)

    traits = traits_def(Pure())


@irdl_op_definition
class AllReduceOp(IRDLOperation):
    """`gpu.all_reduce add %a uniform {} : (f32) -> f32`."""

    name = "gpu.all_reduce"

    value = operand_def()
    op = opt_prop_def(AllReduceOperationAttr)
    uniform = opt_prop_def(UnitAttr)
    result = result_def()
    body = region_def()

    traits = traits_def(IsolatedFromAbove())


@irdl_op_definition
class SubgroupReduceOp(IRDLOperation):
    """`gpu.subgroup_reduce add %a cluster(size = 4, stride = 2) : (f32) -> f32`."""

    name = "gpu.subgroup_reduce"

    value = operand_def()
    op = prop_def(AllReduceOperationAttr)
    uniform = opt_prop_def(UnitAttr)
    cluster_size = opt_prop_def(IntegerAttr[I32])
    cluster_stride = opt_prop_def(IntegerAttr[I32])
    result = result_def()


@irdl_op_definition
class SubgroupBroadcastOp(IRDLOperation):
    """`gpu.subgroup_broadcast %a, specific_lane %lane : f32`."""

    name = "gpu.subgroup_broadcast"

    src = operand_def()
    lane = opt_operand_def(I32)
    broadcast_type = prop_def(BroadcastTypeAttr)
    result = result_def()


@irdl_op_definition
class BallotOp(IRDLOperation):
    """`gpu.ballot %predicate : i32` (from LLVM 23)."""

    name = "gpu.ballot"

    predicate = operand_def(I1)
    result = result_def(IntegerType)


@irdl_op_definition
class WarpExecuteOnLane0Op(IRDLOperation):
    """`gpu.warp_execute_on_lane_0(%lane)[32] args(%a : f32) -> (f32) { ... }`."""

    name = "gpu.warp_execute_on_lane_0"

    laneid = operand_def(IndexType)
    args = var_operand_def()
    warp_size = prop_def(IntegerAttr)
    res = var_result_def()
    warp_region = region_def("single_block")


@irdl_op_definition
class YieldOp(IRDLOperation):
    """`gpu.yield %a : f32`, the end of regions in gpu ops."""

    name = "gpu.yield"

    values = var_operand_def()

    traits = traits_def(IsTerminator(), Pure())


@irdl_op_definition
class PrintfOp(IRDLOperation):
    """`gpu.printf "%d\\n", %a : i32`; up to LLVM 19 the values follow without a comma."""

    name = "gpu.printf"

    format = prop_def(StringAttr)
    args = var_operand_def()


@irdl_op_definition
class DynamicSharedMemoryOp(IRDLOperation):
    """`gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>`."""

    name = "gpu.dynamic_shared_memory"

    result_memref = result_def(MemRefType[Attribute])

    traits = traits_def(Pure())


# Matrices


@irdl_op_definition
class SubgroupMmaLoadMatrixOp(IRDLOperation):
    name = "gpu.subgroup_mma_load_matrix"

    src_memref = operand_def(MemRefType[Attribute])
    indices = var_operand_def(IndexType)
    lead_dimension = prop_def(IntegerAttr[IndexType], prop_name="leadDimension")
    transpose = opt_prop_def(UnitAttr)
    res = result_def(MMAMatrixType)


@irdl_op_definition
class SubgroupMmaStoreMatrixOp(IRDLOperation):
    name = "gpu.subgroup_mma_store_matrix"

    src = operand_def(MMAMatrixType)
    dst_memref = operand_def(MemRefType[Attribute])
    indices = var_operand_def(IndexType)
    lead_dimension = prop_def(IntegerAttr[IndexType], prop_name="leadDimension")
    transpose = opt_prop_def(UnitAttr)


@irdl_op_definition
class SubgroupMmaComputeOp(IRDLOperation):
    name = "gpu.subgroup_mma_compute"

    op_a = operand_def(MMAMatrixType)
    op_b = operand_def(MMAMatrixType)
    op_c = operand_def(MMAMatrixType)
    a_transpose = opt_prop_def(UnitAttr)
    b_transpose = opt_prop_def(UnitAttr)
    res = result_def(MMAMatrixType)

    traits = traits_def(Pure())


@irdl_op_definition
class SubgroupMmaConstantMatrixOp(IRDLOperation):
    name = "gpu.subgroup_mma_constant_matrix"

    value = operand_def()
    res = result_def(MMAMatrixType)

    traits = traits_def(Pure())


@irdl_op_definition
class SubgroupMmaExtractThreadLocalOp(IRDLOperation):
    name = "gpu.subgroup_mma_extract_thread_local"

    matrix = operand_def(MMAMatrixType)
    indices = var_operand_def(IndexType)
    res = result_def()

    traits = traits_def(Pure())


@irdl_op_definition
class SubgroupMmaInsertThreadLocalOp(IRDLOperation):
    name = "gpu.subgroup_mma_insert_thread_local"

    value = operand_def()
    matrix = operand_def(MMAMatrixType)
    indices = var_operand_def(IndexType)
    res = result_def(MMAMatrixType)

    traits = traits_def(Pure())


@irdl_op_definition
class SubgroupMmaElementwiseOp(IRDLOperation):
    name = "gpu.subgroup_mma_elementwise"

    args = var_operand_def(MMAMatrixType)
    op_type = prop_def(MMAElementwiseAttr, prop_name="opType")
    res = result_def(MMAMatrixType)

    traits = traits_def(Pure())


# The host's side of a device


@irdl_op_definition
class HostRegisterOp(IRDLOperation):
    """`gpu.host_register %a : memref<*xf32>`: the device may access this host buffer."""

    name = "gpu.host_register"

    value = operand_def(UnrankedMemRefType[Attribute])


@irdl_op_definition
class HostUnregisterOp(IRDLOperation):
    """`gpu.host_unregister %a : memref<*xf32>` (from LLVM 17)."""

    name = "gpu.host_unregister"

    value = operand_def(UnrankedMemRefType[Attribute])


@irdl_op_definition
class SetDefaultDeviceOp(IRDLOperation):
    """`gpu.set_default_device %index`."""

    name = "gpu.set_default_device"

    dev_index = operand_def(I32)
