"""Failures of configured passes are reported at the op, with the messages of the release.

`fixtures/outcomes/NAME.mlir` lists releases, pipelines and, after `->`, the reported outcome in its
first lines; a marker gives the position. The real mlir-opt has the same outcome.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from gpuasync_lsp.ide.document.checker import Checker
from gpuasync_lsp.ide.document.settings import Settings
from gpuasync_lsp.ide.document.targets import SettingsResolver
from gpuasync_lsp.lowering import MissingPass, PipelineError, parse_pipeline
from gpuasync_lsp.lowering.pipeline.pass_names import real_passes
from gpuasync_lsp.lowering.pipeline.registry import PASSES
from gpuasync_lsp.text import Finding, LineIndex
from tests.support.tools import FIXTURES, mlir_opt

FILES = sorted((FIXTURES / "outcomes").glob("*.mlir"))
RUN = re.compile(r"// LLVM (\d+): (\S+)(?: -> (.*))?")
MARKER = re.compile(r"// outcome @\+1 \{\{(.*)\}\}")


def check(text: str, version: int, pipeline: str) -> tuple[Finding, ...]:
    try:
        steps = tuple(map(str, parse_pipeline(pipeline).steps))
    except MissingPass:
        steps = tuple(pipeline.split(","))
    resolved = SettingsResolver(Settings(llvm=version, pipeline=steps)).resolve(None, text)
    return Checker(resolved).check(text)


def runs() -> Iterator[object]:
    for path in FILES:
        for match in RUN.finditer(path.read_text()):
            yield pytest.param(path, int(match[1]), match[2], match[3], id=f"{path.stem}-{match[1]}")


every_run = pytest.mark.parametrize(("path", "version", "pipeline", "words"), list(runs()))


@every_run
def test_the_outcome_is_reported_at_the_op(
    path: Path, version: int, pipeline: str, words: str | None
) -> None:
    text = path.read_text()
    index = LineIndex(text)
    found = [f for f in check(text, version, pipeline) if f.code == "GA115"]
    where = [index.position(f.span.start)[0] for f in found]
    marked = [index.position(match.start())[0] + 1 for match in MARKER.finditer(text)]
    assert where == (marked if words else [])
    assert all((words or "") in f.message for f in found)


@every_run
def test_the_real_tool_ends_so(path: Path, version: int, pipeline: str, words: str | None) -> None:
    text = path.read_text()
    done = mlir_opt(version)(text, f"--pass-pipeline=builtin.module({pipeline})")
    if words is None or words.startswith("leaves"):
        assert done.code == 0, done.err
    elif "crashes" in words:
        assert done.code not in (0, 1), done.err
    else:
        assert done.code == 1
        assert words in done.err


def test_without_passes_gpu_to_llvm_runs_alone() -> None:
    text = (FIXTURES / "outcomes" / "branch_in_task.mlir").read_text()
    resolved = SettingsResolver(Settings(llvm=22)).resolve(None, text)
    (found,) = Checker(resolved).check(text)
    assert "LLVM 22, gpu-to-llvm: 'async.execute' op expects region #0" in found.message
    # Such programs are lowered by other, unknown passes first.
    lowered_before = """func.func @f(%a: memref<4x4xf32>, %c: memref<4x4xf32>, %u: memref<*xf32>) {
      gpu.host_register %u : memref<*xf32>
      linalg.matmul ins(%a, %a : memref<4x4xf32>, memref<4x4xf32>) outs(%c : memref<4x4xf32>)
      return
    }
    """
    assert not [f for f in Checker(resolved).check(lowered_before) if f.code == "GA115"]
    assert mlir_opt(22)(lowered_before, "--gpu-to-llvm").code == 1


def test_a_pass_that_this_tool_lacks_is_reported_once() -> None:
    text = "func.func @f() { return }\n// -----\nfunc.func @g() { return }\n"
    (found,) = check(text, 22, "one-shot-bufferize,gpu-to-llvm")
    assert found.code == "GA115"
    assert "does not implement the pass one-shot-bufferize" in found.message


def test_a_pass_that_no_release_has_is_a_mistake() -> None:
    with pytest.raises(PipelineError, match="no release of LLVM has a pass 'gpu-kernel-outlinin'"):
        parse_pipeline("gpu-kernel-outlinin")


def test_every_pass_of_this_tool_is_a_real_one() -> None:
    assert set(PASSES) <= set(real_passes())
