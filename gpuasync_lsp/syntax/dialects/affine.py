"""MLIR's `affine` dialect: loops, conditions and accesses whose subscripts are affine.

`affine.dma_start` and `affine.dma_wait`, which have no results, are left opaque.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from typing import ClassVar, cast

from xdsl.dialects.builtin import (
    AffineMapAttr,
    AffineSetAttr,
    ArrayAttr,
    BoolAttr,
    DenseArrayBase,
    DenseIntElementsAttr,
    IndexType,
    IntegerAttr,
    MemRefType,
    TensorType,
    UnitAttr,
    i32,
)
from xdsl.dialects.utils import print_assignment
from xdsl.ir import Attribute, Region, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineExpr, AffineMap, AffineSymExpr
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    irdl_op_definition,
    operand_def,
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
from xdsl.traits import IsTerminator, Pure

from gpuasync_lsp.syntax.affine import Operands, parse_expression, print_expressions
from gpuasync_lsp.syntax.dialects.assembly import (
    INDEX,
    UNIT,
    ensure_terminator,
    i32_array,
    i64_attr,
    named,
    parse_attributes,
    parse_results,
    parse_types,
    print_attributes,
    print_mixed_list,
    print_result_list,
    refuse,
    resolve_mixed_list,
)
from gpuasync_lsp.syntax.dialects.memref import ATOMIC_KINDS
from gpuasync_lsp.syntax.ods.by_table import ByTable, PureByTable

Bound = tuple[AffineMapAttr, Sequence[SSAValue]]
"""A map and the values that it is applied to: dimensions, then symbols."""


def _parse_map(parser: Parser, op_name: str) -> AffineMapAttr:
    start = parser.pos
    found = parser.parse_attribute()
    if not isinstance(found, AffineMapAttr):
        refuse(parser, op_name, "invalid kind of attribute specified", start)
    return found


def _parse_basis(parser: Parser) -> tuple[list[SSAValue], DenseArrayBase]:
    """Parse `(4, %n)`."""
    entries = parser.parse_comma_separated_list(
        parser.Delimiter.PAREN, lambda: parser.parse_optional_unresolved_operand() or parser.parse_integer()
    )
    return resolve_mixed_list(parser, entries)


def _parse_values(parser: Parser) -> list[SSAValue]:
    """Parse `(%dimensions)[%symbols]`, both optional."""
    dimensions, symbols = _parse_groups(parser)
    return [*dimensions, *symbols]


def _parse_groups(parser: Parser) -> tuple[Sequence[SSAValue], Sequence[SSAValue]]:
    dimensions, symbols = (
        parser.parse_optional_comma_separated_list(delimiter, lambda: parser.parse_operand(INDEX)) or []
        for delimiter in (parser.Delimiter.PAREN, parser.Delimiter.SQUARE)
    )
    return dimensions, symbols


def _print_values(printer: Printer, dimensions: int, operands: Sequence[SSAValue]) -> None:
    with printer.in_parens():
        printer.print_list(operands[:dimensions], printer.print_ssa_value)
    if len(operands) > dimensions:
        with printer.in_square_brackets():
            printer.print_list(operands[dimensions:], printer.print_ssa_value)


def _parse_subscripts(parser: Parser) -> Bound:
    """Parse `[%i + 3, symbol(%n)]`."""
    operands = Operands()
    results = parser.parse_comma_separated_list(
        parser.Delimiter.SQUARE, lambda: parse_expression(parser, operands)
    )
    return operands.map(results), [parser.resolve_operand(name, INDEX) for name in operands.names]


def _print_subscripts(printer: Printer, subscripts: AffineMapAttr, operands: Sequence[SSAValue]) -> None:
    with printer.in_square_brackets():
        print_expressions(printer, subscripts.data.results, subscripts.data.num_dims, operands)


# Maps applied to values


class _MapOp(IRDLOperation, ABC):
    """`affine_map<(d0)[s0] -> (d0, s0)>(%i)[%n]`: an index."""

    map_operands = var_operand_def(IndexType)
    map = prop_def(AffineMapAttr)
    result = result_def(IndexType)

    traits = traits_def(Pure())

    @classmethod
    def parse(cls, parser: Parser) -> _MapOp:
        affine_map = _parse_map(parser, cls.name)
        operands = _parse_values(parser)
        return cls.create(
            operands=operands,
            result_types=[INDEX],
            properties={"map": affine_map},
            attributes=parser.parse_optional_attr_dict(),
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_attribute(self.map)
        _print_values(printer, self.map.data.num_dims, self.map_operands)
        print_attributes(printer, self, ("map",))


@irdl_op_definition
class ApplyOp(_MapOp):
    name = "affine.apply"


@irdl_op_definition
class MinOp(_MapOp):
    name = "affine.min"


@irdl_op_definition
class MaxOp(_MapOp):
    name = "affine.max"


@irdl_op_definition
class DelinearizeIndexOp(PureByTable):
    """`%i into (4, %n) : index, index`: the subscripts that a linear index stands for."""

    name = "affine.delinearize_index"

    linear_index = operand_def(IndexType)
    dynamic_basis = var_operand_def(IndexType)
    static_basis = prop_def(DenseArrayBase)
    multi_index = var_result_def(IndexType)


@irdl_op_definition
class LinearizeIndexOp(IRDLOperation):
    """`disjoint [%i, %j] by (4, %n) : index`: the linear index of subscripts."""

    name = "affine.linearize_index"

    multi_index = var_operand_def(IndexType)
    dynamic_basis = var_operand_def(IndexType)
    static_basis = prop_def(DenseArrayBase)
    disjoint = opt_prop_def()
    linear_index = result_def(IndexType)

    traits = traits_def(Pure())
    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    @classmethod
    def parse(cls, parser: Parser) -> LinearizeIndexOp:
        is_disjoint = parser.parse_optional_keyword("disjoint") is not None
        indices = parser.parse_comma_separated_list(
            parser.Delimiter.SQUARE, lambda: parser.parse_operand(INDEX)
        )
        parser.parse_keyword("by")
        dynamic, static = _parse_basis(parser)
        properties, attributes = parse_attributes(parser, cls)
        parser.parse_punctuation(":")
        properties["static_basis"] = static
        properties["operandSegmentSizes"] = i32_array([len(indices), len(dynamic)])
        if is_disjoint:
            properties["disjoint"] = UNIT
        return cls.create(
            operands=[*indices, *dynamic],
            result_types=[parser.parse_type()],
            properties=properties,
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        if isinstance(self.disjoint, UnitAttr) or self.disjoint == BoolAttr.from_bool(True):
            printer.print_string(" disjoint")
        printer.print_string(" ")
        with printer.in_square_brackets():
            printer.print_list(self.multi_index, printer.print_ssa_value)
        printer.print_string(" by ")
        print_mixed_list(printer, self.dynamic_basis, self.static_basis, ("(", ")"))
        print_attributes(printer, self, ("disjoint", "static_basis", "operandSegmentSizes"))
        printer.print_string(" : ")
        printer.print_attribute(self.linear_index.type)


# Loops and conditions


@irdl_op_definition
class YieldOp(ByTable):
    name = "affine.yield"

    arguments = var_operand_def()

    traits = traits_def(IsTerminator())


def _parse_body(parser: Parser, arguments: Sequence[Parser.Argument] | None = None) -> Region:
    region = parser.parse_region(arguments)
    ensure_terminator(region, YieldOp)
    return region


def _print_body(printer: Printer, region: Region, has_results: bool) -> None:
    printer.print_string(" ")
    printer.print_region(
        region, print_entry_block_args=False, print_empty_block=False, print_block_terminators=has_results
    )


@irdl_op_definition
class ForOp(IRDLOperation):
    """`%i = max #map(%n) to 10 step 2 iter_args(%a = %x) -> (f32) { ... }`."""

    name = "affine.for"

    lower_bound_operands = var_operand_def(IndexType)
    upper_bound_operands = var_operand_def(IndexType)
    inits = var_operand_def()
    lower_bound_map = prop_def(AffineMapAttr, prop_name="lowerBoundMap")
    upper_bound_map = prop_def(AffineMapAttr, prop_name="upperBoundMap")
    step = prop_def(IntegerAttr)
    res = var_result_def()
    body = region_def()

    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    @classmethod
    def parse(cls, parser: Parser) -> ForOp:
        variable = parser.parse_argument(expect_type=False)
        location = parser.parse_optional_location()
        parser.parse_punctuation("=")
        lower, lower_operands = _parse_bound(parser, cls.name, "max")
        parser.parse_keyword("to")
        upper, upper_operands = _parse_bound(parser, cls.name, "min")
        step = 1
        if parser.parse_optional_keyword("step") is not None:
            start = parser.pos
            step = parser.parse_integer(allow_boolean=False)
            if step < 0:
                words = "expected step to be representable as a positive signed integer"
                refuse(parser, cls.name, words, start)
        arguments: list[tuple[Parser.UnresolvedArgument, UnresolvedOperand]] = []
        results: list[Attribute] = []
        if parser.parse_optional_keyword("iter_args") is not None:

            def parse_argument() -> tuple[Parser.UnresolvedArgument, UnresolvedOperand]:
                argument = parser.parse_argument(expect_type=False)
                parser.parse_punctuation("=")
                return argument, parser.parse_unresolved_operand()

            arguments = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parse_argument)
            results, _ = parse_results(parser)
        inits = parser.resolve_operands([init for _, init in arguments], results, parser.pos)
        types = zip([variable, *(argument for argument, _ in arguments)], [INDEX, *results], strict=True)
        resolved = [argument.resolve(type) for argument, type in types]
        resolved[0].location = location
        body = _parse_body(parser, resolved)
        return cls.create(
            operands=[*lower_operands, *upper_operands, *inits],
            result_types=results,
            properties={
                "lowerBoundMap": lower,
                "upperBoundMap": upper,
                "step": IntegerAttr(step, INDEX),
                "operandSegmentSizes": i32_array([len(lower_operands), len(upper_operands), len(inits)]),
            },
            attributes=parser.parse_optional_attr_dict(),
            regions=[body],
        )

    def print(self, printer: Printer) -> None:
        variable, *arguments = self.body.block.args
        printer.print_string(" ")
        printer.print_ssa_value(variable)
        printer.print_string(" = ")
        _print_bound(printer, self.lower_bound_map, self.lower_bound_operands, "max")
        printer.print_string(" to ")
        _print_bound(printer, self.upper_bound_map, self.upper_bound_operands, "min")
        if self.step.value.data != 1:
            printer.print_string(f" step {self.step.value.data}")
        if arguments:
            printer.print_string(" iter_args")
            with printer.in_parens():
                pairs = zip(arguments, self.inits, strict=True)
                printer.print_list(pairs, lambda pair: print_assignment(printer, *pair))
            printer.print_string(" -> ")
            with printer.in_parens():
                printer.print_list(self.result_types, printer.print_attribute)
        _print_body(printer, self.body, bool(arguments))
        elided = ("lowerBoundMap", "upperBoundMap", "step", "operandSegmentSizes")
        print_attributes(printer, self, elided)


def _parse_bound(parser: Parser, op_name: str, keyword: str) -> Bound:
    """Parse `10`, `%n` or `max #map(%i)[%n]`."""
    has_keyword = parser.parse_optional_keyword(keyword) is not None
    operand = parser.parse_optional_operand(INDEX)
    if operand is not None:
        return AffineMapAttr(AffineMap(0, 1, (AffineExpr.symbol(0),))), [operand]
    number = parser.parse_optional_integer(allow_boolean=False)
    if number is not None:
        return AffineMapAttr(AffineMap.constant_map(number)), []
    start = parser.pos
    bound = _parse_map(parser, op_name)
    groups = _parse_groups(parser)
    _check_counts(parser, op_name, "affine map", (bound.data.num_dims, bound.data.num_symbols), groups, start)
    if len(bound.data.results) > 1 and not has_keyword:
        side = "lower" if keyword == "max" else "upper"
        words = f"{side} loop bound affine map with multiple results requires '{keyword}' prefix"
        refuse(parser, op_name, words, start)
    return bound, [*groups[0], *groups[1]]


def _check_counts(
    parser: Parser,
    op_name: str,
    kind: str,
    wanted: tuple[int, int],
    groups: Sequence[Sequence[SSAValue]],
    start: int,
) -> None:
    """Refuse an op that gives `kind` another number of dimensions or symbols than it has."""
    for name, index in (("dim", 0), ("symbol", 1)):
        if len(groups[index]) != wanted[index]:
            words = f"{name} operand count and {kind} {name} count must match"
            refuse(parser, op_name, words, start)


def _print_bound(printer: Printer, bound: AffineMapAttr, operands: Sequence[SSAValue], keyword: str) -> None:
    affine_map = bound.data
    last = affine_map.results[-1] if affine_map.results else None
    if len(affine_map.results) != 1:
        printer.print_string(f"{keyword} ")
    elif isinstance(last, AffineConstantExpr) and not operands:
        return printer.print_string(str(last.value))
    elif isinstance(last, AffineSymExpr) and len(operands) == 1:
        printer.print_ssa_value(operands[0])
        return None
    printer.print_attribute(bound)
    return _print_values(printer, affine_map.num_dims, operands)


@irdl_op_definition
class IfOp(IRDLOperation):
    """`#set(%i)[%n] -> f32 { ... } else { ... }`."""

    name = "affine.if"

    set_operands = var_operand_def(IndexType)
    condition = prop_def(AffineSetAttr)
    res = var_result_def()
    then_region = region_def()
    else_region = region_def()

    @classmethod
    def parse(cls, parser: Parser) -> IfOp:
        start = parser.pos
        condition = parser.parse_attribute()
        if not isinstance(condition, AffineSetAttr):
            refuse(parser, cls.name, "invalid kind of attribute specified", start)
        groups = _parse_groups(parser)
        counts = (condition.data.num_dims, condition.data.num_symbols)
        _check_counts(parser, cls.name, "integer set", counts, groups, start)
        operands = [*groups[0], *groups[1]]
        results, _ = parse_results(parser)
        regions = [_parse_body(parser)]
        has_else = parser.parse_optional_keyword("else") is not None
        regions.append(_parse_body(parser) if has_else else Region())
        return cls.create(
            operands=operands,
            result_types=results,
            properties={"condition": condition},
            attributes=parser.parse_optional_attr_dict(),
            regions=regions,
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_attribute(self.condition)
        _print_values(printer, self.condition.data.num_dims, self.set_operands)
        if self.res:
            printer.print_string(" -> ")
            print_result_list(printer, self.result_types)
        _print_body(printer, self.then_region, bool(self.res))
        if self.else_region.blocks:
            printer.print_string(" else")
            _print_body(printer, self.else_region, bool(self.res))
        print_attributes(printer, self, ("condition",))


@irdl_op_definition
class ParallelOp(IRDLOperation):
    """`(%i, %j) = (0, max(%n, 4)) to (10, symbol(%n)) step (1, 2) reduce ("addf") -> f32 { ... }`.

    The maps hold the results of all bounds; `groups` say how many belong to each variable.
    """

    name = "affine.parallel"

    map_operands = var_operand_def(IndexType)
    reductions = prop_def(ArrayAttr)
    lower_bounds_map = prop_def(AffineMapAttr, prop_name="lowerBoundsMap")
    lower_bounds_groups = prop_def(DenseIntElementsAttr, prop_name="lowerBoundsGroups")
    upper_bounds_map = prop_def(AffineMapAttr, prop_name="upperBoundsMap")
    upper_bounds_groups = prop_def(DenseIntElementsAttr, prop_name="upperBoundsGroups")
    steps = prop_def(ArrayAttr)
    res = var_result_def()
    body = region_def()

    @classmethod
    def parse(cls, parser: Parser) -> ParallelOp:
        variables = parser.parse_comma_separated_list(
            parser.Delimiter.PAREN, lambda: parser.parse_argument(expect_type=False)
        )
        parser.parse_punctuation("=")
        lower, lower_operands, lower_groups = _parse_bounds(parser, "max")
        parser.parse_keyword("to")
        upper, upper_operands, upper_groups = _parse_bounds(parser, "min")
        steps = [1] * len(variables)
        if parser.parse_optional_keyword("step") is not None:
            steps = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_integer)
        reductions: list[Attribute] = []
        if parser.parse_optional_keyword("reduce") is not None:
            words = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_str_literal)
            for word in words:
                if word not in ATOMIC_KINDS:
                    refuse(parser, cls.name, f'invalid reduction value: "{word}"')
            reductions = [i64_attr(ATOMIC_KINDS.index(word)) for word in words]
        results, _ = parse_results(parser)
        body = _parse_body(parser, [variable.resolve(INDEX) for variable in variables])
        return cls.create(
            operands=[*lower_operands, *upper_operands],
            result_types=results,
            properties={
                "reductions": ArrayAttr(reductions),
                "lowerBoundsMap": lower,
                "lowerBoundsGroups": lower_groups,
                "upperBoundsMap": upper,
                "upperBoundsGroups": upper_groups,
                "steps": ArrayAttr([i64_attr(step) for step in steps]),
            },
            attributes=parser.parse_optional_attr_dict(),
            regions=[body],
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        with printer.in_parens():
            printer.print_list(self.body.block.args, printer.print_ssa_value)
        lower, upper = self.lower_bounds_map, self.upper_bounds_map
        split = lower.data.num_dims + lower.data.num_symbols
        printer.print_string(" = ")
        _print_bounds(printer, lower, self.map_operands[:split], self.lower_bounds_groups, "max")
        printer.print_string(" to ")
        _print_bounds(printer, upper, self.map_operands[split:], self.upper_bounds_groups, "min")
        steps = [cast(IntegerAttr, step).value.data for step in self.steps]
        if any(step != 1 for step in steps):
            printer.print_string(f" step ({', '.join(map(str, steps))})")
        if self.res:
            words = [ATOMIC_KINDS[cast(IntegerAttr, each).value.data] for each in self.reductions]
            printer.print_string(" reduce (" + ", ".join(f'"{word}"' for word in words) + ") -> ")
            with printer.in_parens():
                printer.print_list(self.result_types, printer.print_attribute)
        _print_body(printer, self.body, bool(self.res))
        print_attributes(printer, self, self.get_irdl_definition().properties)


def _parse_bounds(parser: Parser, keyword: str) -> tuple[AffineMapAttr, Sequence[SSAValue], Attribute]:
    """Parse `(0, max(%n, 4))`; return the map of all, its operands and the sizes of the groups."""
    operands = Operands()

    def parse_group() -> list[AffineExpr]:
        if parser.parse_optional_keyword(keyword) is None:
            return [parse_expression(parser, operands)]
        return parser.parse_comma_separated_list(
            parser.Delimiter.PAREN, lambda: parse_expression(parser, operands)
        )

    groups = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parse_group)
    values = [parser.resolve_operand(name, INDEX) for name in operands.names]
    sizes = DenseIntElementsAttr.from_list(TensorType(i32, [len(groups)]), [len(each) for each in groups])
    return operands.map([each for group in groups for each in group]), values, sizes


def _print_bounds(
    printer: Printer,
    bounds: AffineMapAttr,
    operands: Sequence[SSAValue],
    groups: DenseIntElementsAttr,
    keyword: str,
) -> None:
    results = iter(bounds.data.results)
    with printer.in_parens():
        for position, size in enumerate(groups.get_values()):
            if position:
                printer.print_string(", ")
            group = [next(results) for _ in range(size)]
            if size > 1:
                printer.print_string(f"{keyword}(")
            print_expressions(printer, group, bounds.data.num_dims, operands)
            if size > 1:
                printer.print_string(")")


# Accesses


class _ReadOp(IRDLOperation, ABC):
    """`%m[%i + 3] : memref<100xf32>`."""

    memref = operand_def()
    map_operands = var_operand_def(IndexType)
    map = prop_def(AffineMapAttr)
    result = result_def()

    @classmethod
    def parse_result(cls, parser: Parser, memref: Attribute) -> Attribute:
        """Parse what stands behind the type of the memref, and return the result's type."""
        if not isinstance(memref, MemRefType):
            refuse(parser, cls.name, "invalid kind of type specified: expected builtin.memref")
        return cast(MemRefType[Attribute], memref).element_type

    @classmethod
    def parse(cls, parser: Parser) -> _ReadOp:
        name = parser.parse_unresolved_operand()
        subscripts, operands = _parse_subscripts(parser)
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        memref = parser.parse_type()
        return cls.create(
            operands=[parser.resolve_operand(name, memref), *operands],
            result_types=[cls.parse_result(parser, memref)],
            properties={"map": subscripts},
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.memref)
        _print_subscripts(printer, self.map, self.map_operands)
        print_attributes(printer, self, ("map",))
        printer.print_string(" : ")
        printer.print_attribute(self.memref.type)


