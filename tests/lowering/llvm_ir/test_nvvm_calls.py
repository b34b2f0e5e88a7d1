"""nvvm ops become the same intrinsics as in mlir-translate, and PTX that ptxas accepts.

If the chip does not support an intrinsic, the error names the required one."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from gpuasync_lsp.lowering.llvm_ir.module import KERNELS, kernel_ops
from gpuasync_lsp.lowering.llvm_ir.translation import Translation, closing
from gpuasync_lsp.syntax import module_of, parse_source
from tests.support.ptxas import CHIPS, all_ptxas
from tests.support.tools import FIXTURES, found, real_tool

TEXT = (FIXTURES / "lowering" / "nvvm_calls.mlir").read_text("utf-8")
MODULE = module_of(parse_source(TEXT).chunks[0])


def functions() -> Iterator[tuple[str, Translation]]:
    for translation in kernel_ops(MODULE):
        name = re.search(r"@(\w+)\(", translation.lines[0].text)
        assert name is not None
        yield name[1], translation


def calls(ir: str) -> list[str]:
    """Return the calls of intrinsics, with the types and constants of their arguments."""
    found = re.findall(r"call .*?(@llvm\.[\w.]+\(.*\))", ir)
    return [re.sub(r"%[\w.]+", "%", each) for each in found]


def test_names_and_arguments_are_those_of_mlir_translate() -> None:
    real = real_tool("mlir-translate-22")(TEXT, "--mlir-to-llvmir")
    assert real.code == 0, real.err
    ours = "\n".join(line.text for _, each in functions() for line in each.lines)
    assert calls(ours) == calls(real.out)
    assert len(calls(ours)) > 90


def test_barriers_of_llvm_23_are_those_of_mlir_translate() -> None:
    if found("mlir-translate-23") is None:
        pytest.skip("no mlir-translate of LLVM 23")
    text = (FIXTURES / "lowering" / "nvvm_barriers.mlir").read_text("utf-8")
    real = real_tool("mlir-translate-23")(text, "--mlir-to-llvmir")
    assert real.code == 0, real.err
    translations = kernel_ops(module_of(parse_source(text).chunks[0]))
    ours = "\n".join(line.text for each in translations for line in each.lines)
    assert calls(ours) == calls(real.out)
    assert len(calls(ours)) == 7


@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize(("name", "translation"), [*functions()], ids=lambda value: str(value)[:30])
def test_a_chip_has_it_or_the_refusal_names_the_chip(name: str, translation: Translation, chip: str) -> None:
    from gpuasync_lsp.exec.worker.cuda.ptx import to_ptx
    from gpuasync_lsp.exec.worker.jit import CompileError

    lines = [KERNELS, *(line.text for line in translation.lines), *closing([translation.needs])]
    ir = "\n".join(lines).replace("define void", "define ptx_kernel void")
    least, accelerated = re.match(r"of_(\d+)(a?)_", name).groups()  # type: ignore[union-attr]
    number = int(chip.removeprefix("sm_"))
    # Later chips have only some accelerated features: all have setmaxnreg, but only sm_90a has wgmma.
    has = number >= int(least) and (not accelerated or number < 110 or "a_any" in name)
    if name == "of_90a_warp_groups":
        has = number == 90
    if not has:
        with pytest.raises(
            CompileError, match=r"llvm\.nvvm\.[\w.]+ needs sm_\d+a?.*, and this is for " + chip
        ):
            to_ptx(ir, chip)
        return
    text = to_ptx(ir, chip)
    target = re.search(r"\.target (\w+)", text)
    assert target is not None
    assert target[1] == chip + accelerated
    for each in all_ptxas():
        each.assemble(text)


def test_an_intrinsic_that_llvm_does_not_know_is_refused() -> None:
    from gpuasync_lsp.exec.worker.cuda.ptx import to_ptx
    from gpuasync_lsp.exec.worker.jit import CompileError

    ir = f"{KERNELS}\ndefine ptx_kernel void @k() {{\n  call void @llvm.nvvm.no.such()\n  ret void\n}}\n"
    with pytest.raises(CompileError, match=r"no intrinsic llvm\.nvvm\.no\.such|[Ii]ntrinsic"):
        to_ptx(ir + "declare void @llvm.nvvm.no.such()\n", "sm_90")
