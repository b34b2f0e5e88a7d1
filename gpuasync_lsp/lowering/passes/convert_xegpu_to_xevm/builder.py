"""A builder that creates ops of arith, vector, memref and xevm by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.dialects.builtin import DenseArrayBase, VectorType, i64
from xdsl.ir import Attribute, Operation, Region, SSAValue

from gpuasync_lsp.lowering.conversion.insertion import Insertion
from gpuasync_lsp.lowering.passes.kernels.names import op_class
from gpuasync_lsp.syntax.dialects import arith
from gpuasync_lsp.syntax.kinds import number_attr, vector_type


class Builder:
    """Inserts ops at the insertion point of `insertion`."""

    def __init__(self, insertion: Insertion) -> None:
        self.insertion = insertion

    def op(
        self,
        name: str,
        operands: Sequence[SSAValue],
        results: Sequence[Attribute] = (),
        properties: Mapping[str, Attribute] | None = None,
        regions: Sequence[Region] = (),
    ) -> Operation:
        """Insert the op `name` and return it."""
        new = op_class(name).create(
            operands=operands, result_types=results, properties=dict(properties or {}), regions=regions
        )
        return self.insertion.add(new)

    def one(
        self,
        name: str,
        operands: Sequence[SSAValue],
        result: Attribute,
        properties: Mapping[str, Attribute] | None = None,
    ) -> SSAValue:
        """Insert the op `name` and return its result."""
        return self.op(name, operands, [result], properties).results[0]

    def constant(self, value: int, type: Attribute) -> SSAValue:
        """Insert `arith.constant value : type`."""
        return self.attribute(number_attr(value, type), type)

    def attribute(self, value: Attribute, type: Attribute) -> SSAValue:
        """Insert `arith.constant` with an attribute."""
        return self.insertion.create(arith.ConstantOp, [], type, {"value": value})

    def binary(self, name: str, left: SSAValue, right: SSAValue) -> SSAValue:
        """Insert an arith op on two integers."""
        return self.one(f"arith.{name}", [left, right], left.type)

    def displaced(self, base: SSAValue, offset: SSAValue, size: int) -> SSAValue:
        """Insert arith ops that compute `base + offset * size`."""
        return self.binary("addi", base, self.binary("muli", offset, self.constant(size, base.type)))

    def extract(self, vector: SSAValue, *position: int) -> SSAValue:
        """Insert `vector.extract` of one element."""
        element: Attribute = vector_type(vector.type).element_type
        properties = {"static_position": DenseArrayBase.from_list(i64, position)}
        return self.one("vector.extract", [vector], element, properties)

    def insert(self, value: SSAValue, vector: SSAValue, position: int) -> SSAValue:
        """Insert `vector.insert` of one element."""
        properties = {"static_position": DenseArrayBase.from_list(i64, [position])}
        return self.one("vector.insert", [value, vector], vector.type, properties)

    def bitcast(self, vector: SSAValue, element: Attribute, count: int) -> SSAValue:
        """Insert `vector.bitcast` to a vector of `count` elements of `type`."""
        return self.one("vector.bitcast", [vector], VectorType(element, (count,)))

    def as_type(self, vector: SSAValue, type: VectorType[Attribute]) -> SSAValue:
        """Insert `vector.bitcast` to `type` unless `vector` has that type."""
        return vector if vector.type == type else self.one("vector.bitcast", [vector], type)
