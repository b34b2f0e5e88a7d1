"""Terminators of the llvm dialect whose successors take operands.

    llvm.invoke @f(%a) to ^bb1(%b : i32) unwind ^bb2 : (i32) -> i32
    llvm.indirectbr %address : !llvm.ptr, [^bb1(%b : i32), ^bb2]

Source: `InvokeOp::parse`, `InvokeOp::print`, `parseIndirectBrOpSucessors` in LLVMDialect.cpp (LLVM 16-22).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, SymbolRefAttr
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.parser import Parser
from xdsl.printer import Printer

from gpuasync_lsp.syntax.dialects.assembly import (
    Attributes,
    bundle_properties,
    i32_array,
    integers,
    parse_branch_target_operands,
    parse_bundles,
    parse_operand_names,
    parse_signature,
    print_branch_target_operands,
    print_bundles,
    print_result_list,
    print_signature,
    print_values_with_types,
)
from gpuasync_lsp.syntax.dialects.llvm_attributes import CALLING_CONVENTIONS, CConvAttr
from gpuasync_lsp.syntax.kinds import is_dense_array
from gpuasync_lsp.syntax.ods.by_hand.functions import dictionaries

_SEGMENTS = "operandSegmentSizes"
_OF_INDIRECT = "indbr_operand_segments"
_SHOWN = (
    "callee", "var_callee_type", "CConv", "op_bundle_sizes", "op_bundle_tags", "arg_attrs", "res_attrs",
    _SEGMENTS,
)  # fmt: skip


def read_invoke(parser: Parser, kind: type[Operation], inherent: frozenset[str]) -> Operation:
    """Parse an `llvm.invoke` after its name; raises a ParseError."""
    properties: Attributes = {}
    if (convention := parser.parse_optional_keyword_in(CALLING_CONVENTIONS)) is not None:
        properties["CConv"] = CConvAttr(convention)
    called = parser.parse_optional_unresolved_operand()
    if called is None:
        properties["callee"] = SymbolRefAttr(parser.parse_symbol_name())
    with parser.in_parens():
        names = parse_operand_names(parser)
    parser.parse_keyword("to")
    normal = parser.parse_successor()
    normal_operands = parse_branch_target_operands(parser)
    parser.parse_keyword("unwind")
    unwind = parser.parse_successor()
    unwind_operands = parse_branch_target_operands(parser)
    if parser.parse_optional_keyword("vararg") is not None:
        with parser.in_parens():
            properties["var_callee_type"] = parser.parse_type()
    bundles = parse_bundles(parser)
    entries = parser.parse_optional_attr_dict()
    parser.parse_punctuation(":")
    operands: list[SSAValue] = []
    if called is not None:
        operands.append(parser.resolve_operand(called, parser.parse_type()))
        parser.parse_punctuation(",")
    signature = parse_signature(parser)
    if len(signature.results) > 1:
        parser.raise_error("expected function with 0 or 1 result")
    properties |= signature.attributes
    operands += parser.resolve_operands(names, signature.inputs, parser.pos)
    bundled = [value for _, values in bundles for value in values]
    properties[_SEGMENTS] = i32_array(
        [len(operands), len(normal_operands), len(unwind_operands), len(bundled)]
    )
    properties |= bundle_properties(bundles)
    return kind.create(
        operands=[*operands, *normal_operands, *unwind_operands, *bundled],
        result_types=signature.results,
        successors=[normal, unwind],
        properties=properties | {name: value for name, value in entries.items() if name in inherent},
        attributes={name: value for name, value in entries.items() if name not in inherent},
    )


def write_invoke(printer: Printer, op: Operation) -> None:
    """Print the text after the name of the op."""
    properties = op.properties
    parts = _parts(op)
    assert parts is not None
    called, normal, unwind, bundled = parts
    convention = properties.get("CConv")
    if isinstance(convention, CConvAttr) and convention.data != "ccc":
        printer.print_string(f" {convention.data}")
    printer.print_string(" ")
    callee = properties.get("callee")
    if callee is not None:
        printer.print_attribute(callee)
    else:
        printer.print_ssa_value(called[0])
    arguments = called if callee is not None else called[1:]
    with printer.in_parens():
        printer.print_list(arguments, printer.print_ssa_value)
    for word, block, values in zip(("to", "unwind"), op.successors, (normal, unwind), strict=True):
        printer.print_string(f" {word} ")
        _write_successor(printer, block, values)
    if (variadic := properties.get("var_callee_type")) is not None:
        printer.print_string(" vararg(")
        printer.print_attribute(variadic)
        printer.print_string(")")
    sizes, tags = properties.get("op_bundle_sizes"), properties.get("op_bundle_tags")
    if isinstance(sizes, DenseArrayBase) and isinstance(tags, ArrayAttr):
        print_bundles(printer, bundled, cast(DenseArrayBase, sizes), cast("ArrayAttr[Attribute]", tags))
    entries = {**properties, **op.attributes}
    printer.print_op_attributes({key: value for key, value in sorted(entries.items()) if key not in _SHOWN})
    printer.print_string(" : ")
    if callee is None:
        printer.print_attribute(called[0].type)
        printer.print_string(", ")
    print_signature(
        printer,
        [value.type for value in arguments],
        [],
        argument_attributes=dictionaries(properties.get("arg_attrs")),
    )
    printer.print_string(" -> ")
    types = [result.type for result in op.results]
    print_result_list(printer, types, dictionaries(properties.get("res_attrs")))


def is_invoke(op: Operation) -> bool:
    """Return whether the op can be printed: no operand group, successor or attribute is missing."""
    parts = _parts(op)
    if parts is None or len(op.successors) != 2:
        return False
    return "callee" in op.properties or bool(parts[0])


def read_indirect(parser: Parser, kind: type[Operation], inherent: frozenset[str]) -> Operation:
    """Parse an `llvm.indirectbr` after its name; raises a ParseError."""
    name = parser.parse_unresolved_operand()
    parser.parse_punctuation(":")
    address = parser.resolve_operand(name, parser.parse_type())
    parser.parse_punctuation(",")
    targets = parser.parse_comma_separated_list(
        Parser.Delimiter.SQUARE, lambda: (parser.parse_successor(), parse_branch_target_operands(parser))
    )
    entries = parser.parse_optional_attr_dict()
    return kind.create(
        operands=[address, *(value for _, values in targets for value in values)],
        successors=[block for block, _ in targets],
        properties={
            _OF_INDIRECT: i32_array([len(values) for _, values in targets]),
            **{each: value for each, value in entries.items() if each in inherent},
        },
        attributes={each: value for each, value in entries.items() if each not in inherent},
    )


def write_indirect(printer: Printer, op: Operation) -> None:
    """Print the text after the name of the op."""
    printer.print_string(" ")
    print_values_with_types(printer, op.operands[:1])
    printer.print_string(", [")
    start = 1
    for index, (block, size) in enumerate(zip(op.successors, _sizes(op, _OF_INDIRECT) or (), strict=True)):
        printer.print_string(",\n" if index else "\n")
        _write_successor(printer, block, op.operands[start : start + size])
        start += size
    printer.print_string("\n]" if op.successors else "]")
    entries = {**op.properties, **op.attributes}
    printer.print_op_attributes(
        {name: value for name, value in sorted(entries.items()) if name != _OF_INDIRECT}
    )


def is_indirect(op: Operation) -> bool:
    """Return whether the op can be printed: no operand group, successor or attribute is missing."""
    sizes = _sizes(op, _OF_INDIRECT)
    return sizes is not None and len(sizes) == len(op.successors) and sum(sizes) + 1 == len(op.operands)


def _write_successor(printer: Printer, block: Block, values: Sequence[SSAValue]) -> None:
    printer.print_block_name(block)
    print_branch_target_operands(printer, values)


def _sizes(op: Operation, name: str) -> Sequence[int] | None:
    sizes = op.properties.get(name)
    return integers(sizes) if is_dense_array(sizes) else None


def _parts(op: Operation) -> Sequence[Sequence[SSAValue]] | None:
    """Return the arguments of a call, the operands of its successors, and its bundles (since LLVM 20)."""
    sizes = _sizes(op, _SEGMENTS)
    if sizes is None or len(sizes) not in (3, 4) or sum(sizes) != len(op.operands) or min(sizes) < 0:
        return None
    found: list[Sequence[SSAValue]] = []
    start = 0
    for size in (*sizes, 0)[:4]:
        found.append(op.operands[start : start + size])
        start += size
    return found
