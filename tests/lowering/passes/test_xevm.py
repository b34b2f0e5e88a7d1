"""The host code after Intel's pipeline, compared with mlir-opt; the objects of kernels are empty here."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gpuasync_lsp import check
from gpuasync_lsp.lowering.pipeline.pipeline import parse_pipeline, run_pipeline
from gpuasync_lsp.syntax import module_of, parse_source
from gpuasync_lsp.syntax.printer import print_module
from tests.support.tools import mlir_opt

TEXT = Path(__file__).with_suffix(".mlir").read_text("utf-8")
PIPELINE = "gpu-lower-to-xevm-pipeline"


def lowered(pipeline: str, version: int) -> str:
    """Return the program after `pipeline` in this tool."""
    done = run_pipeline(module_of(parse_source(TEXT).chunks[0]), parse_pipeline(pipeline), version)
    assert done.error is None
    return print_module(done.module)


def host(text: str) -> list[str]:
    """Return the lines that contain no gpu.binary."""
    return [line.rstrip() for line in text.splitlines() if line.strip() and "gpu.binary" not in line]


@pytest.mark.parametrize("version", [22, 23])
@pytest.mark.parametrize("options", ["", "zebin-chip=pvc host-bare-ptr-calling-convention=1"])
def test_the_host_is_that_of_the_real_tool(version: int, options: str) -> None:
    given = f"xegpu-op-level=lane binary-format=llvm {options}".strip()
    ours = lowered(f"{PIPELINE}{{{given}}}", version)
    assert host(ours) == host(mlir_opt(version)(TEXT, f"--{PIPELINE}={given}").out)
    chip = '<chip = "pvc">' if options else ""
    assert f'gpu.binary @km [#gpu.object<#xevm.target{chip}, offload = "">]' in ours


@pytest.mark.parametrize("options", ["", "{O=3 chip=cri triple=x}", "{cmd-options=-ze-opt module=k.*}"])
def test_targets_are_those_of_the_real_tool(options: str) -> None:
    given = f"xevm-attach-target{options}"
    ours = lowered(given, 22)
    theirs = mlir_opt(22)(TEXT, f"--pass-pipeline=builtin.module({given})").out
    line = next(line for line in theirs.splitlines() if "gpu.module" in line)
    assert line in ours.splitlines()


def test_nothing_is_found_in_a_file_for_this_pipeline() -> None:
    assert check(TEXT, llvm=22, pipeline=(PIPELINE,)) == []


def test_what_no_pass_lowers_in_kernels_is_told_by_op() -> None:
    text = TEXT.replace("gpu.return", "%b = gpu.block_id x\n gpu.barrier\n gpu.barrier\n gpu.return", 1)
    done = run_pipeline(module_of(parse_source(text).chunks[0]), parse_pipeline(PIPELINE), 23)
    reason = "this pipeline does not lower kernels: convert-gpu-to-llvm-spv lowers this op"
    assert [(note.op_name, note.text) for note in done.notes if note.text == reason] == [
        ("gpu.block_id", reason),
        ("gpu.barrier", reason),
    ]


KERNELS = Path(__file__).with_name("test_xevm_kernels.mlir").read_text("utf-8").split("// -----\n")


@pytest.mark.parametrize("version", [22, 23])
@pytest.mark.parametrize("number", range(len(KERNELS)))
def test_kernels_are_those_of_the_real_tool(number: int, version: int) -> None:
    text = KERNELS[number]
    only = re.search(r"// RELEASES: (.*)", text)
    name = re.search(r"// PASS: (\S+)", text)
    assert name is not None
    if only is not None and str(version) not in only[1].split():
        pytest.skip(f"LLVM {version} does it another way, which this tool lacks")
    pipeline = f"builtin.module(gpu.module({name[1]}))"
    done = run_pipeline(module_of(parse_source(text).chunks[0]), parse_pipeline(pipeline), version)
    assert done.error is None, done.error
    real = mlir_opt(version)(text, f"--pass-pipeline={pipeline}")
    assert real.code == 0, real.err
    assert host(print_module(done.module)) == host(real.out)


def test_what_a_release_rejects_is_rejected_by_op() -> None:
    text = next(part for part in KERNELS if "@bytes" in part)
    done = run_pipeline(module_of(parse_source(text).chunks[0]), parse_pipeline("convert-xegpu-to-xevm"), 23)
    assert done.error is not None
    assert (
        done.error.text
        == mlir_opt(23)(text, "--convert-xegpu-to-xevm").err.split("error: ")[1].split(": %")[0]
    )
