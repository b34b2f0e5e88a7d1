"""Footprints of random kernels, compared with the elements that each thread accesses when it is executed."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from gpuasync_lsp.analysis import file_contexts
from gpuasync_lsp.analysis.model.memory.footprints import Footprint, Interval, joined
from gpuasync_lsp.analysis.model.memory.launched import launched
from gpuasync_lsp.syntax import parse_source

Numbers = dict[str, int]
Statement = Callable[[Numbers], None]
SIGNED = 1 << 63


def wrapped(number: int) -> int:
    return (number + SIGNED) % (2 * SIGNED) - SIGNED


OPERATIONS: dict[str, Callable[[int, int], int]] = {
    "arith.addi": lambda a, b: wrapped(a + b),
    "arith.subi": lambda a, b: wrapped(a - b),
    "arith.muli": lambda a, b: wrapped(a * b),
    "arith.andi": lambda a, b: a & b,
    "arith.xori": lambda a, b: a ^ b,
    "arith.maxsi": max,
    "arith.minui": lambda a, b: wrapped(min(a % (2 * SIGNED), b % (2 * SIGNED))),
}
BY_A_NUMBER: dict[str, Callable[[int, int], int]] = {
    "arith.divui": lambda a, b: wrapped(a % (2 * SIGNED) // b),
    "arith.remui": lambda a, b: a % (2 * SIGNED) % b,
    "arith.floordivsi": lambda a, b: a // b,
    "arith.remsi": lambda a, b: a - b * (abs(a) // b) * (1 if a >= 0 else -1),
    "arith.shrsi": lambda a, b: a >> b,
}
PREDICATES: dict[str, Callable[[int, int], bool]] = {
    "slt": lambda a, b: a < b,
    "ult": lambda a, b: a % (2 * SIGNED) < b % (2 * SIGNED),
    "eq": lambda a, b: a == b,
}


class Kernel:
    """A random kernel as text, and as a Python function of the thread's ids."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.lines: list[str] = []
        self.count = 0
        self.run = self.body(["%i", "%b"], depth=0)
        self.text = "\n".join(
            [
                "gpu.module @kernels {",
                "gpu.func @k(%p: memref<64xf32>) kernel {",
                "%f = arith.constant 1.0 : f32",
                "%i = gpu.thread_id x",
                "%b = gpu.block_id x",
                *(f"%n{n} = arith.constant {n} : index" for n in range(1, 9)),
                "%n64 = arith.constant 64 : index",
                *self.lines,
                "gpu.return",
                "}",
                "}",
            ]
        )

    def name(self) -> str:
        self.count += 1
        return f"%v{self.count}"

    def body(self, known: list[str], depth: int) -> list[Statement]:
        known = list(known)
        made = [self.statement(known, depth) for _ in range(self.random.randint(2, 5))]
        return [*made, self.store(known)]

    def statement(self, known: list[str], depth: int) -> Statement:
        kinds = [self.operation, self.by_a_number]
        return self.random.choice([*kinds, self.condition, self.loop] if depth < 2 else kinds)(known, depth)

    def operation(self, known: list[str], depth: int) -> Statement:
        name, (op, work) = self.name(), self.random.choice(list(OPERATIONS.items()))
        one, other = self.random.choice(known), self.random.choice(known)
        self.lines.append(f"{name} = {op} {one}, {other} : index")
        known.append(name)
        return lambda at: at.update({name: work(at[one], at[other])})

    def by_a_number(self, known: list[str], depth: int) -> Statement:
        name, (op, work) = self.name(), self.random.choice(list(BY_A_NUMBER.items()))
        one, number = self.random.choice(known), self.random.randint(1, 8)
        self.lines.append(f"{name} = {op} {one}, %n{number} : index")
        known.append(name)
        return lambda at: at.update({name: work(at[one], number)})

    def condition(self, known: list[str], depth: int) -> Statement:
        name, asked = self.name(), self.name()
        predicate, holds = self.random.choice(list(PREDICATES.items()))
        one, other = self.random.choice(known), self.random.choice(known)
        self.lines.append(f"{asked} = arith.cmpi {predicate}, {one}, {other} : index")
        self.lines.append(f"{name} = scf.if {asked} -> (index) {{")
        ways: list[tuple[list[Statement], str]] = []
        for end in ("} else {", "}"):
            inner = self.body(known, depth + 1)
            given = self.random.choice(known)
            self.lines += [f"scf.yield {given} : index", end]
            ways.append((inner, given))
        known.append(name)

        def run(at: Numbers) -> None:
            statements, given = ways[0 if holds(at[one], at[other]) else 1]
            for each in statements:
                each(at)
            at[name] = at[given]

        return run

    def loop(self, known: list[str], depth: int) -> Statement:
        name, carried, counter, low, more = (self.name() for _ in range(5))
        one, step = self.random.choice(known), self.random.randint(1, 3)
        # At most eight iterations; the number depends on the thread.
        self.lines.append(f"{low} = arith.remui {one}, %n8 : index")
        self.lines.append(
            f"{name} = scf.for {counter} = {low} to %n8 step %n{step} "
            f"iter_args({carried} = {one}) -> (index) {{"
        )
        inner = self.body([*known, carried, counter], depth + 1)
        self.lines += [f"{more} = arith.addi {carried}, {counter} : index", f"scf.yield {more} : index", "}"]
        known.append(name)

        def run(at: Numbers) -> None:
            at[carried] = at[one]
            for number in range(at[one] % (2 * SIGNED) % 8, 8, step):
                at[counter] = number
                for each in inner:
                    each(at)
                at[carried] = wrapped(at[carried] + number)
            at[name] = at[carried]

        return run

    def store(self, known: list[str]) -> Statement:
        name, one = self.name(), self.random.choice(known)
        self.lines.append(f"{name} = arith.remui {one}, %n64 : index")
        self.lines.append(f"memref.store %f, %p[{name}] : memref<64xf32>")
        return lambda at: self.touched.add(at[one] % (2 * SIGNED) % 64)

    def elements(self, blocks: int, threads: int) -> set[int]:
        self.touched: set[int] = set()
        for block in range(blocks):
            for thread in range(threads):
                at = {"%b": block, "%i": thread}
                for each in self.run:
                    each(at)
        return self.touched


