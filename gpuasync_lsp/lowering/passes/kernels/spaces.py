"""Replaces `#gpu.address_space<..>` in memref types with the target's number for the space."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from xdsl.dialects.builtin import FunctionType, IntegerAttr, MemRefType, NoneAttr, UnrankedMemRefType, i64
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.rewriter import Rewriter

from gpuasync_lsp.syntax.dialects import gpu
from gpuasync_lsp.syntax.kinds import is_memref, is_unranked_memref

SPACES = {"global": 1, "workgroup": 3, "private": 0, "constant": 4, "cluster_shared": 7}
"""Maps address spaces to NVVM's numbers. Source: `populateGpuMemorySpaceAttributeConversions` in MLIR."""


def number_address_spaces(root: Operation, spaces: Mapping[str, int], default: int = 0) -> None:
    """Replace the memory space of every memref inside `root` with its number, in place.

    A memref without a space gets `default`. If `spaces` is empty, named spaces are not replaced.
    """
    for op in root.walk():
        for region in op.regions:
            for block in region.blocks:
                for argument in list(block.args):
                    _retype(argument, spaces, default)
        for result in list(op.results):
            _retype(result, spaces, default)
        for name, attribute in list(op.properties.items()):
            if isinstance(attribute, FunctionType):
                inputs = [_numbered(type, spaces, default) for type in attribute.inputs.data]
                outputs = [_numbered(type, spaces, default) for type in attribute.outputs.data]
                op.properties[name] = FunctionType.from_lists(inputs, outputs)
            elif isinstance(attribute, MemRefType):
                op.properties[name] = _numbered(cast(Attribute, attribute), spaces, default)


def _retype(value: SSAValue, spaces: Mapping[str, int], default: int) -> None:
    type = _numbered(value.type, spaces, default)
    if type != value.type:
        Rewriter.replace_value_with_new_type(value, type)


def _numbered(type: Attribute, spaces: Mapping[str, int], default: int) -> Attribute:
    if is_unranked_memref(type):
        space = _number(type.memory_space, spaces, default)
        return UnrankedMemRefType[Attribute].new((_numbered(type.element_type, spaces, default), space))
    if not is_memref(type):
        return type
    element, space = (
        _numbered(type.element_type, spaces, default),
        _number(type.memory_space, spaces, default),
    )
    return MemRefType[Attribute].new((type.shape, element, type.layout, space))


def _number(space: Attribute, spaces: Mapping[str, int], default: int) -> Attribute:
    if isinstance(space, NoneAttr) and default:
        return IntegerAttr(default, i64)
    if not isinstance(space, gpu.AddressSpaceAttr) or not spaces:
        return space
    number = spaces.get(space.data.value, 0)
    return IntegerAttr(number, i64) if number else NoneAttr()
