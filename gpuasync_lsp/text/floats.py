"""Prints floats as MLIR does, with APFloat::toString, which truncates digits before it rounds.

For example `1.0e-5 : f32` is printed as `9.99999974E-6`: decimal digits of the exact number are cut off until
about twenty bits are left. If the result, rounded to six digits, does not parse as the same number, all
digits that distinguish the number from its neighbors are printed, in a different style. Measured with LLVM 19
and 22.
"""

from __future__ import annotations

from collections.abc import Callable

SHORT_DIGITS = 6
"""The number of digits that are tried first."""
MAX_PADDING = 3
"""The maximum number of zeros that the second style adds before it switches to an exponent."""


def float_text(value: float, precision: int, is_text_of: Callable[[str], bool]) -> str | None:
    """Return the text of a finite `value` of a type with `precision` bits in its significand.

    `is_text_of` returns whether a string parses as `value` in that type. Returns None if only a hexadecimal
    literal does.
    """
    sign = "-" if str(value).startswith("-") else ""
    if value == 0:
        return sign + "0.000000e+00"
    short = sign + _scientific(*_digits(value, SHORT_DIGITS), letter="e", fill=SHORT_DIGITS)
    if is_text_of(short):
        return short
    exact = 2 + precision * 59 // 196
    digits, exponent = _digits(value, exact)
    text = sign + _plain_or_scientific(digits, exponent, exact)
    return text if "." in text else None


def _digits(value: float, wanted: int) -> tuple[str, int]:
    """Return up to `wanted` decimal digits of |value| without trailing zeros, and the last one's exponent."""
    numerator, denominator = abs(value).as_integer_ratio()
    # A denominator is a power of 2: n / 2^e is n * 5^e / 10^e.
    twos = denominator.bit_length() - 1
    number, exponent = numerator * 5**twos, -twos
    # 196/59 is slightly more than the number of bits of a decimal digit.
    too_many = (number.bit_length() - (wanted * 196 + 58) // 59) * 59 // 196
    if too_many > 0:
        number //= 10**too_many
        exponent += too_many
    digits = str(number)
    if (rest := len(digits) - wanted) > 0:
        number = number // 10**rest + (digits[wanted] >= "5")
        digits = str(number)
        exponent += rest
    stripped = digits.rstrip("0")
    return stripped, exponent + len(digits) - len(stripped)


def _scientific(digits: str, exponent: int, *, letter: str, fill: int = 0) -> str:
    """Return the number in the form `d.ddd` with an exponent.

    If `fill` is not 0, the number has `fill` digits after the point and two in the exponent."""
    power = exponent + len(digits) - 1
    fraction = digits[1:].ljust(fill, "0") or "0"
    return f"{digits[0]}.{fraction}{letter}{'-' if power < 0 else '+'}{abs(power):0{2 if fill else 1}}"


def _plain_or_scientific(digits: str, exponent: int, wanted: int) -> str:
    leading = exponent + len(digits) - 1
    if exponent >= 0:
        if exponent > MAX_PADDING or len(digits) + exponent > wanted:
            return _scientific(digits, exponent, letter="E")
        return digits + "0" * exponent
    if leading >= 0:
        return f"{digits[: leading + 1]}.{digits[leading + 1 :]}"
    if -leading > MAX_PADDING:
        return _scientific(digits, exponent, letter="E")
    return "0." + "0" * (-leading - 1) + digits
