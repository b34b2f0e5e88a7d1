"""MLIR's `scf` dialect. Classes and fields as in xDSL's (`lower_bound` and so on in snake case)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn, cast

from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    MemRefType,
    UnitAttr,
    UnrankedMemRefType,
    VectorType,
    i1,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    region_def,
    traits_def,
    var_operand_def,
    var_region_def,
    var_result_def,
)
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.traits import IsTerminator, NoTerminator, Pure, RecursiveMemoryEffect

from gpuasync_lsp.syntax.dialects.assembly import (
    INDEX,
    UNIT,
    Attributes,
    UnprefixedVerifyException,
    check_parent,
    ensure_terminator,
    fail,
    i64_array,
    integers,
    parse_attributes,
    parse_operand_names,
    parse_types,
    print_attributes,
    print_mixed_list,
    print_values_with_types,
    refuse,
    resolve_mixed_list,
    same_type,
    typed,
)


@irdl_op_definition
class YieldOp(IRDLOperation):
    """`scf.yield %a, %b : i32, f32`."""

    name = "scf.yield"

    arguments = var_operand_def()

    traits = traits_def(IsTerminator(), Pure())

    def __init__(self, *arguments: SSAValue | Operation):
        super().__init__(operands=[arguments])

    @classmethod
    def parse(cls, parser: Parser) -> YieldOp:
        attributes = parser.parse_optional_attr_dict()
        return cls.create(operands=_parse_typed_values(parser), attributes=attributes)

    def print(self, printer: Printer) -> None:
        print_attributes(printer, self)
        if self.arguments:
            printer.print_string(" ")
            print_values_with_types(printer, self.arguments)

    def verify_(self) -> None:
        parents = ("scf.execute_region", "scf.for", "scf.if", "scf.index_switch", "scf.while")
        check_parent(self, *parents, old=("scf.parallel",))


@irdl_op_definition
class ConditionOp(IRDLOperation):
    """`scf.condition(%c) %a : i32`, the terminator of the first region of scf.while."""

    name = "scf.condition"

    condition = operand_def()
    args = var_operand_def()

    traits = traits_def(IsTerminator(), Pure())

    @classmethod
    def parse(cls, parser: Parser) -> ConditionOp:
        with parser.in_parens():
            condition = parser.parse_operand(i1)
        attributes = parser.parse_optional_attr_dict()
        return cls.create(operands=[condition, *_parse_typed_values(parser)], attributes=attributes)

    def print(self, printer: Printer) -> None:
        with printer.in_parens():
            printer.print_ssa_value(self.condition)
        print_attributes(printer, self)
        if self.args:
            printer.print_string(" ")
            print_values_with_types(printer, self.args)

    def verify_(self) -> None:
        check_parent(self, "scf.while")


@irdl_op_definition
class ForOp(IRDLOperation):
    """`scf.for unsigned %i = %lb to %ub step %s iter_args(%a = %x) -> (f32) : i32 {...}`."""

    name = "scf.for"

    lb = operand_def()
    ub = operand_def()
    step = operand_def()
    iter_args = var_operand_def()
    unsigned_cmp = opt_prop_def(UnitAttr, prop_name="unsignedCmp")
    res = var_result_def()
    body = region_def()

    traits = traits_def(RecursiveMemoryEffect())

    def __init__(
        self,
        lb: SSAValue | Operation,
        ub: SSAValue | Operation,
        step: SSAValue | Operation,
        iter_args: Sequence[SSAValue],
        body: Region,
    ):
        super().__init__(
            operands=[lb, ub, step, iter_args],
            result_types=[[value.type for value in iter_args]],
            regions=[body],
        )

    @classmethod
    def parse(cls, parser: Parser) -> ForOp:
        properties: Attributes = {}
        if parser.parse_optional_keyword("unsigned") is not None:
            properties["unsignedCmp"] = UNIT
        variable = parser.parse_argument(expect_type=False)
        parser.parse_punctuation("=")
        bounds = [parser.parse_unresolved_operand()]
        for keyword in ("to", "step"):
            parser.parse_keyword(keyword)
            bounds.append(parser.parse_unresolved_operand())
        names, values, types = _parse_assignments(parser, "iter_args", has_types=True)
        type: Attribute = INDEX
        if parser.parse_optional_punctuation(":") is not None:
            type = parser.parse_type()
        arguments = [variable.resolve(type)]
        arguments += [name.resolve(kind) for name, kind in zip(names, types, strict=True)]
        operands: list[SSAValue] = [parser.resolve_operand(bound, type) for bound in bounds]
        operands += parser.resolve_operands(values, types, parser.pos)
        region = parser.parse_region(arguments)
        ensure_terminator(region, YieldOp)
        named, attributes = parse_attributes(parser, cls)
        return cls.create(
            operands=operands,
            result_types=types,
            regions=[region],
            properties=properties | named,
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        variable, *arguments = self.body.blocks[0].args
        if self.unsigned_cmp is not None:
            printer.print_string(" unsigned")
        printer.print_string(" ")
        printer.print_ssa_value(variable)
        for word, value in ((" = ", self.lb), (" to ", self.ub), (" step ", self.step)):
            printer.print_string(word)
            printer.print_ssa_value(value)
        _print_assignments(printer, " iter_args", arguments, self.iter_args)
        if self.iter_args:
            printer.print_string(" -> (")
            printer.print_list([value.type for value in self.iter_args], printer.print_attribute)
            printer.print_string(")")
        printer.print_string(" ")
        if variable.type != INDEX:
            printer.print_string(" : ")
            printer.print_attribute(variable.type)
            printer.print_string(" ")
        printer.print_region(
            self.body,
            print_entry_block_args=False,
            print_empty_block=False,
            print_block_terminators=bool(self.res),
        )
        print_attributes(printer, self, ("unsignedCmp",))

    def verify_(self) -> None:
        bound = self.lb.type
        if bound.name not in ("index", "integer_type", "gpuasync.unknown"):
            fail(self, f"operand #0 must be signless integer or index, but got {typed(bound)}")
        block = self.body.blocks.first
        if block is None:
            return
        if not (same_type(self.lb.type, self.ub.type) and same_type(self.lb.type, self.step.type)):
            fail(self, "failed to verify that all of {lowerBound, upperBound, step} have same type")
        if len(block.args) != len(self.iter_args) + 1:
            counts = f"{len(self.iter_args)} != {(len(block.args) - 1) % 2**64}"
            fail(self, f"different number of inits and region iter_args: {counts}")
        if block.args[0].type != self.lb.type:
            fail(self, "expected induction variable to be same type as bounds and step")
        if len(self.res) != len(self.iter_args):
            fail(self, "mismatch in number of loop-carried values and defined values")
        self._check_carried(block)
        for index, (argument, result) in enumerate(zip(block.args[1:], self.res, strict=True)):
            if not same_type(argument.type, result.type):
                fail(
                    self,
                    f"{index}-th region iter_arg and {index}-th loop result have different type: "
                    f"{typed(argument.type)} != {typed(result.type)}",
                )

    def _check_carried(self, block: Block) -> None:
        """Check the kinds of the values that an iteration hands to the next."""
        last, count = block.last_op, len(self.iter_args)
        if not isinstance(last, YieldOp):
            return
        if not last.arguments and count:
            fail(
                self,
                f"along control flow edge from Operation scf.yield to Region #0: region branch point has 0 "
                f"operands, but region successor needs {count} inputs",
            )
        if len(last.arguments) != count:
            fail(
                self,
                f"different number of region iter_args and yielded values: {count} != {len(last.arguments)}",
            )
        for index, (argument, value) in enumerate(zip(block.args[1:], last.arguments, strict=True)):
            initial = self.iter_args[index].type
            if not same_type(initial, argument.type):
                fail(
                    self,
                    f"{index}-th init and {index}-th region iter_arg have different type: "
                    f"{typed(initial)} != {typed(argument.type)}",
                )
            if not same_type(argument.type, value.type):
                fail(
                    self,
                    f"{index}-th region iter_arg and {index}-th yielded value have different type: "
                    f"{typed(argument.type)} != {typed(value.type)}",
                )


@irdl_op_definition
class IfOp(IRDLOperation):
    """`scf.if %c -> (f32) {...} else {...}`."""

    name = "scf.if"

    cond = operand_def()
    output = var_result_def()
    true_region = region_def()
    false_region = region_def()

    traits = traits_def(RecursiveMemoryEffect())

    @classmethod
    def parse(cls, parser: Parser) -> IfOp:
        cond = parser.parse_operand(i1)
        types = _parse_result_types(parser)
        regions = [parser.parse_region(), Region()]
        if not types:
            ensure_terminator(regions[0], YieldOp)
        if parser.parse_optional_keyword("else") is not None:
            regions[1] = parser.parse_region()
            if not types:
                ensure_terminator(regions[1], YieldOp)
        attributes = parser.parse_optional_attr_dict()
        return cls.create(operands=[cond], result_types=types, regions=regions, attributes=attributes)

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.cond)
        _print_result_types(printer, self.output)
        printer.print_string(" ")
        has_results = bool(self.output)
        printer.print_region(self.true_region, False, False, has_results)
        if self.false_region.blocks:
            printer.print_string(" else ")
            printer.print_region(self.false_region, False, False, has_results)
        print_attributes(printer, self)

    def verify_(self) -> None:
        if self.output and not self.false_region.blocks:
            fail(self, "must have an else block if defining values")
        for region in (self.true_region, self.false_region):
            if region.blocks:
                _check_edge(self, region.blocks[0].last_op, "parent", [result.type for result in self.output])


@irdl_op_definition
class WhileOp(IRDLOperation):
    """`scf.while (%a = %x) : (i32) -> f32 {...} do { ^bb0(%b: f32): ... } attributes {...}`."""

    name = "scf.while"

    arguments = var_operand_def()
    res = var_result_def()
    before_region = region_def()
    after_region = region_def()

    traits = traits_def(RecursiveMemoryEffect())

    @classmethod
    def parse(cls, parser: Parser) -> WhileOp:
        names, values, _ = _parse_assignments(parser, "", has_types=False)
        parser.parse_punctuation(":")
        position = parser.pos
        type = parser.parse_function_type()
        inputs = type.inputs.data
        if len(inputs) != len(values):
            refuse(
                parser,
                cls.name,
                f"expected as many input types as operands (expected {len(values)} got {len(inputs)})",
                position,
            )
        operands = parser.resolve_operands(values, inputs, position)
        arguments = [name.resolve(kind) for name, kind in zip(names, inputs, strict=True)]
        before = parser.parse_region(arguments)
        parser.parse_keyword("do")
        after = parser.parse_region()
        attributes: Attributes = {}
        if parser.parse_optional_keyword("attributes") is not None:
            attributes = parser.parse_optional_attr_dict()
        return cls.create(
            operands=operands,
            result_types=type.outputs.data,
            regions=[before, after],
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        before = self.before_region.blocks[0]
        _print_assignments(printer, " ", before.args, self.arguments)
        printer.print_string(" : ")
        printer.print_function_type(self.operand_types, self.result_types)
        printer.print_string(" ")
        printer.print_region(self.before_region, print_entry_block_args=False)
        printer.print_string(" do ")
        printer.print_region(self.after_region)
        print_attributes(printer, self, keyword=True)

    def verify_(self) -> None:
        before, after = self.before_region.blocks.first, self.after_region.blocks.first
        if before is None or after is None:
            return
        condition = before.last_op
        if not isinstance(condition, ConditionOp):
            if condition is not None and not _is_unknown(condition):
                fail(self, "expects the 'before' region to terminate with 'scf.condition'")
            return
        if (
            not isinstance(after.last_op, YieldOp)
            and after.last_op is not None
            and not _is_unknown(after.last_op)
        ):
            fail(self, "expects the 'after' region to terminate with 'scf.yield'")
        _check_edge(self, condition, "parent", [result.type for result in self.res])
        _check_edge(self, condition, "Region #1", [argument.type for argument in after.args])
        _check_edge(self, after.last_op, "Region #0", [argument.type for argument in before.args])


@irdl_op_definition
class ExecuteRegionOp(IRDLOperation):
    """`scf.execute_region -> i32 no_inline {...}`."""

    name = "scf.execute_region"

    no_inline = opt_prop_def(UnitAttr)
    outs = var_result_def()
    region = region_def()

    traits = traits_def(RecursiveMemoryEffect())

    @classmethod
    def parse(cls, parser: Parser) -> ExecuteRegionOp:
        types = _parse_result_types(parser)
        properties: Attributes = {}
        if parser.parse_optional_keyword("no_inline") is not None:
            properties["no_inline"] = UNIT
        region = parser.parse_region()
        named, attributes = parse_attributes(parser, cls)
        return cls.create(
            result_types=types, regions=[region], properties=properties | named, attributes=attributes
        )

    def print(self, printer: Printer) -> None:
        if len(self.outs) == 1:
            printer.print_string(" -> ")
            printer.print_attribute(self.outs[0].type)
        else:
            _print_result_types(printer, self.outs)
        printer.print_string(" no_inline " if self.no_inline is not None else " ")
        printer.print_region(self.region)
        print_attributes(printer, self, ("no_inline",))

    def verify_(self) -> None:
        if self.region.blocks and self.region.blocks[0].args:
            fail(self, "region cannot have any arguments")
        types = [result.type for result in self.outs]
        for block in self.region.blocks:
            if isinstance(block.last_op, YieldOp):
                _check_edge(self, block.last_op, "parent", types)


@irdl_op_definition
class IndexSwitchOp(IRDLOperation):
    """`scf.index_switch %i -> i32 case 2 {...} default {...}`."""

    name = "scf.index_switch"

    arg = operand_def()
    cases = prop_def(DenseArrayBase)
    output = var_result_def()
    default_region = region_def()
    case_regions = var_region_def()

    traits = traits_def(RecursiveMemoryEffect())

    @classmethod
    def parse(cls, parser: Parser) -> IndexSwitchOp:
        arg = parser.parse_operand(INDEX)
        attributes = parser.parse_optional_attr_dict()
        types = parse_types(parser) if parser.parse_optional_punctuation("->") is not None else ()
        cases: list[int] = []
        regions: list[Region] = []
        while parser.parse_optional_keyword("case") is not None:
            cases.append(parser.parse_integer())
            regions.append(parser.parse_region())
        if parser.parse_optional_keyword("default") is None:
            refuse(parser, cls.name, "expected 'default'")
        regions.insert(0, parser.parse_region())
        ensure_terminator(regions[0], YieldOp)
        return cls.create(
            operands=[arg],
            result_types=types,
            regions=regions,
            properties={"cases": i64_array(cases)},
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.arg)
        print_attributes(printer, self, ("cases",))
        if self.output:
            printer.print_string(" -> ")
            printer.print_list([result.type for result in self.output], printer.print_attribute)
        printer.print_string(" ")
        for number, region in zip(integers(self.cases), self.case_regions, strict=True):
            printer.print_string(f"\ncase {number} ")
            printer.print_region(region, False, False)
        printer.print_string("\ndefault ")
        printer.print_region(self.default_region, False, False, print_block_terminators=bool(self.output))

    def verify_(self) -> None:
        types = [result.type for result in self.output]
        values = integers(self.cases)
        if len(values) != len(self.case_regions):
            fail(self, f"has {len(self.case_regions)} case regions but {len(values)} case values")
        for number in values:
            if values.count(number) > 1:
                fail(self, f"has duplicate case value: {number}")
        self._check_region("default region", self.default_region, types)
        for index, region in enumerate(self.case_regions):
            self._check_region(f"case region #{index}", region, types)

    def _check_region(self, name: str, region: Region, types: Sequence[Attribute]) -> None:
        last = region.blocks[0].last_op if region.blocks else None
        if not isinstance(last, YieldOp):
            return
        count = len(last.arguments)
        if count != len(types):
            fail(self, f"expected each region to return {len(types)} values, but {name} returns {count}")
        for index, (value, type) in enumerate(zip(last.arguments, types, strict=True)):
            if not same_type(value.type, type):
                fail(self, f"expected result #{index} of each region to be {typed(type)}")


@irdl_op_definition
class ParallelOp(IRDLOperation):
    """`scf.parallel (%i) = (%lb) to (%ub) step (%s) init (%x) -> f32 {... scf.reduce(...)}`."""

    name = "scf.parallel"

    lower_bound = var_operand_def()
    upper_bound = var_operand_def()
    step = var_operand_def()
    init_vals = var_operand_def()
    res = var_result_def()
    body = region_def()

    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    traits = traits_def(RecursiveMemoryEffect())

    @classmethod
    def parse(cls, parser: Parser) -> ParallelOp:
        variables = parser.parse_comma_separated_list(
            parser.Delimiter.PAREN, lambda: parser.parse_argument(expect_type=False)
        )
        parser.parse_punctuation("=")
        bounds = [cls._parse_bounds(parser, len(variables))]
        for keyword in ("to", "step"):
            parser.parse_keyword(keyword)
            bounds.append(cls._parse_bounds(parser, len(variables)))
        inits: list[UnresolvedOperand] = []
        if parser.parse_optional_keyword("init") is not None:
            inits = _parse_names_in_parens(parser)
        types = _parse_result_types(parser)
        if len(inits) != len(types):
            counts = f"got {len(inits)} operands and {len(types)} types"
            refuse(parser, cls.name, f"number of operands and types do not match: {counts}")
        operands = [[parser.resolve_operand(name, INDEX) for name in names] for names in bounds]
        values = parser.resolve_operands(inits, types, parser.pos)
        region = parser.parse_region([variable.resolve(INDEX) for variable in variables])
        ensure_terminator(region, ReduceOp)
        return cls(
            operands=[*operands, values],
            result_types=[types],
            regions=[region],
            attributes=parser.parse_optional_attr_dict(),
        )

    @classmethod
    def _parse_bounds(cls, parser: Parser, count: int) -> list[UnresolvedOperand]:
        start = parser.pos
        names = _parse_names_in_parens(parser)
        if len(names) != count:
            refuse(parser, cls.name, f"expected {count} operands", start)
        return names

    def verify_(self) -> None:
        block = self.body.blocks.first
        if block is None or any(_is_unknown(op) for op in block.ops):
            return
        steps = len(self.step)
        if len(block.args) != steps:
            counts = f"{len(block.args)} as bound and step values: {steps}"
            fail(self, f"expects the same number of induction variables: {counts}")
        reductions = sum(len(op.reductions) for op in block.ops if isinstance(op, ReduceOp))
        if len(self.res) != reductions:
            counts = f"{len(self.res)} to be the same as number of reductions: {reductions}"
            fail(self, f"expects number of results: {counts}")

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        with printer.in_parens():
            printer.print_list(self.body.blocks[0].args, printer.print_ssa_value)
        lists = ((" = ", self.lower_bound), (" to ", self.upper_bound), (" step ", self.step))
        for word, values in (*lists, (" init ", self.init_vals)):
            if values or word != " init ":
                printer.print_string(word)
                with printer.in_parens():
                    printer.print_list(values, printer.print_ssa_value)
        if len(self.res) == 1:
            printer.print_string(" -> ")
            printer.print_attribute(self.res[0].type)
        else:
            _print_result_types(printer, self.res)
        printer.print_string(" ")
        printer.print_region(self.body, print_entry_block_args=False)
        print_attributes(printer, self, ("operandSegmentSizes",))


@irdl_op_definition
class ReduceOp(IRDLOperation):
    """`scf.reduce(%a : f32) { ^bb0(%x: f32, %y: f32): scf.reduce.return %z : f32 }`, ends scf.parallel."""

    name = "scf.reduce"

    args = var_operand_def()
    reductions = var_region_def()

    traits = traits_def(IsTerminator(), RecursiveMemoryEffect())

    @classmethod
    def parse(cls, parser: Parser) -> ReduceOp:
        operands: Sequence[SSAValue] = ()
        regions: list[Region] = []
        if parser.parse_optional_punctuation("(") is not None:
            names = parse_operand_names(parser)
            # Up to LLVM 17 the type stood behind the parenthesis.
            is_old = parser.parse_optional_punctuation(")") is not None
            parser.parse_punctuation(":")
            position = parser.pos
            operands = parser.resolve_operands(names, parse_types(parser), position)
            if not is_old:
                parser.parse_punctuation(")")
            regions.append(parser.parse_region())
            while parser.parse_optional_punctuation(",") is not None:
                regions.append(parser.parse_region())
        attributes = parser.parse_optional_attr_dict()
        return cls.create(operands=operands, regions=regions, attributes=attributes)

    def print(self, printer: Printer) -> None:
        if self.args and self.next_op is not None:
            # Up to LLVM 17 it ended nothing, and wrote its one type behind the parenthesis.
            with printer.in_parens():
                printer.print_ssa_value(self.args[0])
            printer.print_string(" : ")
            printer.print_attribute(self.args[0].type)
        elif self.args:
            with printer.in_parens():
                print_values_with_types(printer, self.args)
        printer.print_string(" ")
        for index, region in enumerate(self.reductions):
            printer.print_string(", " if index else "")
            printer.print_region(region)
        print_attributes(printer, self)

    def verify_(self) -> None:
        check_parent(self, "scf.parallel")
        for index, (value, region) in enumerate(zip(self.args, self.reductions, strict=False)):
            block = region.blocks.first
            types = () if block is None else block.arg_types
            if len(types) != 2 or not all(same_type(value.type, type) for type in types):
                arguments = f"expected two block arguments with type {typed(value.type)}"
                fail(self, f"{arguments} in the {index}-th reduction region")
        parent = self.parent_op()
        if not isinstance(parent, ParallelOp) or len(self.args) != len(parent.res):
            return
        for index, (value, result) in enumerate(zip(self.args, parent.res, strict=True)):
            if not same_type(value.type, result.type):
                same = (
                    f"{typed(value.type)} to be the same as the {index}-th result type: {typed(result.type)}"
                )
                fail(self, f"expects type of {index}-th reduction operand: {same}")


@irdl_op_definition
class ReduceReturnOp(IRDLOperation):
    name = "scf.reduce.return"

    result = operand_def()

    traits = traits_def(IsTerminator(), Pure())

    assembly_format = "$result attr-dict `:` type($result)"

    def verify_(self) -> None:
        check_parent(self, "scf.reduce")
        region = self.parent_region()
        block = region.blocks.first if region is not None else None
        if block is None or not block.args or not isinstance(self.parent_op(), ReduceOp):
            return
        wanted = block.args[0].type
        if not same_type(wanted, self.result.type):
            fail(self, f"must have type {typed(wanted)} (the type of the reduction inputs)")


@irdl_op_definition
class ForallOp(IRDLOperation):
    """`scf.forall (%i, %j) in (%n, 4) shared_outs(%o = %t) -> (tensor<4xf32>) {...} {mapping = [...]}`.

    With other bounds: `scf.forall (%i) = (0) to (%n) step (2)`.
    """

    name = "scf.forall"

    dynamic_lower_bound = var_operand_def()
    dynamic_upper_bound = var_operand_def()
    dynamic_step = var_operand_def()
    static_lower_bound = prop_def(DenseArrayBase, prop_name="staticLowerBound")
    static_upper_bound = prop_def(DenseArrayBase, prop_name="staticUpperBound")
    static_step = prop_def(DenseArrayBase, prop_name="staticStep")
    outputs = var_operand_def()
    mapping = opt_prop_def(ArrayAttr)
    res = var_result_def()
    region = region_def()

    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    @classmethod
    def parse(cls, parser: Parser) -> ForallOp:
        variables = parser.parse_comma_separated_list(
            parser.Delimiter.PAREN, lambda: parser.parse_argument(expect_type=False)
        )
        count = len(variables)
        no_values: list[SSAValue] = []
        if parser.parse_optional_keyword("in") is not None:
            lower = no_values, i64_array([0] * count)
            upper = _parse_mixed_in_parens(parser)
            step = no_values, i64_array([1] * count)
        else:
            parser.parse_punctuation("=")
            lower = _parse_mixed_in_parens(parser)
            parser.parse_keyword("to")
            upper = _parse_mixed_in_parens(parser)
            parser.parse_keyword("step")
            step = _parse_mixed_in_parens(parser)
        names, values, types = _parse_assignments(parser, "shared_outs", has_types=True)
        arguments = [variable.resolve(INDEX) for variable in variables]
        arguments += [name.resolve(type) for name, type in zip(names, types, strict=True)]
        outputs = parser.resolve_operands(values, types, parser.pos)
        region = parser.parse_region(arguments)
        block = region.blocks.last
        if block is not None and not isinstance(block.last_op, InParallelOp) and not types:
            block.add_op(InParallelOp.create(regions=[Region(Block())]))
        named, attributes = parse_attributes(parser, cls)
        return cls(
            operands=[lower[0], upper[0], step[0], outputs],
            result_types=[types],
            regions=[region],
            properties={
                "staticLowerBound": lower[1],
                "staticUpperBound": upper[1],
                "staticStep": step[1],
                **named,
            },
            attributes=attributes,
        )

    def verify_(self) -> None:
        rank = len(integers(self.static_lower_bound))
        for index, value in enumerate(self.outputs, len(self.operands) - len(self.outputs)):
            type: Attribute = value.type
            if isinstance(type, MemRefType | UnrankedMemRefType | VectorType):
                wanted = "variadic of ranked tensor of any type values"
                fail(self, f"operand #{index} must be {wanted}, but got {typed(cast(Attribute, type))}")
        block = self.region.blocks.first
        if block is not None and len(block.args) != rank + len(self.outputs):
            fail(self, f"region expects {rank} arguments")
        for name, values in (("upper bound", self.static_upper_bound), ("step", self.static_step)):
            if len(integers(values)) != rank:
                raise UnprefixedVerifyException(f"expected {rank} {name} values, got {len(integers(values))}")

    def print(self, printer: Printer) -> None:
        count = len(integers(self.static_upper_bound))
        variables, arguments = self.region.blocks[0].args[:count], self.region.blocks[0].args[count:]
        printer.print_string(" ")
        with printer.in_parens():
            printer.print_list(variables, printer.print_ssa_value)
        is_normal = set(integers(self.static_lower_bound)) <= {0} and set(integers(self.static_step)) <= {1}
        if is_normal:
            printer.print_string(" in ")
            _print_mixed_in_parens(printer, self.dynamic_upper_bound, self.static_upper_bound)
        else:
            printer.print_string(" = ")
            _print_mixed_in_parens(printer, self.dynamic_lower_bound, self.static_lower_bound)
            printer.print_string(" to ")
            _print_mixed_in_parens(printer, self.dynamic_upper_bound, self.static_upper_bound)
            printer.print_string(" step ")
            _print_mixed_in_parens(printer, self.dynamic_step, self.static_step)
        _print_assignments(printer, " shared_outs", arguments, self.outputs)
        if self.outputs:
            printer.print_string(" -> (")
            printer.print_list([value.type for value in self.outputs], printer.print_attribute)
            printer.print_string(")")
        printer.print_string(" ")
        printer.print_region(self.region, False, False, bool(self.outputs))
        elided = ("staticLowerBound", "staticUpperBound", "staticStep", "operandSegmentSizes")
        print_attributes(printer, self, elided)


@irdl_op_definition
class InParallelOp(IRDLOperation):
    """`scf.forall.in_parallel {...}`, ends scf.forall."""

    name = "scf.forall.in_parallel"

    region = region_def()

    traits = traits_def(IsTerminator(), NoTerminator())

    @classmethod
    def parse(cls, parser: Parser) -> InParallelOp:
        region = parser.parse_region()
        if not region.blocks:
            region.add_block(Block())
        return cls.create(regions=[region], attributes=parser.parse_optional_attr_dict())

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_region(self.region, False, False)
        print_attributes(printer, self)

    def verify_(self) -> None:
        check_parent(self, "scf.forall")


def _parse_typed_values(parser: Parser) -> Sequence[SSAValue]:
    """Parse `%a, %b : i32, f32`, or nothing."""
    names = parse_operand_names(parser)
    if not names:
        return ()
    parser.parse_punctuation(":")
    position = parser.pos
    return parser.resolve_operands(names, parse_types(parser), position)


def _parse_names_in_parens(parser: Parser) -> list[UnresolvedOperand]:
    with parser.in_parens():
        return parse_operand_names(parser)


def _parse_result_types(parser: Parser) -> Sequence[Attribute]:
    """Parse an optional `-> f32` or `-> (f32, i32)`."""
    if parser.parse_optional_punctuation("->") is None:
        return ()
    types = parser.parse_optional_comma_separated_list(parser.Delimiter.PAREN, parser.parse_type)
    return parse_types(parser) if types is None else types


def _print_result_types(printer: Printer, results: Sequence[SSAValue]) -> None:
    if results:
        printer.print_string(" -> (")
        printer.print_list([result.type for result in results], printer.print_attribute)
        printer.print_string(")")


def _parse_assignments(
    parser: Parser, keyword: str, has_types: bool
) -> tuple[list[Parser.UnresolvedArgument], list[UnresolvedOperand], Sequence[Attribute]]:
    """Parse an optional `KEYWORD(%a = %x, ...) -> (types)`; the keyword may be none."""
    names: list[Parser.UnresolvedArgument] = []
    values: list[UnresolvedOperand] = []
    if keyword and parser.parse_optional_keyword(keyword) is None:
        return names, values, ()
    if not keyword and parser.parse_optional_punctuation("(") is None:
        return names, values, ()
    if keyword:
        parser.parse_punctuation("(")
    if parser.parse_optional_punctuation(")") is None:
        while True:
            names.append(parser.parse_argument(expect_type=False))
            parser.parse_punctuation("=")
            values.append(parser.parse_unresolved_operand())
            if parser.parse_optional_punctuation(",") is None:
                break
        parser.parse_punctuation(")")
    if not has_types:
        return names, values, ()
    position = parser.pos
    types = _parse_result_types(parser)
    if len(types) != len(names):
        is_for = keyword == "iter_args"
        message = "mismatch in number of loop-carried values and defined values"
        refuse(parser, "scf.for" if is_for else "scf.forall", message, position)
    return names, values, types


def _print_assignments(
    printer: Printer, keyword: str, names: Sequence[SSAValue], values: Sequence[SSAValue]
) -> None:
    if not values:
        return
    printer.print_string(f"{keyword}(")
    for index, (name, value) in enumerate(zip(names, values, strict=True)):
        if index:
            printer.print_string(", ")
        printer.print_ssa_value(name)
        printer.print_string(" = ")
        printer.print_ssa_value(value)
    printer.print_string(")")


def _parse_mixed_in_parens(parser: Parser) -> tuple[list[SSAValue], DenseArrayBase]:
    entries = parser.parse_comma_separated_list(
        parser.Delimiter.PAREN,
        lambda: parser.parse_optional_unresolved_operand() or parser.parse_integer(),
    )
    return resolve_mixed_list(parser, entries)


def _print_mixed_in_parens(printer: Printer, values: Sequence[SSAValue], static: DenseArrayBase) -> None:
    print_mixed_list(printer, values, static, brackets=("(", ")"))


def _is_unknown(op: Operation) -> bool:
    return op.name.startswith("gpuasync.")


def _check_edge(op: Operation, last: Operation | None, target: str, types: Sequence[Attribute]) -> None:
    """Raise a VerifyException unless the values that leave a region of `op` by `last` have `types`.

    `target` is where they go: `parent` or `Region #0`.
    """
    if not isinstance(last, YieldOp | ConditionOp):
        if last is not None and types and not _is_unknown(last) and not last.has_trait(IsTerminator):
            counts = f"has 0 operands, but region successor needs {len(types)} inputs"
            _fail_edge(op, YieldOp.name, target, f"region branch point {counts}")
        return
    values = last.args if isinstance(last, ConditionOp) else last.arguments
    if len(values) != len(types):
        counts = f"has {len(values)} operands, but region successor needs {len(types)} inputs"
        _fail_edge(op, last.name, target, f"region branch point {counts}")
    for index, (value, type) in enumerate(zip(values, types, strict=True)):
        if not same_type(value.type, type):
            _fail_edge(
                op,
                last.name,
                target,
                f"successor operand type #{index} {typed(value.type)} should match successor input type "
                f"#{index} {typed(type)}",
            )


def _fail_edge(op: Operation, source: str, target: str, message: str) -> NoReturn:
    fail(op, f"along control flow edge from Operation {source} to {target}: {message}")
