"""A function whose model is built but not yet interpreted, for unit tests of the abstract interpreter."""

from __future__ import annotations

from gpuasync_lsp.analysis import AsyncFunction, Handle, file_contexts
from gpuasync_lsp.analysis.model.building import build
from gpuasync_lsp.releases import profile
from gpuasync_lsp.syntax.source import parse_source

TOKEN = "!gpu.async.token"
ARGUMENTS = f"%m: memref<4xf32>, %f: f32, %c: i1, %e: {TOKEN}, %n: index"
MEMSET = "gpu.memset async [{}] %m, %f : memref<4xf32>, f32"


def built(body: str, arguments: str = ARGUMENTS) -> AsyncFunction:
    """Return the model of `func.func @main` with the ops of `body`, for LLVM 22."""
    text = f"func.func @main({arguments}) {{\n{body}\nreturn\n}}\n"
    chunk = parse_source(text).chunks[0]
    ((placed, context),) = file_contexts(chunk)
    (op,) = placed.item.ops
    return build(op, placed.item.spans, context, profile(22), is_valid=True)


def handle(function: AsyncFunction, name: str) -> Handle:
    """Return the handle of the token called `name`."""
    return next(h for value, h in function.tokens.items() if function.span_name(value) == name)
