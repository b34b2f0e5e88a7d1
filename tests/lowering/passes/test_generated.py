"""Random programs of async ops, lowered by this tool and by the real one."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from tests.differential import lowering as lowering_diff
from tests.differential.lowering import Case
from tests.support.releases import releases

PROGRAMS = 60
TYPES = (
    "memref<7xf32>",
    "memref<?xf32>",
    "memref<?x4xi32>",
    "memref<4x?xf16>",
    "memref<2x3xf32, strided<[3, 1]>>",
)
VALUES = {"f32": "%f", "i32": "%i", "f16": "%h"}


@pytest.mark.slow
@pytest.mark.parametrize("version", releases(19, 22))
def test_random_programs_lower_as_the_real_tool_does(version: int) -> None:
    programs = [Case(f"seed-{seed}", version, program(seed), "", "", (), "") for seed in range(PROGRAMS)]
    comparison = lowering_diff.compare(programs)
    for name, (theirs, ours) in comparison.different.items():
        print(f"--- {name}\n{program(int(name.removeprefix('seed-')))}\n{theirs}\n+++ ours\n{ours}")
    assert comparison.compared == PROGRAMS
    assert not comparison.different


def program(seed: int) -> str:
    """Return a module with one function of random async ops, many of which do not lower."""
    return Program(random.Random(seed)).text()


class Program:
    """Collects the lines of a function and the values that are in scope."""

    def __init__(self, choose: random.Random) -> None:
        self.choose = choose
        self.tokens = ["%ev"]
        self.memrefs = {f"%m{n}": type for n, type in enumerate(TYPES)}
        self.made = 0
        self.blocks = 0

    def text(self) -> str:
        """Return the module."""
        arguments = ", ".join(f"{name}: {type}" for name, type in self.memrefs.items())
        body = "\n".join(f"    {line}" for line in self.lines())
        return (
            "module attributes {gpu.container_module} {\n"
            '  gpu.binary @kernels [#gpu.object<#nvvm.target, bin = "BLOB">]\n'
            f"  func.func @main(%ev: !gpu.async.token, {arguments}, "
            "%f: f32, %i: i32, %h: f16, %n: index, %c: i1) {\n"
            f"{body}\n    return\n  }}\n}}\n"
        )

    def lines(self) -> Iterator[str]:
        """Yield the lines of the body."""
        yield "%c1 = arith.constant 1 : index"
        kinds = [self.wait, self.alloc, self.dealloc, self.copy, self.fill, self.launch, self.branch]
        for _ in range(self.choose.randint(3, 14)):
            yield from self.choose.choice(kinds)()
        yield f"gpu.wait [{', '.join(self.some_tokens(1, 3))}]"

    def wait(self) -> Iterator[str]:
        dependencies = ", ".join(self.some_tokens(0, 2))
        if self.choose.random() < 0.7:
            yield f"{self.token()} = gpu.wait async [{dependencies}]"
        else:
            yield f"gpu.wait [{dependencies}]"

    def alloc(self) -> Iterator[str]:
        type = self.choose.choice(TYPES)
        sizes = ", ".join("%n" for _ in range(type.count("?")))
        dependencies = self.dependencies()
        name = self.name("%a")
        shared = " host_shared" if self.choose.random() < 0.2 else ""
        if dependencies.startswith("async"):
            token = self.token()
            yield f"{name}, {token} = gpu.alloc {dependencies}{shared} ({sizes}) : {type}"
        else:
            yield f"{name} = gpu.alloc {dependencies}{shared} ({sizes}) : {type}"
        self.memrefs[name] = type

    def dealloc(self) -> Iterator[str]:
        name, type = self.choose.choice(list(self.memrefs.items()))
        yield self.with_token(f"gpu.dealloc {{}} {name} : {type}")

    def copy(self) -> Iterator[str]:
        name, type = self.choose.choice(list(self.memrefs.items()))
        other = self.choose.choice([m for m, t in self.memrefs.items() if t == type])
        yield self.with_token(f"gpu.memcpy {{}} {name}, {other} : {type}, {type}")

    def fill(self) -> Iterator[str]:
        name, type = self.choose.choice(list(self.memrefs.items()))
        element = next(each for each in VALUES if each in type)
        yield self.with_token(f"gpu.memset {{}} {name}, {VALUES[element]} : {type}, {element}")

    def launch(self) -> Iterator[str]:
        if self.choose.random() < 0.5:
            return
        name, type = self.choose.choice(list(self.memrefs.items()))
        dependencies = f"async [{self.some_tokens(1, 1)[0]}]" if self.choose.random() < 0.6 else ""
        grid = "blocks in (%c1, %n, %c1) threads in (%n, %c1, %c1)"
        call = f"gpu.launch_func {dependencies} @kernels::@k {grid} args({name} : {type}, %f : f32)"
        yield f"{self.token()} = {call}" if dependencies else call

    def branch(self) -> Iterator[str]:
        """A diamond that carries a token."""
        number = self.blocks
        self.blocks += 1
        first, second = self.some_tokens(1, 1)[0], self.some_tokens(1, 1)[0]
        yield f"cf.cond_br %c, ^left{number}, ^right{number}"
        yield f"^left{number}:"
        waits = self.choose.random() < 0.3
        yield f"gpu.wait [{first}]" if waits else f"%x{number} = arith.constant 2 : index"
        yield f"cf.br ^join{number}({first} : !gpu.async.token)"
        yield f"^right{number}:"
        yield f"cf.br ^join{number}({second} : !gpu.async.token)"
        token = self.token()
        yield f"^join{number}({token}: !gpu.async.token):"

    # Parts of ops

    def dependencies(self) -> str:
        if self.choose.random() < 0.15:
            return self.choose.choice(["", f"[{self.some_tokens(1, 1)[0]}]", "async"])
        return f"async [{', '.join(self.some_tokens(1, 1 if self.choose.random() < 0.8 else 2))}]"

    def with_token(self, op: str) -> str:
        dependencies = self.dependencies()
        text = op.format(dependencies)
        return f"{self.token()} = {text}" if dependencies.startswith("async") else text

    def some_tokens(self, least: int, most: int) -> list[str]:
        return [self.choose.choice(self.tokens[-5:]) for _ in range(self.choose.randint(least, most))]

    def token(self) -> str:
        name = self.name("%t")
        self.tokens.append(name)
        return name

    def name(self, start: str) -> str:
        self.made += 1
        return f"{start}{self.made}"
