"""Ops of the `llvm` dialect that code for GPUs seldom has: exceptions, coroutines, matrices, masked memory.

What is in neither file stays opaque; where its text has an arrow, the types of its results are known.
"""

from __future__ import annotations

from abc import ABC
from typing import ClassVar

from xdsl.dialects.builtin import I32, I64, ArrayAttr, Float64Type, FloatAttr, IntegerAttr, UnitAttr, i1
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    AnyAttr,
    IRDLOperation,
    ParsePropInAttrDict,
    VarConstraint,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import IsTerminator, Pure

from gpuasync_lsp.syntax.attributes import AttributeSyntax, TextAttr, closing
from gpuasync_lsp.syntax.dialects.assembly import UNIT, i64_attr, named, parse_attributes, print_attributes
from gpuasync_lsp.syntax.dialects.llvm_attributes import LLVMPointerType, LLVMTokenType
from gpuasync_lsp.syntax.printer import attribute_text


class _Op(IRDLOperation, ABC):
    """An op whose attributes stand in its dictionary."""

    irdl_options = (ParsePropInAttrDict(),)


@irdl_op_definition
class LandingpadOp(_Op):
    """`cleanup (catch %a : !llvm.ptr) : !llvm.struct<(ptr, i32)>`; a filter takes an array, a catch none."""

    name = "llvm.landingpad"

    cleanup = opt_prop_def(UnitAttr)
    clauses = var_operand_def()
    res = result_def()

    @classmethod
    def parse(cls, parser: Parser) -> LandingpadOp:
        is_cleanup = parser.parse_optional_keyword("cleanup") is not None
        clauses = list[SSAValue]()
        while parser.parse_optional_punctuation("(") is not None:
            parser.parse_keyword_in(("catch", "filter"))
            name = parser.parse_unresolved_operand()
            parser.parse_punctuation(":")
            clauses.append(parser.resolve_operand(name, parser.parse_type()))
            parser.parse_punctuation(")")
        properties, attributes = parse_attributes(parser, cls)
        parser.parse_punctuation(":")
        return cls.create(
            operands=clauses,
            result_types=[parser.parse_type()],
            properties=properties | ({"cleanup": UNIT} if is_cleanup else {}),
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" cleanup" if self.cleanup is not None else "")
        for clause in self.clauses:
            kind = "filter" if clause.type.name == "llvm.array" else "catch"
            printer.print_string(f" ({kind} ")
            printer.print_ssa_value(clause)
            printer.print_string(" : ")
            printer.print_attribute(clause.type)
            printer.print_string(")")
        print_attributes(printer, self, ("cleanup",))
        printer.print_string(" : ")
        printer.print_attribute(self.res.type)


@irdl_op_definition
class ResumeOp(_Op):
    name = "llvm.resume"

    value = operand_def()

    traits = traits_def(IsTerminator())
    assembly_format = "$value attr-dict `:` type($value)"


@irdl_op_definition
class TrapOp(_Op):
    name = "llvm.intr.trap"

    assembly_format = "attr-dict"


class _MaskedOp(_Op, ABC):
    """What reads or writes the elements that a mask says."""

    alignment = prop_def(IntegerAttr[I32])
    nontemporal = opt_prop_def(UnitAttr)


@irdl_op_definition
class MaskedLoadOp(_MaskedOp):
    name = "llvm.intr.masked.load"

    data = operand_def()
    mask = operand_def()
    pass_thru = var_operand_def()
    res = result_def()

    assembly_format = "operands attr-dict `:` functional-type(operands, results)"


@irdl_op_definition
class MaskedStoreOp(_MaskedOp):
    name = "llvm.intr.masked.store"

    value = operand_def()
    data = operand_def()
    mask = operand_def()

    assembly_format = (
        "$value `,` $data `,` $mask attr-dict `:` type($value) `,` type($mask) `into` type($data)"
    )


@irdl_op_definition
class MaskedGatherOp(_MaskedOp):
    name = "llvm.intr.masked.gather"

    ptrs = operand_def()
    mask = operand_def()
    pass_thru = var_operand_def()
    res = result_def()

    assembly_format = "operands attr-dict `:` functional-type(operands, results)"


