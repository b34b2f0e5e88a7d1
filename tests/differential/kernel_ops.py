"""Each op of arith and math on each type in a kernel, converted by our passes and by the real ones.

    python -m tests.differential.kernel_ops --llvm 22 --pass convert-gpu-to-nvvm

prints the programs for which they differ; the exit status is 1 if there are any.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from itertools import product

from tests.differential.passes import compare_texts, report, run_all

FLOATS = ("f16", "bf16", "f32", "f64", "vector<4xf32>", "vector<2xf16>", "vector<2x2xf16>")
INTEGERS = ("i8", "i32", "i64", "index", "vector<4xi32>", "vector<2x2xi32>")
OF_FLOATS = {
    1: "absf acos acosh asin asinh atan atanh cbrt ceil cos cosh erf erfc exp exp2 expm1 floor log log10 "
    "log1p log2 round roundeven rsqrt sin sinh sqrt tan tanh trunc",
    2: "atan2 copysign powf",
    3: "fma",
}
ARITH_OF_FLOATS = {
    1: "negf",
    2: "addf subf mulf divf remf minnumf maxnumf minimumf maximumf minf maxf",
}
OF_INTEGERS = {1: "absi ctlz cttz ctpop", 2: "ipowi"}
ARITH_OF_INTEGERS = {
    2: "addi subi muli divsi divui remsi remui ceildivsi ceildivui floordivsi maxsi maxui minsi minui andi "
    "ori xori shli shrsi shrui",
}
CONVERSIONS = (
    ("extf", "f16", "f32"),
    ("extf", "bf16", "f32"),
    ("extf", "f32", "f64"),
    ("truncf", "f32", "f16"),
    ("truncf", "f32", "bf16"),
    ("truncf", "f64", "f32"),
    ("sitofp", "i32", "f32"),
    ("uitofp", "i8", "f16"),
    ("fptosi", "f32", "i32"),
    ("fptoui", "f32", "i8"),
    ("extsi", "i8", "i32"),
    ("extui", "i8", "i32"),
    ("trunci", "i64", "i8"),
    ("index_cast", "i32", "index"),
    ("index_castui", "index", "i64"),
    ("bitcast", "f32", "i32"),
)


def programs(version: int) -> dict[str, str]:
    """Return a module for each op and type that the release has, by a name that includes both."""
    found = dict(_programs())
    printed = run_all(version, list(found.values()))
    return {name: text for (name, text), known in zip(found.items(), printed, strict=True) if known.strip()}


def _programs() -> Iterator[tuple[str, str]]:
    for dialect, table, types, flags in (
        ("math", OF_FLOATS, FLOATS, ("", " fastmath<afn>", " fastmath<fast>")),
        ("arith", ARITH_OF_FLOATS, FLOATS, ("", " fastmath<fast>")),
        ("math", OF_INTEGERS, INTEGERS, ("",)),
        ("arith", ARITH_OF_INTEGERS, INTEGERS, ("",)),
    ):
        for (count, names), type, flag in product(table.items(), types, flags):
            for name in names.split():
                yield _program(f"{dialect}.{name}", [type] * count, [type], flag, type)
    for name, type in product(("isnan", "isinf", "isfinite", "isnormal"), FLOATS):
        yield _program(f"math.{name}", [type], [_with_element(type, "i1")], "", type)
    for base, element in product(FLOATS, ("i32", "i64")):
        exponent = _with_element(base, element)
        yield _program("math.fpowi", [base, exponent], [base], "", f"{base}, {exponent}")
    for type in FLOATS:
        yield _program("math.sincos", [type], [type, type], "", type)
    for name, source, target in CONVERSIONS:
        yield _program(f"arith.{name}", [source], [target], "", f"{source} to {target}")


def _with_element(type: str, element: str) -> str:
    """Return `element`, or for a vector type the vector type of the same shape with this element type."""
    shape, _, _ = type.rpartition("x")
    return f"{shape}x{element}>" if shape else element


def _program(op: str, inputs: list[str], outputs: list[str], flags: str, types: str) -> tuple[str, str]:
    parameters = ", ".join(f"%a{number}: {type}" for number, type in enumerate(inputs))
    operands = ", ".join(f"%a{number}" for number, _ in enumerate(inputs))
    results = ", ".join(f"%r{number}" for number, _ in enumerate(outputs))
    listed = ", ".join(outputs)
    text = (
        f"gpu.module @kernels {{\n  func.func @f({parameters}) -> ({listed}) {{\n"
        f"    {results} = {op} {operands}{flags} : {types}\n    return {results} : {listed}\n  }}\n}}\n"
    )
    return f"{op}{flags} : {types}", text


def main(arguments: list[str]) -> int:
    """Compare the conversions; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--llvm", type=int, default=22)
    parser.add_argument("--pass", dest="pass_name", default="convert-gpu-to-nvvm")
    given = parser.parse_args(arguments)
    comparison = compare_texts(given.llvm, given.pass_name, programs(given.llvm))
    for line in report(comparison, whole=False):
        print(line)
    return int(bool(comparison.different))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
