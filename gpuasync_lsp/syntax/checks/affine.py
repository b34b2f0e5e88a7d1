"""affine: which values may be dimensions and symbols of a map.

Judged inside of a func.func and loops only; what an op that nobody knows defines may be anything. Until LLVM
19 the indices of loads and stores may be either, and only constants, sizes and what is defined at the top are
symbols.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects.builtin import AffineMapAttr, AffineSetAttr
from xdsl.ir import Block, Operation, Region, SSAValue

from gpuasync_lsp.syntax.checks.view import NotKnown, Refusal, View

_INSIDE = frozenset(
    {"affine.for", "affine.if", "affine.parallel", "scf.for", "scf.if", "scf.parallel", "scf.while"}
)
_READS = frozenset({"memref.load", "affine.load", "tensor.extract", "vector.extract"})


def _scope(op: Operation) -> Region:
    """Return the body of the function around `op`."""
    parent = op.parent_op()
    region = op.parent_region()
    while parent is not None and parent.name in _INSIDE:
        region, parent = parent.parent_region(), parent.parent_op()
    if parent is None or parent.name != "func.func" or region is None:
        raise NotKnown
    return region


def _is_symbol(value: SSAValue, scope: Region) -> bool:
    """Tell whether `value` may be a symbol; True where that is not known."""
    pending, seen = [value], {value}
    while pending:
        owner = pending.pop().owner
        if isinstance(owner, Block):
            if owner.parent is scope:
                continue
            parent = owner.parent_op()
            if parent is not None and parent.name in _INSIDE:
                return False
        elif owner.parent is not None and owner.parent.parent is scope:
            continue
        elif owner.name in _READS:
            return False
        elif owner.dialect_name() in ("arith", "index") and not owner.regions:
            new = [each for each in owner.operands if each not in seen]
            seen.update(new)
            pending += new
    return True


def _is_dimension(value: SSAValue, scope: Region) -> bool:
    if _is_symbol(value, scope):
        return True
    owner = value.owner
    if isinstance(owner, Block):
        parent = owner.parent_op()
        return parent is None or not parent.name.startswith("scf.")
    return owner.dialect_name() not in ("arith", "index") and owner.name not in _READS


def _operands(values: Sequence[SSAValue], dimensions: int, scope: Region) -> str | None:
    for index, value in enumerate(values):
        if index < dimensions:
            if not _is_dimension(value, scope):
                return "operand cannot be used as a dimension id"
        elif not _is_symbol(value, scope):
            return "operand cannot be used as a symbol"
    return None


def _dimensions(view: View, name: str) -> int:
    found = view.attribute(name)
    if not isinstance(found, AffineMapAttr | AffineSetAttr):
        raise NotKnown
    return found.data.num_dims


def _memory(view: View) -> Refusal | None:
    scope, dimensions = _scope(view.op), _dimensions(view, "map")
    indices = view.values("indices")
    # Either will do for the releases before: they see what is neither.
    if not all(_is_dimension(each, scope) for each in indices):
        return Refusal("operand cannot be used as a dimension id")
    said = _operands(indices, dimensions, scope)
    return None if said is None else Refusal(said, 20)


def _for(view: View) -> str | None:
    scope = _scope(view.op)
    for side in ("lower", "upper"):
        values = view.values(f"{side}BoundOperands")
        if (said := _operands(values, _dimensions(view, f"{side}BoundMap"), scope)) is not None:
            return said
    return None


def _if(view: View) -> str | None:
    return _operands(view.op.operands, _dimensions(view, "condition"), _scope(view.op))


CHECKS: dict[str, Callable[[View], str | Refusal | None]] = {
    "affine.load": _memory,
    "affine.store": _memory,
    "affine.vector_load": _memory,
    "affine.vector_store": _memory,
    "affine.for": _for,
    "affine.if": _if,
}
