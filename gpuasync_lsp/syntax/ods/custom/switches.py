"""The cases of a switch: `default: ^bb1(%a : i32), 42: ^bb2`, in cf, llvm and spirv.

Source: `parseSwitchOpCases` and `printSwitchOpCases` in ControlFlowOps.cpp, LLVMDialect.cpp and spirv's
ControlFlowOps.cpp (LLVM 16 to 22).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.dialects.builtin import (
    DenseIntElementsAttr,
    DenseIntOrFPElementsAttr,
    IndexType,
    IntegerType,
    VectorType,
)
from xdsl.ir import Block, SSAValue
from xdsl.parser import Parser

from gpuasync_lsp.syntax.dialects.assembly import (
    i32_array,
    integers,
    parse_operand_names,
    parse_types,
    print_branch_target_operands,
    raise_error,
    typed,
)
from gpuasync_lsp.syntax.ods.custom.parts import Written, by_name, names
from gpuasync_lsp.syntax.ods.formats import Element
from gpuasync_lsp.syntax.ods.parts import Parts
from gpuasync_lsp.syntax.ods.table import Variant


def read_cases(parser: Parser, parts: Parts, arguments: Sequence[Element]) -> None:
    """Parse `default: ^bb1, 42: ^bb2(%a : i32)`, or only the cases: `[42: ^bb2(%a : i32)]`."""
    *default, values, targets, operands = names(arguments)
    if default:
        (of_flag,) = parts.types[parts.variant.operands[0][0]]
        if not isinstance(of_flag, IntegerType | IndexType):
            words = f"invalid kind of type specified: expected builtin.integer, but found {typed(of_flag)}"
            raise_error(parser, parts.variant.name, words)
        if parser.parse_optional_keyword("default") is None:
            raise_error(parser, parts.variant.name, "expected 'default'")
        parser.parse_punctuation(":")
        _read_target(parser, parts, *default)
    numbers: list[int] = []
    sizes: list[int] = []

    def read_case() -> None:
        numbers.append(parser.parse_integer())
        parser.parse_punctuation(":")
        sizes.append(_read_target(parser, parts, targets, operands))

    if default:
        while parser.parse_optional_punctuation(",") is not None:
            read_case()
    else:
        within = parser.Delimiter.NONE if _has_brackets(parts.variant) else parser.Delimiter.SQUARE
        parser.parse_comma_separated_list(within, read_case)
    parts.properties[parts.constraint(operands).segments] = i32_array(sizes)
    if numbers:
        (flag,) = parts.types[parts.variant.operands[0][0]]
        type = VectorType(cast(IntegerType, flag), [len(numbers)])
        parts.properties[values] = DenseIntOrFPElementsAttr.from_list(type, numbers)


def _read_target(parser: Parser, parts: Parts, target: str, operands: str) -> int:
    """Parse `^bb1(%a, %b : i32, f32)`; return the number of operands."""
    parts.successors.setdefault(target, []).append(parser.parse_successor())
    found = parts.names.setdefault(operands, [])
    types = parts.types.setdefault(operands, [])
    if parser.parse_optional_punctuation("(") is None:
        return 0
    named = parse_operand_names(parser)
    if named:
        parser.parse_punctuation(":")
        found += named
        types += parse_types(parser, len(named))
    parser.parse_punctuation(")")
    return len(named)


def write_cases(written: Written, arguments: Sequence[Element]) -> None:
    """Print the cases of a switch, each on a separate line."""
    *default, values, targets, operands = names(arguments)
    of_type = written.op.operands[0].type
    blocks = by_name(written.variant.successors, written.op.successors) or {}
    if default:
        written.put("  default: ")
        _write_target(written, blocks[default[0]][0], written.operands[default[1]])
    elif not _has_brackets(written.variant):
        written.put("[\n")
    cases = written.op.properties.get(values)
    numbers: Sequence[int] = () if cases is None else cast(DenseIntElementsAttr, cases).get_values()
    # If the directive includes the default, MLIR prints negative values as unsigned numbers.
    modulus = 1 << getattr(of_type, "bitwidth", 64)
    sizes = written.op.properties[written.variant.operands[-1][1].segments]
    start = 0
    for index, (number, block, size) in enumerate(
        zip(numbers, blocks[targets], integers(sizes), strict=True)
    ):
        written.put(",\n  " if index or default else "  ")
        written.put(f"{number % modulus if default else number}: ")
        _write_target(written, block, written.operands[operands][start : start + size])
        start += size
    written.put("\n" if numbers else "")
    written.put("" if default or _has_brackets(written.variant) else "]")


def _has_brackets(variant: Variant) -> bool:
    """Return whether the format contains the brackets around the cases, as in LLVM 16."""
    return "`[`" in variant.format


def _write_target(written: Written, block: Block, operands: Sequence[SSAValue]) -> None:
    written.printer.print_block_name(block)
    print_branch_target_operands(written.printer, operands)
