"""PTX of kernels: ptxas takes it for two architectures."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from gpuasync_lsp.exec import NoPTX, compile_ptx
from gpuasync_lsp.exec.prepare import prepare
from tests.exec.harness import PROGRAMS, Case, needs_clusters
from tests.exec.test_programs import BINARY_FLOAT, BINARY_INTEGER, UNARY, elementwise
from tests.support.thinning import thinned
from tests.support.tools import missing


@pytest.fixture(scope="module")
def ptxas() -> Path:
    for folder in sys.path:
        for path in sorted(Path(folder).glob("nvidia/*/bin/ptxas")):
            return path
    missing("ptxas is not installed (pip install nvidia-cuda-nvcc)")
    raise AssertionError


def assemble(ptxas: Path, text: str) -> None:
    """Compile the kernels in a worker, as LLVM ends the process over what it cannot select, and assemble."""
    kernels = {kernel.name: kernel.ir or "" for kernel in prepare(text, 24).program.kernels}
    chips = ("sm_90",) if needs_clusters(text) else ("sm_80", "sm_90")
    for chip in ("sm_90a",) if "nvvm.setmaxregister" in text else chips:
        for ptx in compile_ptx(kernels, chip).values():
            assert ".entry" in ptx
            done = subprocess.run(
                [str(ptxas), "-arch", chip, "-o", "/dev/null", "-"],
                input=ptx,
                capture_output=True,
                text=True,
                timeout=60,
                check=False,
            )
            assert done.returncode == 0, f"{chip}: {done.stderr}\n{ptx}"


@pytest.mark.slow
@pytest.mark.parametrize("case", thinned(PROGRAMS, 3, pytest.mark.campaign), ids=str)
def test_ptxas_takes_the_kernels(ptxas: Path, case: Case) -> None:
    assemble(ptxas, case.text)


@pytest.mark.slow
@pytest.mark.parametrize("element", ["f32", "f64"])
def test_ptxas_takes_every_float_operation(ptxas: Path, element: str) -> None:
    bodies = [f"    %r = {op} %v : {element}" for op in UNARY]
    bodies += [f"    %r = {op} %v, %w : {element}" for op in BINARY_FLOAT]
    assemble(ptxas, elementwise(bodies, element, len(bodies)))


@pytest.mark.slow
@pytest.mark.parametrize("element", ["i32", "i64"])
def test_ptxas_takes_every_integer_operation(ptxas: Path, element: str) -> None:
    bodies = [f"    %r = {op} %v, %w : {element}" for op in BINARY_INTEGER]
    assemble(ptxas, elementwise(bodies, element, len(bodies)))


def test_a_worker_compiles_for_the_preview() -> None:
    text = PROGRAMS[0].text
    kernels = {k.name: k.ir or "" for k in prepare(text, 24).program.kernels}
    found = compile_ptx(kernels, "sm_90")
    assert ".target sm_90" in found["main_kernel"]


def test_clusters_on_an_older_gpu_are_refused_with_the_reason() -> None:
    text = next(case.text for case in PROGRAMS if case.name.startswith("clusters"))
    kernels = {k.name: k.ir or "" for k in prepare(text, 24).program.kernels}
    with pytest.raises(NoPTX, match="clusters need sm_90 or newer, and this is for sm_80"):
        compile_ptx(kernels, "sm_80")


def test_ir_that_llvm_cannot_select_is_an_answer() -> None:
    bad = "define ptx_kernel void @k(ptr %p) {\n  %v = call float @llvm.exp.f32(float 1.0)\n  "
    bad += "store float %v, ptr %p\n  ret void\n}\ndeclare float @llvm.exp.f32(float)\n"
    with pytest.raises(NoPTX, match=r"ended with status|LLVM|unsupported|libcall"):
        compile_ptx({"k": bad.replace("1.0", "%x").replace("(ptr %p)", "(ptr %p, float %x)")})
    with pytest.raises(NoPTX, match="LLVM IR parsing error"):
        compile_ptx({"k": "nonsense"})
