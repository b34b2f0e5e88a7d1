"""Types and constants of the llvm dialect as LLVM IR text."""

from __future__ import annotations

import re
import struct
from collections.abc import Sequence
from math import prod

from xdsl.context import Context
from xdsl.dialects import builtin
from xdsl.ir import Attribute, Operation, ParametrizedAttribute
from xdsl.parser import Parser
from xdsl.utils.exceptions import ParseError

from gpuasync_lsp.float_formats import FORMATS, FloatFormat, code_of
from gpuasync_lsp.syntax import SourceLoc
from gpuasync_lsp.syntax.attributes import TextAttr
from gpuasync_lsp.syntax.dialects.llvm_attributes import (
    LLVMArrayType,
    LLVMFunctionType,
    LLVMPointerType,
    LLVMStructType,
    LLVMVoidType,
)
from gpuasync_lsp.syntax.kinds import is_vector
from gpuasync_lsp.text import Span


class Untranslatable(Exception):
    """`subject`, an operation or attribute, cannot be translated to LLVM IR."""

    def __init__(self, message: str, subject: object = None, location: Attribute | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.subject = subject
        self._location: object = subject.location if isinstance(subject, Operation) else location

    @property
    def span(self) -> Span | None:
        """The source location, if known."""
        return self._location.span if isinstance(self._location, SourceLoc) else None


_MOST_BITS = 1 << 23
"""`IntegerType::MAX_INT_BITS` in LLVM."""


def ir_type(type: Attribute) -> str:
    """Return the LLVM IR text of an llvm-dialect type.

    Raises `Untranslatable` for a type that no conversion has converted to an llvm type.
    """
    match type:
        case builtin.IntegerType():
            if not 0 < type.bitwidth <= _MOST_BITS:
                raise Untranslatable(f"LLVM IR has no integers of {type.bitwidth} bits")
            return f"i{type.bitwidth}"
        case builtin.IndexType():
            return "i64"
        case builtin.VectorType():
            return _vector_type(type)
        case builtin.NoneType():
            return "void"
        case _:
            pass
    if (plain := _FLOATS.get(type.name)) is not None:
        return plain
    if type.name in ("f8E4M3FN", "f8E5M2", "f8E4M3FNUZ", "f8E5M2FNUZ", "f8E4M3B11FNUZ", "f8E4M3", "f8E3M4"):
        return "i8"
    match type:
        case LLVMPointerType():
            space = address_space(type)
            return f"ptr addrspace({space})" if space else "ptr"
        case LLVMStructType():
            return "{ " + ", ".join(ir_type(t) for t in type.types.data) + " }"
        case LLVMArrayType():
            return f"[{type.size.data} x {ir_type(type.type)}]"
        case LLVMVoidType():
            return "void"
        case LLVMFunctionType():
            inputs = [ir_type(t) for t in type.inputs.data]
            if type.is_variadic:
                inputs.append("...")
            return f"{ir_type(type.output)} ({', '.join(inputs)})"
        case _ if type.name == "async.value":
            return ir_type(_parameter(type, "value_type", 0))
        case _ if type.name in ("async.token", "gpu.async.token", "async.group"):
            return "ptr"
        case _:
            raise Untranslatable(f"the type {type} has no LLVM IR form", type)


def address_space(pointer: Attribute) -> int:
    """Return the address space of an `!llvm.ptr`: the low 24 bits of its number, as in LLVM."""
    return pointer.space & 0xFFFFFF if isinstance(pointer, LLVMPointerType) else 0


def constant(value: Attribute, type: Attribute) -> str:
    """Return `value` as an LLVM IR constant of the llvm-dialect type `type`, without the type.

    Raises `Untranslatable` for an attribute that is not a constant.
    """
    match value:
        case builtin.IntegerAttr():
            number = value.value.data
            if isinstance(type, builtin.IntegerType | builtin.IndexType):
                return integer(number, 64 if isinstance(type, builtin.IndexType) else type.bitwidth)
            return str(number)
        case builtin.FloatAttr() if is_vector(type) and _narrow(value.type) is None:
            element = type.element_type
            return f"splat ({ir_type(element)} {floating(value.value.data, element)})"
        case builtin.FloatAttr():
            form = _narrow(value.type)
            return floating(value.value.data, type) if form is None else str(code_of(value.value.data, form))
        case builtin.StringAttr():
            return c_string(value.data.encode("utf-8"))
        case builtin.DenseIntOrFPElementsAttr():
            elements: Sequence[object] = value.get_values()
            if (form := _narrow(value.get_element_type())) is not None:
                elements = [code_of(float(each), form) for each in elements]  # type: ignore[arg-type]
            return _dense(elements, type)
        case builtin.ArrayAttr():
            parts = _element_types(type, len(value.data))
            texts = [f"{ir_type(t)} {constant(v, t)}" for v, t in zip(value.data, parts, strict=True)]
            left, right = ("[ ", " ]") if type.name == "llvm.array" else ("{ ", " }")
            return left + ", ".join(texts) + right
        case builtin.SymbolRefAttr():
            return symbol(value.root_reference.data)
        case builtin.UnitAttr():
            return "zeroinitializer"
        case TextAttr():
            numbers = _wide_integers(value) or _floats_of_bits(value)
            return constant(_elements(value), type) if numbers is None else _dense(numbers, type)
        case _:
            pass
    if "llvm.zero" in str(value):
        return "zeroinitializer"
    if "llvm.undef" in str(value):
        return "undef"
    if "llvm.poison" in str(value):
        return "poison"
    raise Untranslatable(f"{value} is not a constant of LLVM IR", value)


def symbol(name: str) -> str:
    """Return the reference `@name` to a symbol, quoted if LLVM requires it."""
    plain = name.replace("_", "a").replace(".", "a").replace("$", "a").replace("-", "a")
    if plain.isalnum() and plain.isascii() and not name[0].isdigit():
        return f"@{name}"
    return (
        '@"'
        + "".join(chr(b) if 32 <= b < 127 and b not in b'"\\' else f"\\{b:02X}" for b in name.encode())
        + '"'
    )


def c_string(data: bytes) -> str:
    """Return bytes as an LLVM `c"..."` array constant."""
    return 'c"' + "".join(chr(b) if 32 <= b < 127 and b not in b'"\\' else f"\\{b:02X}" for b in data) + '"'


def integer(number: int, width: int) -> str:
    """Return an integer constant as LLVM IR; i1 is `true` or `false`."""
    if width == 1:
        return "true" if number & 1 else "false"
    return str(number)


def floating(number: float, type: Attribute) -> str:
    """Return a float constant in LLVM's hexadecimal form, exact for every width."""
    match type.name:
        case "f32":
            return _hex_double(_round_to_float(number))
        case "f16":
            return f"0xH{int.from_bytes(struct.pack('>e', number), 'big'):04X}"
        case "bf16":
            return f"0xR{_bfloat_bits(number):04X}"
        case "f64":
            return _hex_double(number)
        case _:
            raise Untranslatable(f"no constant of type {type}", type)


_FLOATS = {
    "bf16": "bfloat",
    "f16": "half",
    "f32": "float",
    "f64": "double",
    "f80": "x86_fp80",
    "f128": "fp128",
    "tf32": "float",
}


def _vector_type(type: builtin.VectorType[Attribute]) -> str:
    shape = type.get_shape()
    element = ir_type(type.element_type)
    if len(shape) != 1:
        raise Untranslatable(f"{type} is not a one-dimensional vector", type)
    scale = "vscale x " if type.get_num_scalable_dims() else ""
    return f"<{scale}{shape[0]} x {element}>"


def _hex_double(number: float) -> str:
    return f"0x{int.from_bytes(struct.pack('>d', number), 'big'):016X}"


def _round_to_float(number: float) -> float:
    try:
        return float(struct.unpack(">f", struct.pack(">f", number))[0])
    except OverflowError:
        return float("inf") if number > 0 else float("-inf")


def _bfloat_bits(number: float) -> int:
    bits = int.from_bytes(struct.pack(">f", _round_to_float(number)), "big")
    if number != number:
        return 0x7FC0
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16) & 0xFFFF


