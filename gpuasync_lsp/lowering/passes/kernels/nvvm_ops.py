"""Creates nvvm ops by name, since they have no handwritten classes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Operation, SSAValue

from gpuasync_lsp.lowering.conversion import llvm_ops as build
from gpuasync_lsp.lowering.conversion.rewriter import ConversionRewriter
from gpuasync_lsp.syntax.dialects.assembly import i32_array
from gpuasync_lsp.syntax.provenance import module_of
from gpuasync_lsp.syntax.source import parse_source


def insert(
    rewriter: ConversionRewriter,
    name: str,
    operands: Sequence[SSAValue],
    results: Sequence[Attribute] = (),
    properties: Mapping[str, str | Attribute] | None = None,
    segments: Sequence[int] = (),
) -> Operation:
    """Insert the nvvm op `name`.

    `properties` may be given as text; `segments` are the sizes of the operand groups."""
    given = {
        key: attribute(value) if isinstance(value, str) else value
        for key, value in (properties or {}).items()
    }
    if segments:
        given["operandSegmentSizes"] = i32_array(segments)
    kind = build.table_op(f"nvvm.{name}")
    return rewriter.add(kind.create(operands=operands, result_types=results, properties=given))


@cache
def attribute(text: str) -> Attribute:
    """Parse `text` as an attribute."""
    (chunk,) = parse_source(f"module attributes {{a.a = {text}}} {{}}").chunks
    outer = module_of(chunk)
    inner = outer.ops.first
    return (inner if isinstance(inner, ModuleOp) else outer).attributes["a.a"]
