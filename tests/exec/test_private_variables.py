"""Private variables of a thread: in loops, near barriers, with dynamic sizes."""

from __future__ import annotations

import pytest

from gpuasync_lsp.exec.prepare import NotRunnable
from tests.exec.harness import compute, run
from tests.support.texts import texts_beside

TEXTS = texts_beside(__file__)

PROGRAM = TEXTS["PROGRAM"]


@pytest.mark.parametrize("where", ["before", "within"])
def test_a_variable_of_a_loop_is_made_once(where: str) -> None:
    """A coroutine cannot grow the stack, and 64 allocations of 16 KiB would not fit on a thread's stack."""
    parts = {"before": "", "within": "", where: "gpu.barrier"}
    text = PROGRAM.format(count="", extent="16", **parts)
    report = run(text, shared_arguments=True)
    assert (report.outcome, report.findings) == ("ok", ())
    assert compute(text, 22, shared_arguments=True).arrays["o"].tolist() == list(range(64))


def test_a_variable_of_a_size_that_a_run_tells_is_checked_by_it() -> None:
    text = PROGRAM.format(count="%n", extent="?", before="", within="")
    assert not run(text, shared_arguments=True).findings
    found = run(text.replace("%p[%c2]", "%p[%c64]"), shared_arguments=True).findings
    assert [each.name for each in found] == ["out-of-bounds"]
    assert "byte 256 of 64 bytes of private memory" in found[0].message


def test_beside_barriers_such_a_variable_is_refused_at_its_line() -> None:
    report = run(PROGRAM.format(count="%n", extent="?", before="", within="gpu.barrier"))
    assert report.outcome == "refused"
    assert "a variable whose size is only known at run time" in report.message
    assert report.place.line == PROGRAM[: PROGRAM.index("%p = ")].count("\n") + 1


def test_an_exchange_of_floats_is_refused_at_its_line_before_24() -> None:
    text = """
func.func @main(%o: memref<4xf32>) {
  %c1 = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
    %u = memref.generic_atomic_rmw %o[%c1] : memref<4xf32> {
    ^bb0(%c: f32):
      %n = arith.addf %c, %c : f32
      memref.atomic_yield %n : f32
    }
    gpu.terminator
  }
  return
}
"""
    with pytest.raises(NotRunnable, match="operand #1 must be signless integer") as raised:
        run(text)
    assert raised.value.span is not None
    assert text.startswith("%u = memref.generic_atomic_rmw", raised.value.span.start)


@pytest.mark.parametrize(("count", "told"), [(131072, []), (131073, ["invalid-launch", "out-of-bounds"])])
def test_a_variable_of_more_than_a_thread_may_have_is_told_and_not_made(count: int, told: list[str]) -> None:
    text = PROGRAM.format(count="%n", extent="?", before="", within="").replace("%p[%c2]", "%p[%last]")
    text = text.replace("%p = ", "%last = arith.subi %n, %c1 : index\n    %p = ")
    report = run(text, shared_arguments=True, arguments=(("n", str(count)),))
    assert list(dict.fromkeys(f.name for f in report.findings)) == told
    if told:
        assert report.findings[0].message.startswith("this variable of a thread takes 512 KiB")
        assert "%p = " in text.splitlines()[report.findings[0].place.line - 1]


def test_a_variable_without_elements_has_no_room() -> None:
    text = PROGRAM.format(count="%n", extent="?", before="", within="")
    findings = run(text, shared_arguments=True, arguments=(("n", "0"),)).findings
    assert {f.name for f in findings} == {"out-of-bounds", "division-without-quotient"}


def test_recursion_in_a_kernel_is_refused_at_its_call() -> None:
    text = """
module attributes {gpu.container_module} {
  gpu.module @k {
    func.func @down(%n: i32) -> i32 {
      %c1 = arith.constant 1 : i32
      %last = arith.cmpi sle, %n, %c1 : i32
      cf.cond_br %last, ^end, ^on
    ^on:
      %m = arith.subi %n, %c1 : i32
      %r = func.call @down(%m) : (i32) -> i32
      return %r : i32
    ^end:
      return %c1 : i32
    }
    gpu.func @f(%n: i32) kernel {
      %r = func.call @down(%n) : (i32) -> i32
      gpu.return
    }
  }
  func.func @main(%n: i32) {
    %c1 = arith.constant 1 : index
    gpu.launch_func @k::@f blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%n : i32)
    return
  }
}
"""
    report = run(text)
    assert report.outcome == "refused"
    assert "the kernel calls @down, which is recursive" in report.message
    assert "func.call @down(%" in text.splitlines()[report.place.line - 1]
