"""MLIR's `func` dialect, with xDSL's field names; the parsers are handwritten because every file uses
them."""

from __future__ import annotations

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, FunctionType, StringAttr, SymbolRefAttr, UnitAttr
from xdsl.ir import Region
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    region_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import IsolatedFromAbove, IsTerminator, SymbolOpInterface

from gpuasync_lsp.syntax.dialects.assembly import (
    parse_attributes,
    parse_signature,
    print_attributes,
    print_signature,
    raise_error,
    typed,
)
from gpuasync_lsp.syntax.ods.by_table import ByTable, TableOp, table_op_definition
from gpuasync_lsp.syntax.ods.parts import Parts


@irdl_op_definition
class FuncOp(IRDLOperation):
    """`func.func private @f(%a: i32 {x}) -> f32 attributes {y} {...}`; a declaration has no body."""

    name = "func.func"

    sym_name = prop_def(StringAttr)
    function_type = prop_def(FunctionType)
    sym_visibility = opt_prop_def(StringAttr)
    arg_attrs = opt_prop_def(ArrayAttr[DictionaryAttr])
    res_attrs = opt_prop_def(ArrayAttr[DictionaryAttr])
    no_inline = opt_prop_def(UnitAttr)
    body = region_def()

    traits = traits_def(IsolatedFromAbove(), SymbolOpInterface())

    @property
    def is_declaration(self) -> bool:
        """Whether the function has no body."""
        return not self.body.blocks

    @classmethod
    def parse(cls, parser: Parser) -> FuncOp:
        visibility = parser.parse_optional_visibility_keyword()
        name = parser.parse_optional_symbol_name()
        if name is None:
            raise_error(parser, cls.name, "expected valid '@'-identifier for symbol name")
        signature = parse_signature(parser)
        position = parser.pos
        properties, attributes = parse_attributes(parser, cls, keyword=True)
        for inferred in ("sym_name", "function_type", "sym_visibility"):
            if inferred in properties:
                raise_error(
                    parser,
                    cls.name,
                    f"'{inferred}' is an inferred attribute and should not be specified in the explicit "
                    "attribute dictionary",
                    position,
                )
        properties |= signature.attributes
        start = parser.pos
        region = parser.parse_optional_region(signature.arguments)
        blocks = [] if region is None else list(region.blocks)
        if region is not None and not any(block.args or block.ops for block in blocks[:1]):
            raise_error(parser, cls.name, "expected non-empty function body", start)
        function_type = FunctionType.from_lists(signature.inputs, signature.results)
        properties |= {"sym_name": name, "function_type": function_type}
        if visibility is not None:
            properties["sym_visibility"] = visibility
        return cls.create(properties=properties, attributes=attributes, regions=[region or Region()])

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        if self.sym_visibility is not None:
            printer.print_string(f"{self.sym_visibility.data} ")
        printer.print_symbol_name(self.sym_name.data)
        entry = self.body.blocks.first
        type = self.function_type
        arguments = None if entry is None else entry.args
        print_signature(
            printer, type.inputs.data, type.outputs.data, arguments, self.arg_attrs, self.res_attrs
        )
        elided = ("sym_name", "function_type", "sym_visibility", "arg_attrs", "res_attrs")
        print_attributes(printer, self, elided, keyword=True)
        if entry is not None:
            printer.print_string(" ")
            printer.print_region(self.body, print_entry_block_args=False, print_empty_block=False)


@irdl_op_definition
class CallOp(ByTable):
    """`%r:2 = func.call @f(%a) : (i32) -> (f32, f32)`."""

    name = "func.call"

    arguments = var_operand_def()
    callee = prop_def(SymbolRefAttr)
    no_inline = opt_prop_def(UnitAttr)
    arg_attrs = opt_prop_def(ArrayAttr[DictionaryAttr])
    res_attrs = opt_prop_def(ArrayAttr[DictionaryAttr])
    res = var_result_def()


@irdl_op_definition
class CallIndirectOp(ByTable):
    """`%r = func.call_indirect %f(%a) : (i32) -> f32`."""

    name = "func.call_indirect"

    callee = operand_def()
    callee_operands = var_operand_def()
    arg_attrs = opt_prop_def(ArrayAttr[DictionaryAttr])
    res_attrs = opt_prop_def(ArrayAttr[DictionaryAttr])
    res = var_result_def()

    @classmethod
    def complete(cls, parser: Parser, parts: Parts) -> None:
        (callee,) = parts.types["callee"]
        if not isinstance(callee, FunctionType):
            words = f"invalid kind of type specified: expected builtin.function, but found {typed(callee)}"
            raise_error(parser, cls.name, words)
        parts.types |= {"callee_operands": [*callee.inputs], "results": [*callee.outputs]}


@table_op_definition
class ConstantOp(TableOp):
    """`%f = func.constant @f : (i32) -> f32`."""

    name = "func.constant"


@irdl_op_definition
class ReturnOp(ByTable):
    """`func.return %a, %b : i32, f32`."""

    name = "func.return"

    arguments = var_operand_def()

    traits = traits_def(IsTerminator())
