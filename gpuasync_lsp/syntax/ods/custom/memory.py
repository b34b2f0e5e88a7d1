"""Custom assembly of memref: values of globals, permutations, pairs of keywords.

Source: the parsers and printers in MemRefOps.cpp.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from xdsl.dialects.builtin import AffineMapAttr, BoolAttr, DenseArrayBase, IntegerAttr, UnitAttr
from xdsl.ir import Attribute
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.parser import Parser

from gpuasync_lsp.syntax.dialects.assembly import (
    UNIT,
    as_memref,
    i64_attr,
    parse_mixed_list,
    print_mixed_list,
    raise_error,
    static_of,
    typed,
)
from gpuasync_lsp.syntax.kinds import map_of, number_of
from gpuasync_lsp.syntax.ods.custom.affine import atomic_kinds
from gpuasync_lsp.syntax.ods.custom.parts import Written, names, words
from gpuasync_lsp.syntax.ods.formats import Element
from gpuasync_lsp.syntax.ods.parts import Parts
from gpuasync_lsp.syntax.printer import attribute_text

_OLD_KINDS = {"maxf": "maximumf", "minf": "minimumf"}
"""Maps names of atomic kinds through LLVM 17 to their current names."""


def read_global(parser: Any, parts: Parts, arguments: Sequence[Element]) -> None:
    """Parse `memref<2xf32> = dense<1.0>`; a unit attribute means `uninitialized`, no value means a
    declaration."""
    type_name, value = names(arguments)
    type: Attribute = parser.parse_type()
    parts.properties[type_name] = type
    memref = as_memref(type)
    if memref is None or not memref.has_static_shape():
        raise_error(parser, parts.variant.name, f"type should be static shaped memref, but got {typed(type)}")
    if parser.parse_optional_punctuation("=") is None:
        return
    if parser.parse_optional_keyword("uninitialized") is not None:
        parts.properties[value] = UNIT
    else:
        parts.properties[value] = parser.parse_untyped_elements(type)


def write_global(written: Written, arguments: Sequence[Element]) -> None:
    """Print the type and the initial value of a memref.global."""
    type_name, value = names(arguments)
    written.printer.print_attribute(written.op.properties[type_name])
    initial = written.op.properties.get(value)
    if isinstance(initial, UnitAttr):
        written.printer.print_string(" = uninitialized")
    elif initial is not None:
        written.printer.print_string(f" = {attribute_text(initial).rpartition(' : ')[0]}")


def read_choice(parser: Parser, parts: Parts, arguments: Sequence[Element]) -> None:
    """Parse one of two keywords for a boolean, such as `read` or `write`."""
    first, second, true, what = words(arguments)
    message = f"{what} has to be '{first}' or '{second}'"
    word = parser.expect(lambda: parser.parse_optional_keyword_in((first, second)), message)
    parts.properties[names(arguments)[0]] = BoolAttr.from_bool(word == true)


def write_choice(written: Written, arguments: Sequence[Element]) -> None:
    """Print one of two keywords for a boolean, such as `read` or `write`."""
    first, second, true, _ = words(arguments)
    is_true = bool(number_of(written.op.properties[names(arguments)[0]]))
    written.printer.print_string(first if is_true == (first == true) else second)


def read_permutation(parser: Parser, parts: Parts, arguments: Sequence[Element]) -> None:
    """Parse a permutation of dimensions: `(i, j) -> (j, i)`."""
    dimensions = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_identifier)
    parser.parse_punctuation("->")
    results = parser.parse_comma_separated_list(
        parser.Delimiter.PAREN, lambda: parser.parse_keyword_in(dimensions)
    )
    exprs = tuple(AffineExpr.dimension(dimensions.index(result)) for result in results)
    parts.properties[names(arguments)[0]] = AffineMapAttr(AffineMap(len(dimensions), 0, exprs))


def write_permutation(written: Written, arguments: Sequence[Element]) -> None:
    """Print a permutation of dimensions as an affine map."""
    written.printer.print_string(str(map_of(written.op.properties[names(arguments)[0]])))


def read_atomic_kind(parser: Parser, parts: Parts, arguments: Sequence[Element]) -> None:
    """Parse the kind of an atomic op, such as `addf`, and store its number in LLVM 22."""
    word = parser.parse_keyword_in((*atomic_kinds(), *_OLD_KINDS))
    kind = atomic_kinds().index(_OLD_KINDS.get(word, word))
    parts.properties[names(arguments)[0]] = i64_attr(kind)


def write_atomic_kind(written: Written, arguments: Sequence[Element]) -> None:
    """Print the kind of an atomic op, such as `addf`."""
    kind = cast(IntegerAttr, written.op.properties[names(arguments)[0]])
    written.printer.print_string(atomic_kinds()[kind.value.data])


def read_word(parser: Parser, parts: Parts, arguments: Sequence[Element]) -> None:
    """Parse the optional keyword of a unit attribute, such as `disjoint`."""
    if parser.parse_optional_keyword(words(arguments)[0]) is not None:
        parts.properties[names(arguments)[0]] = UNIT


def write_word(written: Written, arguments: Sequence[Element]) -> None:
    """Print the keyword of a unit attribute, such as `disjoint`."""
    written.printer.print_string(words(arguments)[0])


def has_word(written: Written, arguments: Sequence[Element]) -> bool:
    """Return whether the keyword is printed; in generic form the attribute may be a boolean."""
    value = written.op.properties.get(names(arguments)[0])
    return isinstance(value, UnitAttr) or value == BoolAttr.from_bool(True)


def read_output_shape(parser: Parser, parts: Parts, arguments: Sequence[Element]) -> None:
    """Parse `output_shape [2, %n]`, since LLVM 19."""
    dynamic, static = names(arguments)
    if parser.parse_optional_keyword("output_shape") is not None:
        entries = parse_mixed_list(parser)
        parts.names[dynamic] = [each for each in entries if not isinstance(each, int)]
        parts.properties[static] = static_of(entries)


def write_output_shape(written: Written, arguments: Sequence[Element]) -> None:
    """Print the output shape of a memref.expand_shape."""
    dynamic, static = names(arguments)
    written.printer.print_string("output_shape ")
    sizes = cast(DenseArrayBase, written.op.properties[static])
    print_mixed_list(written.printer, written.operands[dynamic], sizes)


def has_output_shape(written: Written, arguments: Sequence[Element]) -> bool:
    """Return whether the output shape is printed."""
    return names(arguments)[1] in written.op.properties
