"""Conversions to 16-bit floats, compared with NumPy and with exact rounding."""

from __future__ import annotations

import ctypes
import math
import random
import struct

import numpy as np
import pytest

pytest.importorskip("llvmlite")

from gpuasync_lsp.exec.worker.jit import Jit, function

# Results are stored in memory, since processors return 16-bit floats differently.
IR = """
define void @bf16_of_float(float %x, ptr %to) {
  %y = fptrunc float %x to bfloat
  store bfloat %y, ptr %to
  ret void
}
define void @bf16_of_double(double %x, ptr %to) {
  %y = fptrunc double %x to bfloat
  store bfloat %y, ptr %to
  ret void
}
define void @f16_of_double(double %x, ptr %to) {
  %y = fptrunc double %x to half
  store half %y, ptr %to
  ret void
}
"""
DOUBLES = [
    0.0, -0.0, 1.0, math.inf, -math.inf, 1e300, 5e-324, 1e-40, -3.3e38,
    65519.99999999, 65520.0, 2.0**-25, 2.0**-25 * 1.0000001,
    # Near a tie for bfloat: rounding first to float and then to bfloat would be wrong.
    1.0 + 2.0**-8 + 2.0**-40, 1.0 + 2.0**-8 - 2.0**-40, 1.0 + 2.0**-8, 1.0 + 3 * 2.0**-8,
    1.0 + 2.0**-11 + 2.0**-50,
]  # fmt: skip


def compiled(name: str, kind: type[ctypes.c_float | ctypes.c_double]):
    jit = Jit()
    call = function(jit.link(IR, (name,), {})[name], None, kind, ctypes.c_void_p)

    def convert(x: float) -> int:
        assert jit  # Keeps the code alive.
        found = ctypes.c_uint16()
        call(x, ctypes.addressof(found))
        return found.value

    return convert


def bf16(x: float) -> int:
    """Return the bits of the bfloat16 nearest to `x`, by exact comparison with both neighbors."""
    if math.isinf(x) or x == 0:
        return struct.unpack("<I", struct.pack("<f", x))[0] >> 16
    sign = 0x8000 if x < 0 else 0

    def value(bits: int) -> float:
        # In rounding, infinity counts as the power of two after the largest number.
        return struct.unpack("<f", struct.pack("<I", bits << 16))[0] if bits < 0x7F80 else 2.0**128

    low, high = 0, 0x7F80
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if value(middle) <= abs(x) else (low, middle)
    if abs(x) >= 2.0**128:
        return sign | 0x7F80
    down, up = abs(x) - value(low), value(high) - abs(x)
    return sign | (low if down < up or (down == up and low % 2 == 0) else high)


def samples() -> list[float]:
    rng = random.Random(5)
    bits = [rng.getrandbits(64) for _ in range(3_000)]
    found = [struct.unpack("<d", struct.pack("<Q", each))[0] for each in bits]
    found += [rng.choice((-1, 1)) * math.ldexp(rng.random(), rng.randint(-30, 20)) for _ in range(3_000)]
    return [*DOUBLES, *(each for each in found if not math.isnan(each))]


def test_bfloat16_of_doubles_and_floats() -> None:
    of_double, of_float = (
        compiled("bf16_of_double", ctypes.c_double),
        compiled("bf16_of_float", ctypes.c_float),
    )
    for x in samples():
        assert of_double(x) == bf16(x), x
        single = ctypes.c_float(x).value
        assert of_float(single) == bf16(single), single


def test_float16_of_doubles() -> None:
    convert = compiled("f16_of_double", ctypes.c_double)
    with np.errstate(over="ignore", under="ignore"):
        for x in samples():
            assert convert(x) == np.float64(x).astype(np.float16).view(np.uint16), x


def test_nan_stays_nan() -> None:
    for name, kind, mask in (
        ("bf16_of_double", ctypes.c_double, 0x7F80),
        ("f16_of_double", ctypes.c_double, 0x7C00),
    ):
        bits = compiled(name, kind)(math.nan)
        assert bits & mask == mask
        assert bits & ~(mask | 0x8000)
