"""Model of one function's tokens, streams, events and buffers, as one LLVM release lowers it.

`building/` builds an `AsyncFunction` per function and profile, and `flow/` and `conclusions.py` interpret it.
Rules, hints, hover and the stream view only read it. Nothing here changes IR.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum
from functools import lru_cache

from xdsl.ir import Block, Operation, SSAValue

from gpuasync_lsp.analysis.model.conditions import Test
from gpuasync_lsp.analysis.model.context import FileContext
from gpuasync_lsp.analysis.model.guards import ALWAYS, Guard
from gpuasync_lsp.analysis.model.memory.buffers import Buffer, Place
from gpuasync_lsp.analysis.model.memory.launched import Touching
from gpuasync_lsp.analysis.model.memory.parts import Part, whole_part
from gpuasync_lsp.analysis.model.memory.regions import Region, Run
from gpuasync_lsp.analysis.model.symbols import callee_of
from gpuasync_lsp.analysis.model.terms import TOUCHING, Origin, Side
from gpuasync_lsp.preconditions import Unmet
from gpuasync_lsp.releases import Profile
from gpuasync_lsp.syntax.effects import Mode
from gpuasync_lsp.syntax.spans import SpanTable
from gpuasync_lsp.text.cached_property import cached_property

FUNCTIONS = ("func.func", "llvm.func")
"""Ops whose entry block arguments are the function's parameters."""
_NAME = re.compile(r"%([A-Za-z_$.-][\w$.-]*|\d+)")


class Kind(Enum):
    """The kind of a token's lowered value, which gpu-to-llvm derives from the op that defines the token."""

    STREAM = "stream"
    """Defined by a call to mgpuStreamCreate in this function."""
    NULL = "null stream"
    """The result of an async alloc or dealloc without dependencies (LLVM 23 and later)."""
    OPAQUE = "event"
    """Any other value, such as a block argument or a call result; gpu.wait treats it as an event."""
    OBJECT = "stream object"
    """A pointer to a stream or an event instead of a token, as in `gpu.launch_func <%stream : !llvm.ptr>`."""
    LEFT = "unlowered"
    """The token of an op that fails to legalize."""


@dataclass(eq=False, slots=True)
class Handle:
    """A stream, event or unknown pointer that tokens of this function lower to."""

    kind: Kind
    value: SSAValue
    """The first token that lowers to this handle."""
    index: int
    """Position in `AsyncFunction.handles`."""
    op: Operation | None = None
    """The op that creates the stream or defines the token; None for arguments."""
    members: frozenset[Handle | Origin] = frozenset()
    """The handles and origins that an opaque handle may represent; for any other handle, only itself."""
    sources: tuple[Handle | Origin, ...] = ()
    """The handles and origins that flow directly into an opaque handle; empty for others."""
    tokens: list[SSAValue] = field(default_factory=list[SSAValue])
    """All tokens that lower to this handle, in program order."""
    waits: list[Wait] = field(default_factory=list["Wait"])
    """The waits that destroy the stream or event."""
    joins: list[AsyncOp] = field(default_factory=list["AsyncOp"])
    """Ops that an event orders after this stream: gpu.wait async, and launches with several dependencies."""
    enqueues: list[AsyncOp] = field(default_factory=list["AsyncOp"])
    """Ops that run on this stream."""
    escapes: list[Operation] = field(default_factory=list[Operation])
    """Ops through which the handle escapes: calls, returns, async.yield without an event, opaque ops."""
    lent: list[Operation] = field(default_factory=list[Operation])
    """Calls that use the stream or event without waiting on it, so that this function still has to wait."""
    callee_works: bool = False
    """Whether a callee enqueues work on this stream."""
    passed: list[Operation] = field(default_factory=list[Operation])
    """Ops that forward the token to an opaque handle of this function: branches, region yields, select."""

    @property
    def goes_on(self) -> bool:
        """Whether the token is forwarded to another handle, passed to a call, or escapes."""
        return bool(self.escapes or self.lent or self.passed)

    @property
    def is_given(self) -> bool:
        """Whether the handle is an argument of the function."""
        owner = self.value.owner
        if self.kind is not Kind.OPAQUE or not isinstance(owner, Block):
            return False
        around = owner.parent_op()
        return around is not None and around.name in FUNCTIONS and around.regions[0].blocks[0] is owner

    @property
    def given_as(self) -> str:
        """The kind of the argument as text: `event` if the function only waits on it, otherwise `stream`."""
        has_work = self.enqueues or self.callee_works or Origin.STREAM in self.members
        is_event = self.waits and not has_work
        return "event" if is_event else "stream"

    @property
    def is_stream(self) -> bool:
        """Whether gpu.wait treats the handle as a stream."""
        return self.kind is Kind.STREAM

    @property
    def is_passed_stream(self) -> bool:
        """Whether the handle is or may be a stream that gpu-to-llvm treats as an event (GA203)."""
        return self.kind is Kind.OPAQUE and Origin.STREAM in self.really

    @property
    def really(self) -> frozenset[Origin]:
        """The kinds of object that the handle may refer to at run time."""
        if self.kind is Kind.STREAM or self.kind is Kind.NULL:
            return frozenset({Origin.STREAM})
        return frozenset(m.only if isinstance(m, Handle) else m for m in self.members)

    @property
    def only(self) -> Origin:
        """The only kind of object that the handle may refer to at run time; UNKNOWN if there are several."""
        if self.kind is Kind.STREAM or self.kind is Kind.NULL:
            return Origin.STREAM
        kinds = self.really
        return next(iter(kinds)) if len(kinds) == 1 else Origin.UNKNOWN


