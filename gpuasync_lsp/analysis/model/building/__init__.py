"""Builds the `AsyncFunction` of a host function: handles for tokens, steps for ops, a graph of regions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from xdsl.ir import Operation, SSAValue

from gpuasync_lsp.analysis.model.building.dead import dead_ops
from gpuasync_lsp.analysis.model.building.edges import Edges
from gpuasync_lsp.analysis.model.building.graph import Graph
from gpuasync_lsp.analysis.model.building.members import fill_members
from gpuasync_lsp.analysis.model.building.merging import Merging, may_merge, merging
from gpuasync_lsp.analysis.model.building.objects import Objects
from gpuasync_lsp.analysis.model.building.operands import Operands
from gpuasync_lsp.analysis.model.building.steps import Steps, Touched
from gpuasync_lsp.analysis.model.building.streamed import register, resolve
from gpuasync_lsp.analysis.model.building.tasks import Tasks
from gpuasync_lsp.analysis.model.building.tokens import Tokens
from gpuasync_lsp.analysis.model.building.uses import note_uses
from gpuasync_lsp.analysis.model.building.values import Values
from gpuasync_lsp.analysis.model.building.waits import Waits
from gpuasync_lsp.analysis.model.context import FileContext
from gpuasync_lsp.analysis.model.function import Access, AsyncFunction
from gpuasync_lsp.analysis.model.memory.accesses import Memory
from gpuasync_lsp.analysis.model.symbols import callee_of
from gpuasync_lsp.analysis.model.terms import TOUCHING
from gpuasync_lsp.releases import Profile
from gpuasync_lsp.syntax.dialects.gpu import AsyncTokenType
from gpuasync_lsp.syntax.opaque import OpaqueOp
from gpuasync_lsp.syntax.spans import SpanTable
from gpuasync_lsp.syntax.symbols import symbol_name
from gpuasync_lsp.text.effort import spend


def build(
    op: Operation, spans: SpanTable, context: FileContext, profile: Profile, *, is_valid: bool
) -> AsyncFunction:
    """Return the model of the host function `op`, before its abstract interpretation by `conclusions.run`.

    Block merging is modeled only in valid functions (`is_valid`), since it is computed by lowering a copy.
    """
    begun = _begin(op, spans, context, profile, is_valid=is_valid)
    function, ops, merged, values, operands, dead = begun
    memory = Memory(function)
    tasks = Tasks(ops, first_slot=0)
    tokens = Tokens(function, values)
    waits = Waits(tokens, values, first_event=tasks.slots)
    objects = Objects(tokens)
    for argument in op.regions[0].blocks[0].args:
        if isinstance(argument.type, AsyncTokenType):
            tokens.handle(argument)
    for info in function.ops:
        spend(10)
        resolve(info, tokens, objects, waits, memory)
    objects.note(ops, memory)
    for inner in ops:
        note_uses(inner, tokens, values, dead)
        if callee_of(inner) is not None:
            waits.by_callee(inner)
    touched = _touched(function, ops, memory, tasks)
    fill_members(tokens, operands.columns)
    function.events = waits.events

    steps = Steps(tokens, values, operands, merged, waits, tasks, memory, touched, objects)
    graph = Graph(function, steps, Edges(tokens, memory))
    graph.fill()
    memory.places.close()
    return function


def begin(
    op: Operation, spans: SpanTable, context: FileContext, profile: Profile, *, is_valid: bool
) -> AsyncFunction:
    """Return a model that contains only the operands of ops, and the reasons why ops do not lower.

    `build` also adds streams, memory and paths."""
    return _begin(op, spans, context, profile, is_valid=is_valid).function


class _Begun(NamedTuple):
    function: AsyncFunction
    ops: list[Operation]
    merged: Merging
    values: Values
    operands: Operands
    dead: frozenset[Operation]


def _begin(
    op: Operation, spans: SpanTable, context: FileContext, profile: Profile, *, is_valid: bool
) -> _Begun:
    function = AsyncFunction(op, symbol_name(op), spans, profile, context)
    ops = _host_ops(op)
    spend(10 * len(ops))
    function.order = {inner: number for number, inner in enumerate(ops)}
    function.analyzed = not any(inner.is_error for inner in ops if isinstance(inner, OpaqueOp))

    pipeline, greedy = context.pipeline, profile.greedy_prepass
    structured = pipeline is None or any("convert-scf-to-cf" in step for step in pipeline)
    merges = is_valid and may_merge(op, profile)
    merged = merging(op, profile, structured=structured) if merges else Merging()
    values = Values(ops, merged, greedy=greedy, structured=structured)
    dead = dead_ops(ops, values.incoming, profile) if greedy else frozenset[Operation]()
    operands = Operands(merged, values)
    function.written = operands.written
    register(function, operands, dead)
    return _Begun(function, ops, merged, values, operands, dead)


def _host_ops(function: Operation) -> list[Operation]:
    """Return the ops inside `function`, except those in bodies of gpu.launch, which run on the device."""
    on_device: set[Operation] = set()
    ops: list[Operation] = []
    for op in function.walk():
        if op is function or (on_device and op in on_device):
            continue
        ops.append(op)
        if op.name == "gpu.launch":
            on_device.update(inner for inner in op.walk() if inner is not op)
    return ops


def _touched(function: AsyncFunction, ops: Sequence[Operation], memory: Memory, tasks: Tasks) -> Touched:
    """Return the memory accesses of the ops that run on the host, and the values that `Place`s depend on."""
    by_host: dict[Operation, tuple[Access, ...]] = {}
    for op in ops:
        if op not in function.by_op:
            by_host[op] = memory.host(op)
            if tasks.around(op):
                for access in by_host[op]:
                    access.task = access.mode in TOUCHING
    symbols: set[SSAValue] = set()
    left = (accesses for op in by_host for accesses in memory.left_by_callee(op))
    for accesses in (*by_host.values(), *[info.accesses for info in function.ops], *left):
        for access in accesses:
            for value in access.symbols:
                symbols.update((value, *function.made_of.get(value, ())))
    return Touched(by_host, symbols)
