"""Ops of the `llvm` dialect that code for GPUs seldom has: exceptions, masked memory, parts of vectors.

What is in neither file stays opaque; where its text has an arrow, the types of its results are known.
"""

from __future__ import annotations

from abc import ABC
from typing import ClassVar

from xdsl.dialects.builtin import I32, I64, Float64Type, FloatAttr, IntegerAttr, UnitAttr
from xdsl.ir import SSAValue
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

from gpuasync_lsp.syntax.dialects.assembly import UNIT, parse_attributes, print_attributes
from gpuasync_lsp.syntax.dialects.llvm_attributes import LLVMPointerType


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


RARE = (
    ExpectWithProbabilityOp,
    InvariantEndOp,
    InvariantStartOp,
    LandingpadOp,
    MaskedGatherOp,
    MaskedLoadOp,
    MaskedScatterOp,
    MaskedStoreOp,
    ResumeOp,
    StepVectorOp,
    TrapOp,
    VectorExtractOp,
    VectorInsertOp,
)
"""The ops, for the dialect."""