@irdl_op_definition
class MaskedScatterOp(_MaskedOp):
    name = "llvm.intr.masked.scatter"

    value = operand_def()
    ptrs = operand_def()
    mask = operand_def()

    assembly_format = (
        "$value `,` $ptrs `,` $mask attr-dict `:` type($value) `,` type($mask) `into` type($ptrs)"
    )


@irdl_op_definition
class VectorInsertOp(_Op):
    name = "llvm.intr.vector.insert"

    T: ClassVar = VarConstraint("T", AnyAttr())

    dstvec = operand_def(T)
    srcvec = operand_def()
    pos = prop_def(IntegerAttr[I64])
    res = result_def(T)

    traits = traits_def(Pure())
    assembly_format = "$srcvec `,` $dstvec `[` $pos `]` attr-dict `:` type($srcvec) `into` type($res)"


@irdl_op_definition
class VectorExtractOp(_Op):
    name = "llvm.intr.vector.extract"

    srcvec = operand_def()
    pos = prop_def(IntegerAttr[I64])
    res = result_def()

    traits = traits_def(Pure())
    assembly_format = "$srcvec `[` $pos `]` attr-dict `:` type($res) `from` type($srcvec)"


@irdl_op_definition
class StepVectorOp(_Op):
    name = "llvm.intr.stepvector"

    res = result_def()

    traits = traits_def(Pure())
    assembly_format = "attr-dict `:` type($res)"


@irdl_op_definition
class ExpectWithProbabilityOp(_Op):
    name = "llvm.intr.expect.with.probability"

    T: ClassVar = VarConstraint("T", AnyAttr())

    val = operand_def(T)
    expected = operand_def(T)
    prob = prop_def(FloatAttr[Float64Type])
    res = result_def(T)

    traits = traits_def(Pure())
    assembly_format = "$val `,` $expected `,` $prob attr-dict `:` type($val)"


@irdl_op_definition
class InvariantStartOp(_Op):
    name = "llvm.intr.invariant.start"

    size = prop_def(IntegerAttr[I64])
    ptr = operand_def()
    res = result_def(LLVMPointerType())

    assembly_format = "$size `,` $ptr attr-dict `:` type($ptr)"


@irdl_op_definition
class InvariantEndOp(_Op):
    name = "llvm.intr.invariant.end"

    start = operand_def(LLVMPointerType())
    size = prop_def(IntegerAttr[I64])
    ptr = operand_def()

    assembly_format = "$start `,` $size `,` $ptr attr-dict `:` type($ptr)"


class _CallLikeOp(_Op, ABC):
    """`%a, %b : (type, type) -> type`."""

    args = var_operand_def()
    res = result_def()

    assembly_format = "operands attr-dict `:` functional-type(operands, results)"


CALL_LIKE = tuple(
    named(_CallLikeOp, f"llvm.intr.{mnemonic}")
    for mnemonic in (
        "coro.begin", "coro.end", "coro.free", "coro.id", "coro.promise", "coro.save", "eh.typeid.for",
        "ptrmask",
    )
)  # fmt: skip


@irdl_op_definition
class CoroAlignOp(_Op):
    name = "llvm.intr.coro.align"

    res = result_def()

    assembly_format = "attr-dict `:` type($res)"


@irdl_op_definition
class CoroSizeOp(_Op):
    name = "llvm.intr.coro.size"

    res = result_def()

    assembly_format = "attr-dict `:` type($res)"


@irdl_op_definition
class CoroSuspendOp(_Op):
    name = "llvm.intr.coro.suspend"

    save = operand_def(LLVMTokenType())
    final = operand_def(i1)
    res = result_def()

    assembly_format = "$save `,` $final attr-dict `:` type($res)"


@irdl_op_definition
class CoroResumeOp(_Op):
    name = "llvm.intr.coro.resume"

    handle = operand_def()

    assembly_format = "$handle attr-dict `:` type($handle)"


ROUNDING_MODES = ("towardzero", "tonearest", "upward", "downward", "tonearestaway")
"""LLVM's rounding modes by number."""
EXCEPTIONS = ("ignore", "maytrap", "strict")
"""What LLVM may do to floating point exceptions, by number."""


