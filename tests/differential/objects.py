"""Compares the output of gpu-lower-to-nvvm-pipeline, including the PTX in each gpu.binary, with the real
mlir-opt.

    python -m tests.differential.objects 22          # the figures, with every program that differs by name
    python -m tests.differential.objects 22 NAME ... # the differences of these programs as well
    python -m tests.differential.objects 22 --seed 7 --sample 100 --within 300 # 100 at random, for 300 s

Programs are those of tests.differential.passes that have kernels. The module without PTX is compared as
mlir-opt-22 prints it after --canonicalize --cse, with its lines sorted, since the order of constants
differs. The PTX is compared exactly for the release with the backend of llvmlite, for others by the
names of its instructions. Compilation times are not compared.
"""

from __future__ import annotations

import argparse
import difflib
import math
import random
import re
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from gpuasync_lsp.ide.kernel_objects import serialize
from gpuasync_lsp.lowering import parse_pipeline, run_pipeline
from gpuasync_lsp.syntax import module_of, parse_source
from gpuasync_lsp.syntax.printer import print_module
from tests.differential.passes import programs, readable
from tests.support.tools import mlir_opt

CHIP = "sm_80"
PIPELINE = "gpu-lower-to-nvvm-pipeline"
OPTIONS = f"cubin-format=isa cubin-chip={CHIP} cubin-features=+ptx70"
SAME_BACKEND = (22,)
"""Releases whose backend is the one that llvmlite has: their PTX must be equal."""
_TIMES = re.compile(r"\w+TimeInMs = \d+ : i64(?:, )?")
_PTX = re.compile(r'assembly = "((?:[^"\\]|\\.)*)"')
_LOADED = re.compile(r"^((?:ld|st)\.\S+)\.[usf](8|16|32|64)$")
_INSTRUCTION = re.compile(r"\\09(?:@%p\d+ )?([a-z][\w.]*)")


@dataclass
class Compared:
    """The figures of one release."""

    version: int
    equal: int = 0
    refused_by_both: int = 0
    differing: dict[str, str] = field(default_factory=dict[str, str])

    def __str__(self) -> str:
        total = self.equal + self.refused_by_both + len(self.differing)
        return (
            f"LLVM {self.version}: {self.equal + self.refused_by_both} of {total} agree, "
            f"{self.refused_by_both} of them refused by both"
        )


def compare(version: int, among: Mapping[str, str], within: float = math.inf) -> Compared:
    """Run the pipeline on the programs `among` and compare; start no further program after `within`
    seconds."""
    found = Compared(version)
    end = time.monotonic() + within
    for name, program in among.items():
        if time.monotonic() > end:
            break
        theirs = mlir_opt(version)(program, f"--{PIPELINE}={OPTIONS}")
        pipeline = parse_pipeline(f"{PIPELINE}{{{OPTIONS}}}")
        module = module_of(parse_source(program).chunks[0])
        ours = run_pipeline(module, pipeline, version, serialize=serialize)
        if theirs.code or ours.error is not None:
            if theirs.code and ours.error is not None:
                found.refused_by_both += 1
            else:
                said = theirs.err if theirs.code else ours.first_message
                found.differing[name] = f"{'mlir-opt' if theirs.code else 'ours'} refuses: {said[:300]}"
            continue
        a, b = (_like(version, text) for text in (theirs.out, print_module(ours.module)))
        if a == b:
            found.equal += 1
        else:
            lines = difflib.unified_diff(a, b, "mlir-opt", "ours", lineterm="", n=1)
            found.differing[name] = "\n".join(lines)
    return found


def _like(version: int, text: str) -> list[str]:
    """Return the lines to compare: the module without PTX, and the PTX or the names of its instructions."""
    text = _TIMES.sub("", text)
    bodies = _PTX.findall(text)
    printed = mlir_opt(22)(_PTX.sub('assembly = ""', text), "--canonicalize", "--cse")
    lines = (printed.out or f"unreadable: {printed.err[:300]}").splitlines()
    lines = sorted(re.sub(r"%\d+", "%", line) for line in lines)
    for body in bodies:
        if version in SAME_BACKEND:
            lines += body.replace("\\09", "\t").split("\\0A")
        else:
            lines += sorted({_as_all_write_it(each) for each in _INSTRUCTION.findall(body)} - {""})
    return lines


def _as_all_write_it(instruction: str) -> str:
    """Return an instruction's name, independent of the release of llc; empty for moves between registers.

    llc 19 uses the type of the loaded value (`ld.param.u64`, `st.global.f32`), llc 22 its bit width
    (`ld.param.b64`), and 22 needs no register for the address of a variable."""
    if instruction.startswith("mov."):
        return ""
    return _LOADED.sub(r"\1.b\2", instruction)


def with_kernels(
    version: int, names: frozenset[str] = frozenset(), seed: int = 1, sample: int | None = None
) -> dict[str, str]:
    """Return the programs with kernels that the release accepts: those in `names`, or `sample` random
    ones."""
    known = [name for name, text in programs(version).items() if "gpu.launch " in text or "gpu.func" in text]
    chosen = sorted(names.intersection(known) if names else known)
    if sample is not None and sample < len(chosen):
        chosen = random.Random(seed).sample(chosen, sample)
    return readable(version, frozenset(chosen)) if chosen else {}


def main(arguments: Sequence[str]) -> int:
    """Print the differences; return 1 if there are any."""
    parser = argparse.ArgumentParser(description="binaries of kernels beside the real ones")
    parser.add_argument("version", type=int)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--sample", type=int, help="how many programs (default: all)")
    parser.add_argument("--within", type=float, default=math.inf, help="seconds after which none is begun")
    args = parser.parse_args(arguments)
    names = frozenset[str](args.names)
    chosen = with_kernels(args.version, names, args.seed, args.sample)
    found = compare(args.version, chosen, args.within)
    print(found)
    for name, difference in found.differing.items():
        print(f"  {name}" + (f":\n{difference}" if names else f": {difference.splitlines()[0][:150]}"))
    return int(bool(found.differing))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
