"""Types and attributes of the gpu dialect, as MLIR prints them."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import (
    AffineMapAttr,
    AnyFloat,
    ArrayAttr,
    BytesAttr,
    DictionaryAttr,
    IntAttr,
    IntegerType,
    NoneAttr,
    StringAttr,
)
from xdsl.ir import Attribute, ParametrizedAttribute, SpacedOpaqueSyntaxAttribute, TypeAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.mlir_lexer import MLIRTokenKind
from xdsl.utils.str_enum import StrEnum

from gpuasync_lsp.syntax.affine import map_text
from gpuasync_lsp.syntax.ods.enumerations import Enumeration, enumeration_attr
from gpuasync_lsp.syntax.xdsl_speed import current_token, symbol_body

# Types


@irdl_attr_definition
class AsyncTokenType(ParametrizedAttribute, TypeAttribute):
    """`!gpu.async.token`: the result of an async op, and a dependency of later ops.

    MLIR ignores angle brackets after the name.
    """

    name = "gpu.async.token"

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        if current_token(parser).kind == MLIRTokenKind.LESS:
            symbol_body(parser)
        return ()


@irdl_attr_definition
class MMAMatrixType(ParametrizedAttribute, TypeAttribute):
    """`!gpu.mma_matrix<16x16xf16, "AOp">`: a matrix distributed over a subgroup."""

    name = "gpu.mma_matrix"

    rows: IntAttr
    columns: IntAttr
    element_type: Attribute
    operand: StringAttr

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            shape, element_type = parser.parse_shape()
            if shape is None or len(shape) != 2:
                parser.raise_error("MMAMatrixType must have exactly two dimensions")
            element: Attribute = element_type
            if not isinstance(element, IntegerType | AnyFloat):
                parser.raise_error("MMAMatrixType elements must be SI8, UI8, I32, F16, F32, or F64")
            parser.parse_punctuation(",")
            operand = parser.parse_str_literal()
            if operand not in ("AOp", "BOp", "COp"):
                parser.raise_error("operand expected to be one of AOp, BOp or COp")
        return (IntAttr(shape[0]), IntAttr(shape[1]), element_type, StringAttr(operand))

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string(f"{self.rows.data}x{self.columns.data}x")
            printer.print_attribute(self.element_type)
            printer.print_string(", ")
            printer.print_string_literal(self.operand.data)


@irdl_attr_definition
class SparseDnTensorHandleType(ParametrizedAttribute, TypeAttribute):
    name = "gpu.sparse.dntensor_handle"


@irdl_attr_definition
class SparseSpMatHandleType(ParametrizedAttribute, TypeAttribute):
    name = "gpu.sparse.spmat_handle"


@irdl_attr_definition
class SparseSpGEMMOpHandleType(ParametrizedAttribute, TypeAttribute):
    name = "gpu.sparse.spgemmop_handle"


@irdl_attr_definition
class NamedBarrierType(ParametrizedAttribute, TypeAttribute):
    """`!gpu.named_barrier`, since LLVM 23."""

    name = "gpu.named_barrier"


# Enumerations

DimensionAttr = enumeration_attr("gpu.dim")
AllReduceOperationAttr = enumeration_attr("gpu.all_reduce_op", "minf", "maxf")
ShuffleModeAttr = enumeration_attr("gpu.shuffle_mode")
MMAElementwiseAttr = enumeration_attr("gpu.mma_element_wise", "truncf")
Prune2To4SpMatFlagAttr = enumeration_attr("gpu.prune_2to4_spmat_flag")
TransposeModeAttr = enumeration_attr("gpu.mat_transpose_mode")
SpGEMMWorkEstimationOrComputeKindAttr = enumeration_attr("gpu.spgemm_work_estimation_or_compute_kind")
BroadcastTypeAttr = enumeration_attr("gpu.broadcast")

_SPACES = ("global", "workgroup", "private", "constant")
_DIMENSIONS = ("x", "y", "z", *(f"linear_dim_{number}" for number in range(10)))
AddressSpaceAttr = enumeration_attr("gpu.address_space", *_SPACES, bracketed=True)
BarrierScopeAttr = enumeration_attr("gpu.barrier_scope", "workgroup", "subgroup", "cluster", bracketed=True)
OffloadEmbeddingAttr = enumeration_attr("gpu.offload_embedding", "omp", "cuda", "hip", bracketed=True)
GPUBlockMappingAttr = enumeration_attr("gpu.block", *_DIMENSIONS, bracketed=True)
GPUThreadMappingAttr = enumeration_attr("gpu.thread", *_DIMENSIONS, bracketed=True)
GPUWarpMappingAttr = enumeration_attr("gpu.warp", *_DIMENSIONS, bracketed=True)
GPUWarpgroupMappingAttr = enumeration_attr("gpu.warpgroup", *_DIMENSIONS, bracketed=True)
GPULaneMappingAttr = enumeration_attr("gpu.lane", *_DIMENSIONS, bracketed=True)
GPUMemorySpaceMappingAttr = enumeration_attr("gpu.memory_space", *_SPACES, bracketed=True)
_PROCESSORS = (*(f"block_{axis}" for axis in "xyz"), *(f"thread_{axis}" for axis in "xyz"), "sequential")


@irdl_attr_definition
class ParallelLoopDimMappingAttr(ParametrizedAttribute):
    """`#gpu.loop_dim_map<processor = block_x, map = (d0) -> (d0), bound = (d0) -> (d0)>`."""

    name = "gpu.loop_dim_map"

    processor: StringAttr
    map: AffineMapAttr
    bound: AffineMapAttr

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        entries: dict[str, Attribute] = {}
        names = ("processor", "map", "bound")

        def parse_entry() -> None:
            name = next((each for each in names if parser.parse_optional_keyword(each) is not None), None)
            if name is None or name in entries:
                parser.raise_error("expected one of 'processor', 'map', 'bound'")
            parser.parse_punctuation("=")
            if name == "processor":
                entries[name] = StringAttr(parser.parse_keyword_in(_PROCESSORS))
            else:
                entries[name] = AffineMapAttr(parser.parse_affine_map())

        parser.parse_comma_separated_list(parser.Delimiter.ANGLE, parse_entry)
        if len(entries) != len(names):
            parser.raise_error("struct is missing required parameters")
        return tuple(entries[name] for name in names)

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            maps = f"map = {map_text(self.map)}, bound = {map_text(self.bound)}"
            printer.print_string(f"processor = {self.processor.data}, {maps}")


# Compiled objects


class ObjectFormat(StrEnum):
    """The format of a `#gpu.object`: a keyword before its string. `fatbin` is the default and not printed."""

    OFFLOAD = "offload"
    ASSEMBLY = "assembly"
    BINARY = "bin"
    FATBIN = "fatbin"


@irdl_attr_definition
class ObjectFormatAttr(Enumeration, SpacedOpaqueSyntaxAttribute):
    """The format of a `#gpu.object`; used only as a parameter of that attribute."""

    name = "gpu.object_format"
    enum_type = ObjectFormat


@irdl_attr_definition
class KernelMetadataAttr(ParametrizedAttribute):
    """`#gpu.kernel_metadata<"name", type, arg_attrs = [...], metadata = {...}>` (since LLVM 20)."""

    name = "gpu.kernel_metadata"

    kernel_name: StringAttr
    function_type: Attribute
    arg_attrs: ArrayAttr[Attribute] | NoneAttr
    metadata: DictionaryAttr | NoneAttr

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        named: dict[str, Attribute] = {"arg_attrs": NoneAttr(), "metadata": NoneAttr()}
        with parser.in_angle_brackets():
            kernel_name = StringAttr(parser.parse_str_literal())
            parser.parse_punctuation(",")
            function_type = parser.parse_type()
            while parser.parse_optional_punctuation(",") is not None:
                key = parser.parse_keyword_in(tuple(named))
                parser.parse_punctuation("=")
                named[key] = parser.parse_attribute()
        return (kernel_name, function_type, *named.values())

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_attribute(self.kernel_name)
            printer.print_string(", ")
            printer.print_attribute(self.function_type)
            for key, value in (("arg_attrs", self.arg_attrs), ("metadata", self.metadata)):
                if not isinstance(value, NoneAttr):
                    printer.print_string(f", {key} = ")
                    printer.print_attribute(value)


@irdl_attr_definition
class KernelTableAttr(ParametrizedAttribute):
    """`#gpu.kernel_table<[#gpu.kernel_metadata<...>]>` (since LLVM 20)."""

    name = "gpu.kernel_table"

    kernels: ArrayAttr[Attribute]

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        start = parser.pos
        with parser.in_angle_brackets():
            kernels = parser.parse_optional_comma_separated_list(
                parser.Delimiter.SQUARE, parser.parse_attribute
            )
        named = [each.kernel_name for each in kernels or () if isinstance(each, KernelMetadataAttr)]
        if len({*named}) < len(named):
            parser.raise_error("expected all kernels to be uniquely named", start)
        return (ArrayAttr(kernels or ()),)

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            if self.kernels.data:
                printer.print_attribute(self.kernels)


def _kernel_table(parser: AttrParser) -> KernelTableAttr:
    """Parse `<[...]>`, with or without the prefix `#gpu.kernel_table`."""
    start = parser.pos
    found = parser.parse_optional_attribute()
    if found is None:
        return KernelTableAttr.new(KernelTableAttr.parse_parameters(parser))
    if not isinstance(found, KernelTableAttr):
        parser.raise_error("invalid kind of attribute specified", start, parser.pos)
    return found


@irdl_attr_definition
class ObjectAttr(ParametrizedAttribute):
    """`#gpu.object<#nvvm.target, properties = {...}, kernels = <...>, assembly = "...">` (since LLVM 17)."""

    name = "gpu.object"

    target: Attribute
    format: ObjectFormatAttr
    object: StringAttr | BytesAttr
    properties: DictionaryAttr | NoneAttr
    kernels: KernelTableAttr | NoneAttr

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        properties: Attribute = NoneAttr()
        kernels: Attribute = NoneAttr()
        with parser.in_angle_brackets():
            target = parser.parse_attribute()
            parser.parse_punctuation(",")
            if parser.parse_optional_keyword("properties") is not None:
                parser.parse_punctuation("=")
                properties = parser.parse_attribute()
                parser.parse_punctuation(",")
            if parser.parse_optional_keyword("kernels") is not None:
                parser.parse_punctuation("=")
                kernels = _kernel_table(parser)
                parser.parse_punctuation(",")
            keyword = parser.parse_optional_keyword_in(tuple(ObjectFormat))
            if keyword is not None:
                parser.parse_punctuation("=")
            object_format = ObjectFormat(keyword or "fatbin")
            content = parser.parse_attribute()
        return (target, ObjectFormatAttr(object_format), content, properties, kernels)

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_attribute(self.target)
            printer.print_string(", ")
            if not isinstance(self.properties, NoneAttr):
                printer.print_string("properties = ")
                printer.print_attribute(self.properties)
                printer.print_string(", ")
            if not isinstance(self.kernels, NoneAttr):
                printer.print_string("kernels = ")
                self.kernels.print_parameters(printer)
                printer.print_string(", ")
            if self.format.data is not ObjectFormat.FATBIN:
                printer.print_string(f"{self.format.data.value} = ")
            printer.print_attribute(self.object)


@irdl_attr_definition
class SelectObjectAttr(ParametrizedAttribute):
    """`#gpu.select_object<target or number>`: selects an object of a gpu.binary."""

    name = "gpu.select_object"

    target: Attribute

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        if parser.parse_optional_punctuation("<") is None:
            return (NoneAttr(),)
        target = parser.parse_attribute()
        parser.parse_punctuation(">")
        return (target,)

    def print_parameters(self, printer: Printer) -> None:
        if isinstance(self.target, NoneAttr):
            return
        with printer.in_angle_brackets():
            printer.print_attribute(self.target)
