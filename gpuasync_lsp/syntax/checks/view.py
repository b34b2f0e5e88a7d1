"""Access to an op for verifiers: operands, results and attributes by the names in its definition.

The interface is the same for handwritten classes and those created from the ODS tables. Absent or
unknown parts raise NotKnown; callers then report nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from math import prod
from typing import Any, NamedTuple

from xdsl.dialects.builtin import (
    AffineMapAttr,
    AnyFloat,
    MemRefType,
    NoneAttr,
    StringAttr,
    UnregisteredAttr,
    VectorType,
)
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.ir.affine import AffineMap
from xdsl.irdl import IRDLOperation

from gpuasync_lsp.releases import is_in
from gpuasync_lsp.syntax.dialects.assembly import integers
from gpuasync_lsp.syntax.kinds import (
    is_array,
    is_dense_array,
    is_dense_elements,
    is_integer,
    is_integer_attr,
    is_memref,
    is_ranked,
    is_vector,
    numbers_of,
)
from gpuasync_lsp.syntax.memref_types import strides_and_offset
from gpuasync_lsp.syntax.ods.grouping import SEGMENTS, groups
from gpuasync_lsp.syntax.ods.operation import OdsOperation, spelled_in
from gpuasync_lsp.syntax.ods.table import Variant, entry
from gpuasync_lsp.syntax.opaque import UnknownType
from gpuasync_lsp.syntax.printer import attribute_text
from gpuasync_lsp.text.cached_property import cached_property

_WORD = re.compile(r"[<\s]([\w.]+)>$")

First = dict[str, Callable[[Any], None]]
"""Maps the names of ops to functions that raise a VerifyException."""


class NotKnown(Exception):
    """Raised if a part of the op that a check needs is absent or unknown."""


class VerifierError(NamedTuple):
    """An error of MLIR's verifier for an op, and the releases that report it."""

    words: str
    since: int = 0
    bare: bool = False
    """Whether MLIR prints the message without the op's name."""
    at: Operation | None = None
    """The nested op at which MLIR reports the error; None for the op itself."""
    before: int = 0
    """The first release that no longer reports the error; 0 if all later ones do."""
    earlier: str = ""
    """The message of the releases before `since`."""

    def in_release(self, version: int) -> str | None:
        """Return the message of LLVM `version`; None if that release accepts the op."""
        if not is_in(version, self.since):
            return self.earlier or None
        return (self.words or None) if is_in(version, before=self.before) else None


class View:
    """Access to one op; every method raises NotKnown for a part that is unknown."""

    def __init__(self, op: Operation) -> None:
        self._op = op
        self.looked_beyond = False
        """Whether anything but types, attributes and counts was read: the error may depend on other ops."""

    @property
    def op(self) -> Operation:
        """The op; reading it sets `looked_beyond`."""
        self.looked_beyond = True
        return self._op

    @cached_property
    def _variant(self) -> tuple[Variant, Mapping[str, Sequence[SSAValue]], Mapping[str, Sequence[SSAValue]]]:
        found = entry(self._op.name)
        known = reversed(found.variants if found is not None else ())
        if isinstance(self._op, OdsOperation) and spelled_in(self._op) is not None:
            known = (self._op.variant,)  # The assembly determines the operand groups.
        for variant in known:
            operands = _by_class(self._op, variant) or groups(
                self._op, variant.operands, self._op.operands, SEGMENTS[0]
            )
            results = groups(self._op, variant.results, self._op.results, SEGMENTS[1])
            if operands is not None and results is not None:
                return variant, operands, results
        raise NotKnown

    def block(self, index: int = 0) -> Block:
        """Return the entry block of the region `index`."""
        self.looked_beyond = True
        regions = self._op.regions
        first = regions[index].first_block if index < len(regions) else None
        if first is None:
            raise NotKnown
        return first

    def has(self, name: str) -> bool:
        """Return whether the definition has an operand or attribute `name`."""
        variant, operands, _ = self._variant
        return name in operands or name in variant.attributes

    def constraint(self, name: str) -> str:
        """Return the summary of the constraint of the operand `name`."""
        return dict(self._variant[0].operands)[name].summary

    def count(self, name: str) -> int:
        """Return the number of values in the operand or result group `name`."""
        return len(self._values(name))

    def values(self, name: str) -> Sequence[SSAValue]:
        """Return the values in the operand or result group `name`."""
        self.looked_beyond = True
        return self._values(name)

    def _values(self, name: str) -> Sequence[SSAValue]:
        _, operands, results = self._variant
        found = operands.get(name, results.get(name))
        if found is None:
            raise NotKnown
        return found

    def types(self, name: str) -> list[Attribute]:
        """Return the types of the values in the group `name`."""
        found = [value.type for value in self._values(name)]
        if any(isinstance(type, UnknownType) for type in found):
            raise NotKnown
        return found

    def type(self, name: str) -> Attribute:
        """Return the type of the only value in the group `name`."""
        found = self.types(name)
        if len(found) != 1:
            raise NotKnown
        return found[0]

    def vector(self, name: str) -> VectorType[Attribute]:
        """Return the type of the only value in the group `name`, which must be a vector."""
        return as_vector(self.type(name))

    def attribute(self, name: str) -> Attribute | None:
        """Return the attribute `name`; None if the op has none."""
        found = self._op.properties.get(name)
        return self._op.attributes.get(name) if found is None else found

    def is_set(self, name: str) -> bool:
        """Return whether the boolean or unit attribute `name` is present and not false."""
        found = self.attribute(name)
        return found is not None and attribute_text(found) != "false"

    def integer(self, name: str) -> int:
        """Return the value of the integer attribute `name`."""
        found = self.attribute(name)
        if not is_integer_attr(found):
            raise NotKnown
        return found.value.data

    def text(self, name: str) -> str:
        """Return the value of the string attribute `name`."""
        found = self.attribute(name)
        if not isinstance(found, StringAttr):
            raise NotKnown
        return found.data

    def integers(self, name: str) -> tuple[int, ...]:
        """Return the integers in the array attribute `name`."""
        found = self.attribute(name)
        if is_dense_array(found):
            return tuple(int(each) for each in integers(found))
        numbers = [each.value.data for each in elements(found) if is_integer_attr(each)]
        if len(numbers) < len(elements(found)):
            raise NotKnown
        return tuple(numbers)

    def word(self, name: str) -> str | None:
        """Return the keyword of the enumeration attribute `name`; None if the op has no such attribute."""
        found = self.attribute(name)
        if found is None:
            return None
        if isinstance(found, StringAttr):
            return found.data
        if is_integer_attr(found):
            constraint = self._variant[0].attributes.get(name)
            number = found.value.data
            if constraint is None or number not in constraint.values:
                raise NotKnown
            return constraint.cases[constraint.values.index(number)]
        data = getattr(found, "data", None)
        if isinstance(data, str):  # This includes xDSL's enumerations.
            return str(data)
        match = _WORD.search(str(found) if isinstance(found, UnregisteredAttr) else attribute_text(found))
        if match is None:
            raise NotKnown
        return match[1]


