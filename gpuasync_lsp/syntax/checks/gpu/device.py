"""Checks that MLIR implements in C++, for gpu ops in kernels."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import DYNAMIC_INDEX, AnyFloat, IntegerType
from xdsl.ir import Attribute

from gpuasync_lsp.syntax.checks.view import Checks, VerifierError, View, as_memref, has_unit_stride
from gpuasync_lsp.syntax.dialects.assembly import same_type, typed
from gpuasync_lsp.syntax.dialects.gpu.attributes import AddressSpaceAttr, MMAMatrixType
from gpuasync_lsp.syntax.kinds import is_memref, is_vector

_INTEGERS_ONLY = frozenset({"minsi", "minui", "maxsi", "maxui", "and", "or", "xor"})
_FLOATS_ONLY = frozenset({"minnumf", "maxnumf", "minimumf", "maximumf"})


def _bare(words: str) -> VerifierError:
    return VerifierError(words, bare=True)


def _rotate(view: View) -> str | None:
    width = view.integer("width")
    return None if 0 <= view.integer("offset") < width else f"offset must be in the range [0, {width})"


def _broadcast(view: View) -> str | None:
    is_specific, has_lane = view.word("broadcast_type") == "specific_lane", bool(view.values("lane"))
    if is_specific == has_lane:
        return None
    return f"lane {'must' if is_specific else 'can only'} be specified for `specific_lane` broadcast"


def _reduction(view: View) -> VerifierError | None:
    operation, type = view.word("op"), view.type("value")
    element = _element(type)
    is_wrong = (operation in _INTEGERS_ONLY and not isinstance(element, IntegerType)) or (
        operation in _FLOATS_ONLY and not isinstance(element, AnyFloat)
    )
    words = f"`{operation}` reduction operation is not compatible with type {typed(_element(type))}"
    return _bare(words) if is_wrong else None


def _all_reduce(view: View) -> VerifierError | None:
    body, type = view.op.regions[0], view.type("value")
    block = body.blocks.first
    if (block is None) != (view.word("op") is not None):
        return _bare("expected either an op attribute or a non-empty body")
    if block is None:
        return _reduction(view)
    if len(block.args) != 2:
        return _bare("expected two region arguments")
    if not all(same_type(argument.type, type) for argument in block.args):
        return _bare("incorrect region argument type")
    yields = [last for each in body.blocks if (last := each.last_op) and last.name == "gpu.yield"]
    for last in yields:
        if len(last.operands) != 1:
            return _bare("expected one gpu.yield operand")
        if not same_type(last.operands[0].type, type):
            return _bare("incorrect gpu.yield type")
    return None if yields else _bare("expected gpu.yield op in region")


def _barrier(view: View) -> str | None:
    if view.count("named_barrier") and view.word("scope") not in (None, "workgroup"):
        return "named barriers require workgroup scope"
    return None


_VECTORS_SINCE, _FIXED_SINCE = 18, 22


def _subgroup_reduce(view: View) -> str | VerifierError | None:
    type = view.type("value")
    if is_vector(type) and any(map(bool, type.get_scalable_dims())):
        words = "is not compatible with scalable vector types"
        return VerifierError(
            words, _VECTORS_SINCE, before=_FIXED_SINCE
        )  # Later releases report this as an ODS error.
    if (wrong := _reduction(view)) is not None:
        return wrong
    sizes = {name: view.attribute(f"cluster_{name}") for name in ("size", "stride")}
    numbers = {name: view.integer(f"cluster_{name}") for name, each in sizes.items() if each is not None}
    if numbers.get("stride", 1) != 1 and "size" not in numbers:
        words = "cluster stride can only be specified if cluster size is specified"
        return VerifierError(words, since=20)  # Before LLVM 20, any attribute is allowed.
    for name, number in numbers.items():
        if number <= 0 or number & (number - 1):
            return VerifierError(f"cluster {name} {number} is not a power of two", since=20)
    return None


def _dynamic_shared_memory(view: View) -> str | None:
    type = as_memref(view.type("resultMemref"))
    space = type.memory_space
    if not isinstance(space, AddressSpaceAttr) or space.data != "workgroup":
        return "address space must be address_space<workgroup>"
    if type.get_shape() != (DYNAMIC_INDEX,):
        return "result memref type must be memref<?xi8, #gpu.address_space<workgroup>>"
    return None


def _store(view: View) -> VerifierError | None:
    matrix = view.type("src")
    if isinstance(matrix, MMAMatrixType) and matrix.operand.data != "COp":
        return _bare("expected the operand matrix being stored to have 'COp' operand type")
    return _unit_stride(view, "dstMemref", "destination")


def _unit_stride(view: View, name: str, what: str) -> VerifierError | None:
    type = view.type(name)
    if not is_memref(type) or has_unit_stride(type):
        return None
    return _bare(f"expected {what} memref most minor dim must have unit stride")


def _product(view: View) -> VerifierError | None:
    a, b, c = (view.type(name) for name in ("opA", "opB", "opC"))
    if not (isinstance(a, MMAMatrixType) and isinstance(b, MMAMatrixType) and isinstance(c, MMAMatrixType)):
        return None
    if [each.operand.data for each in (a, b, c)] != ["AOp", "BOp", "COp"]:
        return _bare("operands must be in the order AOp, BOp, COp")
    if (a.columns, a.rows, b.columns) != (b.rows, c.rows, c.columns):
        return _bare("operand shapes do not satisfy matmul constraints")
    return None


def _warp(view: View) -> str | None:
    """Check the distribution of vectors over the lanes of a warp for gpu.warp_execute_on_lane_0."""
    block, arguments = view.block(), view.types("args")
    if len(block.args) != len(arguments):
        return "expected same number op arguments and block arguments."
    last = block.last_op
    yielded: Sequence[Attribute] = ()
    results = view.op.result_types
    if last is not None and last.name in ("gpu.yield", "vector.yield"):
        yielded = last.operand_types
        if len(yielded) != len(results):
            return "expected same number of yield operands and return values."
    pairs = [*zip(block.arg_types, arguments, strict=True), *zip(yielded, results, strict=False)]
    size = view.integer("warp_size")
    return next(filter(None, (_distributed(*pair, size) for pair in pairs)), None)


def _distributed(expanded: Attribute, distributed: Attribute, size: int) -> str | None:
    if same_type(expanded, distributed):
        return None
    whole, part = _shape(expanded), _shape(distributed)
    if whole is None or part is None:
        return "expected vector type for distributed operands."
    if len(whole) != len(part):
        return "expected distributed vectors to have same rank."
    shares = 1
    for all_of_it, share in zip(whole, part, strict=True):
        shares *= all_of_it // share if all_of_it % share == 0 else 0
    types = f"from {typed(expanded)} to {typed(distributed)}"
    return None if shares == size else f"incompatible distribution dimensions {types} with warp size = {size}"


def _shape(type: Attribute) -> Sequence[int] | None:
    return type.get_shape() if is_vector(type) else None


def _element(type: Attribute) -> Attribute:
    return type.element_type if is_vector(type) else type


DEVICE: Checks = {
    "gpu.all_reduce": _all_reduce,
    "gpu.barrier": _barrier,
    "gpu.dynamic_shared_memory": _dynamic_shared_memory,
    "gpu.rotate": _rotate,
    "gpu.subgroup_broadcast": _broadcast,
    "gpu.subgroup_mma_compute": _product,
    "gpu.subgroup_mma_load_matrix": lambda view: _unit_stride(view, "srcMemref", "source"),
    "gpu.subgroup_mma_store_matrix": _store,
    "gpu.subgroup_reduce": _subgroup_reduce,
    "gpu.warp_execute_on_lane_0": _warp,
}
