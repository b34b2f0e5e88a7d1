"""Outlines kernels in the source: moves ops to a gpu.func after the function, and inserts a launch.

The result is equivalent to that of `mlir-opt --gpu-kernel-outlining` (a test compares the two), but names,
comments and layout are preserved, and the kernel computes only the ids and sizes that it uses. Ops that refer
to a symbol are not moved: the pass would copy the symbol's definition.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Operation, SSAValue

from gpuasync_lsp.analysis.model.function import AsyncFunction
from gpuasync_lsp.analysis.repairs.edits import Editor, mark_module
from gpuasync_lsp.syntax.captures import captured
from gpuasync_lsp.syntax.dialects.gpu import LaunchOp, TerminatorOp
from gpuasync_lsp.syntax.opaque import OpaqueOp
from gpuasync_lsp.syntax.printer import attribute_text
from gpuasync_lsp.text import Edit, Span, apply_edits

_POSITIONS = ("block_id", "thread_id", "grid_dim", "block_dim", "cluster_id", "cluster_dim")
"""Ops that replace the arguments of a gpu.launch body; each replaces three arguments, in this order."""

_ON_DEVICE = ("arith.", "math.", "index.", "vector.", "scf.", "affine.")
_MEMORY = frozenset({"load", "store", "dim", "cast", "subview", "reinterpret_cast"})
"""memref ops that a kernel may contain because they neither allocate nor call."""

_TOKEN = re.compile(r'//[^\n]*|"(?:[^"\\\n]|\\.)*"?|[@{}]')
_PLAIN = re.compile(r"[A-Za-z_][\w$.]*")
_WIDTH = 100


@dataclass
class _Kernel:
    """The text of a kernel that is being built."""

    arguments: list[tuple[str, str, str]]
    """The name in the kernel, the name outside, and the type of each outside value."""
    body: str
    """The statements as written in the source, from the beginning of a line."""
    margin: str
    """The common indentation of `body`; the kernel's own indentation replaces it."""
    depth: int
    """The nesting depth of `body` in the kernel, relative to the function."""
    memory: str = ""
    """The `workgroup(...)` and `private(...)` clauses."""
    attributes: str = ""
    lead: list[str] = field(default_factory=list[str])
    """Statements before `body`."""


def outline_launch(function: AsyncFunction, launch: LaunchOp) -> tuple[Edit, ...] | None:
    """Return the edits that outline the body of `launch`; None if moving its text does not suffice."""
    if not launch.body.blocks:
        return None
    spans, text = function.spans, function.spans.text
    names = _names(function, launch)
    place = _body(function, launch)
    if names is None or place is None or not _can_move(launch.body.walk(), place.of(text)):
        return None
    editor = Editor(function)
    values = captured((op for block in launch.body.blocks for op in block.ops), launch)
    ends = [block.last_op for block in launch.body.blocks]
    returns = [Edit(spans.op(op), "gpu.return") for op in ends if isinstance(op, TerminatorOp)]
    margin = editor.indent(spans.op(launch).start)
    kernel = _kernel(function, editor, values, place, returns, margin, 1)
    entry = launch.body.blocks[0]
    count = 18 if launch.cluster_size is not None else 12
    for number, argument in enumerate(entry.args[:count]):
        if argument.first_use is not None:
            position = f"gpu.{_POSITIONS[number // 3]} {'xyz'[number % 3]}"
            kernel.lead.append(f"{spans.value_name(argument)} = {position}")
    shared = launch.workgroup_attributions.value.data if launch.workgroup_attributions else 0
    for word, part in (("workgroup", entry.args[count:][:shared]), ("private", entry.args[count:][shared:])):
        if part:
            listed = ", ".join(f"{spans.value_name(a)} : {attribute_text(a.type)}" for a in part)
            kernel.memory += f" {word}({listed})"
    kernel.attributes = _known_sizes(launch.block_size, launch.grid_size)
    parts = ["gpu.launch_func"]
    parts += _stream(function, launch)
    parts.append(f"@{names[0]}::@{names[1]}")
    if launch.cluster_size is not None:
        parts.append(f"clusters in {_sizes(function, launch.cluster_size)}")
    parts.append(f"blocks in {_sizes(function, launch.grid_size)}")
    parts.append(f"threads in {_sizes(function, launch.block_size)}")
    if launch.dynamic_shared_memory_size is not None:
        size = spans.value_name(launch.dynamic_shared_memory_size)
        parts.append(f"dynamic_shared_memory_size {size}")
    if launch.cooperative is not None:
        parts.append("cooperative")
    call = _with_arguments(" ".join(parts), kernel, margin)
    editor.edits.append(Edit(Span(spans.name(launch).start, spans.op(launch).end), call))
    return _put(function, editor, kernel, names)


