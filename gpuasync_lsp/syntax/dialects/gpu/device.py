"""gpu ops inside kernels (ids, barrier, shuffles, reductions, matrices, printf) and the host's device ops."""

from __future__ import annotations

from abc import ABC
from typing import Self

from xdsl.dialects.builtin import (
    IntegerAttr,
    UnrankedMemRefType,
)
from xdsl.ir import Attribute
from xdsl.irdl import (
    opt_prop_def,
)
from xdsl.parser import Parser

from gpuasync_lsp.syntax.dialects.gpu.assembly import wrong_kind
from gpuasync_lsp.syntax.dialects.gpu.attributes import MMAMatrixType
from gpuasync_lsp.syntax.ods.by_table import TableOp, from_table, table_op_definition
from gpuasync_lsp.syntax.ods.reading import Parts

# Ids and sizes


class DimensionOp(TableOp, ABC):
    """Base of the ops that read one dimension of an id or a size: `gpu.thread_id x upper_bound 32`."""


class SubgroupIndexOp(TableOp, ABC):
    """Base of the ops that return an id or size of subgroups: `gpu.subgroup_id : index`."""


ClusterDimOp = from_table("gpu.cluster_dim", DimensionOp)
ClusterDimBlocksOp = from_table("gpu.cluster_dim_blocks", DimensionOp)
ClusterIdOp = from_table("gpu.cluster_id", DimensionOp)
ClusterBlockIdOp = from_table("gpu.cluster_block_id", DimensionOp)
BlockDimOp = from_table("gpu.block_dim", DimensionOp)
BlockIdOp = from_table("gpu.block_id", DimensionOp)
GridDimOp = from_table("gpu.grid_dim", DimensionOp)
ThreadIdOp = from_table("gpu.thread_id", DimensionOp)
GlobalIdOp = from_table("gpu.global_id", DimensionOp)
LaneIdOp = from_table("gpu.lane_id", TableOp)
SubgroupIdOp = from_table("gpu.subgroup_id", SubgroupIndexOp)
NumSubgroupsOp = from_table("gpu.num_subgroups", SubgroupIndexOp)
SubgroupSizeOp = from_table("gpu.subgroup_size", SubgroupIndexOp)

# Barriers, shuffles and reductions

ShuffleOp = from_table("gpu.shuffle", TableOp)
RotateOp = from_table("gpu.rotate", TableOp)
AllReduceOp = from_table("gpu.all_reduce", TableOp)
SubgroupReduceOp = from_table(
    "gpu.subgroup_reduce", TableOp, cluster_stride=opt_prop_def(default_value=IntegerAttr(1, 32))
)
SubgroupBroadcastOp = from_table("gpu.subgroup_broadcast", TableOp)
YieldOp = from_table("gpu.yield", TableOp)
DynamicSharedMemoryOp = from_table("gpu.dynamic_shared_memory", TableOp)


@table_op_definition
class BarrierOp(TableOp):
    """`gpu.barrier memfence [#gpu.address_space<workgroup>]`; LLVM 23 added named barriers and scopes."""

    name = "gpu.barrier"


@table_op_definition
class InitializeNamedBarrierOp(TableOp):
    name = "gpu.initialize_named_barrier"


@table_op_definition
class BallotOp(TableOp):
    """`gpu.ballot %predicate : i32` (since LLVM 23)."""

    name = "gpu.ballot"


WarpExecuteOnLane0Op = from_table("gpu.warp_execute_on_lane_0", TableOp)


@table_op_definition
class PrintfOp(TableOp):
    """`gpu.printf "%d\n", %a : i32`; through LLVM 19 the values follow without a comma."""

    name = "gpu.printf"


# Matrices


class _ConstantMatrixOp(TableOp, ABC):
    """A matrix of equal elements; the operand is the element."""

    @classmethod
    def complete(cls, parser: Parser, parts: Parts) -> None:
        (matrix,) = parts.types["res"]
        if not isinstance(matrix, MMAMatrixType):
            parser.raise_error(f"custom op '{cls.name}' invalid kind of type specified")
        parts.types["value"] = [matrix.element_type]


SubgroupMmaLoadMatrixOp = from_table("gpu.subgroup_mma_load_matrix", TableOp)
SubgroupMmaStoreMatrixOp = from_table("gpu.subgroup_mma_store_matrix", TableOp)
SubgroupMmaComputeOp = from_table("gpu.subgroup_mma_compute", TableOp)
SubgroupMmaConstantMatrixOp = from_table("gpu.subgroup_mma_constant_matrix", _ConstantMatrixOp)
SubgroupMmaExtractThreadLocalOp = from_table("gpu.subgroup_mma_extract_thread_local", TableOp)
SubgroupMmaInsertThreadLocalOp = from_table("gpu.subgroup_mma_insert_thread_local", TableOp)
SubgroupMmaElementwiseOp = from_table("gpu.subgroup_mma_elementwise", TableOp)

# Ops that the host executes


class _HostMemoryOp(TableOp, ABC):
    """An op on host memory of unknown rank: `name %a : memref<*xf32>`."""

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        name = parser.parse_unresolved_operand()
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        start = parser.pos
        found: Attribute = parser.parse_type()
        if found.name != UnrankedMemRefType.name:
            parser.raise_error(wrong_kind(cls.name, "unranked_memref", found), start)
        return cls.create(operands=[parser.resolve_operand(name, found)], attributes=attributes)


HostRegisterOp = from_table("gpu.host_register", _HostMemoryOp)
HostUnregisterOp = from_table("gpu.host_unregister", _HostMemoryOp)
SetDefaultDeviceOp = from_table("gpu.set_default_device", TableOp)
