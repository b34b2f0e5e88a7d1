"""Programs with two launches on one buffer, and the elements that each thread accesses.

`python -m tests.analysis.hazards.launched SEED COUNT` prints how many of them the analysis classifies
correctly.
"""

from __future__ import annotations

import random
import sys
from dataclasses import dataclass

from gpuasync_lsp import check

SIZE = 256
"""The number of elements of the buffer."""


@dataclass(frozen=True)
class Kernel:
    """A kernel in which some threads access `%b` at a sum of thread, block, argument and iteration."""

    writes: bool
    thread: int
    block: int
    own: int
    rounds: int
    apart: int
    guard: bool
    rest: int
    strides: bool
    """Whether a loop up to the argument `%n` advances by the number of all threads."""

    def text(self, name: str) -> str:
        """Return the kernel as a gpu.func."""
        lines = [
            "%v = arith.constant 1.0 : f32",
            "%c0 = arith.constant 0 : index",
            "%c1 = arith.constant 1 : index",
            f"%ct = arith.constant {self.thread} : index",
            f"%cb = arith.constant {self.block} : index",
            f"%ck = arith.constant {self.own} : index",
            f"%cr = arith.constant {self.rounds} : index",
            f"%ca = arith.constant {self.apart} : index",
            "%t = gpu.thread_id x",
            "%g = gpu.block_id x",
            "%d = gpu.block_dim x",
            "%e = gpu.grid_dim x",
            "%gd = arith.muli %g, %d : index",
            "%id = arith.addi %gd, %t : index",
            "%all = arith.muli %d, %e : index",
            "%0 = arith.muli %t, %ct : index",
            "%1 = arith.muli %gd, %cb : index",
            "%2 = arith.addi %0, %1 : index",
            "%3 = arith.addi %2, %o : index",
            "%4 = arith.addi %3, %ck : index",
        ]
        if self.rest:
            lines += [
                f"%cm = arith.constant {self.rest} : index",
                "%5 = arith.remui %id, %cm : index",
                "%6 = arith.addi %5, %o : index",
            ]
        at = "%6" if self.rest else "%4"
        access = (
            "memref.store %v, %b[%i] : memref<?xf32>"
            if self.writes
            else "%x = memref.load %b[%i] : memref<?xf32>"
        )
        if self.strides:
            body = [f"scf.for %i = {at} to %n step %all {{", access, "}"]
        else:
            body = [
                "scf.for %k = %c0 to %cr step %c1 {",
                "%ka = arith.muli %k, %ca : index",
                f"%i = arith.addi {at}, %ka : index",
                access,
                "}",
            ]
        if self.guard:
            body = ["%in = arith.cmpi ult, %id, %n : index", "scf.if %in {", *body, "}"]
        head = f"gpu.func @{name}(%b: memref<?xf32>, %o: index, %n: index) kernel {{"
        return "\n".join([head, *lines, *body, "gpu.return", "}"])

    def touched(self, blocks: int, threads: int, offset: int, end: int) -> set[int]:
        """Return the elements that all threads together access."""
        found: set[int] = set()
        for block in range(blocks):
            for thread in range(threads):
                own = block * threads + thread
                if self.guard and own >= end:
                    continue
                at = thread * self.thread + block * threads * self.block + offset + self.own
                if self.rest:
                    at = own % self.rest + offset
                if self.strides:
                    found.update(range(at, end, blocks * threads))
                else:
                    found.update(at + number * self.apart for number in range(self.rounds))
        return found


@dataclass(frozen=True)
class Program:
    """A module with two launches, and whether they race."""

    text: str
    races: bool


def program(rng: random.Random) -> Program:
    """Return a random program."""
    kernels = [_kernel(rng) for _ in range(2)]
    launches = [
        (rng.choice([1, 2, 3]), rng.choice([1, 4, 8]), rng.randrange(0, 60), rng.randrange(1, 40))
        for _ in kernels
    ]
    touched = [kernel.touched(*launch) for kernel, launch in zip(kernels, launches, strict=True)]
    races = bool(touched[0] & touched[1]) and any(kernel.writes for kernel in kernels)
    host: list[str] = []
    for number, launch in enumerate(launches):
        host += [
            f"%{name}{number} = arith.constant {value} : index"
            for name, value in zip(("g", "t", "o", "n"), launch, strict=True)
        ]
        host.append(f"%s{number} = gpu.wait async")
    for number in range(2):
        host.append(
            f"%k{number} = gpu.launch_func async [%s{number}] @k::@k{number} "
            f"blocks in (%g{number}, %one, %one) threads in (%t{number}, %one, %one) "
            f"args(%b : memref<?xf32>, %o{number} : index, %n{number} : index)"
        )
    host += ["gpu.wait [%k0]", "gpu.wait [%k1]", "return"]
    body = "\n".join(host)
    device = "\n".join(kernel.text(f"k{number}") for number, kernel in enumerate(kernels))
    return Program(
        f"module attributes {{gpu.container_module}} {{\ngpu.module @k {{\n{device}\n}}\n"
        f"func.func @main(%b: memref<?xf32>) {{\n%one = arith.constant 1 : index\n{body}\n}}\n}}\n",
        races,
    )


def _kernel(rng: random.Random) -> Kernel:
    return Kernel(
        writes=rng.random() < 0.8,
        thread=rng.choice([0, 1, 1, 1, 2, 3]),
        block=rng.choice([0, 1, 1, 1, 2]),
        own=rng.choice([0, 0, 1, 16]),
        rounds=rng.choice([1, 1, 2, 3]),
        apart=rng.choice([1, 8, 32]),
        guard=rng.random() < 0.4,
        rest=rng.choice([0, 0, 0, 5]),
        strides=rng.random() < 0.2,
    )


def is_told(text: str) -> bool:
    """Return whether the analysis finds a race between the launches."""
    return any(finding.code == "GA301" for finding in check(text, llvm=22))


def main(seed: str, count: str) -> None:
    """Classify `count` programs and print the figures."""
    rng = random.Random(seed)
    judged = {(races, told): 0 for races in (True, False) for told in (True, False)}
    for _ in range(int(count)):
        each = program(rng)
        told = is_told(each.text)
        judged[each.races, told] += 1
        if each.races and not told:
            print(each.text)
    print(f"race: {judged[True, True]} told, {judged[True, False]} missed")
    print(f"none: {judged[False, False]} silent, {judged[False, True]} alarms")


if __name__ == "__main__":
    main(*sys.argv[1:])