class _ConstrainedCastOp(_Op, ABC):
    """`%a towardzero ignore : f64 to f32`: a cast under a rounding mode and with a rule for exceptions."""

    arg_0 = operand_def()
    roundingmode = opt_prop_def(IntegerAttr[I64])
    fp_exception_behavior = prop_def(IntegerAttr[I64], prop_name="fpExceptionBehavior")
    res = result_def()

    @classmethod
    def parse(cls, parser: Parser) -> _ConstrainedCastOp:
        name = parser.parse_unresolved_operand()
        written: dict[str, Attribute] = {}
        if (mode := parser.parse_optional_keyword_in(ROUNDING_MODES)) is not None:
            written["roundingmode"] = i64_attr(ROUNDING_MODES.index(mode))
        behavior = parser.parse_keyword_in(EXCEPTIONS)
        written["fpExceptionBehavior"] = i64_attr(EXCEPTIONS.index(behavior))
        properties, attributes = parse_attributes(parser, cls)
        parser.parse_punctuation(":")
        operand = parser.resolve_operand(name, parser.parse_type())
        parser.parse_keyword("to")
        return cls.create(
            operands=[operand],
            result_types=[parser.parse_type()],
            properties=properties | written,
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.arg_0)
        if self.roundingmode is not None:
            printer.print_string(f" {ROUNDING_MODES[self.roundingmode.value.data]}")
        printer.print_string(f" {EXCEPTIONS[self.fp_exception_behavior.value.data]}")
        print_attributes(printer, self, ("roundingmode", "fpExceptionBehavior"))
        printer.print_string(" : ")
        printer.print_attribute(self.arg_0.type)
        printer.print_string(" to ")
        printer.print_attribute(self.res.type)


ConstrainedFPExtOp = named(_ConstrainedCastOp, "llvm.intr.experimental.constrained.fpext")
ConstrainedFPTruncOp = named(_ConstrainedCastOp, "llvm.intr.experimental.constrained.fptrunc")
ConstrainedSIToFPOp = named(_ConstrainedCastOp, "llvm.intr.experimental.constrained.sitofp")
ConstrainedUIToFPOp = named(_ConstrainedCastOp, "llvm.intr.experimental.constrained.uitofp")


class _SameTypeOp(_Op, ABC):
    """What gives back its operand, and what other passes know of it by that."""

    T: ClassVar = VarConstraint("T", AnyAttr())

    arg = operand_def(T)
    res = result_def(T)

    assembly_format = "$arg attr-dict `:` type($arg)"


LaunderInvariantGroupOp = named(_SameTypeOp, "llvm.intr.launder.invariant.group")
StripInvariantGroupOp = named(_SameTypeOp, "llvm.intr.strip.invariant.group")
SSACopyOp = named(_SameTypeOp, "llvm.intr.ssa.copy")


@irdl_op_definition
class MatrixMultiplyOp(_Op):
    name = "llvm.intr.matrix.multiply"

    lhs = operand_def()
    rhs = operand_def()
    lhs_rows = prop_def(IntegerAttr[I32])
    lhs_columns = prop_def(IntegerAttr[I32])
    rhs_columns = prop_def(IntegerAttr[I32])
    res = result_def()

    traits = traits_def(Pure())
    assembly_format = "$lhs `,` $rhs attr-dict `:` `(` type($lhs) `,` type($rhs) `)` `->` type($res)"


@irdl_op_definition
class MatrixTransposeOp(_Op):
    name = "llvm.intr.matrix.transpose"

    matrix = operand_def()
    rows = prop_def(IntegerAttr[I32])
    columns = prop_def(IntegerAttr[I32])
    res = result_def()

    traits = traits_def(Pure())
    assembly_format = "$matrix attr-dict `:` type($matrix) `into` type($res)"


@irdl_op_definition
class MatrixColumnMajorLoadOp(_Op):
    name = "llvm.intr.matrix.column.major.load"

    data = operand_def()
    stride = operand_def()
    is_volatile = prop_def(IntegerAttr, prop_name="isVolatile")
    rows = prop_def(IntegerAttr[I32])
    columns = prop_def(IntegerAttr[I32])
    res = result_def()

    assembly_format = (
        "$data `,` `<` `stride` `=` $stride `>` attr-dict `:` type($res) `from` type($data) `stride` "
        "type($stride)"
    )


@irdl_op_definition
class MatrixColumnMajorStoreOp(_Op):
    name = "llvm.intr.matrix.column.major.store"

    matrix = operand_def()
    data = operand_def()
    stride = operand_def()
    is_volatile = prop_def(IntegerAttr, prop_name="isVolatile")
    rows = prop_def(IntegerAttr[I32])
    columns = prop_def(IntegerAttr[I32])

    assembly_format = (
        "$matrix `,` $data `,` `<` `stride` `=` $stride `>` attr-dict `:` type($matrix) `to` type($data) "
        "`stride` type($stride)"
    )


