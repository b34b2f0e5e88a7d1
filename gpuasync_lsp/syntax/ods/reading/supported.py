"""Checks which assembly formats are supported."""

from __future__ import annotations

from collections.abc import Sequence

from gpuasync_lsp.syntax.ods.custom import DIRECTIVES
from gpuasync_lsp.syntax.ods.custom.parts import names
from gpuasync_lsp.syntax.ods.formats import (
    AnyOrder,
    Directive,
    Element,
    Literal,
    Optional,
    Space,
    Text,
    Variable,
)
from gpuasync_lsp.syntax.ods.table import Variant

CUSTOM = frozenset(
    {
        "AllReduceOperation",
        "AsyncDependencies",
        "DynamicIndexList",
        "MNKDimensionList",
        "OptionalDynamicIndexList",
        "SemiFunctionType",
        "SequenceOpOperands",
        "TransformMatchDims",
    }
)
"""The supported `custom` directives."""
_GROUPED = frozenset({"Bundles", "SwitchOpCases"})
"""The `custom` directives with several lists of operands, whose sizes an attribute stores."""
_PLAIN = frozenset(
    {"attr-dict", "attr-dict-with-keyword", "prop-dict", "operands", "results", "regions", "successors",
     "type", "functional-type", "qualified"}
)  # fmt: skip


def supports(elements: Sequence[Element], variant: Variant) -> bool:
    """Return whether a format is completely supported."""
    grouped = [name for each in elements for name in _read_in_groups(each)]
    if any(each.variadic == "vv" and name not in grouped for name, each in variant.operands):
        return False
    return _is_understood(elements, variant)


def _is_understood(elements: Sequence[Element], variant: Variant) -> bool:
    for element in elements:
        match element:
            case Directive(name="custom"):
                if element.function not in CUSTOM and element.function not in DIRECTIVES:
                    return False
            case Directive():
                if element.name not in _PLAIN or not _is_understood(element.arguments, variant):
                    return False
            case Optional():
                if not _is_understood((*element.then, *element.otherwise), variant):
                    return False
            case AnyOrder():
                if not all(_is_understood(each, variant) for each in element.clauses):
                    return False
            case Variable():
                constraint = variant.attributes.get(element.name)
                if constraint is not None and constraint.kind == "property":
                    return False
            case Literal() | Space() | Text():
                pass
    return True


def _read_in_groups(element: Element) -> list[str]:
    """Return the operands of a directive that are lists of groups."""
    if not isinstance(element, Directive) or element.function not in _GROUPED:
        return []
    return names(element.arguments)