@dataclass(eq=False, slots=True)
class AsyncOp:
    """An async op of the gpu dialect, with its lowering under the profile."""

    op: Operation
    name: str
    deps: tuple[SSAValue, ...]
    token: SSAValue | None
    """The token result, present if and only if the op is `async`."""
    order: int
    """Position in the function's text order."""
    rejections: tuple[Unmet, ...] = ()
    erased: bool = False
    """Whether the greedy rewrite erases the op before the conversion."""
    has_object: bool = False
    """Whether the op is a launch with an explicit stream, `<%stream : ...>`."""
    handle: Handle | None = None
    """The stream on which the op runs, or the handle of its token."""
    accesses: tuple[Access, ...] = ()
    is_dependent: bool = False
    """Whether the op is a launch with `use_pdl`, which may start before the previous kernel has finished."""
    waits_for_last: bool = False
    """Whether the launched kernel executes `griddepcontrol.wait`."""
    early: tuple[Access, ...] = ()
    """The kernel's accesses before `griddepcontrol.wait`; for dependent launches only."""
    late: tuple[Access, ...] = ()
    """The kernel's accesses that may follow `griddepcontrol.wait`; for dependent launches only."""

    @property
    def lowers(self) -> bool:
        """Whether a conversion pattern matches the op."""
        return not self.rejections and not self.erased


@dataclass(eq=False, slots=True)
class Wait:
    """One operand of an op that waits on a stream or event and destroys it."""

    op: Operation
    operand: int
    value: SSAValue
    handle: Handle
    blocking: bool = True
    """False for `gpu.wait async` and async.yield, which destroy without blocking the host."""
    site: int = -1
    """Position in `AsyncFunction.waits`, used as a bit in masks."""


