"""Previews with folded memref descriptor ops: their text and their links."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from gpuasync_lsp.ide.document.settings import Settings
from gpuasync_lsp.ide.document.state import file_state
from gpuasync_lsp.ide.document.targets import SettingsResolver
from gpuasync_lsp.ide.preview.preview import Preview, preview, view_of
from gpuasync_lsp.text import LineIndex

FIXTURES = Path(__file__).parents[2] / "fixtures"
FILES = sorted(
    [*(FIXTURES / "streams").glob("*.mlir"), *(FIXTURES.parent / "editors" / "fixtures").glob("*.mlir")]
    + [FIXTURES / "lowering" / f"{name}.mlir" for name in ("calls", "memref", "nested_launch", "transfers")]
)
TWO_COPIES = """
func.func @f(%a: memref<?x8xf32>, %n: index, %c: i1) {
  %d = memref.alloc(%n) : memref<?x8xf32>
  scf.if %c {
    %s = memref.alloc() : memref<4xi8>
    memref.dealloc %s : memref<4xi8>
  } else {
    %s = memref.alloc() : memref<5xi8>
    memref.dealloc %s : memref<5xi8>
  }
  %t = gpu.wait async
  %u = gpu.memcpy async [%t] %d, %a : memref<?x8xf32>, memref<?x8xf32>
  gpu.wait [%u]
  return
}
"""


def shown(text: str, llvm: int, *, folded: bool, explained: bool = False) -> Preview:
    """Return the preview of a text, with or without folded descriptors."""
    state = file_state(LineIndex(text), None, SettingsResolver(Settings()))
    return preview(state, llvm, view=replace(view_of(explained=explained), folds_descriptors=folded))


def names(found: Preview) -> list[str]:
    """Return the marked stream names, in order."""
    lines, row, column, result = found.text.split("\n"), 0, 0, list[str]()
    for at in range(0, len(found.marks), 4):
        rows, columns, length, _ = found.marks[at : at + 4]
        row, column = row + rows, columns + (column if rows == 0 else 0)
        result.append(lines[row][column : column + length])
    return result


UNRANKED = """
func.func private @print(memref<*xf32>)
func.func @f(%a: memref<8xf32>) {
  %u = memref.cast %a : memref<8xf32> to memref<*xf32>
  gpu.host_register %u : memref<*xf32>
  call @print(%u) : (memref<*xf32>) -> ()
  return
}
"""


@pytest.mark.parametrize("llvm", [16, 23])
def test_a_line_for_each_unranked_memref(llvm: int) -> None:
    found = shown(UNRANKED, llvm, folded=True)
    assert "insertvalue" not in found.text
    assert "extractvalue" not in found.text
    assert "%11 = memref(rank 1, %7)  // 4 ops" in found.text
    assert "%14 = bytes(1 x f32)  // 3 ops" in found.text
    assert found.text.count("(%11[all fields]") == 2


@pytest.mark.parametrize("llvm", [16, 22, 24])
def test_a_line_for_each_memref(llvm: int) -> None:
    found = shown(TWO_COPIES, llvm, folded=True)
    assert "insertvalue" not in found.text
    assert "extractvalue" not in found.text
    told = re.findall(r"%\d+ = memref\((.*)\)  // (\d+) ops", found.text)
    assert told[0][0] == ("%arg0, %arg1, offset %arg2, sizes [%arg3, %arg4], strides [%arg5, %arg6]")
    assert re.findall(r"sizes \[([^]]*)", found.text) == [
        "%arg3, %arg4",
        "%arg7, 8",
        "4",
        "5",
    ]
    # Values in sibling regions have equal names, but each use refers to its own descriptor.
    freed = re.findall(r"(%\d+) = memref.*sizes \[[45]\].*\n.*@free\((%\d+)\[allocated\]\)", found.text)
    assert [one == other for one, other in freed] == [True, True]
    assert re.search(r"@mgpuMemcpy\((%\d+)\[aligned\], (%\d+)\[aligned\], ", found.text)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
@pytest.mark.parametrize("llvm", [19, 23])
def test_links_lead_to_the_same(path: Path, llvm: int) -> None:
    text = path.read_text()
    whole, folded = (shown(text, llvm, folded=each) for each in (False, True))
    before, after = whole.text.split("\n"), folded.text.split("\n")
    assert len(before) - len(after) == folded.folded
    assert names(folded) == names(whole)
    assert [(start, finding) for _, start, finding in folded.findings] == [
        (start, finding) for _, start, finding in whole.findings
    ]
    for line, rows in whole.line_map.items():
        calls = [_op(before[row]) for row in rows if "call @" in before[row]]
        assert not calls or calls == [
            _op(after[row]) for row in folded.line_map.get(line, ()) if "call @" in after[row]
        ]
        if any(not _IS_READ.search(before[row]) for row in rows):
            assert folded.line_map[line], f"line {line + 1} leads nowhere"
    # Folding adds no op other than descriptors.
    kept = [_op(line) for line in after if not _STANDS.search(line)]
    assert not (more := [op for op in kept if op not in {_op(line) for line in before}]), more


def _op(line: str) -> str:
    """Return a line up to its operands, without value names and accesses to descriptor fields."""
    return re.sub(r"%[\w$.-]+(\[[a-z]+( \d+)?\])?", "%", line).partition("(")[0]


_IS_READ = re.compile(r" = llvm\.(?:extractvalue|insertvalue|mlir\.\w+)\b")
_STANDS = re.compile(r" = (?:memref|bytes)\(.*  // \d+ ops$")
