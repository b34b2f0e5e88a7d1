"""A read of a device buffer that has not been written.

## What happens
gpu.alloc does not clear memory: the copy or the kernel reads the memory's previous contents. Atomic updates
also read, as do kernels whose threads load an element before they store it, and gpu.spmv, gpu.spmm and
gpu.sddmm, which accumulate into their result. A write in only one branch, or to another part of the buffer,
does not cover every reader: if the sizes of buffers and launches are known, the bytes read are compared with
the bytes written.

## What it does not report
- Reads after a loop that writes the buffer: a loop is assumed to run at least once.
- A buffer that was passed to an unknown callee or op.
- A kernel that reads and writes its argument, unless it is certain to read an element first.
- Parts of a buffer, if it is unknown how much of it is written or read.

## Example
```mlir
%t0 = gpu.wait async
%p, %t1 = gpu.alloc async [%t0] () : memref<4xf32>
%t2 = gpu.memcpy async [%t1] %dst, %p : memref<4xf32>, memref<4xf32>
%t3 = gpu.dealloc async [%t2] %p : memref<4xf32>
gpu.wait [%t3]
```
Use instead:
```mlir
%t0 = gpu.wait async
%p, %t1 = gpu.alloc async [%t0] () : memref<4xf32>
%set = gpu.memset async [%t1] %p, %value : memref<4xf32>, f32
%t2 = gpu.memcpy async [%set] %dst, %p : memref<4xf32>, memref<4xf32>
%t3 = gpu.dealloc async [%t2] %p : memref<4xf32>
gpu.wait [%t3]
```
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from xdsl.dialects.builtin import AnyFloat
from xdsl.ir import Attribute, SSAValue

from gpuasync_lsp.analysis.model.function import Access, AsyncFunction
from gpuasync_lsp.analysis.model.memory.buffers import Buffer
from gpuasync_lsp.analysis.model.memory.touches import WRITES
from gpuasync_lsp.analysis.repairs.edits import Editor
from gpuasync_lsp.analysis.repairs.waiting import sentence_of
from gpuasync_lsp.analysis.rule import Draft, Rule
from gpuasync_lsp.analysis.wording import at_op, op_span
from gpuasync_lsp.preconditions import bit_width, has_identity_layout
from gpuasync_lsp.syntax.effects import Mode
from gpuasync_lsp.syntax.kinds import is_memref
from gpuasync_lsp.syntax.printer import attribute_text
from gpuasync_lsp.text import Edit, Fix, Safety, Severity

_COST = "it takes time to clear the memory"


def check(function: AsyncFunction) -> Iterator[Draft]:
    """Find reads of this function's buffers on paths on which nothing has written them."""
    if not function.analyzed or not function.unwritten:
        return
    writes = _writes(function)
    for unwritten in function.unwritten:
        access, buffer = unwritten.access, unwritten.buffer
        where = f" {unwritten.path}" if unwritten.path else ""
        assert buffer.op is not None
        earlier = [write for write in writes[access.buffer] if function.is_before(write.op, access.op)]
        partly = not where and bool(earlier)
        if any(function.order.get(op, 0) < function.order[access.op] for op in buffer.escapes):
            continue
        by_host = any(write.host for write in earlier)
        fixes = () if where or by_host else tuple(_fixes(function, access, after_alloc=partly))
        why = "" if fixes else sentence_of(_obstacle(function, access, depends=bool(where), by_host=by_host))
        name = function.span_name(buffer.value)
        what = f"a part of {name} that nothing has" if partly else f"{name}, which nothing has"
        yield Draft(
            op_span(function, access.op),
            f"This {access.op.name} reads {what} written{where}.\n"
            f"Write it first: gpu.memset, gpu.memcpy, or a kernel.{why}",
            at_op(function, buffer.op, "allocated here"),
            fixes,
        )


