"""What types of spirv, which are kept as text, are made of: `!spirv.ptr<f32, Function>`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple, cast

from xdsl.dialects.builtin import ArrayAttr, IntegerAttr, IntegerType, UnregisteredAttr
from xdsl.ir import Attribute

from gpuasync_lsp.syntax.printer import attribute_text

_ARRAY = re.compile(r"\s*([0-9]{1,9})\s*x\s*")
_DEEPEST = 16


def body(type: Attribute, kind: str) -> str | None:
    """Return what stands in the brackets of `!spirv.<kind><...>`, None for another type."""
    if isinstance(type, UnregisteredAttr) and type.attr_name.data == f"spirv.{kind}":
        return type.value.data.strip()
    return None


def pieces(text: str) -> list[str]:
    """Return what commas outside all brackets part."""
    found, depth, start = list[str](), 0, 0
    for at, character in enumerate(text):
        depth += (character in "<([{") - (character in ">)]}")
        if character == "," and not depth:
            found.append(text[start:at].strip())
            start = at + 1
    return [*found, text[start:].strip()]


def pointer(type: Attribute) -> tuple[str, str] | None:
    """Return the text of the type that a pointer points to and its storage class; None for another type."""
    inner = body(type, "ptr")
    parts = pieces(inner) if inner is not None else []
    return (parts[0], parts[1]) if len(parts) == 2 else None


def members(type: Attribute) -> Sequence[str]:
    """Return the texts of the types in a struct without a name; nothing for another type."""
    return _members(body(type, "struct"))


def _members(inner: str | None) -> Sequence[str]:
    if inner is None or not inner.startswith("("):
        return ()
    end = inner.rfind(")")
    return list(map(_without_offset, pieces(inner[1:end]))) if end > 1 else ()


def _without_offset(member: str) -> str:
    """Return the text of a member's type, without the offset in brackets behind it."""
    text = member.rstrip()
    return text[: text.rfind("[")].rstrip() if text.endswith("]") and "[" in text else member


class NoComponent(NamedTuple):
    """Why nothing is at some indices, in MLIR's words."""

    words: str


def component(type: Attribute, indices: Attribute) -> str | NoComponent | None:
    """Return the text of the type at some indices of a composite; None where that is not known."""
    text = attribute_text(type)
    listed = cast("ArrayAttr[Attribute]", indices).data if isinstance(indices, ArrayAttr) else ()
    if not listed or len(listed) > _DEEPEST:
        return None
    for each in listed:
        if not isinstance(each, IntegerAttr):
            return None
        found = _component(text, cast("IntegerAttr[IntegerType]", each).value.data)
        if not isinstance(found, str):
            return found
        text = found
    return text


def _component(text: str, index: int) -> str | NoComponent | None:
    kind, opening, rest = text.partition("<")
    inner = rest.rpartition(">")[0].strip()
    if not opening:
        return NoComponent(f"cannot extract from non-composite type '{text}' with index {index}")
    if kind == "!spirv.struct":
        listed = _members(inner)
        return None if not listed else _at(listed, index, text)
    if kind == "!spirv.rtarray":
        return pieces(inner)[0]
    match = _ARRAY.match(inner)
    if match is None or kind not in ("vector", "!spirv.array", "!spirv.matrix"):
        return None
    return _at([pieces(inner[match.end() :])[0]] * min(int(match[1]), index + 1), index, text)


def _at(listed: Sequence[str], index: int, text: str) -> str | NoComponent:
    if 0 <= index < len(listed):
        return listed[index]
    return NoComponent(f"index {index} out of bounds for '{text}'")