Fault = str | VerifierError | None
"""A verifier's error, as a `VerifierError` or as its text after the op's name; None for a valid op."""

Checks = dict[str, Callable[[View], Fault]]
"""Verifiers by the name of the op."""


def _by_class(op: Operation, variant: Variant) -> Mapping[str, Sequence[SSAValue]] | None:
    """Return the operands by name for a class whose order differs from the definition's, otherwise None."""
    if not isinstance(op, IRDLOperation):
        return None
    ours = {name.replace("_", "").lower(): name for name, _ in type(op).get_irdl_definition().operands}
    theirs = {name.replace("_", "").lower(): name for name, _ in variant.operands}
    if list(ours) == list(theirs) or sorted(ours) != sorted(theirs):
        return None
    found: dict[str, Sequence[SSAValue]] = {}
    for label, name in theirs.items():
        value: SSAValue | Sequence[SSAValue] | None = getattr(op, ours[label])
        found[name] = () if value is None else (value,) if isinstance(value, SSAValue) else tuple(value)
    return found


def as_memref(type: Attribute) -> MemRefType[Attribute]:
    """Return `type` if it is a memref; raises NotKnown otherwise."""
    if not is_memref(type):
        raise NotKnown
    return type


def as_vector(type: Attribute) -> VectorType[Attribute]:
    """Return `type` if it is a vector; raises NotKnown otherwise."""
    if not is_vector(type):
        raise NotKnown
    return type


def vector_of(type: Attribute) -> VectorType[Attribute] | None:
    """Return `type` if it is a vector, else None."""
    return type if is_vector(type) else None


def elements(attribute: Attribute | None) -> Sequence[Attribute]:
    """Return the elements of an array attribute; raises NotKnown for any other."""
    if not is_array(attribute):
        raise NotKnown
    return attribute.data


_FEW = 64


def few_integers(attribute: Attribute | None) -> list[int]:
    """Return the elements of a short `dense<...>` of integers; raises NotKnown for any other.

    The type determines the length of a splat, which may not fit into memory.
    """
    if not is_dense_elements(attribute) or prod(attribute.type.get_shape()) > _FEW:
        raise NotKnown
    return numbers_of(attribute)


def bits(type: Attribute) -> int:
    """Return the bit width of an integer or float type; raises NotKnown for any other type."""
    if is_integer(type):
        return type.width.data
    if isinstance(type, AnyFloat):
        return type.bitwidth
    raise NotKnown


def shaped(type: Attribute) -> tuple[tuple[int, ...], Attribute]:
    """Return the sizes and the element type of a ranked type; raises NotKnown for any other."""
    if not is_ranked(type):
        raise NotKnown
    return tuple(type.get_shape()), type.element_type


def scalable(type: VectorType[Attribute]) -> tuple[bool, ...]:
    """Return for each dimension of a vector whether it is scalable."""
    return tuple(bool(each) for each in type.get_scalable_dims())


def has_unit_stride(type: MemRefType[Attribute]) -> bool:
    """Return whether the last dimension of a memref is contiguous.

    Raises NotKnown if the layout is unknown.
    """
    shape = type.get_shape()
    if not shape or isinstance(type.layout, NoneAttr):
        return True
    if isinstance(type.layout, AffineMapAttr):
        map = type.layout.data
        if map.num_symbols or map.num_dims != len(shape):
            raise NotKnown
        if len(map.results) != 1:
            return map.results == AffineMap.identity(len(shape)).results
        return map.eval([0] * (len(shape) - 1) + [1], [])[0] - map.eval([0] * len(shape), [])[0] == 1
    layout = strides_and_offset(type)
    if layout is None or not layout.strides:
        raise NotKnown
    return layout.strides[-1] == 1
