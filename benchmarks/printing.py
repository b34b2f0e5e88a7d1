"""Measures the cost of parsing and printing an op of each dialect.

    python -m benchmarks.printing [--profile DIALECT]

Prints microseconds of processor time per op: the least of several iterations, so that other load on the
machine matters little. Reading is the parser without other layers; printing is `print_module`,
including value names.
"""

from __future__ import annotations

import argparse
import cProfile
import gc
import pstats
import re
import time
from collections.abc import Callable

from gpuasync_lsp.cli import COLLECTION
from gpuasync_lsp.syntax import module_of, parse_source
from gpuasync_lsp.syntax.printer import print_module

ROUNDS = 7
REPEATED = 100
"""How often each op occurs in the function that is parsed and printed."""

PARAMETERS = (
    "%i: index, %j: index, %n: i32, %f: f32, %b: i1, %m: memref<?x8xf32>, %s: memref<8xf32>,"
    " %v: vector<8xf32>, %w: vector<8xi1>, %p: !llvm.ptr, %l: i64, %t: !gpu.async.token"
)
OPS = {
    "arith": """
        %a = arith.addi %n, %n : i32
        %c = arith.constant 7 : i32
        %d = arith.mulf %f, %f fastmath<fast> : f32
        %e = arith.cmpi slt, %i, %j : index
        %g = arith.select %b, %f, %f : f32
        %h = arith.index_cast %i : index to i32
        %k = arith.addi %l, %l overflow<nsw, nuw> : i64
        %o = arith.extui %n : i32 to i64
    """,
    "memref": """
        %a = memref.load %m[%i, %j] : memref<?x8xf32>
        memref.store %f, %m[%i, %j] : memref<?x8xf32>
        %c = memref.alloc(%i) : memref<?x8xf32>
        %d = memref.dim %m, %i : memref<?x8xf32>
        %e = memref.subview %m[%i, 0] [2, %j] [1, 1]
           : memref<?x8xf32> to memref<2x?xf32, strided<[8, 1], offset: ?>>
        %g = memref.cast %s : memref<8xf32> to memref<?xf32>
        memref.copy %s, %s : memref<8xf32> to memref<8xf32>
        memref.dealloc %c : memref<?x8xf32>
    """,
    "llvm": """
        %a = llvm.add %l, %l : i64
        %c = llvm.mlir.constant(7 : i64) : i64
        %d = llvm.getelementptr %p[%l] : (!llvm.ptr, i64) -> !llvm.ptr, f32
        %e = llvm.load %d : !llvm.ptr -> f32
        llvm.store %f, %p : f32, !llvm.ptr
        %g = llvm.icmp "slt" %l, %l : i64
        %h = llvm.fmul %f, %f : f32
        %k = llvm.mlir.zero : !llvm.ptr
        %o = llvm.call @g(%p, %l) : (!llvm.ptr, i64) -> !llvm.ptr
        %q = llvm.mlir.undef : !llvm.struct<(ptr, ptr, i64)>
        %r = llvm.insertvalue %p, %q[0] : !llvm.struct<(ptr, ptr, i64)>
        %u = llvm.extractvalue %r[1] : !llvm.struct<(ptr, ptr, i64)>
    """,
    "vector": """
        %a = vector.broadcast %f : f32 to vector<8xf32>
        %c = vector.load %s[%i] : memref<8xf32>, vector<8xf32>
        vector.store %v, %s[%i] : memref<8xf32>, vector<8xf32>
        %d = vector.transfer_read %s[%i], %f : memref<8xf32>, vector<8xf32>
        %e = vector.fma %v, %v, %v : vector<8xf32>
        %g = vector.reduction <add>, %v : vector<8xf32> into f32
        %h = vector.extract %v[3] : f32 from vector<8xf32>
        %k = vector.insert %f, %v[3] : f32 into vector<8xf32>
    """,
    "scf": """
        scf.for %x = %i to %j step %i {
          %y = arith.addi %x, %i : index
        }
        %a = scf.for %x = %i to %j step %i iter_args(%y = %f) -> (f32) {
          scf.yield %y : f32
        }
        scf.if %b {
          %y = arith.addi %i, %i : index
        } else {
          %y = arith.addi %i, %j : index
        }
        %c = scf.if %b -> (f32) {
          scf.yield %f : f32
        } else {
          scf.yield %f : f32
        }
    """,
    "affine": """
        affine.for %x = 0 to 8 {
          %y = affine.load %s[%x] : memref<8xf32>
          affine.store %y, %s[%x] : memref<8xf32>
        }
        affine.for %x = 0 to affine_map<(d0) -> (d0 + 1)>(%i) step 2 {
          %y = affine.apply affine_map<(d0, d1) -> (d0 + d1)>(%x, %i)
        }
    """,
    "gpu": """
        %a = gpu.wait async [%t]
        %c, %d = gpu.alloc async [%a] (%i) : memref<?x8xf32>
        %e = gpu.memcpy async [%d] %c, %m : memref<?x8xf32>, memref<?x8xf32>
        %g = gpu.launch_func async [%e] @k::@k blocks in (%i, %i, %i) threads in (%j, %j, %j)
           args(%f : f32, %s : memref<8xf32>)
        %h = gpu.dealloc async [%g] %c : memref<?x8xf32>
        gpu.wait [%h]
        %k = gpu.thread_id x
        gpu.barrier
    """,
}


def program(dialect: str) -> str:
    """Return a function with the ops of a dialect, repeated `REPEATED` times."""
    parameters = set(_NAME.findall(PARAMETERS))
    lines = [f"func.func @f({PARAMETERS}) {{"]
    for number in range(REPEATED):

        def renamed(name: re.Match[str], number: int = number) -> str:
            return name[0] if name[0] in parameters else f"{name[0]}{number}"

        lines.append(_NAME.sub(renamed, OPS[dialect]))
    return "\n".join([*lines, "  return", "}"])


_NAME = re.compile(r"%[a-z]+")


def least(work: Callable[[], object]) -> float:
    """Return the least processor time in seconds of several calls of `work`."""
    times: list[float] = []
    for _ in range(ROUNDS):
        begin = time.process_time()
        work()
        times.append(time.process_time() - begin)
    return min(times)


def main() -> None:
    """Print a line for each dialect, or with `--profile` a profile of printing one."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--profile", choices=OPS, help="print a profile of printing ops of this dialect")
    options = parser.parse_args()
    gc.set_threshold(*COLLECTION)  # as the server and the command line have it
    for dialect in OPS if options.profile is None else [options.profile]:
        text = program(dialect)
        source = parse_source(text)
        (chunk,) = source.chunks
        problems = [problem.message for placed in chunk.items for problem in placed.item.problems]
        if problems:
            raise SystemExit(f"{dialect}: {problems[0]}")
        module = module_of(chunk)
        if options.profile is not None:
            profile = cProfile.Profile()
            for _ in range(ROUNDS):
                profile.runcall(print_module, module)
            pstats.Stats(profile).sort_stats("tottime").print_stats(30)
            return
        ops = sum(1 for _ in module.walk())
        reading = least(lambda text=text: parse_source(text))
        printing = least(lambda module=module: print_module(module))
        figures = [1e6 * seconds / ops for seconds in (reading, printing)]
        print("{:8} {:6.1f} us to read an op, {:6.1f} to print it".format(dialect, *figures))


if __name__ == "__main__":
    main()