LoadOp = named(_ReadOp, "affine.load")


@irdl_op_definition
class VectorLoadOp(_ReadOp):
    """`%m[%i + 3] : memref<100xf32>, vector<8xf32>`."""

    name = "affine.vector_load"

    @classmethod
    def parse_result(cls, parser: Parser, memref: Attribute) -> Attribute:
        parser.parse_punctuation(",")
        return parser.parse_type()

    def print(self, printer: Printer) -> None:
        super().print(printer)
        printer.print_string(", ")
        printer.print_attribute(self.result.type)


class _WriteOp(IRDLOperation, ABC):
    """`%x, %m[%i + 3] : memref<100xf32>`."""

    value = operand_def()
    memref = operand_def()
    map_operands = var_operand_def(IndexType)
    map = prop_def(AffineMapAttr)

    HAS_VALUE_TYPE: ClassVar = False

    @classmethod
    def parse(cls, parser: Parser) -> _WriteOp:
        value = parser.parse_unresolved_operand()
        parser.parse_punctuation(",")
        name = parser.parse_unresolved_operand()
        subscripts, operands = _parse_subscripts(parser)
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        memref, *types = parse_types(parser, 2 if cls.HAS_VALUE_TYPE else 1)
        type = types[0] if types else getattr(memref, "element_type", memref)
        return cls.create(
            operands=[parser.resolve_operand(value, type), parser.resolve_operand(name, memref), *operands],
            properties={"map": subscripts},
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_list([self.value, self.memref], printer.print_ssa_value)
        _print_subscripts(printer, self.map, self.map_operands)
        print_attributes(printer, self, ("map",))
        printer.print_string(" : ")
        types = [self.memref.type, self.value.type]
        printer.print_list(types if self.HAS_VALUE_TYPE else types[:1], printer.print_attribute)


StoreOp = named(_WriteOp, "affine.store")


@irdl_op_definition
class VectorStoreOp(_WriteOp):
    """`%v, %m[%i + 3] : memref<100xf32>, vector<8xf32>`."""

    name = "affine.vector_store"

    HAS_VALUE_TYPE: ClassVar = True


@irdl_op_definition
class PrefetchOp(IRDLOperation):
    """`%m[%i + 3], read, locality<3>, data : memref<100xf32>`."""

    name = "affine.prefetch"

    memref = operand_def()
    map_operands = var_operand_def(IndexType)
    map = prop_def(AffineMapAttr)
    is_write = prop_def(BoolAttr, prop_name="isWrite")
    locality_hint = prop_def(IntegerAttr, prop_name="localityHint")
    is_data_cache = prop_def(BoolAttr, prop_name="isDataCache")

    @classmethod
    def parse(cls, parser: Parser) -> PrefetchOp:
        name = parser.parse_unresolved_operand()
        subscripts, operands = _parse_subscripts(parser)
        parser.parse_punctuation(",")
        access = parser.expect(lambda: parser.parse_optional_keyword_in(("read", "write")), _READ_OR_WRITE)
        parser.parse_punctuation(",")
        parser.parse_keyword("locality")
        with parser.in_angle_brackets():
            locality = parser.parse_integer(allow_boolean=False)
        parser.parse_punctuation(",")
        cache = parser.expect(lambda: parser.parse_optional_keyword_in(("data", "instr")), _DATA_OR_INSTR)
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        return cls.create(
            operands=[parser.resolve_operand(name, parser.parse_type()), *operands],
            properties={
                "map": subscripts,
                "isWrite": BoolAttr.from_bool(access == "write"),
                "localityHint": IntegerAttr(locality, 32),
                "isDataCache": BoolAttr.from_bool(cache == "data"),
            },
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.memref)
        _print_subscripts(printer, self.map, self.map_operands)
        access = "write" if self.is_write.value.data else "read"
        cache = "data" if self.is_data_cache.value.data else "instr"
        printer.print_string(f", {access}, locality<{self.locality_hint.value.data}>, {cache}")
        print_attributes(printer, self, self.get_irdl_definition().properties)
        printer.print_string(" : ")
        printer.print_attribute(self.memref.type)


_READ_OR_WRITE = "rw specifier has to be 'read' or 'write'"
_DATA_OR_INSTR = "cache type has to be 'data' or 'instr'"
