"""Dependent launches in a CPU run: accesses of a kernel before its wait race with the previous kernel."""

from __future__ import annotations

import re

import pytest

from gpuasync_lsp.exec.prepare import prepare
from gpuasync_lsp.exec.program import RunOptions
from gpuasync_lsp.exec.worker.cpu.backend import CpuBackend
from gpuasync_lsp.exec.worker.jit import Jit
from gpuasync_lsp.exec.worker.session import Session
from tests.support.tools import FIXTURES

TEXT = (FIXTURES / "rules" / "dependent_launch_race.mlir").read_text()
PARTS = {
    name: part
    for part in TEXT.split("// -----\n")
    for name in re.findall(r"func\.func @((?:fires|silent)\w*)\(", part)
}
UNSEEN = {
    "fires_chain_without_middle_wait": "a run has a kernel's end follow all that its stream did before",
    "fires_inline_asm": "the CPU has no inline assembly",
    "silent_inline_asm": "the CPU has no inline assembly",
}


@pytest.mark.parametrize("name", sorted(PARTS.keys() - UNSEEN.keys()))
def test_a_run_finds_what_the_rule_finds(name: str) -> None:
    program = prepare(PARTS[name], 23, name).program
    jit, options = Jit(), RunOptions(device="cpu", memory_limit=1 << 28)
    report = Session(program, options, {}).run(jit, CpuBackend(jit, program, options))
    races = [found for found in report["findings"] if found["name"] == "data-race"]
    assert bool(races) == name.startswith("fires"), report["findings"]
