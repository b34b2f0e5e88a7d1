"""vector.load and vector.store of one element become memref.load and store, in 16 to 19.

Source: `VectorLoadToMemrefLoadLowering` and `VectorStoreToMemrefStoreLowering` in LowerVectorTransfer.cpp.
"""

from __future__ import annotations

from math import prod
from typing import cast

from xdsl.ir import Operation

from gpuasync_lsp.lowering.conversion.worklist import Pattern, Rewriter
from gpuasync_lsp.lowering.passes.convert_vector_to_llvm import making
from gpuasync_lsp.lowering.passes.convert_vector_to_scf.building import AnyVector, Builder, load, store
from gpuasync_lsp.syntax.dialects import vector


def _load_one(op: Operation, rewriter: Rewriter) -> bool:
    """Load the element and broadcast it."""
    access = cast(vector.LoadOp, op)
    type = cast(AnyVector, access.result.type)
    if prod(type.get_shape()) != 1 or any(making.scalable(type)):
        return False
    builder = Builder(rewriter, op)
    element = builder.value(load(access.base, access.indices))
    rewriter.replace(op, [making.broadcast(builder, element, type)])
    return True


def _store_one(op: Operation, rewriter: Rewriter) -> bool:
    """Extract the element and store it."""
    access = cast(vector.StoreOp, op)
    type = making.of(access.value_to_store)
    if prod(type.get_shape()) != 1 or any(making.scalable(type)):
        return False
    builder = Builder(rewriter, op)
    element = making.extract(builder, access.value_to_store, *[0] * len(type.get_shape()))
    builder.add(store(element, access.base, access.indices))
    rewriter.erase(op)
    return True


SINGLE_ELEMENTS: dict[type[Operation], list[Pattern]] = {
    vector.LoadOp: [_load_one],
    vector.StoreOp: [_store_one],
}
