"""`rtsrand`, `rtrand` and `rtdrand` of mlir_c_runner_utils: the same random numbers as in mlir-runner.

They come from `std::mt19937` with libstdc++'s `std::uniform_int_distribution`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

_WORD = 1 << 32


@dataclass
class Generators:
    """The random generators of one run, by the program's handles."""

    _alive: dict[int, np.random.MT19937] = field(default_factory=dict[int, np.random.MT19937])
    _made: int = 0

    def seed(self, seed: int) -> int:
        """Create a generator; return its handle."""
        # RandomState seeds the generator like std::mt19937, so MT19937 yields the same words.
        bits: Any = np.random.MT19937()
        bits.state = np.random.RandomState(seed % _WORD).get_state()
        self._made += 1
        self._alive[self._made] = bits
        return self._made

    def draw(self, handle: int, last: int) -> int:
        """Return a random number from 0 to `last`. Raises KeyError for an unknown handle."""
        return _draw(self._alive[handle], last)

    def drop(self, handle: int) -> None:
        """Destroy a generator. Raises KeyError for an unknown handle."""
        del self._alive[handle]


def _draw(bits: np.random.MT19937, last: int) -> int:
    if last == _WORD - 1:
        return int(bits.random_raw())
    if last >= _WORD:
        while True:
            number = _draw(bits, last // _WORD) * _WORD + int(bits.random_raw())
            if number <= last:
                return number
    # Lemire's method: the upper half of a product, unless the lower half shows a bias.
    count = last + 1
    product = int(bits.random_raw()) * count
    if product % _WORD < count:
        threshold = (_WORD - count) % count
        while product % _WORD < threshold:
            product = int(bits.random_raw()) * count
    return product // _WORD
