"""linalg: the checks of all structured ops: destinations, maps, sizes, and the body.

Implements DestinationStyleOpInterface, LinalgOp and IndexingMapOpInterface, in the order in which MLIR
verifies them.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import DYNAMIC_INDEX, AffineMapAttr
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
    AffineMap,
)

from gpuasync_lsp.syntax.affine import map_text
from gpuasync_lsp.syntax.checks.linalg.maps import BINARY, UNARY, named_maps
from gpuasync_lsp.syntax.checks.view import Fault, NotKnown, VerifierError, View, elements, few_integers
from gpuasync_lsp.syntax.kinds import element_type, is_memref, is_tensor
from gpuasync_lsp.syntax.opaque import UnknownType
from gpuasync_lsp.syntax.printer import attribute_text

_TENSORS = ("tensor", "unranked_tensor")
_MEMREFS = ("memref", "unranked_memref")


def known_types(values: Sequence[SSAValue]) -> list[Attribute]:
    """Return the types of `values`; raises NotKnown if one is unknown."""
    types = [value.type for value in values]
    if any(isinstance(type, UnknownType) or "." in type.name for type in types):
        raise NotKnown
    return types


def shape_of(type: Attribute) -> tuple[int, ...]:
    """Return the sizes of a tensor or memref; empty for a scalar or vector."""
    if is_tensor(type) or is_memref(type):
        return tuple(type.get_shape())
    if type.name.startswith("unranked_"):
        raise NotKnown
    return ()


def element_of(type: Attribute) -> Attribute:
    """Return the element type of a tensor or memref; any other type is returned unchanged."""
    return element_type(type) if type.name in (*_TENSORS, *_MEMREFS) else type


def destinations(op: Operation, outputs: Sequence[SSAValue]) -> str | None:
    """Return the error if the results of `op` do not match its output operands."""
    types = known_types(outputs)
    first = len(op.operands) - len(outputs)
    if any(type.name not in (*_TENSORS, *_MEMREFS) for type in types):
        return None  # The ODS constraint reports this.
    tensors = [(index + first, type) for index, type in enumerate(types) if type.name in _TENSORS]
    if len(op.results) != len(tensors):
        return (
            f"expected the number of tensor results ({len(op.results)}) to be equal to the number of output "
            f"tensors ({len(tensors)})"
        )
    for (index, type), result in zip(tensors, op.results, strict=True):
        if result.type != type and not isinstance(result.type, UnknownType):
            return (
                f"expected type of operand #{index} ('{attribute_text(type)}') to match type of "
                f"corresponding result ('{attribute_text(result.type)}')"
            )
    return None


def is_pure(types: Sequence[Attribute]) -> bool:
    """Return whether the types do not mix tensors and memrefs."""
    names = {type.name for type in types}
    return not (names & set(_TENSORS) and names & set(_MEMREFS))


def maps_of(op: Operation, view: View) -> list[AffineMap] | None:
    """Return the indexing map of each operand; None if `op` has no explicit maps and its implicit ones are
    unknown."""
    given = view.attribute("indexing_maps")
    name = op.name.removeprefix("linalg.")
    if given is not None:
        found = [each.data for each in elements(given) if isinstance(each, AffineMapAttr)]
        if len(found) != len(elements(given)):
            raise NotKnown
        return found
    types = known_types(op.operands)
    rank = len(shape_of(types[-1])) if types else 0
    if name in UNARY | BINARY or name in ("copy", "select"):
        shaped = (*_TENSORS, *_MEMREFS)
        return [AffineMap.identity(rank) if type.name in shaped else AffineMap(rank, 0, ()) for type in types]
    lists = [_numbers(view, each) for each in ("strides", "dilations")]
    try:
        return named_maps(name, *lists)
    except IndexError:
        return None


def _numbers(view: View, name: str) -> Sequence[int]:
    found = view.attribute(name)
    if found is None:
        return (1, 1, 1)
    numbers = few_integers(found)
    # A splat applies to every dimension; no op has more than three.
    return numbers * 3 if len(numbers) == 1 else numbers


def spaces(maps: Sequence[AffineMap], operands: Sequence[SSAValue], loops: int) -> Fault:
    """Return the error for the first mismatch between `maps` and the sizes of `operands`."""
    if len(maps) != len(operands):
        return (
            f"expected the number of indexing_map ({len(maps)}) to be equal to the number of input/output "
            f"operands ({len(operands)})"
        )
    shapes = [shape_of(type) for type in known_types(operands)]
    for index, (each, shape) in enumerate(zip(maps, shapes, strict=True)):
        if each.num_symbols:
            return f"unexpected symbols in indexing_map #{index}"
        if each.num_dims != loops:
            return f"expected indexing_map #{index} to have {loops} dim(s) to match the number of loops"
        if len(each.results) != len(shape):
            return (
                f"expected operand #{index} rank ({len(shape)}) to match the result rank of indexing_map "
                f"({len(each.results)})"
            )
    return _ranges(maps, shapes, loops)


def _ranges(maps: Sequence[AffineMap], shapes: Sequence[Sequence[int]], loops: int) -> Fault:
    ends: dict[int, int] = {}
    for each, shape in zip(maps, shapes, strict=True):
        for result, size in zip(each.results, shape, strict=True):
            if isinstance(result, AffineDimExpr):
                ends.setdefault(result.position, size)
    if len(ends) != loops:
        together = AffineMap(loops, 0, tuple(result for each in maps for result in each.results))
        words = f"invalid indexing maps are non-invertible: ({map_text(AffineMapAttr(together))})"
        return VerifierError(words, 20, earlier="expected the shape-to-loops map to be non-null")
    if DYNAMIC_INDEX in ends.values() or any(size <= 0 for size in ends.values()):
        return None
    first, last = [0] * loops, [ends[at] - 1 for at in range(loops)]
    for index, (each, shape) in enumerate(zip(maps, shapes, strict=True)):
        for dim, (result, size) in enumerate(zip(each.results, shape, strict=True)):
            if size in (DYNAMIC_INDEX, 0):
                continue
            begin, end = value_of(result, first), value_of(result, last)
            if begin is None or end is None:
                return None
            if begin < 0 or end < 0:
                return (
                    f"unexpected result less than 0 at expression #{dim} in {map_text(AffineMapAttr(each))}"
                )
            inferred = max(begin, end) + 1
            start = f"inferred input/output operand #{index} has shape's dimension #{dim} to be "
            if isinstance(result, AffineDimExpr) and inferred != size:
                return f"{start}{inferred}, but found {size}"
            if inferred > size:
                return f"{start}greater than or equal to {inferred}, but found {size}"
    return None


def value_of(expr: AffineExpr, values: Sequence[int]) -> int | None:
    """Return the value of `expr` for the given dimensions; None if it divides by 0 or contains symbols."""
    if isinstance(expr, AffineConstantExpr):
        return expr.value
    if isinstance(expr, AffineDimExpr):
        return values[expr.position] if expr.position < len(values) else None
    if not isinstance(expr, AffineBinaryOpExpr):
        return None
    left, right = value_of(expr.lhs, values), value_of(expr.rhs, values)
    if left is None or right is None:
        return None
    if expr.kind is AffineBinaryOpKind.Add:
        return left + right
    if expr.kind is AffineBinaryOpKind.Mul:
        return left * right
    if right <= 0:
        return None
    if expr.kind is AffineBinaryOpKind.Mod:
        return left % right
    return left // right if expr.kind is AffineBinaryOpKind.FloorDiv else -(-left // right)


def body(op: Operation, operands: Sequence[SSAValue]) -> str | None:
    """Return the error if the body's arguments do not have the element types of `operands`."""
    block = op.regions[0].first_block if len(op.regions) == 1 else None
    if block is None:
        return None
    if len(block.args) != len(operands):
        return (
            "expected as many non-induction variable region arguments as the number of input/output operands"
        )
    for index, (argument, type) in enumerate(zip(block.args, known_types(operands), strict=True)):
        element = element_of(type)
        if argument.type != element and not isinstance(argument.type, UnknownType):
            return (
                f"expected type of bb argument #{index} ('{attribute_text(argument.type)}') to match element "
                f"or self type of the corresponding operand ('{attribute_text(element)}')"
            )
    return None