def outline_ops(function: AsyncFunction, ops: Sequence[Operation]) -> tuple[Edit, ...] | None:
    """Return the edits that outline `ops`, consecutive host ops, as a kernel for one thread.

    Returns None if the ops cannot run in a kernel, or if a later op uses their results.
    """
    spans, text = function.spans, function.spans.text
    names = _names(function, None)
    inside = {inner for op in ops for inner in op.walk()}
    if names is None or not ops or not all(map(_runs_on_device, inside)):
        return None
    if any(use.operation not in inside for op in ops for result in op.results for use in result.uses):
        return None
    start, end = spans.op(ops[0]).start, spans.op(ops[-1]).end
    if not _can_move(inside, text[start:end]):
        return None
    editor = Editor(function)
    margin = editor.indent(start)
    kernel = _kernel(function, editor, captured(ops), Span(start, end), (), margin, 2)
    kernel.body += f"\n{margin}gpu.return"
    kernel.attributes = (
        " attributes {known_block_size = array<i32: 1, 1, 1>, known_grid_size = array<i32: 1, 1, 1>}"
    )
    one = editor.fresh("one")
    sizes = f"({one}, {one}, {one})"
    call = f"gpu.launch_func @{names[0]}::@{names[1]} blocks in {sizes} threads in {sizes}"
    lead = f"{one} = arith.constant 1 : index\n{margin}"
    editor.edits.append(Edit(Span(start, end), lead + _with_arguments(call, kernel, margin)))
    return _put(function, editor, kernel, names)


def _names(function: AsyncFunction, launch: LaunchOp | None) -> tuple[str, str] | None:
    """Return the names of the new module and its kernel, which the pass would choose, too."""
    chosen = (None, None) if launch is None else (launch.module, launch.function)
    container, kernel = (None if s is None else s.string_value() for s in chosen)
    kernel = kernel or f"{function.name}_kernel"
    taken = function.context.containers
    if container in taken or not _PLAIN.fullmatch(container or kernel) or not _PLAIN.fullmatch(kernel):
        return None
    free, number = container or kernel, 0
    while free in taken:
        free, number = f"{kernel}_{number}", number + 1
    return free, kernel


def _body(function: AsyncFunction, launch: LaunchOp) -> Span | None:
    """Return the span between the braces of the body; None if they are not in the text."""
    spans, text = function.spans, function.spans.text
    entry = launch.body.blocks[0]
    last = launch.body.blocks[-1].last_op
    header = [spans.operand(launch, number) for number in range(len(launch.operands))]
    header += [spans.result(argument) for argument in entry.args]
    if (
        last is None
        or last not in spans.ops
        or None in header
        or text.startswith('"', spans.name(launch).start)
    ):
        return None
    if spans.block_label(entry) is not None:  # A label would have to name the kernel's arguments.
        return None
    opening = _brace(text, max(span.end for span in header if span is not None), "{")
    closing = _brace(text, spans.op(last).end, "}")
    return None if opening is None or closing is None else Span(opening + 1, closing)


def _brace(text: str, start: int, brace: str) -> int | None:
    found = (match.start() for match in _TOKEN.finditer(text, start) if match[0] == brace)
    return next(found, None)


def _can_move(ops: Iterable[Operation], text: str) -> bool:
    """Return whether ops keep their meaning in a new module: all are known, and none refers to a symbol."""
    if any(isinstance(op, OpaqueOp) for op in ops):
        return False
    return all(match[0] != "@" for match in _TOKEN.finditer(text))


def _runs_on_device(op: Operation) -> bool:
    if op.name.startswith("memref."):
        return op.name.removeprefix("memref.") in _MEMORY
    return op.name.startswith(_ON_DEVICE)


