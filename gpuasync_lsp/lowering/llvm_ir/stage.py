"""The stage `llvm-ir`: mlir-translate's output for the host program, and the LLVM IR of each kernel
module.

It does not contain machine code of kernels: a `gpu.module` is embedded as a name, a `gpu.binary` as its
bytes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from xdsl.dialects.builtin import BytesAttr, ModuleOp
from xdsl.ir import Operation

from gpuasync_lsp.lowering.llvm_ir.module import KERNELS, host_op, is_blob, kernel_ops
from gpuasync_lsp.lowering.llvm_ir.reading import symbol_name
from gpuasync_lsp.lowering.llvm_ir.translation import Line, Needs, Translation, closing
from gpuasync_lsp.lowering.llvm_ir.types import Untranslatable
from gpuasync_lsp.lowering.pipeline.explain import Comment, Explained, explain
from gpuasync_lsp.lowering.pipeline.item_by_item import Body
from gpuasync_lsp.lowering.pipeline.line_map import Mark, Part, Place, Printed, assembled, marks_in
from gpuasync_lsp.releases import profile
from gpuasync_lsp.syntax.dialects import gpu, llvm
from gpuasync_lsp.syntax.provenance import SourceLoc, source_span
from gpuasync_lsp.syntax.source import Chunk
from gpuasync_lsp.text import Span

__all__ = ["SEPARATOR", "AsLLVMIR", "Untranslatable", "print_llvm_ir"]

SEPARATOR = "; -----"
"""The prefix of the line between two LLVM modules."""


class Untranslated(NamedTuple):
    """The reason why an op has no LLVM IR, and its source location."""

    message: str
    span: Span | None

    @classmethod
    def of(cls, error: Untranslatable) -> Untranslated:
        """Convert an error to its message and span, without the op, which would keep the module alive."""
        return cls(
            error.message, source_span(error.subject) if isinstance(error.subject, Operation) else None
        )

    def error(self, shift: int = 0) -> Untranslatable:
        """Return the error to raise, with its location moved by `shift` code points."""
        location = None if self.span is None else SourceLoc.at(self.span.shift(shift))
        return Untranslatable(self.message, location=location)


@dataclass(frozen=True)
class _Host:
    """The LLVM IR of an item's host ops, and the declarations that they need."""

    printed: Printed
    needs: tuple[Needs, ...]


@dataclass(frozen=True)
class _Translated:
    """The LLVM IR of an item's host ops and kernels, or the reason why they have none."""

    host: _Host | Untranslated
    kernels: tuple[Printed, ...] | Untranslated
    """For each gpu.module with functions, a line with its name and its LLVM IR."""


@dataclass(frozen=True)
class AsLLVMIR:
    """Renders lowered code as LLVM IR; implements `Rendering`."""

    sizes: tuple[tuple[str, int], ...] | None
    """The (name, size in bytes) of each kernel module if each launch loads its module, otherwise None."""

    @classmethod
    def of(cls, ops: Iterable[Operation], version: int) -> AsLLVMIR:
        """Create the rendering for a module with these ops, lowered or not, in LLVM `version`."""
        if not profile(version).module_per_launch:
            return cls(None)
        return cls(tuple((symbol_name(op), len(_content(op))) for op in ops if is_blob(op)))

    def of_item(self, module: ModuleOp, first: Sequence[Operation], last: Sequence[Operation]) -> _Translated:
        """Translate the lowered ops of an item, and the declarations added for it."""
        host: _Host | Untranslated
        kernels: tuple[Printed, ...] | Untranslated
        explained = explain(module)
        sizes = None if self.sizes is None else dict(self.sizes)
        try:
            host = _host((*first, *module.ops, *last), sizes, explained)
        except Untranslatable as error:
            host = Untranslated.of(error)
        try:
            kernels = tuple(_kernels(op) for op in module.ops if _has_functions(op))
        except Untranslatable as error:
            kernels = Untranslated.of(error)
        return _Translated(host, kernels)

    def of_chunk(self, chunk: Chunk | None, bodies: Sequence[Body[_Translated]]) -> tuple[Part, ...]:
        """Return the host's LLVM IR, followed by that of the kernels.

        Raises Untranslatable; errors of the host precede those of kernels."""
        host: list[Part] = []
        needs: list[Needs] = []
        kernels: list[Part] = []
        for body, shift in bodies:
            if isinstance(body.host, Untranslated):
                raise body.host.error(shift)
            host.append(Part(body.host.printed, shift))
            needs += body.host.needs
        for body, shift in bodies:
            if isinstance(body.kernels, Untranslated):
                raise body.kernels.error(shift)
            kernels += [Part(printed, shift) for printed in body.kernels]
        end = "".join(f"{line}\n" for line in closing(needs))
        return (*host, Part(Printed(end, ())), *kernels)


