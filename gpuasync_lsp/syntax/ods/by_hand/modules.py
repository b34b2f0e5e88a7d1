"""`spirv.module @m Logical GLSL450 requires #spirv.vce<...> attributes {x} {...}`.

Source: `ModuleOp::parse` and `ModuleOp::print` in mlir/lib/Dialect/SPIRV/IR/SPIRVOps.cpp.
"""

from __future__ import annotations

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Block, Operation
from xdsl.parser import Parser
from xdsl.printer import Printer

from gpuasync_lsp.syntax.dialects.assembly import Attributes
from gpuasync_lsp.syntax.ods.by_hand.words import read_word, word_of

_MODELS = ("addressing_model", "memory_model")
_TRIPLE = "vce_triple"


def read_module(parser: Parser, kind: type[Operation], inherent: frozenset[str]) -> Operation:
    """Return the module whose text begins behind the name of its op; raises a ParseError."""
    properties: Attributes = {}
    name = parser.parse_optional_symbol_name()
    if name is not None:
        properties["sym_name"] = name
    for model in _MODELS:
        word = parser.expect(parser.parse_optional_identifier, f"expected {model.replace('_', ' ')}")
        properties[model] = read_word(parser, kind.name, model, word)
    if parser.parse_optional_keyword("requires") is not None:
        properties[_TRIPLE] = parser.parse_attribute()
    attributes: Attributes = {}
    if parser.parse_optional_keyword("attributes") is not None:
        attributes = parser.parse_optional_attr_dict()
    region = parser.parse_region()
    if not region.blocks:
        region.add_block(Block())
    return kind.create(
        properties=properties | {each: value for each, value in attributes.items() if each in inherent},
        attributes={each: value for each, value in attributes.items() if each not in inherent},
        regions=[region],
    )


def write_module(printer: Printer, op: Operation) -> None:
    """Print what stands behind the name of the op."""
    name = op.properties.get("sym_name")
    if isinstance(name, StringAttr):
        printer.print_string(" ")
        printer.print_symbol_name(name.data)
    for model in _MODELS:
        printer.print_string(f" {word_of(op.properties[model])}")
    if _TRIPLE in op.properties:
        printer.print_string(" requires ")
        printer.print_attribute(op.properties[_TRIPLE])
    entries = {**op.properties, **op.attributes}
    said = ("sym_name", _TRIPLE, *_MODELS)
    shown = {each: value for each, value in sorted(entries.items()) if each not in said}
    printer.print_op_attributes(shown, print_keyword=True)
    printer.print_string(" ")
    printer.print_region(op.regions[0], print_entry_block_args=False, print_empty_block=False)


def is_module(op: Operation) -> bool:
    """Tell whether the op has what its assembly says."""
    return len(op.regions) == 1 and all(model in op.properties for model in _MODELS)
