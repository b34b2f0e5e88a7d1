"""The builder for patterns of `convert-vector-to-scf`, and ops that several patterns create."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects.builtin import AffineMapAttr, ArrayAttr, BoolAttr, IndexType, VectorType
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr, AffineExpr, AffineMap

from gpuasync_lsp.lowering.conversion.affine_maps import canonical, composed, simplified
from gpuasync_lsp.lowering.conversion.edits import NewOpT
from gpuasync_lsp.lowering.conversion.folders.constants import integer
from gpuasync_lsp.lowering.conversion.insertion import Inserter
from gpuasync_lsp.lowering.conversion.worklist import Rewriter
from gpuasync_lsp.releases import Profile
from gpuasync_lsp.syntax.dialects import affine, memref, scf, vector
from gpuasync_lsp.syntax.dialects.assembly import i32_array, i64_array
from gpuasync_lsp.syntax.kinds import element_type, vector_type

INDEX = IndexType()
DYNAMIC = -(2**63)
"""The marker for a dynamic index in a static position."""

AnyVector = VectorType[Attribute]
Transfer = vector.TransferReadOp | vector.TransferWriteOp


class Builder(Inserter):
    """Inserts ops into a block, before an op or at its end, with the location of the op that they replace.

    As in MLIR, the driver is notified only of ops that are inserted into the program directly; it
    visits the body of a new loop in its next iteration."""

    def __init__(self, rewriter: Rewriter, source: Operation, block: Block | None = None) -> None:
        self.rewriter = rewriter
        self.source = source
        self._block = block

    @property
    def profile(self) -> Profile:
        return self.rewriter.profile

    def add(self, op: NewOpT) -> NewOpT:
        """Insert `op` and return it."""
        if self._block is None:
            return self.rewriter.insert(op, self.source)
        op.location = self.source.location
        self._block.add_op(op)
        return op

    def inside(self, block: Block) -> Builder:
        """Return a builder for a block of an op that is not inserted yet."""
        return Builder(self.rewriter, self.source, block)

    def index(self, number: int) -> SSAValue:
        """Insert an index constant."""
        return self.value(integer(number, INDEX))

    def sum(self, base: SSAValue, offset: SSAValue) -> SSAValue:
        """Insert an affine.apply for `base + offset`, composed with those that define the two values."""
        expr = AffineExpr.dimension(0) + AffineExpr.dimension(1)
        map, operands = canonical(*composed(AffineMap(2, 0, (expr,)), [base, offset]), self.profile)
        properties = {"map": AffineMapAttr(simplified(map, self.profile))}
        return self.create(affine.ApplyOp, operands, INDEX, properties)

    def loop(
        self,
        end: int | SSAValue,
        carried: Sequence[SSAValue],
        fill: Callable[[Builder, SSAValue, Sequence[SSAValue]], SSAValue | None],
    ) -> scf.ForOp:
        """Insert a loop from 0 to `end`; `fill` builds its body and returns the value to yield."""
        bounds = [self.index(0), self.index(end) if isinstance(end, int) else end, self.index(1)]
        return self.for_each(bounds, carried, fill)

    def for_each(
        self,
        bounds: Sequence[SSAValue],
        carried: Sequence[SSAValue],
        fill: Callable[[Builder, SSAValue, Sequence[SSAValue]], SSAValue | None],
    ) -> scf.ForOp:
        """Insert a loop with these bounds and step."""
        body = Block(arg_types=[INDEX, *(value.type for value in carried)])
        inner = self.inside(body)
        yielded = fill(inner, body.args[0], body.args[1:])
        inner.add(yield_of(yielded if carried else None))
        op = scf.ForOp(bounds[0], bounds[1], bounds[2], carried, Region(body))
        self.add(op)
        return op

    def either(
        self,
        condition: SSAValue,
        type: Attribute | None,
        then: Callable[[Builder], SSAValue | None],
        otherwise: Callable[[Builder], SSAValue | None],
    ) -> SSAValue | None:
        """Insert an scf.if with both branches; return its result, or None if it has none."""
        regions: list[Region] = []
        for fill in (then, otherwise):
            block = Block()
            inner = self.inside(block)
            value = fill(inner)
            inner.add(yield_of(value if type is not None else None))
            regions.append(Region(block))
        types = [] if type is None else [type]
        op = self.add(scf.IfOp.create(operands=[condition], result_types=types, regions=regions))
        return op.results[0] if type is not None else None

    def repeat(self, value: SSAValue, type: Attribute) -> SSAValue:
        """Insert a vector whose elements are all `value`."""
        kind = vector.BroadcastOp if self.profile.repeats_by_broadcasts else vector.SplatOp
        return self.create(kind, [value], type)

    def element(self, of: SSAValue, at: SSAValue) -> SSAValue:
        """Insert an op that extracts an element of a one-dimensional vector."""
        type = vector_type(of.type).element_type
        if not self.profile.extracts_at_values:
            return self.create(vector.ExtractElementOp, [of, at], type)
        return self.value(extraction(of, [at], type))

    def with_element(self, value: SSAValue, into: SSAValue, at: SSAValue) -> SSAValue:
        """Insert an op that inserts an element into a one-dimensional vector."""
        if not self.profile.extracts_at_values:
            return self.create(vector.InsertElementOp, [value, into, at], into.type)
        return self.value(insertion(value, into, [at]))


def yield_of(value: SSAValue | None) -> Operation:
    """Create an scf.yield."""
    return scf.YieldOp.create(operands=[] if value is None else [value])


def extraction(of: SSAValue, position: Sequence[SSAValue | int], type: Attribute) -> Operation:
    """Create a vector.extract."""
    dynamic, static = _position(position)
    return vector.ExtractOp.create(operands=[of, *dynamic], result_types=[type], properties=static)


def insertion(value: SSAValue, into: SSAValue, position: Sequence[SSAValue | int]) -> Operation:
    """Create a vector.insert."""
    dynamic, static = _position(position)
    return vector.InsertOp.create(
        operands=[value, into, *dynamic], result_types=[into.type], properties=static
    )


def _position(position: Sequence[SSAValue | int]) -> tuple[list[SSAValue], dict[str, Attribute]]:
    dynamic = [each for each in position if isinstance(each, SSAValue)]
    static = i64_array([each if isinstance(each, int) else DYNAMIC for each in position])
    return dynamic, {"static_position": static}


def vector_of(op: Transfer) -> AnyVector:
    """Return the type of the vector that a transfer reads or writes."""
    value = op.vector if isinstance(op, vector.TransferReadOp) else op.value_to_store
    return vector_type(value.type)


def is_on_tensor(op: Transfer) -> bool:
    return op.base.type.name == "tensor"


def map_of(op: Transfer) -> AffineMap:
    return op.permutation_map.data


def is_repeated(op: Transfer, dimension: int = 0) -> bool:
    """Return whether the first dimension of the vector is repeated, which means that its map result is 0."""
    return isinstance(map_of(op).results[dimension], AffineConstantExpr)


def moved_dimension(op: Transfer) -> int | None:
    """Return the memory dimension of the vector's first dimension; None if it is repeated."""
    first = map_of(op).results[0]
    return first.position if isinstance(first, AffineDimExpr) else None


