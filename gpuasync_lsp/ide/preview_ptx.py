"""The stage `ptx`: what LLVM's NVPTX backend makes of each kernel module.

The backend ends its process on IR that it cannot select, so it runs in one of its own.
"""

from __future__ import annotations

import re
import subprocess
import sys
from functools import lru_cache

from xdsl.dialects.builtin import ModuleOp

from gpuasync_lsp.lowering import Part, Printed
from gpuasync_lsp.lowering.line_map import Place
from gpuasync_lsp.lowering.llvm_ir import kernel_ir
from gpuasync_lsp.syntax import source_span
from gpuasync_lsp.syntax.dialects import gpu, llvm

TIMEOUT = 60.0

_ENTRY = re.compile(r"^\s*(?:\.visible |\.weak )*\.(?:entry|func)\s+(?:\([^)]*\)\s*)?([\w$]+)\(")
_CHIP = re.compile(r'chip = "(sm_\w+)"')
_PROGRAM = """
import sys
from gpuasync_lsp.exec.worker.ptx import DEFAULT_CHIP, to_ptx
sys.stdout.write(to_ptx(sys.stdin.read(), sys.argv[1] or DEFAULT_CHIP))
"""


class PtxError(Exception):
    """A kernel module has no PTX; the message says why."""


def print_ptx(module: ModuleOp) -> list[Part]:
    """Return the PTX of each gpu.module of a lowered module, for the chip of its target.

    A kernel's line leads to its source. Raises PtxError, or Untranslatable for an op that no pass converted.
    """
    parts: list[Part] = []
    for op in module.ops:
        if isinstance(op, gpu.GPUModuleOp):
            chip = _CHIP.search(str(op.targets)) if op.targets is not None else None
            text = f"// gpu.module @{op.sym_name.data}\n{ptx(kernel_ir(op), chip[1] if chip else '')}"
            parts.append(Part(Printed(text, _places(op, text))))
    return parts or [Part(Printed("// there is no gpu.module\n", ()))]


@lru_cache(maxsize=64)
def ptx(ir: str, chip: str) -> str:
    """Return the PTX of a kernel module's LLVM IR. Raises PtxError."""
    try:
        done = subprocess.run(
            [sys.executable, "-c", _PROGRAM, chip],
            input=ir,
            capture_output=True,
            check=False,
            text=True,
            timeout=TIMEOUT,
        )
    except subprocess.TimeoutExpired as error:
        raise PtxError(f"LLVM took more than {TIMEOUT:.0f} s for the PTX") from error
    if done.returncode:
        last = (done.stderr.strip().splitlines() or [f"LLVM ended with status {done.returncode}"])[-1]
        raise PtxError(last)
    return done.stdout


def _places(module: gpu.GPUModuleOp, text: str) -> tuple[Place, ...]:
    rows: dict[str, int] = {}
    for row, line in enumerate(text.splitlines()):
        entry = _ENTRY.match(line)
        if entry is not None:
            rows.setdefault(entry[1], row)
    found: list[Place] = []
    for op in module.body_region.ops:
        span = source_span(op)
        if isinstance(op, llvm.LLVMFuncOp) and span is not None and op.sym_name.data in rows:
            found.append(Place(rows[op.sym_name.data], span))
    return tuple(sorted(found))
