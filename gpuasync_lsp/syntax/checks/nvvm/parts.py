"""Helpers for checks of nvvm."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from xdsl.ir import Attribute

from gpuasync_lsp.syntax.checks.view import NotKnown, View
from gpuasync_lsp.syntax.dialects.llvm_attributes import LLVMPointerType, LLVMStructType
from gpuasync_lsp.syntax.printer import attribute_text

_SIZE = re.compile(r"\b([mnk]) = ([0-9]{1,9})")

GLOBAL, SHARED, CONSTANT, LOCAL, SHARED_CLUSTER = 1, 3, 4, 5, 7
"""Address spaces of pointers."""


def sizes(view: View, name: str) -> Mapping[str, int]:
    """Return the sizes in an attribute by name: m, n and k of `#nvvm.shape<m = 64, n = 16, k = 16>`."""
    found = view.attribute(name)
    if found is None:
        raise NotKnown
    return {letter: int(number) for letter, number in _SIZE.findall(attribute_text(found))}


def word(view: View, name: str, default: str) -> str:
    """Return the keyword of the enumeration attribute `name`; `default` if the op omits it."""
    return view.word(name) or default


def space(view: View, name: str) -> int:
    """Return the address space of a pointer."""
    type = view.type(name)
    if not isinstance(type, LLVMPointerType):
        raise NotKnown
    return type.space


def members(type: Attribute) -> Sequence[Attribute]:
    """Return the member types of a struct."""
    if not isinstance(type, LLVMStructType) or type.form.data != "body":
        raise NotKnown
    return type.types.data


def result(view: View) -> Attribute:
    """Return the type of the op's only result."""
    if len(view.op.results) != 1:
        raise NotKnown
    return view.op.results[0].type
