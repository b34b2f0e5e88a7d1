"""Types and attributes of MLIR's `llvm` dialect, in the syntax of all releases.

Inside another llvm type, an llvm type has no `!llvm.`: `!llvm.struct<(ptr, array<4 x i8>)>`.

    LLVMPointerType(addr_space, pointee)   `!llvm.ptr`, `!llvm.ptr<1>`; `!llvm.ptr<f32>`: LLVM 16
    LLVMStructType(types, struct_name, packed)   .literal([...]) is `!llvm.struct<(...)>`
    LLVMArrayType(size, type)              `!llvm.array<4 x i8>`
    LLVMFunctionType(inputs, output, is_variadic)   `!llvm.func<void (i32, ...)>`
    LLVMVoidType, LLVMTokenType, LLVMLabelType, LLVMMetadataType, LLVMX86AMXType, LLVMPPCFP128Type
    LLVMVectorType(scalable, size, type)   `!llvm.vec<4 x ptr>`, through LLVM 20

Attributes whose value the package uses are classes (`LinkageAttr("internal")`, `CConvAttr`, ...); all
other attributes (debug info, TBAA, loop annotations, ...) are kept as text.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from io import StringIO
from threading import local
from typing import ClassVar, cast

from xdsl.dialects.builtin import ArrayAttr, BoolAttr, IntAttr, NoneAttr, StringAttr
from xdsl.ir import Attribute, Data, ParametrizedAttribute, TypeAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer

from gpuasync_lsp.syntax.ods.cases import wrong_case


class LLVMType(ParametrizedAttribute, TypeAttribute):
    """A type that is spelled without `!llvm.` inside other types of the dialect."""


@irdl_attr_definition
class LLVMVoidType(LLVMType):
    name = "llvm.void"


@irdl_attr_definition
class LLVMTokenType(LLVMType):
    name = "llvm.token"


@irdl_attr_definition
class LLVMLabelType(LLVMType):
    name = "llvm.label"


@irdl_attr_definition
class LLVMMetadataType(LLVMType):
    name = "llvm.metadata"


@irdl_attr_definition
class LLVMX86AMXType(LLVMType):
    name = "llvm.x86_amx"


@irdl_attr_definition
class LLVMX86MMXType(LLVMType):
    """`!llvm.x86_mmx`, through LLVM 19."""

    name = "llvm.x86_mmx"


@irdl_attr_definition
class LLVMPPCFP128Type(LLVMType):
    name = "llvm.ppc_fp128"


@irdl_attr_definition
class LLVMPointerType(LLVMType):
    """`!llvm.ptr`; `pointee` is set only for the typed pointers of LLVM 16."""

    name = "llvm.ptr"

    addr_space: IntAttr | NoneAttr
    pointee: Attribute

    def __init__(self, addr_space: int = 0, pointee: Attribute | None = None):
        super().__init__(IntAttr(addr_space) if addr_space else NoneAttr(), pointee or NoneAttr())

    @property
    def space(self) -> int:
        """The address space as a number."""
        return self.addr_space.data if isinstance(self.addr_space, IntAttr) else 0

    def print_parameters(self, printer: Printer) -> None:
        if isinstance(self.pointee, NoneAttr) and not self.space:
            return
        with printer.in_angle_brackets():
            if not isinstance(self.pointee, NoneAttr):
                print_inner_type(printer, self.pointee)
                if self.space:
                    printer.print_string(", ")
            if self.space:
                printer.print_int(self.space)

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        space: int | None = 0
        pointee: Attribute = NoneAttr()
        if parser.parse_optional_punctuation("<") is not None:
            space = _optional_space(parser)
            if space is None:
                pointee = parse_inner_type(parser)
                has_space = parser.parse_optional_punctuation(",") is not None
                space = _optional_space(parser) if has_space else 0
                if space is None:
                    parser.raise_error("expected integer value")
            parser.parse_punctuation(">")
        return IntAttr(space) if space else NoneAttr(), pointee


def _optional_space(parser: AttrParser) -> int | None:
    """Parse an optional address space, an unsigned 32-bit number; like MLIR, wrap a negative one."""
    start = parser.pos
    found = parser.parse_optional_integer(allow_boolean=False)
    if found is not None and not -(1 << 32) < found < 1 << 32:
        parser.raise_error("integer value too large", start)
    return None if found is None else found % (1 << 32)


@irdl_attr_definition
class LLVMStructType(LLVMType):
    """A literal struct, or an identified one if `struct_name` is not empty.

    `form` is "body"; for identified structs it may also be "opaque", or "reference" if the text has
    only the name, such as inside the struct itself.
    """

    name = "llvm.struct"

    struct_name: StringAttr
    form: StringAttr
    packed: BoolAttr
    types: ArrayAttr[Attribute]

    def __init__(
        self, types: Sequence[Attribute], struct_name: str = "", packed: bool = False, form: str = "body"
    ):
        super().__init__(
            StringAttr(struct_name), StringAttr(form), BoolAttr.from_bool(packed), ArrayAttr(types)
        )

    @staticmethod
    def literal(types: Sequence[Attribute]) -> LLVMStructType:
        """Return the literal struct `!llvm.struct<(types)>`."""
        return LLVMStructType(types)

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            if self.struct_name.data:
                printer.print_string_literal(self.struct_name.data)
                if self.form.data == "reference":
                    return
                printer.print_string(", ")
            if self.form.data == "opaque":
                printer.print_string("opaque")
                return
            if self.packed.value.data:
                printer.print_string("packed ")
            printer.print_string("(")
            printer.print_list(self.types.data, lambda type: print_inner_type(printer, type))
            printer.print_string(")")

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        form, packed = "body", False
        types: Sequence[Attribute] = ()
        parser.parse_punctuation("<")
        struct_name = parser.parse_optional_str_literal() or ""
        start = parser.pos
        if struct_name and parser.parse_optional_punctuation(",") is None:
            form = "reference"
            if struct_name not in _enclosing():
                parser.raise_error("struct without a body only allowed in a recursive struct", start)
        elif parser.parse_optional_keyword("opaque") is not None:
            form = "opaque"
            if not struct_name:
                parser.raise_error("only identified structs can be opaque", start)
        else:
            if struct_name in _enclosing():
                parser.raise_error("identifier already used for an enclosing struct", start)
            packed = parser.parse_optional_keyword("packed") is not None
            start = parser.pos
            with _inside(struct_name):
                types = parser.parse_comma_separated_list(
                    parser.Delimiter.PAREN, lambda: parse_inner_type(parser)
                )
            for type in types:
                if isinstance(type, _NO_ELEMENTS):
                    parser.raise_error(f"invalid LLVM structure element type: {_quoted(type)}", start)
        parser.parse_punctuation(">")
        return StringAttr(struct_name), StringAttr(form), BoolAttr.from_bool(packed), ArrayAttr(types)


@irdl_attr_definition
class LLVMArrayType(LLVMType):
    name = "llvm.array"

    size: IntAttr
    type: Attribute

    def __init__(self, size: int, type: Attribute):
        super().__init__(IntAttr(size), type)

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string(f"{self.size.data} x ")
            print_inner_type(printer, self.type)

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            size = parser.parse_shape_dimension(allow_dynamic=False)
            parser.parse_shape_delimiter()
            start = parser.pos
            element = parse_inner_type(parser)
            if isinstance(element, _NO_ELEMENTS):
                parser.raise_error(f"invalid array element type: {_quoted(element)}", start)
            return IntAttr(size), element


@irdl_attr_definition
class LLVMVectorType(LLVMType):
    """`!llvm.vec<? x 4 x f32>` (scalable) or `!llvm.vec<4 x ptr>`; builtin since LLVM 21."""

    name = "llvm.vec"

    scalable: BoolAttr
    size: IntAttr
    type: Attribute

    def __init__(self, scalable: bool, size: int, type: Attribute):
        super().__init__(BoolAttr.from_bool(scalable), IntAttr(size), type)

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string(f"{'? x ' if self.scalable.value.data else ''}{self.size.data} x ")
            print_inner_type(printer, self.type)

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            scalable = parser.parse_optional_punctuation("?") is not None
            if scalable:
                parser.parse_shape_delimiter()
            size = parser.parse_shape_dimension(allow_dynamic=False)
            parser.parse_shape_delimiter()
            return BoolAttr.from_bool(scalable), IntAttr(size), parse_inner_type(parser)


@irdl_attr_definition
class LLVMFunctionType(LLVMType):
    name = "llvm.func"

    inputs: ArrayAttr[Attribute]
    output: Attribute
    variadic: BoolAttr

    def __init__(
        self, inputs: Sequence[Attribute], output: Attribute | None = None, is_variadic: bool = False
    ):
        super().__init__(ArrayAttr(inputs), output or LLVMVoidType(), BoolAttr.from_bool(is_variadic))

    @property
    def is_variadic(self) -> bool:
        """Whether the function type ends in `...`."""
        return bool(self.variadic.value.data)

    @property
    def results(self) -> list[Attribute]:
        """The output type in a list; an empty list for void."""
        return [] if isinstance(self.output, LLVMVoidType) else [self.output]

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            print_inner_type(printer, self.output)
            printer.print_string(" (")
            printer.print_list(self.inputs.data, lambda type: print_inner_type(printer, type))
            if self.is_variadic:
                printer.print_string(", ..." if self.inputs.data else "...")
            printer.print_string(")")

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        start = parser.pos
        with parser.in_angle_brackets():
            output = parse_inner_type(parser)
            inputs: list[Attribute] = []
            variadic = False
            parser.parse_punctuation("(")
            if parser.parse_optional_punctuation(")") is None:
                while True:
                    if parser.parse_optional_punctuation("...") is not None:
                        variadic = True
                        break
                    inputs.append(parse_inner_type(parser))
                    if parser.parse_optional_punctuation(",") is None:
                        break
                parser.parse_punctuation(")")
        if isinstance(output, LLVMFunctionType | LLVMMetadataType | LLVMLabelType):
            parser.raise_error(f"invalid function result type: {_quoted(output)}", start)
        for type in inputs:
            if isinstance(type, LLVMVoidType | LLVMFunctionType):
                parser.raise_error(f"invalid function argument type: {_quoted(type)}", start)
        return ArrayAttr(inputs), output, BoolAttr.from_bool(variadic)


_NO_ELEMENTS = (LLVMVoidType, LLVMLabelType, LLVMMetadataType, LLVMFunctionType, LLVMTokenType)
"""Types that structs and arrays cannot contain."""


class _Reading(local):
    """The names of the structs that this thread is parsing, outermost first."""

    def __init__(self) -> None:
        self.structs: list[str] = []


_READING = _Reading()


def _enclosing() -> Sequence[str]:
    return _READING.structs


@contextmanager
def _inside(struct_name: str) -> Generator[None]:
    """Record a struct as being parsed inside the context; an unnamed one is not recorded."""
    if not struct_name:
        yield
        return
    _READING.structs.append(struct_name)
    try:
        yield
    finally:
        _READING.structs.pop()


def _quoted(type: Attribute) -> str:
    out = StringIO()
    Printer(stream=out).print_attribute(type)
    return f"'{out.getvalue()}'"


class KeywordAttr(Data[str]):
    """An attribute that is a keyword or a list of keywords in angle brackets: `#llvm.linkage<internal>`."""

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> str:
        with parser.in_angle_brackets():
            start = parser.pos
            words = parser.parse_comma_separated_list(
                parser.Delimiter.NONE, lambda: parser.parse_identifier_or_str_literal()
            )
            text = ", ".join(words)
            if (wrong := wrong_case(cls.name, text)) is not None:
                parser.raise_error(wrong, start, parser.pos)
        return text

    def print_parameter(self, printer: Printer) -> None:
        printer.print_string(f"<{self.data}>")


class FlagsAttr(KeywordAttr):
    """Flags in the order in which mlir-opt prints them, the order of their bits."""

    ORDER: ClassVar[tuple[str, ...]]
    ALL: ClassVar[str] = ""
    """The keyword that means all flags; empty if there is none."""

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> str:
        text = super().parse_parameter(parser)
        words = set(text.split(", ")) - {"none"}
        if not words <= {*cls.ORDER, cls.ALL}:
            return text  # The op's verifier reports unknown keywords.
        if cls.ALL and (cls.ALL in words or words == set(cls.ORDER)):
            return cls.ALL
        return ", ".join(word for word in cls.ORDER if word in words) or "none"


class FastmathKeywords(FlagsAttr):
    """Base of attributes with floating-point flags: fastmath."""

    ORDER = ("reassoc", "nnan", "ninf", "nsz", "arcp", "contract", "afn")
    ALL = "fast"


class OverflowKeywords(FlagsAttr):
    """Base of attributes with integer overflow flags."""

    ORDER = ("nsw", "nuw")


def keyword_attr(name: str) -> type[KeywordAttr]:
    """Return a class for the attribute `name`, a keyword in angle brackets."""
    kind = type(name, (KeywordAttr,), {"name": name, "__doc__": f"`#{name}<word>`"})
    return irdl_attr_definition(cast(type[KeywordAttr], kind))


LinkageAttr = keyword_attr("llvm.linkage")
CConvAttr = keyword_attr("llvm.cconv")
TailCallKindAttr = keyword_attr("llvm.tailcallkind")


@irdl_attr_definition
class FastmathFlagsAttr(FastmathKeywords):
    name = "llvm.fastmath"


@irdl_attr_definition
class IntegerOverflowFlagsAttr(OverflowKeywords):
    """The overflow flags of LLVM 18 and 19 as a property; later releases use an i32."""

    name = "llvm.overflow"


CALLING_CONVENTIONS = (
    "ccc", "fastcc", "coldcc", "cc_10", "cc_11", "anyregcc", "preserve_mostcc", "preserve_allcc",
    "swiftcc", "cxx_fast_tlscc", "tailcc", "cfguard_checkcc", "swifttailcc", "x86_stdcallcc",
    "x86_fastcallcc", "arm_apcscc", "arm_aapcscc", "arm_aapcs_vfpcc", "msp430_intrcc", "x86_thiscallcc",
    "ptx_kernelcc", "ptx_devicecc", "spir_funccc", "spir_kernelcc", "intel_ocl_bicc", "x86_64_sysvcc",
    "win64cc", "x86_vectorcallcc", "hhvmcc", "hhvm_ccc", "x86_intrcc", "avr_intrcc", "avr_builtincc",
    "amdgpu_vscc", "amdgpu_gscc", "amdgpu_cscc", "amdgpu_kernelcc", "x86_regcallcc", "amdgpu_hscc",
    "msp430_builtincc", "amdgpu_lscc", "amdgpu_escc", "aarch64_vectorcallcc", "aarch64_sve_vectorcallcc",
    "wasm_emscripten_invokecc", "amdgpu_gfxcc", "m68k_intrcc",
)  # fmt: skip
LINKAGES = (
    "private",
    "internal",
    "available_externally",
    "linkonce",
    "weak",
    "common",
    "appending",
    "extern_weak",
    "linkonce_odr",
    "weak_odr",
    "external",
)

_INNER_TYPES: dict[str, type[LLVMType]] = {
    inner.name.removeprefix("llvm."): inner
    for inner in (
        LLVMArrayType,
        LLVMFunctionType,
        LLVMLabelType,
        LLVMMetadataType,
        LLVMPPCFP128Type,
        LLVMPointerType,
        LLVMStructType,
        LLVMTokenType,
        LLVMVectorType,
        LLVMVoidType,
        LLVMX86AMXType,
        LLVMX86MMXType,
    )
}


@irdl_attr_definition
class MmraTagAttr(ParametrizedAttribute):
    """`#llvm.mmra_tag<"amdgpu-synchronize-as":"local">`: the memory that a fence orders, since LLVM 20."""

    name = "llvm.mmra_tag"

    prefix: StringAttr
    suffix: StringAttr

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            prefix = parser.parse_str_literal()
            parser.parse_punctuation(":")
            return [StringAttr(prefix), StringAttr(parser.parse_str_literal())]

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string_literal(self.prefix.data)
            printer.print_string(":")
            printer.print_string_literal(self.suffix.data)


TYPES_KEPT_AS_TEXT = frozenset({"target", "byte"})
"""Names of the dialect's types without a class, which are kept as text."""


