"""affine: maps and their operands, accesses, loops and their reductions."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import (
    AffineMapAttr,
    AffineSetAttr,
    AnyFloat,
    IndexType,
    IntegerType,
    MemRefType,
)
from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineMap

from gpuasync_lsp.releases import Profile
from gpuasync_lsp.syntax.checks.affine_scope import Scope
from gpuasync_lsp.syntax.checks.view import (
    Checks,
    Fault,
    NotKnown,
    VerifierError,
    View,
    as_memref,
    few_integers,
)
from gpuasync_lsp.syntax.dialects.memref import ATOMIC_KINDS
from gpuasync_lsp.syntax.kinds import is_array, is_integer_attr
from gpuasync_lsp.syntax.opaque import OpaqueOp

_ANY_INDEX = "index must be a valid dimension or symbol identifier"
_MODERN = Profile.affine_symbols_are_checked.since


def _operands(view: View, values: Sequence[SSAValue], dimensions: int) -> VerifierError | None:
    new = _misused(Scope(view.op), values, dimensions)
    try:
        earlier = _misused(Scope(view.op, modern=False), values, dimensions)
    except NotKnown:
        earlier = None
    return VerifierError(new or "", _MODERN, earlier=earlier or "") if new or earlier else None


def _misused(scope: Scope, values: Sequence[SSAValue], dimensions: int) -> str | None:
    for index, value in enumerate(values):
        if index < dimensions:
            if not scope.is_dimension(value):
                return "operand cannot be used as a dimension id"
        elif not scope.is_symbol(value):
            return "operand cannot be used as a symbol"
    return None


def _subscripts(view: View, values: Sequence[SSAValue], dimensions: int) -> VerifierError | None:
    """Check the indices of an access; through LLVM 20 any dimension or symbol is valid in each position."""
    try:
        earlier = "" if all(map(Scope(view.op, modern=False).is_dimension, values)) else _ANY_INDEX
    except NotKnown:
        earlier = ""
    new = _misused(Scope(view.op), values, dimensions)
    return VerifierError(new or "", _MODERN, earlier=earlier) if new or earlier else None


def _map(view: View, name: str) -> AffineMap:
    found = view.attribute(name)
    if not isinstance(found, AffineMapAttr):
        raise NotKnown
    return found.data


def _memref(view: View) -> MemRefType[Attribute]:
    return as_memref(view.type("memref"))


# Accesses


def _access(view: View) -> Fault:
    memref, affine_map, indices = _memref(view), _map(view, "map"), view.values("indices")
    if len(affine_map.results) != len(memref.get_shape()):
        return "affine map num results must equal memref rank"
    if affine_map.num_dims + affine_map.num_symbols != len(indices):
        return "expects as many subscripts as affine map inputs"
    return _subscripts(view, indices, affine_map.num_dims)


def _load(view: View) -> Fault:
    if view.type("result") != _memref(view).element_type:
        return "result type must match element type of memref"
    return _access(view)


def _store(view: View) -> Fault:
    if view.type("value") != _memref(view).element_type:
        return "value to store must have the same type as memref element type"
    return _access(view)


def _vector(view: View, name: str) -> Fault:
    error = _access(view)
    if error is None and view.vector(name).element_type != _memref(view).element_type:
        return "requires memref and vector types of the same elemental type"
    return error


def _prefetch(view: View) -> Fault:
    memref, affine_map, indices = _memref(view), _map(view, "map"), view.values("indices")
    if len(affine_map.results) != len(memref.get_shape()):
        return "affine.prefetch affine map num results must equal memref rank"
    if affine_map.num_dims + affine_map.num_symbols != len(indices):
        return "too few operands"
    new, old = Scope(view.op), Scope(view.op, modern=False)
    wrong, earlier = (_ANY_INDEX if not all(map(each.is_dimension, indices)) else "" for each in (new, old))
    return VerifierError(wrong, _MODERN, earlier=earlier) if wrong or earlier else None


# Applied maps


_COUNT = "operand count and affine map dimension and symbol count must match"


def _apply(view: View) -> Fault:
    affine_map, operands = _map(view, "map"), view.op.operands
    if len(operands) != affine_map.num_dims + affine_map.num_symbols:
        return _COUNT
    if len(affine_map.results) != 1:
        return "mapping must produce one value"
    symbols = operands[affine_map.num_dims :]
    scope = Scope(view.op) if symbols else None
    if scope is not None and any(not scope.is_symbol(one) and scope.is_dimension(one) for one in symbols):
        return VerifierError("dimensional operand cannot be used as a symbol", _MODERN, bare=True)
    return None


def _extremum(view: View) -> Fault:
    affine_map = _map(view, "map")
    if len(view.op.operands) != affine_map.num_dims + affine_map.num_symbols:
        return _COUNT
    return None if affine_map.results else VerifierError("affine map expect at least one result", 21)


def _delinearize(view: View) -> Fault:
    basis, results = view.integers("static_basis"), len(view.op.results)
    if results not in (len(basis), len(basis) + 1):
        words = "should return an index for each basis element"
        return VerifierError(f"{words} and up to one extra index", 20, earlier=words)
    if results == len(basis) + 1:
        words = "should return an index for each basis element"
        return VerifierError("", 20, earlier=words)
    return _basis(basis)


def _basis(basis: Sequence[int]) -> Fault:
    if any(each <= 0 and each != -(1 << 63) for each in basis):
        return VerifierError("no basis element may be statically non-positive", 20)
    return None


def _linearize(view: View) -> Fault:
    basis, indices = view.integers("static_basis"), view.count("multi_index")
    if len(basis) not in (indices, indices - 1):
        return "should be passed a basis element for each index except possibly the first"
    return None


# Loops and conditions


def _for(view: View) -> Fault:
    bounds = {side: _map(view, f"{side}BoundMap") for side in ("lower", "upper")}
    body = view.block()
    if not body.args or not isinstance(body.args[0].type, IndexType):
        return None  # Reported elsewhere, with a message per release.
    for side, affine_map in bounds.items():
        values = view.values(f"{side}BoundOperands")
        if (error := _operands(view, values, affine_map.num_dims)) is not None:
            return error
    for side, affine_map in bounds.items():
        if not affine_map.results:
            return VerifierError(f"expected {side} bound map to have at least one result", 21)
    if view.integer("step") == 0:
        # The parser's wording: few loops are in the generic form, which the verifier reports differently.
        words = "custom op 'affine.for' expected step to be representable as a positive signed integer"
        return VerifierError(words, 23, bare=True)
    return None


def _if(view: View) -> Fault:
    condition = view.attribute("condition")
    if not isinstance(condition, AffineSetAttr):
        raise NotKnown
    for index, region in enumerate(view.op.regions):
        if region.blocks and region.blocks[0].args:
            return f"region #{index} should have no arguments"
    operands = view.op.operands
    if len(operands) != condition.data.num_dims + condition.data.num_symbols:
        return "operand count and condition integer set dimension and symbol count must match"
    if (error := _operands(view, operands, condition.data.num_dims)) is not None:
        return error
    has_else = len(view.op.regions) > 1 and bool(view.op.regions[1].blocks)
    if view.op.results and not has_else:
        return VerifierError(
            "along control flow edge from parent to parent: region branch point has 0 operands, but region "
            f"successor needs {len(view.op.results)} inputs",
            17,
        )
    return None


def _reduces(kind: str, type: Attribute) -> bool:
    if kind == "assign":
        return True
    return isinstance(type, AnyFloat) if kind.endswith("f") else isinstance(type, IntegerType)


def _parallel(view: View) -> Fault:
    sizes = {side: few_integers(view.attribute(f"{side}BoundsGroups")) for side in ("lower", "upper")}
    maps = {side: _map(view, f"{side}BoundsMap") for side in sizes}
    steps, variables = view.attribute("steps"), len(view.block().args)
    if not is_array(steps):
        raise NotKnown
    counts = [len(sizes["lower"]), len(sizes["upper"]), len(steps.data)]
    if any(count != variables for count in counts):
        return (
            f"the number of region arguments ({variables}) and the number of map groups for lower "
            f"({counts[0]}) and upper bound ({counts[1]}), and the number of steps ({counts[2]}) must all "
            "match"
        )
    for side, groups in sizes.items():
        if 0 in groups:
            return VerifierError(f"expected {side} bound map to have at least one result", 21)
        if sum(groups) != len(maps[side].results):
            return f"expected {side} bounds map to have {sum(groups)} results"
    if (error := _reductions(view)) is not None:
        return error
    operands = view.op.operands
    split = maps["lower"].num_dims + maps["lower"].num_symbols
    return _operands(view, operands[:split], maps["lower"].num_dims) or _operands(
        view, operands[split:], maps["upper"].num_dims
    )


def _reductions(view: View) -> Fault:
    reductions, results = view.attribute("reductions"), view.op.results
    if not is_array(reductions):
        raise NotKnown
    kinds = reductions.data
    if len(kinds) != len(results):
        return "a reduction must be specified for each output"
    for kind, result in zip(kinds, results, strict=True):
        number = kind.value.data if is_integer_attr(kind) else -1
        if not 0 <= number < len(ATOMIC_KINDS):
            return "invalid reduction attribute"
        if not _reduces(ATOMIC_KINDS[number], result.type):
            # Through LLVM 21, the kinds have different numbers in the generic form.
            return VerifierError("result type cannot match reduction attribute", 22)
    return None


def _yield(view: View) -> Fault:
    parent = view.op.parent_op()
    if isinstance(parent, OpaqueOp):
        raise NotKnown
    if parent is None or parent.dialect_name() != "affine":
        return "only terminates affine.if/for/parallel regions" if parent is not None else None
    given, wanted = view.op.operands, parent.results
    if len(given) != len(wanted):
        return "parent of yield must have same number of results as the yield operands"
    if any(one.type != other.type for one, other in zip(given, wanted, strict=True)):
        return "types mismatch between yield op and its parent"
    return None


CHECKS: Checks = {
    "affine.apply": _apply,
    "affine.delinearize_index": _delinearize,
    "affine.for": _for,
    "affine.if": _if,
    "affine.linearize_index": _linearize,
    "affine.load": _load,
    "affine.max": _extremum,
    "affine.min": _extremum,
    "affine.parallel": _parallel,
    "affine.prefetch": _prefetch,
    "affine.store": _store,
    "affine.vector_load": lambda view: _vector(view, "result"),
    "affine.vector_store": lambda view: _vector(view, "value"),
    "affine.yield": _yield,
}
