"""MLIR's `nvgpu` dialect: what NVIDIA's hardware does with memrefs and vectors."""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, cast

from xdsl.dialects.builtin import (
    I32,
    ArrayAttr,
    BoolAttr,
    DictionaryAttr,
    IndexType,
    IntAttr,
    IntegerAttr,
    StringAttr,
    UnitAttr,
    VectorType,
    i1,
    i16,
)
from xdsl.dialects.utils import EnumAttribute
from xdsl.ir import (
    Attribute,
    ParametrizedAttribute,
    SpacedOpaqueSyntaxAttribute,
    TypeAttribute,
)
from xdsl.irdl import (
    AnyAttr,
    AttrSizedOperandSegments,
    IRDLOperation,
    ParsePropInAttrDict,
    VarConstraint,
    irdl_attr_definition,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.irdl.declarative_assembly_format import (
    CustomDirective,
    ParsingState,
    PrintingState,
    TypeDirective,
    irdl_custom_directive,
)
from xdsl.parser import AttrParser, Parser
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.str_enum import StrEnum

# Types


@irdl_attr_definition
class DeviceAsyncTokenType(ParametrizedAttribute, TypeAttribute):
    """`!nvgpu.device.async.token`: copies in flight on the device; no `!gpu.async.token`."""

    name = "nvgpu.device.async.token"


@irdl_attr_definition
class MBarrierTokenType(ParametrizedAttribute, TypeAttribute):
    name = "nvgpu.mbarrier.token"


@dataclass(frozen=True, init=False)
class _FieldsType(ParametrizedAttribute, TypeAttribute):
    """A type whose parameters have names: `<tensor = memref<4xf32>, swizzle = none>`."""

    fields: DictionaryAttr
    """Words are strings, numbers are IntAttr."""

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            pairs = parser.parse_comma_separated_list(parser.Delimiter.NONE, lambda: _parse_field(parser))
        return (DictionaryAttr({name: value for name, value in pairs if (name, value) != _ONE_BARRIER}),)

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            for index, (name, value) in enumerate(self.fields.data.items()):
                printer.print_string(f"{', ' if index else ''}{name} = ")
                if isinstance(value, StringAttr):
                    printer.print_string(value.data)
                elif isinstance(value, IntAttr):
                    printer.print_int(cast(IntAttr[int], value).data)
                else:
                    printer.print_attribute(value)


def _parse_field(parser: AttrParser) -> tuple[str, Attribute]:
    name = parser.parse_identifier()
    parser.parse_punctuation("=")
    value: Attribute | None = parser.parse_optional_type()
    if value is None:
        word = parser.parse_optional_identifier()
        number = None if word is not None else parser.parse_optional_integer(allow_boolean=False)
        if word is not None:
            value = StringAttr(word)
        elif number is not None and name == "num_barriers":
            value = IntAttr(number)
        elif number is not None:
            value = IntegerAttr(number, 64)
        else:
            value = parser.parse_attribute()
    return name, value


_ONE_BARRIER = ("num_barriers", IntAttr(1))
"""What `!nvgpu.mbarrier.group` has unless the text says otherwise."""


@irdl_attr_definition
class MBarrierGroupType(_FieldsType):
    """`!nvgpu.mbarrier.group<memorySpace = #gpu.address_space<workgroup>, num_barriers = 4>`."""

    name = "nvgpu.mbarrier.group"


@irdl_attr_definition
class MBarrierType(_FieldsType):
    """`!nvgpu.mbarrier.barrier<memorySpace = 3>`, until LLVM 17."""

    name = "nvgpu.mbarrier.barrier"


@irdl_attr_definition
class TensorMapDescriptorType(_FieldsType):
    name = "nvgpu.tensormap.descriptor"


@irdl_attr_definition
class WarpgroupMatrixDescriptorType(_FieldsType):
    name = "nvgpu.warpgroup.descriptor"


@irdl_attr_definition
class WarpgroupAccumulatorType(_FieldsType):
    name = "nvgpu.warpgroup.accumulator"


DEVICE_TOKEN = DeviceAsyncTokenType()


class RcpRounding(StrEnum):
    APPROX = "approx"
    RN = "rn"
    RZ = "rz"
    RM = "rm"
    RP = "rp"


@irdl_attr_definition
class RcpRoundingModeAttr(EnumAttribute[RcpRounding], SpacedOpaqueSyntaxAttribute):
    """`#nvgpu<rcp_rounding_mode approx>`."""

    name = "nvgpu.rcp_rounding_mode"


# Ops


class _BareType(CustomDirective, ABC):
    """A type of which only the parameters are written, since its class is known: `<tensor = ...>`."""

    KIND: ClassVar[type[_FieldsType]]

    type: TypeDirective

    def parse(self, parser: Parser, state: ParsingState) -> None:
        found = parser.parse_optional_type()
        self.type.set(state, (found or self.KIND.new(self.KIND.parse_parameters(parser)),))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        state.print_whitespace(printer)
        for found in self.type.get(op):
            if isinstance(found, _FieldsType):
                found.print_parameters(printer)
            else:
                printer.print_attribute(found)


@irdl_custom_directive
class Barriers(_BareType):
    KIND: ClassVar = MBarrierGroupType
    type: TypeDirective


@irdl_custom_directive
class TensorMap(_BareType):
    KIND: ClassVar = TensorMapDescriptorType
    type: TypeDirective


@irdl_custom_directive
class Descriptor(_BareType):
    KIND: ClassVar = WarpgroupMatrixDescriptorType
    type: TypeDirective


@irdl_custom_directive
class Accumulator(_BareType):
    KIND: ClassVar = WarpgroupAccumulatorType
    type: TypeDirective


class _Op(IRDLOperation, ABC):
    """An op whose attributes stand in its dictionary."""

    custom_directives: ClassVar = (Accumulator, Barriers, Descriptor, TensorMap)

    irdl_options = (ParsePropInAttrDict(),)


@irdl_op_definition
class LdMatrixOp(_Op):
    name = "nvgpu.ldmatrix"

    src_memref = operand_def()
    indices = var_operand_def(IndexType)
    transpose = prop_def(BoolAttr)
    num_tiles = prop_def(IntegerAttr[I32], prop_name="numTiles")
    res = result_def()

    assembly_format = "$src_memref `[` $indices `]` attr-dict `:` type($src_memref) `->` type($res)"


class _MmaOp(_Op, ABC):
    """`(%a, %b, %c) {mmaShape = [16, 8, 16]} : (A, B, C) -> C`."""

    matrix_a = operand_def()
    matrix_b = operand_def()
    matrix_c = operand_def()
    mma_shape = prop_def(ArrayAttr, prop_name="mmaShape")
    tf32_enabled = opt_prop_def(UnitAttr, prop_name="tf32Enabled")
    res = result_def()

    traits = traits_def(Pure())


@irdl_op_definition
class MmaSyncOp(_MmaOp):
    name = "nvgpu.mma.sync"

    assembly_format = (
        "`(` $matrix_a `,` $matrix_b `,` $matrix_c `)` attr-dict `:` `(` type($matrix_a) `,` "
        "type($matrix_b) `,` type($matrix_c) `)` `->` type($res)"
    )


@irdl_op_definition
class MmaSparseSyncOp(_MmaOp):
    name = "nvgpu.mma.sp.sync"

    # All operands again: they stand in the order in which a class names them, its own first.
    matrix_a = operand_def()
    matrix_b = operand_def()
    matrix_c = operand_def()
    sparse_metadata = operand_def(VectorType(i16, [2]))
    sparsity_selector = opt_prop_def(
        IntegerAttr[I32], default_value=IntegerAttr(0, 32), prop_name="sparsitySelector"
    )

    assembly_format = (
        "`(` $matrix_a `,` $matrix_b `,` $matrix_c `)` `metadata` `(` $sparse_metadata `)` attr-dict "
        "`:` `(` type($matrix_a) `,` type($matrix_b) `,` type($matrix_c) `)` `->` type($res)"
    )


@irdl_op_definition
class DeviceAsyncCopyOp(_Op):
    name = "nvgpu.device_async_copy"

    dst = operand_def()
    dst_indices = var_operand_def(IndexType)
    src = operand_def()
    src_indices = var_operand_def(IndexType)
    dst_elements = prop_def(IntegerAttr[IndexType], prop_name="dstElements")
    src_elements = opt_operand_def(IndexType)
    bypass_l1 = opt_prop_def(UnitAttr, prop_name="bypassL1")
    async_token = result_def(DEVICE_TOKEN)

    irdl_options = (AttrSizedOperandSegments(as_property=True), ParsePropInAttrDict())
    assembly_format = (
        "$src `[` $src_indices `]` `,` $dst `[` $dst_indices `]` `,` $dstElements (`,` "
        "$src_elements^)? attr-dict `:` type($src) `to` type($dst)"
    )


@irdl_op_definition
class DeviceAsyncCreateGroupOp(_Op):
    name = "nvgpu.device_async_create_group"

    input_tokens = var_operand_def(DEVICE_TOKEN)
    async_token = result_def(DEVICE_TOKEN)

    assembly_format = "$input_tokens attr-dict"


@irdl_op_definition
class DeviceAsyncWaitOp(_Op):
    name = "nvgpu.device_async_wait"

    async_dependencies = operand_def(DEVICE_TOKEN)
    num_groups = opt_prop_def(IntegerAttr[I32], prop_name="numGroups")

    assembly_format = "$async_dependencies attr-dict"


@irdl_op_definition
class MBarrierCreateOp(_Op):
    name = "nvgpu.mbarrier.create"

    barriers = result_def()

    assembly_format = "attr-dict `->` custom<Barriers>(type($barriers))"


@irdl_op_definition
class MBarrierGetOp(_Op):
    name = "nvgpu.mbarrier.get"

    barriers = operand_def()
    mbar_id = operand_def(IndexType)
    mbarrier_pointer = result_def()

    assembly_format = (
        "$barriers `[` $mbar_id `]` attr-dict `:` custom<Barriers>(type($barriers)) `->` "
        "type($mbarrier_pointer)"
    )


@irdl_op_definition
class MBarrierInitOp(_Op):
    name = "nvgpu.mbarrier.init"

    barriers = operand_def()
    count = operand_def(IndexType)
    mbar_id = operand_def(IndexType)
    predicate = opt_operand_def(i1)

    assembly_format = (
        "$barriers `[` $mbar_id `]` `,` $count (`,` `predicate` `=` $predicate^)? attr-dict `:` "
        "custom<Barriers>(type($barriers))"
    )


@irdl_op_definition
class MBarrierTestWaitOp(_Op):
    name = "nvgpu.mbarrier.test.wait"

    barriers = operand_def()
    token = operand_def()
    mbar_id = operand_def(IndexType)
    wait_complete = result_def(i1)

    assembly_format = (
        "$barriers `[` $mbar_id `]` `,` $token attr-dict `:` custom<Barriers>(type($barriers)) `,` "
        "type($token)"
    )


@irdl_op_definition
class MBarrierArriveOp(_Op):
    name = "nvgpu.mbarrier.arrive"

    barriers = operand_def()
    mbar_id = operand_def(IndexType)
    token = result_def()

    assembly_format = (
        "$barriers `[` $mbar_id `]` attr-dict `:` custom<Barriers>(type($barriers)) `->` type($token)"
    )


@irdl_op_definition
class MBarrierArriveNoCompleteOp(_Op):
    name = "nvgpu.mbarrier.arrive.nocomplete"

    barriers = operand_def()
    mbar_id = operand_def(IndexType)
    count = operand_def(IndexType)
    token = result_def()

    assembly_format = (
        "$barriers `[` $mbar_id `]` `,` $count attr-dict `:` custom<Barriers>(type($barriers)) `->` "
        "type($token)"
    )


@irdl_op_definition
class MBarrierArriveExpectTxOp(_Op):
    name = "nvgpu.mbarrier.arrive.expect_tx"

    barriers = operand_def()
    txcount = operand_def(IndexType)
    mbar_id = operand_def(IndexType)
    predicate = opt_operand_def(i1)

    assembly_format = (
        "$barriers `[` $mbar_id `]` `,` $txcount (`,` `predicate` `=` $predicate^)? attr-dict `:` "
        "custom<Barriers>(type($barriers))"
    )


@irdl_op_definition
class MBarrierTryWaitParityOp(_Op):
    name = "nvgpu.mbarrier.try_wait.parity"

    barriers = operand_def()
    phase_parity = operand_def(i1)
    ticks = operand_def(IndexType)
    mbar_id = operand_def(IndexType)

    assembly_format = (
        "$barriers `[` $mbar_id `]` `,` $phase_parity `,` $ticks attr-dict `:` "
        "custom<Barriers>(type($barriers))"
    )


@irdl_op_definition
class TmaFenceOp(_Op):
    name = "nvgpu.tma.fence.descriptor"

    tensor_map_descriptor = operand_def()

    assembly_format = "$tensor_map_descriptor attr-dict `:` custom<TensorMap>(type($tensor_map_descriptor))"


@irdl_op_definition
class TmaPrefetchOp(_Op):
    name = "nvgpu.tma.prefetch.descriptor"

    tensor_map_descriptor = operand_def()
    predicate = opt_operand_def(i1)

    assembly_format = (
        "$tensor_map_descriptor (`,` `predicate` `=` $predicate^)? attr-dict `:` "
        "custom<TensorMap>(type($tensor_map_descriptor))"
    )


@irdl_op_definition
class TmaAsyncLoadOp(_Op):
    name = "nvgpu.tma.async.load"

    dst = operand_def()
    barriers = operand_def()
    tensor_map_descriptor = operand_def()
    coordinates = var_operand_def(IndexType)
    mbar_id = operand_def(IndexType)
    multicast_mask = opt_operand_def(i16)
    predicate = opt_operand_def(i1)

    irdl_options = (AttrSizedOperandSegments(as_property=True), ParsePropInAttrDict())
    assembly_format = (
        "$tensor_map_descriptor `[` $coordinates `]` `,` $barriers `[` $mbar_id `]` `to` $dst "
        "(`multicast_mask` `=` $multicast_mask^)? (`,` `predicate` `=` $predicate^)? attr-dict `:` "
        "custom<TensorMap>(type($tensor_map_descriptor)) `,` custom<Barriers>(type($barriers)) `->` "
        "type($dst)"
    )


@irdl_op_definition
class TmaAsyncStoreOp(_Op):
    name = "nvgpu.tma.async.store"

    src = operand_def()
    tensor_map_descriptor = operand_def()
    coordinates = var_operand_def(IndexType)
    predicate = opt_operand_def(i1)

    irdl_options = (AttrSizedOperandSegments(as_property=True), ParsePropInAttrDict())
    assembly_format = (
        "$src `to` $tensor_map_descriptor `[` $coordinates `]` (`,` `predicate` `=` $predicate^)? "
        "attr-dict `:` type($src) `->` custom<TensorMap>(type($tensor_map_descriptor))"
    )


@irdl_op_definition
class TmaCreateDescriptorOp(_Op):
    name = "nvgpu.tma.create.descriptor"

    tensor = operand_def()
    box_dimensions = var_operand_def(IndexType)
    tensor_map = result_def()

    assembly_format = (
        "$tensor `box` `[` $box_dimensions `]` attr-dict `:` type($tensor) `->` "
        "custom<TensorMap>(type($tensor_map))"
    )


@irdl_op_definition
class WarpgroupGenerateDescriptorOp(_Op):
    name = "nvgpu.warpgroup.generate.descriptor"

    tensor = operand_def()
    tensor_map = operand_def()
    descriptor = result_def()

    assembly_format = (
        "$tensor `,` $tensor_map attr-dict `:` type($tensor) `,` custom<TensorMap>(type($tensor_map)) "
        "`->` custom<Descriptor>(type($descriptor))"
    )


@irdl_op_definition
class WarpgroupMmaOp(_Op):
    name = "nvgpu.warpgroup.mma"

    descriptor_a = operand_def()
    descriptor_b = operand_def()
    matrix_c = operand_def()
    wait_group = opt_prop_def(IntegerAttr, prop_name="waitGroup")
    transpose_a = opt_prop_def(UnitAttr, prop_name="transposeA")
    transpose_b = opt_prop_def(UnitAttr, prop_name="transposeB")
    matrix_d = result_def()

    assembly_format = (
        "$descriptor_a `,` $descriptor_b `,` $matrix_c attr-dict `:` "
        "custom<Descriptor>(type($descriptor_a)) `,` custom<Descriptor>(type($descriptor_b)) `,` "
        "custom<Accumulator>(type($matrix_c)) `->` custom<Accumulator>(type($matrix_d))"
    )


@irdl_op_definition
class WarpgroupMmaStoreOp(_Op):
    name = "nvgpu.warpgroup.mma.store"

    matrix_d = operand_def()
    dst_memref = operand_def()

    assembly_format = (
        "$matrix_d `,` $dst_memref attr-dict `:` custom<Accumulator>(type($matrix_d)) `to` type($dst_memref)"
    )


@irdl_op_definition
class WarpgroupMmaInitAccumulatorOp(_Op):
    name = "nvgpu.warpgroup.mma.init.accumulator"

    matrix_c = result_def()

    assembly_format = "attr-dict `->` custom<Accumulator>(type($matrix_c))"


@irdl_op_definition
class RcpOp(_Op):
    """`%v {rounding = approx, ftz} : vector<4xf32>`."""

    name = "nvgpu.rcp"

    T: ClassVar = VarConstraint("T", AnyAttr())

    in_ = operand_def(T)
    rounding = prop_def(RcpRoundingModeAttr)
    ftz = opt_prop_def(UnitAttr)
    out = result_def(T)

    traits = traits_def(Pure())
    assembly_format = "$in_ `{` `rounding` `=` $rounding (`,` `ftz` $ftz^)? `}` attr-dict `:` type($out)"
