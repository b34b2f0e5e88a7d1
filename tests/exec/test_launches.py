"""Launch limits, and messages about work that is never waited for."""

from __future__ import annotations

import pytest

from tests.exec.harness import UNLOADED, compute, run
from tests.support.texts import texts_beside

TEXTS = texts_beside(__file__)

LAUNCH = TEXTS["LAUNCH"]


@pytest.mark.parametrize(
    ("kernel", "cluster", "grid", "said"),
    [
        ("small", "", "c3", ""),
        ("large", "", "c3", "@large declares 64 KiB of shared memory, but ptxas accepts at most 48 KiB"),
        ("greedy", "", "c3", "the variables of a thread of @greedy take 3.81 MiB, but the limit is 512 KiB"),
        ("small", "clusters in (%c2, %c1, %c1)", "c4", ""),
        (
            "small",
            "clusters in (%c2, %c1, %c1)",
            "c3",
            "CLUSTER_SIZE: a grid of (3, 1, 1) blocks cannot be divided",
        ),
        ("small", "clusters in (%c16, %c1, %c1)", "c16", "is over the limit of 8 blocks"),
    ],
)
def test_limits_of_a_launch_are_kept(kernel: str, cluster: str, grid: str, said: str) -> None:
    text = LAUNCH.replace("KERNEL", kernel).replace("CLUSTER", cluster).replace("GRID", grid)
    report = run(text, 22)
    assert bool(report.findings) == bool(said), report.findings
    for finding in report.findings:
        assert finding.name == "invalid-launch"
        assert said in finding.message
        assert "gpu.launch_func" in text.splitlines()[finding.place.line - 1]


DECLARED = TEXTS["DECLARED"]


@pytest.mark.parametrize(
    ("attribute", "threads", "said"),
    [
        ("known_block_size = array<i32: 64, 1, 1>", 64, ""),
        ("known_block_size = array<i32: 64, 1, 1>", 256, "declares blocks of at most (64, 1, 1) threads"),
        ("nvvm.maxntid = array<i32: 64, 1, 1>", 32, ""),
        ("nvvm.maxntid = array<i32: 64>", 65, "declares blocks of at most (64, 1, 1) threads"),
        ("nvvm.reqntid = array<i32: 64, 1, 1>", 64, ""),
        ("nvvm.reqntid = array<i32: 64, 1, 1>", 32, "declares blocks of (64, 1, 1) threads"),
        ("nvvm.cluster_dim = array<i32: 2, 1, 1>", 32, "cannot be divided into clusters of (2, 1, 1)"),
    ],
)
def test_a_launch_has_the_sizes_that_its_kernel_declares(attribute: str, threads: int, said: str) -> None:
    text = DECLARED.replace("ATTRIBUTE", attribute).replace("THREADS", str(threads))
    messages = [finding.message for finding in run(text, 22).findings]
    assert len(messages) == bool(said)
    assert all(said in message for message in messages)


UNAWAITED = TEXTS["UNAWAITED"]


def test_the_last_of_a_chain_is_named_where_nothing_waits() -> None:
    finding = next(f for f in run(UNAWAITED).findings if f.name == "unawaited-token")
    assert finding.message.startswith("nothing waited for the copy")
    assert "%s3 = gpu.memcpy" in UNAWAITED.splitlines()[finding.place.line - 1]


def test_a_chain_that_another_stream_joins_is_named_at_its_end() -> None:
    joined = UNAWAITED.replace("[%s2] %x", "[%j] %x").replace(
        "%s3 =", "%o = gpu.wait async\n  %j = gpu.wait async [%s2, %o]\n  %s3 ="
    )
    found = [f for f in run(joined).findings if f.name == "unawaited-token"]
    assert ["gpu.memcpy" in joined.splitlines()[f.place.line - 1] for f in found] == [True]


def test_strided_metadata_of_a_static_layout_is_known_in_a_kernel() -> None:
    text = """
func.func @main(%o: memref<8x4xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
    %base, %off, %s:2, %st:2 = memref.extract_strided_metadata %o
        : memref<8x4xi32> -> memref<i32>, index, index, index, index, index
    %q = arith.muli %st#0, %s#0 : index
    %v = arith.index_cast %q : index to i32
    memref.store %v, %o[%c0, %c0] : memref<8x4xi32>
    gpu.terminator
  }
  return
}
"""
    assert compute(text, shared_arguments=True).arrays["o"][0, 0] == 32


MANY_BLOCKS = TEXTS["MANY_BLOCKS"]


def test_blocks_of_a_grid_larger_than_what_is_kept_of_it_are_named() -> None:
    report = run(MANY_BLOCKS, shared_arguments=True)
    (finding,) = report.findings
    assert finding.name == "kernel-race"
    assert finding.message.startswith("thread (0, 0, 0) of block (1048596, 0, 0) writes element [4]")
    assert "thread (0, 0, 0) of block (1048595, 0, 0) writes" in finding.message


def test_the_largest_grid_takes_no_memory_for_its_blocks() -> None:
    text = MANY_BLOCKS.replace("1048600", "2147483647").replace("1048595", "2147483646")
    report = run(text, shared_arguments=True, timeout=2)
    assert report.outcome == "timeout", report


def test_an_unloaded_module_is_used_no_more() -> None:
    report = run(UNLOADED, 24)
    lines = UNLOADED.splitlines()
    told = [(f.name, lines[f.place.line - 1].split("@")[1].split("(")[0]) for f in report.findings]
    assert told == [
        ("invalid-handle", "mgpuLaunchKernel"),
        ("invalid-handle", "mgpuModuleGetFunction"),
        ("invalid-handle", "mgpuModuleUnload"),
    ]
    launched = report.findings[0]
    assert launched.message == "launches @f of a module that has been unloaded: the call does nothing"
    assert lines[launched.related[0].place.line - 1].endswith("// once")


def test_a_register_that_the_cpu_has_not_is_refused_at_its_line() -> None:
    text = """func.func @main() {
  %c1 = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
    %smid = nvvm.read.ptx.sreg.smid : i32
    gpu.printf "%d", %smid : i32
    gpu.terminator
  }
  return
}
"""
    report = run(text)
    assert (report.outcome, report.place.line) == ("refused", 5)
    assert "the register smid is not supported on the CPU" in report.message
