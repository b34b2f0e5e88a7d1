"""Programs on the CPU compute the same results as NumPy."""

from __future__ import annotations

import re

import numpy as np
import pytest

from tests.exec.harness import PROGRAMS, Case, compute
from tests.support.thinning import thinned


@pytest.mark.parametrize("case", thinned(PROGRAMS, 12), ids=str)
def test_program_equals_numpy(case: Case) -> None:
    done = compute(case.text, case.llvm, case.arguments, shared_arguments=case.shared)
    report = done.report
    errors = [f for f in report["findings"] if f["level"] == "error"]
    assert report["outcome"] in ("ok", "findings"), report.get("message")
    assert not errors, errors
    assert case.expected or case.results, "the case tells nothing to compare"
    for name, expression in case.expected.items():
        wanted = eval(expression, {"np": np, **done.inputs})
        np.testing.assert_allclose(done.arrays[name], wanted, rtol=case.tolerance, atol=case.tolerance)
    for number, expression in enumerate(case.results):
        wanted = eval(expression, {"np": np})
        name = f"result {number}"
        shown = next(v["preview"] for v in report["values"] if v["name"] == name)
        assert re.sub(r"\s+", " ", shown) == re.sub(r"\s+", " ", str(wanted))


UNARY = {
    "math.absf": "np.abs(x - 0.5)", "math.ceil": "np.ceil(x - 0.5)", "math.floor": "np.floor(x - 0.5)",
    "math.sqrt": "np.sqrt(x)", "math.rsqrt": "1 / np.sqrt(x)", "math.exp": "np.exp(x)",
    "math.exp2": "np.exp2(x)",
    "math.expm1": "np.expm1(x)", "math.log": "np.log(x)", "math.log2": "np.log2(x)",
    "math.log10": "np.log10(x)",
    "math.log1p": "np.log1p(x)", "math.sin": "np.sin(x)", "math.cos": "np.cos(x)", "math.tan": "np.tan(x)",
    "math.tanh": "np.tanh(x)", "math.asin": "np.arcsin(x)", "math.acos": "np.arccos(x)",
    "math.atan": "np.arctan(x)", "math.sinh": "np.sinh(x)", "math.cosh": "np.cosh(x)",
    "math.cbrt": "np.cbrt(x)",
    "math.erf": "np.vectorize(__import__('math').erf)(x)", "math.round": "np.floor(x + 0.5)",
    "math.roundeven": "np.rint(x)", "math.trunc": "np.trunc(x)", "arith.negf": "-x",
}  # fmt: skip

BINARY_FLOAT = {
    "arith.addf": "x + y", "arith.subf": "x - y", "arith.mulf": "x * y", "arith.divf": "x / y",
    "arith.remf": "np.fmod(x, y)", "arith.maximumf": "np.maximum(x, y)", "arith.minimumf": "np.minimum(x, y)",
    "arith.maxnumf": "np.fmax(x, y)", "arith.minnumf": "np.fmin(x, y)", "math.powf": "np.power(x, y)",
    "math.atan2": "np.arctan2(x, y)", "math.copysign": "np.copysign(x, y)",
}  # fmt: skip

BINARY_INTEGER = {
    "arith.addi": "x + y", "arith.subi": "x - y", "arith.muli": "x * y", "arith.divsi": "x // y",
    "arith.divui": "x // y", "arith.remsi": "x % y", "arith.remui": "x % y", "arith.andi": "x & y",
    "arith.ori": "x | y", "arith.xori": "x ^ y", "arith.maxsi": "np.maximum(x, y)",
    "arith.minui": "np.minimum(x, y)",
    "arith.ceildivsi": "-(-x // y)", "arith.floordivsi": "x // y", "arith.ceildivui": "-(-x // y)",
}  # fmt: skip


