"""The same programs on an NVIDIA GPU; skipped without one."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gpuasync_lsp.exec import Run, RunOptions, RunReport
from gpuasync_lsp.exec.prepare import prepare
from tests.exec.harness import FIXTURES, PROGRAMS, Case
from tests.exec.test_examples import EXAMPLES, prints_what_its_comments_say, told
from tests.gpu_check import same

pytestmark = pytest.mark.gpu


@pytest.fixture(scope="session", autouse=True)
def gpu() -> None:
    from gpuasync_lsp.exec.worker.cuda.driver import open_driver

    driver, missing = open_driver()
    if driver is None:
        pytest.skip(missing)


def on_gpu(text: str, version: int = 24, **options: object) -> RunReport:
    prepared = prepare(text, version)
    settings = RunOptions(**{"device": "cuda", "timeout": 20.0, **options})  # type: ignore[arg-type]
    return Run(prepared.program, settings, prepared.place_of).wait(90)


@pytest.mark.parametrize("case", PROGRAMS, ids=str)
def test_the_gpu_computes_what_numpy_does(case: Case) -> None:
    passed, words = same(case)
    if passed is None:
        pytest.skip(words)
    assert passed, words


EXAMPLES_THAT_END_WELL = [file for file in EXAMPLES if not told(file.read_text("utf-8"), "EXIT")]


@pytest.mark.parametrize("file", EXAMPLES_THAT_END_WELL, ids=lambda file: file.stem)
def test_prints_what_its_comments_say(file: Path) -> None:
    prints_what_its_comments_say(file, "24", "cuda")


def test_an_assertion_in_a_kernel_is_told() -> None:
    text = next(file for file in EXAMPLES if file.stem == "assert").read_text("utf-8")
    report = on_gpu(text)
    (message,) = [each.message for each in report.findings if "CUDA_ERROR_ASSERT" in each.message]
    assert re.match(r"the assertion 'failing assertion' fails in thread \(\d, 0, 0\) of", message), report


def slow_yield() -> str:
    """The program of the yield bug, with a kernel slow enough to lose every race."""
    text = (FIXTURES / "async_yield.mlir").read_text()
    spin = """
      %z = arith.constant 0 : i32
      %s0 = arith.constant 0 : index
      %s1 = arith.constant 1 : index
      %n = arith.constant 300000 : index
      scf.for %k = %s0 to %n step %s1 {
        %old = memref.atomic_rmw addi %z, %m[%i] : (i32, memref<2xi32>) -> i32
      }
      %x = memref.load"""
    return text.replace("%x = memref.load", spin, 1)


@pytest.mark.parametrize(("version", "right"), [(22, False), (24, True)])
def test_the_yield_race_is_lost_with_a_slow_kernel(version: int, right: bool) -> None:
    report = on_gpu(slow_yield(), version)
    assert ("[84,  84]" in report.output) == right, report


def kernel(body: str, module: str = "") -> str:
    return f"""
module attributes {{gpu.container_module}} {{
  func.func @main() {{
    %c1 = arith.constant 1 : index
    %t = gpu.wait async
    %d, %t1 = gpu.alloc async [%t] () : memref<64xi8>
    %t2 = gpu.launch_func async [%t1] @k::@f blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
        args(%d : memref<64xi8>)
    gpu.wait [%t2]
    return
  }}
  gpu.module @k {{
    gpu.func @f(%m: memref<64xi8>) kernel {{
{body}
      gpu.return
    }}
  }}
}}
"""


ILLEGAL = kernel(
    """      %far = arith.constant 1099511627776 : index
      %v = arith.constant 1 : i8
      memref.store %v, %m[%far] : memref<64xi8>"""
)
MISALIGNED = kernel(
    """      %one = arith.constant 1 : index
      %zero = arith.constant 0 : index
      %v = arith.constant 1 : i32
      %w = memref.view %m[%one][] : memref<64xi8> to memref<8xi32>
      memref.store %v, %w[%zero] : memref<8xi32>"""
)


@pytest.mark.parametrize(
    ("text", "name"),
    [(ILLEGAL, "CUDA_ERROR_ILLEGAL_ADDRESS"), (MISALIGNED, "CUDA_ERROR_MISALIGNED_ADDRESS")],
)
@pytest.mark.parametrize("synchronous", [False, True])
def test_a_kernel_fault_is_told_at_a_line(text: str, name: str, synchronous: bool) -> None:
    report = on_gpu(text, synchronous=synchronous)
    finding = next(f for f in report.findings if f.name == "cuda-error")
    assert name in finding.message
    line = text.splitlines()[finding.place.line - 1]
    assert ("gpu.launch_func" if synchronous else "gpu.wait [%t2]") in line


def test_an_endless_kernel_ends_at_the_limit_and_the_next_run_works() -> None:
    text = kernel("      cf.br ^again\n    ^again:\n      cf.br ^again\n    ^never:")
    report = on_gpu(text, timeout=3.0)
    assert report.outcome == "timeout", report
    assert on_gpu(PROGRAMS[0].text).outcome == "ok"


def test_too_much_memory_is_a_finding() -> None:
    text = (
        kernel("")
        .replace("memref<64xi8>", "memref<1099511627776xi8>")
        .replace("gpu.launch_func async [%t1]", "gpu.launch_func async [%t]")
    )
    report = on_gpu(text)
    assert any("CUDA_ERROR_OUT_OF_MEMORY" in f.message for f in report.findings), report


def test_profile_times_operations_on_the_device() -> None:
    report = on_gpu(PROGRAMS[0].text, profile=True)
    kernels = [o for o in report.operations if o.label.startswith("kernel")]
    copies = [o for o in report.operations if o.label == "copy"]
    assert len(kernels) == 1
    assert len(copies) == 3
    assert all(o.duration > 0 for o in kernels + copies)
    assert all(re.fullmatch(r"stream \d+", o.lane) for o in kernels + copies)
