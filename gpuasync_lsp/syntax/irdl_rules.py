"""Verifies ops that users' IRDL files define, with the messages of `mlir-opt --irdl-file`."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    AttrConstraint,
    EqAttrConstraint,
    IRDLOperation,
    RangeConstraint,
    RangeLengthConstraint,
    RangeOf,
    VarConstraint,
    VerificationContext,
)
from xdsl.utils.exceptions import VerifyException

from gpuasync_lsp.syntax.dialects.assembly import typed

_MADE_FROM_IRDL = "xdsl.irdl.operations"
"""The module of the op classes that xDSL creates for IRDL files."""


def is_from_irdl(op: Operation) -> bool:
    """Return whether the class of `op` was created for an IRDL file."""
    return type(op).__module__ == _MADE_FROM_IRDL


def irdl_fault(op: Operation) -> str | None:
    """Return the error for `op`; None if it is valid or not defined by an IRDL file."""
    if not is_from_irdl(op) or not isinstance(op, IRDLOperation):
        return None
    definition = op.get_irdl_definition()
    groups = (
        ("operands", definition.operands, op.operands),
        ("results", definition.results, op.results),
    )
    for what, definitions, values in groups:
        if len(definitions) != len(values):
            return f"op expects exactly {len(definitions)} {what}, but got {len(values)}"
    if len(op.regions) != len(definition.regions):
        counts = f"expected {len(definition.regions)} but got {len(op.regions)}"
        return f"'{op.name}' op unexpected number of regions: {counts}"
    context = VerificationContext()
    for _, definitions, values in groups:
        wrong = _types(context, [each.constr for _, each in definitions], values)
        if wrong is not None:
            return wrong
    return None


def _types(
    context: VerificationContext,
    constraints: Sequence[RangeConstraint[Attribute]],
    values: Sequence[SSAValue],
) -> str | None:
    for constraint, value in zip(constraints, values, strict=True):
        if isinstance(constraint, RangeLengthConstraint):
            constraint = constraint.constraint
        if not isinstance(constraint, RangeOf):
            continue
        wanted = constraint.constr
        only = _only(wanted, context)
        try:
            wanted.verify(value.type, context)
        except VerifyException:
            if only is not None:
                return f"expected {typed(only)} but got {typed(value.type)}"
            return f"{typed(value.type)} does not satisfy the constraint"
    return None


def _only(constraint: AttrConstraint[Attribute], context: VerificationContext) -> Attribute | None:
    """Return the only attribute that satisfies `constraint`; None if there are several."""
    if isinstance(constraint, VarConstraint):
        bound = context.get_variable(constraint.name) if constraint.name in context.attr_variables else None
        return bound if bound is not None else _only(constraint.constraint, context)
    return constraint.attr if isinstance(constraint, EqAttrConstraint) else None
