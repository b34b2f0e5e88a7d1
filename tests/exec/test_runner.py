"""Host programs print the same as with the runners of LLVM 22 and LLVM 19."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from tests.exec.harness import run
from tests.support.texts import texts_beside
from tests.support.tools import missing, mlir_opt, real_tool

TEXTS = texts_beside(__file__)

LIBRARIES = Path("/usr/lib/llvm-22/lib")

PASSES = (
    "--convert-complex-to-llvm",
    "--convert-scf-to-cf",
    "--expand-strided-metadata",
    "--lower-affine",
    "--convert-arith-to-llvm",
    "--finalize-memref-to-llvm",
    "--convert-func-to-llvm",
    "--convert-cf-to-llvm",
    "--reconcile-unrealized-casts",
)


def printing(element: str, suffix: str, shape: str, value: str) -> str:
    extents = [int(n) for n in shape.split("x")] if shape else []
    type = f"memref<{''.join(f'{n}x' for n in extents)}{element}>"
    index = ", ".join("%c0" for _ in extents)
    fill = "".join(f"    memref.store %v, %m[{', '.join(f'%i{d}' for d in range(len(extents)))}] : {type}\n")
    head = "".join(f"    scf.for %i{d} = %c0 to %n{d} step %c1 {{\n" for d in range(len(extents)))
    sizes = "".join(f"    %n{d} = arith.constant {n} : index\n" for d, n in enumerate(extents))
    return f"""
func.func private @printMemref{suffix}(memref<*x{element}>)
func.func @main() {{
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
{sizes}    %v = arith.constant {value} : {element}
    %w = arith.constant {"7" if element.startswith("i") else "0.1"} : {element}
    %m = memref.alloc() : {type}
{head}{fill}{"    }" * len(extents)}
    memref.store %w, %m[{index}] : {type}
    %u = memref.cast %m : {type} to memref<*x{element}>
    func.call @printMemref{suffix}(%u) : (memref<*x{element}>) -> ()
    memref.dealloc %m : {type}
    return
}}
"""


SCALARS = TEXTS["SCALARS"]

ELEMENTS = {
    "I8": ("i8", "65"), "I16": ("i16", "-30000"), "I32": ("i32", "7"), "I64": ("i64", "-7"),
    "F16": ("f16", "1.5"), "BF16": ("bf16", "-0.1"), "F32": ("f32", "1.0e-7"), "F64": ("f64", "12345678.0"),
    "C32": ("complex<f32>", "[1.5 : f32, -2.0 : f32]"), "C64": ("complex<f64>", "[0.1 : f64, 1.0e30 : f64]"),
    "Ind": ("index", "42"),
}  # fmt: skip
"""Element type and sample value by suffix of the printing functions."""


def through_wrapper(suffix: str, *, shape: str = "2x3", ranked: str = "", name: str = "printMemref") -> str:
    """Return a program that prints a memref through MLIR's C interface wrapper."""
    element, value = ELEMENTS[suffix]
    type = f"memref<{shape}x{element}>" if shape else f"memref<{element}>"
    function, taken = f"{name}{ranked}{suffix}", type if ranked else f"memref<*x{element}>"
    kind = "complex.constant" if element.startswith("complex") else "arith.constant"
    extents = [int(n) for n in shape.split("x")] if shape else []
    head = "".join(f"    scf.for %i{d} = %c0 to %n{d} step %c1 {{\n" for d in range(len(extents)))
    sizes = "".join(f"    %n{d} = arith.constant {n} : index\n" for d, n in enumerate(extents))
    indices = ", ".join(f"%i{d}" for d in range(len(extents)))
    dynamic = type if not ranked else type.replace(f"{shape}x", "?x" * len(extents))
    given = f"%u = memref.cast %m : {type} to {dynamic if ranked else taken}"
    if ranked and not extents:
        given, dynamic = "", type
    passed = "%m" if ranked and not extents else "%u"
    taken = dynamic if ranked else taken
    return f"""
func.func private @{function}({taken}) attributes {{llvm.emit_c_interface}}
func.func @main() {{
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
{sizes}    %v = {kind} {value} : {element}
    %m = memref.alloc() : {type}
{head}    memref.store %v, %m[{indices}] : {type}
{"    }" * len(extents)}
    {given}
    func.call @{function}({passed}) : ({taken}) -> ()
    memref.dealloc %m : {type}
    return
}}
"""


WRAPPED = {
    **{f"wrapped {suffix}": through_wrapper(suffix) for suffix in ELEMENTS},
    **{
        f"shape {suffix}": through_wrapper(suffix, name="printMemrefShape")
        for suffix in ("F32", "F64", "I8", "I32", "I64", "C32", "C64", "Ind")
    },
    "ranked 0": through_wrapper("F32", shape="", ranked="0d"),
    **{f"ranked {suffix}": through_wrapper(suffix, shape="4", ranked="1d")
       for suffix in ("F32", "F64", "I8", "I32", "I64", "C32", "C64", "Ind")},
    "ranked 2": through_wrapper("F32", shape="2x2", ranked="2d"),
    "ranked 3": through_wrapper("F32", shape="2x1x2", ranked="3d"),
    "ranked 4": through_wrapper("F32", shape="2x2x1x2", ranked="4d"),
}  # fmt: skip

