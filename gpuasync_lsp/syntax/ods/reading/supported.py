"""Which formats are understood."""

from __future__ import annotations

from collections.abc import Sequence

from gpuasync_lsp.syntax.ods.custom import DIRECTIVES
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
"""The `custom` directives that are understood."""
_PLAIN = frozenset(
    {"attr-dict", "attr-dict-with-keyword", "prop-dict", "operands", "results", "regions", "successors",
     "type", "functional-type", "qualified"}
)  # fmt: skip


def supports(elements: Sequence[Element], variant: Variant) -> bool:
    """Tell whether all of a format is understood."""
    for element in elements:
        match element:
            case Directive(name="custom"):
                if element.function not in CUSTOM and element.function not in DIRECTIVES:
                    return False
            case Directive():
                if element.name not in _PLAIN or not supports(element.arguments, variant):
                    return False
            case Optional():
                if not supports((*element.then, *element.otherwise), variant):
                    return False
            case AnyOrder():
                if not all(supports(each, variant) for each in element.clauses):
                    return False
            case Variable():
                constraint = variant.attributes.get(element.name)
                if constraint is not None and constraint.kind == "property":
                    return False
            case Literal() | Space() | Text():
                pass
    return not any(each.variadic == "vv" for _, each in variant.operands)