def parse_inner_type(parser: AttrParser) -> Attribute:
    """Parse a type inside an llvm type: `ptr`, `struct<...>`, or any type in full."""
    word = parser.parse_optional_keyword_in(_INNER_TYPES)
    if word is None:
        start = parser.pos
        type = parser.parse_optional_type()
        if type is not None:
            return type
        key = parser.parse_identifier()
        if key in TYPES_KEPT_AS_TEXT:
            raise NotImplementedError(f"the type {key} inside another type")
        parser.raise_error(f"unknown LLVM type: {key}", start)
    inner = _INNER_TYPES[word]
    return cast(Attribute, inner.new(inner.parse_parameters(parser)))


def print_inner_type(printer: Printer, type: Attribute) -> None:
    """Print a type inside an llvm type."""
    if isinstance(type, LLVMType):
        printer.print_string(type.name.removeprefix("llvm."))
        type.print_parameters(printer)
        return
    printer.print_attribute(type)


def element_at(container: Attribute, position: Sequence[int]) -> Attribute | None:
    """Return the type at `position` in nested structs and arrays; None if the position is invalid."""
    for index in position:
        if isinstance(container, LLVMStructType):
            if not 0 <= index < len(container.types.data):
                return None
            container = container.types.data[index]
        elif isinstance(container, LLVMArrayType):
            container = container.type
        else:
            return None
    return container
