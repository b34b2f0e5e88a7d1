"""vector: scans, masks, products, and slices, whose sizes must fit."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from xdsl.dialects.builtin import IntegerType, MemRefType, Signedness, StringAttr, VectorType
from xdsl.ir import Attribute, Operation

from gpuasync_lsp.syntax.checks.view import NotKnown, Refusal, View, as_vector, scalable
from gpuasync_lsp.syntax.dialects.memref_checks import strided
from gpuasync_lsp.syntax.printer import attribute_text

_FLOAT_KINDS = frozenset({"minnumf", "maxnumf", "minimumf", "maximumf", "minf", "maxf"})
_INTEGER_KINDS = frozenset({"minui", "minsi", "maxui", "maxsi", "and", "or", "xor"})


def _is_supported(kind: str | None, element: Attribute) -> bool:
    if kind in _FLOAT_KINDS:
        return not isinstance(element, IntegerType) and element.name != "index"
    if kind in _INTEGER_KINDS:
        return isinstance(element, IntegerType) or element.name == "index"
    return True


def _scan(view: View) -> str | None:
    source, initial, dim = view.vector("source"), view.vector("initial_value"), view.integer("reduction_dim")
    shape, start = tuple(source.get_shape()), tuple(initial.get_shape())
    if dim >= len(shape):
        return f"reduction dimension {dim} has to be less than {len(shape)}"
    if len(start) != len(shape) - 1:
        return f"initial value rank {len(start)} has to be equal to {len(shape) - 1}"
    if dim >= 0 and start != shape[:dim] + shape[dim + 1 :]:
        return "incompatible input/initial value shapes"
    kind = view.word("kind")
    if not _is_supported(kind, source.element_type):
        return f"unsupported reduction type '{attribute_text(source.element_type)}' for kind '{kind}'"
    return None


_MASKABLE = frozenset(
    {"vector.contract", "vector.gather", "vector.multi_reduction", "vector.outerproduct", "vector.reduction",
     "vector.scatter", "vector.transfer_read", "vector.transfer_write"}
)  # fmt: skip
_OTHERS = frozenset({"arith", "math", "index"})


def _mask(view: View) -> str | Refusal | None:
    regions = view.op.regions
    blocks = list(regions[0].blocks) if regions else []
    if len(blocks) != 1:
        raise NotKnown
    inner = list(blocks[0].ops)
    if len(inner) > 2:
        return "expects only one operation to mask"
    if not inner or inner[-1].name != "vector.yield":
        raise NotKnown
    if len(inner) == 1:
        return None
    op, yielded = inner
    if op.dialect_name() in _OTHERS:
        return Refusal("expects a MaskableOpInterface within the mask region", 22)
    if op.name not in _MASKABLE:
        raise NotKnown
    if len(op.results) != len(view.op.results):
        if view.op.results and len(yielded.operands) == len(view.op.results):
            return "expects number of results to match maskable operation number of results"
        return "expects result type to match maskable operation result type"
    if list(yielded.operands) != list(op.results):
        return Refusal(
            "expects all the results from the MaskableOpInterface to match all the values returned by the "
            "terminator",
            22,
        )
    if [each.type for each in op.results] != [each.type for each in view.op.results]:
        return "expects result type to match maskable operation result type"
    return _mask_type(view, op)


def _mask_type(view: View, op: Operation) -> str | None:
    if op.name == "vector.reduction":
        source = View(op).vector("vector")
        wanted = VectorType(IntegerType(1), source.get_shape(), source.scalable_dims)
        if view.type("mask") != wanted:
            return f"expects a '{attribute_text(wanted)}' mask for the maskable operation"
    return None


_KIND = "expected 'kind' attribute of type CombiningKind (e.g. 'vector.kind<add>')"


def _outerproduct(view: View) -> str | None:
    if isinstance(view.attribute("kind"), StringAttr):
        return _KIND
    left, right = view.vector("lhs"), view.type("rhs")
    if not isinstance(right, VectorType):
        return None
    first, second = scalable(left), scalable(cast("VectorType[Attribute]", right))
    if len(first) == 1 and len(second) == 1 and first[0] and not second[0]:
        return "expected either both or only #2 operand dim to be scalable"
    return None


def _contract(view: View) -> str | None:
    if isinstance(view.attribute("kind"), StringAttr):
        return _KIND
    left, right = view.vector("lhs").element_type, view.vector("rhs").element_type
    for type in (left, right):
        if isinstance(type, IntegerType):
            integer = cast("IntegerType[int, Signedness]", type)
            if integer.signedness.data != Signedness.SIGNLESS:
                return "only supports signless integer types"
    return None


def _deinterleave(view: View) -> str | None:
    source, result = view.vector("source"), view.vector("res1")
    size = source.get_shape()[-1]
    if size % 2:
        return (
            "failed to verify that the trailing dimension of the source vector has an even number of elements"
        )
    if result.get_shape()[-1] * 2 != size:
        return (
            "failed to verify that the trailing dimension of the results is half the width of source "
            "trailing dimension"
        )
    return None


def _memory(view: View, vector: str, lower: str) -> str | Refusal | None:
    base = view.type("base")
    if not isinstance(base, MemRefType):
        return None
    memref = cast("MemRefType[Attribute]", base)
    type = as_vector(view.type(vector))
    layout = strided(memref)
    if layout is not None and layout.strides and layout.strides[-1] != 1:
        return "most minor memref dim must have unit stride"
    element = memref.element_type
    if len(memref.get_shape()) < len(type.get_shape()) and not isinstance(element, VectorType):
        return Refusal(lower, 22)
    return None


def _load(view: View) -> str | Refusal | None:
    return _memory(view, "result", "destination memref has lower rank than the result vector")


def _store(view: View) -> str | Refusal | None:
    return _memory(view, "valueToStore", "source memref has lower rank than the vector to store")


def _scalable_slice(view: View) -> str | None:
    """A slice of a scalable dimension takes all of it."""
    inserted = view.op.name == "vector.insert_strided_slice"
    if inserted:
        part, whole = (as_vector(each.type) for each in view.op.operands[:2])
        shape = tuple(part.get_shape())
    else:
        whole, part = view.vector(view_source(view)), as_vector(view.op.results[0].type)
        shape = tuple(part.get_shape())
    sizes, flags = tuple(whole.get_shape()), scalable(whole)
    ours = scalable(part)
    offset = len(sizes) - len(shape)
    for index, (size, is_scalable) in enumerate(zip(shape, ours, strict=True)):
        at = index + offset
        if inserted and is_scalable != flags[at]:
            return f"mismatching scalable flags (at source vector idx={index})"
        if flags[at] and size != sizes[at]:
            return (
                f"expected size at idx={at} to match the corresponding base size from the input vector "
                f"({size} vs {sizes[at]})"
            )
    return None


def view_source(view: View) -> str:
    """Return the name of the vector that is sliced: LLVM 22 calls it `source`, older ones `vector`."""
    try:
        view.values("source")
    except NotKnown:
        return "vector"
    return "source"


CHECKS: dict[str, Callable[[View], str | Refusal | None]] = {
    "vector.scan": _scan,
    "vector.mask": _mask,
    "vector.outerproduct": _outerproduct,
    "vector.contract": _contract,
    "vector.deinterleave": _deinterleave,
    "vector.load": _load,
    "vector.store": _store,
    "vector.insert_strided_slice": _scalable_slice,
    "vector.extract_strided_slice": _scalable_slice,
}