def _kernel(
    function: AsyncFunction,
    editor: Editor,
    values: Sequence[SSAValue],
    body: Span,
    edits: Iterable[Edit],
    margin: str,
    depth: int,
) -> _Kernel:
    """Build the kernel from the text of `body` after `edits`; values such as `%m#1` get plain names."""
    spans, text = function.spans, function.spans.text
    changes = list(edits)
    arguments: list[tuple[str, str, str]] = []
    for value in values:
        outside = inside = spans.value_name(value)
        if "#" in outside:
            inside = editor.fresh(outside[1:].partition("#")[0])
            changes += [Edit(span, inside) for span in spans.uses(value) if body.contains(span.start)]
        arguments.append((inside, outside, attribute_text(value.type)))
    first, end, rest = apply_edits(body.of(text), [e.shift(-body.start) for e in changes]).partition("\n")
    if first.strip():  # The first line follows a brace, or the margin.
        first = margin + editor.margins()[1] * (2 - depth) + first.strip()
    return _Kernel(arguments, (first + end + rest).strip("\n").rstrip(), margin, depth)


def _known_sizes(block: Sequence[SSAValue], grid: Sequence[SSAValue]) -> str:
    """Return the attributes that the pass adds for constant sizes."""
    known: list[str] = []
    for name, sizes in (("known_block_size", block), ("known_grid_size", grid)):
        numbers = [_constant(size) for size in sizes]
        if None not in numbers:
            known.append(f"{name} = array<i32: {', '.join(map(str, numbers))}>")
    return f" attributes {{{', '.join(known)}}}" if known else ""


def _constant(value: SSAValue) -> int | None:
    owner = value.owner
    if not isinstance(owner, Operation) or owner.name != "arith.constant":
        return None
    attribute = owner.properties.get("value")
    if not isinstance(attribute, IntegerAttr):
        return None
    number: int = attribute.value.data  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    return number


def _stream(function: AsyncFunction, launch: LaunchOp) -> Iterable[str]:
    spans = function.spans
    if launch.async_token is not None:
        yield "async"
    if launch.async_dependencies:
        yield f"[{', '.join(map(spans.value_name, launch.async_dependencies))}]"
    if launch.async_object is not None:
        yield f"<{spans.value_name(launch.async_object)} : {attribute_text(launch.async_object.type)}>"


def _sizes(function: AsyncFunction, sizes: Iterable[SSAValue]) -> str:
    return f"({', '.join(map(function.span_name, sizes))})"


def _with_arguments(call: str, kernel: _Kernel, margin: str) -> str:
    if not kernel.arguments:
        return call
    given = ", ".join(f"{outside} : {kind}" for _, outside, kind in kernel.arguments)
    is_long = len(margin) + len(call) + len(given) > _WIDTH
    space = f"\n{margin}    " if is_long else " "
    return f"{call}{space}args({given})"


def _put(
    function: AsyncFunction, editor: Editor, kernel: _Kernel, names: tuple[str, str]
) -> tuple[Edit, ...] | None:
    """Return the edits that, like the pass, insert the kernel in a new module after the function."""
    marked = mark_module(function.context)
    if marked is None:
        return None
    margin, unit = editor.margins()
    taken = ", ".join(f"{inside}: {kind}" for inside, _, kind in kernel.arguments)
    lines = [f"{margin}gpu.module @{names[0]} {{"]
    lines.append(f"{margin}{unit}gpu.func @{names[1]}({taken}){kernel.memory} kernel{kernel.attributes} {{")
    lines += [margin + 2 * unit + statement for statement in kernel.lead]
    lines += _reindented(kernel, margin + kernel.depth * unit)
    lines += [f"{margin}{unit}}}", f"{margin}}}"]
    end = function.spans.op(function.op).end
    editor.edits.append(Edit(Span(end, end), "".join(f"\n{line}" for line in lines)))
    return (*editor.done(), *marked)


def _reindented(kernel: _Kernel, margin: str) -> Iterable[str]:
    for line in kernel.body.split("\n"):
        rest = line.removeprefix(kernel.margin) if line.startswith(kernel.margin) else line.lstrip()
        yield margin + rest if rest.strip() else ""
