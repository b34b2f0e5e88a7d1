"""The stage `llvm-ir`: LLVM accepts its output, and its calls are those of mlir-translate."""

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
from gpuasync_lsp.lowering.llvm_ir.program import to_llvm_program
from gpuasync_lsp.lowering.llvm_ir.stage import SEPARATOR, Untranslatable, print_llvm_ir
from gpuasync_lsp.lowering.options import LoweringOptions
from gpuasync_lsp.lowering.pipeline.pipeline import parse_pipeline, run_pipeline, stage_pipeline
from gpuasync_lsp.syntax import module_of, parse_source
from tests.differential.passes import programs, readable
from tests.exec.harness import PARTS_OF_PROGRAMS, Case
from tests.support.texts import texts_beside
from tests.support.tools import missing, real_tool

TEXTS = texts_beside(__file__)

LOWER = "gpu-to-llvm,reconcile-unrealized-casts"
TRANSLATED = 300
"""Minimum number of programs that mlir-translate-22 and this tool translate with equal calls; never lower
it."""

PROGRAM = TEXTS["PROGRAM"]


def read(text: str) -> ModuleOp:
    return module_of(parse_source(text).chunks[0])


def llvm_modules(text: str) -> list[str]:
    """Return the LLVM modules in a text with separators."""
    parts = re.split(rf"^{SEPARATOR}.*\n", text, flags=re.MULTILINE)
    return [part for part in parts if part.strip()]


def verify(ir: str) -> None:
    """Parse and verify a module with LLVM."""
    binding = pytest.importorskip("llvmlite.binding")
    binding.parse_assembly(ir).verify()


def calls(ir: str) -> dict[str, list[str]]:
    """Return the callees of each function in order, including intrinsics except `llvm.assume`."""
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


LEFT = TEXTS["LEFT"]


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


INTRINSICS = TEXTS["INTRINSICS"]


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


def test_a_kernel_that_frees_memory_of_another_space_does_not_verify() -> None:
    module = read(TEXTS["FREED_IN_ANOTHER_SPACE"])
    with pytest.raises(Untranslatable, match=r"type mismatch for operand 0: '!llvm.ptr<1>' != '!llvm.ptr'"):
        to_llvm_program(module, 22, LoweringOptions(), lambda op: 0)


def test_a_workgroup_buffer_without_its_memory_space_does_not_verify() -> None:
    module = read(TEXTS["WORKGROUP_BUFFER_IN_NO_SPACE"])
    with pytest.raises(Untranslatable, match=r"cannot insert '!llvm.ptr<3>' into '!llvm.struct<\(ptr, ptr"):
        to_llvm_program(module, 22, LoweringOptions(), lambda op: 0)


def test_a_function_with_a_result_is_no_entry() -> None:
    text = (
        to_llvm_program(read(TEXTS["KERNEL_WITH_RESULT"]), 22, LoweringOptions(), lambda op: 0).kernels[0].ir
    )
    assert text is not None
    assert "define float @f(float" in text


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
            target = re.search(r"^\.target (\w+)", text, re.MULTILINE)
            assert target is not None
            # Architecture-specific instructions such as setmaxnreg require the accelerated target (`sm_90a`).
            assert target[1] in (chip, f"{chip}a")
            command = [str(ptxas), "-arch", target[1], "-o", "/dev/null", "-"]
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
            for text in (ours.partition(SEPARATOR)[0], theirs.out)  # mlir-translate omits kernels.
        )
        if mine == real:
            equal += 1
        else:
            different[name] = real, mine
    print(f"mlir-translate-22: equal {equal}, different {different}")
    assert not different
    assert equal >= TRANSLATED // 6
