"""Parses the values of pass options according to LLVM's command-line rules.

Source: the values that mlir-opt 22 accepts and rejects.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

FLAGS = frozenset(
    {
        *("allow-pattern-rollback", "correct-sqrt", "daz", "fast", "finite-only", "ftz"),
        *("full-unroll", "intersperse-sizes-for-kernels", "lower-scalable", "lower-tensors"),
        *("test-convergence", "top-down", "unsafe-math"),
        *("use-bare-pointers-for-host", "use-bare-pointers-for-kernels", "use-bare-ptr-memref-call-conv"),
        *("reassociate-fp-reductions", "force-32bit-vector-indices", "use-vector-alignment"),
        *("enable-amx", "enable-arm-neon", "enable-arm-sme", "enable-arm-sve", "enable-arm-i8mm"),
        *("enable-arm-bf16", "enable-x86vector", "use-opaque-pointers"),
        *("has-redux", "wave64"),
    }
)
"""The boolean options of all passes."""

NUMBERS: Mapping[str, range] = {
    "O": range(2**32),
    "index-bitwidth": range(2**32),
    "max-iterations": range(-(2**63), 2**63),
    "max-num-rewrites": range(-(2**63), 2**63),
    "target-rank": range(2**32),
}
"""Maps each numeric option to its range of valid values."""

_LONGEST_NUMBER = 70
_RADIX = {"0x": 16, "0b": 2, "0o": 8}
_DIGITS = re.compile(r"[0-9a-f]+")


def flag(value: str) -> bool | None:
    """Parse the value of a boolean option; return None if it is invalid."""
    if value in ("", "true", "TRUE", "True", "1"):
        return True
    return False if value in ("false", "FALSE", "False", "0") else None


def number(value: str) -> int | None:
    """Parse an integer, whose prefix determines the base; return None if it is invalid."""
    digits = value.removeprefix("-").lower()
    radix = _RADIX.get(digits[:2], 8 if len(digits) > 1 and digits[0] == "0" else 10)
    digits = digits[2:] if digits[:2] in _RADIX else digits
    if len(digits) > _LONGEST_NUMBER or _DIGITS.fullmatch(digits) is None:
        return None
    try:
        found = int(digits, radix)
    except ValueError:
        return None
    return -found if value.startswith("-") else found


def mistake(option: str, value: str) -> str | None:
    """Describe the error in the value of an option; return None if the value is valid."""
    if option in FLAGS and flag(value) is None:
        return f"{option} must be true or false, not {value[:40]!r}"
    if option in NUMBERS:
        given = number(value)
        if given is None or given not in NUMBERS[option]:
            return f"{option} must be a number, not {value[:40]!r}"
    return None


def is_set(options: Mapping[str, str], option: str) -> bool:
    """Return whether a boolean option is given and true."""
    return option in options and flag(options[option]) is True


def level(options: Mapping[str, str]) -> int:
    """Return the optimization level in the target option `O`, as an i32; 2 if it is not given."""
    given = number(options.get("O", "2")) or 0
    return given - 2**32 if given >= 2**31 else given
