"""`rtsrand`, `rtrand` and `rtdrand` of mlir_c_runner_utils: the numbers of `std::mt19937` through libstdc++'s
`std::uniform_int_distribution`, so that a program draws what it draws under mlir-runner."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

_WORD = 1 << 32


@dataclass
class Generators:
    """The generators of one run, by the handles that the program holds."""

    _alive: dict[int, Any] = field(default_factory=dict[int, Any])
    _made: int = 0

    def seed(self, seed: int) -> int:
        """Return the handle of a new generator."""
        # RandomState seeds as std::mt19937 does, and MT19937 gives the words that it gives.
        bits: Any = np.random.MT19937()
        bits.state = np.random.RandomState(seed % _WORD).get_state()
        self._made += 1
        self._alive[self._made] = bits
        return self._made

    def draw(self, handle: int, last: int) -> int:
        """Return a number from 0 to `last`. Raises KeyError for a handle that was not given out."""
        return _draw(self._alive[handle], last)

    def drop(self, handle: int) -> None:
        """End a generator's life. Raises KeyError for a handle that was not given out."""
        del self._alive[handle]


def _draw(bits: Any, last: int) -> int:
    if last == _WORD - 1:
        return int(bits.random_raw())
    if last >= _WORD:
        while True:
            number = _draw(bits, last // _WORD) * _WORD + int(bits.random_raw())
            if number <= last:
                return number
    # Lemire's method: the upper half of a product, where the lower half does not favour some numbers.
    count = last + 1
    product = int(bits.random_raw()) * count
    if product % _WORD < count:
        threshold = (_WORD - count) % count
        while product % _WORD < threshold:
            product = int(bits.random_raw()) * count
    return product // _WORD
