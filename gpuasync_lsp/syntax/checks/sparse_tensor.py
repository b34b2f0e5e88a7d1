"""sparse_tensor: what is in a storage of levels, and regions that compute its elements."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import cast

from xdsl.dialects.builtin import MemRefType, TensorType, UnregisteredAttr
from xdsl.ir import Attribute, Block

from gpuasync_lsp.syntax.checks.view import NotKnown, Refusal, View
from gpuasync_lsp.syntax.opaque import UnknownType

Said = str | Refusal | None

_LEVELS = re.compile(r"->\s*\(([^{}>]*)\)\s*(?:,|\}|$)")


def _tensor(type: Attribute) -> TensorType[Attribute]:
    if not isinstance(type, TensorType):
        raise NotKnown
    return cast("TensorType[Attribute]", type)


def _levels(type: Attribute) -> int:
    """Return how many levels the storage of a sparse tensor has."""
    encoding: Attribute = _tensor(type).encoding
    if not isinstance(encoding, UnregisteredAttr) or encoding.attr_name.data != "sparse_tensor.encoding":
        raise NotKnown
    match = _LEVELS.search(encoding.value.data)
    if match is None:
        raise NotKnown
    text, depth, found = match[1], 0, 1
    for character in text:
        depth += (character in "([") - (character in ")]")
        found += character == "," and not depth
    return found


def _said(words: str) -> Refusal:
    return Refusal(words, bare=True)


def _values(view: View) -> Said:
    made = view.type("result")
    if not isinstance(made, MemRefType):
        raise NotKnown
    if cast("MemRefType[Attribute]", made).element_type != _tensor(view.type("tensor")).element_type:
        return _said("unexpected mismatch in element types")
    return None


def _of_level(view: View) -> Said:
    if not 0 <= view.integer("level") < _levels(view.type("tensor")):
        return _said("requested level is out of bounds")
    return None


def _convert(view: View) -> Said:
    given, made = (_tensor(view.type(name)).get_shape() for name in ("source", "dest"))
    if len(given) != len(made):
        return _said("unexpected conversion mismatch in rank")
    for dim, (size, found) in enumerate(zip(given, made, strict=True)):
        if size != found and found >= 0:
            return _said(f"unexpected conversion mismatch in dimension {dim}")
    return None


def _region(block: Block, name: str, types: list[Attribute], made: Attribute) -> Refusal | None:
    arguments = [each.type for each in block.args]
    if len(arguments) != len(types):
        return _said(f"{name} region must have exactly {len(types)} arguments")
    for number, (have, wanted) in enumerate(zip(arguments, types, strict=True), 1):
        if have != wanted and not isinstance(have, UnknownType):
            return _said(f"{name} region argument {number} type mismatch")
    last = block.last_op
    if last is None or last.name != "sparse_tensor.yield" or len(last.operands) != 1:
        return None
    if last.operands[0].type != made and not isinstance(last.operands[0].type, UnknownType):
        return _said(f"{name} region yield type mismatch")
    return None


def _regions(*names: tuple[str, tuple[str, ...]]) -> Callable[[View], Said]:
    """Return a check of regions by their names and the operands that their arguments are."""

    def check(view: View) -> Said:
        made = view.op.results[0].type
        if isinstance(made, UnknownType):
            raise NotKnown
        for region, (name, operands) in zip(view.op.regions, names, strict=False):
            block = region.blocks.first
            if block is None:
                continue
            if (said := _region(block, name, [view.type(each) for each in operands], made)) is not None:
                return said
        return None

    return check


CHECKS: dict[str, Callable[[View], Said]] = {
    "sparse_tensor.binary": _regions(("overlap", ("x", "y")), ("left", ("x",)), ("right", ("y",))),
    "sparse_tensor.convert": _convert,
    "sparse_tensor.coordinates": _of_level,
    "sparse_tensor.positions": _of_level,
    "sparse_tensor.unary": _regions(("present", ("x",)), ("absent", ())),
    "sparse_tensor.values": _values,
}
