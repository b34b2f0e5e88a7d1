"""Types and attributes of the gpu dialect, as MLIR prints them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic, TypeVar

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
from xdsl.dialects.utils import EnumAttribute
from xdsl.ir import Attribute, ParametrizedAttribute, SpacedOpaqueSyntaxAttribute, TypeAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.mlir_lexer import MLIRTokenKind
from xdsl.utils.str_enum import StrEnum

from gpuasync_lsp.syntax.affine import map_text

# Types


@irdl_attr_definition
class AsyncTokenType(ParametrizedAttribute, TypeAttribute):
    """`!gpu.async.token`: what an async op returns and later ops depend on.

    MLIR skips what may stand behind it in angle brackets.
    """

    name = "gpu.async.token"

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        if parser._current_token.kind == MLIRTokenKind.LESS:  # pyright: ignore[reportPrivateUsage]
            parser._parse_dialect_symbol_body()  # pyright: ignore[reportPrivateUsage]
        return ()


@irdl_attr_definition
class MMAMatrixType(ParametrizedAttribute, TypeAttribute):
    """`!gpu.mma_matrix<16x16xf16, "AOp">`: a matrix spread over a subgroup."""

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
    """`!gpu.named_barrier`, in LLVM 23 and later."""

    name = "gpu.named_barrier"


# Enumerations


class Dimension(StrEnum):
    X = "x"
    Y = "y"
    Z = "z"


class AllReduceOperation(StrEnum):
    """`min` and `max` are the names of LLVM 16; later releases split them by type."""

    ADD = "add"
    MUL = "mul"
    MIN = "min"
    MAX = "max"
    MINUI = "minui"
    MINSI = "minsi"
    MINNUMF = "minnumf"
    MINF = "minf"
    MAXUI = "maxui"
    MAXSI = "maxsi"
    MAXNUMF = "maxnumf"
    MAXF = "maxf"
    AND = "and"
    OR = "or"
    XOR = "xor"
    MINIMUMF = "minimumf"
    MAXIMUMF = "maximumf"


class ShuffleMode(StrEnum):
    XOR = "xor"
    UP = "up"
    DOWN = "down"
    IDX = "idx"


class MMAElementwise(StrEnum):
    ADDF = "addf"
    MULF = "mulf"
    SUBF = "subf"
    MAXF = "maxf"
    MINF = "minf"
    DIVF = "divf"
    ADDI = "addi"
    MULI = "muli"
    SUBI = "subi"
    DIVS = "divs"
    DIVU = "divu"
    NEGATEF = "negatef"
    NEGATES = "negates"
    EXTF = "extf"
    TRUNCF = "truncf"


class Prune2To4SpMatFlag(StrEnum):
    NONE = "NONE"
    PRUNE_ONLY = "PRUNE_ONLY"
    PRUNE_AND_CHECK = "PRUNE_AND_CHECK"


class TransposeMode(StrEnum):
    NON_TRANSPOSE = "NON_TRANSPOSE"
    TRANSPOSE = "TRANSPOSE"
    CONJUGATE_TRANSPOSE = "CONJUGATE_TRANSPOSE"


class SpGEMMWorkEstimationOrComputeKind(StrEnum):
    WORK_ESTIMATION = "WORK_ESTIMATION"
    COMPUTE = "COMPUTE"


class BroadcastType(StrEnum):
    FIRST_ACTIVE_LANE = "first_active_lane"
    SPECIFIC_LANE = "specific_lane"


class AddressSpace(StrEnum):
    GLOBAL = "global"
    WORKGROUP = "workgroup"
    PRIVATE = "private"
    CONSTANT = "constant"


class BarrierScope(StrEnum):
    WORKGROUP = "workgroup"
    SUBGROUP = "subgroup"
    CLUSTER = "cluster"


class OffloadKind(StrEnum):
    OPENMP = "omp"
    CUDA = "cuda"
    HIP = "hip"


class Processor(StrEnum):
    BLOCK_X = "block_x"
    BLOCK_Y = "block_y"
    BLOCK_Z = "block_z"
    THREAD_X = "thread_x"
    THREAD_Y = "thread_y"
    THREAD_Z = "thread_z"
    SEQUENTIAL = "sequential"


class MappingId(StrEnum):
    """Which hardware dimension a loop is mapped to."""

    X = "x"
    Y = "y"
    Z = "z"
    LINEAR_DIM_0 = "linear_dim_0"
    LINEAR_DIM_1 = "linear_dim_1"
    LINEAR_DIM_2 = "linear_dim_2"
    LINEAR_DIM_3 = "linear_dim_3"
    LINEAR_DIM_4 = "linear_dim_4"
    LINEAR_DIM_5 = "linear_dim_5"
    LINEAR_DIM_6 = "linear_dim_6"
    LINEAR_DIM_7 = "linear_dim_7"
    LINEAR_DIM_8 = "linear_dim_8"
    LINEAR_DIM_9 = "linear_dim_9"


@irdl_attr_definition
class DimensionAttr(EnumAttribute[Dimension], SpacedOpaqueSyntaxAttribute):
    name = "gpu.dim"


@irdl_attr_definition
class AllReduceOperationAttr(EnumAttribute[AllReduceOperation], SpacedOpaqueSyntaxAttribute):
    name = "gpu.all_reduce_op"


@irdl_attr_definition
class ShuffleModeAttr(EnumAttribute[ShuffleMode], SpacedOpaqueSyntaxAttribute):
    name = "gpu.shuffle_mode"


@irdl_attr_definition
class MMAElementwiseAttr(EnumAttribute[MMAElementwise], SpacedOpaqueSyntaxAttribute):
    name = "gpu.mma_element_wise"


@irdl_attr_definition
class Prune2To4SpMatFlagAttr(EnumAttribute[Prune2To4SpMatFlag], SpacedOpaqueSyntaxAttribute):
    name = "gpu.prune_2to4_spmat_flag"


@irdl_attr_definition
class TransposeModeAttr(EnumAttribute[TransposeMode], SpacedOpaqueSyntaxAttribute):
    name = "gpu.mat_transpose_mode"


@irdl_attr_definition
class SpGEMMWorkEstimationOrComputeKindAttr(
    EnumAttribute[SpGEMMWorkEstimationOrComputeKind], SpacedOpaqueSyntaxAttribute
):
    name = "gpu.spgemm_work_estimation_or_compute_kind"


@irdl_attr_definition
class BroadcastTypeAttr(EnumAttribute[BroadcastType], SpacedOpaqueSyntaxAttribute):
    name = "gpu.broadcast"


EnumT = TypeVar("EnumT", bound=StrEnum)


class BracketedEnum(Generic[EnumT]):
    """Mixin before `EnumAttribute`: the value stands in angle brackets, `#gpu.address_space<global>`."""

    data: EnumT
    enum_type: type[StrEnum]

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> EnumT:
        with parser.in_angle_brackets():
            return parser.parse_str_enum(cls.enum_type)  # pyright: ignore[reportReturnType]

    def print_parameter(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string(self.data.value)


@irdl_attr_definition
class AddressSpaceAttr(BracketedEnum[AddressSpace], EnumAttribute[AddressSpace]):
    """`#gpu.address_space<workgroup>`, a memory space of memref types."""

    name = "gpu.address_space"


@irdl_attr_definition
class BarrierScopeAttr(BracketedEnum[BarrierScope], EnumAttribute[BarrierScope]):
    name = "gpu.barrier_scope"


@irdl_attr_definition
class OffloadEmbeddingAttr(BracketedEnum[OffloadKind], EnumAttribute[OffloadKind]):
    name = "gpu.offload_embedding"


@irdl_attr_definition
class GPUBlockMappingAttr(BracketedEnum[MappingId], EnumAttribute[MappingId]):
    name = "gpu.block"


@irdl_attr_definition
class GPUThreadMappingAttr(BracketedEnum[MappingId], EnumAttribute[MappingId]):
    name = "gpu.thread"


@irdl_attr_definition
class GPUWarpMappingAttr(BracketedEnum[MappingId], EnumAttribute[MappingId]):
    name = "gpu.warp"


@irdl_attr_definition
class GPUWarpgroupMappingAttr(BracketedEnum[MappingId], EnumAttribute[MappingId]):
    name = "gpu.warpgroup"


@irdl_attr_definition
class GPULaneMappingAttr(BracketedEnum[MappingId], EnumAttribute[MappingId]):
    name = "gpu.lane"


@irdl_attr_definition
class GPUMemorySpaceMappingAttr(BracketedEnum[AddressSpace], EnumAttribute[AddressSpace]):
    name = "gpu.memory_space"


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
                entries[name] = StringAttr(parser.parse_str_enum(Processor).value)
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
    """What a `#gpu.object` holds: the keyword before its string; `fatbin` is the default, never printed."""

    OFFLOAD = "offload"
    ASSEMBLY = "assembly"
    BINARY = "bin"
    FATBIN = "fatbin"


@irdl_attr_definition
class ObjectFormatAttr(EnumAttribute[ObjectFormat], SpacedOpaqueSyntaxAttribute):
    """The format of a `#gpu.object`; a part of that attribute, which is never written alone."""

    name = "gpu.object_format"


@irdl_attr_definition
class KernelMetadataAttr(ParametrizedAttribute):
    """`#gpu.kernel_metadata<"name", type, arg_attrs = [...], metadata = {...}>` (from LLVM 20)."""

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
    """`#gpu.kernel_table<[#gpu.kernel_metadata<...>]>` (from LLVM 20)."""

    name = "gpu.kernel_table"

    kernels: ArrayAttr[Attribute]

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            kernels = parser.parse_optional_comma_separated_list(
                parser.Delimiter.SQUARE, parser.parse_attribute
            )
        return (ArrayAttr(kernels or ()),)

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            if self.kernels.data:
                printer.print_attribute(self.kernels)


def _kernel_table(parser: AttrParser) -> KernelTableAttr:
    """Parse `<[...]>`, with or without `#gpu.kernel_table` in front."""
    start = parser.pos
    found = parser.parse_optional_attribute()
    if found is None:
        return KernelTableAttr.new(KernelTableAttr.parse_parameters(parser))
    if not isinstance(found, KernelTableAttr):
        parser.raise_error("invalid kind of attribute specified", start, parser.pos)
    return found


@irdl_attr_definition
class ObjectAttr(ParametrizedAttribute):
    """`#gpu.object<#nvvm.target, properties = {...}, kernels = <...>, assembly = "...">` (from LLVM 17)."""

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
    """`#gpu.select_object<target or number>`: which object of a gpu.binary is used."""

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
