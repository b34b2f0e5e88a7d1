"""MLIR's `nvgpu` dialect: NVIDIA's hardware ops on memrefs and vectors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from xdsl.dialects.builtin import BoolAttr, DictionaryAttr, IntAttr, IntegerAttr, StringAttr
from xdsl.ir import Attribute, ParametrizedAttribute, TypeAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser, Parser
from xdsl.printer import Printer

from gpuasync_lsp.releases import profile
from gpuasync_lsp.syntax.ods.by_table import TableOp, from_table, table_op_definition
from gpuasync_lsp.syntax.ods.enumerations import case, enumeration_attr
from gpuasync_lsp.syntax.ods.operation import spelled_in
from gpuasync_lsp.syntax.ods.reading import Parts

# Types


@irdl_attr_definition
class DeviceAsyncTokenType(ParametrizedAttribute, TypeAttribute):
    """`!nvgpu.device.async.token`: copies in flight on the device; not a `!gpu.async.token`."""

    name = "nvgpu.device.async.token"


@irdl_attr_definition
class MBarrierTokenType(ParametrizedAttribute, TypeAttribute):
    name = "nvgpu.mbarrier.token"


@dataclass(frozen=True, init=False)
class _FieldsType(ParametrizedAttribute, TypeAttribute):
    """A type with named parameters: `<tensor = memref<4xf32>, swizzle = none>`."""

    fields: DictionaryAttr
    """The parameters by name: keywords as strings, numbers as IntAttr."""

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
"""The default number of barriers of `!nvgpu.mbarrier.group`."""


@irdl_attr_definition
class MBarrierGroupType(_FieldsType):
    """`!nvgpu.mbarrier.group<memorySpace = #gpu.address_space<workgroup>, num_barriers = 4>`."""

    name = "nvgpu.mbarrier.group"


@irdl_attr_definition
class MBarrierType(_FieldsType):
    """`!nvgpu.mbarrier.barrier<memorySpace = 3>`, through LLVM 17."""

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


def field(type: Attribute, name: str) -> Attribute | None:
    """Return the parameter `name` of a type of this dialect; None if it has none."""
    return type.fields.data.get(name) if isinstance(type, _FieldsType) else None


RcpRoundingModeAttr = enumeration_attr("nvgpu.rcp_rounding_mode")

# Ops

LdMatrixOp = from_table("nvgpu.ldmatrix", TableOp)
MmaSyncOp = from_table("nvgpu.mma.sync", TableOp)
MmaSparseSyncOp = from_table("nvgpu.mma.sp.sync", TableOp)
DeviceAsyncCopyOp = from_table("nvgpu.device_async_copy", TableOp)
DeviceAsyncCreateGroupOp = from_table("nvgpu.device_async_create_group", TableOp)
DeviceAsyncWaitOp = from_table("nvgpu.device_async_wait", TableOp)
MBarrierCreateOp = from_table("nvgpu.mbarrier.create", TableOp)
MBarrierGetOp = from_table("nvgpu.mbarrier.get", TableOp)
MBarrierInitOp = from_table("nvgpu.mbarrier.init", TableOp)
MBarrierTestWaitOp = from_table("nvgpu.mbarrier.test.wait", TableOp)
MBarrierArriveOp = from_table("nvgpu.mbarrier.arrive", TableOp)
MBarrierArriveNoCompleteOp = from_table("nvgpu.mbarrier.arrive.nocomplete", TableOp)
MBarrierArriveExpectTxOp = from_table("nvgpu.mbarrier.arrive.expect_tx", TableOp)
MBarrierTryWaitParityOp = from_table("nvgpu.mbarrier.try_wait.parity", TableOp)
TmaFenceOp = from_table("nvgpu.tma.fence.descriptor", TableOp)
TmaPrefetchOp = from_table("nvgpu.tma.prefetch.descriptor", TableOp)
TmaAsyncLoadOp = from_table("nvgpu.tma.async.load", TableOp)
TmaAsyncStoreOp = from_table("nvgpu.tma.async.store", TableOp)
TmaCreateDescriptorOp = from_table("nvgpu.tma.create.descriptor", TableOp)
WarpgroupGenerateDescriptorOp = from_table("nvgpu.warpgroup.generate.descriptor", TableOp)


@table_op_definition
class RcpOp(TableOp):
    """`nvgpu.rcp %v {approx = true, ftz = true} : vector<4xf32>`; through LLVM 22 `%v {rounding = approx,
    ftz} : ...`.

    Both forms have the same meaning and become the same op; LLVM 22 and older reject any other value.
    """

    name = "nvgpu.rcp"

    @classmethod
    def complete(cls, parser: Parser, parts: Parts) -> None:
        """Convert the attributes of LLVM 22 and older to the form of LLVM 23."""
        if parts.properties.get("rounding") == _APPROXIMATE and "ftz" in parts.properties:
            del parts.properties["rounding"]
            parts.properties |= {"approx": _TRUE, "ftz": _TRUE}

    def print(self, printer: Printer) -> None:
        """Print the custom assembly after the op's name, in the spelling of the printer's release."""
        version: int | None = getattr(printer, "llvm", None)
        read = spelled_in(self)
        in_words = (
            not profile(version).reciprocal_says_booleans
            if version is not None
            else read is not None and not any(profile(each).reciprocal_says_booleans for each in read)
        )
        if not in_words or self.properties.get("approx") != _TRUE:
            super().print(printer)
            return
        printer.print_string(" ")
        printer.print_ssa_value(self.in_)
        printer.print_string(" {rounding = approx, ftz}")
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.out.type)


_APPROXIMATE = case(RcpRoundingModeAttr, "approx")
_TRUE = BoolAttr.from_bool(True)

MBARRIER_OPS = (
    MBarrierInitOp,
    MBarrierArriveOp,
    MBarrierArriveNoCompleteOp,
    MBarrierArriveExpectTxOp,
    MBarrierTestWaitOp,
    MBarrierTryWaitParityOp,
)
"""Ops on one barrier of a group: the one at index `mbar_id` of the operand `barriers`."""
