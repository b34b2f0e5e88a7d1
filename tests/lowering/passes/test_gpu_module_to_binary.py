"""gpu-module-to-binary, and gpu-lower-to-nvvm-pipeline up to it, compared with the real mlir-opt."""

from __future__ import annotations

import re

import pytest

from gpuasync_lsp.ide.kernel_objects import serialize
from gpuasync_lsp.lowering import Lowered, PipelineError, parse_pipeline, run_pipeline
from gpuasync_lsp.syntax import module_of, parse_source
from gpuasync_lsp.syntax.printer import print_module
from tests.differential.objects import compare, with_kernels
from tests.support.texts import texts_beside
from tests.support.tools import mlir_opt

TEXTS = texts_beside(__file__)

KERNEL = "llvm.func @f() attributes {gpu.kernel, nvvm.kernel} { llvm.return }"
TARGETS = f"""
module attributes {{gpu.container_module}} {{
  gpu.module @a [#nvvm.target<chip = "sm_70">, #nvvm.target<O = 3, chip = "sm_80", features = "+ptx71">]
      attributes {{told = 1 : i32}} {{ {KERNEL} }}
  gpu.module @b <#gpu.select_object<1 : i64>> [#nvvm.target, #nvvm.target<chip = "sm_80">] {{ {KERNEL} }}
  module @inner {{ gpu.module @c [#nvvm.target] {{ {KERNEL} }} }}
}}
"""
ASSUMED = TEXTS["ASSUMED"]
PROGRAMS = ("outlining/launches#0", "run/products#1", "run/reductions#1", "passes/kernels#9")
_TIMES = re.compile(r"\w+TimeInMs = \d+ : i64(?:, )?")


def lowered(text: str, pipeline: str, llvm: int = 22) -> Lowered:
    module = module_of(parse_source(text).chunks[0])
    return run_pipeline(module, parse_pipeline(pipeline), llvm, serialize=serialize)


@pytest.mark.parametrize("text", [TARGETS, ASSUMED], ids=["targets", "assumptions"])
def test_the_text_of_22(text: str) -> None:
    real = mlir_opt(22)
    theirs = _TIMES.sub("", real(text, "--gpu-module-to-binary=format=isa").out)
    ours = lowered(text, "gpu-module-to-binary{format=isa}")
    assert ours.error is None
    assert real(print_module(ours.module)).out == real(theirs).out


@pytest.mark.parametrize("llvm", [19, 21, 22, 23])
def test_a_version_of_ptx_that_is_too_old(llvm: int) -> None:
    text = f'gpu.module @a [#nvvm.target<chip = "sm_80", features = "+ptx60">] {{ {KERNEL} }}'
    theirs = mlir_opt(llvm)(text, "--gpu-module-to-binary=format=isa")
    ours = lowered(text, "gpu-module-to-binary{format=isa}", llvm)
    assert (ours.error is not None) == (theirs.code != 0)
    if ours.error is not None:
        assert "PTX version 6.0 does not support target 'sm_80'" in theirs.err
        assert "PTX version 6.0 does not support target 'sm_80'" in ours.error.text
    else:
        text = print_module(ours.module)
        assert ".version 7.0" in text
        assert ".version 7.0" in theirs.out
        assert ("\\00" in text) == ("\\00" in theirs.out)


@pytest.mark.parametrize("llvm", [19, 22])
@pytest.mark.parametrize(
    "text",
    [
        f"gpu.module @a {{ {KERNEL} }}",
        "gpu.module @a [#nvvm.target] { gpu.func @f() kernel { gpu.return } }",
        "gpu.module @a [#nvvm.target] { llvm.func @f(%a: i32) { %b = arith.addi %a, %a : i32 llvm.return } }",
    ],
    ids=["no target", "gpu.func", "arith"],
)
def test_what_is_refused_is_told_in_the_same_words(llvm: int, text: str) -> None:
    theirs = mlir_opt(llvm)(text, "--gpu-module-to-binary=format=isa")
    ours = lowered(text, "gpu-module-to-binary{format=isa}", llvm)
    assert theirs.code
    assert ours.error is not None
    assert f"error: {ours.error.text}\n" in theirs.err.partition("note:")[0]


@pytest.mark.parametrize("llvm", [19, 22, 23])
def test_a_wrong_format(llvm: int) -> None:
    # Up to 22, mlir-opt prints the error and continues with an uninitialized format.
    theirs = mlir_opt(llvm)("module {}", "--gpu-module-to-binary=format=cubin")
    ours = lowered("module {}", "gpu-module-to-binary{format=cubin}", llvm)
    assert ours.error is not None
    assert ours.error.text in theirs.err


def test_objects_say_the_section_that_they_belong_into() -> None:
    text = f"gpu.module @a [#nvvm.target] {{ {KERNEL} }}"
    said = 'properties = {O = 2 : i32, section = ".fatbin"}'
    assert said in print_module(lowered(text, "gpu-module-to-binary{format=isa section=.fatbin}").module)
    theirs = mlir_opt(22)(text, "--gpu-module-to-binary=format=isa section=.fatbin").out
    assert said in _TIMES.sub("", theirs)


@pytest.mark.parametrize("form", ["fatbin", "bin"])
def test_ptxas_is_not_run(form: str) -> None:
    ours = lowered(f"gpu.module @a [#nvvm.target] {{ {KERNEL} }}", f"gpu-module-to-binary{{format={form}}}")
    assert ours.error is not None
    assert ours.error.text.startswith("Couldn't find the `ptxas` binary. Please specify the toolkit path")


def test_bitcode_holds_the_kernel() -> None:
    ours = lowered(f"gpu.module @a [#nvvm.target] {{ {KERNEL} }}", "gpu-module-to-binary{format=llvm}")
    assert ours.error is None
    assert 'gpu.binary @a [#gpu.object<#nvvm.target, offload = "BC\\C0\\DE' in print_module(ours.module)


def test_the_pipeline_says_that_it_leaves_kernels() -> None:
    (said,) = parse_pipeline("gpu-lower-to-nvvm-pipeline{cubin-format=bin}").remarks
    assert "cubin-format=isa" in said
    assert parse_pipeline("gpu-lower-to-nvvm-pipeline{cubin-format=isa}").remarks == ()
    with pytest.raises(PipelineError):
        parse_pipeline("gpu-lower-to-nvvm-pipeline{cubin=isa}")


def test_17_has_no_such_pipeline() -> None:
    ours = lowered("module {}", "gpu-lower-to-nvvm-pipeline", 17)
    assert ours.error is not None
    assert "'gpu-lower-to-nvvm-pipeline' does not refer to a registered pass" in ours.error.text


def test_programs_down_to_ptx() -> None:
    found = compare(22, with_kernels(22, frozenset(PROGRAMS)))
    assert (found.equal, found.differing) == (len(PROGRAMS), {})


@pytest.mark.campaign
@pytest.mark.parametrize(("llvm", "most"), [(19, 60), (22, 30)])
def test_all_programs_down_to_ptx(llvm: int, most: int) -> None:
    found = compare(llvm, with_kernels(llvm))
    assert found.equal > 180, found
    assert len(found.differing) <= most, found.differing
