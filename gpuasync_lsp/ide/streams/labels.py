"""Short labels of ops in the picture, with the value names of the source."""

from __future__ import annotations

import re

from xdsl.ir import Operation, SSAValue

from gpuasync_lsp.analysis import AsyncFunction, AsyncOp
from gpuasync_lsp.analysis.model.symbols import callee_of, kernel_symbol
from gpuasync_lsp.syntax.dialects.gpu import (
    AllocOp,
    AsyncTokenType,
    DeallocOp,
    LaunchFuncOp,
    LaunchOp,
    MemcpyOp,
    MemsetOp,
    WaitOp,
)
from gpuasync_lsp.syntax.opaque import written_name
from gpuasync_lsp.syntax.spans import SpanTable

LONGEST = 160
"""The maximum number of code points of source text in a tooltip."""


def label(function: AsyncFunction, op: Operation) -> str:
    """Return a label of `op`: `memcpy %back ← %front`, `launch @math::@add`, `join %a, %b`."""
    name = function.span_name
    match op:
        case AllocOp():
            return f"alloc {name(op.memref)}"
        case DeallocOp():
            return f"dealloc {name(op.memref)}"
        case MemcpyOp():
            return f"memcpy {name(op.dst)} ← {name(op.src)}"
        case MemsetOp():
            return f"memset {name(op.dst)} ← {name(op.value)}"
        case LaunchFuncOp():
            kernel = kernel_symbol(op)
            return f"launch @{'::@'.join(kernel)}" if kernel else "launch"
        case LaunchOp():
            return "launch"
        case WaitOp():
            deps = ", ".join(name(dep) for dep in op.async_dependencies if dep in function.spans.values)
            if op.async_token is None:
                return f"wait {deps}".rstrip()
            return f"join {deps}".rstrip() if op.async_dependencies else "new stream"
        case _:
            return _other(function, op)


def group_label(spans: SpanTable, op: Operation, region: int) -> str:
    """Return the head of a region of `op`: `for %i = %c0 to %n step %c1`, `if %c`, `else`."""
    if op.name in ("scf.if", "affine.if") and region == 1:
        return "else"
    if op.name == "scf.while" and region == 1:
        return "do"
    if op.name == "scf.index_switch":
        return "default" if region == 0 else f"case {region}"
    if op not in spans.ops:
        return op.name
    text = spans.text[spans.name(op).start : spans.op(op).end]
    head = re.split(r"\{|->|\biter_args\b", text, maxsplit=1)[0]
    return _one_line(head.replace("scf.", "", 1), 80)


def source(spans: SpanTable, op: Operation) -> str:
    """Return the op as written, on one line, without the contents of its braces."""
    if op not in spans.ops:
        return op.name
    text = spans.op(op).of(spans.text)
    return _one_line(text.split("{", 1)[0] + "{ ... }" if op.regions and "{" in text else text, LONGEST)


def token_name(function: AsyncFunction, info: AsyncOp | None, op: Operation) -> str:
    """Return the names of the tokens that `op` defines; empty for an op that a pass added."""
    if info is not None:
        tokens = [] if info.token is None else [info.token]
    else:
        tokens = [result for result in op.results if isinstance(result.type, AsyncTokenType)]
    return ", ".join(function.span_name(token) for token in tokens if token in function.spans.values)


def _other(function: AsyncFunction, op: Operation) -> str:
    spans = function.spans
    short = written_name(op).removeprefix("func.").removeprefix("gpu.")
    callee = callee_of(op)
    if callee is not None:
        return f"call @{callee}"
    values: list[SSAValue] = [v for v in op.operands if v in spans.values]
    return f"{short} {', '.join(spans.value_name(v) for v in values[:3])}".rstrip()


def _one_line(text: str, longest: int) -> str:
    line = " ".join(text.split())
    return line if len(line) <= longest else line[: longest - 1] + "…"
