"""gpu ops inside kernels (ids, barrier, shuffles, reductions, matrices, printf) and the host's device ops."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Self

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
from xdsl.ir import Attribute, Block, SSAValue
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
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.traits import IsolatedFromAbove, IsTerminator, Pure

from gpuasync_lsp.syntax.dialects.assembly import (
    UNIT,
    Attributes,
    UnprefixedVerifyException,
    fail,
    i64_attr,
    named,
    parse_attributes,
    parse_operand_names,
    parse_results,
    parse_types,
    print_attributes,
    print_values_with_types,
)
from gpuasync_lsp.syntax.dialects.gpu.assembly import wrong_kind
from gpuasync_lsp.syntax.dialects.gpu.asynchronous import INDEX
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
from gpuasync_lsp.syntax.dialects.gpu.device_checks import (
    NUMBER,
    check_dynamic_shared_memory,
    check_matrix_product,
    check_number,
    check_power_of_two,
    check_reduction,
    check_reduction_body,
    check_same,
    check_warp,
)
from gpuasync_lsp.syntax.ods.by_table import ByTable, PureByTable
from gpuasync_lsp.syntax.ods.reading import Parts

# Ids and sizes


class DimensionOp(PureByTable):
    """Base of the ops that read one dimension of an id or a size: `gpu.thread_id x upper_bound 32`."""

    dimension = prop_def(DimensionAttr)
    upper_bound = opt_prop_def(IntegerAttr[IndexType])
    result = result_def(IndexType)


ClusterDimOp = named(DimensionOp, "gpu.cluster_dim")
ClusterDimBlocksOp = named(DimensionOp, "gpu.cluster_dim_blocks")
ClusterIdOp = named(DimensionOp, "gpu.cluster_id")
ClusterBlockIdOp = named(DimensionOp, "gpu.cluster_block_id")
BlockDimOp = named(DimensionOp, "gpu.block_dim")
BlockIdOp = named(DimensionOp, "gpu.block_id")
GridDimOp = named(DimensionOp, "gpu.grid_dim")
ThreadIdOp = named(DimensionOp, "gpu.thread_id")


@irdl_op_definition
class GlobalIdOp(DimensionOp):
    name = "gpu.global_id"


@irdl_op_definition
class LaneIdOp(PureByTable):
    name = "gpu.lane_id"

    upper_bound = opt_prop_def(IntegerAttr[IndexType])
    result = result_def(IndexType)


class SubgroupIndexOp(PureByTable):
    """Base of the ops about subgroups: `gpu.subgroup_id : index`."""

    upper_bound = opt_prop_def(IntegerAttr[IndexType])
    result = result_def(IndexType)


@irdl_op_definition
class SubgroupIdOp(SubgroupIndexOp):
    name = "gpu.subgroup_id"


NumSubgroupsOp = named(SubgroupIndexOp, "gpu.num_subgroups")


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

    @classmethod
    def parse(cls, parser: Parser) -> BarrierOp:
        properties: Attributes = {}
        operands: list[SSAValue] = []
        while (clause := parser.parse_optional_keyword_in(("named", "memfence", "scope"))) is not None:
            if clause == "memfence":
                properties["address_spaces"] = parser.parse_attribute()
            elif clause == "scope":
                properties["scope"] = BarrierScopeAttr(BarrierScopeAttr.parse_parameter(parser))
            else:
                with parser.in_parens():
                    name = parser.parse_unresolved_operand("expected SSA operand")
                    parser.parse_punctuation(":")
                    operands.append(parser.resolve_operand(name, parser.parse_type()))
        inherent, attributes = parse_attributes(parser, cls)
        return cls.create(operands=operands, properties=inherent | properties, attributes=attributes)

    def print(self, printer: Printer) -> None:
        if self.named_barrier is not None:
            printer.print_string(" named(")
            printer.print_ssa_value(self.named_barrier)
            printer.print_string(" : ")
            printer.print_attribute(self.named_barrier.type)
            printer.print_string(")")
        if self.address_spaces is not None:
            printer.print_string(" memfence ")
            printer.print_attribute(self.address_spaces)
        if self.scope is not None:
            printer.print_string(" scope ")
            self.scope.print_parameter(printer)
        print_attributes(printer, self, ("address_spaces", "scope"))


@irdl_op_definition
class InitializeNamedBarrierOp(IRDLOperation):
    name = "gpu.initialize_named_barrier"

    member_count = operand_def(I32)
    result = result_def(NamedBarrierType)

    assembly_format = "$member_count attr-dict `:` type($member_count) `->` type($result)"


@irdl_op_definition
class ShuffleOp(PureByTable):
    """`%value, %valid = gpu.shuffle xor %a, %offset, %width : f32`."""

    name = "gpu.shuffle"

    value = operand_def()
    offset = operand_def(I32)
    width = operand_def(I32)
    mode = prop_def(ShuffleModeAttr)
    shuffle_result = result_def()
    valid = result_def(I1)

    def verify_(self) -> None:
        check_number(self, self.value.type)


@irdl_op_definition
class RotateOp(PureByTable):
    """`%value, %valid = gpu.rotate %a, 1, 16 : f32`."""

    name = "gpu.rotate"

    value = operand_def()
    offset = prop_def(IntegerAttr[I32])
    width = prop_def(IntegerAttr[I32])
    rotate_result = result_def()
    valid = result_def(I1)

    def verify_(self) -> None:
        check_number(self, self.value.type)
        width = self.width.value.data
        if width <= 0 or width & (width - 1):
            wanted = "32-bit signless integer attribute whose value is a power of two > 0"
            fail(self, f"attribute 'width' failed to satisfy constraint: {wanted}")
        if not 0 <= self.offset.value.data < width:
            fail(self, f"offset must be in the range [0, {width})")


@irdl_op_definition
class AllReduceOp(ByTable):
    """`gpu.all_reduce add %a uniform {} : (f32) -> f32`."""

    name = "gpu.all_reduce"

    value = operand_def()
    op = opt_prop_def(AllReduceOperationAttr)
    uniform = opt_prop_def(UnitAttr)
    result = result_def()
    body = region_def()

    traits = traits_def(IsolatedFromAbove())

    def verify_(self) -> None:
        check_number(self, self.value.type, NUMBER)
        check_same(self, self.value.type, self.result.type)
        operation = None if self.op is None else self.op.data.value
        check_reduction_body(self.body, operation, self.value.type)


@irdl_op_definition
class SubgroupReduceOp(ByTable):
    """`gpu.subgroup_reduce add %a cluster(size = 4, stride = 2) : (f32) -> f32`."""

    name = "gpu.subgroup_reduce"

    value = operand_def()
    op = prop_def(AllReduceOperationAttr)
    uniform = opt_prop_def(UnitAttr)
    cluster_size = opt_prop_def(IntegerAttr[I32])
    cluster_stride = opt_prop_def(IntegerAttr[I32], default_value=IntegerAttr(1, 32))
    result = result_def()

    def verify_(self) -> None:
        check_number(self, self.value.type)
        check_same(self, self.value.type, self.result.type)
        check_reduction(self.op.data.value, self.value.type)
        if self.cluster_size is not None:
            check_power_of_two(self, "size", self.cluster_size.value.data)
        stride = self.cluster_stride.value.data
        if stride != 1 and self.cluster_size is None:
            fail(self, "cluster stride can only be specified if cluster size is specified")
        check_power_of_two(self, "stride", stride)


@irdl_op_definition
class SubgroupBroadcastOp(ByTable):
    """`gpu.subgroup_broadcast %a, specific_lane %lane : f32`."""

    name = "gpu.subgroup_broadcast"

    src = operand_def()
    lane = opt_operand_def(I32)
    broadcast_type = prop_def(BroadcastTypeAttr)
    result = result_def()

    def verify_(self) -> None:
        is_specific = self.broadcast_type.data.value == "specific_lane"
        if is_specific and self.lane is None:
            fail(self, "lane must be specified for `specific_lane` broadcast")
        if not is_specific and self.lane is not None:
            fail(self, "lane can only be specified for `specific_lane` broadcast")


@irdl_op_definition
class BallotOp(IRDLOperation):
    """`gpu.ballot %predicate : i32` (from LLVM 23)."""

    name = "gpu.ballot"

    predicate = operand_def(I1)
    result = result_def(IntegerType)

    assembly_format = "$predicate attr-dict `:` type($result)"


@irdl_op_definition
class WarpExecuteOnLane0Op(IRDLOperation):
    """`gpu.warp_execute_on_lane_0(%lane)[32] args(%a : f32) -> (f32) { ... }`."""

    name = "gpu.warp_execute_on_lane_0"

    laneid = operand_def(IndexType)
    args = var_operand_def()
    warp_size = prop_def(IntegerAttr)
    res = var_result_def()
    warp_region = region_def("single_block")

    @classmethod
    def parse(cls, parser: Parser) -> WarpExecuteOnLane0Op:
        with parser.in_parens():
            lane = parser.parse_unresolved_operand("expected SSA operand")
        parser.parse_punctuation("[")
        properties: Attributes = {"warp_size": i64_attr(parser.parse_integer())}
        parser.parse_punctuation("]")
        operands: list[SSAValue] = [parser.resolve_operand(lane, INDEX)]
        if parser.parse_optional_keyword("args") is not None:
            with parser.in_parens():
                names = parse_operand_names(parser)
                parser.parse_punctuation(":")
                types = parse_types(parser, len(names))
            operands += parser.resolve_operands(names, types, parser.pos)
        results, _ = parse_results(parser)
        region = parser.parse_region()
        if not results and (not region.blocks or not isinstance(region.blocks[0].last_op, YieldOp)):
            if not region.blocks:
                region.add_block(Block())
            region.blocks[0].add_op(YieldOp.create())
        inherent, attributes = parse_attributes(parser, cls)
        return cls.create(
            operands=operands,
            result_types=results,
            properties=inherent | properties,
            attributes=attributes,
            regions=[region],
        )

    def print(self, printer: Printer) -> None:
        printer.print_string("(")
        printer.print_ssa_value(self.laneid)
        printer.print_string(f")[{self.warp_size.value.data}]")
        if self.args:
            printer.print_string(" args(")
            print_values_with_types(printer, self.args)
            printer.print_string(")")
        if self.res:
            printer.print_string(" -> (")
            printer.print_list(self.res.types, printer.print_attribute)
            printer.print_string(")")
        printer.print_string(" ")
        printer.print_region(self.warp_region, print_block_terminators=bool(self.res))
        print_attributes(printer, self, ("warp_size",))

    def verify_(self) -> None:
        check_warp(self, self.args.types, self.res.types, self.warp_size.value.data)


@irdl_op_definition
class YieldOp(ByTable):
    """`gpu.yield %a : f32`, the end of regions in gpu ops."""

    name = "gpu.yield"

    values = var_operand_def()

    traits = traits_def(IsTerminator(), Pure())


_RESULTS = re.compile(r"%[\w$.-]+(?:\s*,\s*%[\w$.-]+)*\s*(?:=|:\s*\d)")
"""What an op defines, at its start."""


@irdl_op_definition
class PrintfOp(IRDLOperation):
    """`gpu.printf "%d\\n", %a : i32`; up to LLVM 19 the values follow without a comma."""

    name = "gpu.printf"

    format = prop_def(StringAttr)
    args = var_operand_def()

    @classmethod
    def parse(cls, parser: Parser) -> PrintfOp:
        properties: Attributes = {"format": parser.parse_attribute()}
        attributes = parser.parse_optional_attr_dict()
        comma = parser.parse_optional_punctuation(",") is not None
        # Without the comma of later releases a name may be the result of the next op.
        follows = comma or _RESULTS.match(parser.lexer.input.content, parser.pos) is None
        names = parse_operand_names(parser) if follows else []
        operands: Sequence[SSAValue] = ()
        if names:
            attributes |= parser.parse_optional_attr_dict()
            parser.parse_punctuation(":")
            operands = parser.resolve_operands(names, parse_types(parser, len(names)), parser.pos)
        return cls.create(operands=operands, properties=properties, attributes=attributes)

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_attribute(self.format)
        print_attributes(printer, self, ("format",))
        if self.args:
            # Up to LLVM 19 the values follow without a comma.
            llvm: int | None = getattr(printer, "llvm", None)
            printer.print_string(" " if llvm is not None and llvm < 20 else ", ")
            print_values_with_types(printer, self.args)


@irdl_op_definition
class DynamicSharedMemoryOp(PureByTable):
    """`gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>`."""

    name = "gpu.dynamic_shared_memory"

    result_memref = result_def(MemRefType[Attribute])

    def verify_(self) -> None:
        check_dynamic_shared_memory(self, self.result_memref.type)


# Matrices


@irdl_op_definition
class SubgroupMmaLoadMatrixOp(ByTable):
    name = "gpu.subgroup_mma_load_matrix"

    src_memref = operand_def(MemRefType[Attribute])
    indices = var_operand_def(IndexType)
    lead_dimension = prop_def(IntegerAttr[IndexType], prop_name="leadDimension")
    transpose = opt_prop_def(UnitAttr)
    res = result_def(MMAMatrixType)

    @classmethod
    def parse(cls, parser: Parser) -> SubgroupMmaLoadMatrixOp:
        memref = parser.parse_unresolved_operand("expected SSA operand")
        indices = _parse_indices(parser)
        properties, attributes = _parse_matrix_options(parser, cls)
        parser.parse_punctuation(":")
        memref_type = parser.parse_type()
        parser.parse_punctuation("->")
        result = parser.parse_type()
        operands = [parser.resolve_operand(memref, memref_type)]
        operands += [parser.resolve_operand(name, INDEX) for name in indices]
        return cls.create(
            operands=operands, result_types=[result], properties=properties, attributes=attributes
        )

    def verify_(self) -> None:
        if "leadDimension" not in self.properties:
            fail(self, "requires attribute 'leadDimension'")


@irdl_op_definition
class SubgroupMmaStoreMatrixOp(ByTable):
    name = "gpu.subgroup_mma_store_matrix"

    src = operand_def(MMAMatrixType)
    dst_memref = operand_def(MemRefType[Attribute])
    indices = var_operand_def(IndexType)
    lead_dimension = prop_def(IntegerAttr[IndexType], prop_name="leadDimension")
    transpose = opt_prop_def(UnitAttr)

    @classmethod
    def parse(cls, parser: Parser) -> SubgroupMmaStoreMatrixOp:
        src = parser.parse_unresolved_operand("expected SSA operand")
        parser.parse_punctuation(",")
        memref = parser.parse_unresolved_operand("expected SSA operand")
        indices = _parse_indices(parser)
        properties, attributes = _parse_matrix_options(parser, cls)
        parser.parse_punctuation(":")
        src_type, memref_type = parse_types(parser, 2)
        operands = [parser.resolve_operand(src, src_type), parser.resolve_operand(memref, memref_type)]
        operands += [parser.resolve_operand(name, INDEX) for name in indices]
        return cls.create(operands=operands, properties=properties, attributes=attributes)

    def verify_(self) -> None:
        if "leadDimension" not in self.properties:
            fail(self, "requires attribute 'leadDimension'")
        matrix: Attribute = self.src.type
        if isinstance(matrix, MMAMatrixType) and matrix.operand.data != "COp":
            raise UnprefixedVerifyException(
                "expected the operand matrix being stored to have 'COp' operand type"
            )


@irdl_op_definition
class SubgroupMmaComputeOp(PureByTable):
    name = "gpu.subgroup_mma_compute"

    op_a = operand_def(MMAMatrixType)
    op_b = operand_def(MMAMatrixType)
    op_c = operand_def(MMAMatrixType)
    a_transpose = opt_prop_def(UnitAttr)
    b_transpose = opt_prop_def(UnitAttr)
    res = result_def(MMAMatrixType)

    @classmethod
    def parse(cls, parser: Parser) -> SubgroupMmaComputeOp:
        names = parse_operand_names(parser)
        properties, attributes = _parse_matrix_options(parser, cls)
        parser.parse_punctuation(":")
        types = parse_types(parser, 2)
        parser.parse_punctuation("->")
        result = parser.parse_type()
        operands = parser.resolve_operands(names, [*types, result], parser.pos)
        return cls.create(
            operands=operands, result_types=[result], properties=properties, attributes=attributes
        )

    def verify_(self) -> None:
        check_matrix_product(*self.operand_types)


@irdl_op_definition
class SubgroupMmaConstantMatrixOp(PureByTable):
    name = "gpu.subgroup_mma_constant_matrix"

    value = operand_def()
    res = result_def(MMAMatrixType)

    @classmethod
    def complete(cls, parser: Parser, parts: Parts) -> None:
        (matrix,) = parts.types["res"]
        if not isinstance(matrix, MMAMatrixType):
            parser.raise_error(f"custom op '{cls.name}' invalid kind of type specified")
        parts.types["value"] = [matrix.element_type]


@irdl_op_definition
class SubgroupMmaExtractThreadLocalOp(PureByTable):
    name = "gpu.subgroup_mma_extract_thread_local"

    matrix = operand_def(MMAMatrixType)
    indices = var_operand_def(IndexType)
    res = result_def()


@irdl_op_definition
class SubgroupMmaInsertThreadLocalOp(PureByTable):
    name = "gpu.subgroup_mma_insert_thread_local"

    value = operand_def()
    matrix = operand_def(MMAMatrixType)
    indices = var_operand_def(IndexType)
    res = result_def(MMAMatrixType)


@irdl_op_definition
class SubgroupMmaElementwiseOp(PureByTable):
    name = "gpu.subgroup_mma_elementwise"

    args = var_operand_def(MMAMatrixType)
    op_type = prop_def(MMAElementwiseAttr, prop_name="opType")
    res = result_def(MMAMatrixType)


# The host's side of a device


class _HostMemoryOp(ByTable):
    """An op on host memory of any rank: `name %a : memref<*xf32>`."""

    value = operand_def(UnrankedMemRefType[Attribute])

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


@irdl_op_definition
class HostRegisterOp(_HostMemoryOp):
    """`gpu.host_register %a : memref<*xf32>`: the device may access this host buffer."""

    name = "gpu.host_register"


@irdl_op_definition
class HostUnregisterOp(_HostMemoryOp):
    """`gpu.host_unregister %a : memref<*xf32>` (from LLVM 17)."""

    name = "gpu.host_unregister"


@irdl_op_definition
class SetDefaultDeviceOp(ByTable):
    """`gpu.set_default_device %index`."""

    name = "gpu.set_default_device"

    dev_index = operand_def(I32)


def _parse_indices(parser: Parser) -> list[UnresolvedOperand]:
    """Parse `[%i, %j]`."""
    parser.parse_punctuation("[")
    names = parse_operand_names(parser)
    parser.parse_punctuation("]")
    return names


def _parse_matrix_options(parser: Parser, op_class: type[IRDLOperation]) -> tuple[Attributes, Attributes]:
    """Parse options as keywords (LLVM 24) or in the attribute dictionary (before).

    Return (properties, attributes).
    """
    options: Attributes = {}
    if parser.parse_optional_keyword("leadDimension") is not None:
        options["leadDimension"] = IntegerAttr(parser.parse_integer(), INDEX)
    while (flag := parser.parse_optional_keyword_in(("transpose", "a_transpose", "b_transpose"))) is not None:
        options[flag] = UNIT
    properties, attributes = parse_attributes(parser, op_class)
    return properties | options, attributes
