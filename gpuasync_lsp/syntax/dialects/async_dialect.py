"""The async dialect, which xDSL lacks, in MLIR's own syntax."""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    FlatSymbolRefAttrConstr,
    FunctionType,
    StringAttr,
    SymbolNameConstraint,
)
from xdsl.ir import Attribute, ParametrizedAttribute, Region, SSAValue, TypeAttribute
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    irdl_attr_definition,
    irdl_op_definition,
    opt_prop_def,
    prop_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import AttrParser, Parser
from xdsl.printer import Printer
from xdsl.traits import IsolatedFromAbove, IsTerminator, Pure, SymbolOpInterface

from gpuasync_lsp.syntax.dialects.assembly import (
    Attributes,
    i32_array,
    parse_attributes,
    parse_operand_names,
    parse_results,
    parse_signature,
    print_attributes,
    print_result_list,
    print_signature,
)
from gpuasync_lsp.syntax.ods.by_table import ByTable, TableOp, from_table, table_op_definition
from gpuasync_lsp.syntax.ods.reading import Parts

# Types


@irdl_attr_definition
class TokenType(ParametrizedAttribute, TypeAttribute):
    """`!async.token`: the completion of an async.execute."""

    name = "async.token"


@irdl_attr_definition
class ValueType(ParametrizedAttribute, TypeAttribute):
    """`!async.value<T>`: a T that is available after an await."""

    name = "async.value"

    value_type: Attribute

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            return [parser.parse_type()]


@irdl_attr_definition
class GroupType(ParametrizedAttribute, TypeAttribute):
    name = "async.group"


@irdl_attr_definition
class CoroHandleType(ParametrizedAttribute, TypeAttribute):
    name = "async.coro.handle"


@irdl_attr_definition
class CoroStateType(ParametrizedAttribute, TypeAttribute):
    name = "async.coro.state"


TOKEN = TokenType()

# Structured ops


@irdl_op_definition
class ExecuteOp(IRDLOperation):
    """`%t, %r = async.execute [%d] (%v as %a: !async.value<T>) -> !async.value<T> { ... }`."""

    name = "async.execute"

    dependencies = var_operand_def(TokenType)
    body_operands = var_operand_def()
    token = result_def(TokenType)
    body_results = var_result_def()
    body_region = region_def("single_block")

    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    PRINTED_PROPERTIES: ClassVar = ("operandSegmentSizes",)

    @classmethod
    def parse(cls, parser: Parser) -> ExecuteOp:
        dependencies: list[SSAValue] = []
        if parser.parse_optional_punctuation("[") is not None:
            dependencies = [parser.resolve_operand(name, TOKEN) for name in parse_operand_names(parser)]
            parser.parse_punctuation("]")
        operands: list[SSAValue] = []
        arguments: list[Parser.Argument] = []

        def parse_body_operand() -> None:
            name = parser.parse_unresolved_operand("expected SSA operand")
            parser.parse_keyword("as")
            argument = parser.parse_argument(expect_type=False)
            parser.parse_punctuation(":")
            type = parser.parse_type()
            operands.append(parser.resolve_operand(name, type))
            arguments.append(argument.resolve(type.value_type if isinstance(type, ValueType) else type))

        parser.parse_optional_comma_separated_list(parser.Delimiter.PAREN, parse_body_operand)
        results, _ = parse_results(parser)
        properties, attributes = parse_attributes(parser, cls, keyword=True)
        start = parser.pos
        body = parser.parse_region(arguments)
        if not body.blocks or (not arguments and body.blocks[0].is_empty):
            words = "region #0 ('bodyRegion') failed to verify constraint: region with 1 blocks"
            parser.raise_error(f"'{cls.name}' op {words}", start)
        sizes = i32_array((len(dependencies), len(operands)))
        return cls.create(
            operands=[*dependencies, *operands],
            result_types=[TOKEN, *results],
            properties=properties | {"operandSegmentSizes": sizes},
            attributes=attributes,
            regions=[body],
        )

    def print(self, printer: Printer) -> None:
        if self.dependencies:
            printer.print_string(" [")
            printer.print_list(self.dependencies, printer.print_ssa_value)
            printer.print_string("]")
        arguments = self.body_region.blocks[0].args
        if arguments:
            printer.print_string(" (")
            for index, (operand, argument) in enumerate(zip(self.body_operands, arguments, strict=True)):
                if index:
                    printer.print_string(", ")
                printer.print_ssa_value(operand)
                printer.print_string(" as ")
                printer.print_ssa_value(argument)
                printer.print_string(": ")
                printer.print_attribute(operand.type)
            printer.print_string(")")
        if self.body_results:
            printer.print_string(" -> ")
            print_result_list(printer, self.body_results.types)
        print_attributes(printer, self, self.PRINTED_PROPERTIES, keyword=True)
        printer.print_string(" ")
        printer.print_region(self.body_region, print_entry_block_args=False, print_empty_block=False)


