"""Custom assembly of the llvm dialect: flags, quoted predicates, typed pointers, bundles.

Source: the parsers and printers in LLVMDialect.cpp, and the properties in LLVMOpBase.td.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    DictionaryAttr,
    IntegerAttr,
    NoneAttr,
    StringAttr,
    VectorType,
    i32,
)
from xdsl.ir import Attribute
from xdsl.parser import Parser

from gpuasync_lsp.syntax.dialects.assembly import (
    i32_array,
    i64_attr,
    integers,
    parse_operand_names,
    parse_signature,
    parse_types,
    print_bundles,
    print_result_list,
    print_signature,
    raise_error,
)
from gpuasync_lsp.syntax.dialects.llvm_attributes import LINKAGES, LinkageAttr, LLVMVectorType, element_at
from gpuasync_lsp.syntax.kinds import is_vector, number_of
from gpuasync_lsp.syntax.ods.custom.parts import Written, names, typed_names
from gpuasync_lsp.syntax.ods.formats import Element
from gpuasync_lsp.syntax.ods.parts import Parts

OVERFLOW_FLAGS = {"nsw": 1, "nuw": 2}
_OVERFLOW = tuple(IntegerAttr(bits, i32) for bits in range(4))


def read_overflow(parser: Parser, parts: Parts, arguments: Sequence[Element]) -> None:
    """Parse `overflow<nsw, nuw>`, or nothing."""
    if parser.parse_optional_keyword("overflow") is None:
        return
    flags = parser.parse_comma_separated_list(
        parser.Delimiter.ANGLE, lambda: parser.parse_keyword_in((*OVERFLOW_FLAGS, "none"))
    )
    bits = sum(OVERFLOW_FLAGS.get(flag, 0) for flag in set(flags))
    parts.properties[names(arguments)[0]] = _OVERFLOW[bits]


def _overflow(written: Written, arguments: Sequence[Element]) -> str:
    """Return the text of the flags; in LLVM 18 and 19, the generic form has an attribute, not a number."""
    flags = written.op.properties.get(names(arguments)[0])
    if isinstance(flags, IntegerAttr):
        return ", ".join(name for name, bit in OVERFLOW_FLAGS.items() if flags.value.data & bit)
    words = getattr(flags, "data", "none")
    return "" if words == "none" else words


def write_overflow(written: Written, arguments: Sequence[Element]) -> None:
    """Print overflow flags: `overflow<nsw, nuw>`."""
    written.printer.print_string(f"overflow<{_overflow(written, arguments)}>")


def has_overflow(written: Written, arguments: Sequence[Element]) -> bool:
    """Return whether an overflow flag is set."""
    return bool(_overflow(written, arguments))


def read_quoted_case(parser: Parser, parts: Parts, arguments: Sequence[Element]) -> None:
    """Parse a case of an enumeration in quotes: `"slt"`."""
    (name,) = names(arguments)
    constraint, position = parts.variant.attributes[name], parser.pos
    word = parser.parse_str_literal()
    if word not in constraint.cases:
        parser.raise_error(f"'{word}' is an incorrect value of the '{name}' attribute", position)
    parts.properties[name] = i64_attr(constraint.values[constraint.cases.index(word)])


def write_quoted_case(written: Written, arguments: Sequence[Element]) -> None:
    """Print a case of an enumeration in quotes: `"slt"`."""
    (name,) = names(arguments)
    constraint = written.variant.attributes[name]
    number = number_of(written.op.properties[name])
    written.printer.print_string(f'"{constraint.cases[constraint.values.index(number)]}"')


def read_linkage(parser: Parser, parts: Parts, arguments: Sequence[Element]) -> None:
    """Parse a linkage such as `internal`; the default is `external`."""
    word = parser.parse_optional_keyword_in(LINKAGES) or "external"
    parts.properties[names(arguments)[0]] = LinkageAttr(word)


def write_linkage(written: Written, arguments: Sequence[Element]) -> None:
    """Print a linkage other than `external`."""
    linkage = written.op.properties[names(arguments)[0]]
    written.put(linkage.data if isinstance(linkage, LinkageAttr) else "external")


def read_bundles(parser: Parser, parts: Parts, arguments: Sequence[Element]) -> None:
    """Parse `["tag"(%a, %b : i32, f32), "other"()]`, or nothing."""
    operands, tags = names(arguments)
    sizes: list[int] = []
    found: list[Attribute] = []
    values, types = parts.names.setdefault(operands, []), parts.types.setdefault(operands, [])

    def read_bundle() -> None:
        found.append(StringAttr(parser.parse_str_literal()))
        with parser.in_parens():
            named = parse_operand_names(parser)
            if named:
                parser.parse_punctuation(":")
                values.extend(named)
                at = parser.pos
                given = parse_types(parser)
                types.extend(given)
                if len(given) != len(named):
                    words = f"expected {len(named)} types for operand bundle operands for operand bundle "
                    raise_error(
                        parser, parts.variant.name, f"{words}#{len(sizes)}, but actually got {len(given)}", at
                    )
        sizes.append(len(named))

    parser.parse_optional_comma_separated_list(parser.Delimiter.SQUARE, read_bundle)
    parts.properties[parts.constraint(operands).segments] = i32_array(sizes)
    if found:
        parts.properties[tags] = ArrayAttr(found)


def write_bundles(written: Written, arguments: Sequence[Element]) -> None:
    """Print the operand bundles of a call."""
    operands, tags = names(arguments)
    sizes = written.op.properties.get(dict(written.variant.operands)[operands].segments)
    print_bundles(
        written.printer,
        written.operands[operands],
        cast(DenseArrayBase, sizes),
        cast("ArrayAttr[Attribute]", written.op.properties[tags]),
        before="",
    )


def has_bundles(written: Written, arguments: Sequence[Element]) -> bool:
    """Return whether a call has operand bundles."""
    return names(arguments)[1] in written.op.properties


def read_call_types(parser: Parser, parts: Parts, arguments: Sequence[Element]) -> None:
    """Parse `(i32 {llvm.signext}) -> (f32 {llvm.inreg})`: the types of a call, with attributes."""
    operands, results = typed_names(arguments)
    signature = parse_signature(parser)
    parts.types |= {operands: [*signature.inputs], results: [*signature.results]}
    parts.properties |= signature.attributes


def write_call_types(written: Written, arguments: Sequence[Element]) -> None:
    """Print the types of a call; without a result, an empty list follows the arrow."""
    operands, results = typed_names(arguments)
    of_operands, of_results = (
        cast("ArrayAttr[DictionaryAttr] | None", written.op.properties.get(name)) for name in names(arguments)
    )
    inputs = [value.type for value in written.operands[operands]]
    print_signature(written.printer, inputs, [], argument_attributes=of_operands)
    written.put(" -> ")
    print_result_list(written.printer, [value.type for value in written.results[results]], of_results)


def _pointee(pointer: Attribute) -> Attribute | None:
    """Return the pointee type of LLVM 16's typed pointer."""
    found = getattr(pointer, "pointee", None)
    return found if isinstance(found, Attribute) and not isinstance(found, NoneAttr) else None


