"""The loop nest of a linalg op: bounds, loops of one of three kinds, loads, payload, stores."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from functools import partial

from xdsl.dialects.builtin import AffineMapAttr, DenseArrayBase, IndexType, IntegerAttr, MemRefType, i32
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
    AffineMap,
)

from gpuasync_lsp.lowering.conversion.affine_maps import canonical, simplified
from gpuasync_lsp.lowering.conversion.edits import erase
from gpuasync_lsp.lowering.conversion.insertion import OpBuilder
from gpuasync_lsp.lowering.passes.kernels.names import op_class
from gpuasync_lsp.lowering.passes.linalg_to_loops.forms import Form
from gpuasync_lsp.releases import Profile
from gpuasync_lsp.syntax.dialects import affine, arith, memref, scf
from gpuasync_lsp.syntax.dialects.assembly import integers
from gpuasync_lsp.syntax.kinds import memref_type

_INDEX = IndexType()
_CONSTANT = AffineMapAttr(AffineMap(0, 0, (AffineExpr.constant(0),)))


class Kind(Enum):
    """The loops to which a linalg op is converted."""

    SCF = "scf.for"
    PARALLEL = "scf.parallel where iterations are independent, else scf.for"
    AFFINE = "affine.for"


class _Inside(OpBuilder):
    """Inserts ops before the op that they replace, or at the end of a loop's body."""

    def index(self, value: int) -> SSAValue:
        return self.value(arith.ConstantOp(IntegerAttr(value, _INDEX)))


def expand(op: Operation, form: Form, kind: Kind, profile: Profile | None = None) -> bool:
    """Replace `op` with loops; return False, with nothing changed, if a loop's extent is unknown."""
    shown = _shown(form)
    if any(each is None for each in shown):
        return False
    inside = _Inside(op)
    sizes = [_sizes(inside, value) for value in op.operands]
    extents = [sizes[each[0]][each[1]] for each in shown if each is not None]
    inside, counters, opened = _loops(inside, extents, form.parallel, kind)
    elements: list[SSAValue] = []
    for value, each in zip(op.operands, form.maps, strict=True):
        place = _place(inside, each, counters, profile)
        is_memory = value.type.name == MemRefType.name
        elements.append(inside.value(_load(value, place, kind)) if is_memory else value)
    outputs = len(op.operands) - integers(op.properties["operandSegmentSizes"])[0]
    targets = op.operands[len(op.operands) - outputs :]
    into = [_place(inside, each, counters, profile) for each in form.maps[len(op.operands) - outputs :]]
    given = form.emit(partial(_add, inside, profile), elements, counters)
    for value, target, place in zip(given, targets, into, strict=True):
        inside.add(_store(value, target, place, kind))
    for each, end in reversed(opened):
        each.add(end)
    erase(op)
    return True


def _add(inside: _Inside, profile: Profile | None, op: Operation) -> SSAValue:
    old = _OLD_NAMES.get(op.name) if profile is not None and not profile.extrema_have_new_names else None
    if old is not None:
        kinds = [result.type for result in op.results]
        op = op_class(old).create(operands=op.operands, result_types=kinds, properties=op.properties)
    return inside.value(op)


_OLD_NAMES = {"arith.maximumf": "arith.maxf", "arith.minimumf": "arith.minf"}


def _shown(form: Form) -> list[tuple[int, int] | None]:
    """Return, for each loop, an operand and a dimension of it whose size is the loop's extent, or None."""
    found: list[tuple[int, int] | None] = []
    for loop in range(len(form.parallel)):
        places = (
            (operand, at)
            for operand, each in enumerate(form.maps)
            for at, expr in enumerate(each.results)
            if isinstance(expr, AffineDimExpr) and expr.position == loop
        )
        found.append(next(places, None))
    return found


def _sizes(inside: _Inside, value: SSAValue) -> list[SSAValue | int]:
    """Emit the sizes of a memref; unused ones are erased later."""
    if value.type.name != MemRefType.name:
        return []
    shape = memref_type(value.type).get_shape()
    return [
        size if size >= 0 else inside.create(memref.DimOp, [value, inside.index(at)], _INDEX)
        for at, size in enumerate(shape)
    ]


