"""A run applies the passes before gpu-to-llvm of the user's pipeline."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.support.command import gpuasync
from tests.support.tools import FIXTURES

FORK_JOIN = FIXTURES / "run_passes" / "fork_join.mlir"


def gpuasync_run(file: Path, *options: str) -> subprocess.CompletedProcess[str]:
    return gpuasync("run", "--device", "cpu", *options, str(file))


def test_without_the_pass_synchronous_ops_do_not_run() -> None:
    done = gpuasync_run(FORK_JOIN, "--llvm", "22")
    assert done.returncode == 2
    assert "does not lower this gpu.alloc: " in done.stderr
    assert "or run gpu-async-region first" in done.stderr


@pytest.mark.parametrize("version", ["16", "19", "22", "24"])
def test_gpu_async_region_makes_them_run(version: str) -> None:
    done = gpuasync_run(FORK_JOIN, "--llvm", version, "--pipeline", "gpu-async-region")
    assert "[42,  42]" in done.stdout
    assert "data-race" not in done.stdout


def test_the_setting_names_the_passes(tmp_path: Path) -> None:
    (tmp_path / "gpuasync.toml").write_text('pipeline = ["gpu-kernel-outlining", "gpu-async-region"]\n')
    copy = tmp_path / FORK_JOIN.name
    copy.write_text(FORK_JOIN.read_text())
    assert "[42,  42]" in gpuasync_run(copy, "--llvm", "22").stdout


def test_a_pass_that_loads_nvvm_changes_what_is_yielded() -> None:
    """In LLVM 22, `async.yield` then yields the raw stream, and the host does not wait (PR 190717)."""
    pipeline = "gpu-async-region,gpu.module(convert-gpu-to-nvvm)"
    done = gpuasync_run(FORK_JOIN, "--llvm", "22", "--pipeline", pipeline)
    assert "[21,  21]" in done.stdout
    assert "stream-taken-for-event" in done.stdout


def test_launches_that_passes_make_are_outlined_and_run() -> None:
    pipeline = "gpu-map-parallel-loops,convert-parallel-loops-to-gpu"
    done = gpuasync_run(FORK_JOIN.with_name("mapped_loop.mlir"), "--pipeline", pipeline)
    assert "[20,  21]" in done.stdout


def test_an_unknown_pass_is_named() -> None:
    done = gpuasync_run(FORK_JOIN, "--pipeline", "no-such-pass")
    assert done.returncode == 2
    assert "no release of LLVM has a pass 'no-such-pass'" in done.stderr


def test_a_pass_that_this_tool_lacks_is_named() -> None:
    done = gpuasync_run(FORK_JOIN, "--pipeline", "func.func(convert-affine-for-to-gpu),gpu-async-region")
    assert done.returncode == 2
    assert "this tool has no pass 'convert-affine-for-to-gpu', which LLVM has" in done.stderr


RUN_LINE = "// RUN: mlir-opt %s -unknown-here | mlir-opt -pass-pipeline='builtin.module(func.func(PASS))'\n"


@pytest.mark.parametrize("pipeline", [(), ("--pipeline", "lower-affine")])
@pytest.mark.parametrize("name", ["gpu-async-region", "gpu-async-regions"])
def test_the_run_line_names_the_pass(tmp_path: Path, name: str, pipeline: tuple[str, ...]) -> None:
    copy = tmp_path / FORK_JOIN.name
    copy.write_text(RUN_LINE.replace("PASS", name) + FORK_JOIN.read_text())
    runs = name == "gpu-async-region" and not pipeline
    assert ("[42,  42]" in gpuasync_run(copy, "--llvm", "22", *pipeline).stdout) == runs


SCALED = FORK_JOIN.with_name("scaled.mlir")
TO_LAUNCH = "convert-linalg-to-parallel-loops,gpu-map-parallel-loops,convert-parallel-loops-to-gpu"


@pytest.mark.parametrize("end", ["", ",gpu-kernel-outlining", ",gpu-kernel-outlining,gpu-to-llvm"])
def test_the_pipeline_sees_the_program_as_it_is_written(end: str) -> None:
    """If a run lowered linalg first, the pipeline would create no launch."""
    done = gpuasync_run(SCALED, "--profile", "--shared-args", "--pipeline", TO_LAUNCH + end)
    assert "kernel @main_kernel::@main_kernel" in done.stdout
    assert "no kernel was launched" not in done.stdout
    assert "[  0.   3.   6." in done.stdout


def test_the_run_line_gives_the_passes(tmp_path: Path) -> None:
    copy = tmp_path / SCALED.name
    copy.write_text(f"// RUN: mlir-opt %s -pass-pipeline='builtin.module({TO_LAUNCH},gpu-kernel-outlining)'\n"
                    + SCALED.read_text())  # fmt: skip
    assert "kernel @main_kernel::@main_kernel" in gpuasync_run(copy, "--profile", "--shared-args").stdout


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("", "the program has no gpu.launch"),
        ("scf.parallel (%i) = (%n) to (%n) step (%n) { scf.reduce }",
         "'scf.parallel' on line 5 ran on the host; the pipeline "
         "`gpu-map-parallel-loops,convert-parallel-loops-to-gpu` turns it into a kernel"),
        ("scf.if %no { gpu.launch blocks(%a, %b, %c) in (%d = %n, %e = %n, %f = %n) "
         "threads(%g, %h, %i) in (%j = %n, %k = %n, %l = %n) { gpu.terminator } }",
         "the run did not reach gpu.launch on line 5"),
    ],
)  # fmt: skip
def test_a_run_without_a_launch_says_why(tmp_path: Path, body: str, why: str) -> None:
    file = tmp_path / "t.mlir"
    file.write_text(
        "func.func @main() {\n  %no = arith.constant false\n  %n = arith.constant 1 : index\n"
        f"\n{body}\n  return\n}}\n"
    )
    done = gpuasync_run(file, "--pipeline", "gpu-async-region")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.rstrip().endswith(f"no kernel was launched: {why}")


@pytest.mark.parametrize("version", ["19", "22", "24"])
def test_a_host_in_the_llvm_dialect_runs(version: str) -> None:
    file = FORK_JOIN.with_name("llvm_host.mlir")
    done = gpuasync_run(file, "--llvm", version, "--arg", "n=2")
    assert "result 0 : i32\n  7\n" in done.stdout, done.stderr
    assert ": error: " not in done.stdout
    assert "read-of-uninitialized" not in done.stdout
