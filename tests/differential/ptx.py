"""Compiles every kernel of a folder with ptxas: python -m tests.differential.ptx FOLDER... [--chips
sm_75,sm_90]

Each kernel that translates is compiled for each chip: the result must be PTX that each ptxas accepts,
or a rejection with a message; a process that LLVM ends is counted and named. Kernels that mlir-opt
rejects are skipped, and equal kernels of several files are compiled once. `--sample N --seed S`: N of
the files that have kernels.
"""

from __future__ import annotations

import argparse
import multiprocessing
import random
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from xdsl.dialects.builtin import ModuleOp

from gpuasync_lsp.analysis import rejections
from gpuasync_lsp.lowering import LoweringOptions, Untranslatable, translate
from gpuasync_lsp.lowering.passes.gpu_kernel_outlining import gpu_kernel_outlining
from gpuasync_lsp.syntax import module_of, parse_source
from gpuasync_lsp.syntax.dialects import gpu
from tests.support.ptxas import CHIPS, all_ptxas

Row = tuple[str, str]
"""The outcome for a kernel module and a chip, and its message."""


RELEASE = 22


def kernels(text: str) -> Iterator[Row]:
    """Yield the IR of each kernel module of a file, or the reason why it has none."""
    for chunk in parse_source(text).chunks:
        if rejections(chunk, RELEASE):
            yield "invalid", "mlir-opt rejects it"
            continue
        module = module_of(chunk)
        try:
            gpu_kernel_outlining(module)
        except Exception as error:  # noqa: BLE001 - hostile and half-written tests: what fails is told
            yield "untranslated", str(error)
            continue
        for op in [*module.walk()]:
            if isinstance(op, gpu.GPUModuleOp):
                op.detach()
                alone = ModuleOp([op])
                try:
                    translated = translate(alone, RELEASE, LoweringOptions(), lambda op: None)
                except Untranslatable as error:
                    yield "untranslated", error.message
                else:
                    yield from (("ir", each.gpu_ir or each.ir) for each in translated.kernels if each.ir)


def assembled(text: str, chips: tuple[str, ...], known: frozenset[int], send: object) -> None:
    """Send a row for each new kernel module of a file and each chip; run in a process that LLVM may end."""
    from gpuasync_lsp.exec.worker.cuda.ptx import NoLibdevice, to_ptx, undefined_function
    from gpuasync_lsp.exec.worker.jit import CompileError

    for kind, found in kernels(text):
        if kind != "ir":
            send.put((kind, found))  # type: ignore[attr-defined]
            continue
        send.put(("ir", found))  # type: ignore[attr-defined]
        if hash(found) in known:
            continue
        for chip in chips:
            send.put(("dies", f"{chip}: LLVM ended the process"))  # type: ignore[attr-defined]
            try:
                ptx = to_ptx(found, chip)
            except (CompileError, NoLibdevice) as error:
                row = ("refused" if "needs" in str(error) else "not compiled", f"{chip}: {error}")
            else:
                row = ("assembled", chip)
                if missing := undefined_function(ptx):
                    row = ("refused", f"{chip}: {missing} is not defined")
                else:
                    for each in all_ptxas():
                        if said := each.problem(ptx):
                            row = ("rejected", f"{chip}: {each.path}: {said}")
            send.put(row)  # type: ignore[attr-defined]


def rows(path: Path, chips: tuple[str, ...] = CHIPS, known: set[int] | None = None) -> list[Row]:
    """Return the outcomes for the kernels of a file that are not in `known`, and add the kernels to it."""
    known = set[int]() if known is None else known
    context = multiprocessing.get_context("fork")
    queue = context.SimpleQueue()
    process = context.Process(
        target=assembled, args=(path.read_text("utf-8", "replace"), chips, frozenset(known), queue)
    )
    process.start()
    found: list[Row] = []
    while process.is_alive() or not queue.empty():
        process.join(0.05)
        while not queue.empty():
            if found and found[-1][0] == "dies":
                found.pop()
            row = queue.get()
            if row[0] == "ir":
                known.add(hash(row[1]))
            else:
                found.append(row)
    return found


def files(folders: Sequence[Path]) -> list[Path]:
    """Return the files below `folders` that may have a kernel."""
    paths = [
        path for each in folders for path in ([each] if each.is_file() else sorted(each.rglob("*.mlir")))
    ]
    return [path for path in paths if "gpu." in path.read_text("utf-8", "replace")]


WRONG = ("rejected", "dies", "not compiled")
"""Outcomes that are errors of this tool."""


def main() -> int:
    """Print invalid PTX and kernels that fail without a message, and the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--chips", default=",".join(CHIPS))
    parser.add_argument("--sample", type=int)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    paths = files(args.folders)
    if args.sample is not None:
        paths = random.Random(args.seed).sample(paths, min(args.sample, len(paths)))
    tally: Counter[str] = Counter()
    known = set[int]()
    for path in paths:
        for kind, said in rows(path, tuple(args.chips.split(",")), known):
            tally[kind] += 1
            if kind in WRONG:
                print(f"{path}: {kind}: {said.splitlines()[0]}", flush=True)
    print(dict(tally), f"{len(known)} kernels, {len(paths)} files")
    return 1 if any(tally[each] for each in WRONG) else 0


if __name__ == "__main__":
    sys.exit(main())
