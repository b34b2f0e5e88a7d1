"""A state that is read without checks, as `lower` does, computes the same findings when they are
requested."""

from __future__ import annotations

from gpuasync_lsp.ide.document.settings import Settings
from gpuasync_lsp.ide.document.state import file_state
from gpuasync_lsp.ide.document.targets import SettingsResolver
from gpuasync_lsp.ide.preview.preview import preview
from gpuasync_lsp.text import LineIndex

_LEAKS = """
func.func @f(%h: memref<4xf32>) {
  %t = gpu.wait async
  %d, %t1 = gpu.alloc async [%t] () : memref<4xf32>
  return
}
"""


def test_that_findings_are_looked_for_when_they_are_asked_for() -> None:
    resolver = SettingsResolver(Settings())
    checked = file_state(LineIndex(_LEAKS), None, resolver)
    unchecked = file_state(LineIndex(_LEAKS), None, resolver, checked=False)
    shown = preview(unchecked, repeats=False)
    assert not shown.findings
    assert "findings" not in vars(unchecked), "lowering has looked for findings"
    assert shown.text == preview(checked).text
    assert preview(checked).findings
    assert unchecked.all_findings() == checked.all_findings() != []