@dataclass(eq=False, slots=True)
class Access:
    """An access to a buffer by an op."""

    op: Operation
    buffer: Buffer
    """The buffer of the memref, or a `Buffer` that represents all buffers that the memref may refer to."""
    mode: Mode
    value: SSAValue
    """The accessed memref."""
    region: Region
    """The accessed part of `buffer`."""
    host: bool = False
    sure: bool = True
    """Whether the effect is known; False if it is assumed for an unknown callee or kernel."""
    task: bool = False
    """Whether the host makes the access in a task: the body of an async.execute."""
    bit: int = -1
    """The access's bit in ordering masks.

    -1 for an access that finishes before the host continues and writes nothing."""
    handle: Handle | None = None
    runs: dict[SSAValue, Run] = field(default_factory=dict[SSAValue, Run])
    """The values of the induction variables that `region` depends on, if the op's access has all of them."""
    guard: Guard = ALWAYS
    """The condition under which a callee makes the access."""
    turn: int = 0
    """Position among the accesses of a callee, in their order of execution."""
    parts: tuple[Part, ...] | None = None
    """The parts of `region` that a kernel's threads touch; None if unknown."""
    side: Side | None = None
    """Whether the host or the device makes the access; None for the driver, or if unknown."""
    threads: Touching | None = None
    """The launch whose threads make the access; None without a launch, or if unknown."""
    dependent: Dependent | None = None
    """Whether the access is before or after `griddepcontrol.wait` of a dependent launch.

    Set only for checks of overlapping kernels."""

    @property
    def by_host(self) -> bool:
        """Whether host code makes the access; False for device work that a callee enqueues and waits for."""
        has_device_do_it = (
            self.side is not Side.HOST and self.mode in TOUCHING and callee_of(self.op) is not None
        )
        return self.host and not has_device_do_it

    @property
    def is_device_free(self) -> bool:
        """Whether the access is a gpu.dealloc, in this function or in a callee."""
        in_callee = self.side is not Side.HOST and callee_of(self.op) is not None
        return self.mode is Mode.FREE and (in_callee or not self.host)

    @property
    def all_parts(self) -> tuple[Part, ...]:
        """The parts of `region` that are accessed; the whole region if they are unknown."""
        return (whole_part(self.mode),) if self.parts is None else self.parts

    @property
    def symbols(self) -> tuple[SSAValue, ...]:
        """The SSA values that the accessed location depends on."""
        if not self.parts:
            return self.region.symbols
        values = (value for part in self.parts for value in part.symbols)
        return tuple(dict.fromkeys((*self.region.symbols, *values)))


class Dependent(Enum):
    """The phase of a kernel launched with `use_pdl`: before or after `griddepcontrol.wait`."""

    EARLY = "before it waits for the kernel before it"
    LATE = "after it waited for the kernel before it, which has not waited for those before"


class Action(Enum):
    """What a step of the lowered host program does."""

    DEFINE = "define"
    """Assigns an opaque handle."""
    CREATE = "create"
    """Calls mgpuStreamCreate."""
    FOLLOW = "follow"
    """Orders later work on a stream after other work.

    The placeholder stream of an unlowered op follows its dependencies, an explicit stream follows an
    event, and an event follows the stream on which it is recorded."""
    RECORD = "record"
    """Calls mgpuEventCreate and mgpuEventRecord."""
    AWAIT_EVENT = "await event"
    """Calls mgpuStreamWaitEvent on an event that this function recorded."""
    CONSUME = "consume"
    """Calls mgpuStreamWaitEvent and mgpuEventDestroy on an opaque handle."""
    ENQUEUE = "enqueue"
    """Enqueues work on a stream."""
    BLOCK = "block"
    """Synchronizes with a stream or event and destroys it, as gpu.wait does."""
    COMPLETE = "complete"
    """Runs work on a stream and makes the host wait for it."""
    HOST = "host"
    """Accesses memory from host code or through a synchronous runtime call."""
    YIELD = "yield"
    """Yields a token through async.yield."""
    ALLOCATE = "allocate"
    """Allocates a buffer of this function."""
    BEGIN_TASK = "begin task"
    """Begins the body of an async.execute, which runs concurrently with the following ops."""
    END_TASK = "end task"
    AWAIT_TASK = "await task"
    SYNCHRONIZE = "synchronize"
    """Makes the host wait for all device work."""
    WAIT = "wait"
    """Makes the host wait for a stream or an event without destroying it."""
    RENEW = "renew"
    """Redefines a value that `Place`s depend on."""


