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
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    successor_def,
    traits_def,
    var_operand_def,
    var_successor_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import (
    IsTerminator,
)

from gpuasync_lsp.syntax.dialects.assembly import (
    Attributes,
    i32_array,
    integers,
    parse_attributes,
    parse_branch_target_operands,
    print_attributes,
    print_branch_target_operands,
    print_values_with_types,
)
from gpuasync_lsp.syntax.ods.by_table import TableOp, from_table

BrOp = from_table("llvm.br", TableOp)
CondBrOp = from_table("llvm.cond_br", TableOp)


@irdl_op_definition
class SwitchOp(IRDLOperation):
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
        """(case value, destination, its operands) of each case."""
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

    @classmethod
    def parse(cls, parser: Parser) -> SwitchOp:
        name = parser.parse_unresolved_operand()
        parser.parse_punctuation(":")
        value = parser.resolve_operand(name, parser.parse_type())
        parser.parse_punctuation(",")
        default = parser.parse_successor()
        default_operands = parse_branch_target_operands(parser)

        def parse_case() -> tuple[int, Block, Sequence[SSAValue]]:
            number = parser.parse_integer()
            parser.parse_punctuation(":")
            return number, parser.parse_successor(), parse_branch_target_operands(parser)

        cases = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parse_case)
        properties, attributes = parse_attributes(parser, cls)
        return cls(value, default, default_operands, cases, properties, attributes)

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        print_values_with_types(printer, [self.value])
        printer.print_string(", ")
        printer.print_block_name(self.default_destination)
        print_branch_target_operands(printer, self.default_operands)
        printer.print_string(" [")
        with printer.indented():
            for index, (number, block, operands) in enumerate(self.cases):
                printer.print_string(",\n" if index else "\n")
                printer.print_string(f"{number}: ")
                printer.print_block_name(block)
                print_branch_target_operands(printer, operands)
        printer.print_string("\n]")
        print_attributes(printer, self, ("case_values", "case_operand_segments", "operandSegmentSizes"))
