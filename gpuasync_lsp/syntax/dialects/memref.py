"""MLIR's `memref` dialect, with xDSL's class and field names; frequent ops have handwritten parsers."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import (
    AnyFloat,
    BoolAttr,
    DenseArrayBase,
    IntegerType,
    SymbolRefAttr,
)
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    SameVariadicResultSize,
    irdl_op_definition,
    opt_prop_def,
    opt_result_def,
    prop_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.traits import SymbolOpInterface

from gpuasync_lsp.syntax.dialects.assembly import (
    INDEX,
    as_memref,
    parse_operand_names,
    parse_types,
    print_attributes,
)
from gpuasync_lsp.syntax.kinds import number_of
from gpuasync_lsp.syntax.ods.by_table import TableOp, table_op_definition
from gpuasync_lsp.syntax.ods.custom.affine import atomic_kinds
from gpuasync_lsp.syntax.ods.parts import Parts

ATOMIC_KINDS = atomic_kinds()
_FLOAT_KINDS = frozenset({"addf", "maximumf", "minimumf", "mulf"})
_INTEGER_KINDS = frozenset({"addi", "andi", "maxs", "maxu", "mins", "minu", "muli", "ori", "xori"})
_NO = BoolAttr.from_bool(False)


@table_op_definition
class LoadOp(TableOp):
    """`memref.load %m[%i, %j] : memref<4x4xf32>`."""

    name = "memref.load"

    nontemporal = opt_prop_def(BoolAttr, _NO)


@table_op_definition
class StoreOp(TableOp):
    """`memref.store %v, %m[%i, %j] : memref<4x4xf32>`."""

    name = "memref.store"

    nontemporal = opt_prop_def(BoolAttr, _NO)


@table_op_definition
class AllocOp(TableOp):
    """`memref.alloc(%size)[%symbol] {alignment = 64 : i64} : memref<?xf32>`."""

    name = "memref.alloc"


@table_op_definition
class AllocaOp(TableOp):
    name = "memref.alloca"


@table_op_definition
class DeallocOp(TableOp):
    name = "memref.dealloc"


@table_op_definition
class ReallocOp(TableOp):
    """`memref.realloc %m(%size) {alignment = 8} : memref<?xf32> to memref<?xf32>`."""

    name = "memref.realloc"


@table_op_definition
class AllocaScopeOp(TableOp):
    """`memref.alloca_scope -> (f32) {...}`."""

    name = "memref.alloca_scope"


@table_op_definition
class AllocaScopeReturnOp(TableOp):
    name = "memref.alloca_scope.return"


@table_op_definition
class AssumeAlignmentOp(TableOp):
    """`%r = memref.assume_alignment %m, 16 : memref<4xf32>`; without a result through LLVM 20."""

    name = "memref.assume_alignment"

    result = opt_result_def()

    @property
    def is_printable(self) -> bool:
        """Whether the op can be printed in custom assembly; always true for an op without a result."""
        return super().is_printable or not self.results


@table_op_definition
class DistinctObjectsOp(TableOp):
    """`%a, %b = memref.distinct_objects %x, %y : memref<4xf32>, memref<8xf32>`; since LLVM 22."""

    name = "memref.distinct_objects"

    @classmethod
    def complete(cls, parser: Parser, parts: Parts) -> None:
        parts.all_result_types = parts.types["operands"]


@table_op_definition
class AtomicRMWOp(TableOp):
    """`memref.atomic_rmw addf %v, %m[%i] : (f32, memref<4xf32>) -> f32`."""

    name = "memref.atomic_rmw"

    @classmethod
    def complete(cls, parser: Parser, parts: Parts) -> None:
        # Not checked in the verifier: the generic form has only the kind's number, which differs per release.
        kind, given = (
            ATOMIC_KINDS[number_of(parts.properties["kind"])],
            parts.types["value"][0],
        )
        wanted = (
            "an integer"
            if kind in _INTEGER_KINDS and isinstance(given, AnyFloat)
            else "a floating-point"
            if kind in _FLOAT_KINDS and isinstance(given, IntegerType)
            else ""
        )
        if wanted:
            words = f"'{cls.name}' op with kind '{kind}' expects {wanted} type"
            parser.raise_error(words, parts.start, parts.start)


@table_op_definition
class GenericAtomicRMWOp(TableOp):
    """`memref.generic_atomic_rmw %m[%i] : memref<4xf32> { ^bb0(%current: f32): ... }`."""

    name = "memref.generic_atomic_rmw"


@table_op_definition
class AtomicYieldOp(TableOp):
    name = "memref.atomic_yield"


@table_op_definition
class GetGlobalOp(TableOp):
    """`memref.get_global @x : memref<4xf32>`."""

    name = "memref.get_global"

    name_ = prop_def(SymbolRefAttr, prop_name="name")


@table_op_definition
class GlobalOp(TableOp):
    """`memref.global "private" constant @x : memref<2xf32> = dense<1.0> {alignment = 64 : i64}`."""

    name = "memref.global"

    initial_value = opt_prop_def()
    """The initial value; a unit attribute means `uninitialized`, None means a declaration."""

    traits = traits_def(SymbolOpInterface())


@table_op_definition
class CopyOp(TableOp):
    name = "memref.copy"


@table_op_definition
class CastOp(TableOp):
    name = "memref.cast"


@table_op_definition
class MemorySpaceCastOp(TableOp):
    name = "memref.memory_space_cast"


@table_op_definition
class DimOp(TableOp):
    """`memref.dim %m, %i : memref<?xf32>`."""

    name = "memref.dim"


@table_op_definition
class RankOp(TableOp):
    name = "memref.rank"


@irdl_op_definition
class DmaStartOp(IRDLOperation):
    """`memref.dma_start %a[%i], %b[%j], %n, %tag[%k], %stride, %count : memref<..>, ...`."""

    name = "memref.dma_start"

    operands_ = var_operand_def()

    @classmethod
    def parse(cls, parser: Parser) -> DmaStartOp:
        source, source_indices = parser.parse_unresolved_operand(), _parse_indices(parser)
        parser.parse_punctuation(",")
        target, target_indices = parser.parse_unresolved_operand(), _parse_indices(parser)
        parser.parse_punctuation(",")
        count = parser.parse_unresolved_operand()
        parser.parse_punctuation(",")
        tag, tag_indices = parser.parse_unresolved_operand(), _parse_indices(parser)
        strides: list[UnresolvedOperand] = []
        while parser.parse_optional_punctuation(",") is not None:
            strides.append(parser.parse_unresolved_operand())
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        types = parse_types(parser, 3)
        return cls.create(
            operands=[
                parser.resolve_operand(source, types[0]),
                *_resolve_indices(parser, source_indices),
                parser.resolve_operand(target, types[1]),
                *_resolve_indices(parser, target_indices),
                parser.resolve_operand(count, INDEX),
                parser.resolve_operand(tag, types[2]),
                *_resolve_indices(parser, tag_indices),
                *_resolve_indices(parser, strides),
            ],
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        rest = list(self.operands)
        types: list[Attribute] = []
        printer.print_string(" ")
        for part in range(3):
            if part == 2:
                printer.print_ssa_value(rest.pop(0))
                printer.print_string(", ")
            memref = rest.pop(0)
            types.append(memref.type)
            type = as_memref(memref.type)
            rank = 0 if type is None else type.get_num_dims()
            _print_access(printer, memref, rest[:rank])
            del rest[:rank]
            if part < 2 or rest:
                printer.print_string(", ")
        printer.print_list(rest, printer.print_ssa_value)
        print_attributes(printer, self)
        printer.print_string(" : ")
        printer.print_list(types, printer.print_attribute)


@table_op_definition
class PrefetchOp(TableOp):
    """`memref.prefetch %m[%i], read, locality<3>, data : memref<4xf32>`."""

    name = "memref.prefetch"


@table_op_definition
class CollapseShapeOp(TableOp):
    """`memref.collapse_shape %m [[0, 1], [2]] : memref<..> into memref<..>`."""

    name = "memref.collapse_shape"


@table_op_definition
class ExpandShapeOp(TableOp):
    """`memref.expand_shape %m [[0, 1], [2]] output_shape [2, %n, 4] : memref<..> into memref<..>`.

    `output_shape` is required since LLVM 19.
    """

    name = "memref.expand_shape"

    static_output_shape = opt_prop_def(DenseArrayBase)

    @property
    def is_printable(self) -> bool:
        """Whether the op can be printed in custom assembly, which may omit the output shape."""
        return super().is_printable or self.static_output_shape is None


@table_op_definition
class ExtractStridedMetaDataOp(TableOp):
    """`%b, %o, %s:2, %t:2 = memref.extract_strided_metadata %m : memref<..> -> memref<f32>, index, ...`."""

    name = "memref.extract_strided_metadata"

    irdl_options = (SameVariadicResultSize(),)


@table_op_definition
class ExtractAlignedPointerAsIndexOp(TableOp):
    name = "memref.extract_aligned_pointer_as_index"


@table_op_definition
class SubviewOp(TableOp):
    """`memref.subview %m[%i] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1], offset: ?>>`."""

    name = "memref.subview"


@table_op_definition
class ReinterpretCastOp(TableOp):
    """`memref.reinterpret_cast %m to offset: [0], sizes: [4], strides: [1] : memref<*xf32> to ...`."""

    name = "memref.reinterpret_cast"


@table_op_definition
class ReshapeOp(TableOp):
    """`memref.reshape %m(%shape) : (memref<*xf32>, memref<2xindex>) -> memref<?x?xf32>`."""

    name = "memref.reshape"


@table_op_definition
class TransposeOp(TableOp):
    """`memref.transpose %m (i, j) -> (j, i) : memref<..> to memref<..>`."""

    name = "memref.transpose"


@table_op_definition
class ViewOp(TableOp):
    """`memref.view %m[%offset][%size] : memref<2048xi8> to memref<?x4xf32>`."""

    name = "memref.view"


def _parse_indices(parser: Parser) -> list[UnresolvedOperand]:
    with parser.in_square_brackets():
        return parse_operand_names(parser)


def _resolve_indices(parser: Parser, names: Sequence[UnresolvedOperand]) -> list[SSAValue]:
    return [parser.resolve_operand(name, INDEX) for name in names]


def _print_access(printer: Printer, memref: SSAValue, indices: Sequence[SSAValue]) -> None:
    printer.print_ssa_value(memref)
    with printer.in_square_brackets():
        printer.print_list(indices, printer.print_ssa_value)