def _loops(
    inside: _Inside, extents: Sequence[SSAValue | int], parallel: Sequence[bool], kind: Kind
) -> tuple[_Inside, list[SSAValue], list[tuple[_Inside, Operation]]]:
    """Insert the loops; return the innermost body, the counters, and the terminator of each body."""
    if kind is Kind.AFFINE:
        return _affine_loops(inside, extents)
    ranges = [
        tuple(inside.index(each) if isinstance(each, int) else each for each in (0, extent, 1))
        for extent in extents
    ]
    counters: list[SSAValue] = []
    opened: list[tuple[_Inside, Operation]] = []
    at = 0
    while at < len(ranges):
        end = at + 1
        together = kind is Kind.PARALLEL and parallel[at]
        while together and end < len(ranges) and parallel[end]:
            end += 1
        body = Block(arg_types=[_INDEX] * (end - at))
        bounds = [value for part in zip(*ranges[at:end], strict=True) for value in part]
        if together:
            count = end - at
            sizes = DenseArrayBase.from_list(i32, [count, count, count, 0])
            inside.add(
                scf.ParallelOp.create(
                    operands=bounds, regions=[Region(body)], properties={"operandSegmentSizes": sizes}
                )
            )
        else:
            inside.add(scf.ForOp.create(operands=bounds, regions=[Region(body)]))
        inside = _Inside(inside.source, body)
        opened.append((inside, scf.ReduceOp.create() if together else scf.YieldOp.create()))
        counters += body.args
        at = end
    return inside, counters, opened


def _affine_loops(
    inside: _Inside, extents: Sequence[SSAValue | int]
) -> tuple[_Inside, list[SSAValue], list[tuple[_Inside, Operation]]]:
    counters: list[SSAValue] = []
    opened: list[tuple[_Inside, Operation]] = []
    for extent in extents:
        body = Block(arg_types=[_INDEX])
        if isinstance(extent, int):
            upper, operands = AffineMap(0, 0, (AffineExpr.constant(extent),)), list[SSAValue]()
        else:
            upper, operands = AffineMap(0, 1, (AffineExpr.symbol(0),)), [extent]
        inside.add(
            affine.ForOp.create(
                operands=operands,
                regions=[Region(body)],
                properties={
                    "lowerBoundMap": _CONSTANT,
                    "upperBoundMap": AffineMapAttr(upper),
                    "step": IntegerAttr(1, _INDEX),
                    "operandSegmentSizes": DenseArrayBase.from_list(i32, [0, len(operands), 0]),
                },
            )
        )
        inside = _Inside(inside.source, body)
        opened.append((inside, affine.YieldOp.create()))
        counters += body.args
    return inside, counters, opened


def _place(
    inside: _Inside, map: AffineMap, counters: Sequence[SSAValue], profile: Profile | None
) -> list[SSAValue]:
    return [_index(inside, expr, map, counters, profile) for expr in map.results]


def _index(
    inside: _Inside, expr: AffineExpr, map: AffineMap, counters: Sequence[SSAValue], profile: Profile | None
) -> SSAValue:
    if profile is None or isinstance(expr, AffineDimExpr):
        return _computed(inside, expr, counters)
    one, operands = canonical(AffineMap(map.num_dims, 0, (expr,)), counters, profile)
    properties = {"map": AffineMapAttr(simplified(one, profile))}
    return inside.create(affine.ApplyOp, operands, _INDEX, properties)


def _computed(inside: _Inside, expr: AffineExpr, counters: Sequence[SSAValue]) -> SSAValue:
    if isinstance(expr, AffineDimExpr):
        return counters[expr.position]
    if isinstance(expr, AffineConstantExpr):
        return inside.index(expr.value)
    assert isinstance(expr, AffineBinaryOpExpr)
    name = _ARITH[expr.kind]
    operands = [_computed(inside, side, counters) for side in (expr.lhs, expr.rhs)]
    return inside.create(op_class(name), operands, _INDEX)


_ARITH = {
    AffineBinaryOpKind.Add: "arith.addi",
    AffineBinaryOpKind.Mul: "arith.muli",
    AffineBinaryOpKind.Mod: "arith.remsi",
    AffineBinaryOpKind.FloorDiv: "arith.floordivsi",
    AffineBinaryOpKind.CeilDiv: "arith.ceildivsi",
}
"""Maps affine operators to arith ops; `remsi` is correct because counters are not negative."""


def _load(value: SSAValue, place: Sequence[SSAValue], kind: Kind) -> Operation:
    element = memref_type(value.type).element_type
    if kind is not Kind.AFFINE:
        return memref.LoadOp.create(operands=[value, *place], result_types=[element])
    properties = {"map": AffineMapAttr(AffineMap.identity(len(place)))}
    return affine.LoadOp.create(operands=[value, *place], result_types=[element], properties=properties)


def _store(value: SSAValue, target: SSAValue, place: Sequence[SSAValue], kind: Kind) -> Operation:
    if kind is not Kind.AFFINE:
        return memref.StoreOp.create(operands=[value, target, *place])
    properties = {"map": AffineMapAttr(AffineMap.identity(len(place)))}
    return affine.StoreOp.create(operands=[value, target, *place], properties=properties)
