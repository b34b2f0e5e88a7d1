"""The form of an op: its class, types, properties and attributes, without its operands' definitions and
regions.

Most ops in a file have the same form as an earlier op, so facts that depend only on the form are memoized.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from operator import attrgetter

from xdsl.dialects.builtin import FloatAttr
from xdsl.ir import Attribute, Operation, SSAValue

from gpuasync_lsp.syntax.ods.operation import OdsOperation
from gpuasync_lsp.syntax.ods.table import Variant
from gpuasync_lsp.syntax.shared_context import MOST_NAMES
from gpuasync_lsp.syntax.xdsl_speed import operands_of


class Form:
    """The class of an op with the types of its operands and results, its properties and attributes."""

    __slots__ = ("_types", "faults", "is_settled")

    def __init__(self, types: Sequence[Attribute | None]) -> None:
        self._types = types
        """References to the types, since `_KNOWN` is keyed by their identity."""
        self.faults: Mapping[Variant, str] | None = None
        """Maps each definition of the op to the errors of ops of this form; None before they are computed."""
        self.is_settled = False
        """Whether the verifier accepts every op of this form, regardless of its position."""


_KNOWN: dict[object, Form] = {}
"""Forms, keyed by class and the identities of types, properties and attributes, for speed."""

_OF_THESE: dict[object, tuple[Form, tuple[Attribute, ...]]] = {}
"""Forms, keyed by the identities of types, properties and attributes, with references to keep those alive."""


def form_of(op: Operation) -> Form | None:
    """Return the form of `op`; None if ops with equal forms may be verified differently."""
    if isinstance(op, OdsOperation):  # Its verification also depends on its spelling.
        return None
    properties, attributes = op.properties, op.attributes
    types = (
        type(op),
        *map(id, map(_type_of, operands_of(op))),
        None,
        *map(id, map(_type_of, op.results)),
    )
    these = (
        types,
        *properties,
        *map(id, properties.values()),
        None,
        *attributes,
        *map(id, attributes.values()),
    )
    met = _OF_THESE.get(these)
    if met is not None:
        return met[0]
    # Attributes that compare equal may differ, such as 0.0 and -0.0; a NaN does not equal itself.
    if any(isinstance(value, FloatAttr) for value in properties.values()):
        return None
    key = (types, *properties.items(), None, *attributes.items())
    known = _KNOWN.get(key)
    if known is None:
        if len(_KNOWN) >= MOST_NAMES:
            _KNOWN.clear()
        known = _KNOWN[key] = Form([value.type for value in (*op.operands, *op.results)])
    if len(_OF_THESE) >= MOST_NAMES:
        _OF_THESE.clear()
    _OF_THESE[these] = known, (*properties.values(), *attributes.values())
    return known


_type_of: Callable[[SSAValue], Attribute] = attrgetter("_type")
