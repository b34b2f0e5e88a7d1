"""smt: what regions of solvers, checks and quantifiers yield, and the widths of bit-vectors.

Source: the verifiers in SMTOps.cpp; the dialect is there since LLVM 21.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects.builtin import UnregisteredAttr
from xdsl.ir import Attribute, Region

from gpuasync_lsp.syntax.checks.view import NotKnown, View
from gpuasync_lsp.syntax.ods.custom.smt import width
from gpuasync_lsp.syntax.opaque import UnknownType
from gpuasync_lsp.syntax.printer import attribute_text

_BOOL = "!smt.bool"


def _yielded(region: Region) -> Sequence[Attribute] | None:
    """Return the types that the end of a region hands on; None where it has none."""
    last = region.blocks[0].last_op if region.blocks else None
    if last is None or last.name != "smt.yield":
        return None
    types = [value.type for value in last.operands]
    if any(isinstance(type, UnknownType) for type in types):
        raise NotKnown
    return types


def _solver(view: View) -> str | None:
    inputs = view.types("inputs")
    given = list(view.block().arg_types)
    if [*given] != inputs:
        return "block argument types must match the types of the 'inputs'"
    if _differ(view, view.op.regions[0]):
        return "types of yielded values must match return values"
    return None


def _check(view: View) -> str | None:
    for name, region in zip(("sat", "unknown", "unsat"), view.op.regions, strict=True):
        if _differ(view, region):
            return f"types of yielded values in '{name}' region must match return values"
    return None


def _differ(view: View, region: Region) -> bool:
    yielded = _yielded(region)
    return yielded is not None and [*yielded] != list(view.op.result_types)


def _quantifier(view: View) -> str | None:
    body, *patterns = view.op.regions
    if patterns and view.attribute("noPattern") is not None:
        return "patterns and the no_pattern attribute must not be specified at the same time"
    block = view.block()
    names = view.attribute("boundVarNames")
    if names is not None and len(getattr(names, "data", ())) != len(block.args):
        return "number of bound variable names must match number of block arguments"
    for type in block.arg_types:
        if isinstance(type, UnknownType):
            raise NotKnown
        if not _is_value(type):
            return "bound variables must by any non-function SMT value"
    yielded = _yielded(body)
    if yielded is not None and len(yielded) != 1:
        return "must have exactly one yielded value"
    if yielded is not None and attribute_text(yielded[0]) != _BOOL:
        return f"yielded value must be of '{_BOOL}' type"
    for index, region in enumerate(patterns):
        if region.blocks and list(region.blocks[0].arg_types) != list(block.arg_types):
            return f"block argument number and types of the 'body' and 'patterns' region #{index} must match"
        yielded = _yielded(region)
        if yielded is not None and not yielded:
            return f"'patterns' region #{index} must have at least one yielded value"
    return None


def _is_value(type: Attribute) -> bool:
    return (
        isinstance(type, UnregisteredAttr)
        and type.attr_name.data.startswith("smt.")
        and type.attr_name.data != "smt.func"
    )


def _several(view: View) -> str | None:
    count = view.count("inputs")
    return None if count > 1 else f"'inputs' must have at least size 2, but got {count}"


def _width(type: Attribute) -> int:
    found = width(type)
    if found is None:
        raise NotKnown
    return found


def _extract(view: View) -> str | None:
    low, length, whole = view.integer("lowBit"), _width(view.type("result")), _width(view.type("input"))
    if low + length <= whole:
        return None
    return (
        f"range to be extracted is too big, expected range starting at index {low} of length {length} "
        f"requires input width of at least {low + length}, but the input width is only {whole}"
    )


def _repeat(view: View) -> str | None:
    whole, part = _width(view.type("result")), _width(view.type("input"))
    if whole % part == 0:
        return None
    return "result bit-vector width must be a multiple of the input bit-vector width"


CHECKS: dict[str, Callable[[View], str | None]] = {
    "smt.bv.extract": _extract,
    "smt.bv.repeat": _repeat,
    "smt.check": _check,
    "smt.distinct": _several,
    "smt.eq": _several,
    "smt.exists": _quantifier,
    "smt.forall": _quantifier,
    "smt.solver": _solver,
}
