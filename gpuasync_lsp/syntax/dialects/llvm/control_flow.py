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
    print_integer_list,
    print_values_with_types,
)


@irdl_op_definition
class BrOp(IRDLOperation):
    name = "llvm.br"

    dest_operands = var_operand_def()
    loop_annotation = opt_prop_def()
    dest = successor_def()

    traits = traits_def(IsTerminator())

    @classmethod
    def parse(cls, parser: Parser) -> BrOp:
        dest = parser.parse_successor()
        operands = parse_branch_target_operands(parser)
        properties, attributes = parse_attributes(parser, cls)
        return cls.create(operands=operands, successors=[dest], properties=properties, attributes=attributes)

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_block_name(self.dest)
        print_branch_target_operands(printer, self.dest_operands)
        print_attributes(printer, self)


@irdl_op_definition
class CondBrOp(IRDLOperation):
    name = "llvm.cond_br"

    condition = operand_def()
    true_dest_operands = var_operand_def()
    false_dest_operands = var_operand_def()
    branch_weights = opt_prop_def()
    loop_annotation = opt_prop_def()
    true_dest = successor_def()
    false_dest = successor_def()

    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    traits = traits_def(IsTerminator())

    @classmethod
    def parse(cls, parser: Parser) -> CondBrOp:
        condition = parser.parse_operand(IntegerType(1))
        properties: Attributes = {}
        if parser.parse_optional_keyword("weights") is not None:
            with parser.in_parens():
                properties["branch_weights"] = _parse_weights(parser)
        parser.parse_punctuation(",")
        true_dest = parser.parse_successor()
        true_operands = parse_branch_target_operands(parser)
        parser.parse_punctuation(",")
        false_dest = parser.parse_successor()
        false_operands = parse_branch_target_operands(parser)
        named, attributes = parse_attributes(parser, cls)
        properties["operandSegmentSizes"] = i32_array([1, len(true_operands), len(false_operands)])
        return cls.create(
            operands=[condition, *true_operands, *false_operands],
            successors=[true_dest, false_dest],
            properties=properties | named,
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.condition)
        if self.branch_weights is not None:
            printer.print_string(" weights(")
            _print_weights(printer, self.branch_weights)
            printer.print_string(")")
        printer.print_string(", ")
        printer.print_block_name(self.true_dest)
        print_branch_target_operands(printer, self.true_dest_operands)
        printer.print_string(", ")
        printer.print_block_name(self.false_dest)
        print_branch_target_operands(printer, self.false_dest_operands)
        print_attributes(printer, self, ("branch_weights", "operandSegmentSizes"))


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


def _parse_weights(parser: Parser) -> Attribute:
    """Parse `[1, 2]`, or the elements attribute of LLVM 16."""
    numbers = parser.parse_optional_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_integer)
    return parser.parse_attribute() if numbers is None else i32_array(numbers)


def _print_weights(printer: Printer, weights: Attribute) -> None:
    if isinstance(weights, DenseArrayBase):
        print_integer_list(printer, integers(cast(DenseArrayBase, weights)))
        return
    printer.print_attribute(weights)