def _writes(function: AsyncFunction) -> Mapping[Buffer, Sequence[Access]]:
    """Return the writes to each buffer, including stores on the host."""
    found: defaultdict[Buffer, list[Access]] = defaultdict(list)
    for node in function.nodes:
        for step in node.steps:
            for access in step.accesses:
                if access.mode in WRITES:
                    found[access.buffer].append(access)
    return found


def _obstacle(function: AsyncFunction, access: Access, *, depends: bool, by_host: bool) -> str:
    """Explain why no write to the buffer can be inserted before the read."""
    if depends:
        return "on another path something writes it, which a gpu.memset here would undo"
    if by_host:
        return "the host writes other parts of it, which a gpu.memset could undo"
    info = function.by_op.get(access.op)
    if info is None or info.token is None or len(info.deps) != 1 or not info.lowers:
        return "no single token determines the stream of the read"
    if any(fault.op is info.op for fault in function.faults):
        return "the stream of the read has another error; fix it first"
    if _is_freed(function, access):
        return "the buffer may already be freed; fix that first"
    return f"other streams use the buffer, or {function.profile.label} has no gpu.memset for it"


def _is_freed(function: AsyncFunction, access: Access) -> bool:
    return any(race.second is access and race.first.mode is Mode.FREE for race in function.races)


def _fixes(function: AsyncFunction, access: Access, *, after_alloc: bool) -> Iterator[Fix]:
    """Yield the fix that clears the buffer on the reader's stream, before the read or before all writes."""
    info = function.by_op.get(access.op)
    kind: Attribute = access.buffer.value.type
    if info is None or info.token is None or len(info.deps) != 1 or not info.lowers:
        return
    if not has_identity_layout(kind) or not is_memref(kind):
        return
    element: Attribute = kind.element_type
    if any(fault.op is info.op for fault in function.faults) or _is_freed(function, access):
        return  # The reader has another fault, which the new op would share.
    same = [other for other in function.accesses if other.buffer is access.buffer]
    if any(other.handle is not info.handle for other in same):
        return  # The new write would have to be ordered with these accesses, too.
    width = bit_width(element)
    place = function.spans.operand(info.op, 0)
    if width is None or not function.profile.memset_lowers(width) or place is None:
        return
    if after_alloc:
        yield from _cleared_when_allocated(function, access, element)
        return
    editor = Editor(function)
    cleared, lines = _clearing(editor, access, element, info.deps[0])
    editor.before(info.op, *lines)
    editor.edits.append(Edit(place, cleared))
    name = function.span_name(access.buffer.value)
    yield Fix(f"Zero {name} first", Safety.UNSAFE, editor.done(), _COST)


def _cleared_when_allocated(function: AsyncFunction, access: Access, element: Attribute) -> Iterator[Fix]:
    made = access.buffer.op
    info = function.by_op.get(made) if made is not None else None
    if info is None or info.token is None or info.handle is not access.handle:
        return  # A write to the buffer on another stream might come before the new op.
    editor = Editor(function)
    _, lines = _clearing(editor, access, element, info.token)
    editor.after(info.op, *lines)
    name = function.span_name(access.buffer.value)
    yield Fix(f"Zero {name} where it is allocated", Safety.UNSAFE, editor.done(), _COST)


def _clearing(editor: Editor, access: Access, element: Attribute, after: SSAValue) -> tuple[str, list[str]]:
    """Return the token of a gpu.memset of the whole buffer, and the lines to insert for it."""
    function, buffer = editor.function, access.buffer.value
    whole, element_text = attribute_text(buffer.type), attribute_text(element)
    zero, cleared = editor.fresh("zero"), editor.fresh("set")
    dep, name = function.span_name(after), function.span_name(buffer)
    return cleared, [
        f"{zero} = arith.constant {'0.0' if isinstance(element, AnyFloat) else '0'} : {element_text}",
        f"{cleared} = gpu.memset async [{dep}] {name}, {zero} : {whole}, {element_text}",
    ]


RULE = Rule("GA305", "read-of-uninitialized", Severity.WARNING, check)
