"""The LLVM version and the pipeline that a document is meant for, as a request."""

from __future__ import annotations

from dataclasses import asdict

from gpuasync_lsp.ide.preview.own_pipeline import own_pipeline
from gpuasync_lsp.lsp.view import View
from gpuasync_lsp.text.plain_json import Json


def target(view: View, params: Json) -> Json:
    """Answer `gpuasync/target`: `{llvm, origin, pipeline}`.

    The version that the findings are about, and who said so; and `{stage, text, origin, unused}`, the
    pipeline that a preview shows where none was chosen, as `own_pipeline` says it.
    """
    found = view.state.resolved.target
    return {"llvm": found.version, "origin": found.origin, "pipeline": asdict(own_pipeline(view.state))}