WORK = frozenset({Action.ENQUEUE, Action.COMPLETE})
"""Actions that access memory on a stream, without freeing any."""


@dataclass(eq=False, slots=True)
class Step:
    """An action of the lowered host program, with the op that causes it."""

    action: Action
    op: Operation
    handle: Handle | None = None
    other: Handle | None = None
    source: AsyncOp | None = None
    wait: Wait | None = None
    buffer: Buffer | None = None
    value: SSAValue | None = None
    """The value that `RENEW` defines again."""
    accesses: tuple[Access, ...] = ()
    event: int = -1
    operand: int | None = None
    after: tuple[int, ...] = ()
    """The slots of the tasks that have to finish before the step."""
    behind: tuple[Handle, ...] = ()
    """Streams whose current work has to finish before the step."""


class Turn(Enum):
    """Whether an edge begins or ends an iteration of a loop, and which one."""

    FIRST = "the first begins"
    NEXT = "one ends, the next begins"
    END = "the last ends"


@dataclass(eq=False, slots=True)
class Node:
    """A sequence of steps, and its outgoing edges."""

    index: int
    steps: list[Step] = field(default_factory=list[Step])
    edges: list[Edge] = field(default_factory=list["Edge"])
    ends: Operation | None = None
    """The op with which control leaves the function after the steps; None if it does not."""


@dataclass(eq=False, slots=True)
class Edge:
    """An edge between nodes; `when` describes its condition, and is empty for an unconditional edge."""

    target: Node
    when: str = ""
    back: bool = False
    passes: tuple[tuple[Handle, Handle], ...] = ()
    """Opaque handles assigned on this edge, as pairs of (handle, new value)."""
    moves: tuple[tuple[Buffer, Place], ...] = ()
    """Memrefs assigned on this edge that may refer to several buffers, as (memref, new `Place`)."""
    copies: tuple[tuple[SSAValue, SSAValue], ...] = ()
    """Integers assigned on this edge that conditions may test, as pairs of (value, new value)."""
    leaves: frozenset[Block] = frozenset()
    """Headers of the CFG loops that this edge leaves."""
    skips: Operation | None = None
    """The loop that this edge does not enter, or the call whose effects it skips."""
    test: Test | None = None
    """The constraint on a condition that holds on this edge; None if unknown."""
    iteration: tuple[Operation, Turn] | None = None
    """The loop in which this edge begins or ends an iteration, and which of the two it does."""


class Fault(Enum):
    """The kind of error in the lifetime of a stream or event."""

    DESTROYED_TWICE = "destroyed twice"
    USED_AFTER_DESTROY = "used after destroy"
    EVENT_DESTROYED_TWICE = "its event destroyed twice"
    """A join in a loop destroys its event in each iteration, but outside the loop it is recorded once."""
    EVENT_LEAKED = "its event never destroyed"
    """An event is recorded for a join, and a path does not reach the join."""
    LEAKED = "never destroyed"


@dataclass(eq=False, slots=True)
class HandleFault:
    """An error in the lifetime of a stream or event: the op, the wait that caused it, and the path."""

    fault: Fault
    handle: Handle
    op: Operation
    operand: int | None
    earlier: Wait | None
    path: str = ""
    certain: bool = True
    """Whether the fault happens on every path to the op."""


@dataclass(eq=False, slots=True)
class Race:
    """Two unordered accesses of one buffer, at least one of them a write."""

    first: Access
    second: Access
    path: str = ""


@dataclass(eq=False, slots=True)
class Unwritten:
    """A read of device memory that on some path no earlier access has written."""

    access: Access
    buffer: Buffer
    path: str = ""


@dataclass(eq=False, slots=True)
class LostBuffer:
    """Device memory that on some path is neither freed nor escapes."""

    buffer: Buffer
    op: Operation
    """The op at which the buffer leaks: a return, or the op that allocates it again."""
    path: str = ""


