"""MLIR's `memref` dialect. Classes and fields as in xDSL's; the ops of every function are parsed by hand."""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from typing import Any, cast

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    I64,
    AffineMapAttr,
    AnyFloat,
    ArrayAttr,
    BoolAttr,
    DenseArrayBase,
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    StringAttr,
    SymbolRefAttr,
    UnitAttr,
    UnrankedMemRefType,
    i32,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    SameVariadicResultSize,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    opt_result_def,
    prop_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.traits import IsTerminator, Pure, SymbolOpInterface

from gpuasync_lsp.syntax.attributes import parse_untyped_elements, print_untyped_elements, symbol_count
from gpuasync_lsp.syntax.dialects.assembly import (
    INDEX,
    UNIT,
    Attributes,
    as_memref,
    check_parent,
    ensure_terminator,
    fail,
    i64_attr,
    parse_attributes,
    parse_mixed_list,
    parse_operand_names,
    parse_types,
    print_attributes,
    print_mixed_list,
    refuse,
    resolve_mixed_list,
    same_type,
    typed,
)
from gpuasync_lsp.syntax.dialects.memref_checks import (
    check_memory_space_cast,
    check_output_shape,
    check_realloc,
    check_reassociation,
    check_reinterpret_cast,
    check_reshape,
    check_subview,
    check_transpose,
    check_view,
)
from gpuasync_lsp.syntax.ods.by_table import ByTable, PureByTable
from gpuasync_lsp.syntax.ods.reading import Parts

AnyBuffer = MemRefType | UnrankedMemRefType

ATOMIC_KINDS = (
    "addf", "addi", "andi", "assign", "maximumf", "maxnumf", "maxs", "maxu", "minimumf", "minnumf", "mins",
    "minu", "mulf", "muli", "ori", "xori",
)  # fmt: skip
OLD_ATOMIC_KINDS = {"maxf": "maximumf", "minf": "minimumf"}
"""Names up to LLVM 17."""
_FLOAT_KINDS = frozenset({"addf", "maximumf", "minimumf", "mulf"})
_INTEGER_KINDS = frozenset({"addi", "andi", "maxs", "maxu", "mins", "minu", "muli", "ori", "xori"})
_NO = BoolAttr.from_bool(False)
_DEFAULTS: Attributes = {"nontemporal": _NO}


