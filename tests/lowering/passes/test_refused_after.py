"""The output of a pass is verified: errors have mlir-opt's text, measured in 16 to 22."""

from __future__ import annotations

import pytest

from gpuasync_lsp.lowering.pipeline.pipeline import parse_pipeline, run_pipeline
from gpuasync_lsp.syntax import module_of, parse_source
from tests.support.texts import texts_beside

TEXTS = texts_beside(__file__)

POSITIVE = "op constant step operand must be positive"
NO_VARIABLE = "'scf.parallel' op needs at least one tuple element for lowerBound, upperBound and step"
ENDS = "expected 'gpu.terminator' or a terminator with successors"
STEP = "func.func @f() {\n  affine.parallel (%x) = (0) to (10) step (0) { }\n  return\n}\n"
LOOP = "func.func @f() {\n  affine.for %x = 0 to 10 step 0 { }\n  return\n}\n"
NO_BOUND = "func.func @f() {\n  affine.for %x = max affine_map<() -> ()>() to 10 { }\n  return\n}\n"
ACCESS = (
    "func.func @f(%a: memref<8xf32>, %i: index) -> f32 {\n  gpu.wait\n"
    "  %v = affine.load %a[%i] : memref<8xf32>\n  return %v : f32\n}\n"
)
CONDITION = (
    "func.func @f(%x: index, %n: index) {\n"
    "  affine.if affine_set<(d0)[s0] : (d0 - s0 >= 0)>(%x)[%n] { gpu.wait }\n  return\n}\n"
)
NO_INDEX = "'affine.load' op index must be a valid dimension or symbol identifier"
NO_DIMENSION = "'affine.if' op operand cannot be used as a dimension id"
ASSERTION = TEXTS["ASSERTION"]
KERNEL_ASSERTION = TEXTS["KERNEL_ASSERTION"]
NO_GLOBAL = "'llvm.mlir.addressof' op must reference a global defined by 'llvm.mlir.global'"


@pytest.mark.parametrize(
    ("version", "name", "text", "message"),
    [
        (22, "lower-affine", STEP, f"'scf.parallel' {POSITIVE}"),
        (
            16,
            "lower-affine",
            STEP.replace("(%x) = (0) to (10) step (0)", "() = () to () step ()"),
            NO_VARIABLE,
        ),
        (18, "lower-affine", LOOP, f"'scf.for' {POSITIVE}"),
        (19, "lower-affine", LOOP, ""),
        (19, "lower-affine", NO_BOUND, "'affine.for' op has a map without a result"),
        (19, "gpu-to-llvm", ASSERTION, ENDS),
        (19, "convert-gpu-to-nvvm", KERNEL_ASSERTION, f"{NO_GLOBAL} or 'llvm.func'"),
        (22, "convert-gpu-to-nvvm", KERNEL_ASSERTION, ""),
        (21, "convert-gpu-to-rocdl", KERNEL_ASSERTION, f"{NO_GLOBAL}, 'llvm.mlir.alias' or 'llvm.func'"),
        (18, "gpu-to-llvm", ACCESS, NO_INDEX),
        (19, "gpu-to-llvm", ACCESS, NO_INDEX),
        (20, "gpu-to-llvm", ACCESS, NO_INDEX),
        (21, "gpu-to-llvm", ACCESS, ""),
        (22, "gpu-to-llvm", ACCESS, ""),
        (19, "gpu-to-llvm", CONDITION, NO_DIMENSION),
        (22, "gpu-to-llvm", CONDITION, ""),
        (22, "gpu-to-llvm", ASSERTION, ENDS),
        (22, "gpu-to-llvm", ASSERTION.replace('cf.assert %b, "no"', ""), ""),
    ],
)
def test_what_the_verifier_rejects_after_a_pass(version: int, name: str, text: str, message: str) -> None:
    done = run_pipeline(module_of(parse_source(text).chunks[0]), parse_pipeline(f"--{name}"), version)
    assert done.first_message == message if message else done.error is None
