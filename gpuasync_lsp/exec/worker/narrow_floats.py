"""Converts floats of at most eight bits, which NumPy lacks, between codes and values."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpuasync_lsp.float_formats import FORMATS

Array = NDArray[Any]


NARROW_FLOATS = frozenset(FORMATS)
"""The MLIR types, each stored in a byte."""


def decoded_floats(codes: Array, name: str) -> Array:
    """Return the values of the codes of type `name`, as f32."""
    table = _values(name)
    return table[codes.astype(np.uint8) & (len(table) - 1)]


def encoded_floats(values: Array, name: str) -> Array:
    """Return the codes of the nearest values, ties to even.

    A value that is too large becomes infinity, NaN or the largest value, depending on the type."""
    table = _values(name)
    codes = np.flatnonzero(np.isfinite(table))
    codes = codes[np.lexsort((codes & 1, table[codes]))]
    known = table[codes]
    given = np.asarray(values, np.float64).ravel()
    after = np.clip(np.searchsorted(known, given), 1, len(known) - 1)
    low, high = known[after - 1].astype(np.float64), known[after].astype(np.float64)
    nearer = np.where(given - low == high - given, codes[after] & 1 == 0, given - low > high - given)
    found = np.where(nearer, codes[after], codes[after - 1])
    largest, step = float(known[-1]), float(known[-1]) - float(known[-2])
    over = np.abs(given) >= largest + step / 2
    beyond = np.flatnonzero(~np.isfinite(table))
    if len(beyond):
        infinite = np.isinf(table)
        positive = int(np.flatnonzero(infinite & (table > 0))[0]) if infinite.any() else int(beyond[0])
        negative = int(np.flatnonzero(infinite & (table < 0))[0]) if infinite.any() else int(beyond[0])
        found = np.where(over, np.where(given < 0, negative, positive), found)
        found = np.where(np.isnan(given), int(np.flatnonzero(np.isnan(table))[0]), found)
    return found.astype(np.uint8).reshape(np.shape(values))


def largest_float(name: str) -> float:
    """Return the largest value of a type."""
    table = _values(name)
    return float(table[np.isfinite(table)].max())


@cache
def _values(name: str) -> Array:
    """Return a type's values, indexed by code."""
    form = FORMATS[name]
    bits = form.exponent + form.mantissa + form.signed
    codes = np.arange(1 << bits)
    mantissa = codes & ((1 << form.mantissa) - 1)
    exponent = codes >> form.mantissa & ((1 << form.exponent) - 1)
    fraction = mantissa / (1 << form.mantissa)
    normal = (1 + fraction) * np.exp2(exponent.astype(np.float64) - form.bias)
    tiny = normal if not form.signed else fraction * np.exp2(1.0 - form.bias)
    values = np.where(exponent == 0, tiny, normal)
    if form.special == "ieee":
        top = exponent == (1 << form.exponent) - 1
        values = np.where(top, np.where(mantissa == 0, np.inf, np.nan), values)
    elif form.special == "fn":
        ones = (1 << (bits - form.signed)) - 1
        values = np.where(codes & ones == ones, np.nan, values)
    if form.signed:
        values = np.where(codes >> (bits - 1) == 1, -values, values)
    if form.special == "fnuz":
        values[1 << (bits - 1)] = np.nan
    return values.astype(np.float32)
