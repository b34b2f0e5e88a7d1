"""`nvvm.mma.sync A[%a, %b] B[%c] C[%d] {...} : (i32, i32, f32) -> !llvm.struct<(f32, f32)>`, and `mma.sp`.

Source: `MmaOp::parse` and `MmaOp::print`, and those of `MmaSpOp`, in NVVMDialect.cpp (LLVM 16 to 22):
all registers of a matrix have the same type, which determines the element type of A and B if possible.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import (
    Float16Type,
    Float32Type,
    Float64Type,
    IntegerType,
    i32,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer

from gpuasync_lsp.syntax.dialects.assembly import Attributes, i32_array, integers, parse_types
from gpuasync_lsp.syntax.dialects.llvm_attributes import LLVMStructType
from gpuasync_lsp.syntax.kinds import is_dense_array, is_vector

_MATRICES = ("A", "B", "C")
_SPARSE = ("sparseMetadata", "selector")
_SEGMENTS = "operandSegmentSizes"
_FACTORS = ("multiplicandAPtxType", "multiplicandBPtxType")


def element_of(type: Attribute, *, is_sum: bool) -> str | None:
    """Return PTX's name for the element type of a register of `type`; None if `type` does not determine
    it."""
    if isinstance(type, LLVMStructType):
        members = type.types.data
        return element_of(members[0], is_sum=is_sum) if members else None
    if is_vector(type):
        is_half = type.get_shape() == (2,) and isinstance(type.element_type, Float16Type)
        return "f16" if is_half else None
    if isinstance(type, Float64Type):
        return "f64"
    if isinstance(type, Float16Type):
        return "f16"
    if isinstance(type, Float32Type):
        return "f32" if is_sum else "tf32"
    return "s32" if is_sum and isinstance(type, IntegerType) else None


def read_product(parser: Parser, kind: type[Operation], inherent: frozenset[str]) -> Operation:
    """Parse an MMA after the op's name; raises a ParseError."""
    groups = [_registers(parser, name) for name in _MATRICES]
    if kind.name == "nvvm.mma.sp.sync":
        groups += [_registers(parser, name) for name in _SPARSE]
    entries = parser.parse_optional_attr_dict()
    parser.parse_punctuation(":")
    with parser.in_parens():
        types = parse_types(parser)
    if len(types) != len(_MATRICES):
        # MLIR resolves only the operands that have a type; its verifier then checks their number.
        count, total = sum(map(len, groups[: len(types)])), sum(map(len, groups))
        words = f"operand count ({count}) does not match with the total size ({total})"
        parser.raise_error(f"'{kind.name}' op {words} specified in attribute '{_SEGMENTS}'")
    operands: list[SSAValue] = []
    for names, type in zip(groups, [*types, i32, i32], strict=False):
        operands += parser.resolve_operands(names, [type] * len(names), parser.pos)
    parser.parse_punctuation("->")
    result = parser.parse_type()
    properties: Attributes = {name: value for name, value in entries.items() if name in inherent}
    for name, type in zip(_FACTORS, types, strict=False):
        if name in properties:
            continue
        # MLIR's parser infers the types of A and B in `mma.sync` as it does for C and D, unlike its printer.
        element = element_of(type, is_sum=kind.name == "nvvm.mma.sync")
        if element is None:
            words = f"attribute {name} is not provided explicitly and cannot be inferred"
            parser.raise_error(f"custom op '{kind.name}' {words}")
        properties[name] = Parser(parser.ctx, f"#nvvm.mma_type<{element}>").parse_attribute()
    properties[_SEGMENTS] = i32_array([len(names) for names in groups])
    return kind.create(
        operands=operands,
        result_types=[result],
        properties=properties,
        attributes={name: value for name, value in entries.items() if name not in inherent},
    )


def write_product(printer: Printer, op: Operation) -> None:
    """Print the text after the name of the op."""
    groups = _groups(op) or ()
    for name, values in zip((*_MATRICES, *_SPARSE), groups, strict=False):
        printer.print_string(f" {name}[")
        printer.print_list(values, printer.print_ssa_value)
        printer.print_string("] " if op.name == "nvvm.mma.sync" else "]")
    types = [values[0].type for values in groups[: len(_MATRICES)]]
    inferred = [name for name, type in zip(_FACTORS, types, strict=False) if element_of(type, is_sum=False)]
    entries = {**op.properties, **op.attributes}
    printer.print_op_attributes(
        {name: value for name, value in sorted(entries.items()) if name not in (_SEGMENTS, *inferred)}
    )
    printer.print_string(" : (")
    printer.print_list(types, printer.print_attribute)
    printer.print_string(") -> ")
    printer.print_attribute(op.results[0].type)


def is_product(op: Operation) -> bool:
    """Return whether the op can be printed: the registers of each matrix exist and have the same type."""
    groups = _groups(op)
    if groups is None or len(op.results) != 1:
        return False
    return all(
        values and all(value.type == values[0].type for value in values)
        for values in groups[: len(_MATRICES)]
    )


def _groups(op: Operation) -> Sequence[Sequence[SSAValue]] | None:
    sizes = op.properties.get(_SEGMENTS)
    wanted = len(_MATRICES) + (len(_SPARSE) if op.name == "nvvm.mma.sp.sync" else 0)
    numbers = integers(sizes) if is_dense_array(sizes) else ()
    if len(numbers) != wanted or sum(numbers) != len(op.operands):
        return None
    found: list[Sequence[SSAValue]] = []
    start = 0
    for number in numbers:
        found.append(op.operands[start : start + number])
        start += number
    return found


def _registers(parser: Parser, name: str) -> list[UnresolvedOperand]:
    parser.parse_keyword(name)
    return parser.parse_comma_separated_list(Parser.Delimiter.SQUARE, parser.parse_unresolved_operand)
