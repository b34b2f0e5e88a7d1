"""Custom assembly of linalg and vector computations: maps and iterators, and the op inside a mask.

Source: the parsers and printers in LinalgOps.cpp and VectorOps.cpp.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, StringAttr, TensorType
from xdsl.ir import Attribute, Block
from xdsl.parser import Parser

from gpuasync_lsp.syntax.dialects.assembly import parse_types, raise_error
from gpuasync_lsp.syntax.dialects.llvm_attributes import KeywordAttr
from gpuasync_lsp.syntax.kinds import is_array
from gpuasync_lsp.syntax.ods.custom.parts import Written, names, typed_names, words
from gpuasync_lsp.syntax.ods.formats import Element
from gpuasync_lsp.syntax.ods.parts import Parts

if TYPE_CHECKING:
    from gpuasync_lsp.syntax.printer import MlirPrinter

_WORDS = "iterator_types"
_KINDS = ("parallel", "reduction")


def read_trait(parser: Parser, parts: Parts, arguments: Sequence[Element]) -> None:
    """Parse `{indexing_maps = [...], iterator_types = ["parallel"]}`; iterator types become linalg
    attributes."""
    # The text may be an attribute alias instead of a dictionary.
    trait = parser.parse_attribute()
    if not isinstance(trait, DictionaryAttr):
        raise_error(parser, parts.variant.name, "expected dictionary attribute")
    entries = dict(trait.data)
    listed = entries.get(_WORDS)
    if is_array(listed):
        kind = parser.ctx.get_attr(words(arguments)[0])
        assert issubclass(kind, KeywordAttr)
        found: list[Attribute] = []
        for each in listed:
            if isinstance(each, StringAttr) and each.data not in _KINDS:
                raise_error(parser, parts.variant.name, f"unexpected iterator_type ({each.data})")
            found.append(kind(each.data) if isinstance(each, StringAttr) else each)
        entries[_WORDS] = ArrayAttr(found)
    parts.put_dictionary(entries)


def write_trait(written: Written, arguments: Sequence[Element]) -> None:
    """Print the dictionary with indexing maps and iterator types."""
    entries = {
        name: written.op.properties[name] for name in names(arguments) if name in written.op.properties
    }
    listed = cast(ArrayAttr[Attribute], entries[_WORDS])
    entries[_WORDS] = ArrayAttr(
        [StringAttr(each.data) if isinstance(each, KeywordAttr) else each for each in listed]
    )
    written.printer.print_attr_dict(entries)


def read_two_types(parser: Parser, parts: Parts, arguments: Sequence[Element]) -> None:
    """Parse two types `A, B`; further types in the list are ignored."""
    types = parse_types(parser)
    if len(types) < 2:
        parser.raise_error("expected at least two vector types")
    for name, type in zip(names(arguments), types, strict=False):
        parts.types[name] = [type]


def write_two_types(written: Written, arguments: Sequence[Element]) -> None:
    """Print the two types of a structured op."""
    types = [written.operands[name][0].type for name in names(arguments)]
    written.printer.print_list(types, written.printer.print_attribute)


def read_masked(parser: Parser, parts: Parts, arguments: Sequence[Element]) -> None:
    """Parse `{ op }`; add the omitted terminator, which yields all results of the op."""
    region = parts.read_region(parser)
    if not region.blocks:
        region.add_block(Block())
    block, ending = region.block, parser.ctx.get_op("vector.yield")
    if not isinstance(block.last_op, ending):
        block.add_op(ending.create(operands=() if block.last_op is None else block.last_op.results))
    parts.regions[names(arguments)[0]] = [region]


def write_masked(written: Written, arguments: Sequence[Element]) -> None:
    """Print the first op of the region: the masked op, or, like MLIR, the terminator if there is none."""
    (region,) = written.regions[names(arguments)[0]]
    written.printer.print_string("{ ")
    if region.block.first_op is not None:
        cast("MlirPrinter", written.printer).print_unnamed(region.block.first_op)
    written.printer.print_string(" }")


def read_destination(parser: Parser, parts: Parts, arguments: Sequence[Element]) -> None:
    """Parse the type of a destination. A tensor type is also the result type; for a buffer there is no
    result."""
    destination, result = typed_names(arguments)
    type = parser.parse_type()
    parts.types |= {destination: [type], result: [type] if isinstance(type, TensorType) else []}


def write_destination(written: Written, arguments: Sequence[Element]) -> None:
    """Print the type of the destination operand."""
    written.printer.print_attribute(written.operands[typed_names(arguments)[0]][0].type)
