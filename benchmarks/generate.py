"""Writes modules of a given length: functions of about fifty lines of asynchronous gpu ops each."""

from __future__ import annotations

import random

HEAD = """module attributes {gpu.container_module} {
  gpu.module @kernels [#nvvm.target] {
    llvm.func @k(%arg0: f32, %arg1: i32) attributes {gpu.kernel} {
      llvm.return
    }
  }
"""

OPS = (
    "gpu.memset async [%{last}] %d, %v : memref<1024xf32>, f32",
    "gpu.memcpy async [%{last}] %d, %h : memref<1024xf32>, memref<1024xf32>",
    "gpu.memcpy async [%{last}] %h, %d : memref<1024xf32>, memref<1024xf32>",
    "gpu.wait async [%{last}]",
    "gpu.launch_func async [%{last}] @kernels::@k blocks in (%c1, %c1, %c1) threads in (%c128, %c1, %c1)"
    " args(%v : f32, %i : i32)",
)


def module(lines: int, per_function: int = 50, seed: int = 1) -> str:
    """Return a module of `lines` lines; the same arguments give the same text."""
    rng = random.Random(seed)
    out = HEAD.rstrip("\n").split("\n")
    number = 0
    while lines - 1 - len(out) >= 12:
        out += _function(number, min(per_function, lines - 1 - len(out)), rng)
        number += 1
    while len(out) < lines - 1:
        out.append(f"  // line {len(out)}")
    return "\n".join([*out, "}"]) + "\n"


def _function(number: int, size: int, rng: random.Random) -> list[str]:
    body = [
        f"  func.func @f{number}(%h: memref<1024xf32>, %v: f32, %i: i32) {{",
        "    %c1 = arith.constant 1 : index",
        f"    %c128 = arith.constant {128 + number % 7} : index",
        "    %t0 = gpu.wait async",
        "    %d, %t1 = gpu.alloc async [%t0] () : memref<1024xf32>",
    ]
    for token in range(2, size - 7):
        body.append(f"    %t{token} = " + rng.choice(OPS).format(last=f"t{token - 1}"))
    last = max(size - 8, 1)
    return [
        *body,
        f"    %t{last + 1} = gpu.dealloc async [%t{last}] %d : memref<1024xf32>",
        f"    gpu.wait [%t{last + 1}]",
        "    return",
        "  }",
    ]
