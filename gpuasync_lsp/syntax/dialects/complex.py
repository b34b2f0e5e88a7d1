"""MLIR's `complex` dialect: xDSL's, and the op that it lacks."""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.complex import Complex
from xdsl.irdl import (
    AnyAttr,
    IRDLOperation,
    ParsePropInAttrDict,
    VarConstraint,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import Pure

from gpuasync_lsp.syntax.dialects.arith import NO_FASTMATH, FastMathFlagsAttr
from gpuasync_lsp.syntax.dialects.assembly import completed


@irdl_op_definition
class PowiOp(IRDLOperation):
    """`%z, %i : complex<f32>, i32`."""

    name = "complex.powi"

    T: ClassVar = VarConstraint("T", AnyAttr())

    lhs = operand_def(T)
    rhs = operand_def()
    fastmath = opt_prop_def(FastMathFlagsAttr, default_value=NO_FASTMATH)
    result = result_def(T)

    traits = traits_def(Pure())
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$lhs `,` $rhs (`fastmath` `` $fastmath^)? attr-dict `:` type($result) `,` type($rhs)"


COMPLEX = completed(Complex, [PowiOp])