@irdl_op_definition
class LoadOp(IRDLOperation):
    """`memref.load %m[%i, %j] : memref<4x4xf32>`."""

    name = "memref.load"

    memref = operand_def()
    indices = var_operand_def()
    nontemporal = opt_prop_def(BoolAttr, _NO)
    alignment = opt_prop_def(IntegerAttr)
    res = result_def()

    @staticmethod
    def get(ref: SSAValue | Operation, indices: Sequence[SSAValue | Operation]) -> LoadOp:
        """Build a load of one element."""
        element = cast(MemRefType[Attribute], SSAValue.get(ref).type).element_type
        return LoadOp(operands=[ref, indices], result_types=[element])

    @classmethod
    def parse(cls, parser: Parser) -> LoadOp:
        name = parser.parse_unresolved_operand()
        indices = _parse_indices(parser)
        properties, attributes = parse_attributes(parser, cls)
        parser.parse_punctuation(":")
        type = _parse_memref_type(parser, cls.name)
        return cls.create(
            operands=[parser.resolve_operand(name, type), *_resolve_indices(parser, indices)],
            result_types=[type.element_type],
            properties=properties,
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        _print_access(printer, self.memref, self.indices)
        print_attributes(printer, self, (), _DEFAULTS)
        printer.print_string(" : ")
        printer.print_attribute(self.memref.type)

    def verify_(self) -> None:
        type = as_memref(self.memref.type)
        if type is not None and len(self.indices) != type.get_num_dims():
            rank = type.get_num_dims()
            fail(self, f"incorrect number of indices for load, expected {rank} but got {len(self.indices)}")


@irdl_op_definition
class StoreOp(IRDLOperation):
    """`memref.store %v, %m[%i, %j] : memref<4x4xf32>`."""

    name = "memref.store"

    value = operand_def()
    memref = operand_def()
    indices = var_operand_def()
    nontemporal = opt_prop_def(BoolAttr, _NO)
    alignment = opt_prop_def(IntegerAttr)

    @staticmethod
    def get(
        value: SSAValue | Operation, ref: SSAValue | Operation, indices: Sequence[SSAValue | Operation]
    ) -> StoreOp:
        """Build a store of one element."""
        return StoreOp(operands=[value, ref, indices])

    @classmethod
    def parse(cls, parser: Parser) -> StoreOp:
        value = parser.parse_unresolved_operand()
        parser.parse_punctuation(",")
        name = parser.parse_unresolved_operand()
        indices = _parse_indices(parser)
        properties, attributes = parse_attributes(parser, cls)
        parser.parse_punctuation(":")
        type = _parse_memref_type(parser, cls.name)
        return cls.create(
            operands=[
                parser.resolve_operand(value, type.element_type),
                parser.resolve_operand(name, type),
                *_resolve_indices(parser, indices),
            ],
            properties=properties,
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.value)
        printer.print_string(", ")
        _print_access(printer, self.memref, self.indices)
        print_attributes(printer, self, (), _DEFAULTS)
        printer.print_string(" : ")
        printer.print_attribute(self.memref.type)

    def verify_(self) -> None:
        type = as_memref(self.memref.type)
        if type is not None and len(self.indices) != type.get_num_dims():
            fail(self, "store index operand count not equal to memref rank")


class _AllocationOp(IRDLOperation, ABC):
    """`(%size)[%symbol] {alignment = 64 : i64} : memref<?xf32>`."""

    dynamic_sizes = var_operand_def()
    symbol_operands = var_operand_def()
    alignment = opt_prop_def(IntegerAttr)
    memref = result_def()

    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    @classmethod
    def get(
        cls,
        type: MemRefType[Any],
        dynamic_sizes: Sequence[SSAValue | Operation] = (),
        symbol_operands: Sequence[SSAValue | Operation] = (),
        alignment: int | None = None,
    ) -> _AllocationOp:
        """Build an allocation of `type`."""
        return cls(
            operands=[dynamic_sizes, symbol_operands],
            result_types=[type],
            properties={"alignment": None if alignment is None else i64_attr(alignment)},
        )

    @classmethod
    def parse(cls, parser: Parser) -> _AllocationOp:
        with parser.in_parens():
            sizes = parse_operand_names(parser)
        symbols: list[UnresolvedOperand] = []
        if parser.parse_optional_punctuation("[") is not None:
            symbols = parse_operand_names(parser)
            parser.parse_punctuation("]")
        properties, attributes = parse_attributes(parser, cls)
        parser.parse_punctuation(":")
        type = _parse_memref_type(parser, cls.name)
        return cls(
            operands=[_resolve_indices(parser, sizes), _resolve_indices(parser, symbols)],
            result_types=[type],
            properties=properties,
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        with printer.in_parens():
            printer.print_list(self.dynamic_sizes, printer.print_ssa_value)
        if self.symbol_operands:
            with printer.in_square_brackets():
                printer.print_list(self.symbol_operands, printer.print_ssa_value)
        print_attributes(printer, self, ("operandSegmentSizes",))
        printer.print_string(" : ")
        printer.print_attribute(self.memref.type)

    def verify_(self) -> None:
        type = as_memref(self.memref.type)
        if type is None:
            return
        dynamic = type.get_shape().count(DYNAMIC_INDEX)
        if len(self.dynamic_sizes) != dynamic:
            fail(
                self,
                f"incorrect number of dynamic sizes, has {len(self.dynamic_sizes)}, expected {dynamic}",
            )
        symbols = symbol_count(type.layout)
        if symbols is not None and len(self.symbol_operands) != symbols:
            fail(
                self,
                "symbol operand count does not equal memref symbol count: expected "
                f"{symbols}, got {len(self.symbol_operands)}",
            )


@irdl_op_definition
class AllocOp(_AllocationOp):
    name = "memref.alloc"


@irdl_op_definition
class AllocaOp(_AllocationOp):
    name = "memref.alloca"


@irdl_op_definition
class DeallocOp(IRDLOperation):
    name = "memref.dealloc"

    memref = operand_def(AnyBuffer)

    assembly_format = "$memref attr-dict `:` type($memref)"

    @staticmethod
    def get(operand: SSAValue | Operation) -> DeallocOp:
        """Build the release of a buffer."""
        return DeallocOp(operands=[operand])


@irdl_op_definition
class ReallocOp(ByTable):
    """`memref.realloc %m(%size) {alignment = 8} : memref<?xf32> to memref<?xf32>`."""

    name = "memref.realloc"

    source = operand_def()
    dynamic_result_size = opt_operand_def()
    alignment = opt_prop_def(IntegerAttr)
    result = result_def()

    def verify_(self) -> None:
        check_realloc(self, self.source.type, self.result.type, self.dynamic_result_size is not None)


@irdl_op_definition
class AllocaScopeOp(IRDLOperation):
    """`memref.alloca_scope -> (f32) {...}`."""

    name = "memref.alloca_scope"

    res = var_result_def()
    scope = region_def()

    @classmethod
    def parse(cls, parser: Parser) -> AllocaScopeOp:
        types: Sequence[Attribute] = ()
        if parser.parse_optional_punctuation("->") is not None:
            types = parser.parse_optional_comma_separated_list(
                parser.Delimiter.PAREN, parser.parse_type
            ) or parse_types(parser, 1)
        region = parser.parse_region()
        ensure_terminator(region, AllocaScopeReturnOp)
        return cls.create(result_types=types, regions=[region], attributes=parser.parse_optional_attr_dict())

    def print(self, printer: Printer) -> None:
        printer.print_string("  ")
        if self.res:
            printer.print_string("-> (")
            printer.print_list(self.result_types, printer.print_attribute)
            printer.print_string(") ")
        printer.print_region(self.scope, False, False, bool(self.res))
        print_attributes(printer, self)


@irdl_op_definition
class AllocaScopeReturnOp(IRDLOperation):
    name = "memref.alloca_scope.return"

    ops = var_operand_def()

    traits = traits_def(IsTerminator())

    assembly_format = "attr-dict ($ops^ `:` type($ops))?"

    def verify_(self) -> None:
        check_parent(self, AllocaScopeOp.name)


@irdl_op_definition
class AssumeAlignmentOp(IRDLOperation):
    """`%r = memref.assume_alignment %m, 16 : memref<4xf32>`; without a result up to LLVM 20."""

    name = "memref.assume_alignment"

    memref = operand_def()
    alignment = prop_def(IntegerAttr)
    result = opt_result_def()

    @classmethod
    def parse(cls, parser: Parser) -> AssumeAlignmentOp:
        name = parser.parse_unresolved_operand()
        parser.parse_punctuation(",")
        alignment = IntegerAttr(parser.parse_integer(), i32)
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        type = parser.parse_type()
        return cls.create(
            operands=[parser.resolve_operand(name, type)],
            result_types=[type],
            properties={"alignment": alignment},
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.memref)
        printer.print_string(f", {self.alignment.value.data}")
        print_attributes(printer, self, ("alignment",))
        printer.print_string(" : ")
        printer.print_attribute(self.memref.type)

    def verify_(self) -> None:
        alignment = self.alignment.value.data
        if alignment <= 0 or alignment & (alignment - 1):
            fail(self, "alignment must be power of 2")


@irdl_op_definition
class DistinctObjectsOp(ByTable):
    """`%a, %b = memref.distinct_objects %x, %y : memref<4xf32>, memref<8xf32>`; since LLVM 22."""

    name = "memref.distinct_objects"

    operands_ = var_operand_def()
    results_ = var_result_def()

    @classmethod
    def complete(cls, parser: Parser, parts: Parts) -> None:
        parts.all_result_types = parts.types["operands"]


@irdl_op_definition
class AtomicRMWOp(IRDLOperation):
    """`memref.atomic_rmw addf %v, %m[%i] : (f32, memref<4xf32>) -> f32`."""

    name = "memref.atomic_rmw"

    kind = prop_def(IntegerAttr[I64])
    value = operand_def()
    memref = operand_def()
    indices = var_operand_def()
    result = result_def()

    @classmethod
    def parse(cls, parser: Parser) -> AtomicRMWOp:
        start = parser.pos
        word = parser.parse_keyword_in((*ATOMIC_KINDS, *OLD_ATOMIC_KINDS))
        kind = ATOMIC_KINDS.index(OLD_ATOMIC_KINDS.get(word, word))
        value = parser.parse_unresolved_operand()
        parser.parse_punctuation(",")
        name = parser.parse_unresolved_operand()
        indices = _parse_indices(parser)
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        type = parser.parse_function_type()
        operands = parser.resolve_operands([value, name], type.inputs.data, parser.pos)
        # Not in verify_: releases number the kinds differently, and the generic form has only the number.
        kept, given = ATOMIC_KINDS[kind], operands[0].type
        if kept in _INTEGER_KINDS and isinstance(given, AnyFloat):
            parser.raise_error(f"'{cls.name}' op with kind '{kept}' expects an integer type", start, start)
        if kept in _FLOAT_KINDS and isinstance(given, IntegerType):
            parser.raise_error(
                f"'{cls.name}' op with kind '{kept}' expects a floating-point type", start, start
            )
        return cls.create(
            operands=[*operands, *_resolve_indices(parser, indices)],
            result_types=type.outputs.data,
            properties={"kind": i64_attr(kind)},
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(f" {ATOMIC_KINDS[self.kind.value.data]} ")
        printer.print_ssa_value(self.value)
        printer.print_string(", ")
        _print_access(printer, self.memref, self.indices)
        print_attributes(printer, self, ("kind",))
        printer.print_string(" : ")
        printer.print_function_type([self.value.type, self.memref.type], self.result_types)

    def verify_(self) -> None:
        type = as_memref(self.memref.type)
        if type is not None and len(self.indices) != type.get_num_dims():
            fail(self, "expects the number of subscripts to be equal to memref rank")
        number = self.kind.value.data
        if not 0 <= number < len(ATOMIC_KINDS):
            cases = ", ".join(map(str, range(len(ATOMIC_KINDS))))
            words = f"allowed 64-bit signless integer cases: {cases}"
            fail(self, f"attribute 'kind' failed to satisfy constraint: {words}")


@irdl_op_definition
class GenericAtomicRMWOp(IRDLOperation):
    """`memref.generic_atomic_rmw %m[%i] : memref<4xf32> { ^bb0(%current: f32): ... }`."""

    name = "memref.generic_atomic_rmw"

    memref = operand_def()
    indices = var_operand_def()
    result = result_def()
    atomic_body = region_def()

    @classmethod
    def parse(cls, parser: Parser) -> GenericAtomicRMWOp:
        name = parser.parse_unresolved_operand()
        indices = _parse_indices(parser)
        parser.parse_punctuation(":")
        type = _parse_memref_type(parser, cls.name)
        operands = [parser.resolve_operand(name, type), *_resolve_indices(parser, indices)]
        region = parser.parse_region()
        return cls.create(
            operands=operands,
            result_types=[type.element_type],
            regions=[region],
            attributes=parser.parse_optional_attr_dict(),
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        _print_access(printer, self.memref, self.indices)
        printer.print_string(" : ")
        printer.print_attribute(self.memref.type)
        printer.print_string(" ")
        printer.print_region(self.atomic_body)
        print_attributes(printer, self)

    def verify_(self) -> None:
        block = self.atomic_body.blocks.first
        if block is None or len(block.args) != 1:
            fail(self, "expected single number of entry block arguments")
        if not same_type(block.args[0].type, self.result.type):
            fail(self, "expected block argument of the same type result type")


@irdl_op_definition
class AtomicYieldOp(IRDLOperation):
    name = "memref.atomic_yield"

    result = operand_def()

    traits = traits_def(IsTerminator())

    assembly_format = "$result attr-dict `:` type($result)"

    def verify_(self) -> None:
        check_parent(self, GenericAtomicRMWOp.name)
        parent = self.parent_op()
        if isinstance(parent, GenericAtomicRMWOp) and not same_type(self.result.type, parent.result.type):
            types = f"{typed(self.result.type)} and its parent: {typed(parent.result.type)}"
            fail(self, f"types mismatch between yield op: {types}")


@irdl_op_definition
class GetGlobalOp(PureByTable):
    """`memref.get_global @x : memref<4xf32>`."""

    name = "memref.get_global"

    name_ = prop_def(SymbolRefAttr, prop_name="name")
    memref = result_def()


@irdl_op_definition
class GlobalOp(IRDLOperation):
    """`memref.global "private" constant @x : memref<2xf32> = dense<1.0> {alignment = 64 : i64}`."""

    name = "memref.global"

    sym_name = prop_def(StringAttr)
    sym_visibility = opt_prop_def(StringAttr)
    type = prop_def()
    initial_value = opt_prop_def()
    """A unit attribute where the text says `uninitialized`; None for a declaration."""
    constant = opt_prop_def(UnitAttr)
    alignment = opt_prop_def(IntegerAttr)

    traits = traits_def(SymbolOpInterface())

    @classmethod
    def parse(cls, parser: Parser) -> GlobalOp:
        visibility = parser.parse_optional_str_literal()
        constant = parser.parse_optional_keyword("constant") is not None
        properties: Attributes = {"sym_name": parser.parse_symbol_name()}
        if visibility is not None:
            properties["sym_visibility"] = StringAttr(visibility)
        if constant:
            properties["constant"] = UNIT
        parser.parse_punctuation(":")
        kind = properties["type"] = parser.parse_type()
        memref = as_memref(kind)
        if memref is None or not memref.has_static_shape():
            refuse(parser, cls.name, f"type should be static shaped memref, but got {typed(kind)}")
        if parser.parse_optional_punctuation("=") is not None:
            if parser.parse_optional_keyword("uninitialized") is not None:
                properties["initial_value"] = UNIT
            else:
                properties["initial_value"] = parse_untyped_elements(parser, properties["type"])
        named, attributes = parse_attributes(parser, cls)
        return cls.create(properties=properties | named, attributes=attributes)

    def print(self, printer: Printer) -> None:
        if self.sym_visibility is not None:
            printer.print_string(" ")
            printer.print_attribute(self.sym_visibility)
        if self.constant is not None:
            printer.print_string(" constant")
        printer.print_string(" ")
        printer.print_symbol_name(self.sym_name.data)
        printer.print_string(" : ")
        printer.print_attribute(self.type)
        if isinstance(self.initial_value, UnitAttr):
            printer.print_string(" = uninitialized")
        elif self.initial_value is not None:
            printer.print_string(" = ")
            print_untyped_elements(printer, self.initial_value)
        print_attributes(printer, self, ("sym_name", "sym_visibility", "constant", "type", "initial_value"))


@irdl_op_definition
class CopyOp(IRDLOperation):
    name = "memref.copy"

    source = operand_def(AnyBuffer)
    target = operand_def(AnyBuffer)

    assembly_format = "$source `,` $target attr-dict `:` type($source) `to` type($target)"

    def verify_(self) -> None:
        source, target = as_memref(self.source.type), as_memref(self.target.type)
        if source is None or target is None:
            return
        if source.element_type != target.element_type:
            fail(self, "requires the same element type for all operands")
        shapes = zip(source.get_shape(), target.get_shape(), strict=False)
        agree = all(a == b or DYNAMIC_INDEX in (a, b) for a, b in shapes)
        if source.get_num_dims() != target.get_num_dims() or not agree:
            fail(self, "requires the same shape for all operands")


@irdl_op_definition
class CastOp(IRDLOperation):
    name = "memref.cast"

    source = operand_def(AnyBuffer)
    dest = result_def(AnyBuffer)

    traits = traits_def(Pure())

    assembly_format = "$source attr-dict `:` type($source) `to` type($dest)"

    @staticmethod
    def get(source: SSAValue | Operation, type: Attribute) -> CastOp:
        """Build a cast."""
        return CastOp(operands=[source], result_types=[type])

    def verify_(self) -> None:
        if not _may_cast(self.source.type, self.dest.type):
            types = f"{typed(self.source.type)} and result type {typed(self.dest.type)}"
            fail(self, f"operand type {types} are cast incompatible")


@irdl_op_definition
class MemorySpaceCastOp(IRDLOperation):
    name = "memref.memory_space_cast"

    source = operand_def(AnyBuffer)
    dest = result_def(AnyBuffer)

    traits = traits_def(Pure())

    assembly_format = "$source attr-dict `:` type($source) `to` type($dest)"

    def verify_(self) -> None:
        check_memory_space_cast(self, self.source.type, self.dest.type)


@irdl_op_definition
class DimOp(PureByTable):
    """`memref.dim %m, %i : memref<?xf32>`."""

    name = "memref.dim"

    source = operand_def()
    index = operand_def()
    result = result_def()

    def verify_(self) -> None:
        source = self.source.type
        memref = as_memref(source)
        if isinstance(source, UnrankedMemRefType) or (memref is not None and memref.get_num_dims()):
            return
        wanted = "unranked.memref of any type values or non-0-ranked.memref of any type values"
        fail(self, f"operand #0 must be {wanted}, but got {typed(source)}")


@irdl_op_definition
class RankOp(IRDLOperation):
    name = "memref.rank"

    source = operand_def(AnyBuffer)
    rank = result_def(IndexType())

    traits = traits_def(Pure())

    assembly_format = "$source attr-dict `:` type($source)"


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


@irdl_op_definition
class PrefetchOp(IRDLOperation):
    """`memref.prefetch %m[%i], read, locality<3>, data : memref<4xf32>`."""

    name = "memref.prefetch"

    memref = operand_def()
    indices = var_operand_def()
    is_write = prop_def(BoolAttr, prop_name="isWrite")
    locality_hint = prop_def(IntegerAttr, prop_name="localityHint")
    is_data_cache = prop_def(BoolAttr, prop_name="isDataCache")

    @classmethod
    def parse(cls, parser: Parser) -> PrefetchOp:
        name, indices = parser.parse_unresolved_operand(), _parse_indices(parser)
        parser.parse_punctuation(",")
        is_write = parser.parse_keyword_in(("read", "write")) == "write"
        parser.parse_punctuation(",")
        parser.parse_keyword("locality")
        with parser.in_angle_brackets():
            locality = parser.parse_integer()
        parser.parse_punctuation(",")
        is_data = parser.parse_keyword_in(("data", "instr")) == "data"
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        memref = parser.resolve_operand(name, parser.parse_type())
        return cls.create(
            operands=[memref, *_resolve_indices(parser, indices)],
            properties={
                "isWrite": BoolAttr.from_bool(is_write),
                "localityHint": IntegerAttr(locality, i32),
                "isDataCache": BoolAttr.from_bool(is_data),
            },
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        _print_access(printer, self.memref, self.indices)
        printer.print_string(", write" if self.is_write.value.data else ", read")
        printer.print_string(f", locality<{self.locality_hint.value.data}>")
        printer.print_string(", data" if self.is_data_cache.value.data else ", instr")
        print_attributes(printer, self, ("isWrite", "localityHint", "isDataCache"))
        printer.print_string(" : ")
        printer.print_attribute(self.memref.type)

    def verify_(self) -> None:
        if not 0 <= self.locality_hint.value.data <= 3:
            wanted = "32-bit signless integer attribute whose minimum value is 0 whose maximum value is 3"
            fail(self, f"attribute 'localityHint' failed to satisfy constraint: {wanted}")
        type = as_memref(self.memref.type)
        if type is not None and len(self.indices) != type.get_num_dims():
            fail(self, "too few indices")


@irdl_op_definition
class CollapseShapeOp(PureByTable):
    """`%m [[0, 1], [2]] : memref<..> into memref<..>`."""

    name = "memref.collapse_shape"

    src = operand_def()
    reassociation = prop_def(ArrayAttr)
    result = result_def()

    def verify_(self) -> None:
        check_reassociation(self, self.result.type, self.src.type, self.reassociation)


@irdl_op_definition
class ExpandShapeOp(IRDLOperation):
    """`%m [[0, 1], [2]] output_shape [2, %n, 4] : memref<..> into memref<..>`.

    `output_shape` is said since LLVM 19.
    """

    name = "memref.expand_shape"

    src = operand_def()
    output_shape = var_operand_def()
    reassociation = prop_def(ArrayAttr)
    static_output_shape = opt_prop_def(DenseArrayBase)
    result = result_def()

    traits = traits_def(Pure())

    @classmethod
    def parse(cls, parser: Parser) -> ExpandShapeOp:
        name = parser.parse_unresolved_operand()
        properties: Attributes = {"reassociation": parser.parse_attribute()}
        sizes: Sequence[SSAValue] = ()
        if parser.parse_optional_keyword("output_shape") is not None:
            sizes, properties["static_output_shape"] = resolve_mixed_list(parser, parse_mixed_list(parser))
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        source = parser.resolve_operand(name, parser.parse_type())
        parser.parse_keyword("into")
        return cls.create(
            operands=[source, *sizes],
            result_types=[parser.parse_type()],
            properties=properties,
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.src)
        printer.print_string(" [")
        for index, group in enumerate(self.reassociation.data):
            printer.print_string(", [" if index else "[")
            numbers = cast(ArrayAttr[IntegerAttr[Any]], group).data
            printer.print_string(", ".join(str(number.value.data) for number in numbers) + "]")
        printer.print_string("]")
        if self.static_output_shape is not None:
            printer.print_string(" output_shape ")
            print_mixed_list(printer, self.output_shape, self.static_output_shape)
        print_attributes(printer, self, ("reassociation", "static_output_shape"))
        printer.print_string(" : ")
        printer.print_attribute(self.src.type)
        printer.print_string(" into ")
        printer.print_attribute(self.result.type)

    def verify_(self) -> None:
        check_reassociation(self, self.src.type, self.result.type, self.reassociation)
        check_output_shape(self, self.result.type, self.static_output_shape)


@irdl_op_definition
class ExtractStridedMetaDataOp(PureByTable):
    """`%b, %o, %s:2, %t:2 = memref.extract_strided_metadata %m : memref<..> -> memref<f32>, index, ...`."""

    name = "memref.extract_strided_metadata"

    source = operand_def()
    base_buffer = result_def()
    offset = result_def(IndexType())
    sizes = var_result_def()
    strides = var_result_def()

    irdl_options = (SameVariadicResultSize(),)


@irdl_op_definition
class ExtractAlignedPointerAsIndexOp(IRDLOperation):
    name = "memref.extract_aligned_pointer_as_index"

    source = operand_def(AnyBuffer)
    aligned_pointer = result_def()

    traits = traits_def(Pure())

    assembly_format = "$source attr-dict `:` type($source) `->` type($aligned_pointer)"


class _OffsetSizeStrideOp(PureByTable, ABC):
    """An op with mixed lists of offsets, sizes and strides."""

    source = operand_def()
    offsets = var_operand_def()
    sizes = var_operand_def()
    strides = var_operand_def()
    static_offsets = prop_def(DenseArrayBase)
    static_sizes = prop_def(DenseArrayBase)
    static_strides = prop_def(DenseArrayBase)
    result = result_def()

    irdl_options = (AttrSizedOperandSegments(as_property=True),)


@irdl_op_definition
class SubviewOp(_OffsetSizeStrideOp):
    """`memref.subview %m[%i] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1], offset: ?>>`."""

    name = "memref.subview"

    def verify_(self) -> None:
        lists = self.static_offsets, self.static_sizes, self.static_strides
        check_subview(self.source.type, self.result.type, *lists)


@irdl_op_definition
class ReinterpretCastOp(_OffsetSizeStrideOp):
    """`memref.reinterpret_cast %m to offset: [0], sizes: [4], strides: [1] : memref<*xf32> to ...`."""

    name = "memref.reinterpret_cast"

    def verify_(self) -> None:
        lists = self.static_offsets, self.static_sizes, self.static_strides
        check_reinterpret_cast(self.source.type, self.result.type, *lists)


@irdl_op_definition
class ReshapeOp(PureByTable):
    """`memref.reshape %m(%shape) : (memref<*xf32>, memref<2xindex>) -> memref<?x?xf32>`."""

    name = "memref.reshape"

    source = operand_def()
    shape = operand_def()
    result = result_def()

    def verify_(self) -> None:
        check_reshape(self, self.source.type, self.shape.type, self.result.type)


@irdl_op_definition
class TransposeOp(IRDLOperation):
    """`memref.transpose %m (i, j) -> (j, i) : memref<..> to memref<..>`."""

    name = "memref.transpose"

    in_ = operand_def()
    permutation = prop_def(AffineMapAttr)
    result = result_def()

    traits = traits_def(Pure())

    @classmethod
    def parse(cls, parser: Parser) -> TransposeOp:
        name = parser.parse_unresolved_operand()
        dimensions = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_identifier)
        parser.parse_punctuation("->")
        results = parser.parse_comma_separated_list(
            parser.Delimiter.PAREN, lambda: parser.parse_keyword_in(dimensions)
        )
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        source = parser.resolve_operand(name, parser.parse_type())
        parser.parse_keyword("to")
        exprs = tuple(AffineExpr.dimension(dimensions.index(result)) for result in results)
        return cls.create(
            operands=[source],
            result_types=[parser.parse_type()],
            properties={"permutation": AffineMapAttr(AffineMap(len(dimensions), 0, exprs))},
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.in_)
        printer.print_string(f" {self.permutation.data}")
        print_attributes(printer, self, ("permutation",))
        printer.print_string(" : ")
        printer.print_attribute(self.in_.type)
        printer.print_string(" to ")
        printer.print_attribute(self.result.type)

    def verify_(self) -> None:
        check_transpose(self, self.in_.type, self.result.type, self.permutation.data)


@irdl_op_definition
class ViewOp(PureByTable):
    """`memref.view %m[%offset][%size] : memref<2048xi8> to memref<?x4xf32>`."""

    name = "memref.view"

    source = operand_def()
    byte_shift = operand_def()
    sizes = var_operand_def()
    result = result_def()

    def verify_(self) -> None:
        check_view(self, self.source.type, self.result.type, len(self.sizes))


def _parse_memref_type(parser: Parser, op_name: str) -> MemRefType[Attribute]:
    start = parser.pos
    type = parser.parse_type()
    memref = as_memref(type)
    if memref is None:
        refuse(
            parser,
            op_name,
            f"invalid kind of type specified: expected builtin.memref, but found {typed(type)}",
            start,
        )
    return memref


def _parse_indices(parser: Parser) -> list[UnresolvedOperand]:
    """Parse `[%i, %j]`."""
    with parser.in_square_brackets():
        return parse_operand_names(parser)


def _resolve_indices(parser: Parser, names: Sequence[UnresolvedOperand]) -> list[SSAValue]:
    return [parser.resolve_operand(name, INDEX) for name in names]


def _print_access(printer: Printer, memref: SSAValue, indices: Sequence[SSAValue]) -> None:
    printer.print_ssa_value(memref)
    with printer.in_square_brackets():
        printer.print_list(indices, printer.print_ssa_value)


def _may_cast(source: Attribute, dest: Attribute) -> bool:
    """Tell whether memref.cast accepts the types; only ranked ones of one element type are judged further."""
    ranked, target = as_memref(source), as_memref(dest)
    if ranked is None or target is None:
        return True
    shapes = zip(ranked.get_shape(), target.get_shape(), strict=False)
    return (
        ranked.element_type == target.element_type
        and ranked.memory_space == target.memory_space
        and ranked.get_num_dims() == target.get_num_dims()
        and all(a == b or DYNAMIC_INDEX in (a, b) for a, b in shapes)
    )