def bounds(known: Sequence[bool]) -> ArrayAttr[BoolAttr]:
    return ArrayAttr([BoolAttr.from_bool(each) for each in known])


def part_of(type: AnyVector) -> AnyVector:
    """Return a vector type without its first dimension."""
    scalable = ArrayAttr(list(type.scalable_dims)[1:])
    return VectorType(type.element_type, type.get_shape()[1:], scalable)


def starts_scalable(type: AnyVector) -> bool:
    return bool(next(iter(type.scalable_dims)).value.data)


def read(
    base: SSAValue,
    indices: Sequence[SSAValue],
    padding: SSAValue,
    type: Attribute,
    map: AffineMap,
    known: Sequence[bool],
    mask: SSAValue | None = None,
) -> vector.TransferReadOp:
    """Create a vector.transfer_read."""
    masks = [] if mask is None else [mask]
    return vector.TransferReadOp.create(
        operands=[base, *indices, padding, *masks],
        result_types=[type],
        properties={
            "permutation_map": AffineMapAttr(map),
            "in_bounds": bounds(known),
            "operandSegmentSizes": i32_array([1, len(indices), 1, len(masks)]),
        },
    )


def write(
    value: SSAValue,
    base: SSAValue,
    indices: Sequence[SSAValue],
    map: AffineMap,
    known: Sequence[bool],
    mask: SSAValue | None = None,
) -> vector.TransferWriteOp:
    """Create a vector.transfer_write; it has a result if it writes to a tensor."""
    masks = [] if mask is None else [mask]
    return vector.TransferWriteOp.create(
        operands=[value, base, *indices, *masks],
        result_types=[base.type] if base.type.name == "tensor" else [],
        properties={
            "permutation_map": AffineMapAttr(map),
            "in_bounds": bounds(known),
            "operandSegmentSizes": i32_array([1, 1, len(indices), len(masks)]),
        },
    )


def with_mask(op: Transfer, mask: SSAValue) -> None:
    """Add a mask to a transfer without one."""
    op.operands = [*op.operands, mask]
    sizes = [1, len(op.indices), 1] if isinstance(op, vector.TransferReadOp) else [1, 1, len(op.indices)]
    op.properties["operandSegmentSizes"] = i32_array([*sizes, 1])


def load(base: SSAValue, indices: Sequence[SSAValue]) -> Operation:
    """Create a memref.load."""
    return memref.LoadOp.create(operands=[base, *indices], result_types=[element_type(base.type)])


def store(value: SSAValue, base: SSAValue, indices: Sequence[SSAValue]) -> Operation:
    """Create a memref.store."""
    return memref.StoreOp.create(operands=[value, base, *indices])
