"""Branches of the llvm dialect."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.dialects.builtin import (
    DenseArrayBase,
    DenseIntElementsAttr,
    DenseIntOrFPElementsAttr,
    IntegerType,
    VectorType,
)
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    successor_def,
    traits_def,
    var_operand_def,
    var_successor_def,
)
from xdsl.traits import IsTerminator

from gpuasync_lsp.syntax.dialects.assembly import Attributes, i32_array, integers
from gpuasync_lsp.syntax.ods.by_table import ByTable, TableOp, from_table

BrOp = from_table("llvm.br", TableOp)
CondBrOp = from_table("llvm.cond_br", TableOp)


@irdl_op_definition
class SwitchOp(ByTable):
    name = "llvm.switch"

    value = operand_def()
    default_operands = var_operand_def()
    case_operands = var_operand_def()
    case_values = opt_prop_def(DenseIntOrFPElementsAttr)
    case_operand_segments = prop_def(DenseArrayBase)
    branch_weights = opt_prop_def()
    default_destination = successor_def()
    case_destinations = var_successor_def()

    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    traits = traits_def(IsTerminator())

    def __init__(
        self,
        value: SSAValue | Operation,
        default: Block,
        default_operands: Sequence[SSAValue],
        cases: Sequence[tuple[int, Block, Sequence[SSAValue]]],
        properties: Attributes | None = None,
        attributes: Attributes | None = None,
    ):
        named: dict[str, Attribute | None] = {
            "case_operand_segments": i32_array([len(operands) for _, _, operands in cases]),
            **(properties or {}),
        }
        if cases:
            type = VectorType(cast(IntegerType, SSAValue.get(value).type), [len(cases)])
            numbers = [number for number, _, _ in cases]
            named["case_values"] = DenseIntOrFPElementsAttr.from_list(type, numbers)
        super().__init__(
            operands=[value, default_operands, [value for _, _, operands in cases for value in operands]],
            successors=[default, [block for _, block, _ in cases]],
            properties=named,
            attributes=attributes or {},
        )

    @property
    def cases(self) -> list[tuple[int, Block, Sequence[SSAValue]]]:
        """The value, the destination and the destination's operands of each case."""
        if self.case_values is None:
            return []
        numbers = cast(DenseIntElementsAttr, self.case_values).get_values()
        sizes = integers(self.case_operand_segments)
        found: list[tuple[int, Block, Sequence[SSAValue]]] = []
        start = 0
        for number, block, size in zip(numbers, self.case_destinations, sizes, strict=True):
            found.append((number, block, self.case_operands[start : start + size]))
            start += size
        return found
