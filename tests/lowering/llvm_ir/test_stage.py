"""The stage `llvm-ir`: LLVM takes what it prints, and its calls are those that mlir-translate makes."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import pytest
from xdsl.dialects.builtin import ModuleOp

from gpuasync_lsp.ide.preview.ptx import print_ptx
from gpuasync_lsp.lowering.llvm_ir.stage import SEPARATOR, Untranslatable, print_llvm_ir
from gpuasync_lsp.lowering.pipeline.pipeline import parse_pipeline, run_pipeline, stage_pipeline
from gpuasync_lsp.syntax import module_of, parse_source
from tests.differential.passes import programs, readable
from tests.exec.harness import PARTS_OF_PROGRAMS, Case
from tests.support.tools import missing, real_tool

LOWER = "gpu-to-llvm,reconcile-unrealized-casts"
TRANSLATED = 300
"""How many programs mlir-translate-22 and this tool both translate, with equal calls; never lower it."""

PROGRAM = """
module attributes {gpu.container_module} {
  gpu.module @kernels [#nvvm.target] {
    gpu.func @scale(%a: memref<?xf32>, %f: f32) kernel {
      %i = gpu.thread_id x
      %x = memref.load %a[%i] : memref<?xf32>
      %y = arith.mulf %x, %f : f32
      memref.store %y, %a[%i] : memref<?xf32>
      gpu.return
    }
  }
  func.func @main(%a: memref<?xf32>, %f: f32, %n: index) {
    %one = arith.constant 1 : index
    %s = gpu.wait async
    %t = gpu.launch_func async [%s] @kernels::@scale blocks in (%one, %one, %one) threads in (%n, %one, %one)
      args(%a : memref<?xf32>, %f : f32)
    gpu.wait [%t]
    return
  }
}
"""


def read(text: str) -> ModuleOp:
    return module_of(parse_source(text).chunks[0])


def llvm_modules(text: str) -> list[str]:
    """Return the parts of a text between separators."""
    parts = re.split(rf"^{SEPARATOR}.*\n", text, flags=re.MULTILINE)
    return [part for part in parts if part.strip()]


def verify(ir: str) -> None:
    """Let LLVM parse and verify a module."""
    binding = pytest.importorskip("llvmlite.binding")
    binding.parse_assembly(ir).verify()


def calls(ir: str) -> dict[str, list[str]]:
    """Return the names of the functions that each function calls, in order: also intrinsics, but assumptions,
    which are left out."""
    found: dict[str, list[str]] = {}
    function = ""
    for line in ir.splitlines():
        head = re.match(r"define .*?@([\w.$-]+)\(", line)
        if head:
            function = head[1]
        call = re.search(r"\bcall .*?@([\w.$-]+)\(", line)
        if call and call[1] != "llvm.assume":
            found.setdefault(function, []).append(call[1])
    return found


def test_host_and_kernels_are_verified_by_llvm() -> None:
    pipeline = parse_pipeline(f"gpu.module(convert-gpu-to-nvvm),{LOWER}")
    printed = print_llvm_ir(run_pipeline(read(PROGRAM), pipeline, 22).module, 22)
    host, kernels = llvm_modules(printed.text)
    verify(host)
    verify(kernels)
    assert calls(host)["main"] == [
        "mgpuStreamCreate",
        "mgpuModuleGetFunction",
        "mgpuLaunchKernel",
        "mgpuStreamSynchronize",
        "mgpuStreamDestroy",
    ]
    assert "mgpuModuleLoad" in calls(host)["kernels_load"]
    assert "@llvm.global_ctors" in host
    assert "ptx_kernel" in kernels


LEFT = """
gpu.module @k {
  gpu.func @f(%n: index, %c: i1) kernel {
    %row = tensor.empty() : tensor<4xf32>
    cf.br ^head(%row : tensor<4xf32>)
  ^head(%r: tensor<4xf32>):
    %m = arith.addi %n, %n : index
    "acme.use"(%r, %m) : (tensor<4xf32>, index) -> ()
    cf.cond_br %c, ^head(%r : tensor<4xf32>), ^end
  ^end:
    gpu.return
  }
}
"""


def test_a_kernel_whose_blocks_take_what_has_no_llvm_type_stays() -> None:
    lowered = run_pipeline(read(LEFT), stage_pipeline("llvm-ir"), 22)
    assert lowered.error is None
    assert {"gpu.func", "tensor.empty", "acme.use"} <= {note.op_name for note in lowered.notes}


def test_what_is_left_of_an_unknown_dialect_has_its_own_name() -> None:
    with pytest.raises(Untranslatable, match=r"^acme\.go has not been converted"):
        print_llvm_ir(read("llvm.func @f(%x: i32) {\n  acme.go %x : i32\n  llvm.return\n}\n"), 22)


def test_instructions_know_their_source() -> None:
    pipeline = parse_pipeline(f"gpu.module(convert-gpu-to-nvvm),{LOWER}")
    printed = print_llvm_ir(run_pipeline(read(PROGRAM), pipeline, 22).module, 22)
    lines = printed.text.splitlines()
    of_launch = [
        lines[p.row] for p in printed.places if p.span.of(PROGRAM).startswith("%t = gpu.launch_func")
    ]
    assert any("@mgpuLaunchKernel" in line for line in of_launch)
    assert not any("@mgpuStreamDestroy" in line for line in of_launch)
    assert "!gpuasync" not in printed.text


INTRINSICS = """
llvm.func @f(%p: !llvm.ptr, %m: vector<4xi1>, %v: vector<4xf32>, %ps: vector<4x!llvm.ptr>, %i: i64,
    %w: vector<8xf32>, %d: f64, %f: f32) {
  %0 = llvm.intr.masked.load %p, %m, %v {alignment = 4 : i32}
    : (!llvm.ptr, vector<4xi1>, vector<4xf32>) -> vector<4xf32>
  llvm.intr.masked.store %v, %p, %m {alignment = 8 : i32} : vector<4xf32>, vector<4xi1> into !llvm.ptr
  %1 = llvm.intr.masked.gather %ps, %m, %v {alignment = 4 : i32}
    : (vector<4x!llvm.ptr>, vector<4xi1>, vector<4xf32>) -> vector<4xf32>
  %2 = llvm.intr.masked.gather %ps, %m {alignment = 4 : i32}
    : (vector<4x!llvm.ptr>, vector<4xi1>) -> vector<4xf32>
  llvm.intr.masked.scatter %v, %ps, %m {alignment = 4 : i32}
    : vector<4xf32>, vector<4xi1> into vector<4x!llvm.ptr>
  "llvm.intr.prefetch"(%p) <{cache = 1 : i32, hint = 3 : i32, rw = 0 : i32}> : (!llvm.ptr) -> ()
  %3 = llvm.intr.expect.with.probability %i, %i, 0.5 : i64
  %4 = llvm.intr.invariant.start 4, %p : !llvm.ptr
  llvm.intr.invariant.end %4, 4, %p : !llvm.ptr
  %5 = llvm.intr.vector.extract %w[0] : vector<4xf32> from vector<8xf32>
  %6 = llvm.intr.vector.insert %v, %w[4] : vector<4xf32> into vector<8xf32>
  %7 = "llvm.intr.experimental.constrained.fptrunc"(%d)
    <{fpExceptionBehavior = 2 : i64, roundingmode = 0 : i64}> : (f64) -> f32
  %10 = "llvm.intr.experimental.constrained.fpext"(%f) <{fpExceptionBehavior = 1 : i64}> : (f32) -> f64
  %8 = llvm.intr.sincos(%d) : (f64) -> !llvm.struct<(f64, f64)>
  %9 = llvm.intr.frexp(%d) : (f64) -> !llvm.struct<(f64, i32)>
  llvm.return
}
"""


def test_intrinsics_with_immediate_arguments() -> None:
    ours = print_llvm_ir(read(INTRINSICS), 22).text
    verify(ours)
    theirs = real_tool("mlir-translate-22")(INTRINSICS, "--mlir-to-llvmir")
    assert calls(ours) == calls(theirs.out)
    assert len(calls(ours)["f"]) == 15

    def immediates(ir: str) -> list[list[str]]:
        made = [line for line in ir.splitlines() if "call " in line]
        return [re.findall(r'(?:i32|i64) \d+|align \d+|poison|!"[\w.]+"', line) for line in made]

    assert immediates(ours) == immediates(theirs.out)


def test_what_no_pass_converted_has_no_llvm_ir() -> None:
    module = run_pipeline(
        read("func.func @f(%a: memref<4xf32>) {\n gpu.wait\n return\n}\n"), parse_pipeline(""), 22
    )
    with pytest.raises(Untranslatable, match=r"func\.func"):
        print_llvm_ir(module.module, 22)


def translated() -> Iterator[tuple[str, str]]:
    for name, text in readable(22).items():
        lowered = run_pipeline(read(text), parse_pipeline(LOWER), 22)
        if lowered.error is None:
            try:
                yield name, print_llvm_ir(lowered.module, 22).text
            except Untranslatable:
                continue


@pytest.mark.slow
@pytest.mark.parametrize("chip", ["sm_90", pytest.param("sm_80", marks=pytest.mark.campaign)])
@pytest.mark.parametrize("cases", PARTS_OF_PROGRAMS)
def test_ptxas_takes_what_the_preview_shows(chip: str, cases: list[Case]) -> None:
    ptxas = next((path for f in sys.path for path in sorted(Path(f).glob("nvidia/*/bin/ptxas"))), None)
    if ptxas is None:
        missing("ptxas is not installed (pip install nvidia-cuda-nvcc)")
    steps = parse_pipeline(f"nvvm-attach-target{{chip={chip}}}").steps
    taken = 0
    for case in cases:
        if (case.needs_clusters and chip == "sm_80") or case.is_expanded_by_runs:
            continue
        lowered = run_pipeline(read(case.text), stage_pipeline("ptx", steps), case.llvm)
        for part in print_ptx(lowered.module):
            text = part.printed.text
            if ".entry" not in text:
                continue
            command = [str(ptxas), "-arch", chip, "-o", "/dev/null", "-"]
            done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
            assert done.returncode == 0, f"{case}: {done.stderr}"
            taken += 1
    print(f"ptxas takes {taken} kernel modules for {chip}")
    assert taken >= len(cases) // 4


@pytest.mark.slow
def test_all_programs_are_verified_by_llvm() -> None:
    wrong: dict[str, str] = {}
    count = 0
    for name, text in translated():
        for part in llvm_modules(text):
            try:
                verify(part)
            except RuntimeError as error:
                wrong[name] = str(error)
        count += 1
    print(f"verified {count} of {len(programs(22))}")
    assert not wrong
    assert count >= TRANSLATED


@pytest.mark.slow
def test_calls_are_those_of_mlir_translate() -> None:
    opt, translate = real_tool("mlir-opt-22"), real_tool("mlir-translate-22")
    equal, different = 0, dict[str, tuple[object, object]]()
    for name, ours in islice(translated(), 0, None, 6):
        lowered = opt(programs(22)[name], f"--pass-pipeline=builtin.module({LOWER})")
        theirs = translate(lowered.out, "--mlir-to-llvmir")
        if lowered.code or theirs.code:
            continue
        mine, real = (
            {
                function: made
                for function, made in calls(text).items()
                if not function.endswith(("_load", "_unload"))
            }
            for text in (ours.partition(SEPARATOR)[0], theirs.out)  # mlir-translate leaves out kernels
        )
        if mine == real:
            equal += 1
        else:
            different[name] = real, mine
    print(f"mlir-translate-22: equal {equal}, different {different}")
    assert not different
    assert equal >= TRANSLATED // 6