def footprint(text: str, blocks: int, threads: int) -> Footprint | None:
    ((_, context),) = file_contexts(parse_source(text).chunks[0])
    (kernel,) = context.kernels.values()
    assert kernel.program is not None
    running = launched(kernel.program, [blocks, 1, 1], [threads, 1, 1], [None])
    assert running is not None
    return running.footprint(0)


@pytest.mark.parametrize("seed", range(60))
def test_what_a_random_kernel_touches_is_what_its_threads_touch(seed: int) -> None:
    kernel = Kernel(seed)
    expected = joined((4 * element, 4 * element + 4) for element in kernel.elements(3, 5))
    assert footprint(kernel.text, 3, 5) == Footprint(written=expected)


def halves(guard: str) -> str:
    return f"""gpu.module @kernels {{
      gpu.func @k(%p: memref<64xf32>, %n: index) kernel {{
        %f = arith.constant 1.0 : f32
        %c8 = arith.constant 8 : index
        %i = gpu.thread_id x
        %x = memref.load %p[%c8] : memref<64xf32>
        %j = arith.fptosi %x : f32 to i32
        %k = arith.index_cast %j : i32 to index
        %g = arith.cmpi ult, {guard} : index
        scf.if %g {{
          memref.store %f, %p[%i] : memref<64xf32>
        }}
        gpu.return
      }}
    }}"""


@pytest.mark.parametrize(
    ("guard", "written"),
    [("%i, %c8", ((0, 32),)), ("%k, %c8", ((0, 64),)), ("%i, %n", ((0, 64),))],
    ids=["known", "loaded", "argument"],
)
def test_both_ways_are_gone_where_a_condition_is_not_known(guard: str, written: tuple[Interval, ...]) -> None:
    assert footprint(halves(guard), 1, 16) == Footprint(read=((32, 36),), written=written)


def test_an_index_that_is_not_known_may_be_any() -> None:
    text = halves("%i, %c8").replace("%f, %p[%i]", "%f, %p[%k]")
    assert footprint(text, 1, 16) is None


@pytest.mark.parametrize(
    ("blocks", "threads"), [(1 << 20, 1 << 10), (0, 4)], ids=["too many threads", "none"]
)
def test_nothing_is_said_of_too_many_threads(blocks: int, threads: int) -> None:
    text = halves("%i, %c8").replace("%i = gpu.thread_id x", "%i = gpu.global_id x")
    assert footprint(text, blocks, threads) is None
