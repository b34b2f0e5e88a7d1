"""Compares the report of `passes` on dumps by the real mlir-opt with mlir-opt's own output for each section.

    python -m tests.differential.dump_ops --llvm 22 --seed 7 --count 50

dumps pipelines on a sample of the shared programs, before and after each pass, at module scope or that of the
pass, with locations or without. This module finds sections by its own pattern, and their ops by
`--mlir-print-op-generic`. Names, scopes, order, and added and removed ops must be equal, and a pass that
`--mlir-print-ir-after-change` does not print must have changed nothing.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence

from gpuasync_lsp.ide.dumps.passes import PassRun, pass_runs
from tests.differential.dumps import dump, programs, settings
from tests.support.tools import Tool, mlir_opt

PASSES = (
    "canonicalize", "cse", "gpu-kernel-outlining", "gpu-to-llvm", "symbol-dce", "inline", "sccp",
    "func.func(canonicalize)", "func.func(cse,gpu-async-region)", "func.func(convert-scf-to-cf)",
    "func.func(convert-linalg-to-loops,lower-affine)", "loop-invariant-code-motion", "convert-arith-to-llvm",
    "gpu.module(canonicalize,cse)", "gpu.module(convert-gpu-to-nvvm)", "finalize-memref-to-llvm",
    "expand-strided-metadata", "convert-func-to-llvm", "reconcile-unrealized-casts", "convert-cf-to-llvm",
    "convert-vector-to-scf", "async-to-async-runtime", "strip-debuginfo",
)  # fmt: skip
_HEADER = re.compile(
    r"^// -----// IR Dump (Before|After) (.+?)(?: Failed)? \(([\w-]+)[^()]*\)"
    r"(?: \('([\w.]+)' operation(?:: (@[^\n]*?))?\))? //----- //\n",
    re.MULTILINE,
)
_OP = re.compile(r'^ *(?:%[\w:, %]* = )?"([A-Za-z_][\w$]*\.[\w$.]+)"(?:\(|<)', re.MULTILINE)
_SYMBOL = re.compile(r'^(?:module|[\w]+\.[\w.]+)[^(\n{]*?(@(?:[\w$.-]+|"[^"\n]*"))?[({ \n]')

Ops = Counter[str]


def cut(text: str) -> list[tuple[str, str, str, str]]:
    """Return the phase, the pass, the op named in the header, and the body of each section."""
    found = list(_HEADER.finditer(text))
    ends = [*(each.start() for each in found[1:]), len(text)][: len(found)]
    return [
        (each[1], each[3], " ".join(filter(None, each.group(4, 5))), text[each.end() : end].rstrip())
        for each, end in zip(found, ends, strict=True)
    ]


def counted(tool: Tool, bodies: Sequence[str]) -> list[Ops | None]:
    """Return the numbers of ops in each text; None for a text that mlir-opt rejects."""
    options = (
        "--mlir-print-op-generic",
        "--allow-unregistered-dialect",
        "--split-input-file",
        "--verify-each=0",
    )
    done = tool("\n// -----\n".join(bodies), *options)
    parts = done.out.split("// -----\n")
    if "error:" in done.err or len(parts) != len(bodies):
        if len(bodies) == 1:
            return [None]
        middle = len(bodies) // 2
        return counted(tool, bodies[:middle]) + counted(tool, bodies[middle:])
    return [Ops(_OP.findall(part)) for part in parts]


def disagreements(tool: Tool, version: int, text: str, pipeline: str, way: tuple[str, ...]) -> Iterator[str]:
    """Yield the differences between `passes` and mlir-opt."""
    printed = dump(tool, text, pipeline, "--mlir-print-ir-before-all", "--mlir-print-ir-after-all", *way)
    parts = cut(printed)
    if not parts:
        return
    runs = [run for run in pass_runs(printed, settings(version)) if run.class_name]
    pairs: list[tuple[str, str, str, str]] = []
    waiting: list[tuple[str, str, str, str]] = []
    for phase, name, scope, body in parts:
        if phase == "Before":
            waiting.append((phase, name, scope, body))
        else:
            _, begun, _, before = waiting.pop()
            if begun != name:
                return  # Nested in another pass, or run by a pass.
            pairs.append((name, scope, before, body))
    ended = runs[: len(pairs)] if len(runs) >= len(pairs) else runs
    if [run.pass_name for run in ended] != [name for name, _, _, _ in pairs]:
        yield f"passes {[run.pass_name for run in runs]}, not {[name for name, _, _, _ in pairs]}"
        return
    ops = counted(tool, [_alone(body) for pair in pairs for body in pair[2:]])
    for number, (run, (name, scope, before, after)) in enumerate(zip(ended, pairs, strict=True)):
        if scope and run.scope != scope:
            yield f"{name} ran on {scope}, not {run.scope}"
        old, new = ops[2 * number : 2 * number + 2]
        if old is None or new is None or run.section.torn:
            continue
        told = (+Ops(dict(run.added)), +Ops(dict(run.removed)))
        if told != (new - old, old - new):
            yield f"{name} on {run.scope}: {told}, not {(new - old, old - new)}"
        if run.changed and before == after:
            yield f"{name} on {run.scope} is said to have changed what is the same"
    yield from _unchanged(tool, text, pipeline, way, ended, pairs)


def _unchanged(
    tool: Tool,
    text: str,
    pipeline: str,
    way: tuple[str, ...],
    runs: Sequence[PassRun],
    pairs: Sequence[object],
) -> Iterator[str]:
    """Yield a line if a pass changed the IR here, but not by the fingerprints of mlir-opt."""
    printed = cut(
        dump(tool, text, pipeline, "--mlir-print-ir-after-all", "--mlir-print-ir-after-change", *way)
    )
    theirs = Counter(name for _, name, _, _ in printed)
    ours = Counter(run.pass_name for run in runs if run.changed)
    if more := ours - theirs:
        yield f"{dict(more)} are said to have changed something, of {len(pairs)} passes"


def _alone(body: str) -> str:
    """Return the op of a section without the text that follows it, such as the tool's output or a message."""
    lines = body.split("\n")
    begun = False
    for number, line in enumerate(lines):
        if not begun:
            begun = not line.startswith(("#", "!", "{-#")) and bool(line.strip())
            if begun and not line.rstrip().endswith("{"):
                return "\n".join(lines[: number + 1])
        elif line.startswith("}") and not line.rstrip().endswith("{"):
            rest = [each for each in lines[number + 1 :] if each.startswith("#")]
            return "\n".join((*lines[: number + 1], *rest))
    return body


def main() -> int:
    """Run the command."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--llvm", type=int, default=22)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=50)
    args = parser.parse_args()
    tool, chance = mlir_opt(args.llvm), random.Random(args.seed)
    wrong = compared = passes = 0
    for file in chance.sample(programs(args.llvm), args.count):
        chunk = chance.choice(
            re.split(r"^// -----.*$", file.read_bytes().decode("latin-1"), flags=re.MULTILINE)
        )
        pipeline = ",".join(chance.choice(PASSES) for _ in range(chance.randint(2, 7)))
        way = tuple(
            option
            for option in ("--mlir-print-ir-module-scope", "--mlir-print-debuginfo", "--mlir-timing")
            if chance.random() < 0.4
        )
        found = cut(dump(tool, chunk, pipeline, "--mlir-print-ir-after-all", *way))
        compared += bool(found)
        passes += len(found)
        for said in disagreements(tool, args.llvm, chunk, pipeline, way):
            wrong += 1
            print(f"{file.name}: {pipeline} {' '.join(way)}\n    {said}")
    print(f"{args.count} programs, {compared} with a dump, {passes} passes, {wrong} disagreements")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