@irdl_op_definition
class YieldOp(ByTable):
    """`async.yield %a : T`, the terminator of async.execute; the op returns its operands as
    `!async.value`s."""

    name = "async.yield"

    arguments = var_operand_def()

    traits = traits_def(IsTerminator(), Pure())


@table_op_definition
class AwaitOp(TableOp):
    """`async.await %t : !async.token`, or `%v = async.await %a : !async.value<T>`."""

    name = "async.await"

    def __init__(self, operand: SSAValue):
        awaited = operand.type
        super().__init__(
            operands=[operand],
            result_types=[awaited.value_type if isinstance(awaited, ValueType) else None],
        )

    @classmethod
    def complete(cls, parser: Parser, parts: Parts) -> None:
        (type,) = parts.types["operand"]
        parts.types["result"] = [type.value_type] if isinstance(type, ValueType) else []


@irdl_op_definition
class FuncOp(IRDLOperation):
    """`async.func @name(%a: T) -> !async.token { ... }`."""

    name = "async.func"

    sym_name = prop_def(SymbolNameConstraint())
    function_type = prop_def(FunctionType)
    sym_visibility = opt_prop_def(StringAttr)
    arg_attrs = opt_prop_def(ArrayAttr[DictionaryAttr])
    res_attrs = opt_prop_def(ArrayAttr[DictionaryAttr])
    body = region_def()

    traits = traits_def(IsolatedFromAbove(), SymbolOpInterface())

    PRINTED_PROPERTIES: ClassVar = ("sym_name", "sym_visibility", "function_type", "arg_attrs", "res_attrs")

    @classmethod
    def parse(cls, parser: Parser) -> FuncOp:
        properties: Attributes = {}
        visibility = parser.parse_optional_visibility_keyword()
        if visibility is not None:
            properties["sym_visibility"] = visibility
        properties["sym_name"] = parser.parse_symbol_name()
        signature = parse_signature(parser)
        properties["function_type"] = FunctionType.from_lists(signature.inputs, signature.results)
        properties |= signature.attributes
        inherent, attributes = parse_attributes(parser, cls, keyword=True)
        body = parser.parse_optional_region(signature.arguments) or Region()
        return cls.create(properties=inherent | properties, attributes=attributes, regions=[body])

    def print(self, printer: Printer) -> None:
        if self.sym_visibility is not None:
            printer.print_string(f" {self.sym_visibility.data}")
        printer.print_string(" ")
        printer.print_symbol_name(self.sym_name.data)
        print_signature(
            printer,
            self.function_type.inputs.data,
            self.function_type.outputs.data,
            self.body.blocks[0].args if self.body.blocks else None,
            self.arg_attrs,
            self.res_attrs,
        )
        print_attributes(printer, self, self.PRINTED_PROPERTIES, keyword=True)
        if self.body.blocks:
            printer.print_string(" ")
            printer.print_region(self.body, print_entry_block_args=False, print_empty_block=False)


@irdl_op_definition
class CallOp(ByTable):
    """`%t = async.call @name(%a) : (T) -> !async.token`."""

    name = "async.call"

    callee = prop_def(FlatSymbolRefAttrConstr)
    arguments = var_operand_def()
    arg_attrs = opt_prop_def(ArrayAttr[DictionaryAttr])
    res_attrs = opt_prop_def(ArrayAttr[DictionaryAttr])
    res = var_result_def(TokenType | ValueType)


@irdl_op_definition
class ReturnOp(ByTable):
    """`async.return %a : T`, the terminator of async.func."""

    name = "async.return"

    arguments = var_operand_def()

    traits = traits_def(IsTerminator(), Pure())


class _StorageOp(TableOp, ABC):
    """A load or store of an async value's storage; one operand's type determines the other's."""

    @classmethod
    def complete(cls, parser: Parser, parts: Parts) -> None:
        (type,) = parts.types["storage"]
        if not isinstance(type, ValueType):
            parser.raise_error("expected an async.value type")
        parts.types["value" if "value" in parts.names else "result"] = [type.value_type]


RuntimeStoreOp = from_table("async.runtime.store", _StorageOp)
RuntimeLoadOp = from_table("async.runtime.load", _StorageOp)
