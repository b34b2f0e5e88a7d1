"""PTX of kernels: ptxas accepts it for each chip, or the error names the chip that an intrinsic needs."""

from __future__ import annotations

import re

import pytest

from gpuasync_lsp.exec import NoPTX, Run, RunOptions, compile_ptx
from gpuasync_lsp.exec.prepare import prepare
from tests.exec.harness import PROGRAMS, Case
from tests.exec.test_programs import BINARY_FLOAT, BINARY_INTEGER, UNARY, elementwise
from tests.support.ptxas import CHIPS, all_ptxas
from tests.support.texts import texts_beside
from tests.support.thinning import thinned
from tests.support.tools import mlir_opt

TEXTS = texts_beside(__file__)


def assemble(text: str, version: int = 24) -> None:
    """Compile the kernels for each chip and assemble the PTX.

    Compiles in a worker, since LLVM aborts the process if it cannot select an instruction."""
    kernels = {each.name: each.gpu_ir or each.ir or "" for each in prepare(text, version).program.kernels}
    for chip in CHIPS:
        texts: dict[str, str] = {}
        try:
            texts = compile_ptx(kernels, chip)
        except NoPTX as error:
            if re.search(r"needs sm_\d+", str(error)) is None:
                raise
        for ptx in texts.values():
            assert ".entry" in ptx
            for each in all_ptxas():
                each.assemble(ptx)


@pytest.mark.slow
@pytest.mark.parametrize("case", thinned(PROGRAMS, 3, pytest.mark.campaign), ids=str)
def test_ptxas_takes_the_kernels(case: Case) -> None:
    assemble(case.text, case.llvm)


@pytest.mark.slow
@pytest.mark.parametrize("element", ["f32", "f64"])
def test_ptxas_takes_every_float_operation(element: str) -> None:
    bodies = [f"    %r = {op} %v : {element}" for op in UNARY]
    bodies += [f"    %r = {op} %v, %w : {element}" for op in BINARY_FLOAT]
    assemble(elementwise(bodies, element, len(bodies)))


@pytest.mark.slow
@pytest.mark.parametrize("element", ["i32", "i64"])
def test_ptxas_takes_every_integer_operation(element: str) -> None:
    bodies = [f"    %r = {op} %v, %w : {element}" for op in BINARY_INTEGER]
    assemble(elementwise(bodies, element, len(bodies)))


HARDWARE = TEXTS["HARDWARE"]


def test_a_gpu_executes_mbarriers_and_products_itself() -> None:
    """A bulk copy completes an mbarrier in the hardware's format, so that the kernel may not emulate it."""
    (kernel,) = prepare(HARDWARE, 22).program.kernels
    assert "@llvm.nvvm.mbarrier.try" not in (kernel.ir or "")
    assert "@llvm.nvvm.mma." not in (kernel.ir or "")
    ir = kernel.gpu_ir or ""
    for name in ("mbarrier.init.shared", "mbarrier.arrive.expect.tx", "mma.m16n8k16", "elect.sync"):
        assert f"@llvm.nvvm.{name}" in ir
    assert "mbarrier.try_wait.parity.shared.b64" in ir
    assert "mbarrier.try_wait.parity.shared.b64" in compile_ptx({"m": ir}, "sm_90")["m"]
    assemble(HARDWARE, 22)


COUNTER = """gpu.module @m [#nvvm.target<chip = "sm_90">] {
  llvm.func @k(%p: !llvm.ptr, %n: i32) attributes {gpu.kernel, nvvm.kernel} {
    %0 = llvm.atomicrmw add %p, %n acq_rel : !llvm.ptr, i32
    llvm.return
  }
}
"""


