"""Functions of the llvm dialect, calls, and the terminators of functions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import (
    I64,
    ArrayAttr,
    ComplexType,
    DenseArrayBase,
    DictionaryAttr,
    FunctionType,
    IntegerAttr,
    NoneType,
    StringAttr,
    SymbolRefAttr,
    UnitAttr,
)
from xdsl.ir import Attribute, Region, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    irdl_op_definition,
    opt_prop_def,
    opt_result_def,
    prop_def,
    region_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import IsolatedFromAbove, SymbolOpInterface

from gpuasync_lsp.syntax.dialects.assembly import (
    Attributes,
    bundle_properties,
    i32_array,
    i64_attr,
    integers,
    parse_attributes,
    parse_bundles,
    parse_operand_names,
    parse_result_list,
    parse_signature,
    print_attributes,
    print_bundles,
    print_result_list,
    print_signature,
    raise_error,
)
from gpuasync_lsp.syntax.dialects.llvm.assembly import (
    FASTMATH_DEFAULT,
    NO_FASTMATH,
    parse_comdat,
    parse_symbol_flags,
    print_comdat,
    print_symbol_flags,
)
from gpuasync_lsp.syntax.dialects.llvm_attributes import (
    CALLING_CONVENTIONS,
    LINKAGES,
    CConvAttr,
    FastmathFlagsAttr,
    LinkageAttr,
    LLVMFunctionType,
    LLVMVoidType,
    TailCallKindAttr,
)
from gpuasync_lsp.syntax.kinds import is_dense_array
from gpuasync_lsp.syntax.ods.by_table import TableOp, from_table
from gpuasync_lsp.syntax.ods.predicates import holds

_FOREIGN = (ComplexType, FunctionType, NoneType)
"""Builtin types that an llvm function cannot use, in addition to those that its ODS constraint rejects."""
TAIL_CALL_KINDS = ("none", "notail", "musttail", "tail")


def _is_foreign(type: Attribute) -> bool:
    if isinstance(type, _FOREIGN) or type.name.startswith(("async.", "gpu.")):
        return True
    return holds(["llvm-type"], type) is False


@irdl_op_definition
class LLVMFuncOp(IRDLOperation):
    name = "llvm.func"

    sym_name = prop_def(StringAttr)
    sym_visibility = opt_prop_def(StringAttr)
    function_type = prop_def(LLVMFunctionType)
    linkage = opt_prop_def(LinkageAttr, LinkageAttr("external"))
    cconv = opt_prop_def(CConvAttr, CConvAttr("ccc"), prop_name="CConv")
    visibility_ = opt_prop_def(IntegerAttr[I64], i64_attr(0))
    unnamed_addr = opt_prop_def(IntegerAttr[I64], i64_attr(0))
    dso_local = opt_prop_def(UnitAttr)
    comdat = opt_prop_def(SymbolRefAttr)
    personality = opt_prop_def(SymbolRefAttr)
    passthrough = opt_prop_def(ArrayAttr)
    arg_attrs = opt_prop_def(ArrayAttr[DictionaryAttr])
    res_attrs = opt_prop_def(ArrayAttr[DictionaryAttr])
    body = region_def()

    traits = traits_def(IsolatedFromAbove(), SymbolOpInterface())

    @classmethod
    def parse(cls, parser: Parser) -> LLVMFuncOp:
        linkage = parser.parse_optional_keyword_in(LINKAGES) or "external"
        properties = parse_symbol_flags(parser)
        if (convention := parser.parse_optional_keyword_in(CALLING_CONVENTIONS)) is not None:
            properties["CConv"] = CConvAttr(convention)
        name = parser.parse_symbol_name()
        start = parser.pos
        signature = parse_signature(parser, allow_variadic=True)
        for what, types in (("arguments", signature.inputs), ("results", signature.results)):
            if any(map(_is_foreign, types)):
                words = f"failed to construct function type: expected LLVM type for function {what}"
                raise_error(parser, cls.name, words, start)
        if len(signature.results) > 1:
            parser.raise_error("failed to construct function type: expected zero or one function result")
        vscale = _parse_vscale_range(parser)
        parse_comdat(parser, properties)
        named, attributes = parse_attributes(parser, cls, keyword=True)
        properties |= named
        if vscale is not None:
            attributes["vscale_range"] = vscale
        properties |= signature.attributes
        output = signature.results[0] if signature.results else LLVMVoidType()
        function_type = LLVMFunctionType(signature.inputs, output, signature.variadic)
        # MLIR parses an empty body as a declaration.
        region = parser.parse_optional_region(signature.arguments or None)
        properties |= {"sym_name": name, "function_type": function_type, "linkage": LinkageAttr(linkage)}
        return cls.create(properties=properties, attributes=attributes, regions=[region or Region()])

    def print(self, printer: Printer) -> None:
        if self.linkage.data != "external":
            printer.print_string(f" {self.linkage.data}")
        print_symbol_flags(printer, self.visibility_, None, self.unnamed_addr)
        if self.cconv.data != "ccc":
            printer.print_string(f" {self.cconv.data}")
        printer.print_string(" ")
        printer.print_symbol_name(self.sym_name.data)
        body = self.body.blocks.first
        print_signature(
            printer,
            self.function_type.inputs.data,
            self.function_type.results,
            None if body is None else body.args,
            self.arg_attrs,
            self.res_attrs,
            self.function_type.is_variadic,
        )
        vscale = self.attributes.get("vscale_range")
        if vscale is not None:
            _print_vscale_range(printer, vscale)
        print_comdat(printer, self.comdat)
        print_attributes(printer, self, self.PRINTED_ELSEWHERE, keyword=True)
        if body is not None:
            printer.print_string(" ")
            printer.print_region(self.body, print_entry_block_args=False, print_empty_block=False)

    PRINTED_ELSEWHERE: ClassVar = frozenset(
        {
            "sym_name",
            "function_type",
            "linkage",
            "CConv",
            "visibility_",
            "unnamed_addr",
            "comdat",
            "arg_attrs",
            "res_attrs",
            "vscale_range",
        }
    )


@irdl_op_definition
class CallOp(IRDLOperation):
    """A call. Without `callee` it is indirect: the first operand is the function pointer."""

    name = "llvm.call"

    callee = opt_prop_def(SymbolRefAttr)
    var_callee_type = opt_prop_def(LLVMFunctionType)
    cconv = opt_prop_def(CConvAttr, CConvAttr("ccc"), prop_name="CConv")
    tail_call_kind = opt_prop_def(TailCallKindAttr, TailCallKindAttr("none"), prop_name="TailCallKind")
    fastmath_flags = opt_prop_def(FastmathFlagsAttr, NO_FASTMATH, prop_name="fastmathFlags")
    op_bundle_sizes = opt_prop_def(DenseArrayBase, i32_array(()))
    op_bundle_tags = opt_prop_def(ArrayAttr)
    arg_attrs = opt_prop_def(ArrayAttr[DictionaryAttr])
    res_attrs = opt_prop_def(ArrayAttr[DictionaryAttr])
    branch_weights = opt_prop_def()
    no_unwind = opt_prop_def(UnitAttr)
    will_return = opt_prop_def(UnitAttr)
    convergent = opt_prop_def(UnitAttr)
    callee_operands = var_operand_def()
    op_bundle_operands = var_operand_def()
    result = opt_result_def()

    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    @property
    def args(self) -> Sequence[SSAValue]:
        """The call's arguments, without an indirect call's callee operand."""
        # Without bundles all operands are arguments; reading a segment is ten times slower.
        operands = self.operands if self.op_bundle_tags is None else self.callee_operands
        return operands if self.callee is not None else operands[1:]

    @classmethod
    def parse(cls, parser: Parser) -> CallOp:
        properties: Attributes = {}
        if (convention := parser.parse_optional_keyword_in(CALLING_CONVENTIONS)) is not None:
            properties["CConv"] = CConvAttr(convention)
        if (kind := parser.parse_optional_keyword_in(TAIL_CALL_KINDS)) is not None:
            properties["TailCallKind"] = TailCallKindAttr(kind)
        called = parser.parse_optional_unresolved_operand()
        if called is None:
            properties["callee"] = SymbolRefAttr(parser.parse_symbol_name())
        with parser.in_parens():
            names = parse_operand_names(parser)
        if parser.parse_optional_keyword("vararg") is not None:
            with parser.in_parens():
                properties["var_callee_type"] = parser.parse_type()
        bundles = parse_bundles(parser)
        named, attributes = parse_attributes(parser, cls)
        properties |= named
        parser.parse_punctuation(":")
        pointer_type = None
        if called is not None:
            pointer_type = parser.parse_type()
            parser.parse_punctuation(",")
        inputs, argument_attributes = _parse_argument_types(parser)
        parser.parse_punctuation("->")
        results, result_attributes = parse_result_list(parser)
        if argument_attributes is not None:
            properties["arg_attrs"] = argument_attributes
        if result_attributes is not None:
            properties["res_attrs"] = result_attributes
        if len(results) > 1:
            parser.raise_error("expected function with 0 or 1 result")
        operands = list(parser.resolve_operands(names, inputs, parser.pos))
        if called is not None and pointer_type is not None:
            operands.insert(0, parser.resolve_operand(called, pointer_type))
        bundled = [value for _, values in bundles for value in values]
        properties["operandSegmentSizes"] = i32_array([len(operands), len(bundled)])
        return cls.create(
            operands=[*operands, *bundled],
            result_types=results,
            properties=properties | bundle_properties(bundles),
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        if self.cconv.data != "ccc":
            printer.print_string(f" {self.cconv.data}")
        if self.tail_call_kind.data != "none":
            printer.print_string(f" {self.tail_call_kind.data}")
        printer.print_string(" ")
        callee, arguments = self.callee, self.args
        if callee is not None:
            printer.print_attribute(callee)
        else:
            printer.print_ssa_value(self.callee_operands[0])
        printer.print_string("(")
        printer.print_list(arguments, printer.print_ssa_value)
        printer.print_string(")")
        # Most calls have none of these fields, and reading each would take a third of the time.
        has_more = not self.properties.keys() <= self.WITHOUT_MORE
        if has_more and self.var_callee_type is not None:
            printer.print_string(" vararg(")
            printer.print_attribute(self.var_callee_type)
            printer.print_string(")")
        if has_more and self.op_bundle_tags is not None:
            print_bundles(printer, self.op_bundle_operands, self.op_bundle_sizes, self.op_bundle_tags)
        print_attributes(printer, self, self.PRINTED_ELSEWHERE, FASTMATH_DEFAULT)
        printer.print_string(" : ")
        if callee is None:
            printer.print_attribute(self.callee_operands[0].type)
            printer.print_string(", ")
        of_arguments, of_results = (self.arg_attrs, self.res_attrs) if has_more else (None, None)
        print_signature(printer, [value.type for value in arguments], [], argument_attributes=of_arguments)
        printer.print_string(" -> ")
        print_result_list(printer, [result.type for result in self.results], of_results)

    WITHOUT_MORE: ClassVar = frozenset(
        {"callee", "CConv", "TailCallKind", "fastmathFlags", "op_bundle_sizes", "operandSegmentSizes"}
    )
    """The properties of a plain call; the printer checks the optional parts of any other call."""

    PRINTED_ELSEWHERE: ClassVar = frozenset(
        {
            "callee",
            "var_callee_type",
            "CConv",
            "TailCallKind",
            "op_bundle_sizes",
            "op_bundle_tags",
            "operandSegmentSizes",
            "arg_attrs",
            "res_attrs",
        }
    )


ReturnOp = from_table("llvm.return", TableOp)
UnreachableOp = from_table("llvm.unreachable", TableOp)


def _parse_vscale_range(parser: Parser) -> Attribute | None:
    """Parse `vscale_range(1, 16)`; return its two bounds as an i32 array."""
    if parser.parse_optional_keyword("vscale_range") is None:
        return None
    return i32_array(
        parser.parse_comma_separated_list(parser.Delimiter.PAREN, lambda: parser.parse_integer())
    )


def _print_vscale_range(printer: Printer, bounds: Attribute) -> None:
    if is_dense_array(bounds):
        values = integers(bounds)
        printer.print_string(f" vscale_range({', '.join(map(str, values))})")


def _parse_argument_types(parser: Parser) -> tuple[list[Attribute], ArrayAttr[DictionaryAttr] | None]:
    """Parse argument types with attributes: `(i32 {llvm.noundef}, f32)`."""
    pairs = parser.parse_comma_separated_list(
        parser.Delimiter.PAREN, lambda: (parser.parse_type(), parser.parse_optional_attr_dict())
    )
    dictionaries = [DictionaryAttr(attributes) for _, attributes in pairs]
    has_any = any(attributes for _, attributes in pairs)
    return [type for type, _ in pairs], ArrayAttr(dictionaries) if has_any else None
