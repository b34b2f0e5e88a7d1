"""Evaluates the ODS tables' predicates on types and attributes, in three-valued logic.

`None` means "unknown": a leaf without translation, an opaque type, or an unparsed value. Callers then
report nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import cast

from xdsl.dialects.builtin import (
    AffineMapAttr,
    AnyFloat,
    ArrayAttr,
    BFloat16Type,
    ComplexType,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    DictionaryAttr,
    Float16Type,
    Float32Type,
    Float64Type,
    Float80Type,
    Float128Type,
    FloatAttr,
    FunctionType,
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    NoneAttr,
    NoneType,
    RankedStructure,
    Signedness,
    StringAttr,
    SymbolRefAttr,
    TensorType,
    TupleType,
    UnitAttr,
    UnrankedMemRefType,
    UnrankedTensorType,
    UnregisteredAttr,
    VectorType,
    i1,
)
from xdsl.ir import Attribute, TypeAttribute

from gpuasync_lsp.syntax.kinds import (
    is_array,
    is_dense_array,
    is_dense_elements,
    is_integer,
    is_integer_attr,
    is_ranked,
    is_tensor,
    is_unranked,
    is_vector,
)
from gpuasync_lsp.syntax.ods.table import Predicate
from gpuasync_lsp.syntax.opaque import UnknownType

Truth = bool | None

_FLOATS: dict[str, type[Attribute]] = {
    "f16": Float16Type,
    "f32": Float32Type,
    "f64": Float64Type,
    "f80": Float80Type,
    "f128": Float128Type,
    "bf16": BFloat16Type,
}
_KINDS: dict[str, type[Attribute] | tuple[type[Attribute], ...]] = {
    "vector": VectorType,
    "ranked-tensor": TensorType,
    "unranked-tensor": UnrankedTensorType,
    "tensor": (TensorType, UnrankedTensorType),
    "memref": MemRefType,
    "unranked-memref": UnrankedMemRefType,
    "any-memref": (MemRefType, UnrankedMemRefType),
    "index": IndexType,
    "integer": IntegerType,
    "complex": ComplexType,
    "none": NoneType,
    "function": FunctionType,
    "tuple": TupleType,
    "#integer": IntegerAttr,
    "#float": FloatAttr,
    "#string": StringAttr,
    "#array": ArrayAttr,
    "#unit": UnitAttr,
    "#dictionary": DictionaryAttr,
    "#symbol": SymbolRefAttr,
    "#affine-map": AffineMapAttr,
    "#dense": DenseIntOrFPElementsAttr,
    **_FLOATS,
}
_TRANSFORM_TYPES = {
    "any-transform-op": ("transform.any_op", "transform.op"),
    "any-transform-value": ("transform.any_value",),
    "any-transform-param": (
        "transform.any_param",
        "transform.param",
        "transform.affine_map",
        "transform.type",
    ),
}
_TRANSFORM = frozenset(name for names in _TRANSFORM_TYPES.values() for name in names)
_ARRAYS = {
    "#i8-array": "i8",
    "#i16-array": "i16",
    "#i32-array": "i32",
    "#i64-array": "i64",
    "#bool-array": "i1",
}


def holds(predicate: Predicate | None, value: Attribute) -> Truth:
    """Return whether `value`, a type or an attribute, satisfies `predicate`."""
    if predicate is None or isinstance(value, UnknownType):
        return None
    check = _CHECKS.get(predicate[0])
    return None if check is None else check(predicate[1:], value)


def _all(values: Iterable[Truth]) -> Truth:
    found = list(values)
    return False if False in found else None if None in found else True


def _any(values: Iterable[Truth]) -> Truth:
    found = list(values)
    return True if True in found else None if None in found else False


def _not(arguments: Predicate, value: Attribute) -> Truth:
    found = holds(arguments[0], value)
    return None if found is None else not found


def _and(arguments: Predicate, value: Attribute) -> Truth:
    # As in C++, a later predicate is evaluated only if the earlier ones hold.
    known: Truth = True
    for each in arguments:
        found = holds(each, value)
        if found is False:
            return False
        known = None if found is None else known
    return known


def _is(arguments: Predicate, value: Attribute) -> Truth:
    kind = str(arguments[0])
    if kind in _KINDS:
        if _is_of_dialect(value) or value.name.startswith("gpuasync."):
            # A dialect's type may be shaped, but it is not a builtin type.
            return None if value.name.startswith("gpuasync.") else False
        return isinstance(value, _KINDS[kind])
    if kind == "shaped":
        return None if _is_of_dialect(value) else is_ranked(value) or is_unranked(value)
    if kind == "float":
        return isinstance(value, AnyFloat) if not _is_of_dialect(value) else False
    if kind in ("fixed-vector", "scalable-vector"):
        if not is_vector(value):
            return False
        scalable = any(bool(each) for each in value.get_scalable_dims())
        return scalable == (kind == "scalable-vector")
    if kind == "#bool":
        return is_integer_attr(value) and value.type == i1
    if kind == "#type":
        return isinstance(value, TypeAttribute) if not value.name.startswith("gpuasync.") else None
    if kind == "#flat-symbol":
        return isinstance(value, SymbolRefAttr) and not value.nested_references.data
    if kind == "value-semantics":
        return isinstance(value, (VectorType, TensorType, UnrankedTensorType)) or _unless_of_dialect(value)
    if kind in _TRANSFORM_TYPES:
        return _is_transform(kind, value)
    if kind == "any-quantized":
        named = _dialect_name(value)
        return _unless_of_dialect(value) if not named.startswith("quant.") else True
    if kind == "any-pdl":
        return _dialect_name(value).startswith("pdl.") or _unless_of_dialect(value)
    if kind == "#offloading":
        named = _dialect_name(value) == "gpu.select_object"
        return named or (None if _is_of_dialect(value) else False)
    if kind == "sparse":
        return _is_sparse(value)
    if kind == "any-pointer":
        return isinstance(value, (MemRefType, UnrankedMemRefType)) or _unless_of_dialect(value)
    if kind == "#dense-int":
        dense = _dense_type(value)
        return None if dense is None else isinstance(dense.element_type, (IntegerType, IndexType))
    if re.fullmatch(r"f\d+E\d+M\d+[A-Z]*|tf32", kind):
        return value.name == kind if not value.name.startswith("gpuasync.") else None
    if kind in _ARRAYS:
        return is_dense_array(value) and str(value.elt_type) == _ARRAYS[kind]
    if kind[0] in "!#" and "." in kind:
        return _is_named(kind, value)
    return None


def _is_named(kind: str, value: Attribute) -> Truth:
    """Return whether `value` is the type `!dialect.name` or the attribute `#dialect.name`."""
    if isinstance(value, UnregisteredAttr):
        if bool(value.is_type.data) != (kind[0] == "!"):
            return False
        # `#dialect<name ...>` and `#dialect.name<...>` are equivalent spellings.
        written = value.attr_name.data
        return True if written == kind[1:] else False if "." in written else None
    if value.name.startswith("gpuasync."):
        return None
    if value.name == kind[1:]:
        return True
    # Our class may have a different name from MLIR's; a builtin type never matches.
    if isinstance(value, TypeAttribute) != (kind[0] == "!"):
        return False
    same_dialect = value.name.partition(".")[0] == kind[1:].partition(".")[0]
    return None if same_dialect else False


def _unless_of_dialect(value: Attribute) -> Truth:
    """Return None (unknown) for a dialect's type or attribute, which may satisfy the predicate; else
    False."""
    return None if _is_of_dialect(value) or value.name.startswith("gpuasync.") else False


def _dialect_name(value: Attribute) -> str:
    return value.attr_name.data if isinstance(value, UnregisteredAttr) else value.name


def _is_transform(kind: str, value: Attribute) -> Truth:
    name = _dialect_name(value)
    if name in _TRANSFORM:
        return name in _TRANSFORM_TYPES[kind]
    return _unless_of_dialect(value)


def _is_sparse(value: Attribute) -> Truth:
    if not is_tensor(value):
        return _unless_of_dialect(value)
    encoding: Attribute = value.encoding
    if isinstance(encoding, NoneAttr):
        return False
    return _dialect_name(encoding) == "sparse_tensor.encoding" or _unless_of_dialect(encoding)


def _dense_type(value: Attribute) -> RankedStructure[Attribute] | None:
    return value.type if is_dense_elements(value) else None


def _is_of_dialect(value: Attribute) -> bool:
    return isinstance(value, UnregisteredAttr) or (
        "." in value.name and not value.name.startswith("builtin.")
    )


def _int(arguments: Predicate, value: Attribute) -> Truth:
    if not isinstance(value, IntegerType):
        return False
    signedness, width = arguments
    wanted = {"signless": Signedness.SIGNLESS, "signed": Signedness.SIGNED, "unsigned": Signedness.UNSIGNED}
    integer = cast("IntegerType[int, Signedness]", value)
    if signedness and integer.signedness.data != wanted[signedness]:
        return False
    return not width or integer.width.data == width


def shape_of(value: Attribute) -> tuple[int, ...] | None:
    """Return the sizes of a ranked type, negative for dynamic dimensions; None for any other type."""
    return tuple(value.get_shape()) if is_ranked(value) else None


def _rank(arguments: Predicate, value: Attribute) -> Truth:
    shape = shape_of(value)
    if shape is None:
        return None
    operator, number = arguments
    return {
        "==": len(shape) == number,
        ">=": len(shape) >= number,
        ">": len(shape) > number,
        "<=": len(shape) <= number,
    }[operator]


def _count(arguments: Predicate, value: Attribute) -> Truth:
    shape = shape_of(value)
    if shape is None or any(size < 0 for size in shape):
        return None
    number = 1
    for size in shape:
        number *= size
    return number == arguments[0]


def _element(arguments: Predicate, value: Attribute) -> Truth:
    return holds(arguments[0], value.element_type) if is_ranked(value) or is_unranked(value) else None


def _ranked(arguments: Predicate, value: Attribute) -> Truth:
    return is_ranked(value) if is_ranked(value) or is_unranked(value) else None


def _static(arguments: Predicate, value: Attribute) -> Truth:
    shape = shape_of(value)
    return None if shape is None else all(size >= 0 for size in shape)


def _space(arguments: Predicate, value: Attribute) -> Truth:
    if value.name != "llvm.ptr":
        return None
    space: object = getattr(value, "space", None)
    return space == arguments[0] if isinstance(space, int) else None


def _width(arguments: Predicate, value: Attribute) -> Truth:
    if not is_integer_attr(value):
        return None
    type = cast(Attribute, value.type)
    width = arguments[0]
    return isinstance(type, IndexType) if width == 0 else _int(("signless", width), type)


def _number(value: Attribute) -> int | None:
    return value.value.data if is_integer_attr(value) else None


def _least(arguments: Predicate, value: Attribute) -> Truth:
    number = _number(value)
    return None if number is None else number >= arguments[0]


def _most(arguments: Predicate, value: Attribute) -> Truth:
    number = _number(value)
    return None if number is None else number <= arguments[0]


def _each(arguments: Predicate, value: Attribute) -> Truth:
    if not is_array(value):
        return None
    return _all(holds(arguments[0], each) for each in value)


def _llvm_type(arguments: Predicate, value: Attribute) -> Truth:
    """Return whether a type is compatible with LLVM: not index, tensors, memrefs or tuples."""
    if isinstance(
        value, (IndexType, TensorType, UnrankedTensorType, MemRefType, UnrankedMemRefType, TupleType)
    ):
        return False
    if is_integer(value):
        return value.signedness.data == Signedness.SIGNLESS
    if isinstance(value, tuple(_FLOATS.values())):
        return True
    if is_vector(value):
        if len(value.get_shape()) != 1:
            return False
        return _llvm_type((), value.element_type)
    return True if value.name.startswith("llvm.") else None


def _llvm_vector(arguments: Predicate, value: Attribute) -> Truth:
    """Return whether a type is a vector that is compatible with LLVM."""
    if value.name.startswith("llvm."):
        return None
    if not is_vector(value):
        return _unless_of_dialect(value)
    element = value.element_type
    if len(value.get_shape()) != 1:
        return False
    if isinstance(element, IntegerType):
        return _int(("signless", 0), cast(Attribute, element))
    return isinstance(element, tuple(_FLOATS.values())) or _unless_of_dialect(element)


def _llvm_float(arguments: Predicate, value: Attribute) -> Truth:
    return isinstance(value, tuple(_FLOATS.values())) or _unless_of_dialect(value)


def _handle_of(arguments: Predicate, value: Attribute) -> Truth:
    """Return whether the type is `!transform.op<"name">` with the name in `arguments`."""
    if not isinstance(value, UnregisteredAttr) or value.attr_name.data != "transform.op":
        return None
    return value.value.data.strip() == f'"{arguments[0]}"'


_C_FLOATS = (Float64Type, Float32Type, Float16Type, BFloat16Type)


def _emitc_integer(arguments: Predicate, value: Attribute) -> Truth:
    if is_integer(value):
        return value.width.data in (1, 8, 16, 32, 64)
    return isinstance(value, IndexType) or _unless_of_dialect(value)


def _emitc_type(arguments: Predicate, value: Attribute) -> Truth:
    if isinstance(value, IntegerType):
        return _emitc_integer((), cast(Attribute, value))
    if isinstance(value, AnyFloat):
        return isinstance(value, _C_FLOATS)
    if is_tensor(value):
        static = all(size >= 0 for size in value.get_shape())
        return static and _emitc_type((), value.element_type)
    if isinstance(value, TupleType):
        return _all(_emitc_type((), each) for each in value.types)
    return isinstance(value, IndexType) or _unless_of_dialect(value)


def _power_of_2(arguments: Predicate, value: Attribute) -> Truth:
    number = _number(value)
    return None if number is None else number > 0 and not number & (number - 1)


def _among(arguments: Predicate, value: Attribute) -> Truth:
    number = _number(value)
    return None if number is None else number in arguments


def _size(arguments: Predicate, value: Attribute) -> Truth:
    if isinstance(value, DenseArrayBase):
        size = len(cast("DenseArrayBase[IntegerType]", value))
    elif is_array(value):
        size = len(value)
    else:
        return None
    operator, number = arguments
    return {"==": size == number, ">=": size >= number, "<=": size <= number}[operator]


def _dense_width(arguments: Predicate, value: Attribute) -> Truth:
    dense = _dense_type(value)
    return None if dense is None else _int(("signless", arguments[0]), dense.element_type)


def _dense_shape(arguments: Predicate, value: Attribute) -> Truth:
    dense = _dense_type(value)
    return None if dense is None else tuple(dense.get_shape()) == tuple(arguments)


def _shape(arguments: Predicate, value: Attribute) -> Truth:
    shape = shape_of(value)
    return None if shape is None else shape == tuple(arguments)


def _dims(arguments: Predicate, value: Attribute) -> Truth:
    shape = shape_of(value)
    if shape is None:
        return None
    operator, number = arguments
    return all((size == number) == (operator == "==") for size in shape)


def _type_of(arguments: Predicate, value: Attribute) -> Truth:
    return holds(arguments[0], value) if isinstance(value, TypeAttribute) else None


_CHECKS: dict[str, Callable[[Predicate, Attribute], Truth]] = {
    "true": lambda arguments, value: True,
    "and": _and,
    "or": lambda arguments, value: _any(holds(each, value) for each in arguments),
    "not": _not,
    "is": _is,
    "int": _int,
    "rank": _rank,
    "count": _count,
    "element": _element,
    "ranked": _ranked,
    "static": _static,
    "space": _space,
    "llvm-type": _llvm_type,
    "#width": _width,
    "#least": _least,
    "#most": _most,
    "#each": _each,
    "#power-of-2": _power_of_2,
    "#among": _among,
    "#size": _size,
    "#dense-width": _dense_width,
    "#dense-shape": _dense_shape,
    "#type-of": _type_of,
    "llvm-vector": _llvm_vector,
    "llvm-float": _llvm_float,
    "handle-of": _handle_of,
    "emitc-type": _emitc_type,
    "emitc-integer": _emitc_integer,
    "emitc-float": lambda arguments, value: isinstance(value, _C_FLOATS) or _unless_of_dialect(value),
    "shape": _shape,
    "dims": _dims,
}