@pytest.mark.parametrize("version", [19, 21, 22, 23])
def test_updates_are_ordered_as_by_the_release(version: int) -> None:
    """The PTX of a release is `atom` or `atom.acq_rel`; a run puts fences around `atom` instead."""
    done = mlir_opt(version)(COUNTER, "--gpu-module-to-binary=format=isa")
    assert "atom." in done.out, done.err
    host = """func.func @main(%p: !llvm.ptr, %n: i32) {
      %one = arith.constant 1 : index
      gpu.launch_func @m::@k blocks in (%one, %one, %one) threads in (%one, %one, %one)
          args(%p : !llvm.ptr, %n : i32)
      return
    }"""
    text = f"module attributes {{gpu.container_module}} {{\n{COUNTER}{host}\n}}"
    (kernel,) = prepare(text, version).program.kernels
    fences = compile_ptx({"m": kernel.gpu_ir or kernel.ir or ""}, "sm_90")["m"].count("fence.acq_rel.sys")
    assert fences == (2 if "atom.acq_rel" in done.out else 0)


WAITS = TEXTS["WAITS"]


@pytest.mark.parametrize(("version", "noted"), [(22, True), (23, False)])
def test_a_run_notes_waits_that_order_nothing(version: int, noted: bool) -> None:
    prepared = prepare(WAITS, version)
    report = Run(prepared.program, RunOptions(device="cpu"), prepared.place_of).wait(60)
    assert report.outcome == "ok", report
    assert ("which LLVM 22 compiles as relaxed" in report.message) == noted
    # The waits of an mbarrier are ours: they are fenced in every release.
    fenced = next(case for case in PROGRAMS if "in rows of 128 bytes" in case.name)
    assert prepare(fenced.text, version).program.note == ""


def test_a_kernel_with_a_wgmma_has_aligned_workgroup_memory() -> None:
    """Its swizzle depends on addresses, that of an expanded tensor map copy on places in the tile."""
    case = next(each for each in PROGRAMS if "in rows of 128 bytes" in each.name)
    (kernel,) = prepare(case.text, case.llvm).program.kernels
    ptx = compile_ptx({"m": kernel.gpu_ir or ""}, "sm_90")["m"]
    assert set(re.findall(r"\.shared \.align (\d+)", ptx)) == {"1024"}


def test_a_worker_compiles_for_the_preview() -> None:
    text = PROGRAMS[0].text
    kernels = {k.name: k.ir or "" for k in prepare(text, 24).program.kernels}
    found = compile_ptx(kernels, "sm_90")
    assert ".target sm_90" in found["main_kernel"]


def test_clusters_on_an_older_gpu_are_refused_with_the_reason() -> None:
    text = next(case.text for case in PROGRAMS if case.name.startswith("clusters"))
    kernels = {k.name: k.ir or "" for k in prepare(text, 24).program.kernels}
    with pytest.raises(NoPTX, match=r"sreg\.\w*cluster[\w.]* needs sm_90 or newer, and this is for sm_80"):
        compile_ptx(kernels, "sm_80")


def test_ir_that_llvm_cannot_select_is_an_answer() -> None:
    bad = "define ptx_kernel void @k(ptr %p) {\n  %v = call float @llvm.exp.f32(float 1.0)\n  "
    bad += "store float %v, ptr %p\n  ret void\n}\ndeclare float @llvm.exp.f32(float)\n"
    with pytest.raises(NoPTX, match=r"ended with status|LLVM|unsupported|libcall"):
        compile_ptx({"k": bad.replace("1.0", "%x").replace("(ptr %p)", "(ptr %p, float %x)")})
    with pytest.raises(NoPTX, match="LLVM IR parsing error"):
        compile_ptx({"k": "nonsense"})


@pytest.mark.parametrize(
    ("line", "attributes", "said"),
    [
        ("%v = alloca i32, align 4, addrspace(3)", "", "an alloca is in workgroup memory"),
        ("%v = load <vscale x 4 x float>, ptr %p", "", "the kernels have scalable vectors"),
        ("%v = load i32, ptr %p", '"nvvm.maxntid"="32,-1,1"', "a kernel declares a negative launch size"),
    ],
)
def test_what_would_end_llvm_is_rejected_before(line: str, attributes: str, said: str) -> None:
    with pytest.raises(NoPTX, match=said):
        compile_ptx({"k": f"define ptx_kernel void @k(ptr %p) {attributes} {{\n  {line}\n  ret void\n}}\n"})
