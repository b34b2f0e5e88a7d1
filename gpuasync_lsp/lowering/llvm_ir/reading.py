"""Reads names, attributes and flags of lowered ops, including unregistered ones, as LLVM IR spells them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from xdsl.dialects import builtin
from xdsl.ir import Attribute, Operation

from gpuasync_lsp.lowering.llvm_ir.intrinsics import ORDERINGS
from gpuasync_lsp.lowering.llvm_ir.types import c_string
from gpuasync_lsp.syntax.dialects.llvm_attributes import LLVMArrayType
from gpuasync_lsp.syntax.kinds import (
    is_array,
    is_dense_array,
    is_dense_elements,
    is_integer_attr,
    is_vector,
    number_of,
    numbers_of,
    text_of,
)
from gpuasync_lsp.syntax.opaque import written_name


def symbol_name(op: Operation) -> str:
    """Return the name that a symbol op defines."""
    return text_of(attribute(op, "sym_name"))


def op_name(op: Operation) -> str:
    """Return the operation's full name, including that of an op of an unregistered dialect."""
    return written_name(op) or op.name


def attribute(op: Operation, name: str) -> Attribute | None:
    """Return the property `name` of `op`, or else the attribute `name`; None if it has neither."""
    found = op.properties.get(name)
    return op.attributes.get(name) if found is None else found


def int_list(op: Operation, name: str) -> list[int]:
    """Return a dense array or array attribute of integers as a list; empty for anything else."""
    found = attribute(op, name)
    return numbers_of(found) if is_array(found) or is_dense_array(found) or is_dense_elements(found) else []


def linkage(op: Operation) -> str:
    """Return the linkage of a symbol, with a trailing space; empty for external linkage."""
    found = attribute(op, "linkage")
    word = str(getattr(found, "data", "external"))
    return "" if word == "external" else f"{word} "


def flags(op: Operation) -> str:
    """Return the overflow, fast-math and other flags of an instruction, each with a leading space."""
    words: list[str] = []
    overflow = attribute(op, "overflowFlags")
    if is_integer_attr(overflow):
        bits = overflow.value.data
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
    type = op.results[0].type if op.results else None
    while is_vector(type) or isinstance(type, LLVMArrayType):
        type = type.type if isinstance(type, LLVMArrayType) else type.element_type
    return isinstance(type, builtin.AnyFloat)


@lru_cache(maxsize=256)
def _fast_math(flags: Attribute) -> Sequence[str]:
    text = str(flags)
    inside = text[text.index("<") + 1 : text.rindex(">")].replace('"', "") if "<" in text else "none"
    return [w.strip() for w in inside.split(",") if w.strip() not in ("none", "")]


def wrap_flags(op: Operation) -> str:
    """Return the flags of an address computation, each with a trailing space."""
    flags = attribute(op, "noWrapFlags")
    if is_integer_attr(flags):
        bits = flags.value.data
        text = "inbounds " if bits & 1 else "nusw " if bits & 2 else ""
        return text + ("nuw " if bits & 4 else "")
    if flags is not None:
        return "".join(f"{w} " for w in ("inbounds", "nusw", "nuw") if w in str(flags))
    return "inbounds " if attribute(op, "inbounds") is not None else ""


def alignment(op: Operation) -> str:
    """Return the alignment of an access as `, align N`; empty if it has none."""
    value = attribute(op, "alignment")
    return f", align {number_of(value)}" if value is not None and number_of(value) else ""


def choice(op: Operation, name: str, table: Sequence[str]) -> str:
    """Return the entry of `table` whose index is the number in attribute `name`."""
    return table[number_of(attribute(op, name))]


def ordering_of(op: Operation, name: str) -> str:
    """Return the ordering in attribute `name` of an atomic op, after a space; empty if it has none."""
    value = attribute(op, name)
    word = ORDERINGS[number_of(value)] if value is not None else ""
    return f" {word}" if word else ""


def scope(op: Operation) -> str:
    """Return the synchronization scope of an atomic op as LLVM IR; empty if it has none."""
    scope = attribute(op, "syncscope")
    return f' syncscope("{text_of(scope)}")' if scope is not None and text_of(scope) else ""


def sized_string(value: builtin.StringAttr, type: Attribute) -> str:
    """Return a string as an LLVM constant, zero-padded to the size of its type."""
    size = type.size.data if isinstance(type, LLVMArrayType) else 0
    return c_string(value.data.encode("utf-8").ljust(size, b"\0"))
