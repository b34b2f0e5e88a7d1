"""Kernels and blocks that wait for each other terminate; a deadlock is reported with both locations."""

from __future__ import annotations

import pytest

from gpuasync_lsp.exec.worker.cpu.kernels.spinning import spinning
from tests.exec.harness import run
from tests.support.texts import texts_beside
from tests.support.thinning import thinned

TEXTS = texts_beside(__file__)

MEETING = TEXTS["MEETING"]


def meeting(blocks: int = 1, threads: int = 1, wanted: int = 2, one_stream: bool = False) -> str:
    text = MEETING.replace("BLOCKS", str(blocks)).replace("THREADS", str(threads))
    text = text.replace("WANTED", str(wanted)).replace("OTHER", "s1" if one_stream else "t")
    return text.replace("LAST", "t1").replace("FIRST", "t" if one_stream else "s1")


@pytest.mark.parametrize(("blocks", "threads"), [(1, 1), (3, 1), (2, 33)])
@pytest.mark.parametrize("seed", thinned([None, 1, 2, 3], 4))
def test_kernels_of_two_streams_meet(blocks: int, threads: int, seed: int | None) -> None:
    wanted = 2 * blocks * threads
    text = meeting(blocks, threads, wanted)
    report = run(text, arguments=(("count", "zeros"),), shared_arguments=True, seed=seed)
    assert report.outcome == "ok", report
    assert report.values[0].preview == f"[{wanted}]"


@pytest.mark.parametrize("seed", [None, 1])
def test_kernels_that_never_meet_are_told_with_both_places(seed: int | None) -> None:
    text = meeting(wanted=3)
    report = run(text, arguments=(("count", "zeros"),), shared_arguments=True, seed=seed)
    (finding,) = report.findings
    assert finding.name == "deadlock"
    lines = text.splitlines()
    assert "%value = memref.atomic_rmw" in lines[finding.place.line - 1]
    told = [lines[related.place.line - 1].strip() for related in finding.related]
    assert told[0].startswith("%value")
    assert {line.split(" ")[0] for line in told[1:]} == {"%s1", "%t1"}


def test_a_kernel_that_waits_for_a_later_one_of_its_stream_is_a_deadlock() -> None:
    text = meeting(one_stream=True)
    (finding,) = run(text, arguments=(("count", "zeros"),), shared_arguments=True).findings
    assert finding.name == "deadlock"
    assert "the threads of 1 kernel wait for a value that no other thread writes" in finding.message


LOCK = TEXTS["LOCK"]


def test_a_lock_lets_one_thread_in_at_a_time() -> None:
    report = run(LOCK, arguments=(("lock", "zeros"), ("sum", "zeros")), shared_arguments=True)
    assert report.outcome == "ok", report
    assert [value.preview for value in report.values] == ["[0]", "[16]"]


def body(text: str) -> list[str]:
    return [line for line in text.splitlines() if line]


def test_loops_that_wait_are_told_from_loops_that_work() -> None:
    spin = body("""
b0:
  br label %b1
b1:
  %v = atomicrmw add ptr %p, i32 0 acq_rel, align 4
  %c = icmp slt i32 %v, 2
  br i1 %c, label %b1, label %b2
b2:
  ret void""")
    assert spinning(spin) == {"%v"}
    assert spinning([line.replace("i32 %v, 2", "i32 %n, 2") for line in spin]) == set()
    retry = [
        line.replace("atomicrmw add ptr %p, i32 0", "cmpxchg ptr %p, i32 %old, i32 %new") for line in spin
    ]
    assert spinning(retry) == set()
    lock = [line.replace("atomicrmw add ptr %p, i32 0", "cmpxchg ptr %p, i32 0, i32 1") for line in spin]
    assert spinning(lock) == {"%v"}
    assert spinning([line.replace("label %b1, label %b2", "label %b2, label %b2") for line in spin]) == set()


HANDSHAKE = TEXTS["HANDSHAKE"]
SETS = "%u = memref.atomic_rmw addi %one, %flag[%c0] : (i32, memref<1xi32>) -> i32"
ZEROS = (("flag", "zeros"), ("box", "zeros"), ("out", "zeros"))


@pytest.mark.parametrize("order", ["late", "early", "latest", "held:0", "held:1", "seed:3"])
def test_a_flag_orders_what_two_kernels_do(order: str) -> None:
    text = HANDSHAKE.replace("EARLY", "").replace("LATE", SETS)
    report = run(text, arguments=ZEROS, shared_arguments=True, order=order)
    assert report.findings == ()
    assert report.values[2].preview == "[1 2 3 4]"


@pytest.mark.parametrize("order", ["late", "held:1"])
def test_a_flag_that_is_set_before_the_data_orders_nothing(order: str) -> None:
    text = HANDSHAKE.replace("EARLY", SETS).replace("LATE", "")
    (finding,) = run(text, arguments=ZEROS, shared_arguments=True, order=order).findings
    assert finding.name == "kernel-race"
    assert "of the kernel @k::@give writes, with no atomic update that orders them" in finding.message
    lines = text.splitlines()
    told = [lines[related.place.line - 1].strip().split(" ")[0] for related in finding.related]
    assert lines[finding.place.line - 1].strip().startswith("%v = memref.load %box")
    assert told == ["memref.store", "%t1", "%s1"]
