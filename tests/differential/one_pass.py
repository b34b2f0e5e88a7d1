"""Compares one pass with mlir-opt, on texts of fixtures and on random functions."""

from __future__ import annotations

import argparse
import random
from collections import Counter
from collections.abc import Callable, Sequence
from difflib import unified_diff
from typing import NamedTuple

from gpuasync_lsp.lowering.pipeline.pipeline import Pipeline, parse_pipeline, run_pipeline
from gpuasync_lsp.syntax import module_of, parse_source
from gpuasync_lsp.syntax.printer import print_module
from tests.support.tools import Tool, mlir_opt, mlir_opt_out_of_wheels

BREAK = "// -----\n"


class Growing:
    """A random function under construction."""

    def __init__(self, chosen: random.Random) -> None:
        self.chosen = chosen
        self.arguments: list[str] = []
        self.lines: list[str] = []
        self.count = 0

    def argument(self, type: str) -> str:
        name = f"%a{len(self.arguments)}"
        self.arguments.append(f"{name}: {type}")
        return name

    def line(self, text: str) -> str:
        self.count += 1
        self.lines.append(f"%v{self.count} = {text}")
        return f"%v{self.count}"

    def returning(self, kept: Sequence[tuple[str, str]]) -> str:
        """Return the text of the function; `values` are its results with their types."""
        types = ", ".join(type for _, type in kept)
        end = f"return {', '.join(name for name, _ in kept)} : {types}" if kept else "return"
        body = "\n  ".join([*self.lines, end])
        return f"func.func @f({', '.join(self.arguments)}) -> ({types}) {{\n  {body}\n}}\n"


class Compared(NamedTuple):
    """The results of both tools for a program."""

    kind: str
    """`equal`, `differs`, `unreadable`, `verdict`; `unread` if mlir-opt rejects the program or crashes."""
    difference: str
    theirs: str = ""
    ours: str = ""
    """Our text; like mlir-opt's, it was printed by mlir-opt."""


class OnePass(NamedTuple):
    """A pass to compare, with its name."""

    name: str

    def compare(self, text: str, options: str, version: int) -> Compared:
        """Run the pass on one program with both tools, and compare."""
        real = with_all_passes(version)
        theirs = real(text, self._argument(options))
        if theirs.code not in (0, 1) or (theirs.code == 1 and real(text).code):
            return Compared("unread", theirs.err)
        lowered = run_pipeline(module_of(parse_source(text).chunks[0]), self._pipeline(options), version)
        if theirs.code or lowered.error is not None:
            same = bool(theirs.code) and lowered.error is not None
            return Compared("equal" if same else "verdict", f"{theirs.err}\n{lowered.error}")
        ours = real(print_module(lowered.module))
        if ours.out.strip() == theirs.out.strip():
            return Compared("equal", "")
        difference = unified_diff(
            theirs.out.splitlines(), ours.out.splitlines(), "mlir-opt", "here", lineterm=""
        )
        kind = "unreadable" if ours.code else "differs"
        return Compared(kind, ours.err + "\n".join(difference), theirs.out, ours.out)

    def check(self, texts: Sequence[str], options: str, version: int) -> None:
        """Assert that the pass has the same result as mlir-opt for each part of a fixture."""
        real, pipeline = with_all_passes(version), self._pipeline(options)
        lowered = [run_pipeline(module_of(parse_source(text).chunks[0]), pipeline, version) for text in texts]
        assert not any(each.error for each in lowered), [each.error for each in lowered]
        theirs = real(BREAK.join(texts), self._argument(options), "--split-input-file")
        assert theirs.code == 0, theirs.err
        ours = real(BREAK.join(print_module(each.module) for each in lowered), "--split-input-file")
        assert ours.out == theirs.out, ours.err

    def _argument(self, options: str) -> str:
        return f"--{self.name}={options}" if options else f"--{self.name}"

    def _pipeline(self, options: str) -> Pipeline:
        return parse_pipeline(f"{self.name}{{{options}}}" if options else self.name)


def with_all_passes(version: int) -> Tool:
    """Return mlir-opt of a release; for LLVM 24, the one that has all passes."""
    return mlir_opt_out_of_wheels(24) if version == 24 else mlir_opt(version)


Judged = tuple[str, str, str, str]
"""A program, the options of the pass, the kind of result, and the difference."""


def command(about: str | None, judge: Callable[[random.Random, argparse.Namespace], Judged]) -> None:
    """Compare random programs as the command line requests, and print the number of each kind of result."""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("version", type=int)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--show", type=int, default=0)
    parser.add_argument("--options", default="", help="of the pass, where they are not chosen at random")
    arguments = parser.parse_args()
    chosen, counts = random.Random(arguments.seed), Counter[str]()
    for _ in range(arguments.count):
        text, options, kind, difference = judge(chosen, arguments)
        counts[kind] += 1
        if kind not in ("equal", "unread") and arguments.show:
            arguments.show -= 1
            print(f"---- {kind}: {options}\n{text}\n{difference}")
    print(arguments.version, dict(counts))
