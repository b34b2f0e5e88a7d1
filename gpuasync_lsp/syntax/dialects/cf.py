"""MLIR's `cf` dialect, with xDSL's field names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.dialects.builtin import DenseArrayBase, DenseIntOrFPElementsAttr, IntegerType, VectorType
from xdsl.ir import Block, Operation, SSAValue
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
from gpuasync_lsp.syntax.ods.by_table import ByTable, TableOp, table_op_definition

Case = tuple[int, Block, Sequence[SSAValue]]


@table_op_definition
class AssertOp(TableOp):
    """`cf.assert %c, "message"`."""

    name = "cf.assert"


@irdl_op_definition
class BranchOp(ByTable):
    """`cf.br ^bb1(%a : i32)`."""

    name = "cf.br"

    arguments = var_operand_def()
    successor = successor_def()

    traits = traits_def(IsTerminator())

    def __init__(self, dest: Block, *arguments: SSAValue | Operation):
        super().__init__(operands=[arguments], successors=[dest])


@irdl_op_definition
class ConditionalBranchOp(ByTable):
    """`cf.cond_br %c weights([1, 2]), ^bb1(%a : i32), ^bb2`."""

    name = "cf.cond_br"

    cond = operand_def()
    then_arguments = var_operand_def()
    else_arguments = var_operand_def()
    branch_weights = opt_prop_def(DenseArrayBase)
    then_block = successor_def()
    else_block = successor_def()

    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    traits = traits_def(IsTerminator())

    def __init__(
        self,
        cond: SSAValue | Operation,
        then_block: Block,
        then_arguments: Sequence[SSAValue | Operation],
        else_block: Block,
        else_arguments: Sequence[SSAValue | Operation],
        properties: Attributes | None = None,
        attributes: Attributes | None = None,
    ):
        super().__init__(
            operands=[cond, then_arguments, else_arguments],
            successors=[then_block, else_block],
            properties=properties or {},
            attributes=attributes or {},
        )


@irdl_op_definition
class SwitchOp(ByTable):
    """`cf.switch %v : i32, [default: ^bb1(%a : i32), 42: ^bb2]`."""

    name = "cf.switch"

    flag = operand_def()
    default_operands = var_operand_def()
    case_operands = var_operand_def()
    case_values = opt_prop_def(DenseIntOrFPElementsAttr)
    case_operand_segments = prop_def(DenseArrayBase)
    default_block = successor_def()
    case_blocks = var_successor_def()

    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    traits = traits_def(IsTerminator())

    def __init__(
        self,
        flag: SSAValue | Operation,
        default_block: Block,
        default_operands: Sequence[SSAValue],
        cases: Sequence[Case],
        attributes: Attributes | None = None,
    ):
        properties: Attributes = {
            "case_operand_segments": i32_array([len(operands) for _, _, operands in cases])
        }
        if cases:
            type = VectorType(cast(IntegerType, SSAValue.get(flag).type), [len(cases)])
            values = [value for value, _, _ in cases]
            properties["case_values"] = DenseIntOrFPElementsAttr.from_list(type, values)
        super().__init__(
            operands=[flag, default_operands, [value for _, _, operands in cases for value in operands]],
            successors=[default_block, [block for _, block, _ in cases]],
            properties=properties,
            attributes=attributes or {},
        )

    @property
    def case_operand(self) -> tuple[Sequence[SSAValue], ...]:
        """The operands that the op passes to the successor of each case."""
        groups: list[Sequence[SSAValue]] = []
        start = 0
        for size in integers(self.case_operand_segments):
            groups.append(self.case_operands[start : start + size])
            start += size
        return tuple(groups)