def print_llvm_ir(module: ModuleOp, version: int) -> Printed:
    """Translate a lowered module: first the host, then for each gpu.module a line with its name and its IR.

    Raises Untranslatable for an op that no pass has converted."""
    rendering = AsLLVMIR.of(module.ops, version)
    return assembled(rendering.of_chunk(None, [Body(rendering.of_item(module, (), ()), 0)]))


def _host(ops: Iterable[Operation], sizes: Mapping[str, int] | None, explained: Explained) -> _Host:
    translations = [host_op(op, _content(op) if is_blob(op) else b"", sizes) for op in ops]
    parts = [Part(_printed(each, explained)) for each in translations if each.lines]
    return _Host(assembled(parts), tuple(each.needs for each in translations))


def _kernels(module: Operation) -> Printed:
    opening = [Line(f"{SEPARATOR} gpu.module @{symbol_name(module)}", module), Line(KERNELS)]
    parts = [Translation(opening), *kernel_ops(module)]
    end = Translation([Line(line) for line in closing(part.needs for part in parts)])
    return assembled(Part(_printed(part, Explained())) for part in (*parts, end) if part.lines)


def _printed(translation: Translation, explained: Explained) -> Printed:
    names = translation.names.items()
    streams = {name: explained.streams[value] for value, name in names if value in explained.streams}
    places: list[Place] = []
    marks: list[Mark] = []
    firsts: dict[Operation, int] = {}
    calls: dict[Operation, int] = {}
    for row, (text, op) in enumerate(translation.lines):
        if streams:
            marks += marks_in(text, row, streams)
        if op is None:
            continue
        if (span := source_span(op)) is not None:
            places.append(Place(row, span))
        firsts.setdefault(op, row)
        if _stands_for(text, op):
            calls.setdefault(op, row)
    rows = firsts | calls
    comments: list[tuple[int, Comment]] = []
    for op, row in rows.items():
        comment = explained.comments.get(op)
        if comment is not None:
            comments.append((row, comment))
    end = "\n" if translation.lines[-1].text == "}" else ""
    return Printed(
        "".join(f"{line.text}\n" for line in translation.lines) + end,
        tuple(places),
        tuple(marks),
        tuple(comments),
        _by_span(firsts) | _by_span(calls),
    )


def _stands_for(text: str, op: Operation) -> bool:
    """Return whether a line of LLVM IR contains the main runtime call of its op."""
    return "@mgpuLaunch" in text if isinstance(op, gpu.LaunchFuncOp) else " @mgpu" in text


def _by_span(rows: Mapping[Operation, int]) -> dict[Span, int]:
    found: dict[Span, int] = {}
    for op, row in rows.items():
        if (span := source_span(op)) is not None:
            found.setdefault(span, row)
    return found


def _has_functions(op: Operation) -> bool:
    return isinstance(op, gpu.GPUModuleOp) and any(
        isinstance(inner, llvm.LLVMFuncOp) for inner in op.body_region.ops
    )


def _content(op: Operation) -> bytes:
    """Return the bytes embedded for a kernel module."""
    if isinstance(op, gpu.BinaryOp) and op.objects.data:
        found = op.objects.data[0]
        if isinstance(found, gpu.ObjectAttr):
            content = found.object
            return content.data if isinstance(content, BytesAttr) else content.data.encode()
    return f"kernels of @{symbol_name(op)}".encode()
