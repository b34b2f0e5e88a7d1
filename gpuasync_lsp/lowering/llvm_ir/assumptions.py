"""Optimizer assumptions in LLVM IR: ranges of registers, and attributes of parameters and functions.

Programs that this tool executes omit the assumptions, because execution must detect violations."""

from __future__ import annotations

import re
from collections.abc import Iterator

from xdsl.dialects.builtin import DictionaryAttr, IntegerAttr, StringAttr
from xdsl.ir import Operation, TypeAttribute

from gpuasync_lsp.lowering.llvm_ir.reading import attribute, int_list
from gpuasync_lsp.lowering.llvm_ir.types import ir_type
from gpuasync_lsp.syntax.kinds import is_array

_RANGE = re.compile(r"#llvm\.constant_range<(i\d+), (-?\d+), (-?\d+)>")
_WORDS = frozenset(
    {"immarg", "nest", "noalias", "nofree", "nonnull", "noundef"}
    | {"readnone", "readonly", "returned", "signext", "writeonly", "zeroext"}
)
"""Parameter attributes without a value."""
_NUMBERS = {"align": "align {}", "dereferenceable": "dereferenceable({})"}
_TYPES = frozenset(["byref", "byval", "inalloca", "sret"])
_PREFIX = "llvm."


def register_range(op: Operation) -> str:
    """Return the ` range(...)` attribute of a special register read by `op`; empty if `op` reads none."""
    found = attribute(op, "range")
    if found is not None and (known := _RANGE.fullmatch(str(found))) is not None:
        return f" range({known[1]} {known[2]}, {known[3]})"
    bounds = int_list(op, "range")
    return f" range({ir_type(op.results[0].type)} {bounds[0]}, {bounds[1]})" if len(bounds) == 2 else ""


def parameter_attributes(function: Operation, index: int) -> str:
    """Return the attributes of a parameter, each with a leading space."""
    found = attribute(function, "arg_attrs")
    if not is_array(found):
        return ""
    all_given = list(found)
    given = all_given[index] if index < len(all_given) else None
    return "".join(f" {word}" for word in _words(given)) if isinstance(given, DictionaryAttr) else ""


def _words(given: DictionaryAttr) -> Iterator[str]:
    for key, value in given.data.items():
        name = key.removeprefix(_PREFIX)
        if not key.startswith(_PREFIX):
            continue
        if name in _WORDS:
            yield name
        elif name in _NUMBERS and isinstance(value, IntegerAttr):
            number: int = value.value.data  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
            yield _NUMBERS[name].format(number)
        elif name in _TYPES and isinstance(value, TypeAttribute):
            yield f"{name}({ir_type(value)})"


def function_words(function: Operation) -> str:
    """Return the function attributes that are passed through to LLVM, each with a leading space."""
    found = attribute(function, "passthrough")
    if not is_array(found):
        return ""
    return "".join(f" {word.data}" for word in found if isinstance(word, StringAttr))
