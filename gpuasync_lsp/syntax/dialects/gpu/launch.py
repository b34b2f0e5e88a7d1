"""gpu ops that launch kernels: launch (with its body) and launch_func (by symbol)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, ClassVar, TypeVar

from xdsl.dialects.builtin import I32, IndexType, IntegerAttr, IntegerType, SymbolRefAttr, UnitAttr, i32
from xdsl.ir import Attribute, BlockArgument, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    Operand,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    opt_result_def,
    prop_def,
    region_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.traits import IsTerminator, Pure

from gpuasync_lsp.syntax.dialects.assembly import (
    UNIT,
    Attributes,
    i64_attr,
    parse_attributes,
    print_attributes,
)
from gpuasync_lsp.syntax.dialects.gpu.assembly import (
    TOKENS,
    parse_async,
    parse_attributions,
    print_async,
    print_attributions,
    segments,
)
from gpuasync_lsp.syntax.dialects.gpu.asynchronous import INDEX, AsyncOpInterface
from gpuasync_lsp.syntax.dialects.gpu.attributes import AsyncTokenType
from gpuasync_lsp.syntax.ods.by_table import TableOp, table_op_definition

LaunchIndex = IndexType | IntegerType
T = TypeVar("T")
NamedOperand = tuple[UnresolvedOperand, Attribute]


class LaunchBase(AsyncOpInterface):
    """Base of gpu.launch and gpu.launch_func: the sizes of grid, blocks and clusters."""

    if TYPE_CHECKING:  # xDSL would treat these annotations as fields of the op.
        grid_size_x: Operand
        grid_size_y: Operand
        grid_size_z: Operand
        block_size_x: Operand
        block_size_y: Operand
        block_size_z: Operand
        cluster_size_x: Operand | None
        cluster_size_y: Operand | None
        cluster_size_z: Operand | None
        dynamic_shared_memory_size: Operand | None

    @property
    def grid_size(self) -> tuple[SSAValue, SSAValue, SSAValue]:
        """The number of blocks in x, y and z."""
        return self.grid_size_x, self.grid_size_y, self.grid_size_z

    @property
    def block_size(self) -> tuple[SSAValue, SSAValue, SSAValue]:
        """The number of threads per block in x, y and z."""
        return self.block_size_x, self.block_size_y, self.block_size_z

    @property
    def cluster_size(self) -> tuple[SSAValue, SSAValue, SSAValue] | None:
        """The number of blocks per cluster in x, y and z (since LLVM 18)."""
        x, y, z = self.cluster_size_x, self.cluster_size_y, self.cluster_size_z
        return None if x is None or y is None or z is None else (x, y, z)


@irdl_op_definition
class LaunchFuncOp(LaunchBase):
    """`gpu.launch_func async [%t] @module::@kernel blocks in (...) threads in (...) args(...)`."""

    name = "gpu.launch_func"

    async_dependencies = var_operand_def(AsyncTokenType)
    grid_size_x = operand_def(LaunchIndex)
    grid_size_y = operand_def(LaunchIndex)
    grid_size_z = operand_def(LaunchIndex)
    block_size_x = operand_def(LaunchIndex)
    block_size_y = operand_def(LaunchIndex)
    block_size_z = operand_def(LaunchIndex)
    cluster_size_x = opt_operand_def(LaunchIndex)
    cluster_size_y = opt_operand_def(LaunchIndex)
    cluster_size_z = opt_operand_def(LaunchIndex)
    dynamic_shared_memory_size = opt_operand_def(I32)
    kernel_operands = var_operand_def()
    async_object = opt_operand_def()

    kernel = prop_def(SymbolRefAttr)
    cooperative = opt_prop_def(UnitAttr)
    async_token = opt_result_def(AsyncTokenType)

    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    PRINTED_PROPERTIES: ClassVar = ("operandSegmentSizes", "kernel", "cooperative")

    def __init__(
        self,
        kernel: SymbolRefAttr,
        grid_size: Sequence[SSAValue],
        block_size: Sequence[SSAValue],
        kernel_operands: Sequence[SSAValue] = (),
        async_dependencies: Sequence[SSAValue] = (),
        *,
        is_async: bool = False,
        cluster_size: Sequence[SSAValue] = (),
        dynamic_shared_memory_size: SSAValue | None = None,
        async_object: SSAValue | None = None,
    ):
        clusters = [[size] for size in cluster_size] or [[], [], []]
        super().__init__(
            operands=[
                async_dependencies,
                *grid_size,
                *block_size,
                *clusters,
                dynamic_shared_memory_size,
                kernel_operands,
                async_object,
            ],
            result_types=[TOKENS if is_async else []],
            properties={"kernel": kernel},
        )

    @classmethod
    def parse(cls, parser: Parser) -> LaunchFuncOp:
        dependencies, token = parse_async(parser)
        async_object: NamedOperand | None = None
        if parser.parse_optional_punctuation("<") is not None:
            async_object = _parse_named_operand(parser)
            parser.parse_punctuation(">")
        kernel = parser.parse_attribute()
        clusters: Sequence[UnresolvedOperand] = ()
        if parser.parse_optional_keyword("clusters") is not None:
            clusters = _parse_sizes(parser)
        _expect(parser, cls.name, "blocks")
        grid = _parse_sizes(parser)
        _expect(parser, cls.name, "threads")
        blocks = _parse_sizes(parser)
        size_type: Attribute = INDEX
        if parser.parse_optional_punctuation(":") is not None:
            size_type = parser.parse_type()
        operands = [
            *dependencies,
            *(parser.resolve_operand(name, size_type) for name in (*grid, *blocks, *clusters)),
        ]
        shared = _parse_shared_memory(parser)
        operands += shared
        properties: Attributes = {"kernel": kernel}
        if parser.parse_optional_keyword("cooperative") is not None:
            properties["cooperative"] = UNIT
        arguments: list[NamedOperand] = []
        if parser.parse_optional_keyword("args") is not None:
            arguments = parser.parse_comma_separated_list(
                parser.Delimiter.PAREN, lambda: _parse_named_operand(parser)
            )
        operands += [parser.resolve_operand(name, type) for name, type in arguments]
        if async_object is not None:
            operands.append(parser.resolve_operand(*async_object))
        inherent, attributes = parse_attributes(parser, cls)
        cluster = 1 if clusters else 0
        properties["operandSegmentSizes"] = segments(
            len(dependencies),
            *(1, 1, 1, 1, 1, 1),
            *(cluster, cluster, cluster),
            len(shared),
            len(arguments),
            0 if async_object is None else 1,
        )
        return cls.create(
            operands=operands, result_types=token, properties=inherent | properties, attributes=attributes
        )

    def print(self, printer: Printer) -> None:
        print_async(printer, self.async_dependencies, self.async_token)
        if self.async_object is not None:
            printer.print_string(" <")
            _print_named_operand(printer, self.async_object)
            printer.print_string(">")
        printer.print_string(" ")
        printer.print_attribute(self.kernel)
        if self.cluster_size is not None:
            _print_sizes(printer, "clusters", self.cluster_size)
        _print_sizes(printer, "blocks", self.grid_size)
        _print_sizes(printer, "threads", self.block_size)
        if self.grid_size_x.type != INDEX:
            printer.print_string(" : ")
            printer.print_attribute(self.grid_size_x.type)
        _print_shared_memory(printer, self.dynamic_shared_memory_size)
        if self.cooperative is not None:
            printer.print_string(" cooperative")
        if self.kernel_operands:
            printer.print_string(" args(")
            printer.print_list(self.kernel_operands, lambda value: _print_named_operand(printer, value))
            printer.print_string(")")
        print_attributes(printer, self, self.PRINTED_PROPERTIES)


@irdl_op_definition
class LaunchOp(LaunchBase):
    """`gpu.launch async [%t] blocks(...) in (...) threads(...) in (...) { ... gpu.terminator }`.

    The body's arguments are block ids, thread ids, grid sizes, block sizes (three each); with clusters,
    then cluster ids and cluster sizes; then workgroup and private attributions.
    """

    name = "gpu.launch"

    async_dependencies = var_operand_def(AsyncTokenType)
    grid_size_x = operand_def(LaunchIndex)
    grid_size_y = operand_def(LaunchIndex)
    grid_size_z = operand_def(LaunchIndex)
    block_size_x = operand_def(LaunchIndex)
    block_size_y = operand_def(LaunchIndex)
    block_size_z = operand_def(LaunchIndex)
    cluster_size_x = opt_operand_def(LaunchIndex)
    cluster_size_y = opt_operand_def(LaunchIndex)
    cluster_size_z = opt_operand_def(LaunchIndex)
    dynamic_shared_memory_size = opt_operand_def(I32)
    async_object = opt_operand_def()

    cooperative = opt_prop_def(UnitAttr)
    module = opt_prop_def(SymbolRefAttr)
    function = opt_prop_def(SymbolRefAttr)
    kernel_func = opt_prop_def(SymbolRefAttr, prop_name="kernelFunc")
    kernel_module = opt_prop_def(SymbolRefAttr, prop_name="kernelModule")
    workgroup_attributions = opt_prop_def(IntegerAttr)
    async_token = opt_result_def(AsyncTokenType)
    body = region_def()

    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    PRINTED_PROPERTIES: ClassVar = (
        "operandSegmentSizes",
        "workgroup_attributions",
        "cooperative",
        "module",
        "function",
    )

    @classmethod
    def parse(cls, parser: Parser) -> LaunchOp:
        start = parser.pos
        dependencies, token = parse_async(parser)
        if dependencies and not token:
            # A bug of MLIR's parser in every release: without `async`, the dependencies are untyped.
            content = parser.lexer.input.content
            at = content.index("%", start)
            name = content[at:].partition(",")[0].partition("]")[0].strip()
            parser.raise_error(
                f"use of value '{name}' expects different type than prior uses: "
                "'<<NULL TYPE>>' vs '!gpu.async.token'\n"
                "With dependencies a gpu.launch returns a token: write `gpu.launch async [...]`.",
                at,
            )
        async_object: NamedOperand | None = None
        # LLVM 24 and earlier accept an explicit stream only without `async`.
        if not token and parser.parse_optional_punctuation("<") is not None:
            async_object = _parse_named_operand(parser)
            parser.parse_punctuation(">")
        clusters = _Dimensions([], [], [])
        if parser.parse_optional_keyword("clusters") is not None:
            clusters = _Dimensions.parse(parser)
        _expect(parser, cls.name, "blocks")
        grid = _Dimensions.parse(parser)
        _expect(parser, cls.name, "threads")
        blocks = _Dimensions.parse(parser)
        operands = [
            *dependencies,
            *(
                parser.resolve_operand(name, INDEX)
                for name in (*grid.operands, *blocks.operands, *clusters.operands)
            ),
        ]
        shared = _parse_shared_memory(parser)
        operands += shared
        if async_object is not None:
            operands.append(parser.resolve_operand(*async_object))
        properties: Attributes = {}
        if parser.parse_optional_keyword("cooperative") is not None:
            properties["cooperative"] = UNIT
        for keyword in ("module", "function"):
            if parser.parse_optional_keyword(keyword) is not None:
                with parser.in_parens():
                    properties[keyword] = SymbolRefAttr(parser.parse_symbol_name())
        workgroup, _ = parse_attributions(parser, "workgroup")
        private, _ = parse_attributions(parser, "private")
        body = parser.parse_region(
            [
                *(*grid.ids, *blocks.ids, *grid.sizes, *blocks.sizes),
                *(*clusters.ids, *clusters.sizes),
                *(*workgroup, *private),
            ]
        )
        inherent, attributes = parse_attributes(parser, cls)
        cluster = 1 if clusters.operands else 0
        properties["operandSegmentSizes"] = segments(
            len(dependencies),
            *(1, 1, 1, 1, 1, 1),
            *(cluster, cluster, cluster),
            len(shared),
            0 if async_object is None else 1,
        )
        properties["workgroup_attributions"] = i64_attr(len(workgroup))
        return cls.create(
            operands=operands,
            result_types=token,
            properties=inherent | properties,
            attributes=attributes,
            regions=[body],
        )

    def print(self, printer: Printer) -> None:
        print_async(printer, self.async_dependencies, self.async_token)
        if self.async_object is not None:
            printer.print_string(" <")
            _print_named_operand(printer, self.async_object)
            printer.print_string(">")
        arguments = self.body.blocks[0].args
        config = 12
        if self.cluster_size is not None:
            config = 18
            _print_dimensions(printer, "clusters", arguments[12:15], arguments[15:18], self.cluster_size)
        _print_dimensions(printer, "blocks", arguments[:3], arguments[6:9], self.grid_size)
        _print_dimensions(printer, "threads", arguments[3:6], arguments[9:12], self.block_size)
        _print_shared_memory(printer, self.dynamic_shared_memory_size)
        if self.cooperative is not None:
            printer.print_string(" cooperative")
        for keyword, symbol in (("module", self.module), ("function", self.function)):
            if symbol is not None:
                printer.print_string(f" {keyword}(")
                printer.print_attribute(symbol)
                printer.print_string(")")
        count = 0 if self.workgroup_attributions is None else self.workgroup_attributions.value.data
        print_attributions(printer, "workgroup", arguments[config : config + count])
        print_attributions(printer, "private", arguments[config + count :])
        printer.print_string(" ")
        printer.print_region(self.body, print_entry_block_args=False, print_empty_block=False)
        print_attributes(printer, self, self.PRINTED_PROPERTIES)


@table_op_definition
class TerminatorOp(TableOp):
    """`gpu.terminator`, the terminator of a gpu.launch body."""

    name = "gpu.terminator"

    traits = traits_def(IsTerminator(), Pure())


def _expect(parser: Parser, op_name: str, keyword: str) -> None:
    if parser.parse_optional_keyword(keyword) is None:
        parser.raise_error(f"custom op '{op_name}' expected '{keyword}'")


class _Dimensions:
    """`(%bx, %by, %bz) in (%gx = %a, %gy = %b, %gz = %c)`: the names of ids and sizes, and the sizes."""

    def __init__(
        self,
        ids: list[Parser.Argument],
        sizes: list[Parser.Argument],
        operands: list[UnresolvedOperand],
    ) -> None:
        self.ids = ids
        self.sizes = sizes
        self.operands = operands

    @classmethod
    def parse(cls, parser: Parser) -> _Dimensions:
        ids = _parse_three(parser, _parse_index_argument)
        parser.parse_keyword("in")
        pairs = _parse_three(parser, _parse_assignment)
        return cls(ids, [argument for argument, _ in pairs], [operand for _, operand in pairs])


def _parse_three(parser: Parser, parse: Callable[[Parser], T]) -> list[T]:
    """Parse three names, one per dimension: `(x, y, z)`."""
    parser.parse_punctuation("(")
    found = [parse(parser)]
    for _ in range(2):
        parser.parse_punctuation(",")
        found.append(parse(parser))
    parser.parse_punctuation(")")
    return found


def _parse_index_argument(parser: Parser) -> Parser.Argument:
    return parser.parse_argument(expect_type=False).resolve(INDEX)


def _parse_assignment(parser: Parser) -> tuple[Parser.Argument, UnresolvedOperand]:
    argument = _parse_index_argument(parser)
    parser.parse_punctuation("=")
    return argument, parser.parse_unresolved_operand("expected SSA operand")


def _print_dimensions(
    printer: Printer,
    keyword: str,
    ids: Sequence[BlockArgument],
    names: Sequence[BlockArgument],
    sizes: Sequence[SSAValue],
) -> None:
    printer.print_string(f" {keyword}(")
    printer.print_list(ids, printer.print_ssa_value)
    printer.print_string(") in (")
    for index, (name, size) in enumerate(zip(names, sizes, strict=True)):
        if index:
            printer.print_string(", ")
        printer.print_ssa_value(name)
        printer.print_string(" = ")
        printer.print_ssa_value(size)
    printer.print_string(")")


def _parse_sizes(parser: Parser) -> list[UnresolvedOperand]:
    parser.parse_keyword("in")
    return _parse_three(parser, lambda parser: parser.parse_unresolved_operand("expected SSA operand"))


def _print_sizes(printer: Printer, keyword: str, sizes: Sequence[SSAValue]) -> None:
    printer.print_string(f" {keyword} in (")
    printer.print_list(sizes, printer.print_ssa_value)
    printer.print_string(")")


def _parse_named_operand(parser: Parser) -> NamedOperand:
    name = parser.parse_unresolved_operand("expected SSA operand")
    parser.parse_punctuation(":")
    return name, parser.parse_type()


def _print_named_operand(printer: Printer, value: SSAValue) -> None:
    printer.print_ssa_value(value)
    printer.print_string(" : ")
    printer.print_attribute(value.type)


def _parse_shared_memory(parser: Parser) -> list[SSAValue]:
    if parser.parse_optional_keyword("dynamic_shared_memory_size") is None:
        return []
    return [parser.resolve_operand(parser.parse_unresolved_operand("expected SSA operand"), i32)]


def _print_shared_memory(printer: Printer, size: SSAValue | None) -> None:
    if size is not None:
        printer.print_string(" dynamic_shared_memory_size ")
        printer.print_ssa_value(size)
