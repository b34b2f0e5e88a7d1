"""vector.load and vector.store of one element become memref.load and memref.store, in LLVM 16 to 19.

Source: `VectorLoadToMemrefLoadLowering` and `VectorStoreToMemrefStoreLowering` in LowerVectorTransfer.cpp.
"""

from __future__ import annotations

from math import prod

from xdsl.ir import Operation

from gpuasync_lsp.lowering.conversion.worklist import Pattern, Rewriter
from gpuasync_lsp.lowering.passes.convert_vector_to_llvm import making
from gpuasync_lsp.lowering.passes.convert_vector_to_scf.building import Builder, load, store
from gpuasync_lsp.syntax.dialects import vector
from gpuasync_lsp.syntax.kinds import vector_type


def _load_one(access: vector.LoadOp, rewriter: Rewriter) -> bool:
    type = vector_type(access.result.type)
    if prod(type.get_shape()) != 1 or any(making.scalable(type)):
        return False
    builder = Builder(rewriter, access)
    element = builder.value(load(access.base, access.indices))
    rewriter.replace(access, [making.broadcast(builder, element, type)])
    return True


def _store_one(access: vector.StoreOp, rewriter: Rewriter) -> bool:
    type = making.of(access.value_to_store)
    if prod(type.get_shape()) != 1 or any(making.scalable(type)):
        return False
    builder = Builder(rewriter, access)
    element = making.extract(builder, access.value_to_store, *[0] * len(type.get_shape()))
    builder.add(store(element, access.base, access.indices))
    rewriter.erase(access)
    return True


SINGLE_ELEMENTS: dict[type[Operation], list[Pattern]] = {
    vector.LoadOp: [_load_one],
    vector.StoreOp: [_store_one],
}
