"""Globals of the llvm dialect: variables, aliases, their addresses, constructors, comdats."""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import IntegerAttr, IntegerType, StringAttr, i32
from xdsl.ir import Attribute, Region
from xdsl.irdl import opt_prop_def, prop_def, traits_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import IsolatedFromAbove, SymbolOpInterface

from gpuasync_lsp.syntax.dialects.assembly import UNIT, Attributes, parse_attributes, print_attributes
from gpuasync_lsp.syntax.dialects.llvm.assembly import (
    parse_comdat,
    parse_symbol_flags,
    print_comdat,
    print_symbol_flags,
)
from gpuasync_lsp.syntax.dialects.llvm_attributes import LINKAGES, LinkageAttr, LLVMArrayType
from gpuasync_lsp.syntax.ods.by_table import TableOp, table_op_definition


@table_op_definition
class GlobalOp(TableOp):
    name = "llvm.mlir.global"

    sym_name = prop_def(StringAttr)
    global_type = prop_def()
    linkage = prop_def(LinkageAttr)
    alignment = opt_prop_def(IntegerAttr)

    traits = traits_def(IsolatedFromAbove(), SymbolOpInterface())

    @classmethod
    def parse(cls, parser: Parser) -> GlobalOp:
        linkage = parser.parse_optional_keyword_in(LINKAGES) or "external"
        properties = parse_symbol_flags(parser, allow_thread_local=True)
        constant = parser.parse_optional_keyword("constant") is not None
        name = parser.parse_symbol_name()
        with parser.in_parens():
            value = parser.parse_optional_attribute()
        parse_comdat(parser, properties)
        named, attributes = parse_attributes(parser, cls)
        properties |= named
        region = None
        if parser.parse_optional_punctuation(":") is not None:
            global_type: Attribute = parser.parse_type()
            region = parser.parse_optional_region()
        elif isinstance(value, StringAttr):
            global_type = LLVMArrayType(len(value.data.encode()), IntegerType(8))
        else:
            parser.raise_error("type can only be omitted for string globals")
        fields: Attributes = {
            "addr_space": IntegerAttr(0, i32),
            "sym_name": name,
            "global_type": global_type,
            "linkage": LinkageAttr(linkage),
        }
        if value is not None:
            fields["value"] = value
        if constant:
            fields["constant"] = UNIT
        return cls.create(properties=fields | properties, attributes=attributes, regions=[region or Region()])

    def print(self, printer: Printer) -> None:
        printer.print_string(f" {self.linkage.data}")
        print_symbol_flags(printer, self.visibility_, self.thread_local_, self.unnamed_addr)
        if self.constant is not None:
            printer.print_string(" constant")
        printer.print_string(" ")
        printer.print_symbol_name(self.sym_name.data)
        with printer.in_parens():
            if self.value is not None:
                printer.print_attribute(self.value)
        print_comdat(printer, self.comdat)
        print_attributes(printer, self, self.PRINTED_ELSEWHERE)
        if not isinstance(self.value, StringAttr):
            printer.print_string(" : ")
            printer.print_attribute(self.global_type)
        if self.initializer.blocks:
            printer.print_string(" ")
            printer.print_region(self.initializer, print_entry_block_args=False)

    PRINTED_ELSEWHERE: ClassVar = frozenset(
        {
            "sym_name",
            "global_type",
            "linkage",
            "constant",
            "value",
            "visibility_",
            "unnamed_addr",
            "thread_local_",
            "comdat",
        }
    )


@table_op_definition
class AliasOp(TableOp):
    name = "llvm.mlir.alias"

    traits = traits_def(IsolatedFromAbove(), SymbolOpInterface())

    @classmethod
    def parse(cls, parser: Parser) -> AliasOp:
        linkage = parser.parse_optional_keyword_in(LINKAGES) or "external"
        properties = parse_symbol_flags(parser, allow_thread_local=True)
        name = parser.parse_symbol_name()
        named, attributes = parse_attributes(parser, cls)
        parser.parse_punctuation(":")
        properties |= named
        properties |= {"sym_name": name, "linkage": LinkageAttr(linkage), "alias_type": parser.parse_type()}
        return cls.create(properties=properties, attributes=attributes, regions=[parser.parse_region()])

    def print(self, printer: Printer) -> None:
        printer.print_string(f" {self.linkage.data}")
        print_symbol_flags(printer, self.visibility_, self.thread_local_, self.unnamed_addr)
        printer.print_string(" ")
        printer.print_symbol_name(self.sym_name.data)
        print_attributes(
            printer,
            self,
            ("sym_name", "alias_type", "linkage", "visibility_", "unnamed_addr", "thread_local_"),
        )
        printer.print_string(" : ")
        printer.print_attribute(self.alias_type)
        printer.print_string(" ")
        printer.print_region(self.initializer, print_entry_block_args=False)


@table_op_definition
class AddressOfOp(TableOp):
    name = "llvm.mlir.addressof"
