"""linalg's ops on buffers as loops, for a run: what `-convert-linalg-to-loops` makes of them on the host.

`linalg.generic` and the named ops of `_NAMED`; an op on tensors, of mixed element types or with maps of its
own stays. Ops inside kernels stay, too: a thread would do all of the work, which a schedule divides.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, cast

from xdsl.dialects.builtin import AffineMapAttr, IndexType, IntegerAttr, MemRefType
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineMap,
)

from gpuasync_lsp.lowering.passes.kernels.names import op_class
from gpuasync_lsp.lowering.passes.kernels.reduce import operation_of
from gpuasync_lsp.syntax.dialects import arith, gpu, linalg, memref, scf

_INDEX = IndexType()

Emit = Callable[["_Inside", Sequence[SSAValue]], list[SSAValue] | None]
"""Makes the ops of one element from the operands' elements; gives those to store, or None."""


def linalg_to_loops(module: Operation) -> None:
    """Turn what can be of the host part of `module` into loops, in place; the rest stays."""
    for op in list(module.walk()):
        if op.name.startswith("linalg.") and op.parent is not None and not _in_kernel(op):
            form = _form(op)
            if form is not None:
                _expand(op, *form)


def _in_kernel(op: Operation) -> bool:
    above = op.parent_op()
    while above is not None and not isinstance(above, gpu.LaunchOp | gpu.GPUModuleOp):
        above = above.parent_op()
    return above is not None


@dataclass
class _Inside:
    """Adds ops to a block, with the location of the op that they stand for."""

    source: Operation
    block: Block
    before: Operation | None = None
    counters: tuple[SSAValue, ...] = ()

    def add(self, op: Operation) -> SSAValue:
        op.location = self.source.location
        if self.before is None:
            self.block.add_op(op)
        else:
            self.block.insert_op_before(op, self.before)
        return op.results[0] if op.results else cast(SSAValue, None)

    def index(self, value: int) -> SSAValue:
        return self.add(arith.ConstantOp(IntegerAttr(value, _INDEX)))

    def apply(self, name: str, *operands: SSAValue) -> SSAValue:
        return self.add(op_class(name).create(operands=operands, result_types=[operands[0].type]))

    def place(self, expr: Any) -> SSAValue:
        if isinstance(expr, AffineDimExpr):
            return self.counters[expr.position]
        if isinstance(expr, AffineConstantExpr):
            return self.index(expr.value)
        name = "arith.addi" if expr.kind is AffineBinaryOpKind.Add else "arith.muli"
        return self.apply(name, self.place(expr.lhs), self.place(expr.rhs))


def _form(op: Operation) -> tuple[Sequence[AffineMap], int, Emit] | None:
    """Return the maps of the operands, how many loops there are, and what is done in them."""
    if any(_is_tensor(value.type) for value in (*op.operands, *op.results)):
        return None
    if isinstance(op, linalg.GenericOp):
        maps = [cast(AffineMapAttr, each).data for each in op.indexing_maps.data]
        body = op.regions[0].blocks[0] if op.regions and op.regions[0].blocks else None
        if body is None or len(maps) != len(op.operands) or not all(map(_simple, maps)):
            return None
        end = body.last_op
        if len(body.args) != len(maps) or not isinstance(end, linalg.YieldOp):
            return None
        if len(end.operands) != len(op.outputs) or [len(m.results) for m in maps] != list(
            map(_rank, op.operands)
        ):
            return None
        return maps, len(op.iterator_types.data), _body(body)
    named = _NAMED.get(op.name.removeprefix("linalg."))
    if named is None or not op.operands or set(op.properties) != {"operandSegmentSizes"} or op.attributes:
        return None
    *_, target = op.operands
    if target.type.name != MemRefType.name or len({_element(value) for value in op.operands}) != 1:
        return None
    shape, emit = named
    if isinstance(shape, str):
        *sources, result = [list(part) for part in shape.split(",")]
        letters = sorted({letter for part in (*sources, result) for letter in part})
        order = [letter for letter in "bmnk" if letter in letters]
        maps = [
            AffineMap(len(order), 0, tuple(AffineDimExpr(order.index(letter)) for letter in part))
            for part in (*sources, result)
        ]
        ranks = [len(part) for part in (*sources, result)]
        if [_rank(value) for value in op.operands] != ranks:
            return None
        return maps, len(order), emit
    rank = _rank(target)
    identity = AffineMap.identity(rank)
    if len(op.operands) != shape + 1 or any(_rank(value) not in (0, rank) for value in op.operands):
        return None
    scalar = AffineMap(rank, 0, ())
    return [identity if _rank(value) == rank else scalar for value in op.operands], rank, emit


