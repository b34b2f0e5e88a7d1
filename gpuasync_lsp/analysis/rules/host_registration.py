"""Host memory that is registered twice, unregistered twice, or freed while it is registered.

## What happens
gpu.host_register becomes cuMemHostRegister, which page-locks the memory and makes it accessible to the
device. For memory that is already registered it fails with CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
cuMemHostUnregister of memory that is not registered fails with CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED. Memory
that is freed while it is registered remains page-locked: memory that malloc later returns at that address
cannot be registered.

GA302 reports memory that is unregistered while device work on it may still be running.

## What it does not report
- Overlapping parts of memory: only identical parts are compared.
- Differences between paths: a register or unregister in one branch.
- Memory that escapes: it is stored, or passed to an unknown callee.
- Memory that is still registered when the function returns: callers may rely on it.

## Example
```mlir
func.func @main() {
  %m = memref.alloc() : memref<4xf32>
  %u = memref.cast %m : memref<4xf32> to memref<*xf32>
  gpu.host_register %u : memref<*xf32>
  memref.dealloc %m : memref<4xf32>
  return
}
```
Use instead:
```mlir
func.func @main() {
  %m = memref.alloc() : memref<4xf32>
  %u = memref.cast %m : memref<4xf32> to memref<*xf32>
  gpu.host_register %u : memref<*xf32>
  gpu.host_unregister %u : memref<*xf32>
  memref.dealloc %m : memref<4xf32>
  return
}
```
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from xdsl.ir import Operation

from gpuasync_lsp.analysis.model.function import Access, AsyncFunction, Node, Step, Turn
from gpuasync_lsp.analysis.model.memory.buffers import Buffer
from gpuasync_lsp.analysis.model.memory.regions import Region
from gpuasync_lsp.analysis.model.terms import REGISTERING
from gpuasync_lsp.analysis.rule import Draft, Rule
from gpuasync_lsp.analysis.wording import at_op, op_span
from gpuasync_lsp.syntax.effects import Mode
from gpuasync_lsp.text import Severity
from gpuasync_lsp.text.effort import spend


class _Last(NamedTuple):
    """The last registration, unregistration or allocation of a buffer on a path."""

    mode: Mode | None
    """How the event accesses the memory; None for the allocation."""
    op: Operation


_Known = dict[tuple[Buffer, Region | None], _Last]
"""The last event of each part of a buffer; the region is None for a buffer without registrations so far."""


def check(function: AsyncFunction) -> Iterator[Draft]:
    """Find registrations of registered memory, and unregistrations of unregistered memory, on every path."""
    if not function.analyzed or not any(
        access.mode in REGISTERING for node in function.nodes for s in node.steps for access in s.accesses
    ):
        return
    paths = _Paths(function)
    found: dict[Operation, Draft] = {}
    for node, known in paths.at_first().items():
        paths.by(node.steps, dict(known), found)
    for node in function.nodes:
        for edge in node.edges:
            if edge.iteration is not None and edge.iteration[1] is Turn.NEXT and node in paths.ends:
                paths.again(edge.iteration[0], paths.ends[node], found)
    for op in sorted(found, key=function.order.__getitem__):
        yield found[op]


class _Paths:
    """Tracks registrations along the paths of one function."""

    def __init__(self, function: AsyncFunction) -> None:
        self.function = function
        self.ends: dict[Node, _Known] = {}
        """The registrations at the end of each node."""

    def at_first(self) -> dict[Node, _Known]:
        """Return, for each node, the registrations that exist at its beginning on all paths."""
        function = self.function
        starts: dict[Node, _Known] = {function.nodes[0]: {}} if function.nodes else {}
        work = list(starts)
        while work:
            spend()
            node = work.pop()
            known = dict(starts[node])
            self.by(node.steps, known, None)
            self.ends[node] = known
            for edge in node.edges:
                before = starts.get(edge.target)
                joined = known if before is None else _both(before, known)
                if before is None or joined != before:
                    starts[edge.target] = dict(joined)
                    work.append(edge.target)
        return starts

    def again(self, loop: Operation, known: _Known, found: dict[Operation, Draft]) -> None:
        """Check the body of `loop` as a further iteration; `known` is the state at the end of the previous
        one."""
        known = {
            (buffer, region): last
            for (buffer, region), last in known.items()
            if last.op.parent_op() is loop and region is not None and (region.whole or not region.symbols)
        }
        for block in loop.regions[0].blocks:
            for op in block.ops:
                node = self.function.node_of.get(op)
                steps = (step for step in node.steps if step.op is op) if node is not None else ()
                self.by(steps, known, found)

    def by(self, steps: Iterable[Step], known: _Known, found: dict[Operation, Draft] | None) -> None:
        """Update `known` for `steps`; store findings in `found` unless it is None."""
        for step in steps:
            if step.buffer is not None and step.buffer.op is not None:
                _forget(step.buffer, known)
                known[step.buffer, None] = _Last(None, step.buffer.op)
            for access in step.accesses:
                self._do(access, known, found)

    def _do(self, access: Access, known: _Known, found: dict[Operation, Draft] | None) -> None:
        buffer = access.buffer
        if access.mode not in REGISTERING and access.mode is not Mode.FREE:
            return
        is_sure = access.sure and not access.guard and not buffer.is_name
        if is_sure and found is not None and not any(op.name != "func.return" for op in buffer.escapes):
            draft = self._wrong(access, self._last(access, known))
            if draft is not None:
                found.setdefault(access.op, draft)
        if not is_sure or access.mode is Mode.FREE:
            for each in buffer.all:
                _forget(each, known)
        else:
            known.pop((buffer, None), None)
            known[buffer, access.region] = _Last(access.mode, access.op)

    def _last(self, access: Access, known: _Known) -> _Last | None:
        """Return the last event of the memory of `access`; for a free, that of any registered part."""
        if access.mode is Mode.FREE:
            registered = (last for (each, _), last in known.items() if each is access.buffer)
            return next((last for last in registered if last.mode is Mode.REGISTER), None)
        return known.get((access.buffer, access.region)) or known.get((access.buffer, None))

    def _wrong(self, access: Access, last: _Last | None) -> Draft | None:
        name = self.function.span_name(access.value)
        if last is None:
            return None
        if access.mode is Mode.REGISTER and last.mode is Mode.REGISTER:
            message = (
                f"{name} is registered already: this fails with "
                "CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED.\nRegister it once, or unregister it first."
            )
            return self._draft(access, message, last.op, "registered here")
        if access.mode is Mode.UNREGISTER and last.mode in (Mode.UNREGISTER, None):
            again = "no longer" if last.mode is Mode.UNREGISTER else "not"
            message = (
                f"{name} is {again} registered: this fails with "
                "CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED.\nUnregister it once per registration."
            )
            what = "unregistered here" if last.mode is not None else "allocated here"
            return self._draft(access, message, last.op, what)
        if access.mode is Mode.FREE and last.mode is Mode.REGISTER:
            message = (
                f"{name} is freed while it is registered: its pages stay locked, and memory allocated "
                "later at that address cannot be registered.\nUnregister it first: gpu.host_unregister."
            )
            return self._draft(access, message, last.op, "registered here")
        return None

    def _draft(self, access: Access, message: str, related: Operation, what: str) -> Draft:
        return Draft(op_span(self.function, access.op), message, at_op(self.function, related, what))


def _forget(buffer: Buffer, known: _Known) -> None:
    for key in [key for key in known if key[0] is buffer]:
        del known[key]


def _both(one: _Known, other: _Known) -> _Known:
    return {key: last for key, last in one.items() if key in other and other[key].mode is last.mode}


RULE = Rule("GA308", "host-registration", Severity.ERROR, check)
