"""Access to single elements of vectors, for the expansions of vector ops."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import product
from typing import Any

from xdsl.dialects.builtin import DenseArrayBase, IndexType, IntegerAttr, VectorType, i1, i64
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from gpuasync_lsp.lowering.conversion.insertion import OpBuilder
from gpuasync_lsp.lowering.conversion.splats import splat
from gpuasync_lsp.lowering.passes.kernels.names import op_class
from gpuasync_lsp.syntax.dialects import arith, memref, scf, vector
from gpuasync_lsp.syntax.kinds import vector_type

MOST = 1024
"""The maximum number of elements of an expanded vector."""

MOST_PRODUCTS = 4096
"""The maximum number of products in a contraction: 16x16x16, the size of a tensor core tile."""

_SLT = 2

Index = tuple[int, ...]
Elements = Mapping[Index, SSAValue]

Results = list[SSAValue] | None
"""The values that replace an op's results; None if the op is not expanded."""


def shape_of(value: SSAValue) -> Index:
    if value.type.name != VectorType.name:
        return ()
    return tuple(vector_type(value.type).get_shape())


def indices_of(shape: Sequence[int]) -> list[Index]:
    return list(product(*(range(extent) for extent in shape)))


def element_type_of(type: Attribute) -> Attribute:
    return vector_type(type).element_type if type.name == VectorType.name else type


class Builder(OpBuilder):
    """Inserts ops before another op, or at the end of a block."""

    def __init__(self, op: Operation, block: Block | None = None) -> None:
        super().__init__(op, block)
        self._indices: dict[int, SSAValue] = {}

    def index(self, value: int) -> SSAValue:
        if value not in self._indices:
            constant = arith.ConstantOp(IntegerAttr(value, IndexType()))
            self._indices[value] = self.add(constant).results[0]
        return self._indices[value]

    def truth(self, value: bool) -> SSAValue:
        return self.add(arith.ConstantOp(IntegerAttr(int(value), i1))).results[0]

    def take(self, value: SSAValue, index: Index) -> SSAValue:
        """Return an element of a vector; a scalar is returned unchanged."""
        if value.type.name != VectorType.name:
            return value
        return self.create(
            vector.ExtractOp,
            [value],
            element_type_of(value.type),
            {"static_position": DenseArrayBase.from_list(i64, list(index))},
        )

    def elements(self, value: SSAValue) -> Elements:
        return {index: self.take(value, index) for index in indices_of(shape_of(value))}

    def vector(self, type: Attribute, elements: Elements) -> SSAValue:
        """Insert a vector of `elements`; return the single element if `type` is a scalar type."""
        if type.name != VectorType.name:
            return elements[()]
        shaped = vector_type(type)
        element = shaped.element_type
        blank = splat(shaped, 0 if element.name.startswith(("integer_type", "index")) else 0.0)
        result = self.add(arith.ConstantOp(blank)).results[0]
        for index, value in elements.items():
            result = self.create(
                vector.InsertOp,
                [value, result],
                type,
                {"static_position": DenseArrayBase.from_list(i64, list(index))},
            )
        return result

    def dimension(self, base: SSAValue, number: int) -> SSAValue:
        """Insert a memref.dim; return the size of a dimension."""
        return self.create(memref.DimOp, [base, self.index(number)], IndexType())

    def choose(self, condition: SSAValue, op: Operation, otherwise: SSAValue | None) -> Any:
        """Insert an scf.if that executes `op` if the condition is true; return its result, or `otherwise`."""
        types = [otherwise.type] if otherwise is not None else []
        op.location = self.source.location
        regions = [
            Region(Block([op, scf.YieldOp.create(operands=list(op.results))])),
            Region(Block([scf.YieldOp.create(operands=[otherwise])]) if otherwise is not None else []),
        ]
        made = self.add(scf.IfOp.create(operands=[condition], result_types=types, regions=regions))
        return made.results[0] if types else None

    def binary(self, name: str, left: SSAValue, right: SSAValue) -> SSAValue:
        return self.create(op_class(name), [left, right], left.type)

    def plus(self, value: SSAValue, by: int) -> SSAValue:
        return self.binary("arith.addi", value, self.index(by)) if by else value

    def widen(self, value: SSAValue, type: Attribute) -> SSAValue:
        """Extend an element to `type`, for example a factor of a contraction to the type of its sum."""
        if value.type == type:
            return value
        kind = arith.ExtSIOp if type.name == "integer_type" else arith.ExtFOp
        return self.create(kind, [value], type)

    def select(self, mask: SSAValue | None, at: Index, value: SSAValue, otherwise: SSAValue) -> SSAValue:
        """Return `value` if the mask's element at `at` is true or if there is no mask; else `otherwise`."""
        if mask is None:
            return value
        operands = [self.take(mask, at), value, otherwise]
        return self.create(arith.SelectOp, operands, value.type)

    def less(self, left: SSAValue, right: SSAValue) -> SSAValue:
        return self.create(arith.CmpiOp, [left, right], i1, {"predicate": IntegerAttr(_SLT, i64)})


Expansion = Callable[[Any, Builder], Results]
"""Expands an op of the name under which a table lists the expansion; the builder inserts before it."""
MaskedExpansion = Callable[[Any, Builder, SSAValue], Results]
"""Like `Expansion`, for an op under a mask."""
