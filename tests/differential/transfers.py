"""Random programs with vector transfers, lowered by our convert-vector-to-scf and by mlir-opt's.

    python -m tests.differential.transfers 22 --seed 1 --count 200

prints how many texts are equal after mlir-opt has printed both, and with `--show` those that are not.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Sequence

from tests.differential.one_pass import Growing, Judged, OnePass, command

PASS = OnePass("convert-vector-to-scf")
OPTIONS = ("", "", "full-unroll", "target-rank=2", "lower-tensors", "full-unroll lower-tensors")
_ELEMENTS = ("f32", "f32", "f16", "i32", "index", "i8")


class _Program(Growing):
    def __init__(self, chosen: random.Random) -> None:
        super().__init__(chosen)
        self.indices = [self.argument("index") for _ in range(2)]
        self.vectors: list[tuple[str, str, list[int]]] = []

    def index(self) -> str:
        kind = self.chosen.randrange(6)
        if kind < 3:
            return self.chosen.choice(self.indices)
        if kind < 5:
            return self.line(f"arith.constant {self.chosen.choice((0, 0, 1, 3, 7))} : index")
        first, second = (self.chosen.choice(self.indices) for _ in range(2))
        map = self.chosen.choice(
            ("(d0, d1) -> (d0 + d1)", "(d0, d1) -> (d0 * 4 + 2)", "(d0, d1) -> (d1 - 1)")
        )
        return self.line(f"affine.apply affine_map<{map}>({first}, {second})")

    def memory(self, rank: int, element: str) -> tuple[str, str]:
        sizes = [self.chosen.choice(("?", "?", "8", "4", "16")) for _ in range(rank)]
        shape = "x".join([*sizes, element])
        kind = self.chosen.randrange(8)
        if kind == 0:
            type = f"tensor<{shape}>"
        elif kind == 1:
            strides = ", ".join([*["?"] * (rank - 1), self.chosen.choice(("1", "1", "2", "?"))])
            type = f"memref<{shape}, strided<[{strides}], offset: ?>>"
        else:
            type = f"memref<{shape}>"
        return self.argument(type), type

    def mask(self, sizes: Sequence[int]) -> str:
        type = f"vector<{'x'.join(map(str, [*sizes, 'i1']))}>"
        kind = self.chosen.randrange(6)
        if kind == 0:
            bounds = [self.chosen.choice((size, max(size - 1, 1))) for size in sizes]
            return self.line(f"vector.constant_mask [{', '.join(map(str, bounds))}] : {type}")
        if kind == 1:
            return self.line(f"vector.create_mask {', '.join(self.index() for _ in sizes)} : {type}")
        return self.argument(type)

    def transfer(self) -> None:
        chosen = self.chosen
        element = chosen.choice(_ELEMENTS)
        rank = chosen.choice((1, 2, 2, 3, 3, 4))
        base, base_type = self.memory(rank, element)
        reads = chosen.random() < 0.55 or not self.arguments
        count = chosen.randint(1, min(rank, 3))
        dims = list(range(rank - count, rank)) if chosen.random() < 0.5 else chosen.sample(range(rank), count)
        results: list[int | None] = list(dims)
        if reads:
            results = [None if chosen.random() < 0.12 else each for each in results]
            if chosen.random() < 0.1 and len(results) < 3:
                results.insert(chosen.randint(0, len(results)), None)
        sizes = [chosen.choice((1, 2, 3, 4)) for _ in results]
        properties: list[str] = []
        if results != list(range(rank - len(results), rank)):
            names = ", ".join(f"d{n}" for n in range(rank))
            outs = ", ".join("0" if each is None else f"d{each}" for each in results)
            properties.append(f"permutation_map = affine_map<({names}) -> ({outs})>")
        if None in results or chosen.random() < 0.5:
            known = ["true" if each is None or chosen.random() < 0.5 else "false" for each in results]
            properties.append(f"in_bounds = [{', '.join(known)}]")
        moved = sorted((each, size) for each, size in zip(results, sizes, strict=True) if each is not None)
        mask = f", {self.mask([size for _, size in moved])}" if moved and chosen.random() < 0.3 else ""
        words = f" {{{', '.join(properties)}}}" if properties else ""
        vector = f"vector<{'x'.join(map(str, [*sizes, element]))}>"
        at = ", ".join(self.index() for _ in range(rank))
        if reads:
            padding = self.padding(element)
            read = f"vector.transfer_read {base}[{at}], {padding}{mask}{words} : {base_type}, {vector}"
            self.vectors.append((self.line(read), vector, sizes))
            return
        alike = [name for name, type, _ in self.vectors if type == vector]
        value = chosen.choice(alike) if alike else self.argument(vector)
        text = f"vector.transfer_write {value}, {base}[{at}]{mask}{words} : {vector}, {base_type}"
        if base_type.startswith("tensor"):
            self.vectors.append((self.line(text), base_type, []))
        else:
            self.lines.append(text)

    def padding(self, element: str) -> str:
        if self.chosen.random() < 0.5:
            return self.argument(element)
        number = "0.0" if element.startswith("f") else str(self.chosen.choice((0, 5)))
        return self.line(f"arith.constant {number} : {element}")

    def text(self) -> str:
        for _ in range(self.chosen.randint(1, 3)):
            self.transfer()
        if self.chosen.random() < 0.2:
            type = self.chosen.choice(("vector<4xf32>", "vector<2x3xi8>", "vector<3xi1>", "vector<2xindex>"))
            self.lines.append(f"vector.print {self.argument(type)} : {type}")
        return self.returning([(name, type) for name, type, _ in self.vectors])


def program(chosen: random.Random) -> str:
    """Return the text of a function with one to three transfers."""
    return _Program(chosen).text()


def _judged(chosen: random.Random, arguments: argparse.Namespace) -> Judged:
    text, options = program(chosen), chosen.choice(OPTIONS)
    found = PASS.compare(text, options, arguments.version)
    return text, options, found.kind, found.difference


if __name__ == "__main__":
    command(__doc__, _judged)
