"""gpu ops that contain device code: module, func, return, and binary for compiled code."""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    DictionaryAttr,
    FunctionType,
    IntegerAttr,
    NoneAttr,
    StringAttr,
    SymbolNameConstraint,
    UnitAttr,
)
from xdsl.ir import Attribute, Block
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    opt_prop_def,
    prop_def,
    region_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import IsolatedFromAbove, IsTerminator, NoTerminator, Pure, SymbolOpInterface, SymbolTable

from gpuasync_lsp.releases import NEWEST, profile
from gpuasync_lsp.syntax.dialects.assembly import (
    UNIT,
    Attributes,
    i64_attr,
    is_i32_array,
    parse_attributes,
    parse_signature,
    print_attributes,
    print_signature,
    raise_error,
)
from gpuasync_lsp.syntax.dialects.gpu.assembly import parse_attributions, print_attributions
from gpuasync_lsp.syntax.dialects.gpu.attributes import SelectObjectAttr
from gpuasync_lsp.syntax.ods.by_table import ByTable, TableOp, table_op_definition

KERNEL = "gpu.kernel"
DEFAULT_HANDLER = SelectObjectAttr(NoneAttr())
"""The default handler of a gpu.binary, which selects its first object."""


@irdl_op_definition
class GPUModuleOp(IRDLOperation):
    """`gpu.module @name <#handler> [#nvvm.target] { ... }`."""

    name = "gpu.module"

    sym_name = prop_def(SymbolNameConstraint())
    sym_visibility = opt_prop_def(StringAttr)
    targets = opt_prop_def(ArrayAttr[Attribute])
    offloading_handler = opt_prop_def(Attribute, prop_name="offloadingHandler")
    body_region = region_def("single_block")

    traits = traits_def(IsolatedFromAbove(), NoTerminator(), SymbolOpInterface(), SymbolTable())

    PRINTED_PROPERTIES: ClassVar = ("sym_name", "sym_visibility", "targets", "offloadingHandler")

    @classmethod
    def parse(cls, parser: Parser) -> GPUModuleOp:
        properties = _parse_symbol(parser)
        targets = parser.parse_optional_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_attribute)
        if targets is not None:
            properties["targets"] = ArrayAttr(targets)
        inherent, attributes = parse_attributes(parser, cls, keyword=True)
        body = parser.parse_region()
        if not body.blocks:
            body.add_block(Block())
        return cls.create(properties=inherent | properties, attributes=attributes, regions=[body])

    def print(self, printer: Printer) -> None:
        _print_symbol(printer, self)
        if self.targets is not None:
            printer.print_string(" ")
            printer.print_attribute(self.targets)
        print_attributes(printer, self, self.PRINTED_PROPERTIES, keyword=True)
        printer.print_string(" ")
        # The only possible terminator is older releases' gpu.module_end, which custom assembly omits.
        printer.print_region(self.body_region, print_empty_block=False, print_block_terminators=False)


KNOWN_SIZES = {"known_block_size": 19, "known_grid_size": 19, "known_cluster_size": 22}
"""The attributes for known launch sizes, and the release that made each a property of gpu.func."""


