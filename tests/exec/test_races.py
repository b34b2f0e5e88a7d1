"""The racy and race-free pairs of the rules: the findings of a run agree with the functions' names.

Lowered as in LLVM 19, which keeps loads with unused results (22 deletes them first). A run follows one path,
sees the bytes really accessed, and nothing of a kernel without code.
"""

from __future__ import annotations

import itertools
import re

import pytest

from gpuasync_lsp.exec.prepare import prepare
from gpuasync_lsp.exec.program import RunOptions
from tests.exec.harness import FIXTURES

RACES = FIXTURES.parent / "races"
BAD = {"data-race", "host-race", "use-after-dealloc", "double-dealloc"}
VERSION = 19

DISAGREE = {
    "racy_host_reads_result": "the kernel writes another element than the host reads",
    "racy_atomics_of_host_and_kernel": "atomic updates are ordered in a run, whoever makes them",
    "racy_launch_of_one_element": "the index that is made up is none of the buffer",
    "racy_launch_of_a_row": "the index that is made up is none of the buffer",
    "racy_filled_in_the_second": "a read before any write is read-of-uninitialized in a run",
}
"""Functions that race by the static rules but not in this run."""

COMPILED = {
    f"{kind}_{what}" for kind in ("racy", "free") for what in ("halves", "half_and_whole", "parts_that_move")
}
"""Functions whose kernel exists only as a fatbin, which the CPU cannot run."""

ENDLESS = {"racy_while", "free_while"} | {f"{kind}_callees_that_call_each_other" for kind in ("racy", "free")}
"""Functions that do not terminate, since their condition never changes."""

PRINT = """func.func private @print(%m: memref<8xf32>) {
    %i = arith.constant 0 : index
    %v = memref.load %m[%i] : memref<8xf32>
    memref.store %v, %m[%i] : memref<8xf32>
    return
  }"""


def functions(text: str) -> list[str]:
    return re.findall(r"func\.func @((?:racy|free)_\w+)\(", text)


def with_three_rounds(text: str) -> str:
    """Change the loops from one iteration to three: their upper bound `%n`, equal to the step, is tripled."""
    numbers = itertools.count()

    def longer(loop: re.Match[str]) -> str:
        n = next(numbers)
        return (
            f"%three{n} = arith.constant 3 : index\n%end{n} = arith.muli %n, %three{n} : index\n"
            f"{loop[1]}%end{n} step %n"
        )

    return re.sub(r"(scf\.for %\w+ = %\w+ to )%n step %n", longer, text)


def verdict(text: str, name: str) -> set[str] | str:
    """Run a function twice, to take both branches; return the names of the findings, or why it cannot run."""
    from gpuasync_lsp.exec.worker.cpu.backend import CpuBackend
    from gpuasync_lsp.exec.worker.jit import Jit
    from gpuasync_lsp.exec.worker.rejection import RunRejected
    from gpuasync_lsp.exec.worker.session import Session

    program = prepare(text, VERSION, name).program
    seen: set[str] = set()
    for given in ({"c": "1", "n": "1"}, {"c": "0", "n": "2"}):
        names = [p.name.strip("%") for p in program.parameters]
        options = RunOptions(
            device="cpu",
            arguments=tuple((n, given[n]) for n in names if n in given),
            shared_arguments=True,
            memory_limit=1 << 28,
        )
        jit = Jit()
        try:
            report = Session(program, options, {}).run(jit, CpuBackend(jit, program, options))
        except RunRejected as refused:
            return refused.message
        seen |= {finding["name"] for finding in report["findings"]}
    return seen


@pytest.mark.slow
@pytest.mark.parametrize("file", sorted(path.name for path in RACES.glob("*.mlir")))
def test_runs_agree_with_the_rules(file: str) -> None:
    text = (RACES / file).read_text()
    text = text.replace("func.func private @print(memref<8xf32>)", PRINT)
    text = text.replace("@show(", "@printMemrefF32(")
    text = with_three_rounds(text)
    wrong: list[str] = []
    compared = 0
    for name in functions(text):
        if name in ENDLESS:
            continue
        seen = verdict(text, name)
        if isinstance(seen, str):
            assert name in COMPILED, f"{name}: {seen}"
            assert "contains only fatbin" in seen
            continue
        compared += 1
        racy = name.startswith("racy") and name not in DISAGREE
        if bool(seen & BAD) != racy:
            wrong.append(f"{name}: {sorted(seen)}")
    assert not wrong
    assert compared > 1
