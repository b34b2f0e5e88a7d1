"""Translates ops on structs, arrays and vectors of the llvm dialect."""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.ir import Operation

from gpuasync_lsp.lowering.llvm_ir.body import Body, Handler
from gpuasync_lsp.lowering.llvm_ir.reading import int_list
from gpuasync_lsp.syntax.llvm_types import is_scalable


def _extract(body: Body, op: Operation) -> None:
    position = ", ".join(map(str, int_list(op, "position")))
    body.define(op, f"extractvalue {body.typed(op.operands[0])}, {position}")


def _insert(body: Body, op: Operation) -> None:
    first, second = op.operands
    container, value = (first, second) if first.type == op.results[0].type else (second, first)
    position = ", ".join(map(str, int_list(op, "position")))
    body.define(op, f"insertvalue {body.typed(container)}, {body.typed(value)}, {position}")


def _extract_element(body: Body, op: Operation) -> None:
    body.define(op, "extractelement " + ", ".join(body.typed(o) for o in op.operands))


def _insert_element(body: Body, op: Operation) -> None:
    body.define(op, "insertelement " + ", ".join(body.typed(o) for o in op.operands))


def _shuffle_vector(body: Body, op: Operation) -> None:
    indices = int_list(op, "mask")
    if is_scalable(op.operands[0].type):  # LLVM's only mask for scalable vectors splats element 0.
        mask = f"<vscale x {len(indices)} x i32> zeroinitializer"
    else:
        elements = ", ".join("i32 poison" if i < 0 else f"i32 {i}" for i in indices)
        mask = f"<{len(indices)} x i32> <{elements}>"
    body.define(op, f"shufflevector {', '.join(body.typed(o) for o in op.operands)}, {mask}")


HANDLERS: Mapping[str, Handler] = {
    "llvm.extractvalue": _extract,
    "llvm.insertvalue": _insert,
    "llvm.extractelement": _extract_element,
    "llvm.insertelement": _insert_element,
    "llvm.shufflevector": _shuffle_vector,
}
