"""What ops of the llvm dialect write their own way: flags of integers, predicates in quotes, typed pointers.

Source: the parsers and printers in LLVMDialect.cpp, and the properties in LLVMOpBase.td.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, NoneAttr, VectorType, i32
from xdsl.ir import Attribute
from xdsl.parser import Parser

from gpuasync_lsp.syntax.dialects.assembly import i64_attr, integers
from gpuasync_lsp.syntax.dialects.llvm_attributes import LLVMVectorType, element_at
from gpuasync_lsp.syntax.kinds import is_vector
from gpuasync_lsp.syntax.ods.custom.parts import Written, names, typed_names
from gpuasync_lsp.syntax.ods.formats import Element
from gpuasync_lsp.syntax.ods.parts import Parts

OVERFLOW_FLAGS = {"nsw": 1, "nuw": 2}
_OVERFLOW = tuple(IntegerAttr(bits, i32) for bits in range(4))


def read_overflow(parser: Parser, parts: Parts, arguments: Sequence[Element]) -> None:
    """`overflow<nsw, nuw>`, or nothing."""
    if parser.parse_optional_keyword("overflow") is None:
        return
    flags = parser.parse_comma_separated_list(
        parser.Delimiter.ANGLE, lambda: parser.parse_keyword_in((*OVERFLOW_FLAGS, "none"))
    )
    bits = sum(OVERFLOW_FLAGS.get(flag, 0) for flag in set(flags))
    parts.properties[names(arguments)[0]] = _OVERFLOW[bits]


def _overflow(written: Written, arguments: Sequence[Element]) -> str:
    """Return the flags; in generic form, 18 to 19 had an attribute for what is a number later."""
    flags = written.op.properties.get(names(arguments)[0])
    if isinstance(flags, IntegerAttr):
        return ", ".join(name for name, bit in OVERFLOW_FLAGS.items() if flags.value.data & bit)
    words = getattr(flags, "data", "none")
    return "" if words == "none" else words


def write_overflow(written: Written, arguments: Sequence[Element]) -> None:
    """Print it."""
    written.printer.print_string(f"overflow<{_overflow(written, arguments)}>")


def has_overflow(written: Written, arguments: Sequence[Element]) -> bool:
    """Return whether there is a flag."""
    return bool(_overflow(written, arguments))


def read_quoted_case(parser: Parser, parts: Parts, arguments: Sequence[Element]) -> None:
    """`"slt"`: a case of an enumeration."""
    (name,) = names(arguments)
    constraint, position = parts.variant.attributes[name], parser.pos
    word = parser.parse_str_literal()
    if word not in constraint.cases:
        parser.raise_error(f"'{word}' is an incorrect value of the '{name}' attribute", position)
    parts.properties[name] = i64_attr(constraint.values[constraint.cases.index(word)])


def write_quoted_case(written: Written, arguments: Sequence[Element]) -> None:
    """Print it."""
    (name,) = names(arguments)
    constraint = written.variant.attributes[name]
    number = cast(IntegerAttr, written.op.properties[name]).value.data
    written.printer.print_string(f'"{constraint.cases[constraint.values.index(number)]}"')


def _pointee(pointer: Attribute) -> Attribute | None:
    """Return what a typed pointer of LLVM 16 points to."""
    found = getattr(pointer, "pointee", None)
    return found if isinstance(found, Attribute) and not isinstance(found, NoneAttr) else None


def _read_pointee(parser: Parser, pointer: Attribute) -> Attribute:
    said = "expected '->' and the result type of an access through an opaque pointer"
    return _pointee(pointer) or parser.raise_error(said)


def read_loaded(parser: Parser, parts: Parts, arguments: Sequence[Element]) -> None:
    """`!llvm.ptr -> f32`, or `!llvm.ptr<f32>`."""
    address, value = typed_names(arguments)
    pointer = parser.parse_type()
    is_opaque = parser.parse_optional_punctuation("->") is not None
    parts.types[address] = [pointer]
    parts.types[value] = [parser.parse_type() if is_opaque else _read_pointee(parser, pointer)]


def write_loaded(written: Written, arguments: Sequence[Element]) -> None:
    """Print it."""
    address, value = typed_names(arguments)
    (pointer,), (result,) = written.operands[address], written.results[value]
    written.printer.print_attribute(pointer.type)
    if _pointee(pointer.type) is None:
        written.printer.print_string(" -> ")
        written.printer.print_attribute(result.type)


def read_stored(parser: Parser, parts: Parts, arguments: Sequence[Element]) -> None:
    """`f32, !llvm.ptr`, or `!llvm.ptr<f32>`."""
    address, value = typed_names(arguments)
    first = parser.parse_type()
    is_opaque = parser.parse_optional_punctuation(",") is not None
    parts.types[address] = [parser.parse_type() if is_opaque else first]
    parts.types[value] = [first if is_opaque else _read_pointee(parser, first)]


def write_stored(written: Written, arguments: Sequence[Element]) -> None:
    """Print it."""
    address, value = typed_names(arguments)
    (pointer,), (stored,) = written.operands[address], written.operands[value]
    types = [pointer.type] if _pointee(pointer.type) else [stored.type, pointer.type]
    written.printer.print_list(types, written.printer.print_attribute)


def read_element_type(parser: Parser, parts: Parts, arguments: Sequence[Element]) -> None:
    """Nothing: the type of what is in a container follows from its position."""
    (element,) = typed_names(arguments)
    (container,) = parts.types["container"]
    found = element_at(container, _numbers(parts, "position"))
    if found is None:
        parser.raise_error("expected position to index into nested LLVM structure/array types")
    parts.types[element] = [found]
    parts.types.setdefault("res", [container])


def read_shuffled_type(parser: Parser, parts: Parts, arguments: Sequence[Element]) -> None:
    """Nothing: a vector that is put together has an element for each number of the mask."""
    (result,) = typed_names(arguments)
    (type,), size = parts.types["v1"], len(_numbers(parts, "mask"))
    if is_vector(type):
        made: Attribute = VectorType(type.element_type, [size], type.scalable_dims)
    else:
        made = LLVMVectorType(False, size, type.type if isinstance(type, LLVMVectorType) else type)
    parts.types |= {"v2": [type], result: [made]}


def _numbers(parts: Parts, name: str) -> Sequence[int]:
    return integers(cast(DenseArrayBase, parts.properties[name]))


def write_nothing(_written: Written, _arguments: Sequence[Element]) -> None:
    """Print nothing; in front of it there is a space, in MLIR as well."""
