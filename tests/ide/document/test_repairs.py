"""All fixes of a text, together or one by one, cause no new finding, and the result lowers in the real tool.

The first line of `fixtures/fixes/NAME.mlir` names a release and the allowed fixes; `NAME.fixed.mlir` is the
fixed text (GPUASYNC_UPDATE=1 rewrites it).
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator
from pathlib import Path

import pytest

from gpuasync_lsp.ide.document.checker import Checker
from gpuasync_lsp.ide.document.fix_all import Repairs
from gpuasync_lsp.ide.document.settings import Settings
from gpuasync_lsp.ide.document.targets import SettingsResolver
from gpuasync_lsp.syntax import parse_source
from gpuasync_lsp.text import Finding, Safety
from tests.generated.real import gpu_to_llvm
from tests.support.marks import state_of
from tests.support.tools import FIXTURES, mlir_opt

FILES = sorted(p for p in (FIXTURES / "fixes").glob("*.mlir") if ".fixed." not in p.name)
ALLOWED: dict[str, Collection[Safety]] = {"safe": {Safety.SAFE}, "unsafe": {Safety.SAFE, Safety.UNSAFE}}
FAULTS = ("GA0", "GA1", "GA2", "GA3", "GA4")


def repairs_of(text: str, version: int, **settings: tuple[str, ...]) -> Repairs:
    resolved = SettingsResolver(Settings(llvm=version, **settings)).resolve(None, text)
    return Repairs(Checker(resolved), parse_source(text))


def case(path: Path) -> tuple[str, int, Collection[Safety]]:
    text = path.read_text()
    head = re.match(r"// LLVM (\d+), (safe|unsafe) fixes: ", text)
    assert head
    return text, int(head[1]), ALLOWED[head[2]]


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_all_fixes_give_the_fixed_text(path: Path) -> None:
    text, version, allowed = case(path)
    fixed = repairs_of(text, version).apply_all(allowed)
    expected = path.with_suffix(".fixed.mlir")
    if os.environ.get("GPUASYNC_UPDATE") == "1":
        expected.write_text(fixed.text)
    assert fixed.text == expected.read_text()


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_what_is_fixed_lowers(path: Path) -> None:
    text, version, allowed = case(path)
    fixed = repairs_of(text, version).apply_all(allowed).text
    if any(finding.code.startswith("GA0") for finding in findings(fixed, version)):
        pytest.skip("the text has errors that nobody can fix")
    assert mlir_opt(version)(fixed, "--convert-scf-to-cf", gpu_to_llvm(version)).code == 0


def findings(text: str, version: int) -> Iterator[Finding]:
    return iter(Checker(SettingsResolver(Settings(llvm=version)).resolve(None, text)).check(text))


def test_a_fix_is_refused_for_a_fault_that_settings_silence() -> None:
    text = (FIXTURES / "fixes" / "stream_to_wait_for.mlir").read_text()
    for settings in ({"select": ("GA103",)}, {"ignore": ("GA4",)}):
        fixed = repairs_of(text, 22, **settings).apply_all({Safety.SAFE, Safety.UNSAFE})
        left = {f.code for f in findings(fixed.text, 22) if f.code.startswith(FAULTS)}
        assert left == {"GA103"}, fixed.text


def test_a_single_fix_takes_what_has_to_follow_along() -> None:
    text = "// gpuasync: llvm=22\n" + (FIXTURES / "fixes" / "stream_to_wait_for.mlir").read_text()
    state = state_of(text)
    _, on_one_path, joined = (f for f in state.all_findings() if f.code == "GA103")
    assert state.repairs.apply(on_one_path, on_one_path.fixes[0]) is None
    step = state.repairs.apply(joined, joined.fixes[0])
    assert step is not None
    assert [code for code, _ in step.applied] == ["GA103", "GA402"]


NULL_STREAM = """// gpuasync: llvm=23
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @add(%x: memref<4xf32>, %y: memref<4xf32>) kernel {
      gpu.return
    }
  }
  func.func @f() {
    %c1 = arith.constant 1 : index
    %x, %t0 = gpu.alloc async () : memref<4xf32>
    %y, %t1 = gpu.alloc async () : memref<4xf32>
    %t2 = gpu.launch_func async [%t0, %t1] @kernels::@add
      blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%x : memref<4xf32>, %y : memref<4xf32>)
    gpu.wait
    gpu.dealloc %x : memref<4xf32>
    gpu.dealloc %y : memref<4xf32>
    return
  }
}
"""


def test_a_wait_for_nothing_stays_while_work_may_run_on_the_null_stream() -> None:
    assert repairs_of(NULL_STREAM, 23).apply_all({Safety.SAFE}).text == NULL_STREAM


def test_a_safe_fix_that_a_wait_must_follow_is_offered_as_unsafe() -> None:
    state = state_of(NULL_STREAM)
    null, _ = (f for f in state.all_findings() if f.code == "GA209")
    step = state.repairs.apply(null, null.fixes[0])
    assert step is not None
    assert null.fixes[0].safety is Safety.SAFE
    assert not step.is_safe
    assert [code for code, _ in step.applied] == ["GA209", "GA401"]
