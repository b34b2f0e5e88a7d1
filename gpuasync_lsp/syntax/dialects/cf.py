"""MLIR's `cf` dialect. Fields as in xDSL's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.dialects.builtin import (
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    IndexType,
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
from xdsl.traits import IsTerminator

from gpuasync_lsp.syntax.dialects.assembly import (
    Attributes,
    UnprefixedVerifyException,
    fail,
    i32_array,
    integers,
    parse_attributes,
    parse_branch_target_operands,
    parse_integer_list,
    print_attributes,
    print_branch_target_operands,
    print_integer_list,
    print_values_with_types,
    refuse,
    same_type,
    typed,
)
from gpuasync_lsp.syntax.ods.by_table import TableOp, table_op_definition

_I1 = IntegerType(1)
Case = tuple[int, Block, Sequence[SSAValue]]


@table_op_definition
class AssertOp(TableOp):
    """`cf.assert %c, "message"`."""

    name = "cf.assert"


@irdl_op_definition
class BranchOp(IRDLOperation):
    """`cf.br ^bb1(%a : i32)`."""

    name = "cf.br"

    arguments = var_operand_def()
    successor = successor_def()

    traits = traits_def(IsTerminator())

    def __init__(self, dest: Block, *arguments: SSAValue | Operation):
        super().__init__(operands=[arguments], successors=[dest])

    @classmethod
    def parse(cls, parser: Parser) -> BranchOp:
        successor = parser.parse_successor()
        arguments = parse_branch_target_operands(parser)
        attributes = parser.parse_optional_attr_dict()
        return cls.create(operands=arguments, successors=[successor], attributes=attributes)

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_block_name(self.successor)
        print_branch_target_operands(printer, self.arguments)
        print_attributes(printer, self)

    def verify_(self) -> None:
        check_successors(self, [self.arguments])


@irdl_op_definition
class ConditionalBranchOp(IRDLOperation):
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

    @classmethod
    def parse(cls, parser: Parser) -> ConditionalBranchOp:
        cond = parser.parse_operand(_I1)
        weights: Attributes = {}
        if parser.parse_optional_keyword("weights") is not None:
            with parser.in_parens():
                weights["branch_weights"] = i32_array(parse_integer_list(parser))
        parser.parse_punctuation(",")
        then_block = parser.parse_successor()
        then_arguments = parse_branch_target_operands(parser)
        parser.parse_punctuation(",")
        else_block = parser.parse_successor()
        else_arguments = parse_branch_target_operands(parser)
        properties, attributes = parse_attributes(parser, cls)
        return cls(
            cond, then_block, then_arguments, else_block, else_arguments, weights | properties, attributes
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.cond)
        if self.branch_weights is not None:
            printer.print_string(" weights(")
            print_integer_list(printer, integers(self.branch_weights))
            printer.print_string(")")
        printer.print_string(", ")
        printer.print_block_name(self.then_block)
        print_branch_target_operands(printer, self.then_arguments)
        printer.print_string(", ")
        printer.print_block_name(self.else_block)
        print_branch_target_operands(printer, self.else_arguments)
        print_attributes(printer, self, ("operandSegmentSizes", "branch_weights"))

    def verify_(self) -> None:
        check_successors(self, [self.then_arguments, self.else_arguments])


@irdl_op_definition
class SwitchOp(IRDLOperation):
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
        """The operands of each case."""
        groups: list[Sequence[SSAValue]] = []
        start = 0
        for size in integers(self.case_operand_segments):
            groups.append(self.case_operands[start : start + size])
            start += size
        return tuple(groups)

    @classmethod
    def parse(cls, parser: Parser) -> SwitchOp:
        name = parser.parse_unresolved_operand()
        parser.parse_punctuation(":")
        position = parser.pos
        type: Attribute = parser.parse_type()
        flag = parser.resolve_operand(name, type)
        if not isinstance(type, IntegerType | IndexType):
            words = f"invalid kind of type specified: expected builtin.integer, but found {typed(type)}"
            refuse(parser, cls.name, words, position)
        parser.parse_punctuation(",")
        parser.parse_punctuation("[")
        if parser.parse_optional_keyword("default") is None:
            refuse(parser, cls.name, "expected 'default'")
        parser.parse_punctuation(":")
        default_block = parser.parse_successor()
        default_operands = parse_branch_target_operands(parser)
        cases: list[Case] = []
        while parser.parse_optional_punctuation(",") is not None:
            value = parser.parse_integer()
            parser.parse_punctuation(":")
            cases.append((value, parser.parse_successor(), parse_branch_target_operands(parser)))
        parser.parse_punctuation("]")
        attributes = parser.parse_optional_attr_dict()
        return cls(flag, default_block, default_operands, cases, attributes)

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        print_values_with_types(printer, [self.flag])
        printer.print_string(", [")
        values: Sequence[int] = ()
        if self.case_values is not None:
            values = cast(Sequence[int], self.case_values.get_values())
        width = getattr(self.flag.type, "bitwidth", 64)
        with printer.indented():
            printer.print_string("\ndefault: ")
            printer.print_block_name(self.default_block)
            print_branch_target_operands(printer, self.default_operands)
            for value, block, operands in zip(values, self.case_blocks, self.case_operand, strict=True):
                # mlir-opt prints the bits of negative values as an unsigned number.
                printer.print_string(f",\n{value % (1 << width)}: ")
                printer.print_block_name(block)
                print_branch_target_operands(printer, operands)
        printer.print_string("\n]" if values else "]")
        print_attributes(printer, self, ("operandSegmentSizes", "case_operand_segments", "case_values"))

    def verify_(self) -> None:
        if len(self.case_operand) != len(self.case_blocks):
            fail(self, "number of case values should match number of case destinations")
        check_successors(self, [self.default_operands, *self.case_operand])


def check_successors(op: Operation, operands: Sequence[Sequence[SSAValue]]) -> None:
    """Raise a VerifyException unless each successor of a branch takes the operands that go to it."""
    for index, (block, values) in enumerate(zip(op.successors, operands, strict=True)):
        if block.parent is None:
            continue
        if len(values) != len(block.args):
            raise UnprefixedVerifyException(
                f"branch has {len(values)} operands for successor #{index}, but target block has "
                f"{len(block.args)}"
            )
        for position, (value, argument) in enumerate(zip(values, block.args, strict=True)):
            if not same_type(value.type, argument.type):
                raise UnprefixedVerifyException(
                    f"type mismatch for bb argument #{position} of successor #{index}"
                )
