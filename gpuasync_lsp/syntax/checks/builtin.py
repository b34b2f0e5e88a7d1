"""builtin: the attributes of modules."""

from __future__ import annotations

from gpuasync_lsp.syntax.checks.view import View


def _module(view: View) -> str | None:
    for name in view.op.attributes:
        if "." not in name and name not in ("sym_name", "sym_visibility"):
            return f"can only contain attributes with dialect-prefixed names, found: '{name}'"
    return None


CHECKS = {"builtin.module": _module}
