"""The nvvm dialect, as far as kernels contain it in practice.

The wmma ops are in `nvvm_wmma.py`. What is missing (mma.sync, bulk copies) parses as an opaque op, or in its
generic form without loss.
"""

from __future__ import annotations

from typing import ClassVar, cast

from xdsl.dialects.builtin import (
    I1,
    I32,
    BoolAttr,
    DenseArrayBase,
    DictionaryAttr,
    IntegerAttr,
    IntegerType,
    UnitAttr,
    i32,
)
from xdsl.dialects.utils import EnumAttribute
from xdsl.ir import Attribute, SpacedOpaqueSyntaxAttribute, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    ParsePropInAttrDict,
    irdl_attr_definition,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.str_enum import StrEnum

from gpuasync_lsp.syntax.dialects.assembly import (
    Attributes,
    i32_array,
    named,
    parse_attributes,
    print_attributes,
)
from gpuasync_lsp.syntax.dialects.gpu_target import SpecialRegisterOp, TargetAttr, special_registers

FALSE = BoolAttr.from_bool(False)

# Attributes


@irdl_attr_definition
class NVVMTargetAttr(TargetAttr):
    """`#nvvm.target<O = 3, chip = "sm_90", features = "+ptx80">`."""

    name = "nvvm.target"

    options: DictionaryAttr

    DEFAULTS: ClassVar = {
        "triple": ((16, "nvptx64-nvidia-cuda"),),
        "chip": ((23, "sm_75"), (16, "sm_50")),
        "features": ((22, ""), (16, "+ptx60")),
    }
    """Measured in 18 to 24."""


class ShflKind(StrEnum):
    BFLY = "bfly"
    UP = "up"
    DOWN = "down"
    IDX = "idx"


class VoteSyncKind(StrEnum):
    ANY = "any"
    ALL = "all"
    BALLOT = "ballot"
    UNI = "uni"


class ReduxKind(StrEnum):
    ADD = "add"
    AND = "and"
    MAX = "max"
    MIN = "min"
    OR = "or"
    UMAX = "umax"
    UMIN = "umin"
    XOR = "xor"
    FMIN = "fmin"
    FMAX = "fmax"


class LoadCacheModifier(StrEnum):
    CA = "ca"
    CG = "cg"
    CS = "cs"
    LU = "lu"
    CV = "cv"


@irdl_attr_definition
class ShflKindAttr(EnumAttribute[ShflKind], SpacedOpaqueSyntaxAttribute):
    name = "nvvm.shfl_kind"


@irdl_attr_definition
class VoteSyncKindAttr(EnumAttribute[VoteSyncKind], SpacedOpaqueSyntaxAttribute):
    name = "nvvm.vote_sync_kind"


@irdl_attr_definition
class ReduxKindAttr(EnumAttribute[ReduxKind], SpacedOpaqueSyntaxAttribute):
    name = "nvvm.redux_kind"


@irdl_attr_definition
class LoadCacheModifierAttr(EnumAttribute[LoadCacheModifier], SpacedOpaqueSyntaxAttribute):
    name = "nvvm.load_cache_modifier"


# Barriers


class PlainOp(IRDLOperation):
    """Base of the ops that are nothing but their name."""

    assembly_format = "attr-dict"


class AlignedOp(IRDLOperation):
    """Base of the ops with nothing but an optional `{aligned}`."""

    aligned = opt_prop_def(UnitAttr)

    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "attr-dict"


@irdl_op_definition
class Barrier0Op(PlainOp):
    """`nvvm.barrier0`: all threads of the block."""

    name = "nvvm.barrier0"


@irdl_op_definition
class BarrierOp(IRDLOperation):
    """`nvvm.barrier id = %id number_of_threads = %n`; both are optional."""

    name = "nvvm.barrier"

    barrier_id = opt_operand_def(I32)
    number_of_threads = opt_operand_def(I32)
    reduction_predicate = opt_operand_def(I32)
    reduction_op = opt_prop_def(Attribute, prop_name="reductionOp")

    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    PRINTED_PROPERTIES: ClassVar = ("operandSegmentSizes",)

    @classmethod
    def parse(cls, parser: Parser) -> BarrierOp:
        operands = _parse_barrier_operands(parser)
        properties, attributes = parse_attributes(parser, cls)
        sizes = [int(each is not None) for each in operands]
        segments: Attributes = {"operandSegmentSizes": i32_array([*sizes, 0])}
        return cls.create(
            operands=[each for each in operands if each is not None],
            properties=properties | segments,
            attributes=attributes,
        )

    def __post_init__(self) -> None:
        sizes = self.properties.get("operandSegmentSizes")
        if isinstance(sizes, DenseArrayBase):
            values = [int(size) for size in cast(DenseArrayBase[IntegerType], sizes).iter_values()]
            if len(values) == 2:  # before LLVM 22: no reduction
                self.properties["operandSegmentSizes"] = i32_array([*values, 0])
        super().__post_init__()

    def print(self, printer: Printer) -> None:
        _print_barrier_operands(printer, self.barrier_id, self.number_of_threads)
        print_attributes(printer, self, self.PRINTED_PROPERTIES)


