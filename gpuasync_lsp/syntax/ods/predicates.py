"""What types and attributes satisfy: the predicates of the tables, in three values.

`None` is "not known": of a leaf that nobody translated, of a type that is opaque, of a value that could not
be read. Whoever asks says nothing then.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, cast

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
    NoneType,
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

from gpuasync_lsp.syntax.ods.table import Predicate
from gpuasync_lsp.syntax.opaque import UnknownType

Truth = bool | None

_SHAPED = (VectorType, TensorType, UnrankedTensorType, MemRefType, UnrankedMemRefType)
_RANKED = (VectorType, TensorType, MemRefType)
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
_ARRAYS = {
    "#i8-array": "i8",
    "#i16-array": "i16",
    "#i32-array": "i32",
    "#i64-array": "i64",
    "#bool-array": "i1",
}


def holds(predicate: Predicate | None, value: Attribute) -> Truth:
    """Tell whether `value`, a type or an attribute, satisfies `predicate`."""
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
    # In C++ a later one is asked only if those before hold.
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
            # A type of a dialect may be shaped; it is none of the builtin ones.
            return None if value.name.startswith("gpuasync.") else False
        return isinstance(value, _KINDS[kind])
    if kind == "shaped":
        return None if _is_of_dialect(value) else isinstance(value, _SHAPED)
    if kind == "float":
        return isinstance(value, AnyFloat) if not _is_of_dialect(value) else False
    if kind in ("fixed-vector", "scalable-vector"):
        if not isinstance(value, VectorType):
            return False
        scalable = any(bool(each) for each in cast("VectorType[Attribute]", value).get_scalable_dims())
        return scalable == (kind == "scalable-vector")
    if kind == "#bool":
        return isinstance(value, IntegerAttr) and cast("IntegerAttr[IntegerType]", value).type == i1
    if kind == "#type":
        return isinstance(value, TypeAttribute) if not value.name.startswith("gpuasync.") else None
    if kind == "#flat-symbol":
        return isinstance(value, SymbolRefAttr) and not value.nested_references.data
    if kind in _ARRAYS:
        return isinstance(value, DenseArrayBase) and str(cast("Any", value).elt_type) == _ARRAYS[kind]
    if kind[0] in "!#" and "." in kind:
        return _is_named(kind, value)
    return None


def _is_named(kind: str, value: Attribute) -> Truth:
    """Tell whether `value` is the type `!dialect.name` or the attribute `#dialect.name`."""
    if isinstance(value, UnregisteredAttr):
        if bool(value.is_type.data) != (kind[0] == "!"):
            return False
        # `#dialect<name ...>` and `#dialect.name<...>` are the same.
        written = value.attr_name.data
        return True if written == kind[1:] else False if "." in written else None
    if value.name.startswith("gpuasync."):
        return None
    if value.name == kind[1:]:
        return True
    # A class of our own for it may have another name; a builtin type cannot be meant.
    if isinstance(value, TypeAttribute) != (kind[0] == "!"):
        return False
    same_dialect = value.name.partition(".")[0] == kind[1:].partition(".")[0]
    return None if same_dialect else False


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
    """Return the sizes of a ranked type, negative where they are dynamic; None for any other type."""
    return tuple(cast(Any, value).get_shape()) if isinstance(value, _RANKED) else None


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
    if not isinstance(value, _SHAPED):
        return None
    return holds(arguments[0], cast(Attribute, cast(Any, value).element_type))


def _ranked(arguments: Predicate, value: Attribute) -> Truth:
    return isinstance(value, _RANKED) if isinstance(value, _SHAPED) else None


def _static(arguments: Predicate, value: Attribute) -> Truth:
    shape = shape_of(value)
    return None if shape is None else all(size >= 0 for size in shape)


def _space(arguments: Predicate, value: Attribute) -> Truth:
    if value.name != "llvm.ptr":
        return None
    space: object = getattr(value, "space", None)
    return space == arguments[0] if isinstance(space, int) else None


def _width(arguments: Predicate, value: Attribute) -> Truth:
    if not isinstance(value, IntegerAttr):
        return None
    type = cast(Attribute, cast("IntegerAttr[IntegerType]", value).type)
    width = arguments[0]
    return isinstance(type, IndexType) if width == 0 else _int(("signless", width), type)


def _number(value: Attribute) -> int | None:
    return cast("IntegerAttr[IntegerType]", value).value.data if isinstance(value, IntegerAttr) else None


def _least(arguments: Predicate, value: Attribute) -> Truth:
    number = _number(value)
    return None if number is None else number >= arguments[0]


def _most(arguments: Predicate, value: Attribute) -> Truth:
    number = _number(value)
    return None if number is None else number <= arguments[0]


def _each(arguments: Predicate, value: Attribute) -> Truth:
    if not isinstance(value, ArrayAttr):
        return None
    return _all(holds(arguments[0], each) for each in cast("ArrayAttr[Attribute]", value))


def _llvm_type(arguments: Predicate, value: Attribute) -> Truth:
    """Whether LLVM has the type: not index, no tensors, memrefs, tuples."""
    if isinstance(
        value, (IndexType, TensorType, UnrankedTensorType, MemRefType, UnrankedMemRefType, TupleType)
    ):
        return False
    if isinstance(value, IntegerType):
        return cast("IntegerType[int, Signedness]", value).signedness.data == Signedness.SIGNLESS
    if isinstance(value, tuple(_FLOATS.values())):
        return True
    if isinstance(value, VectorType):
        vector = cast("VectorType[Attribute]", value)
        if len(vector.get_shape()) != 1:
            return False
        return _llvm_type((), vector.element_type)
    return True if value.name.startswith("llvm.") else None


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
}
