"""Random programs with vector ops, lowered by our convert-vector-to-llvm and by mlir-opt's.

    python -m tests.differential.vectors 22 --seed 1 --count 200

prints how many texts are equal after mlir-opt has printed both, or after canonicalize and cse (`modulo`), and
with `--show` those that are not.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Callable, Sequence
from math import prod

from tests.differential.one_pass import Growing, Judged, OnePass, command
from tests.support.tools import mlir_opt

PASS = OnePass("convert-vector-to-llvm")
_ELEMENTS = ("f32", "f32", "i32", "f16", "i8")


def type_of(sizes: Sequence[int], element: str) -> str:
    """Return the text of a vector type; without sizes, of rank 0."""
    return f"vector<{'x'.join([*map(str, sizes), element])}>"


class _Program(Growing):
    def __init__(self, chosen: random.Random, version: int) -> None:
        super().__init__(chosen)
        self.version = version
        self.vectors: list[tuple[str, tuple[int, ...], str]] = []
        self.scalars: list[tuple[str, str]] = []
        self.indices = [self.argument("index") for _ in range(2)]

    def shape(self, least: int = 1, most: int = 3) -> tuple[int, ...]:
        return tuple(self.chosen.choice((1, 2, 2, 3, 4)) for _ in range(self.chosen.randint(least, most)))

    def vector(
        self, sizes: Sequence[int] | None = None, element: str | None = None
    ) -> tuple[str, tuple[int, ...], str]:
        """Return the name of a vector: an existing value, a new constant, or an argument."""
        alike = [
            each
            for each in self.vectors
            if (sizes is None or each[1] == tuple(sizes)) and (element is None or each[2] == element)
        ]
        if alike and self.chosen.random() < 0.6:
            return self.chosen.choice(alike)
        shape = self.shape() if sizes is None else tuple(sizes)
        element = element or self.chosen.choice(_ELEMENTS)
        if self.chosen.random() < 0.12 and element != "i1":
            number = "1.5" if element.startswith("f") else "3"
            type = type_of(shape, element)
            return self.line(f"arith.constant dense<{number}> : {type}"), shape, element
        return self.argument(type_of(shape, element)), shape, element

    def scalar(self, element: str) -> str:
        alike = [name for name, type in self.scalars if type == element]
        return self.chosen.choice(alike) if alike and self.chosen.random() < 0.5 else self.argument(element)

    def keep(self, text: str, sizes: Sequence[int], element: str) -> None:
        self.vectors.append((self.line(text), tuple(sizes), element))

    def broadcast(self) -> None:
        if self.chosen.random() < 0.4:
            element = self.chosen.choice(_ELEMENTS)
            source, type = self.scalar(element), element
            wide: list[int] = list(self.shape())
        else:
            source, sizes, element = self.vector()
            type = type_of(sizes, element)
            wide = [*self.shape(0, 1), *(self.chosen.choice((2, 3)) if n == 1 else n for n in sizes)]
        self.keep(f"vector.broadcast {source} : {type} to {type_of(wide, element)}", wide, element)

    def transpose(self) -> None:
        source, sizes, element = self.vector()
        order = list(range(len(sizes)))
        self.chosen.shuffle(order)
        result = [sizes[n] for n in order]
        types = f"{type_of(sizes, element)} to {type_of(result, element)}"
        self.keep(f"vector.transpose {source}, {order} : {types}", result, element)

    def shape_cast(self) -> None:
        source, sizes, element = self.vector()
        left, result = prod(sizes), list[int]()
        while left > 1 and len(result) < 2:
            size = self.chosen.choice([n for n in range(1, left + 1) if left % n == 0])
            result.append(size)
            left //= size
        result.append(left)
        self.keep(
            f"vector.shape_cast {source} : {type_of(sizes, element)} to {type_of(result, element)}",
            result,
            element,
        )

    def extract(self) -> None:
        source, sizes, element = self.vector()
        at = [self.chosen.randrange(n) for n in sizes[: self.chosen.randint(1, len(sizes))]]
        rest = sizes[len(at) :]
        types = f"{type_of(rest, element)} from {type_of(sizes, element)}" if rest else None
        old = self.version < 18
        if rest:
            types = type_of(sizes, element) if old else types
            self.keep(f"vector.extract {source}{at} : {types}", rest, element)
            return
        types = type_of(sizes, element) if old else f"{element} from {type_of(sizes, element)}"
        self.scalars.append((self.line(f"vector.extract {source}{at} : {types}"), element))

    def insert(self) -> None:
        target, sizes, element = self.vector()
        at = [self.chosen.randrange(n) for n in sizes[: self.chosen.randint(1, len(sizes))]]
        rest = sizes[len(at) :]
        value, type = self.scalar(element), element
        if rest:
            value, type = self.vector(rest, element)[0], type_of(rest, element)
        self.keep(
            f"vector.insert {value}, {target} {at} : {type} into {type_of(sizes, element)}", sizes, element
        )

    def extract_slice(self) -> None:
        source, sizes, element = self.vector()
        count = self.chosen.randint(1, len(sizes))
        kept = [self.chosen.randint(1, n) for n in sizes[:count]]
        at = [self.chosen.randint(0, n - k) for n, k in zip(sizes, kept, strict=False)]
        result = [*kept, *sizes[count:]]
        words = f"{{offsets = {at}, sizes = {kept}, strides = {[1] * count}}}"
        types = f"{type_of(sizes, element)} to {type_of(result, element)}"
        self.keep(f"vector.extract_strided_slice {source} {words} : {types}", result, element)

    def insert_slice(self) -> None:
        target, sizes, element = self.vector()
        count = self.chosen.randint(1, len(sizes))
        inner = [self.chosen.randint(1, n) for n in sizes[len(sizes) - count :]]
        outer = [self.chosen.randrange(n) for n in sizes[: len(sizes) - count]]
        at = [self.chosen.randint(0, n - k) for n, k in zip(sizes[len(sizes) - count :], inner, strict=True)]
        value = self.vector(inner, element)[0]
        words = f"{{offsets = {[*outer, *at]}, strides = {[1] * count}}}"
        types = f"{type_of(inner, element)} into {type_of(sizes, element)}"
        self.keep(f"vector.insert_strided_slice {value}, {target} {words} : {types}", sizes, element)

    def shuffle(self) -> None:
        left, sizes, element = self.vector()
        first = self.chosen.choice((sizes[0], sizes[0], 2))
        other = (first, *sizes[1:])
        right = self.vector(other, element)[0]
        mask = [self.chosen.randrange(sizes[0] + first) for _ in range(self.chosen.randint(1, 4))]
        types = f"{type_of(sizes, element)}, {type_of(other, element)}"
        self.keep(f"vector.shuffle {left}, {right} {mask} : {types}", [len(mask), *sizes[1:]], element)

    def bitcast(self) -> None:
        source, sizes, element = self.vector(element=self.chosen.choice(("f32", "i32")))
        target, wide = self.chosen.choice((("i32", 1), ("i16", 2), ("i8", 4), ("f32", 1)))
        result = [*sizes[:-1], sizes[-1] * wide]
        types = f"{type_of(sizes, element)} to {type_of(result, target)}"
        self.keep(f"vector.bitcast {source} : {types}", result, target)

    def product(self) -> None:
        left, sizes, element = self.vector(self.shape(1, 1))
        right, others, _ = self.vector(self.shape(1, 1), element)
        result = [*sizes, *others]
        floats = element.startswith("f")
        kind = self.chosen.choice(("add", "add", "mul") if floats else ("add", "mul", "minsi", "and"))
        acc = ""
        if self.chosen.random() < 0.7:
            acc = f", {self.vector(result, element)[0]}"
        words = f" {{kind = #vector.kind<{kind}>}}" if acc else ""
        types = f"{type_of(sizes, element)}, {type_of(others, element)}"
        self.keep(f"vector.outerproduct {left}, {right}{acc}{words} : {types}", result, element)

    def contract(self) -> None:
        element = self.chosen.choice(("f32", "f32", "i32"))
        names = ["p", "p", "r"][: self.chosen.randint(1, 3)]
        self.chosen.shuffle(names)
        if "r" not in names:
            names.append("r")
        extent = [self.chosen.choice((1, 2, 3)) for _ in names]
        left, right, result = list[int](), list[int](), list[int]()
        for number, name in enumerate(names):
            if name == "r":
                left.append(number)
                right.append(number)
                continue
            kind = self.chosen.choice("lrb")
            result.append(number)
            if kind in "lb":
                left.append(number)
            if kind in "rb":
                right.append(number)
        for each in (left, right, result):
            self.chosen.shuffle(each)
        dims = ", ".join(f"d{n}" for n in range(len(names)))
        maps = [
            f"affine_map<({dims}) -> ({', '.join(f'd{n}' for n in each)})>" for each in (left, right, result)
        ]
        words = ", ".join('"parallel"' if name == "p" else '"reduction"' for name in names)
        shapes = [[extent[n] for n in each] for each in (left, right, result)]
        operands = [self.vector(shapes[0], element)[0], self.vector(shapes[1], element)[0]]
        acc = self.vector(shapes[2], element)[0] if result else self.scalar(element)
        kind = type_of(shapes[2], element) if result else element
        text = (
            f"vector.contract {{indexing_maps = [{', '.join(maps)}], iterator_types = [{words}], "
            f"kind = #vector.kind<add>}} {', '.join([*operands, acc])} : "
            f"{type_of(shapes[0], element)}, {type_of(shapes[1], element)} into {kind}"
        )
        if result:
            self.keep(text, shapes[2], element)
        else:
            self.scalars.append((self.line(text), element))

    def fma(self) -> None:
        left, sizes, element = self.vector(element=self.chosen.choice(("f32", "f16")))
        others = [self.vector(sizes, element)[0] for _ in range(2)]
        self.keep(f"vector.fma {left}, {', '.join(others)} : {type_of(sizes, element)}", sizes, element)

    def reduction(self) -> None:
        source, sizes, element = self.vector(self.shape(1, 1))
        floats = element.startswith("f")
        kind = self.chosen.choice(
            ("add", "mul") if floats else ("add", "mul", "minsi", "maxui", "and", "or", "xor")
        )
        acc = f", {self.scalar(element)}" if self.chosen.random() < 0.5 else ""
        text = f"vector.reduction <{kind}>, {source}{acc} : {type_of(sizes, element)} into {element}"
        self.scalars.append((self.line(text), element))

    def mask(self, sizes: Sequence[int]) -> str:
        type = type_of(sizes, "i1")
        kind = self.chosen.randrange(4)
        if kind == 0:
            bounds = [self.chosen.choice((size, max(size - 1, 1))) for size in sizes]
            return self.line(f"vector.constant_mask {bounds} : {type}")
        if kind == 1:
            return self.line(f"vector.create_mask {', '.join(self.index() for _ in sizes)} : {type}")
        return self.vector(sizes, "i1")[0]

    def masks(self) -> None:
        sizes = self.shape()
        self.vectors.append((self.mask(sizes), sizes, "i1"))

    def index(self) -> str:
        if self.chosen.random() < 0.3:
            return self.line(f"arith.constant {self.chosen.choice((0, 1, 2, 3, 9))} : index")
        return self.chosen.choice(self.indices)

    def memory(self, element: str) -> tuple[str, str, str]:
        rank = self.chosen.choice((1, 2))
        sizes = [self.chosen.choice(("?", "?", "8", "5")) for _ in range(rank)]
        type = f"memref<{'x'.join([*sizes, element])}>"
        return self.argument(type), type, ", ".join(self.index() for _ in range(rank))

    def access(self) -> None:
        element = self.chosen.choice(_ELEMENTS)
        base, type, at = self.memory(element)
        sizes = self.shape(1, 1)
        vector = type_of(sizes, element)
        kind = self.chosen.choice(
            ("load", "store", "maskedload", "maskedstore", "read", "write", "packed", "gather")
        )
        if kind == "load":
            self.keep(f"vector.load {base}[{at}] : {type}, {vector}", sizes, element)
        elif kind == "store":
            self.lines.append(
                f"vector.store {self.vector(sizes, element)[0]}, {base}[{at}] : {type}, {vector}"
            )
        elif kind == "read":
            bounds = self.chosen.choice(("", " {in_bounds = [true]}"))
            masked = f", {self.mask(sizes)}" if self.chosen.random() < 0.3 else ""
            pad = self.scalar(element)
            self.keep(
                f"vector.transfer_read {base}[{at}], {pad}{masked}{bounds} : {type}, {vector}", sizes, element
            )
        elif kind == "write":
            bounds = self.chosen.choice(("", " {in_bounds = [true]}"))
            masked = f", {self.mask(sizes)}" if self.chosen.random() < 0.3 else ""
            value = self.vector(sizes, element)[0]
            self.lines.append(
                f"vector.transfer_write {value}, {base}[{at}]{masked}{bounds} : {vector}, {type}"
            )
        else:
            self._masked(kind, base, type, at, sizes, element)

    def _masked(self, kind: str, base: str, type: str, at: str, sizes: tuple[int, ...], element: str) -> None:
        if kind == "gather":
            sizes = self.shape(1, 2)
        vector, bits = type_of(sizes, element), type_of(sizes, "i1")
        mask, value = self.mask(sizes), self.vector(sizes, element)[0]
        if kind == "maskedstore":
            self.lines.append(f"vector.maskedstore {base}[{at}], {mask}, {value} : {type}, {bits}, {vector}")
        elif kind == "maskedload":
            text = f"vector.maskedload {base}[{at}], {mask}, {value} : {type}, {bits}, {vector} into {vector}"
            self.keep(text, sizes, element)
        elif kind == "gather":
            places = type_of(sizes, "i32")
            offsets = self.vector(sizes, "i32")[0]
            types = f"{type}, {places}, {bits}, {vector}"
            text = f"{base}[{at}] [{offsets}], {mask}, {value} : {types}"
            if len(sizes) == 1 and self.chosen.random() < 0.4:
                self.lines.append(f"vector.scatter {text}")
            else:
                self.keep(f"vector.gather {text} into {vector}", sizes, element)
        elif self.chosen.random() < 0.5:
            self.lines.append(
                f"vector.compressstore {base}[{at}], {mask}, {value} : {type}, {bits}, {vector}"
            )
        else:
            text = f"vector.expandload {base}[{at}], {mask}, {value} : {type}, {bits}, {vector} into {vector}"
            self.keep(text, sizes, element)

    def interleave(self) -> None:
        left, sizes, element = self.vector()
        right = self.vector(sizes, element)[0]
        result = [*sizes[:-1], sizes[-1] * 2]
        types = f"{type_of(sizes, element)} -> {type_of(result, element)}"
        self.keep(f"vector.interleave {left}, {right} : {types}", result, element)

    def elements(self) -> None:
        sizes, element = self.shape(1, 2), self.chosen.choice(_ELEMENTS)
        values = ", ".join(self.scalar(element) for _ in range(prod(sizes)))
        self.keep(f"vector.from_elements {values} : {type_of(sizes, element)}", sizes, element)

    def step(self) -> None:
        sizes = self.shape(1, 1)
        self.vectors.append((self.line(f"vector.step : {type_of(sizes, 'index')}"), sizes, "index"))

    def printed(self) -> None:
        element = self.chosen.choice(("f32", "i32", "i8", "index", "i1"))
        self.lines.append(f"vector.print {self.argument(element)} : {element}")

    def arithmetic(self) -> None:
        left, sizes, element = self.vector()
        right = self.vector(sizes, element)[0]
        op = "addf" if element.startswith("f") else "addi"
        self.keep(f"arith.{op} {left}, {right} : {type_of(sizes, element)}", sizes, element)

    def text(self) -> str:
        steps: list[Callable[[], None]] = [
            *(self.broadcast, self.transpose, self.shape_cast, self.extract, self.insert),
            *(self.extract_slice, self.insert_slice, self.shuffle, self.bitcast, self.product),
            *(self.contract, self.fma, self.reduction, self.masks, self.access, self.access),
            *(self.printed, self.arithmetic),
        ]
        if self.version >= 19:
            steps += [self.interleave, self.elements, self.step]
        for _ in range(self.chosen.randint(1, 4)):
            self.chosen.choice(steps)()
        kept = [(name, type_of(sizes, element)) for name, sizes, element in self.vectors] + self.scalars
        return self.returning(kept)


def program(chosen: random.Random, version: int) -> str:
    """Return the text of a function with one to four vector ops, in the spelling of a release."""
    return _Program(chosen, version).text()


def outcome(text: str, options: str, version: int) -> tuple[str, str]:
    """Return how our output compares with mlir-opt's, and the difference.

    `unread`: mlir-opt rejects the program, or crashes; `modulo`: equal after canonicalize and cse."""
    found = PASS.compare(text, options, version)
    if found.kind != "differs":
        return found.kind, found.difference
    newest = mlir_opt(22)
    theirs, ours = (newest(each, "--canonicalize", "--cse") for each in (found.theirs, found.ours))
    alike = not theirs.code and theirs.out == ours.out
    return ("modulo" if alike else "differs"), found.difference


def _judged(chosen: random.Random, arguments: argparse.Namespace) -> Judged:
    text = program(chosen, arguments.version)
    return text, arguments.options, *outcome(text, arguments.options, arguments.version)


if __name__ == "__main__":
    command(__doc__, _judged)