@irdl_op_definition
class GPUFuncOp(IRDLOperation):
    """`gpu.func @name(%a: i32) workgroup(%w: memref<..>) private(%p: memref<..>) kernel { ... }`."""

    name = "gpu.func"

    sym_name = prop_def(SymbolNameConstraint())
    sym_visibility = opt_prop_def(StringAttr)
    function_type = prop_def(FunctionType)
    arg_attrs = opt_prop_def(ArrayAttr[DictionaryAttr])
    res_attrs = opt_prop_def(ArrayAttr[DictionaryAttr])
    workgroup_attrib_attrs = opt_prop_def(ArrayAttr[DictionaryAttr])
    private_attrib_attrs = opt_prop_def(ArrayAttr[DictionaryAttr])
    known_block_size = opt_prop_def(DenseArrayBase)
    known_grid_size = opt_prop_def(DenseArrayBase)
    known_cluster_size = opt_prop_def(DenseArrayBase)
    workgroup_attributions = opt_prop_def(IntegerAttr)
    kernel = opt_prop_def(UnitAttr)
    body = region_def()

    traits = traits_def(IsolatedFromAbove(), SymbolOpInterface())

    PRINTED_PROPERTIES: ClassVar = (
        "sym_name",
        "function_type",
        "arg_attrs",
        "res_attrs",
        "workgroup_attrib_attrs",
        "private_attrib_attrs",
        "workgroup_attributions",
        "kernel",
        KERNEL,
    )

    @property
    def is_kernel(self) -> bool:
        """Whether a host can launch this function; before LLVM 23 the attribute `gpu.kernel` marks
        kernels."""
        return "kernel" in self.properties or KERNEL in self.attributes

    @property
    def workgroup_count(self) -> int:
        """The number of workgroup memory attributions, which follow the function's arguments in the body."""
        return 0 if self.workgroup_attributions is None else self.workgroup_attributions.value.data

    def lost_sizes(self, version: int | None) -> tuple[str, ...]:
        """Return the size attributes that LLVM `version` (default: the newest) ignores when it parses this
        op.

        From LLVM 19 on a known size is a property that must be an i32 array: mlir-opt ignores `[64, 1,
        1]`, `array<i64: 64, 1, 1>` and `64 : i32` (measured). Through LLVM 18 it is discardable."""
        facts = profile(NEWEST if version is None else version)
        return tuple(
            name
            for name in KNOWN_SIZES
            if name in self.attributes
            and name in facts.size_properties
            and not is_i32_array(self.attributes[name])
        )

    @classmethod
    def parse(cls, parser: Parser) -> GPUFuncOp:
        properties: Attributes = {}
        visibility = parser.parse_optional_visibility_keyword()
        if visibility is not None:
            properties["sym_visibility"] = visibility
        properties["sym_name"] = parser.parse_symbol_name()
        start = parser.pos
        signature = parse_signature(parser)
        if signature.arguments is None:
            raise_error(parser, cls.name, "gpu.func requires named arguments", start)
        properties["function_type"] = FunctionType.from_lists(signature.inputs, signature.results)
        workgroup, workgroup_attributes = parse_attributions(parser, "workgroup")
        private, private_attributes = parse_attributions(parser, "private")
        properties["workgroup_attributions"] = i64_attr(len(workgroup))
        properties |= signature.attributes
        for name, value in (
            ("workgroup_attrib_attrs", workgroup_attributes),
            ("private_attrib_attrs", private_attributes),
        ):
            if value is not None:
                properties[name] = value
        is_kernel = parser.parse_optional_keyword("kernel") is not None
        inherent, attributes = parse_attributes(parser, cls, keyword=True)
        for size in KNOWN_SIZES:
            # MLIR's parser silently accepts other attributes here (see `lost_sizes`).
            if size in inherent and not is_i32_array(inherent[size]):
                attributes[size] = inherent.pop(size)
        if is_kernel:
            attributes[KERNEL] = UNIT
        body = parser.parse_region([*(signature.arguments or ()), *workgroup, *private])
        return cls.create(properties=inherent | properties, attributes=attributes, regions=[body])

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_symbol_name(self.sym_name.data)
        inputs = self.function_type.inputs.data
        arguments = self.body.blocks[0].args
        print_signature(
            printer,
            inputs,
            self.function_type.outputs.data,
            arguments[: len(inputs)],
            self.arg_attrs,
            self.res_attrs,
        )
        private = len(inputs) + self.workgroup_count
        print_attributions(
            printer, "workgroup", arguments[len(inputs) : private], self.workgroup_attrib_attrs
        )
        print_attributions(printer, "private", arguments[private:], self.private_attrib_attrs)
        if self.is_kernel:
            printer.print_string(" kernel")
        elided = (*self.PRINTED_PROPERTIES, *self.lost_sizes(getattr(printer, "llvm", None)))
        print_attributes(printer, self, elided, keyword=True)
        printer.print_string(" ")
        printer.print_region(self.body, print_entry_block_args=False, print_empty_block=False)


@irdl_op_definition
class ReturnOp(ByTable):
    """`gpu.return`, the terminator of gpu.func."""

    name = "gpu.return"

    arguments = var_operand_def()

    traits = traits_def(IsTerminator(), Pure())


@table_op_definition
class ModuleEndOp(TableOp):
    """`gpu.module_end`, the terminator of gpu.module through LLVM 19, printed only in generic form."""

    name = "gpu.module_end"

    traits = traits_def(IsTerminator())


@irdl_op_definition
class BinaryOp(IRDLOperation):
    """`gpu.binary @name <#handler> [#gpu.object<...>]` (since LLVM 17)."""

    name = "gpu.binary"

    sym_name = prop_def(SymbolNameConstraint())
    sym_visibility = opt_prop_def(StringAttr)
    offloading_handler = opt_prop_def(Attribute, prop_name="offloadingHandler")
    objects = prop_def(ArrayAttr[Attribute])

    traits = traits_def(SymbolOpInterface())

    PRINTED_PROPERTIES: ClassVar = ("sym_name", "sym_visibility", "offloadingHandler", "objects")

    @classmethod
    def parse(cls, parser: Parser) -> BinaryOp:
        properties: Attributes = {"offloadingHandler": DEFAULT_HANDLER} | _parse_symbol(parser)
        inherent, attributes = parse_attributes(parser, cls)
        start = parser.pos
        properties["objects"] = parser.parse_attribute()
        if not isinstance(properties["objects"], ArrayAttr):
            raise_error(parser, cls.name, "invalid kind of attribute specified", start)
        return cls.create(properties=inherent | properties, attributes=attributes)

    def print(self, printer: Printer) -> None:
        _print_symbol(printer, self)
        print_attributes(printer, self, self.PRINTED_PROPERTIES)
        printer.print_string(" ")
        printer.print_attribute(self.objects)


def _parse_symbol(parser: Parser) -> Attributes:
    """Parse `visibility? @name (<#handler>)?`."""
    properties: Attributes = {}
    visibility = parser.parse_optional_visibility_keyword()
    if visibility is not None:
        properties["sym_visibility"] = visibility
    properties["sym_name"] = parser.parse_symbol_name()
    if parser.parse_optional_punctuation("<") is not None:
        properties["offloadingHandler"] = parser.parse_attribute()
        parser.parse_punctuation(">")
    return properties


def _print_symbol(printer: Printer, op: GPUModuleOp | BinaryOp) -> None:
    if op.sym_visibility is not None:
        printer.print_string(f" {op.sym_visibility.data}")
    printer.print_string(" ")
    printer.print_symbol_name(op.sym_name.data)
    if op.offloading_handler is not None and not (
        isinstance(op, BinaryOp) and op.offloading_handler == DEFAULT_HANDLER
    ):
        printer.print_string(" <")
        printer.print_attribute(op.offloading_handler)
        printer.print_string(">")
