"""LLVM IR of kernels with debug locations, which let the PTX name the source of each instruction."""

from __future__ import annotations

from dataclasses import dataclass, field

from xdsl.ir import Operation

from gpuasync_lsp.lowering.llvm_ir.module import KERNELS, kernel_ops
from gpuasync_lsp.lowering.llvm_ir.reading import symbol_name
from gpuasync_lsp.lowering.llvm_ir.translation import closing
from gpuasync_lsp.syntax.provenance import source_span
from gpuasync_lsp.text import Span

_FIRST = 5
"""The number of the first metadata node after those in `_UNIT`."""

_UNIT = """\
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_C, file: !1, emissionKind: DebugDirectivesOnly)
!1 = !DIFile(filename: "mlir", directory: "")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !DISubroutineType(types: !4)
!4 = !{}
"""
"""Metadata nodes; `DebugDirectivesOnly` emits only `.loc` directives (ptxas's `-lineinfo`)."""


@dataclass
class Sites:
    """The source spans of a kernel module's instructions and functions."""

    spans: list[Span] = field(default_factory=list[Span])
    """The source spans, in the order of the 1-based line numbers in debug locations; line 0 means unknown."""
    functions: dict[str, Span] = field(default_factory=dict[str, Span])


def kernel_ir_with_sites(gpu_module: Operation) -> tuple[str, Sites]:
    """Return the LLVM IR of a gpu.module, and the source spans to which its line numbers refer.

    Raises Untranslatable for an op that no pass has converted."""
    parts = list(kernel_ops(gpu_module))
    sites = Sites()
    numbers: dict[Span, int] = {}
    lines, nodes = [KERNELS], list[str]()
    locations: dict[tuple[int, int], int] = {}
    scope = _FIRST

    def node(text: str) -> int:
        nodes.append(f"!{_FIRST + len(nodes)} = {text}")
        return _FIRST + len(nodes) - 1

    for part in parts:
        for text, op in part.lines:
            span = source_span(op) if op is not None else None
            if op is not None and text.startswith("define "):
                name = symbol_name(op)
                words = f'name: "{len(nodes)}", scope: !1, file: !1, type: !3, unit: !0'
                scope = node(f"distinct !DISubprogram({words}, spFlags: DISPFlagDefinition)")
                if span is not None:
                    sites.functions[name] = span
                lines.append(f"{text[:-1]}!dbg !{scope} {{")
            elif text.startswith(" "):
                if span is not None and span not in numbers:
                    sites.spans.append(span)
                    numbers[span] = len(sites.spans)
                at = scope, numbers.get(span, 0) if span is not None else 0
                if at not in locations:
                    locations[at] = node(f"!DILocation(line: {at[1]}, column: 0, scope: !{scope})")
                lines.append(f"{text}, !dbg !{locations[at]}")
            else:
                lines.append(text)
    lines += closing(part.needs for part in parts)
    return "\n".join(lines) + "\n" + _UNIT + "".join(f"{line}\n" for line in nodes), sites
