"""The pipeline from a file's first RUN line: its passes, and its display in previews and hover."""

from __future__ import annotations

import pytest

from gpuasync_lsp.ide.document.settings import Settings
from gpuasync_lsp.ide.document.state import FileState, file_state
from gpuasync_lsp.ide.document.targets import SettingsResolver
from gpuasync_lsp.ide.features.hover import hover
from gpuasync_lsp.ide.preview.own_pipeline import file_view, own_pipeline
from gpuasync_lsp.ide.preview.preview import preview
from gpuasync_lsp.ide.preview.view import UnknownStage
from gpuasync_lsp.ide.runlines.pipeline import run_line_pipeline
from gpuasync_lsp.text import LineIndex

HOST = """
func.func @upload(%a: memref<8xf32>, %d: memref<8xf32>) {
  gpu.memcpy %d, %a : memref<8xf32>, memref<8xf32>
  return
}
"""
REGION = f"// RUN: mlir-opt %s --gpu-async-region | FileCheck %s\n{HOST}"


def state(text: str, **settings: tuple[str, ...]) -> FileState:
    return file_state(LineIndex(text), None, SettingsResolver(Settings(llvm=22, **settings)))


@pytest.mark.parametrize(
    ("runs", "wanted"),
    [
        ("mlir-opt %s --gpu-async-region -canonicalize | FileCheck %s", "gpu-async-region,canonicalize"),
        ("mlir-opt-22 %s -pass-pipeline='builtin.module(func.func(gpu-async-region))'", "gpu-async-region"),
        ("mlir-opt %s --pass-pipeline gpu-to-llvm -o %t", "gpu-to-llvm"),
        (
            "not --crash mlir-opt -split-input-file -verify-diagnostics -mlir-elide-resource %s -gpu-to-llvm",
            "gpu-to-llvm",
        ),
        (
            "iree-opt %s --gpu-to-llvm='use-bare-pointers-for-host=1' | FileCheck %s --check-prefix=A",
            "gpu-to-llvm{use-bare-pointers-for-host=1}",
        ),
        (
            "mlir-opt %s -gpu-kernel-outlining | mlir-opt -gpu-to-llvm | mlir-runner -e main -L=%cuda",
            "gpu-kernel-outlining,gpu-to-llvm",
        ),
        ("mlir-opt %s -gpu-async-region \\\n// RUN:   -gpu-to-llvm", "gpu-async-region,gpu-to-llvm"),
        ("mlir-opt %s -gpu-async-region\n// RUN: mlir-opt %s -gpu-to-llvm", "gpu-async-region"),
    ],
)
def test_the_passes_of_the_first_run_line(runs: str, wanted: str) -> None:
    found = run_line_pipeline(LineIndex(f"// RUN: {runs}\n"))
    assert found is not None
    assert found.pipeline is not None, found.missing
    steps = ",".join(map(str, found.pipeline.steps))
    assert steps.replace("func.func(gpu-async-region)", "gpu-async-region") == wanted


@pytest.mark.parametrize(
    "text",
    [HOST, "// RUN: mlir-opt %s | mlir-opt | FileCheck %s\n", "// RUN: clang-opt-not %s -gpu-to-llvm\n"],
)
def test_a_text_without_passes_has_none(text: str) -> None:
    assert run_line_pipeline(LineIndex(text)) is None


@pytest.mark.parametrize(
    ("run", "missing"),
    [
        ("mlir-opt %s --one-shot-bufferize", "no pass 'one-shot-bufferize'"),
        ("mlir-opt %s --gpu-to-llvm='no-such-option=1'", "no-such-option"),
        ("mlir-opt %s --pass-pipeline='builtin.module(%{passes})'", ""),
        ("mlir-opt %s $(cat passes)", "uses $("),
    ],
)
def test_what_is_not_known_is_named_and_not_followed(run: str, missing: str) -> None:
    found = run_line_pipeline(LineIndex(f"// RUN: {run}\n"))
    assert found is not None
    assert found.pipeline is None
    assert missing in found.missing

    file = state(f"// RUN: {run}\n{HOST}")
    shown = preview(file, view=file_view(file))
    assert (shown.stage, own_pipeline(file).stage) == ("lowered", "lowered")
    assert shown.notes[0].message.startswith("the RUN line on line 1 is not supported: ")
    with pytest.raises(UnknownStage, match="is not supported"):
        file_view(file, "run-line")


def test_a_preview_shows_it_unless_a_stage_or_a_setting_says_otherwise() -> None:
    file = state(REGION)
    shown = preview(file, view=file_view(file))
    assert shown.stage == "run-line"
    assert "gpu.wait [%1]" in shown.text
    assert [note.message for note in shown.notes] == ["passes of the RUN line on line 1: gpu-async-region"]
    assert (
        preview(file, view=file_view(file, "lowered")).text == preview(file, view=file_view(state(HOST))).text
    )
    assert "llvm.call" in preview(file, view=file_view(file, pipeline="gpu-async-region,gpu-to-llvm")).text

    configured = state(REGION, pipeline=("gpu-async-region",))
    assert file_view(configured).stage == "lowered"
    assert own_pipeline(configured).unused == "the setting `pipeline` overrides the RUN line on line 1"
    assert file_view(configured, "run-line").stage == "run-line"


def test_hover_on_the_run_line_tells_its_passes() -> None:
    file = state(REGION)
    found = hover(file, REGION.index("--gpu"))
    assert found is not None
    assert "Previews run the passes" in found.markdown
    assert "1. `func.func(gpu-async-region)`" in found.markdown or "1. `gpu-async-region`" in found.markdown
    configured = hover(state(REGION, pipeline=("canonicalize",)), 5)
    assert configured is not None
    assert "overrides" in configured.markdown
    unknown = state(REGION.replace("gpu-async-region", "cse-of-mine"))
    said = hover(unknown, 5)
    assert said is not None
    assert "cse-of-mine" in said.markdown
    elsewhere = hover(file, REGION.index("return"))
    assert elsewhere is None or "previews" not in elsewhere.markdown


def test_a_line_that_ends_with_a_backslash_keeps_its_passes() -> None:
    """LLVM's tests comment out the rest of a command so."""
    text = "// RUN: mlir-opt %s --gpu-to-llvm \\\n// RUN-DISABLED: | mlir-runner\n"
    found = run_line_pipeline(LineIndex(text))
    assert found is not None
    assert found.text == "gpu-to-llvm"
