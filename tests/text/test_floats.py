"""Floats are printed as by MLIR."""

from __future__ import annotations

import random
import re
import struct

import pytest
from xdsl.dialects.builtin import (
    AnyFloat,
    BFloat16Type,
    Float8E5M2Type,
    Float16Type,
    Float32Type,
    Float64Type,
    Float80Type,
)

from gpuasync_lsp.syntax import parse_source
from gpuasync_lsp.syntax.float_texts import float_attribute_text
from gpuasync_lsp.syntax.printer import print_module
from gpuasync_lsp.syntax.provenance import module_of
from tests.support.thinning import thinned
from tests.support.tools import mlir_opt


# The output of mlir-opt 19 and 22.
@pytest.mark.parametrize(
    ("value", "type", "text"),
    [
        (0.0, Float32Type(), "0.000000e+00"),
        (-0.0, Float32Type(), "-0.000000e+00"),
        (1.0, Float64Type(), "1.000000e+00"),
        (struct.unpack("f", struct.pack("f", 1e-5))[0], Float32Type(), "9.99999974E-6"),
        (struct.unpack("f", struct.pack("f", 0.1))[0], Float32Type(), "1.000000e-01"),
        (struct.unpack("f", b"\x6a\xf3\x2e\x4e")[0], Float32Type(), None),
        (3.0000000054977558e38, Float64Type(), "3.0000000054977558E+38"),
        (0.1, Float80Type(), "0.100000000000000005551"),
        (0.0999755859375, Float16Type(), "9.997550e-02"),
        (3.140625, BFloat16Type(), "3.140630e+00"),
        (1.25, Float8E5M2Type(), "1.250000e+00"),
    ],
    ids=str,
)
def test_measured(value: float, type: AnyFloat, text: str | None) -> None:
    assert float_attribute_text(value, type) == text


@pytest.mark.parametrize("version", thinned([22, 19, 16], 3))
def test_as_mlir_opt_prints_them(version: int) -> None:
    chosen = random.Random(version)
    lines: list[str] = []
    for code, name in (("f", "f32"), ("d", "f64"), ("e", "f16"), ("f", "bf16")):
        for _ in range(40):
            bits = bytes(chosen.randrange(256) for _ in range(struct.calcsize(code)))
            number = struct.unpack(code, bits)[0]
            if chosen.random() < 0.5:
                number = struct.unpack(
                    code, struct.pack(code, chosen.uniform(-9, 9) / chosen.randint(1, 999))
                )[0]
            if abs(number) < 1e300:
                lines.append(f"  %{len(lines)} = arith.constant {number:.25e} : {name}\n")
    text = "func.func @f() {\n" + "".join(lines) + "  return\n}\n"
    printed = mlir_opt(version)(text)
    assert printed.code == 0, printed.err
    ours = print_module(module_of(parse_source(text).chunks[0]))
    assert numbers(ours) == numbers(printed.out)


def numbers(text: str) -> list[str]:
    return re.findall(r"arith.constant (\S+ : \w+)", text)
