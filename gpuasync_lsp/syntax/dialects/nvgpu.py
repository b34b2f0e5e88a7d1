"""MLIR's `nvgpu` dialect: what NVIDIA's hardware does with memrefs and vectors."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

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
)
from xdsl.dialects.utils import EnumAttribute
from xdsl.ir import (
    Attribute,
    Operation,
    ParametrizedAttribute,
    SpacedOpaqueSyntaxAttribute,
    TypeAttribute,
)
from xdsl.irdl import (
    AttrSizedOperandSegments,
    irdl_attr_definition,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    var_operand_def,
)
from xdsl.parser import AttrParser, Parser
from xdsl.printer import Printer
from xdsl.utils.str_enum import StrEnum

from gpuasync_lsp.syntax.ods.by_table import ByTable, PureByTable
from gpuasync_lsp.syntax.printer import attribute_text

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


@irdl_op_definition
class LdMatrixOp(ByTable):
    name = "nvgpu.ldmatrix"

    src_memref = operand_def()
    indices = var_operand_def()
    transpose = prop_def(BoolAttr)
    num_tiles = prop_def(IntegerAttr[I32], prop_name="numTiles")
    res = result_def()


@irdl_op_definition
class MmaSyncOp(PureByTable):
    """`(%a, %b, %c) {mmaShape = [16, 8, 16]} : (A, B, C) -> C`."""

    name = "nvgpu.mma.sync"

    matrix_a = operand_def()
    matrix_b = operand_def()
    matrix_c = operand_def()
    mma_shape = prop_def(ArrayAttr, prop_name="mmaShape")
    tf32_enabled = opt_prop_def(UnitAttr, prop_name="tf32Enabled")
    res = result_def()


@irdl_op_definition
class DeviceAsyncCopyOp(ByTable):
    name = "nvgpu.device_async_copy"

    dst = operand_def()
    dst_indices = var_operand_def()
    src = operand_def()
    src_indices = var_operand_def()
    dst_elements = prop_def(IntegerAttr[IndexType], prop_name="dstElements")
    src_elements = opt_operand_def()
    bypass_l1 = opt_prop_def(UnitAttr, prop_name="bypassL1")
    async_token = result_def()

    irdl_options = (AttrSizedOperandSegments(as_property=True),)


@irdl_op_definition
class DeviceAsyncCreateGroupOp(ByTable):
    name = "nvgpu.device_async_create_group"

    input_tokens = var_operand_def()
    async_token = result_def()


@irdl_op_definition
class DeviceAsyncWaitOp(ByTable):
    name = "nvgpu.device_async_wait"

    async_dependencies = operand_def()
    num_groups = opt_prop_def(IntegerAttr[I32], prop_name="numGroups")


@irdl_op_definition
class MBarrierCreateOp(ByTable):
    name = "nvgpu.mbarrier.create"

    barriers = result_def()


@irdl_op_definition
class MBarrierGetOp(ByTable):
    name = "nvgpu.mbarrier.get"

    barriers = operand_def()
    mbar_id = operand_def()
    mbarrier_pointer = result_def()


@irdl_op_definition
class MBarrierInitOp(ByTable):
    name = "nvgpu.mbarrier.init"

    barriers = operand_def()
    count = operand_def()
    mbar_id = operand_def()
    predicate = opt_operand_def()


@irdl_op_definition
class MBarrierTestWaitOp(ByTable):
    name = "nvgpu.mbarrier.test.wait"

    barriers = operand_def()
    token = operand_def()
    mbar_id = operand_def()
    wait_complete = result_def()


@irdl_op_definition
class MBarrierArriveOp(ByTable):
    name = "nvgpu.mbarrier.arrive"

    barriers = operand_def()
    mbar_id = operand_def()
    token = result_def()


@irdl_op_definition
class MBarrierArriveNoCompleteOp(ByTable):
    name = "nvgpu.mbarrier.arrive.nocomplete"

    barriers = operand_def()
    mbar_id = operand_def()
    count = operand_def()
    token = result_def()


@irdl_op_definition
class MBarrierArriveExpectTxOp(ByTable):
    name = "nvgpu.mbarrier.arrive.expect_tx"

    barriers = operand_def()
    txcount = operand_def()
    mbar_id = operand_def()
    predicate = opt_operand_def()


@irdl_op_definition
class MBarrierTryWaitParityOp(ByTable):
    name = "nvgpu.mbarrier.try_wait.parity"

    barriers = operand_def()
    phase_parity = operand_def()
    ticks = operand_def()
    mbar_id = operand_def()


@irdl_op_definition
class TmaFenceOp(ByTable):
    name = "nvgpu.tma.fence.descriptor"

    tensor_map_descriptor = operand_def()


@irdl_op_definition
class TmaPrefetchOp(ByTable):
    name = "nvgpu.tma.prefetch.descriptor"

    tensor_map_descriptor = operand_def()
    predicate = opt_operand_def()


@irdl_op_definition
class TmaAsyncLoadOp(ByTable):
    name = "nvgpu.tma.async.load"

    dst = operand_def()
    barriers = operand_def()
    tensor_map_descriptor = operand_def()
    coordinates = var_operand_def()
    mbar_id = operand_def()
    multicast_mask = opt_operand_def()
    predicate = opt_operand_def()

    irdl_options = (AttrSizedOperandSegments(as_property=True),)


@irdl_op_definition
class TmaAsyncStoreOp(ByTable):
    name = "nvgpu.tma.async.store"

    src = operand_def()
    tensor_map_descriptor = operand_def()
    coordinates = var_operand_def()
    predicate = opt_operand_def()

    irdl_options = (AttrSizedOperandSegments(as_property=True),)


@irdl_op_definition
class TmaCreateDescriptorOp(ByTable):
    name = "nvgpu.tma.create.descriptor"

    tensor = operand_def()
    box_dimensions = var_operand_def()
    tensor_map = result_def()


@irdl_op_definition
class WarpgroupGenerateDescriptorOp(ByTable):
    name = "nvgpu.warpgroup.generate.descriptor"

    tensor = operand_def()
    tensor_map = operand_def()
    descriptor = result_def()


@irdl_op_definition
class RcpOp(PureByTable):
    """`%v {rounding = approx, ftz} : vector<4xf32>`; from LLVM 23 on `%v {approx = true, ftz = true} : ...`.

    Both say the same and are one op here.
    """

    name = "nvgpu.rcp"

    in_ = operand_def()
    rounding = prop_def(RcpRoundingModeAttr)
    ftz = opt_prop_def(UnitAttr)
    out = result_def()

    @classmethod
    def parse(cls, parser: Parser) -> Operation:
        start = parser.pos
        operand = parser.parse_unresolved_operand()
        at = parser.pos
        entries = dict[str, Attribute]()
        if not _NAMED_ROUNDING.match(parser.lexer.input.content, at):
            entries = parser.parse_optional_attr_dict()
        approximate = entries.pop("approx", None)
        if approximate is None:
            parser._resume_from(start)  # pyright: ignore[reportPrivateUsage]
            return super().parse(parser)
        limitation = f"'{cls.name}' op has a limitation."
        if not (approximate == entries.pop("ftz", None) == BoolAttr.from_bool(True)):
            parser.raise_error(f"{limitation} non-approx or non-ftz is not supported yet.", at)
        rounding = entries.pop("rounding", None)
        if rounding is not None and not attribute_text(rounding).endswith("<none>"):
            parser.raise_error(f"{limitation} {attribute_text(rounding)} is not supported yet.", at)
        parser.parse_punctuation(":")
        type = parser.parse_type()
        return cls.create(
            operands=[parser.resolve_operand(operand, type)],
            result_types=[type],
            properties={"rounding": RcpRoundingModeAttr(RcpRounding.APPROX), "ftz": UnitAttr()},
            attributes=entries,
        )

    def print(self, printer: Printer) -> None:
        version: int | None = getattr(printer, "llvm", None)
        if version is None or version < _BOOLEANS_SINCE or self.ftz is None:
            super().print(printer)
            return
        printer.print_string(" ")
        printer.print_ssa_value(self.in_)
        entries = {"approx": BoolAttr.from_bool(True), "ftz": BoolAttr.from_bool(True), **self.attributes}
        printer.print_op_attributes(entries)
        printer.print_string(" : ")
        printer.print_attribute(self.out.type)


_NAMED_ROUNDING = re.compile(r"\s*\{\s*rounding\s*=\s*[a-z]")
_BOOLEANS_SINCE = 23
"""The release from which on nvgpu.rcp says that it approximates, and flushes, with booleans."""

MBARRIER_OPS = (
    MBarrierInitOp,
    MBarrierArriveOp,
    MBarrierArriveNoCompleteOp,
    MBarrierArriveExpectTxOp,
    MBarrierTestWaitOp,
    MBarrierTryWaitParityOp,
)
"""What is done with one barrier of a group, `barriers` at `mbar_id`."""
