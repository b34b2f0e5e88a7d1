"""With gpu-async-region in the pipeline, findings apply to its output and are shown in the source."""

from __future__ import annotations

from collections import Counter

import pytest

from gpuasync_lsp.analysis import Config, check_source
from gpuasync_lsp.ide.document.checker import Checker
from gpuasync_lsp.ide.document.settings import Settings
from gpuasync_lsp.ide.document.targets import SettingsResolver
from gpuasync_lsp.text import Finding
from tests.support.texts import texts_beside
from tests.support.tools import CASES, mlir_opt

TEXTS = texts_beside(__file__)

PIPELINE = ("gpu-async-region",)

PUBLIC_EXAMPLE = TEXTS["PUBLIC_EXAMPLE"]
"""A public question: the dealloc becomes `gpu.dealloc async [%1, %asyncToken]`, which does not lower."""

SYNC = TEXTS["SYNC"]


def check(text: str, pipeline: tuple[str, ...] = PIPELINE, version: int = 22) -> tuple[Finding, ...]:
    settings = Settings(llvm=version, pipeline=pipeline)
    return Checker(SettingsResolver(settings).resolve(None, text)).check(text)


def lines(text: str, findings: tuple[Finding, ...], code: str) -> list[int]:
    return [text.count("\n", 0, f.span.start) + 1 for f in findings if f.code == code]


def test_a_dependency_that_the_pass_adds_is_found_at_the_source_line() -> None:
    found = check(PUBLIC_EXAMPLE)
    assert lines(PUBLIC_EXAMPLE, found, "GA101") == [8]
    (finding,) = (f for f in found if f.code == "GA101")
    assert finding.message.startswith("After gpu-async-region: ")
    assert "2 dependencies" in finding.message
    assert finding.fixes == ()
    assert "\ngpu-async-region adds " in finding.message  # GA507's reason, which is not reported beside it
    assert lines(PUBLIC_EXAMPLE, found, "GA507") == []
    assert not lines(PUBLIC_EXAMPLE, check(PUBLIC_EXAMPLE, ()), "GA101")


def test_sync_ops_are_what_the_pass_is_for() -> None:
    assert "GA102" in [f.code for f in check(SYNC, ())]
    assert check(SYNC) == ()


def test_a_pass_after_gpu_to_llvm_changes_nothing() -> None:
    assert lines(SYNC, check(SYNC, ("gpu-to-llvm", "gpu-async-region")), "GA102") == [2, 3, 4, 5]


def test_passes_that_this_tool_lacks_are_left_aside() -> None:
    assert check(SYNC, ("some-other-pass", "func.func(gpu-async-region)")) == ()


def test_an_async_chain_before_a_sync_op_is_destroyed_twice() -> None:
    text = SYNC.replace("  gpu.memcpy %p, %h", "  %t = gpu.wait async\n  %a = gpu.memcpy async [%t] %p, %h")
    text = text.replace("  return", "  gpu.wait [%a]\n  return")
    found = check(text)
    assert lines(text, found, "GA201") == [7]
    assert all(f.message.startswith("After") for f in found if f.code == "GA201")


def test_a_host_shared_alloc_becomes_async() -> None:
    text = SYNC.replace("gpu.alloc ()", "gpu.alloc host_shared ()")
    assert lines(text, check(text), "GA105") == [2]


def test_where_the_pass_fails_the_text_itself_is_checked() -> None:
    launch = (
        "  %c1 = arith.constant 1 : index\n"
        "  gpu.launch blocks(%a, %b, %c) in (%x = %c1, %y = %c1, %z = %c1)"
        " threads(%i, %j, %k) in (%u = %c1, %v = %c1, %w = %c1) {\n"
        "    memref.store %f, %h[%c1] : memref<4xf32>\n    gpu.terminator\n  }\n"
    )
    text = SYNC.replace("(%h:", "(%f: f32, %h:").replace("  return", launch + "  return")
    codes = {f.code for f in check(text)}
    assert {"GA108", "GA102"} <= codes


def test_findings_of_the_text_itself_keep_their_fixes() -> None:
    text = SYNC.replace("  return", "  gpu.wait\n  return")
    (finding,) = (f for f in check(text, ()) if f.code == "GA210")
    assert finding.fixes


CASE_FILES = sorted(CASES.glob("*.mlir")) if CASES.exists() else []

OTHER_ITEMS = {
    "D_call_token.mlir": "what callers pass and callees return is taken from the text, not from the pass"
}


def test_no_pass_runs_on_what_is_refused() -> None:
    text = """func.func @f() {
  "scf.execute_region"() ({
  ^bb0(%i: i32):
    scf.yield
  }) : () -> ()
  return
}
"""
    (finding,) = check(text, pipeline=("canonicalize", *PIPELINE))
    assert finding.code == "GA003"
    assert finding.message in mlir_opt(22)(text).err


def check_agreement(paths: list[object]) -> None:
    """Check that the findings are those of the real pass's output."""
    tool = mlir_opt(22)
    compared = 0
    for path in paths:
        text = path.read_text("utf-8")  # type: ignore[attr-defined]
        printed = tool(text, "--pass-pipeline=builtin.module(func.func(gpu-async-region))")
        if printed.code or path.name in OTHER_ITEMS:  # type: ignore[attr-defined]
            continue
        compared += 1
        assert families(check(text)) == families(check_source(printed.out, Config(llvm=22))), path
    assert compared > len(paths) // 2


def families(findings: object) -> set[str]:
    """Return the codes of the findings, without those about syntax and without GA507."""
    counted = Counter(f.code for f in findings)  # type: ignore[attr-defined]
    return {code for code in counted if not code.startswith("GA0") and code != "GA507"}


@pytest.mark.slow
@pytest.mark.skipif(not CASE_FILES, reason="the shared cases are not here")
@pytest.mark.parametrize("every", [6, pytest.param(1, marks=pytest.mark.campaign)])
def test_findings_agree_with_the_real_pass_on_cases(every: int) -> None:
    check_agreement(CASE_FILES[::every])