def _expand(op: Operation, maps: Sequence[AffineMap], loops: int, emit: Emit) -> None:
    block = op.parent
    assert block is not None
    inside = _Inside(op, block, op)
    extents = [_extent(op, maps, number, inside) for number in range(loops)]
    if any(extent is None for extent in extents):
        return
    zero, one = inside.index(0), inside.index(1)
    counters: list[SSAValue] = []
    opened: list[_Inside] = []
    for extent in extents:
        body = Block(arg_types=[_INDEX])
        inside.add(scf.ForOp.create(operands=[zero, cast(SSAValue, extent), one], regions=[Region(body)]))
        counters.append(body.args[0])
        inside = _Inside(op, body)
        opened.append(inside)
    inside.counters = tuple(counters)
    places = [[inside.place(expr) for expr in each.results] for each in maps]
    elements = [
        inside.add(memref.LoadOp.create(operands=[value, *place], result_types=[_element(value)]))
        if value.type.name == MemRefType.name
        else value
        for value, place in zip(op.operands, places, strict=True)
    ]
    given = emit(inside, elements)
    assert given is not None, "the form was looked at before"
    count = len(given)
    for value, target, place in zip(given, op.operands[-count:], places[-count:], strict=True):
        inside.add(memref.StoreOp.create(operands=[value, target, *place]))
    for each in opened:
        each.add(scf.YieldOp.create())
    op.detach()
    op.erase()


def _extent(op: Operation, maps: Sequence[AffineMap], number: int, inside: _Inside) -> SSAValue | None:
    for value, each in zip(op.operands, maps, strict=True):
        for at, expr in enumerate(each.results):
            if isinstance(expr, AffineDimExpr) and expr.position == number:
                dim = memref.DimOp.create(operands=[value, inside.index(at)], result_types=[_INDEX])
                return inside.add(dim)
    return None


def _body(body: Block) -> Emit:
    def emit(inside: _Inside, elements: Sequence[SSAValue]) -> list[SSAValue]:
        values: dict[SSAValue, SSAValue] = dict(zip(body.args, elements, strict=True))
        for op in body.ops:
            if isinstance(op, linalg.YieldOp):
                return [values.get(value, value) for value in op.values]
            if isinstance(op, linalg.IndexOp):
                values[op.result] = inside.counters[op.dim.value.data]
                continue
            copy = op.clone(values)
            location = op.location
            inside.add(copy)
            copy.location = location
        raise AssertionError("the body ends with linalg.yield")

    return emit


def _first(inside: _Inside, elements: Sequence[SSAValue]) -> list[SSAValue]:
    return [elements[0]]


def _folded(kind: str) -> Emit:
    def emit(inside: _Inside, elements: Sequence[SSAValue]) -> list[SSAValue]:
        return [inside.apply(str(operation_of(kind, elements[0].type)), elements[0], elements[1])]

    return emit


def _chosen(floats: str, integers: str) -> Emit:
    def emit(inside: _Inside, elements: Sequence[SSAValue]) -> list[SSAValue]:
        name = integers if elements[0].type.name.startswith(("integer_type", "index")) else floats
        return [inside.apply(name, *elements[:2])]

    return emit


def _product(inside: _Inside, elements: Sequence[SSAValue]) -> list[SSAValue]:
    left, right, sum_ = elements
    product = inside.apply(str(operation_of("mul", left.type)), left, right)
    return [inside.apply(str(operation_of("add", left.type)), sum_, product)]


_NAMED: dict[str, tuple[int | str, Emit]] = {
    "fill": (1, _first),
    "copy": (1, _first),
    "add": (2, _folded("add")),
    "mul": (2, _folded("mul")),
    "sub": (2, _chosen("arith.subf", "arith.subi")),
    "div": (2, _chosen("arith.divf", "arith.divsi")),
    "max": (2, _chosen("arith.maximumf", "arith.maxsi")),
    "min": (2, _chosen("arith.minimumf", "arith.minsi")),
    "dot": ("k,k,", _product),
    "matvec": ("mk,k,m", _product),
    "vecmat": ("k,kn,n", _product),
    "matmul": ("mk,kn,mn", _product),
    "batch_matmul": ("bmk,bkn,bmn", _product),
}
"""Number of sources of an op by elements, or the letters of the loops of each operand; what is done."""


def _simple(each: AffineMap) -> bool:
    def simple(expr: Any) -> bool:
        if isinstance(expr, AffineBinaryOpExpr):
            sums = expr.kind in (AffineBinaryOpKind.Add, AffineBinaryOpKind.Mul)
            return sums and simple(expr.lhs) and simple(expr.rhs)
        return isinstance(expr, AffineDimExpr | AffineConstantExpr)

    return all(map(simple, each.results))


def _is_tensor(type: Attribute) -> bool:
    return type.name in ("tensor", "unranked_tensor")


def _rank(value: SSAValue) -> int:
    type: Any = value.type
    return len(type.get_shape()) if type.name == MemRefType.name else 0


def _element(value: SSAValue) -> Attribute:
    type: Any = value.type
    return type.element_type if type.name == MemRefType.name else type


__all__: Sequence[str] = ["linalg_to_loops"]