def _element_types(type: Attribute, count: int) -> Sequence[Attribute]:
    if isinstance(type, LLVMStructType):
        return list(type.types.data)
    if isinstance(type, LLVMArrayType):
        return [type.type] * count
    return [type] * count


def _dense(values: Sequence[object], type: Attribute) -> str:
    leaf = type
    shape: list[tuple[int, str]] = []
    while True:
        if isinstance(leaf, LLVMArrayType):
            shape.append((leaf.size.data, "[]"))
            leaf = leaf.type
        elif is_vector(leaf):
            shape.append((leaf.get_shape()[0], "<>"))
            leaf = leaf.element_type
        else:
            break
    total = 1
    for size, _ in shape:
        total *= size
    if len(values) == 1:
        values = [*values] * total
    texts = [_scalar(v, leaf) for v in values]
    for depth in range(len(shape) - 1, -1, -1):
        size, brackets = shape[depth]
        inner = _nested(shape[depth + 1 :], ir_type(leaf))
        texts = [
            brackets[0] + ", ".join(f"{inner} {t}" for t in texts[i : i + size]) + brackets[1]
            for i in range(0, len(texts), size)
        ]
    return texts[0] if texts else "zeroinitializer"


_MOST_ELEMENTS = 1 << 22
"""The maximum number of elements of a constant, since LLVM IR lists each element."""


