"""Bugs in kernels are found at their lines, and the repaired twins have no findings.

The cases in `kernel_bugs_held` are held out: they were written before the checks, which were not tuned
to them.
"""

from __future__ import annotations

import re

import pytest

from gpuasync_lsp.exec.prepare import Prepared, prepare
from gpuasync_lsp.exec.program import AccessedType, RunOptions
from tests.exec.harness import run
from tests.exec.kernel_bugs import Bug, bugs
from tests.exec.kernel_manners import kernels
from tests.support.thinning import thinned

KNOWN, HELD = bugs("kernel_bugs"), bugs("kernel_bugs_held")
RECALL = 0.97
"""Minimum recall for the held-out cases."""


def findings(text: str, *, check: bool = True) -> tuple[Prepared, list[dict]]:
    from gpuasync_lsp.exec.worker.cpu.backend import CpuBackend
    from gpuasync_lsp.exec.worker.jit import Jit
    from gpuasync_lsp.exec.worker.session import Session

    prepared = prepare(text, 22)
    options = RunOptions(device="cpu", shared_arguments=True, memory_limit=1 << 28, check=check)
    jit = Jit()
    report = Session(prepared.program, options, {}).run(jit, CpuBackend(jit, prepared.program, options))
    return prepared, report["findings"]


def found_at_its_lines(bug: Bug) -> bool:
    prepared, found = findings(bug.broken)
    for each in found:
        lines = [prepared.place_of(each["site"]).line]
        if bug.finding == "kernel-race":
            lines.append(prepared.place_of(each["related"][0]["site"]).line)
        if each["name"] in (bug.finding, f"{bug.finding}-same-value") and bug.lines.issuperset(lines):
            return True
    return False


@pytest.mark.parametrize("bug", thinned(KNOWN, 8), ids=str)
def test_a_bug_is_found_at_its_lines(bug: Bug) -> None:
    assert found_at_its_lines(bug)


@pytest.mark.slow
@pytest.mark.parametrize("bug", KNOWN + HELD, ids=str)
def test_nothing_is_said_of_the_repaired_twin(bug: Bug) -> None:
    assert [each for each in findings(bug.sound)[1] if each["level"] != "information"] == []


@pytest.mark.slow
def test_bugs_that_the_checks_were_not_fitted_to_are_found() -> None:
    missed = [bug.name for bug in HELD if not found_at_its_lines(bug)]
    assert len(missed) <= (1 - RECALL) * len(HELD) + 0.5, missed


MANNERS = kernels()
"""Kernels in the style of CUTLASS's DSL, Triton's dumps, Polygeist and IREE."""


@pytest.mark.slow
@pytest.mark.parametrize("bug", MANNERS, ids=str)
def test_bugs_of_kernels_as_others_write_them_are_found_and_their_twins_are_clean(bug: Bug) -> None:
    prepared, found = findings(bug.broken)
    sites = [s for each in found if _is(each["name"], bug) for s in (each, *each["related"])]
    assert bug.lines & {prepared.place_of(each["site"]).line for each in sites}
    assert [each for each in findings(bug.sound)[1] if each["level"] != "information"] == []


def _is(name: str, bug: Bug) -> bool:
    return name.removesuffix("-same-value") in bug.finding.split("|")


PRODUCT = next(bug for bug in KNOWN if bug.name.startswith("tiled product without its first"))


def test_a_race_names_both_lines_both_threads_and_the_element() -> None:
    report = run(PRODUCT.broken, shared_arguments=True)
    lines = PRODUCT.broken.splitlines()
    race = next(f for f in report.findings if f.name == "kernel-race" and "%p" in lines[f.place.line - 1])
    assert re.fullmatch(
        r"thread \(\d+, \d+, 0\) of block \(0, 0, 0\) (reads|writes) element \[\d+, \d+\] of workgroup "
        r"memory, which thread \(\d+, \d+, 0\) of block \(0, 0, 0\) (reads|writes), with no barrier "
        r"between them",
        race.message,
    )
    assert "%p" in lines[race.related[0].place.line - 1]
    assert "gpu.launch" in lines[race.related[1].place.line - 1]


def test_without_checks_a_run_says_nothing_of_races_in_kernels() -> None:
    assert findings(PRODUCT.broken, check=False)[1] == []


def test_threads_that_wait_for_each_other_are_told_with_both_places() -> None:
    text = """
func.func @main(%x: memref<32xf32>) {
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  %w = arith.constant 32 : i32
  %o = arith.constant 1 : i32
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%sx = %c32, %sy = %c1, %sz = %c1) {
    %v = memref.load %x[%tx] : memref<32xf32>
    %in = arith.cmpi ult, %tx, %c8 : index
    scf.if %in {
      %s, %ok = gpu.shuffle xor %v, %o, %w : f32
    } else {
      gpu.barrier
    }
    gpu.terminator
  }
  return
}
"""
    finding = next(f for f in run(text, shared_arguments=True).findings if f.name == "deadlock")
    places = {finding.place.line, finding.related[0].place.line}
    assert {text.splitlines()[line - 1].split()[0].strip("%s,") for line in places} == {"", "gpu.barrier"}


@pytest.mark.parametrize(
    ("shape", "offset", "name"),
    [
        ((4, 8), 44, "element [1, 3]"),
        ((-1, 8), 44, "element [1, 3]"),
        ((4, -1), 44, "element 11"),
        ((), 0, "element []"),
        ((2, 3, 4), 4 * 23, "element [1, 2, 3]"),
    ],
)
def test_an_element_is_named_as_far_as_extents_are_known(
    shape: tuple[int, ...], offset: int, name: str
) -> None:
    assert AccessedType(4, shape).element_at(offset) == name
