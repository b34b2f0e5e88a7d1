"""Predicates on several operands and results of an op: equal types, shapes and elements.

Three-valued like `predicates.py`: `None` means "unknown", and callers then report nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.dialects.builtin import (
    UnrankedTensorType,
    UnregisteredAttr,
)
from xdsl.ir import Attribute, Operation, SSAValue

from gpuasync_lsp.syntax.block_types import block_of
from gpuasync_lsp.syntax.kinds import is_ranked, is_unranked, is_vector
from gpuasync_lsp.syntax.ods.predicates import Truth, holds, shape_of
from gpuasync_lsp.syntax.ods.table import Predicate
from gpuasync_lsp.syntax.opaque import UnknownType

Groups = Mapping[str, Sequence[SSAValue]]


def op_holds(predicate: Predicate, op: Operation, operands: Groups, results: Groups) -> Truth:
    """Return whether `op` satisfies `predicate`; `operands` and `results` are its values by name."""
    kind, *arguments = predicate
    match kind:
        case "true":
            return True
        case "and" | "or":
            found = [op_holds(each, op, operands, results) for each in arguments]
            ends = kind == "or"
            return ends if ends in found else None if None in found else not ends
        case "not":
            inner = op_holds(arguments[0], op, operands, results)
            return None if inner is None else not inner
        case "on":
            type = named_type(arguments[0], op, operands, results)
            return None if type is None else holds(arguments[1], type)
        case "inside":
            return _is_inside(op, arguments[0])
        case "alike":
            types = [named_type(name, op, operands, results) for name in arguments[1:]]
            known = [each for each in types if each is not None]
            return alike(arguments[0], known) if len(known) == len(types) else None
        case _:
            return None


_FUNCTIONS = frozenset({"func.func", "gpu.func", "llvm.func", "spirv.func", "async.func", "emitc.func"})
_MODULES = frozenset({"builtin.module", "gpu.module", "spirv.module"})


def _is_inside(op: Operation, what: str) -> Truth:
    """Return whether `op` is in a function, or directly in a module; None if an enclosing op is unknown."""
    parent = op.parent_op()
    if what == "module":
        # An op without a parent is treated as inside a module.
        return parent is None or parent.name in _MODULES or (None if _may_be_any(parent) else False)
    while parent is not None and parent.name not in _MODULES:
        if parent.name in _FUNCTIONS:
            return True
        if _may_be_any(parent):
            return None
        parent = parent.parent_op()
    return False


def _may_be_any(op: Operation) -> bool:
    return op.dialect_name() not in ("scf", "cf", "affine", "func", "gpu", "llvm", "spirv")


def named_type(name: str, op: Operation, operands: Groups, results: Groups) -> Attribute | None:
    """Return the type of the value `name` (`#o0` is the first operand); None unless it is a single value."""
    if name[:1] == "#":
        values: Sequence[SSAValue] = op.operands if name[1] == "o" else op.results
        at = int(name[2:])
        return values[at].type if at < len(values) else None
    found = operands.get(name) or results.get(name) or ()
    return found[0].type if len(found) == 1 else None


def alike(kind: str, types: Sequence[Attribute]) -> Truth:
    """Return whether all `types` have an equal property `kind`: `element`, `shape`, `rank`, `count` or
    `type`."""
    if any(isinstance(type, UnknownType) for type in types):
        return None
    match kind:
        case "type":
            return len(set(types)) == 1
        case "element":
            elements = [element(type) for type in types]
            return None if None in elements else len(set(elements)) == 1
        case "tensor-shape":
            if any(_is_of_dialect(type) or isinstance(type, UnrankedTensorType) for type in types):
                return None
            return len({(shape_of(type) if type.name == "tensor" else ()) for type in types}) == 1
        case "shape" | "rank" | "count":
            shapes = [_shape(type) for type in types]
            known = [shape for shape in shapes if shape is not None]
            if len(known) < len(shapes):
                return None
            if kind == "shape":
                return len(set(known)) == 1
            if kind == "rank":
                return len({len(shape) for shape in known}) == 1
            counts = [count(shape) for shape in known]
            return None if None in counts else len(set(counts)) == 1
        case _:
            return None


def element(type: Attribute) -> Attribute | None:
    """Return the element type, or `type` if it has none; None if unknown, e.g. for a dialect's type."""
    if is_ranked(type) or is_unranked(type):
        return type.element_type
    if (block := block_of(type)) is not None:
        return block[1]
    return type if type.name.startswith("llvm.") or not _is_of_dialect(type) else None


def _shape(type: Attribute) -> tuple[int, ...] | None:
    block = block_of(type)
    return shape_of(type) if block is None else block[0]


def count(shape: Sequence[int]) -> int | None:
    """Return the number of elements; None if a size is dynamic."""
    number = 1
    for size in shape:
        if size < 0:
            return None
        number *= size
    return number


def same_shapes(types: Sequence[Attribute]) -> bool:
    """Return whether all types have compatible shapes, or none has a shape; dialect types are ignored."""
    known = [type for type in types if not _is_of_dialect(type)]
    shaped: list[Attribute] = [type for type in known if is_ranked(type) or is_unranked(type)]
    if not shaped:
        return True
    if len(shaped) < len(known):
        return False
    vectors = [type for type in shaped if is_vector(type)]
    if len({any(bool(each) for each in type.get_scalable_dims()) for type in vectors}) > 1:
        return False
    shapes = [shape for type in shaped if (shape := shape_of(type)) is not None]
    if len({len(shape) for shape in shapes}) > 1:
        return False
    return all(len({size for size in sizes if size >= 0}) <= 1 for sizes in zip(*shapes, strict=True))


def _is_of_dialect(type: Attribute) -> bool:
    return isinstance(type, (UnregisteredAttr, UnknownType)) or (
        "." in type.name and not type.name.startswith("builtin.")
    )
