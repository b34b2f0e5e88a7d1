"""The wmma ops of the nvvm dialect: matrices whose elements are spread over the registers of a warp."""

from __future__ import annotations

from xdsl.dialects.builtin import I32, IntegerAttr
from xdsl.dialects.utils import EnumAttribute
from xdsl.irdl import (
    IRDLOperation,
    ParsePropInAttrDict,
    irdl_attr_definition,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    var_operand_def,
)
from xdsl.utils.str_enum import StrEnum

from gpuasync_lsp.syntax.dialects.gpu.attributes import BracketedEnum


class MMAType(StrEnum):
    F16 = "f16"
    F32 = "f32"
    TF32 = "tf32"
    BF16 = "bf16"
    S8 = "s8"
    U8 = "u8"
    S32 = "s32"
    S4 = "s4"
    U4 = "u4"
    B1 = "b1"
    F64 = "f64"


class MMAFrag(StrEnum):
    A = "a"
    B = "b"
    C = "c"


class MMALayout(StrEnum):
    ROW = "row"
    COL = "col"


@irdl_attr_definition
class MMATypeAttr(BracketedEnum[MMAType], EnumAttribute[MMAType]):
    """`#nvvm.mma_type<f16>`."""

    name = "nvvm.mma_type"


@irdl_attr_definition
class MMAFragAttr(BracketedEnum[MMAFrag], EnumAttribute[MMAFrag]):
    """`#nvvm.mma_frag<a>`."""

    name = "nvvm.mma_frag"


@irdl_attr_definition
class MMALayoutAttr(BracketedEnum[MMALayout], EnumAttribute[MMALayout]):
    """`#nvvm.mma_layout<row>`."""

    name = "nvvm.mma_layout"


class WMMAOp(IRDLOperation):
    """What the wmma ops have in common: the shape, m by n by k."""

    m = prop_def(IntegerAttr[I32])
    n = prop_def(IntegerAttr[I32])
    k = prop_def(IntegerAttr[I32])


@irdl_op_definition
class WMMALoadOp(WMMAOp):
    """`nvvm.wmma.load %ptr, %stride {...} : (!llvm.ptr) -> !llvm.struct<...>`."""

    name = "nvvm.wmma.load"

    ptr = operand_def()
    stride = operand_def(I32)
    layout = prop_def(MMALayoutAttr)
    eltype = prop_def(MMATypeAttr)
    frag = prop_def(MMAFragAttr)
    res = result_def()

    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$ptr `,` $stride attr-dict `:` functional-type($ptr, $res)"


@irdl_op_definition
class WMMAMmaOp(WMMAOp):
    """`nvvm.wmma.mma %a0, ..., %b0, ..., %c0, ... {...} : (...) -> !llvm.struct<...>`."""

    name = "nvvm.wmma.mma"

    args = var_operand_def()
    layout_a = prop_def(MMALayoutAttr, prop_name="layoutA")
    layout_b = prop_def(MMALayoutAttr, prop_name="layoutB")
    eltype_a = prop_def(MMATypeAttr, prop_name="eltypeA")
    eltype_b = prop_def(MMATypeAttr, prop_name="eltypeB")
    """The element type of C and D, whatever the name says."""

    res = result_def()

    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$args attr-dict `:` functional-type($args, $res)"


@irdl_op_definition
class WMMAStoreOp(WMMAOp):
    """`nvvm.wmma.store %ptr, %stride, %d0, ... {...} : !llvm.ptr, f32, ...`."""

    name = "nvvm.wmma.store"

    ptr = operand_def()
    args = var_operand_def()
    stride = operand_def(I32)
    layout = prop_def(MMALayoutAttr)
    eltype = prop_def(MMATypeAttr)

    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$ptr `,` $stride `,` $args attr-dict `:` type($ptr) `,` type($args)"