@irdl_op_definition
class ActiveLaneMaskOp(_Op):
    name = "llvm.intr.get.active.lane.mask"

    base = operand_def()
    n = operand_def()
    res = result_def()

    traits = traits_def(Pure())
    assembly_format = "$base `,` $n attr-dict `:` type($base) `,` type($n) `to` type($res)"


@irdl_op_definition
class DebugTrapOp(_Op):
    name = "llvm.intr.debugtrap"

    assembly_format = "attr-dict"


@irdl_op_definition
class VaStartOp(_Op):
    name = "llvm.intr.vastart"

    arg_list = operand_def()

    assembly_format = "$arg_list attr-dict `:` type($arg_list)"


@irdl_op_definition
class VaEndOp(_Op):
    name = "llvm.intr.vaend"

    arg_list = operand_def()

    assembly_format = "$arg_list attr-dict `:` type($arg_list)"


def _parse_bare(parser: Parser, name: str) -> Attribute:
    """Parse the attribute `#name<...>`, of which `<...>` is enough."""
    text, start = parser.lexer.input.content, parser.pos
    if not text.startswith("<", start) or not isinstance(parser, AttributeSyntax):
        return parser.parse_attribute()
    end = closing(text, start + 1, ">")
    if end < 0:
        parser.raise_error("expected '>'")
    return TextAttr(f"#{name}{parser.parse_text(start, end + 1)}")


def _print_bare(printer: Printer, attribute: Attribute, name: str) -> None:
    printer.print_string(f" {attribute_text(attribute).removeprefix(f'#{name}')}")


class _BareAttributeOp(_Op, ABC):
    """An op that is an attribute, written without its name: `llvm.blocktag <id = 1>`."""

    PROPERTY: ClassVar[str]
    ATTRIBUTE: ClassVar[str]

    @classmethod
    def parse(cls, parser: Parser) -> _BareAttributeOp:
        value = _parse_bare(parser, cls.ATTRIBUTE)
        return cls.create(properties={cls.PROPERTY: value}, attributes=parser.parse_optional_attr_dict())

    def print(self, printer: Printer) -> None:
        _print_bare(printer, self.properties[self.PROPERTY], self.ATTRIBUTE)
        print_attributes(printer, self, (self.PROPERTY,))


@irdl_op_definition
class NoAliasScopeDeclOp(_BareAttributeOp):
    name = "llvm.intr.experimental.noalias.scope.decl"

    PROPERTY: ClassVar = "scope"
    ATTRIBUTE: ClassVar = "llvm.alias_scope"

    scope = prop_def()


@irdl_op_definition
class BlockAddressOp(_Op):
    """`llvm.blockaddress <function = @f, tag = <id = 1>> : !llvm.ptr`."""

    name = "llvm.blockaddress"

    block_addr = prop_def()
    res = result_def()

    traits = traits_def(Pure())

    @classmethod
    def parse(cls, parser: Parser) -> BlockAddressOp:
        address = _parse_bare(parser, "llvm.blockaddress")
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        return cls.create(
            result_types=[parser.parse_type()], properties={"block_addr": address}, attributes=attributes
        )

    def print(self, printer: Printer) -> None:
        _print_bare(printer, self.block_addr, "llvm.blockaddress")
        print_attributes(printer, self, ("block_addr",))
        printer.print_string(" : ")
        printer.print_attribute(self.res.type)


@irdl_op_definition
class BlockTagOp(_BareAttributeOp):
    """`llvm.blocktag <id = 1>`."""

    name = "llvm.blocktag"

    PROPERTY: ClassVar = "tag"
    ATTRIBUTE: ClassVar = "llvm.blocktag"

    tag = prop_def()


@irdl_op_definition
class LinkerOptionsOp(_Op):
    name = "llvm.linker_options"

    options = prop_def(ArrayAttr)

    assembly_format = "$options attr-dict"


@irdl_op_definition
class ModuleFlagsOp(_Op):
    name = "llvm.module_flags"

    flags = prop_def(ArrayAttr)

    assembly_format = "$flags attr-dict"
