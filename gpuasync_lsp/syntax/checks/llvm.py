"""llvm: what loads promise of a pointer."""

from __future__ import annotations

from gpuasync_lsp.syntax.checks.view import View


def _load(view: View) -> str | None:
    if view.attribute("dereferenceable") is not None and view.op.results[0].type.name != "llvm.ptr":
        return "expected op to return a single LLVM pointer type"
    return None


CHECKS = {"llvm.load": _load}
