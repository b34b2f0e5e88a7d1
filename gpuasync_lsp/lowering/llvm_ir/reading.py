"""Reads lowered ops, including unregistered ones: names, attributes, flags as LLVM IR spells them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, cast

from xdsl.dialects import builtin
from xdsl.ir import Attribute, Operation

from gpuasync_lsp.lowering.llvm_ir.intrinsics import ORDERINGS
from gpuasync_lsp.lowering.llvm_ir.types import c_string
from gpuasync_lsp.syntax.opaque import written_name


def symbol_name(op: Operation) -> str:
    """Return the name that a symbol op defines."""
    name: Any = attribute(op, "sym_name")
    return str(name.data)


def op_name(op: Operation) -> str:
    """Return the operation's full name, also for an op of an unregistered dialect."""
    return written_name(op) or op.name


def attribute(op: Operation, name: str) -> Attribute | None:
    """Return the property `name` of `op`, otherwise the attribute `name`; None if it has neither."""
    found = op.properties.get(name)
    return op.attributes.get(name) if found is None else found


def int_list(op: Operation, name: str) -> list[int]:
    """Return a dense array or array attribute of integers as a list; empty for anything else."""
    found: Any = attribute(op, name)
    if isinstance(found, builtin.DenseArrayBase):
        return [int(v) for v in found.get_values()]
    if isinstance(found, builtin.DenseIntOrFPElementsAttr):
        return [int(v) for v in found.get_values()]  # pyright: ignore[reportUnknownVariableType]
    if not isinstance(found, builtin.ArrayAttr):
        return []
    return [int(v.value.data) for v in cast("builtin.ArrayAttr[Any]", found).data]


def linkage(op: Operation) -> str:
    """Return the linkage of a symbol, with a trailing blank; empty for external linkage."""
    found: Any = attribute(op, "linkage")
    word = str(getattr(found, "data", "external"))
    return "" if word == "external" else f"{word} "


def flags(op: Operation) -> str:
    """Return the flags of an op, each with a leading blank."""
    words: list[str] = []
    overflow: Any = attribute(op, "overflowFlags")
    if isinstance(overflow, builtin.IntegerAttr):
        bits: int = overflow.value.data  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
        words += [w for bit, w in ((1, "nsw"), (2, "nuw")) if bits & bit]
    elif overflow is not None:
        words += [w for w in ("nsw", "nuw") if w in str(overflow)]
    for name, word in (("isExact", "exact"), ("isDisjoint", "disjoint"), ("nonNeg", "nneg")):
        if attribute(op, name) is not None:
            words.append(word)
    fast = attribute(op, "fastmathFlags")
    if fast is not None and _is_of_floats(op):
        words += _fast_math(fast)
    return "".join(f" {w}" for w in words)


def _is_of_floats(op: Operation) -> bool:
    """Return whether LLVM allows fast-math flags on an op; a call or select needs a float result."""
    if op.name not in ("llvm.call", "llvm.select"):
        return True
    type: Any = op.results[0].type if op.results else None
    while type is not None and type.name in ("llvm.array", "vector"):
        type = type.type if type.name == "llvm.array" else type.element_type
    return isinstance(type, builtin.AnyFloat)


@lru_cache(maxsize=256)
def _fast_math(flags: Attribute) -> Sequence[str]:
    text = str(flags)
    inside = text[text.index("<") + 1 : text.rindex(">")].replace('"', "") if "<" in text else "none"
    return [w.strip() for w in inside.split(",") if w.strip() not in ("none", "")]


def wrap_flags(op: Operation) -> str:
    """Return the flags of an address computation, each with a trailing blank."""
    flags: Any = attribute(op, "noWrapFlags")
    if isinstance(flags, builtin.IntegerAttr):
        bits: int = flags.value.data  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
        text = "inbounds " if bits & 1 else "nusw " if bits & 2 else ""
        return text + ("nuw " if bits & 4 else "")
    if flags is not None:
        return "".join(f"{w} " for w in ("inbounds", "nusw", "nuw") if w in str(flags))
    return "inbounds " if attribute(op, "inbounds") is not None else ""


def alignment(op: Operation) -> str:
    """Return the alignment of an access as `, align N`; empty without one."""
    value: Any = attribute(op, "alignment")
    return f", align {value.value.data}" if value is not None and value.value.data else ""


def choice(op: Operation, name: str, table: Sequence[str]) -> str:
    """Return the entry of `table` whose index is the number in attribute `name`."""
    value: Any = attribute(op, name)
    return table[int(value.value.data)]


def ordering_of(op: Operation, name: str) -> str:
    """Return the ordering in attribute `name` of an atomic op, after a blank; empty without one."""
    value: Any = attribute(op, name)
    word = ORDERINGS[int(value.value.data)] if value is not None else ""
    return f" {word}" if word else ""


def scope(op: Operation) -> str:
    """Return the synchronization scope of an atomic op as LLVM IR; empty without one."""
    scope: Any = attribute(op, "syncscope")
    return f' syncscope("{scope.data}")' if scope is not None and scope.data else ""


def sized_string(value: builtin.StringAttr, type: Attribute) -> str:
    """Return a string as an LLVM constant, zero-padded to the size of its type."""
    size: Any = getattr(type, "size", None)
    data = value.data.encode("utf-8")
    return c_string(data.ljust(size.data, b"\0")) if size is not None else c_string(data)
