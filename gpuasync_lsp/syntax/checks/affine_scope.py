"""Valid dimensions and symbols of affine maps (MLIR's `isValidDim` and `isValidSymbol`).

Since LLVM 21, results of pure ops on symbols are symbols, and results of `affine.linearize_index` and
`affine.delinearize_index` on dimensions are dimensions. Results of an unknown op may be anything.
"""

from __future__ import annotations

from xdsl.dialects.builtin import IndexType, ModuleOp, UnregisteredOp
from xdsl.ir import Block, Operation, Region, SSAValue

from gpuasync_lsp.syntax.checks.view import NotKnown
from gpuasync_lsp.syntax.opaque import OpaqueOp, UnknownType

_SCOPES = frozenset({"func.func"})
"""Ops with the trait AffineScope, whose regions define symbols; since LLVM 21 also those in `_GPU`."""
_GPU = frozenset({"gpu.func", "gpu.launch"})
_LOWERED = "llvm.func"
"""The lowered form of a function; before LLVM 21, ops in it are in the scope of the module."""
_BETWEEN = frozenset({"affine", "scf", "memref", "linalg", "tensor"})
"""Dialects whose other ops with regions are not affine scopes."""
_LOOPS = frozenset({"affine.for", "affine.parallel"})
_CONSTANTS = frozenset({"arith.constant", "index.constant", "index.bool.constant"})
_SIZES = frozenset({"memref.dim", "tensor.dim"})
_SIZED = frozenset({"memref.view", "memref.subview", "memref.alloc"})
_LINEAR = frozenset({"affine.linearize_index", "affine.delinearize_index"})
_IMPURE = frozenset({"func.call", "func.call_indirect", "memref.load", "affine.load"})


class Scope:
    """The region of the nearest enclosing affine scope; raises NotKnown if there is none.

    `modern` selects the rules since LLVM 21.
    """

    def __init__(self, op: Operation, *, modern: bool = True) -> None:
        self.region = _scope(op, modern)
        self.modern = modern

    def is_dimension(self, value: SSAValue) -> bool:
        """Return whether `value` is a valid dimension; True if unknown."""
        return _is_dimension(value, self.region, self.modern)

    def is_symbol(self, value: SSAValue) -> bool:
        """Return whether `value` is a valid symbol; True if unknown."""
        return _is_symbol(value, self.region, self.modern)


def _scope(op: Operation, modern: bool) -> Region:
    region, parent = op.parent_region(), op.parent_op()
    while parent is not None and region is not None:
        if parent.name in _SCOPES or (modern and (parent.name in _GPU or parent.name == _LOWERED)):
            return region
        if parent.name in (_LOWERED, "gpu.func") and (around := _enclosing_module(parent)) is not None:
            return around
        if isinstance(parent, OpaqueOp | UnregisteredOp):
            break
        if parent.dialect_name() not in _BETWEEN and parent.name != "gpu.launch":
            break
        region, parent = parent.parent_region(), parent.parent_op()
    raise NotKnown


def _enclosing_module(function: Operation) -> Region | None:
    """Return the region of the module that contains a function, directly or in a gpu.module.

    The region is empty if the function was parsed without its module; None if there is no module.
    """
    parent, region = function.parent_op(), function.parent_region()
    if parent is not None and parent.name == "gpu.module":
        parent, region = parent.parent_op(), parent.parent_region()
    if parent is None:
        return Region()
    return region if isinstance(parent, ModuleOp) else None


def _home(value: SSAValue) -> tuple[Operation | None, Region | None]:
    """Return the op that defines `value` (None for a block argument) and the region of the definition."""
    owner = value.owner
    if isinstance(owner, Block):
        return None, owner.parent
    return owner, owner.parent_region()


def _is_index(value: SSAValue) -> bool:
    return isinstance(value.type, IndexType | UnknownType)


def _is_symbol(value: SSAValue, region: Region | None, modern: bool) -> bool:
    """Return whether `value` is a symbol; each value that it depends on is checked once."""
    pending, seen = [value], {value}
    while pending:
        each = pending.pop()
        needed = _needed(each, region, modern)
        if needed is None:
            return False
        new = [one for one in needed if one not in seen]
        seen.update(new)
        pending += new
    return True


def _needed(value: SSAValue, region: Region | None, modern: bool) -> tuple[SSAValue, ...] | None:
    """Return the values that must be symbols if `value` is a symbol; None if it cannot be a symbol."""
    if not _is_index(value):
        return None
    op, home = _home(value)
    if home is None or isinstance(op, OpaqueOp | UnregisteredOp):
        return ()
    if home is region:
        return ()
    if op is not None:
        if op.name in _CONSTANTS:
            return ()
        if op.name == "affine.apply":
            return tuple(op.operands)
        if op.name in _SIZES:
            return _of_size(op)
        if modern:
            if op.name in _LINEAR:
                return tuple(op.operands)
            if op.name not in _IMPURE and all(map(_is_index, op.operands)):
                return tuple(op.operands)
    outer = region.parent_op() if region is not None else None
    if outer is not None and outer.name == "gpu.launch":
        around = outer.parent_region()
        return () if around is not None and _is_symbol(value, around, modern) else None
    return None


def _of_size(op: Operation) -> tuple[SSAValue, ...] | None:
    """Return `_needed` for the result of `memref.dim` or `tensor.dim`.

    It is a symbol if the shaped value is defined at the top of a scope, or if the size is a symbol."""
    source = op.operands[0]
    maker, home = _home(source)
    around = home.parent_op() if home is not None else None
    if around is None or around.name in _SCOPES | _GPU or isinstance(around, OpaqueOp | UnregisteredOp):
        return ()
    if maker is None:
        return None
    # The index of the dimension may be dynamic, so any size of a known op is assumed to be a symbol.
    known = maker.name in _SIZED or isinstance(maker, OpaqueOp | UnregisteredOp)
    return () if known else None


def _is_dimension(value: SSAValue, region: Region, modern: bool) -> bool:
    pending, seen = [value], {value}
    while pending:
        each = pending.pop()
        if _is_symbol(each, region, modern):
            continue
        if not _is_index(each):
            return False
        op, home = _home(each)
        if op is None:
            parent = home.parent_op() if home is not None else None
            if parent is None or parent.name in _LOOPS:
                continue
            return False
        if op.name == "affine.apply" or (modern and op.name in _LINEAR):
            new = [one for one in op.operands if one not in seen]
            seen.update(new)
            pending += new
        elif op.name in _SIZES:
            if not _is_top(op.operands[0]):
                return False
        else:
            return False
    return True


def _is_top(value: SSAValue) -> bool:
    _, home = _home(value)
    parent = home.parent_op() if home is not None else None
    return parent is None or parent.name in _SCOPES | _GPU or isinstance(parent, OpaqueOp | UnregisteredOp)