def _elements(value: TextAttr) -> Attribute:
    """Parse a constant's elements that the parser stored as text."""
    shape = getattr(value.type, "get_shape", tuple)()
    if prod(shape) > _MOST_ELEMENTS:
        raise Untranslatable(f"{value.type} has too many elements for a constant", value)
    try:
        return Parser(Context(), f"{value.text.data} : {value.type}").parse_attribute()
    except ParseError as error:
        raise Untranslatable(f"{value.text.data} is not supported", value) from error


def _wide_integers(value: TextAttr) -> list[int] | None:
    """Parse elements of more than 64 bits, which xDSL cannot pack; return None for narrower ones."""
    element = getattr(value.type, "element_type", None)
    if not isinstance(element, builtin.IntegerType) or element.bitwidth <= 64:
        return None
    if "x" in value.text.data:
        raise Untranslatable(f"{value.text.data} is not supported", value)
    return [int(each) for each in _INTEGER.findall(value.text.data)]


_INTEGER = re.compile(r"-?[0-9]{1,40}")


def _floats_of_bits(value: TextAttr) -> list[float] | None:
    """Parse floats of which some are given by their bits, which xDSL takes for integers; otherwise None.

    Floats of eight bits, which xDSL does not know, become their codes."""
    text = value.text.data
    element = getattr(value.type, "element_type", None)
    if '"' not in text and (narrow := _narrow(element)) is not None:
        return [int(e, 16) if "x" in e else code_of(float(e), narrow) for e in _FLOAT.findall(text)]
    form = _BITS.get(getattr(element, "name", ""))
    if form is None or "0x" not in text or '"' in text:
        return None
    return [_of_bits(int(each, 16), *form) if "x" in each else float(each) for each in _FLOAT.findall(text)]


def _narrow(type: Attribute | None) -> FloatFormat | None:
    form = FORMATS.get(getattr(type, "name", ""))
    return form if form is not None and form.signed and form.exponent + form.mantissa == 7 else None


_FLOAT = re.compile(r"0x[0-9A-Fa-f]+|-?[0-9]+(?:\.[0-9]*)?(?:[eE][-+]?[0-9]+)?")
_BITS = {"f16": (">e", 0), "bf16": (">f", 16), "f32": (">f", 0), "f64": (">d", 0)}
"""Maps float types to a format of `struct`, and to the number of bits that follow those of the type."""


def _of_bits(bits: int, form: str, more: int) -> float:
    size = struct.calcsize(form)
    try:
        return float(struct.unpack(form, (bits << more).to_bytes(size, "big"))[0])
    except OverflowError as error:
        raise Untranslatable(f"{bits:#x} has more bits than the type") from error


def _scalar(value: object, type: Attribute) -> str:
    if isinstance(type, builtin.IntegerType):
        return integer(int(value), type.bitwidth)  # type: ignore[call-overload]
    if isinstance(type, builtin.IndexType):
        return str(value)
    return floating(float(value), type)  # type: ignore[arg-type]


def _nested(shape: Sequence[tuple[int, str]], leaf: str) -> str:
    for size, brackets in reversed(shape):
        leaf = f"{brackets[0]}{size} x {leaf}{brackets[1]}"
    return leaf


def _parameter(type: Attribute, name: str, index: int) -> Attribute:
    found = getattr(type, name, None)
    if isinstance(found, Attribute):
        return found
    if isinstance(type, ParametrizedAttribute) and len(type.parameters) > index:
        return type.parameters[index]
    raise Untranslatable(f"the type {type} has no LLVM IR form", type)
