"""The stage `ptx`: the output of LLVM's NVPTX backend for each kernel module.

The backend emits `.loc` directives, which link instructions to the source; they are not shown.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from threading import Lock

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from gpuasync_lsp.lowering import Body, Part, Printed
from gpuasync_lsp.lowering.llvm_ir.debug import Sites, kernel_ir_with_sites
from gpuasync_lsp.lowering.llvm_ir.stage import Untranslated
from gpuasync_lsp.lowering.llvm_ir.types import Untranslatable
from gpuasync_lsp.lowering.pipeline.line_map import Place
from gpuasync_lsp.syntax import source_span
from gpuasync_lsp.syntax.dialects import gpu
from gpuasync_lsp.syntax.source import Chunk
from gpuasync_lsp.text import Span

REMEMBERED = 64
"""The number of kernel modules whose PTX is memoized."""

_ENTRY = re.compile(r"\s*(?:\.visible |\.weak )*\.(?:entry|func)\s+(?:\([^)]*\)\s*)?([\w$]+)\(")
_SITE = re.compile(r"\s*\.loc\s+1 (\d+)")
_DEBUG = re.compile(r"\s*\.(?:loc|file)\s|\s*\$L__(?:func_begin|func_end|tmp)\d+:")
_SECTION, _SECTION_ENDS = "\t.section\t.debug_", "}\n"
_CALL = re.compile(r" // callseq \d+(?:, \d+)?$", re.MULTILINE)
"""Matches comments with the number of a call, which counts the calls in all modules of a process."""
_CHIP = re.compile(r'chip = "(sm_\w+)"')


class PtxError(Exception):
    """The kernel module has no PTX; the message gives the reason."""


@dataclass(eq=False)
class _Kernels:
    name: str
    ir: str
    chip: str
    sites: Sites
    span: Span | None
    printed: Printed | None = None


@dataclass(frozen=True)
class AsPTX:
    """Renders lowered code as the PTX of its kernel modules; an implementation of `Rendering`."""

    def of_item(
        self, module: ModuleOp, first: Sequence[Operation] = (), last: Sequence[Operation] = ()
    ) -> tuple[_Kernels, ...] | Untranslated:
        """Translate the kernel modules in an item's lowering."""
        try:
            return tuple(_kernels(op) for op in module.ops if isinstance(op, gpu.GPUModuleOp))
        except Untranslatable as error:
            return Untranslated.of(error)

    def of_chunk(
        self, chunk: Chunk | None, bodies: Sequence[Body[tuple[_Kernels, ...] | Untranslated]]
    ) -> tuple[Part, ...]:
        """Return the PTX of each kernel module, after a line with the module's name.

        Raises Untranslatable or PtxError."""
        kernels: list[tuple[_Kernels, int]] = []
        for body, shift in bodies:
            if isinstance(body, Untranslated):
                raise body.error(shift)
            kernels += [(module, shift) for module in body]
        _COMPILED.compile(module for module, _ in kernels if module.printed is None)
        for module, _ in kernels:
            if module.printed is None:
                module.printed = _printed(module, _COMPILED.text(module))
        parts = tuple(Part(module.printed, shift) for module, shift in kernels if module.printed is not None)
        return parts or (Part(Printed("// there is no gpu.module\n", ())),)


def print_ptx(module: ModuleOp) -> tuple[Part, ...]:
    """Return the PTX of each gpu.module of a lowered module, for the chip in its target attribute.

    Raises PtxError, or Untranslatable for an op that no pass converted.
    """
    rendering = AsPTX()
    return rendering.of_chunk(None, [Body(rendering.of_item(module), 0)])


@dataclass
class _Compiled:
    """The memoized PTX of the last kernel modules, shared by all files."""

    known: dict[tuple[str, str], str] = field(default_factory=dict[tuple[str, str], str])
    lock: Lock = field(default_factory=Lock)

    def compile(self, modules: Iterable[_Kernels]) -> None:
        """Compile the modules whose PTX is not memoized, in one process for each chip. Raises PtxError."""
        # Imported here because other previews start no process.
        from gpuasync_lsp.exec import NoPTX, compile_ptx

        missing: dict[str, list[str]] = {}
        for module in modules:
            if (module.ir, module.chip) not in self.known:
                missing.setdefault(module.chip, []).append(module.ir)
        for chip, texts in missing.items():
            try:
                found = compile_ptx({str(number): ir for number, ir in enumerate(texts)}, chip)
            except NoPTX as error:
                raise PtxError(str(error)) from error
            with self.lock:
                self.known |= {(ir, chip): found[str(number)] for number, ir in enumerate(texts)}

    def text(self, module: _Kernels) -> str:
        """Return the PTX of a compiled module, and evict the least recently used modules."""
        with self.lock:
            text = self.known[module.ir, module.chip] = self.known.pop((module.ir, module.chip))
            while len(self.known) > max(REMEMBERED, 1):
                del self.known[next(iter(self.known))]
        return text


_COMPILED = _Compiled()


def _kernels(module: gpu.GPUModuleOp) -> _Kernels:
    chip = _CHIP.search(str(module.targets)) if module.targets is not None else None
    ir, sites = kernel_ir_with_sites(module)
    return _Kernels(module.sym_name.data, ir, chip[1] if chip else "", sites, source_span(module))


def _printed(module: _Kernels, text: str) -> Printed:
    lines = [f"// gpu.module @{module.name}"]
    places: list[Place] = []
    heads: dict[Span, int] = {}
    if module.span is not None:
        places.append(Place(0, module.span))
        heads[module.span] = 0

    def put(span: Span | None) -> None:
        if span is not None:
            places.append(Place(len(lines), span))
            heads.setdefault(span, len(lines))

    site: Span | None = None
    for line in _CALL.sub("", _without_debug_sections(text)).splitlines():
        entry, here = _ENTRY.match(line), _SITE.match(line)
        if here is not None:
            site = module.sites.spans[int(here[1]) - 1] if int(here[1]) else None
        elif entry is not None:
            put(module.sites.functions.get(entry[1]))
        elif line == "}":
            site = None
        elif line.endswith(";") and not line.lstrip().startswith("."):
            put(site)
        if not _DEBUG.match(line):
            lines.append(line)
    return Printed("\n".join(lines) + "\n", tuple(places), heads=heads)


def _without_debug_sections(text: str) -> str:
    kept: list[str] = []
    at = 0
    while (start := text.find(_SECTION, at)) >= 0 and (end := text.find(_SECTION_ENDS, start)) >= 0:
        kept.append(text[at:start])
        at = end + len(_SECTION_ENDS)
    return "".join([*kept, text[at:]])
