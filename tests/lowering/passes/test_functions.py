"""Lowered functions whose syntax differs by release: compared in the text of each release."""

import pytest

from gpuasync_lsp.lowering.pipeline.pipeline import parse_pipeline, run_pipeline
from gpuasync_lsp.syntax import module_of, parse_source
from gpuasync_lsp.syntax.printer import print_module
from tests.support.releases import releases
from tests.support.tools import FIXTURES, mlir_opt

TEXTS = (FIXTURES / "functions" / "attributes.mlir").read_text("utf-8").split("// -----\n")


@pytest.mark.parametrize("version", releases(16, 17, 18, 19, 20, 21, 22, 23))
@pytest.mark.parametrize("option", ["", "=use-bare-pointers-for-host=1"])
def test_functions_become_what_mlir_opt_makes_of_them(version: int, option: str) -> None:
    if version == 16 and option:
        pytest.skip("16 has no such option")
    real = mlir_opt(version)
    pipeline = parse_pipeline("gpu-to-llvm" + (f"{{{option[1:]}}}" if option else ""))
    # LLVM 16 lowers memrefs to typed pointers.
    for text in TEXTS[:-2] if version == 16 else TEXTS:
        lowered = run_pipeline(module_of(parse_source(text).chunks[0]), pipeline, version)
        theirs = real(text, f"--gpu-to-llvm{option}")
        assert theirs.code == 0, theirs.err
        assert _lines(print_module(lowered.module)) == _lines(theirs.out)


@pytest.mark.parametrize("version", releases(16, 19, 22, 23))
def test_a_linkage_that_is_none_is_told_and_ends_nothing(version: int) -> None:
    text = "func.func @f(%a: f32) attributes {llvm.linkage = 3} { return }"
    lowered = run_pipeline(module_of(parse_source(text).chunks[0]), parse_pipeline("gpu-to-llvm"), version)
    theirs = mlir_opt(version)(text, "--gpu-to-llvm")
    (said,) = lowered.diagnostics
    assert theirs.code == 0
    assert f"error: {said}\n" in theirs.err
    assert _lines(print_module(lowered.module)) == _lines(theirs.out)


def _lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.splitlines() if line.strip()]
