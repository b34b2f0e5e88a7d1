"""The pairs of racy and race-free functions: what the run sees agrees with what the rules say of them.

`PATH` lists where one run cannot see what holds over all paths, and why.
"""

from __future__ import annotations

import re

import pytest

from gpuasync_lsp.exec.prepare import prepare
from gpuasync_lsp.exec.program import RunOptions
from tests.exec.harness import FIXTURES

RACES = FIXTURES.parent / "races"

BAD = {"data-race", "host-race", "use-after-dealloc", "double-dealloc"}

DEAD_LOAD = "LLVM 22 and later delete the load, whose result is unused, before they lower anything"

EXCEPTIONS: dict[str, str] = {
    "racy_one_branch_waits": DEAD_LOAD,
    "racy_loop_leaves_work": DEAD_LOAD,
    "racy_rounds_race": "the loop runs once for the arguments given",
    "racy_cf_branches": DEAD_LOAD,
    "racy_switch": DEAD_LOAD,
    "racy_while": "the loop ends only by its condition, which does not change",
    "free_while": "the loop ends only by its condition, which does not change",
}

READS = """func.func private @print(%m: memref<8xf32>) {
    %i = arith.constant 0 : index
    %v = memref.load %m[%i] : memref<8xf32>
    memref.store %v, %m[%i] : memref<8xf32>
    return
  }"""


def functions() -> list[tuple[str, str]]:
    return [
        (file.name, name)
        for file in sorted(RACES.glob("*.mlir"))
        for name in re.findall(r"func\.func @((?:racy|free)_\w+)\(", file.read_text())
    ]


@pytest.mark.slow
@pytest.mark.parametrize("file", sorted({file for file, _ in functions()}))
def test_runs_agree_with_the_rules(file: str) -> None:
    text = (RACES / file).read_text()
    text = re.sub(r"func\.func private @print\(memref<8xf32>\)", READS, text)
    wrong: list[str] = []
    compared = 0
    for name in [name for each, name in functions() if each == file]:
        if name in EXCEPTIONS or name not in DYNAMIC:
            continue
        seen = verdict(text, name)
        compared += 1
        if bool(seen & BAD) != name.startswith("racy"):
            wrong.append(f"{name}: {sorted(seen)}")
    assert not wrong
    assert compared or file == "control_flow.mlir"
