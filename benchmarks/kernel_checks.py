"""Measures the cost of checks inside kernels on the CPU: each kernel without and with checks, and the ratio.

python -m benchmarks.kernel_checks [--threads N] [--size N] [--rounds N]
"""

from __future__ import annotations

import argparse
from statistics import median

from gpuasync_lsp.exec import Run, RunOptions
from gpuasync_lsp.exec.prepare import prepare

ELEMENTWISE = """
func.func @main(%x: memref<{n}xf32>, %y: memref<{n}xf32>) {{
  %c1 = arith.constant 1 : index
  %c256 = arith.constant 256 : index
  %blocks = arith.constant {blocks} : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %blocks, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%sx = %c256, %sy = %c1, %sz = %c1) {{
    %b = arith.muli %bx, %c256 : index
    %i = arith.addi %b, %tx : index
    %v = memref.load %x[%i] : memref<{n}xf32>
    %w = memref.load %y[%i] : memref<{n}xf32>
    %s = arith.addf %v, %w : f32
    memref.store %s, %y[%i] : memref<{n}xf32>
    gpu.terminator
  }}
  return
}}
"""

PRODUCT = """
func.func @main(%a: memref<{n}x{n}xf32>, %b: memref<{n}x{n}xf32>, %o: memref<{n}x{n}xf32>) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %n = arith.constant {n} : index
  %tiles = arith.constant {tiles} : index
  %zero = arith.constant 0.0 : f32
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %tiles, %gy = %tiles, %gz = %c1)
      threads(%tx, %ty, %tz) in (%sx = %c16, %sy = %c16, %sz = %c1)
      workgroup(%p: memref<16x16xf32, #gpu.address_space<workgroup>>,
                %q: memref<16x16xf32, #gpu.address_space<workgroup>>) {{
    %r0 = arith.muli %by, %c16 : index
    %r = arith.addi %r0, %ty : index
    %k0 = arith.muli %bx, %c16 : index
    %k = arith.addi %k0, %tx : index
    %sum = scf.for %t = %c0 to %n step %c16 iter_args(%acc = %zero) -> (f32) {{
      %at = arith.addi %t, %tx : index
      %va = memref.load %a[%r, %at] : memref<{n}x{n}xf32>
      memref.store %va, %p[%ty, %tx] : memref<16x16xf32, #gpu.address_space<workgroup>>
      %bt = arith.addi %t, %ty : index
      %vb = memref.load %b[%bt, %k] : memref<{n}x{n}xf32>
      memref.store %vb, %q[%ty, %tx] : memref<16x16xf32, #gpu.address_space<workgroup>>
      gpu.barrier
      %part = scf.for %j = %c0 to %c16 step %c1 iter_args(%in = %acc) -> (f32) {{
        %x = memref.load %p[%ty, %j] : memref<16x16xf32, #gpu.address_space<workgroup>>
        %y = memref.load %q[%j, %tx] : memref<16x16xf32, #gpu.address_space<workgroup>>
        %m = arith.mulf %x, %y : f32
        %s = arith.addf %in, %m : f32
        scf.yield %s : f32
      }}
      gpu.barrier
      scf.yield %part : f32
    }}
    memref.store %sum, %o[%r, %k] : memref<{n}x{n}xf32>
    gpu.terminator
  }}
  return
}}
"""


def seconds(text: str, *, check: bool, rounds: int) -> float:
    """Run a program `rounds` times; return the median time of its kernel."""
    prepared = prepare(text, 24)
    options = RunOptions(device="cpu", shared_arguments=True, check=check, timeout=600)
    times: list[float] = []
    for _ in range(rounds):
        report = Run(prepared.program, options, prepared.place_of).wait(620)
        assert report.outcome == "ok", report
        times.append(next(o.duration for o in report.operations if o.label.startswith("kernel")) / 1e6)
    return median(times)


def main() -> None:
    """Measure and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--threads", type=int, default=10_000_000, help="of the elementwise kernel")
    parser.add_argument("--size", type=int, default=256, help="rows of the matrices")
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args()
    blocks = max(args.threads // 256, 1)
    programs = {
        f"elementwise, {blocks * 256} threads": ELEMENTWISE.format(n=blocks * 256, blocks=blocks),
        f"tiled product, {args.size}": PRODUCT.format(n=args.size, tiles=args.size // 16),
    }
    for name, text in programs.items():
        plain = seconds(text, check=False, rounds=args.rounds)
        checked = seconds(text, check=True, rounds=args.rounds)
        print(f"{name}: {plain:.3f} s unchecked, {checked:.3f} s checked, {checked / plain:.1f}x")


if __name__ == "__main__":
    main()
