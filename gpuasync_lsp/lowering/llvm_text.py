"""The stage `llvm-ir`: what mlir-translate prints of the host program, and the LLVM IR of each kernel module.

The kernels' machine code is not here: a `gpu.module` is embedded as a name, a `gpu.binary` as its bytes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from xdsl.dialects.builtin import BytesAttr, ModuleOp
from xdsl.ir import Operation

from gpuasync_lsp.lowering.line_map import Part, Place, Printed, assembled
from gpuasync_lsp.lowering.llvm_ir import host_ir, kernel_ir
from gpuasync_lsp.lowering.llvm_types import Untranslatable
from gpuasync_lsp.profiles import profile
from gpuasync_lsp.syntax.dialects import gpu, llvm
from gpuasync_lsp.syntax.provenance import source_span
from gpuasync_lsp.text import Span

__all__ = ["SEPARATOR", "Untranslatable", "print_llvm_ir"]

SEPARATOR = "; -----"
"""Begins the line between two LLVM modules."""

_SITE = re.compile(r", !gpuasync !(\d+)$")
_NODE = re.compile(r"!\d+ = !\{i32 \d+\}$")


def print_llvm_ir(module: ModuleOp, version: int) -> Printed:
    """Translate a lowered module, the host first, then each gpu.module after a line that names it.

    Raises Untranslatable for an op that no pass has converted."""
    sites = _Sites()
    contents = dict(_binaries(module))
    host = host_ir(
        module,
        lambda name: contents.get(name, f"kernels of @{name}".encode()),
        load_per_launch=profile(version).module_per_launch,
        site_of=sites.number,
    )
    parts = [sites.printed(host)]
    for op in module.ops:
        if isinstance(op, gpu.GPUModuleOp) and any(
            isinstance(inner, llvm.LLVMFuncOp) for inner in op.body_region.ops
        ):
            parts.append(Printed(f"{SEPARATOR} gpu.module @{op.sym_name.data}\n", ()))
            parts.append(sites.printed(kernel_ir(op, site_of=sites.number)))
    return assembled(map(Part, parts))


class _Sites:
    """Numbers for source spans, which instructions carry as metadata until the text is read again."""

    def __init__(self) -> None:
        self._numbers: dict[Span, int] = {}
        self._spans: list[Span] = []

    def number(self, op: Operation) -> int | None:
        span = source_span(op)
        if span is None:
            return None
        if span not in self._numbers:
            self._numbers[span] = len(self._spans)
            self._spans.append(span)
        return self._numbers[span]

    def printed(self, text: str) -> Printed:
        """Return `text` without the numbers, and the places that they stood for."""
        lines: list[str] = []
        places: list[Place] = []
        for line in text.splitlines():
            if _NODE.match(line):
                continue
            site = _SITE.search(line)
            if site is not None:
                places.append(Place(len(lines), self._spans[int(site[1])]))
                line = line[: site.start()]
            lines.append(line)
        return Printed("\n".join(lines) + "\n", tuple(places))


def _binaries(module: ModuleOp) -> Iterator[tuple[str, bytes]]:
    for op in module.ops:
        if isinstance(op, gpu.BinaryOp) and op.objects.data:
            found = op.objects.data[0]
            if isinstance(found, gpu.ObjectAttr):
                content = found.object
                yield (
                    op.sym_name.data,
                    content.data if isinstance(content, BytesAttr) else content.data.encode(),
                )