def _read_pointee(parser: Parser, pointer: Attribute) -> Attribute:
    message = "expected '->' and the result type of an access through an opaque pointer"
    return _pointee(pointer) or parser.raise_error(message)


def read_loaded(parser: Parser, parts: Parts, arguments: Sequence[Element]) -> None:
    """Parse the types of a load: `!llvm.ptr -> f32`, or `!llvm.ptr<f32>`."""
    address, value = typed_names(arguments)
    pointer = parser.parse_type()
    is_opaque = parser.parse_optional_punctuation("->") is not None
    parts.types[address] = [pointer]
    parts.types[value] = [parser.parse_type() if is_opaque else _read_pointee(parser, pointer)]


def write_loaded(written: Written, arguments: Sequence[Element]) -> None:
    """Print the types of a load."""
    address, value = typed_names(arguments)
    (pointer,), (result,) = written.operands[address], written.results[value]
    written.printer.print_attribute(pointer.type)
    if _pointee(pointer.type) is None:
        written.printer.print_string(" -> ")
        written.printer.print_attribute(result.type)


def read_stored(parser: Parser, parts: Parts, arguments: Sequence[Element]) -> None:
    """Parse the types of a store: `f32, !llvm.ptr`, or `!llvm.ptr<f32>`."""
    address, value = typed_names(arguments)
    first = parser.parse_type()
    is_opaque = parser.parse_optional_punctuation(",") is not None
    parts.types[address] = [parser.parse_type() if is_opaque else first]
    parts.types[value] = [first if is_opaque else _read_pointee(parser, first)]


def write_stored(written: Written, arguments: Sequence[Element]) -> None:
    """Print the types of a store."""
    address, value = typed_names(arguments)
    (pointer,), (stored,) = written.operands[address], written.operands[value]
    types = [pointer.type] if _pointee(pointer.type) else [stored.type, pointer.type]
    written.printer.print_list(types, written.printer.print_attribute)


def read_element_type(parser: Parser, parts: Parts, arguments: Sequence[Element]) -> None:
    """Infer the type of a member from the container and the position, without parsing anything."""
    (element,) = typed_names(arguments)
    (container,) = parts.types["container"]
    found = element_at(container, _numbers(parts, "position"))
    if found is None:
        parser.raise_error("expected position to index into nested LLVM structure/array types")
    parts.types[element] = [found]
    parts.types.setdefault("res", [container])


def read_shuffled_type(parser: Parser, parts: Parts, arguments: Sequence[Element]) -> None:
    """Infer the result type of a shuffle, with one element per mask entry, without parsing anything."""
    (result,) = typed_names(arguments)
    (type,), size = parts.types["v1"], len(_numbers(parts, "mask"))
    if is_vector(type):
        made: Attribute = VectorType(type.element_type, [size], type.scalable_dims)
    else:
        made = LLVMVectorType(False, size, type.type if isinstance(type, LLVMVectorType) else type)
    parts.types |= {"v2": [type], result: [made]}


def _numbers(parts: Parts, name: str) -> Sequence[int]:
    return integers(parts.properties[name])


def write_nothing(_written: Written, _arguments: Sequence[Element]) -> None:
    """Print nothing. As in MLIR, the space before it is printed nevertheless."""
