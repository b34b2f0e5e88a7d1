"""MLIR's `vector` dialect: vectors of fixed and scalable size, and their memory accesses.

The ops are those of LLVM 22, and earlier releases' `vector.splat`, `vector.extractelement` and
`insertelement`.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from math import prod
from typing import ClassVar

from xdsl.dialects.builtin import (
    AffineMapAttr,
    ArrayAttr,
    BoolAttr,
    VectorType,
    i1,
)
from xdsl.ir import Attribute
from xdsl.ir.affine import AffineDimExpr, AffineMap
from xdsl.irdl import (
    opt_prop_def,
    region_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer

from gpuasync_lsp.releases import profile
from gpuasync_lsp.syntax.dialects.arith import NO_FASTMATH, FastMathFlagsAttr
from gpuasync_lsp.syntax.dialects.assembly import (
    Attributes,
    integers,
    parse_mixed_list,
    print_attributes,
    print_mixed_list,
    raise_error,
    resolve_mixed_list,
)
from gpuasync_lsp.syntax.dialects.llvm_attributes import keyword_attr
from gpuasync_lsp.syntax.kinds import as_vector, memref_type, scalable
from gpuasync_lsp.syntax.ods.by_table import TableOp, from_table, table_op_definition
from gpuasync_lsp.syntax.ods.parts import Parts

CombiningKindAttr = keyword_attr("vector.kind")
"""The combining kind of a reduction."""
IteratorTypeAttr = keyword_attr("vector.iterator_type")
"""An iterator type; `vector.contract` spells it as a quoted keyword."""
PrintPunctuationAttr = keyword_attr("vector.punctuation")
ADD = CombiningKindAttr("add")
NEWLINE = PrintPunctuationAttr("newline")


def _shaped(element_type: Attribute, shape: Sequence[int], scales: Sequence[bool]) -> Attribute:
    return VectorType(element_type, shape, ArrayAttr([BoolAttr.from_bool(each) for each in scales]))


def _vector_read(parser: Parser, name: str, types: Sequence[Attribute]) -> VectorType[Attribute]:
    """Return the first of `types` as a vector; raises a ParseError for the op `name` if it is not one."""
    vector = as_vector(types[0]) if types else None
    return vector or raise_error(parser, name, "invalid kind of type specified: expected builtin.vector")


# Shapes and elements


BroadcastOp = from_table("vector.broadcast", TableOp)


@table_op_definition
class BitCastOp(TableOp):
    name = "vector.bitcast"


SplatOp = from_table("vector.splat", TableOp)


@table_op_definition
class ExtractOp(TableOp):
    """`vector.extract %v[%i, 1] : f32 from vector<4x8xf32>`; in LLVM 16, 17 `%v[0, 1] : vector<4x8xf32>`."""

    name = "vector.extract"

    @classmethod
    def parse(cls, parser: Parser) -> ExtractOp:
        name = parser.parse_unresolved_operand()
        position, static = resolve_mixed_list(parser, parse_mixed_list(parser))
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        first = parser.parse_type()
        if parser.parse_optional_keyword("from") is not None:
            result, source = first, parser.parse_type()
        else:
            result, source = _part(first, len(integers(static))), first
        return cls.create(
            operands=[parser.resolve_operand(name, source), *position],
            result_types=[result],
            properties={"static_position": static},
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        llvm: int | None = getattr(printer, "llvm", None)
        if llvm is None or profile(llvm).extract_names_source_type:
            super().print(printer)
            return
        printer.print_string(" ")
        printer.print_ssa_value(self.source)
        print_mixed_list(printer, self.dynamic_position, self.static_position)
        print_attributes(printer, self, ("static_position",))
        printer.print_string(" : ")
        printer.print_attribute(self.source.type)


def _part(type: Attribute, depth: int) -> Attribute:
    """Return the type of the element or subvector that `depth` indices select."""
    vector = as_vector(type)
    if vector is None:
        return type
    shape, scales = vector.get_shape()[depth:], scalable(vector)[depth:]
    return _shaped(vector.element_type, shape, scales) if shape else vector.element_type


@table_op_definition
class InsertOp(TableOp):
    """`vector.insert %x, %v[%i, 1] : f32 into vector<4x8xf32>`."""

    name = "vector.insert"


@table_op_definition
class ExtractElementOp(TableOp):
    """`vector.extractelement`, through LLVM 21; LLVM 22 replaced it with vector.extract."""

    name = "vector.extractelement"


@table_op_definition
class InsertElementOp(TableOp):
    """`vector.insertelement`, through LLVM 21; LLVM 22 replaced it with vector.insert."""

    name = "vector.insertelement"


@table_op_definition
class FromElementsOp(TableOp):
    name = "vector.from_elements"

    @classmethod
    def complete(cls, parser: Parser, parts: Parts) -> None:
        vector = _vector_read(parser, cls.name, parts.types["dest"])
        parts.types["elements"] = [vector.element_type] * len(parts.names["elements"])


@table_op_definition
class ToElementsOp(TableOp):
    """`vector.to_elements %v : vector<4xf32>`: one result per element."""

    name = "vector.to_elements"

    @classmethod
    def complete(cls, parser: Parser, parts: Parts) -> None:
        vector = _vector_read(parser, cls.name, parts.types["source"])
        parts.all_result_types = [vector.element_type] * prod(vector.get_shape())


@table_op_definition
class TransposeOp(TableOp):
    name = "vector.transpose"


@table_op_definition
class ShuffleOp(TableOp):
    """`vector.shuffle %a, %b [0, 4] : vector<4xf32>, vector<4xf32>`.

    The result has one leading element per mask entry."""

    name = "vector.shuffle"

    @classmethod
    def complete(cls, parser: Parser, parts: Parts) -> None:
        first = _vector_read(parser, cls.name, parts.all_operand_types or [])
        shape = [len(integers(parts.properties["mask"])), *first.get_shape()[1:]]
        scales = [False, *scalable(first)[1:]]
        parts.all_result_types = [_shaped(first.element_type, shape, scales)]


# Masks and sizes


@table_op_definition
class StepOp(TableOp):
    name = "vector.step"


@table_op_definition
class VectorScaleOp(TableOp):
    name = "vector.vscale"


@table_op_definition
class YieldOp(TableOp):
    name = "vector.yield"


@table_op_definition
class MaskOp(TableOp):
    """`vector.mask %mask, %passthru { op } : vector<4xi1> -> f32`: masks the op inside."""

    name = "vector.mask"

    mask_region = region_def("single_block")

    @classmethod
    def complete(cls, parser: Parser, parts: Parts) -> None:
        parts.types["passthru"] = parts.types["results"][: len(parts.names.get("passthru", ()))]


# Arithmetic


@table_op_definition
class FMAOp(TableOp):
    name = "vector.fma"


@table_op_definition
class ReductionOp(TableOp):
    name = "vector.reduction"

    fastmath = opt_prop_def(FastMathFlagsAttr, default_value=NO_FASTMATH)


@table_op_definition
class OuterProductOp(TableOp):
    """`vector.outerproduct %a, %b, %acc {kind = #vector.kind<add>} : vector<4xf32>, vector<8xf32>`.

    The result is a vector<4x8xf32>."""

    name = "vector.outerproduct"

    @classmethod
    def complete(cls, parser: Parser, parts: Parts) -> None:
        left, right = (as_vector(parts.types[name][0]) for name in ("lhs", "rhs"))
        if left is None:
            raise_error(parser, cls.name, "expected vector type for operand #1")
        result: Attribute = left
        if right is not None:
            shape = [left.get_shape()[0], right.get_shape()[0]]
            result = _shaped(left.element_type, shape, [scalable(left)[0], scalable(right)[0]])
        parts.types["acc"] = [result] * len(parts.names.get("acc", ()))
        parts.all_result_types = [result]
        parts.properties.setdefault("kind", ADD)

    def left_out(self) -> Attributes:
        """Return the default kind, which the printer omits if there is no accumulator."""
        return {"kind": ADD} if self.acc is None else {}


@table_op_definition
class ContractionOp(TableOp):
    """`vector.contract {indexing_maps = [...], iterator_types = ["parallel"], kind = ...} %a, %b, %acc :
    A, B into C`."""

    name = "vector.contract"

    @classmethod
    def complete(cls, parser: Parser, parts: Parts) -> None:
        parts.types["acc"] = parts.all_result_types or []
        parts.properties.setdefault("kind", ADD)


# Memory


_FALSE = BoolAttr.from_bool(False)


@table_op_definition
class LoadOp(TableOp):
    name = "vector.load"

    nontemporal = opt_prop_def(BoolAttr, default_value=_FALSE)


@table_op_definition
class StoreOp(TableOp):
    name = "vector.store"

    nontemporal = opt_prop_def(BoolAttr, default_value=_FALSE)


@table_op_definition
class MaskedLoadOp(TableOp):
    name = "vector.maskedload"


@table_op_definition
class MaskedStoreOp(TableOp):
    name = "vector.maskedstore"


@table_op_definition
class GatherOp(TableOp):
    """A gather: scalar `offsets` select where in memory the vector of `indices` begins."""

    name = "vector.gather"


@table_op_definition
class ScatterOp(TableOp):
    """A scatter to a memref or, since LLVM 22, to a tensor; the updated tensor is the result."""

    name = "vector.scatter"


class _TransferOp(TableOp, ABC):
    """A transfer between a vector and a memref or tensor; an affine map relates their dimensions."""

    VECTOR: ClassVar[str]
    """The name of the vector operand or result."""

    @classmethod
    def complete(cls, parser: Parser, parts: Parts) -> None:
        (shaped,), (vector,) = parts.types["base"], parts.types[cls.VECTOR]
        cls.check_map(parser, shaped, vector, parts.properties)
        mapping = parts.properties.get("permutation_map")
        parts.properties = cls.defaults(shaped, vector, mapping) | parts.properties
        mapping, found = parts.properties.get("permutation_map"), as_vector(vector)
        if parts.names.get("mask") and found is not None and isinstance(mapping, AffineMapAttr):
            # The mask has the sizes of the vector in the dimension order of the memory.
            parts.types["mask"] = [mask_type(found, mapping.data)]
        parts.types["padding"] = [getattr(shaped, "element_type", shaped)]
        parts.types.setdefault("result", [] if shaped.name == "memref" else [shaped])

    @classmethod
    def defaults(cls, shaped: Attribute, vector: Attribute, mapping: Attribute | None) -> Attributes:
        """Return the default map and `in_bounds` for the given types; the text may omit them."""
        found = as_vector(vector)
        if found is None:
            return {}
        inner = as_vector(getattr(shaped, "element_type", NEWLINE))
        results = len(found.get_shape()) - (len(inner.get_shape()) if inner is not None else 0)
        rank = len(shaped.get_shape()) if hasattr(shaped, "get_shape") else results  # pyright: ignore
        is_scalar = rank == 0 and found.get_shape() == (1,)
        if results > rank and isinstance(mapping, AffineMapAttr):
            return {"in_bounds": ArrayAttr([_FALSE] * len(mapping.data.results))}
        minor = AffineMapAttr(
            AffineMap.constant_map(0) if is_scalar else AffineMap.minor_identity(rank, results)
        )
        used = mapping if isinstance(mapping, AffineMapAttr) else minor
        bounds = ArrayAttr([_FALSE] * len(used.data.results))
        return {"permutation_map": minor, "in_bounds": bounds}

    @classmethod
    def check_map(cls, parser: Parser, shaped: Attribute, vector: Attribute, properties: Attributes) -> None:
        """Raise a ParseError if a vector has a higher rank than the memory but no explicit map."""
        found = as_vector(vector)
        if "permutation_map" in properties or found is None or shaped.name not in ("memref", "tensor"):
            return
        memory = memref_type(shaped)
        inner = as_vector(memory.element_type)
        results = len(found.get_shape()) - (len(inner.get_shape()) if inner is not None else 0)
        rank = len(memory.get_shape())
        if results > rank and not (rank == 0 and tuple(found.get_shape()) == (1,)):
            words = "expected a custom permutation_map when rank(source) != rank(destination)"
            raise_error(parser, cls.name, words)

    def left_out(self) -> Attributes:
        """Return the map and `in_bounds` that the types imply, which the printer omits."""
        vector = self.results[0] if self.VECTOR == "vector" else self.operands[0]
        shaped = self.operands[0 if self.VECTOR == "vector" else 1]
        return self.defaults(shaped.type, vector.type, self.permutation_map)


def mask_type(vector: VectorType[Attribute], mapping: AffineMap) -> Attribute:
    """Return the mask type of a transfer: one bit per transferred element."""
    order = sorted(
        (result.position, place)
        for place, result in enumerate(mapping.results)
        if isinstance(result, AffineDimExpr)
    )
    shape, scales = vector.get_shape(), scalable(vector)
    places = [place for _, place in order]
    return _shaped(i1, [shape[at] for at in places] or [1], [scales[at] for at in places] or [False])


@table_op_definition
class TransferReadOp(_TransferOp):
    """`vector.transfer_read %m[%i, %j], %padding, %mask {in_bounds = [true]} : memref<?x8xf32>,
    vector<8xf32>`."""

    name = "vector.transfer_read"

    VECTOR: ClassVar = "vector"


@table_op_definition
class TransferWriteOp(_TransferOp):
    """`vector.transfer_write %v, %m[%i, %j], %mask {in_bounds = [true]} : vector<8xf32>, memref<?x8xf32>`."""

    name = "vector.transfer_write"

    VECTOR: ClassVar = "valueToStore"


@table_op_definition
class PrintOp(TableOp):
    """`vector.print %v : vector<4xf32> punctuation <comma>`, `str "text"`, or only punctuation."""

    name = "vector.print"

    punctuation = opt_prop_def(PrintPunctuationAttr, default_value=NEWLINE)
