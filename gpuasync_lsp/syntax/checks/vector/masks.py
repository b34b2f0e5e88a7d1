"""vector: masks, their sizes, and the ops that vector.mask may contain."""

from __future__ import annotations

from xdsl.dialects.builtin import IntegerType, VectorType
from xdsl.ir import Attribute, Operation

from gpuasync_lsp.syntax.checks.vector.memory import mask_of
from gpuasync_lsp.syntax.checks.view import Checks, Fault, NotKnown, VerifierError, View, as_vector, scalable
from gpuasync_lsp.syntax.printer import attribute_text

_MASKABLE = frozenset(
    {"vector.contract", "vector.gather", "vector.multi_reduction", "vector.outerproduct", "vector.reduction",
     "vector.scatter", "vector.transfer_read", "vector.transfer_write"}
)  # fmt: skip
_MASKABLE_SINCE_17 = frozenset({"vector.contract", "vector.gather", "vector.outerproduct"})
_OTHERS = frozenset({"arith", "math", "index"})


def _mask(view: View) -> str | VerifierError | None:
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
        return VerifierError("expects a MaskableOpInterface within the mask region", 22)
    if op.name not in _MASKABLE:
        raise NotKnown
    if op.name == "vector.scatter":
        return VerifierError("expects a MaskableOpInterface within the mask region", 20)
    if len(op.results) != len(view.op.results):
        if view.op.results and len(yielded.operands) == len(view.op.results):
            return "expects number of results to match maskable operation number of results"
        return "expects result type to match maskable operation result type"
    if list(yielded.operands) != list(op.results):
        return VerifierError(
            "expects all the results from the MaskableOpInterface to match all the values returned by the "
            "terminator",
            22,
        )
    if [each.type for each in op.results] != [each.type for each in view.op.results]:
        return "expects result type to match maskable operation result type"
    wrong = _mask_type(view, op)
    if wrong is None and op.name in _MASKABLE_SINCE_17:
        return VerifierError("", 17, earlier="expects a maskable operation")
    return wrong


def _mask_type(view: View, op: Operation) -> str | None:
    wanted: VectorType[Attribute] | None = mask_of(op)
    if op.name in ("vector.reduction", "vector.multi_reduction"):
        inner = View(op)
        source = inner.vector("vector" if op.name == "vector.reduction" else "source")
        wanted = VectorType(IntegerType(1), source.get_shape(), source.scalable_dims)
    if wanted is not None and view.type("mask") != wanted:
        return f"expects a '{attribute_text(wanted)}' mask for the maskable operation"
    return None


def _create(view: View) -> Fault:
    result, given = as_vector(view.op.results[0].type), len(view.op.operands)
    rank = len(result.get_shape())
    if not rank:
        return None if given == 1 else "must specify exactly one operand for 0-D create_mask"
    return None if given == rank else "must specify an operand for each result vector dimension"


def _constant(view: View) -> Fault:
    result, sizes = as_vector(view.op.results[0].type), view.integers("mask_dim_sizes")
    shape = tuple(result.get_shape())
    if not shape:
        if len(sizes) != 1:
            return VerifierError("array attr must have length 1 for 0-D vectors", bare=True)
        words = "mask dim size must be either 0 or 1 for 0-D vectors"
        return None if sizes[0] in (0, 1) else VerifierError(words, bare=True)
    if len(sizes) != len(shape):
        return "must specify array attr of size equal vector result rank"
    for size, whole, is_scalable in zip(sizes, shape, scalable(result), strict=True):
        if not 0 <= size <= whole:
            return "array attr of size out of bounds of vector result dimension size"
        if is_scalable and size not in (0, whole):
            return "only supports 'none set' or 'all set' scalable dimensions"
    if 0 in sizes and any(sizes):
        return "expected all mask dim sizes to be zeros, as a result of conjunction with zero mask dim"
    return None


CHECKS: Checks = {
    "vector.mask": _mask,
    "vector.create_mask": _create,
    "vector.constant_mask": _constant,
}
