"""The LLVM version that a document is meant for, as a request."""

from __future__ import annotations

from typing import Any

from gpuasync_lsp.lsp.session import View

Json = dict[str, Any]


def target(view: View, params: Json) -> Json:
    """Answer `gpuasync/target`: `{llvm, origin}`, the version that the findings speak of, and who said so."""
    found = view.state.resolved.target
    return {"llvm": found.version, "origin": found.origin}
