"""The default preview: host and kernels, lowered; and messages about kernels if only gpu-to-llvm runs."""

from __future__ import annotations

import pytest

from gpuasync_lsp.ide.preview.preview import LOWERED, Preview, preview, view_of
from tests.ide.preview.test_preview import FORK, state_of
from tests.support.texts import texts_beside
from tests.support.tools import mlir_opt

TEXTS = texts_beside(__file__)

PASSES = (
    "gpu-kernel-outlining,convert-scf-to-cf,expand-strided-metadata,gpu.module(convert-gpu-to-nvvm),gpu-to-llvm,"
    "reconcile-unrealized-casts"
)
LAUNCH = TEXTS["LAUNCH"]
KERNEL = TEXTS["KERNEL"]
REFUSED = KERNEL.replace(
    "%v = memref.load %a[%i] : memref<4xf32>",
    "%w = memref.load %a[%i] : memref<4xf32>\n      %v = gpu.all_reduce add %w {} : (f32) -> f32",
)
YIELD = TEXTS["YIELD"]


def lowered(text: str, version: int) -> Preview:
    return preview(state_of(text), version, view=view_of(LOWERED))


def test_a_launch_that_the_preview_outlines_is_not_said_to_stay() -> None:
    state = state_of(LAUNCH)
    assert [finding.code for finding in state.all_findings()] == ["GA108"]
    assert not preview(state, 22, view=view_of(LOWERED)).findings
    assert [each.finding.code for each in preview(state, 22).findings] == ["GA108"]


@pytest.mark.parametrize("version", [19, 22])
@pytest.mark.parametrize("text", [LAUNCH, KERNEL, FORK.replace("gpu.wait [%t1]\n  gpu", "gpu")])
def test_it_is_what_mlir_opt_makes_of_it(text: str, version: int) -> None:
    shown = lowered(text, version)
    assert not any(note.error for note in shown.notes)
    tool = mlir_opt(version)
    theirs = tool(text, f"--pass-pipeline=builtin.module({PASSES})")
    assert theirs.code == 0
    ours, real = (tool(each, "--canonicalize", "--cse") for each in (shown.text, theirs.out))
    assert ours.code == 0, ours.err
    assert ours.out == real.out


@pytest.mark.parametrize("version", [22, 24])
@pytest.mark.parametrize("text", [LAUNCH, KERNEL])
def test_nothing_of_a_kernel_is_left_as_it_was(text: str, version: int) -> None:
    shown = lowered(text, version)
    assert not shown.notes
    assert "nvvm.read.ptx.sreg.tid.x" in shown.text
    for dialect in ("memref.", "gpu.func", "gpu.launch ", "unrealized_conversion_cast", "func.func"):
        assert dialect not in shown.text


def test_lines_of_a_kernel_lead_to_their_source() -> None:
    shown = lowered(LAUNCH, 22)
    rows = shown.text.splitlines()
    load = next(row for row, line in enumerate(LAUNCH.splitlines()) if "memref.load" in line)
    assert any("llvm.load" in rows[row] for row in shown.line_map[load])


@pytest.mark.parametrize("version", [19, 22])
def test_without_kernels_tokens_become_what_gpu_to_llvm_makes_of_them(version: int) -> None:
    plain = preview(state_of(YIELD), version, "gpu-to-llvm")
    shown = lowered(YIELD, version)
    assert shown.text.count("mgpuEventRecord") == plain.text.count("mgpuEventRecord")
    assert "convert-gpu-to-nvvm" not in shown.pipeline
    assert "convert-gpu-to-nvvm" in lowered(KERNEL, version).pipeline


def test_what_one_pass_refuses_hides_nothing_of_the_others() -> None:
    shown = lowered(REFUSED, 22)
    (error,) = [note for note in shown.notes if note.error]
    assert error.error == "failed to legalize operation 'gpu.all_reduce' that was explicitly marked illegal"
    assert "llvm.func @main" in shown.text
    assert "gpu.func @k(%a: memref<4xf32>) kernel {" in shown.text
    launched = lowered(LAUNCH + LAUNCH.replace("@main", "@other").replace("%a[%i]", "%a[%i, %i]"), 22)
    assert any(note.error for note in launched.notes)
    assert "llvm.func @main" in launched.text
    assert "func.func @other" in launched.text


def test_amds_kernels_go_amds_way() -> None:
    view = view_of(LOWERED, setting=["convert-gpu-to-rocdl"])
    shown = preview(state_of(KERNEL), 22, view=view)
    assert "rocdl.workitem.id.x" in shown.text
    assert "nvvm" not in shown.text


@pytest.mark.parametrize("version", [22, 24])
def test_gpu_to_llvm_alone_says_what_to_run_first(version: int) -> None:
    shown = preview(state_of(KERNEL), version, "gpu-to-llvm")
    error, advice = shown.notes
    assert "'gpu.launch_func' op" in error.error
    assert "run gpu.module(convert-gpu-to-nvvm) before gpu-to-llvm" in advice.message
    assert advice.span == error.span
    assert not advice.error


def test_where_the_binary_comes_from() -> None:
    assert any("gpu-to-cubin" in note.message for note in lowered(KERNEL, 16).notes)