def elementwise(bodies: list[str], element: str, count: int) -> str:
    """Return a kernel that applies each body, which computes %r from %v and %w, to its own row of the
    output."""
    stores = "\n".join(
        f"    %k{n} = arith.constant {n} : index\n"
        + re.sub(r"%(r|t)\b", rf"%\g<1>{n}", body)
        + f"\n    memref.store %r{n}, %o[%k{n}, %i] : memref<{count}x32x{element}>"
        for n, body in enumerate(bodies)
    )
    return f"""
module attributes {{gpu.container_module}} {{
  func.func @main(%x: memref<32x{element}>, %y: memref<32x{element}>, %o: memref<{count}x32x{element}>) {{
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %ux = memref.cast %x : memref<32x{element}> to memref<*x{element}>
    %uy = memref.cast %y : memref<32x{element}> to memref<*x{element}>
    %uo = memref.cast %o : memref<{count}x32x{element}> to memref<*x{element}>
    gpu.host_register %ux : memref<*x{element}>
    gpu.host_register %uy : memref<*x{element}>
    gpu.host_register %uo : memref<*x{element}>
    gpu.launch_func @m::@f blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1)
        args(%x : memref<32x{element}>, %y : memref<32x{element}>, %o : memref<{count}x32x{element}>)
    return
  }}
  gpu.module @m {{
    gpu.func @f(%x: memref<32x{element}>, %y: memref<32x{element}>, %o: memref<{count}x32x{element}>)
        kernel {{
    %i = gpu.thread_id x
    %v = memref.load %x[%i] : memref<32x{element}>
    %w = memref.load %y[%i] : memref<32x{element}>
{stores}
    gpu.return
    }}
  }}
}}
"""


@pytest.mark.parametrize("element", ["f32", "f64"])
def test_float_operations_equal_numpy(element: str) -> None:
    half = "    %half{n} = arith.constant 0.5 : ELEMENT\n    %t = arith.subf %v, %half{n} : ELEMENT\n"
    bodies: list[str] = []
    wanted: list[str] = []
    for number, (op, expression) in enumerate(UNARY.items()):
        shifted = "- 0.5" in expression
        lead = half.format(n=number).replace("ELEMENT", element) if shifted else ""
        bodies.append(f"{lead}    %r = {op} {'%t' if shifted else '%v'} : {element}")
        wanted.append(expression)
    for op, expression in BINARY_FLOAT.items():
        bodies.append(f"    %r = {op} %v, %w : {element}")
        wanted.append(expression)
    bodies.append(f"    %r = math.fma %v, %w, %v : {element}")
    wanted.append("x * y + x")
    done = compute(
        elementwise(bodies, element, len(bodies)), arguments={"x": "random:1", "y": "random:2", "o": "zeros"}
    )
    assert not done.report["findings"], done.report["findings"]
    for number, expression in enumerate(wanted):
        expected = eval(expression, {"np": np, **done.inputs})
        np.testing.assert_allclose(
            done.arrays["o"][number], expected, rtol=2e-5, atol=1e-6, err_msg=bodies[number]
        )


@pytest.mark.parametrize("element", ["i32", "i64"])
def test_integer_operations_equal_numpy(element: str) -> None:
    bodies = [f"    %r = {op} %v, %w : {element}" for op in BINARY_INTEGER]
    arguments = {"x": "random:1", "y": "7", "o": "zeros"}
    done = compute(elementwise(bodies, element, len(bodies)), arguments=arguments)
    assert not done.report["findings"], done.report["findings"]
    for number, (op, expression) in enumerate(BINARY_INTEGER.items()):
        expected = eval(expression, {"np": np, **done.inputs})
        np.testing.assert_array_equal(done.arrays["o"][number], expected, err_msg=op)


def test_work_of_lane_0_runs_by_the_name_that_it_had_until_19() -> None:
    case = next(each for each in PROGRAMS if each.name == "work of lane 0 of a warp")
    text = case.text.replace("gpu.warp_execute", "vector.warp_execute")
    done = compute(text, 19, arguments=case.arguments, shared_arguments=case.shared)
    np.testing.assert_allclose(done.arrays["b"], done.inputs["a"] + 1)
