"""The request for the LLVM version and the pipeline that a document targets."""

from __future__ import annotations

from dataclasses import asdict

from gpuasync_lsp.ide.preview.own_pipeline import own_pipeline
from gpuasync_lsp.lsp.view import View
from gpuasync_lsp.text.plain_json import Json


def target(view: View, params: Json) -> Json:
    """Answer `gpuasync/target`: `{llvm, origin, pipeline}`.

    `llvm` is the targeted version and `origin` the setting that determines it. `pipeline` is `{stage, text,
    origin, unused}`, the pipeline that a preview uses by default; see `own_pipeline`.
    """
    found = view.state.resolved.target
    return {"llvm": found.version, "origin": found.origin, "pipeline": asdict(own_pipeline(view.state))}