def _parse_barrier_operands(parser: Parser) -> list[SSAValue | None]:
    """Parse `(id = %a)? (number_of_threads = %b)?`; return both, None for what is absent."""
    operands: list[SSAValue | None] = []
    for keyword in ("id", "number_of_threads"):
        operand = None
        if parser.parse_optional_keyword(keyword) is not None:
            parser.parse_punctuation("=")
            operand = parser.resolve_operand(parser.parse_unresolved_operand("expected SSA operand"), i32)
        operands.append(operand)
    return operands


def _print_barrier_operands(printer: Printer, barrier: SSAValue | None, threads: SSAValue | None) -> None:
    for keyword, operand in (("id", barrier), ("number_of_threads", threads)):
        if operand is not None:
            printer.print_string(f" {keyword} = ")
            printer.print_ssa_value(operand)


ClusterArriveOp = named(AlignedOp, "nvvm.cluster.arrive")
ClusterArriveRelaxedOp = named(AlignedOp, "nvvm.cluster.arrive.relaxed")
ClusterWaitOp = named(AlignedOp, "nvvm.cluster.wait")
FenceScClusterOp = named(PlainOp, "nvvm.fence.sc.cluster")
FenceMbarrierInitOp = named(PlainOp, "nvvm.fence.mbarrier.init")
ExitOp = named(PlainOp, "nvvm.exit")
BreakpointOp = named(PlainOp, "nvvm.breakpoint")


# Within a warp


@irdl_op_definition
class ShflOp(IRDLOperation):
    """`nvvm.shfl.sync bfly %mask, %value, %offset, %clamp : f32 -> f32`."""

    name = "nvvm.shfl.sync"

    thread_mask = operand_def(I32)
    val = operand_def()
    offset = operand_def(I32)
    mask_and_clamp = operand_def(I32)
    kind = prop_def(ShflKindAttr)
    return_value_and_is_valid = opt_prop_def(UnitAttr)
    res = result_def()

    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = (
        "$kind $thread_mask `,` $val `,` $offset `,` $mask_and_clamp attr-dict `:` type($val) `->` type($res)"
    )


@irdl_op_definition
class VoteSyncOp(IRDLOperation):
    """`nvvm.vote.sync ballot %mask, %predicate -> i32`."""

    name = "nvvm.vote.sync"

    mask = operand_def(I32)
    pred = operand_def(I1)
    kind = prop_def(VoteSyncKindAttr)
    res = result_def(IntegerType)

    assembly_format = "$kind $mask `,` $pred attr-dict `->` type($res)"


@irdl_op_definition
class VoteBallotOp(IRDLOperation):
    """`nvvm.vote.ballot.sync %mask, %predicate : i32`, up to LLVM 20."""

    name = "nvvm.vote.ballot.sync"

    mask = operand_def(I32)
    pred = operand_def(I1)
    res = result_def(I32)

    assembly_format = "$mask `,` $pred attr-dict `:` type($res)"


# Copies into shared memory


@irdl_op_definition
class CpAsyncOp(IRDLOperation):
    """`nvvm.cp.async.shared.global %dst, %src, 16, cache = ca : !llvm.ptr<3>, !llvm.ptr<1>`."""

    name = "nvvm.cp.async.shared.global"

    dst = operand_def()
    src = operand_def()
    cp_size = opt_operand_def(I32)
    size = prop_def(IntegerAttr[I32])
    modifier = prop_def(LoadCacheModifierAttr)

    assembly_format = (
        "$dst `,` $src `,` $size `,` `cache` `=` $modifier (`,` $cp_size^)? attr-dict "
        "`:` type($dst) `,` type($src) (`,` type($cp_size)^)?"
    )


CpAsyncCommitGroupOp = named(PlainOp, "nvvm.cp.async.commit.group")


@irdl_op_definition
class CpAsyncWaitGroupOp(IRDLOperation):
    name = "nvvm.cp.async.wait.group"

    n = prop_def(IntegerAttr[I32])

    assembly_format = "$n attr-dict"


@irdl_op_definition
class MBarrierInitOp(IRDLOperation):
    """`nvvm.mbarrier.init %barrier, %count : !llvm.ptr<3>, i32`."""

    name = "nvvm.mbarrier.init"

    addr = operand_def()
    count = operand_def(I32)

    assembly_format = "$addr `,` $count attr-dict `:` type($addr) `,` type($count)"


# Special registers

_XYZ = (
    "tid",
    "ntid",
    "ctaid",
    "nctaid",
    "clusterid",
    "nclusterid",
    "cluster.ctaid",
    "cluster.nctaid",
)
_SINGLE = (
    "aggr.smem.size",
    "cluster.ctarank",
    "cluster.nctarank",
    "dynamic.smem.size",
    "gridid",
    "laneid",
    "lanemask.eq",
    "lanemask.ge",
    "lanemask.gt",
    "lanemask.le",
    "lanemask.lt",
    "nsmid",
    "nwarpid",
    "smid",
    "total.smem.size",
    "warpid",
    "warpsize",
)

REGISTERS = special_registers(
    f"nvvm.read.ptx.sreg.{register}"
    for register in (
        *(f"{base}.{dimension}" for base in _XYZ for dimension in "xyz"),
        *_SINGLE,
        *(f"envreg{number}" for number in range(32)),
    )
)
CLOCKS = special_registers(
    (f"nvvm.read.ptx.sreg.{register}" for register in ("clock", "clock64", "globaltimer", "globaltimer.lo")),
    SpecialRegisterOp,
)