@dataclass(eq=False)
class AsyncFunction:
    """The model of one function under one profile, from which rules compute findings."""

    op: Operation
    name: str
    spans: SpanTable
    profile: Profile
    context: FileContext
    ops: list[AsyncOp] = field(default_factory=list[AsyncOp])
    """Async gpu ops, in text order, including those inside regions."""
    by_op: dict[Operation, AsyncOp] = field(default_factory=dict[Operation, AsyncOp])
    handles: list[Handle] = field(default_factory=list[Handle])
    tokens: dict[SSAValue, Handle] = field(default_factory=dict[SSAValue, Handle])
    objects: dict[SSAValue, Handle] = field(default_factory=dict[SSAValue, Handle])
    """Handles of pointers to streams and events."""
    waits: list[Wait] = field(default_factory=list[Wait])
    """All waits, in text order; those of async.yield come last."""
    buffers: list[Buffer] = field(default_factory=list[Buffer])
    names_of_memory: list[Buffer] = field(default_factory=list[Buffer])
    """The `Buffer`s that represent memrefs that may refer to one of several buffers."""
    made_of: dict[SSAValue, tuple[SSAValue, ...]] = field(
        default_factory=dict[SSAValue, tuple[SSAValue, ...]]
    )
    """Placeholder values that only regions of memory use, with the values that each depends on."""
    globals_of_callees: dict[SSAValue, str] = field(default_factory=dict[SSAValue, str])
    """Placeholder values for globals that only callees use, with the name of each global."""
    accesses: list[Access] = field(default_factory=list[Access])
    """Accesses in text order; the position is the bit in masks."""
    nodes: list[Node] = field(default_factory=list[Node])
    reached: set[Node] = field(default_factory=set[Node])
    """The nodes that some path reaches."""
    block_loops: dict[Block, frozenset[Block]] | None = field(default_factory=dict[Block, frozenset[Block]])
    """Per block, the headers of the CFG loops around it; None if the CFG is irreducible."""
    node_of: dict[Operation, Node] = field(default_factory=dict[Operation, Node])
    order: dict[Operation, int] = field(default_factory=dict[Operation, int])
    yields: list[tuple[Operation, int, Handle]] = field(default_factory=list[tuple[Operation, int, Handle]])
    """Token operands of async.yield, as (op, operand number, handle)."""
    faults: list[HandleFault] = field(default_factory=list[HandleFault])
    races: list[Race] = field(default_factory=list[Race])
    unwritten: list[Unwritten] = field(default_factory=list["Unwritten"])
    lost: list[LostBuffer] = field(default_factory=list["LostBuffer"])
    events: int = 0
    """The number of slots for events of joins and for tasks."""
    pending: dict[Operation, int] = field(default_factory=dict[Operation, int])
    """Per op with host accesses, the mask of accesses that may still be running."""
    written: dict[SSAValue, SSAValue] = field(default_factory=dict[SSAValue, SSAValue])
    """New values for operands changed by block merging, with the original operands."""
    launches: list[AsyncOp] = field(default_factory=list[AsyncOp])
    analyzed: bool = True
    """False if unparsable text makes the facts uncertain: rules about streams must then report nothing."""

    def note(self, wait: Wait) -> None:
        """Append `wait` to the waits of the function and of its handle, and number it."""
        wait.site = len(self.waits)
        self.waits.append(wait)
        wait.handle.waits.append(wait)

    @property
    def streams(self) -> list[Handle]:
        """The handles of streams that this function creates."""
        return [h for h in self.handles if h.kind is Kind.STREAM]

    @property
    def given(self) -> list[Handle]:
        """The handles of tokens that are arguments of this function."""
        return [h for h in self.handles if h.is_given]

    @cached_property
    def stream_numbers(self) -> dict[Handle, int]:
        """Position of each stream in `streams`."""
        return {handle: number for number, handle in enumerate(self.streams)}

    @property
    def names(self) -> frozenset[str]:
        """Names of all values in the item's text, without `%`."""
        return names_in(self.spans.text)

    @property
    def numbers(self) -> list[int]:
        """The value names in the item's text that are numbers, in ascending order."""
        return _numbers(self.spans.text)

    @cached_property
    def other_names(self) -> dict[Handle, list[Handle]]:
        """Per handle, the opaque handles that may alias it."""
        found: dict[Handle, list[Handle]] = {}
        for handle in self.handles:
            for member in handle.members:
                if isinstance(member, Handle) and member is not handle:
                    found.setdefault(member, []).append(handle)
        return found

    @cached_property
    def rejected(self) -> list[AsyncOp]:
        """The ops that the conversion rejects."""
        return [op for op in self.ops if op.rejections]

    @cached_property
    def unconverted(self) -> frozenset[Handle]:
        """Handles that unlowered ops depend on."""
        return frozenset(self.tokens[dep] for op in self.ops if op.rejections for dep in op.deps)

    @cached_property
    def frees(self) -> dict[Buffer, list[Operation]]:
        """Per buffer, the ops that free it, in text order."""
        found: dict[Buffer, list[Operation]] = {}
        for access in self.accesses:
            if access.mode is Mode.FREE and access.op not in (ops := found.setdefault(access.buffer, [])):
                ops.append(access.op)
        return found

    @cached_property
    def returns(self) -> list[Operation]:
        """The ops that leave the function."""
        return [op for op in self.order if op.name == "func.return"]

    def each_of(self, mask: int) -> Iterator[Access]:
        """Yield the accesses whose bits `mask` contains, in text order."""
        return map(self.accesses.__getitem__, bits_of(mask))

    def is_reached(self, op: Operation) -> bool:
        """Return whether some path reaches `op`, according to the known conditions."""
        return self.node_of.get(op) in self.reached

    def is_before(self, first: Operation, second: Operation) -> bool:
        """Return whether `first` precedes `second` in the text; in one block, this is the execution order.

        This takes constant time, while xDSL's `is_before_in_block` walks the block.
        """
        return self.order[first] < self.order[second]

    def handle(self, value: SSAValue) -> Handle | None:
        """Return the handle that `value` lowers to, or None if it is not a token of this function."""
        return self.tokens.get(value)

    def stream_of(self, value: SSAValue) -> Handle | None:
        """Return the handle of a token, or of a pointer to a stream or event; None if unknown."""
        return self.tokens.get(value) or self.objects.get(value)

    def span_name(self, value: SSAValue) -> str:
        """Return the name of `value` as written, or `the result of OP` if it has no name.

        For a global that only callees use, return the symbol.
        """
        if value in self.globals_of_callees:
            return self.globals_of_callees[value]
        written = self.written.get(value, value)
        owner = written.owner
        if self.spans.result(written) is None and isinstance(owner, Operation):
            return f"the result of {owner.name}"
        return self.spans.value_name(written)

    def block_of(self, value: SSAValue) -> Block | None:
        """Return the block that contains the definition of `value`."""
        owner = value.owner
        return owner if isinstance(owner, Block) else owner.parent


@lru_cache(maxsize=4)
def names_in(text: str) -> frozenset[str]:
    """Return all value names in `text`, without `%`, including those in comments."""
    return frozenset(_NAME.findall(text))


@lru_cache(maxsize=4)
def _numbers(text: str) -> list[int]:
    return sorted(int(name) for name in names_in(text) if name.isdecimal())


def bits_of(mask: int) -> Iterator[int]:
    """Yield the numbers of the set bits, lowest first."""
    if not mask & (mask - 1):  # Most masks have at most one bit.
        if mask:
            yield mask.bit_length() - 1
        return
    digits = bin(mask)[:1:-1]
    bit = digits.find("1")
    while bit >= 0:
        yield bit
        bit = digits.find("1", bit + 1)