PROGRAMS = {
    **WRAPPED,
    "scalars": SCALARS,
    "rank 0": printing("f64", "F64", "", "1.0e20"),
    "rank 1": printing("f32", "F32", "5", "1.5"),
    "rank 2": printing("i32", "I32", "2x3", "-3"),
    "rank 3": printing("f32", "F32", "2x2x2", "0.333333343"),
    "one row": printing("f64", "F64", "1x2", "2.5"),
    "i64": printing("i64", "I64", "3", "-9000000000"),
    "index": printing("index", "Ind", "2x2", "12").replace(
        "arith.constant 0.1 : index", "arith.constant 3 : index"
    ),
}


def compared(suffix: str, shape: str, first: str, second: str, other: str = "") -> str:
    """Return a program that compares two constant memrefs; `other` is the second's shape if it differs."""
    element = ELEMENTS[suffix][0]
    kind = "complex.constant" if element.startswith("complex") else "arith.constant"
    types = [f"memref<{extents}x{element}>" for extents in (shape, other or shape)]
    fills = "".join(
        f"    scf.for %i{n} = %c0 to %n{n} step %c1 {{\n"
        f"      memref.store %v{n}, %m{n}[%i{n}] : {type}\n    }}\n"
        for n, type in enumerate(types)
    )
    made = "".join(
        f"    %v{n} = {kind} {value} : {element}\n    %m{n} = memref.alloc() : {type}\n"
        f"    %n{n} = arith.constant {extent} : index\n"
        f"    %u{n} = memref.cast %m{n} : {type} to memref<*x{element}>\n"
        for n, (value, type, extent) in enumerate(
            zip((first, second), types, (shape, other or shape), strict=True)
        )
    )
    return f"""
func.func private @verifyMemRef{suffix}(memref<*x{element}>, memref<*x{element}>) -> i64
    attributes {{llvm.emit_c_interface}}
func.func private @printI64(i64)
func.func @main() {{
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
{made}{fills}
    %e = func.call @verifyMemRef{suffix}(%u0, %u1) : (memref<*x{element}>, memref<*x{element}>) -> i64
    func.call @printI64(%e) : (i64) -> ()
    memref.dealloc %m0 : {types[0]}
    memref.dealloc %m1 : {types[1]}
    return
}}
"""


BLOCKS = TEXTS["BLOCKS"]

RANDOM = """
func.func private @rtsrand(i64) -> !llvm.ptr
func.func private @rtrand(!llvm.ptr, i64) -> i64
func.func private @rtdrand(!llvm.ptr)
func.func private @printU64(i64)
func.func private @printNewline()
func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 20 : index
  %seed = arith.constant 1099511627783 : i64
  %g = func.call @rtsrand(%seed) : (i64) -> !llvm.ptr
LASTS
  func.call @rtdrand(%g) : (!llvm.ptr) -> ()
  return
}
""".replace(
    "LASTS",
    "\n".join(
        f"""  %l{number} = arith.constant {last} : i64
  scf.for %i = %c0 to %n step %c1 {{
    %r = func.call @rtrand(%g, %l{number}) : (!llvm.ptr, i64) -> i64
    func.call @printU64(%r) : (i64) -> ()
    func.call @printNewline() : () -> ()
  }}"""
        for number, last in enumerate((9, 0, 2147483648, 3221225471, 4294967295, 4294967296, 1 << 40, -1))
    ),
)

SORT = TEXTS["SORT"]

ZEROS = {"I": "0", "C": "[0.0, 1.0]"}

PROGRAMS |= {
    "blocks": BLOCKS,
    "random numbers": RANDOM,
    "sorted": SORT,
    **{f"compared {suffix}": compared(suffix, "3", ELEMENTS[suffix][1], ELEMENTS[suffix][1])
       for suffix in ELEMENTS},
    **{f"differing {suffix}": compared(suffix, "12", ELEMENTS[suffix][1], ZEROS.get(suffix[0], "0.0"))
       for suffix in ELEMENTS if suffix != "C32"},
    "differing C32": compared("C32", "2", ELEMENTS["C32"][1], "[1.5 : f32, 2.0 : f32]"),
    "close f32": compared("F32", "2", "1.0", "1.0000008"),
    "not close f32": compared("F32", "2", "1.0", "1.000002"),
    "not a number": compared("F64", "2", "0x7FF8000000000000", "0x7FF8000000000000"),
    "other shape": compared("F32", "2", "1.0", "1.0", "3"),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(("version", "program"), [(22, "mlir-runner-22"), (19, "mlir-cpu-runner-19")])
@pytest.mark.parametrize("name", PROGRAMS)
def test_prints_what_the_runner_prints(name: str, version: int, program: str, tmp_path: Path) -> None:
    """LLVM 22's library serves both runners, since its functions have the same names and types as in 19."""
    text = PROGRAMS[name]
    runner = real_tool(program)
    libraries = sorted(LIBRARIES.glob("libmlir*_runner_utils.so*"))
    if not libraries:
        missing("libmlir_runner_utils of LLVM 22 is not installed")
    lowered = mlir_opt(version)(text, *PASSES)
    assert lowered.code == 0, lowered.err
    file = tmp_path / "lowered.mlir"
    file.write_text(lowered.out)
    shared = f"--shared-libs={','.join(map(str, libraries))}"
    done = subprocess.run(
        [*runner.command, str(file), "-e", "main", "--entry-point-result=void", shared],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    report = run(text, version)
    assert report.outcome == "ok", report
    # LLVM's runner prints differences to standard error, this tool to the output.
    assert _plain(report.output) == _plain(done.stderr + done.stdout)


def _plain(text: str) -> str:
    return re.sub(r"base@ = 0x[0-9a-f]+", "base@ = 0x", text)
