"""Model of one function's tokens, streams, events and buffers, as one LLVM version lowers it.

`AsyncFunction` is built once per function and profile (`building/`), then run abstractly (`flow/`,
`conclusions.py`). Rules, hints, hover and the stream view only read it. Nothing here changes IR.
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
from gpuasync_lsp.analysis.model.terms import TOUCHING, Mode, Origin, Side
from gpuasync_lsp.preconditions import Unmet
from gpuasync_lsp.releases import Profile
from gpuasync_lsp.syntax.spans import SpanTable
from gpuasync_lsp.text.cached_property import cached_property

FUNCTIONS = ("func.func", "llvm.func")
"""Ops whose entry block arguments are the function's parameters."""
_NAME = re.compile(r"%([A-Za-z_$.-][\w$.-]*|\d+)")


class Kind(Enum):
    """The kind of a token's lowered value. gpu-to-llvm decides by the op that defines the value."""

    STREAM = "stream"
    """Defined by a call to mgpuStreamCreate in this function."""
    NULL = "null stream"
    """An async alloc or dealloc without dependency (23 and later)."""
    OPAQUE = "event"
    """Anything else, as a block argument or a call result. gpu.wait treats it as an event."""
    OBJECT = "stream object"
    """A pointer to a stream or an event that is no token: the operand of a launch in `<...>`."""
    LEFT = "unlowered"
    """The token of an unlowered op."""


@dataclass(eq=False, slots=True)
class Handle:
    """A stream, event or unknown pointer that tokens of this function lower to."""

    kind: Kind
    value: SSAValue
    """The first token that lowers to this handle."""
    index: int
    """Number in the function, in order of creation."""
    op: Operation | None = None
    """The op that creates it; None for arguments."""
    members: frozenset[Handle | Origin] = frozenset()
    """For an opaque handle: the handles and kinds that it may be. For others: itself."""
    sources: tuple[Handle | Origin, ...] = ()
    """For an opaque handle: the handles that flow into it directly."""
    tokens: list[SSAValue] = field(default_factory=list[SSAValue])
    """All tokens that lower to it, in program order."""
    waits: list[Wait] = field(default_factory=list["Wait"])
    """The waits that destroy it."""
    joins: list[AsyncOp] = field(default_factory=list["AsyncOp"])
    """Ops ordered after it by an event: gpu.wait async, and launches with several dependencies."""
    enqueues: list[AsyncOp] = field(default_factory=list["AsyncOp"])
    """Ops that run on it."""
    escapes: list[Operation] = field(default_factory=list[Operation])
    """Ops through which it escapes: calls, returns, raw yields, opaque ops."""
    lent: list[Operation] = field(default_factory=list[Operation])
    """Calls that use it and leave it to this function to wait on it."""
    callee_works: bool = False
    """Whether a callee puts work on it."""
    passed: list[Operation] = field(default_factory=list[Operation])
    """Ops that forward it to an opaque handle inside the function: branches, region yields, select."""

    @property
    def goes_on(self) -> bool:
        """Whether it is forwarded to another handle, or escapes."""
        return bool(self.escapes or self.lent or self.passed)

    @property
    def is_given(self) -> bool:
        """Whether it is an argument of the function."""
        owner = self.value.owner
        if self.kind is not Kind.OPAQUE or not isinstance(owner, Block):
            return False
        around = owner.parent_op()
        return around is not None and around.name in FUNCTIONS and around.regions[0].blocks[0] is owner

    @property
    def given_as(self) -> str:
        """The caller's object: an `event` if the function only waits on it, else a `stream`."""
        has_work = self.enqueues or self.callee_works or Origin.STREAM in self.members
        is_event = self.waits and not has_work
        return "event" if is_event else "stream"

    @property
    def is_stream(self) -> bool:
        """Whether gpu.wait treats it as a stream."""
        return self.kind is Kind.STREAM

    @property
    def really(self) -> frozenset[Origin]:
        """The kinds of object that it may be at run time."""
        if self.kind is Kind.STREAM or self.kind is Kind.NULL:
            return frozenset({Origin.STREAM})
        return frozenset(m.only if isinstance(m, Handle) else m for m in self.members)

    @property
    def only(self) -> Origin:
        """The only kind of object that it may be at run time, or unknown."""
        if self.kind is Kind.STREAM or self.kind is Kind.NULL:
            return Origin.STREAM
        kinds = self.really
        return next(iter(kinds)) if len(kinds) == 1 else Origin.UNKNOWN


@dataclass(eq=False, slots=True)
class AsyncOp:
    """An op of the gpu dialect that takes part in streams, with how it lowers under the profile."""

    op: Operation
    name: str
    deps: tuple[SSAValue, ...]
    token: SSAValue | None
    """The token result, present if and only if the op is `async`."""
    order: int
    """Position in the function's text order."""
    rejections: tuple[Unmet, ...] = ()
    erased: bool = False
    """Removed by the greedy rewrite before the conversion."""
    has_object: bool = False
    """Whether it is a launch with a stream object, `<%stream : ...>`."""
    handle: Handle | None = None
    """The stream it runs on, or the handle of its token."""
    accesses: tuple[Access, ...] = ()
    is_dependent: bool = False
    """Whether it is a launch with `use_pdl`, which may start before the previous kernel has finished."""
    waits_for_last: bool = False
    """Whether its kernel waits for the previous one."""
    early: tuple[Access, ...] = ()
    """The kernel's accesses before that wait; for dependent launches only."""
    late: tuple[Access, ...] = ()
    """The accesses that may come after the wait; for dependent launches only."""

    @property
    def lowers(self) -> bool:
        """Whether a conversion pattern matches it."""
        return not self.rejections and not self.erased


@dataclass(eq=False, slots=True)
class Wait:
    """One operand of a blocking gpu.wait: one synchronize and one destroy."""

    op: Operation
    operand: int
    value: SSAValue
    handle: Handle
    blocking: bool = True
    """False for `gpu.wait async` and async.yield, which destroy without blocking the host."""
    site: int = -1
    """Number among the function's waits, for masks."""


@dataclass(eq=False, slots=True)
class Access:
    """An access of a buffer by an op."""

    op: Operation
    buffer: Buffer
    """The buffer of the memref; may be a name."""
    mode: Mode
    value: SSAValue
    """The accessed memref."""
    region: Region
    """The accessed part of `buffer`."""
    host: bool = False
    sure: bool = True
    """Whether the effect is known, not assumed for an unknown callee or kernel."""
    task: bool = False
    """Whether the host accesses it in a task: the body of an async.execute."""
    bit: int = -1
    """Number among the accesses, for the ordering masks; -1 for an access that finishes before the host
    continues and writes nothing."""
    handle: Handle | None = None
    runs: dict[SSAValue, Run] = field(default_factory=dict[SSAValue, Run])
    """Induction variables that `region` depends on and that take all their values at the op."""
    guard: Guard = ALWAYS
    """The condition under which a callee makes the access."""
    turn: int = 0
    """Position among the accesses of a callee."""
    parts: tuple[Part, ...] | None = None
    """The parts of `region` that a kernel's threads touch; None if unknown."""
    side: Side | None = None
    """The side that accesses; None for the driver, or if unknown."""
    threads: Touching | None = None
    """The launch whose threads access it; None if there is none, or it is unknown."""
    dependent: Dependent | None = None
    """Whether it is before or after the wait of a dependent launch; only set in checks of overlapping
    kernels."""

    @property
    def by_host(self) -> bool:
        """Whether the host accesses it directly; not so for device work of a callee that the callee waits
        for."""
        has_device_do_it = (
            self.side is not Side.HOST and self.mode in TOUCHING and callee_of(self.op) is not None
        )
        return self.host and not has_device_do_it

    @property
    def is_device_free(self) -> bool:
        """Whether it is a gpu.dealloc, here or in a callee."""
        in_callee = self.side is not Side.HOST and callee_of(self.op) is not None
        return self.mode is Mode.FREE and (in_callee or not self.host)

    @property
    def all_parts(self) -> tuple[Part, ...]:
        """The parts of `region` that are touched; all of it if unknown."""
        return (whole_part(self.mode),) if self.parts is None else self.parts

    @property
    def symbols(self) -> tuple[SSAValue, ...]:
        """The values that its place depends on."""
        if not self.parts:
            return self.region.symbols
        values = (value for part in self.parts for value in part.symbols)
        return tuple(dict.fromkeys((*self.region.symbols, *values)))


class Dependent(Enum):
    """The phase of a kernel launched with `use_pdl`: before or after its wait."""

    EARLY = "before it waits for the kernel before it"
    LATE = "after it waited for the kernel before it, which has not waited for those before"


class Action(Enum):
    """One step of the lowered host program."""

    DEFINE = "define"
    """An opaque handle is assigned."""
    CREATE = "create"
    """mgpuStreamCreate."""
    FOLLOW = "follow"
    """Later work on a stream is ordered after other work: on the placeholder of an unlowered op after its
    dependencies, on a stream object after an event. An event follows the stream it is recorded on."""
    RECORD = "record"
    """mgpuEventCreate and mgpuEventRecord."""
    AWAIT_EVENT = "await event"
    """mgpuStreamWaitEvent on an event that this function recorded."""
    CONSUME = "consume"
    """mgpuStreamWaitEvent and mgpuEventDestroy on an opaque handle."""
    ENQUEUE = "enqueue"
    """Work on a stream."""
    BLOCK = "block"
    """Synchronize and destroy, by gpu.wait."""
    COMPLETE = "complete"
    """The host waits for a stream that the op itself creates."""
    HOST = "host"
    """Host code, or a synchronous runtime call, accesses memory."""
    YIELD = "yield"
    """async.yield of a token."""
    ALLOCATE = "allocate"
    """A buffer of this function is allocated."""
    BEGIN_TASK = "begin task"
    """The body of an async.execute runs concurrently with the following ops."""
    END_TASK = "end task"
    AWAIT_TASK = "await task"
    SYNCHRONIZE = "synchronize"
    """The host waits for all device work."""
    WAIT = "wait"
    """The host waits for a stream or an event without destroying it."""
    RENEW = "renew"
    """A value that places depend on changes."""


WORK = frozenset({Action.ENQUEUE, Action.COMPLETE})
"""Actions on a stream that access memory and free none."""


@dataclass(eq=False, slots=True)
class Step:
    """An action with its op."""

    action: Action
    op: Operation
    handle: Handle | None = None
    other: Handle | None = None
    source: AsyncOp | None = None
    wait: Wait | None = None
    buffer: Buffer | None = None
    value: SSAValue | None = None
    """The value that changes."""
    accesses: tuple[Access, ...] = ()
    event: int = -1
    operand: int | None = None
    after: tuple[int, ...] = ()
    """Tasks that have to finish first."""
    behind: tuple[Handle, ...] = ()
    """Streams whose current work has to finish first."""


class Turn(Enum):
    """The effect of an edge on the iterations of a loop."""

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
    """The op that leaves the function here."""


@dataclass(eq=False, slots=True)
class Edge:
    """An edge between nodes; `when` describes its condition, empty if it is unconditional."""

    target: Node
    when: str = ""
    back: bool = False
    passes: tuple[tuple[Handle, Handle], ...] = ()
    """Opaque handles assigned on this edge, as (handle, its new value)."""
    moves: tuple[tuple[Buffer, Place], ...] = ()
    """Names for memory assigned on this edge, as (name, its new place)."""
    copies: tuple[tuple[SSAValue, SSAValue], ...] = ()
    """Integers assigned on this edge that may be conditions, as (value, its new value)."""
    leaves: frozenset[Block] = frozenset()
    """Headers of the loops of blocks that it leaves."""
    skips: Operation | None = None
    """The loop that is not entered on this edge, or the call that has no effect on it."""
    test: Test | None = None
    """The constraint on a condition if control takes this edge."""
    iteration: tuple[Operation, Turn] | None = None
    """The loop whose iteration begins or ends on this edge, and whether it begins or ends."""


class Fault(Enum):
    """A fault of a handle."""

    DESTROYED_TWICE = "destroyed twice"
    USED_AFTER_DESTROY = "used after destroy"
    EVENT_DESTROYED_TWICE = "its event destroyed twice"
    """The event recorded for a join where the token is defined, outside of the join's loop."""
    EVENT_LEAKED = "its event never destroyed"
    """The same event, on a path that does not reach the join."""
    LEAKED = "never destroyed"


@dataclass(eq=False, slots=True)
class HandleFault:
    """A fault of a handle, with its op, the wait that caused it, and the path."""

    fault: Fault
    handle: Handle
    op: Operation
    operand: int | None
    earlier: Wait | None
    path: str = ""
    certain: bool = True
    """Whether every path that arrives has the fault."""


@dataclass(eq=False, slots=True)
class Race:
    """Two unordered accesses of one buffer, at least one of them a write."""

    first: Access
    second: Access
    path: str = ""


@dataclass(eq=False, slots=True)
class Unwritten:
    """A read of device memory that is unwritten on some path."""

    access: Access
    buffer: Buffer
    path: str = ""


@dataclass(eq=False, slots=True)
class LostBuffer:
    """Device memory that is not freed on some path and does not escape."""

    buffer: Buffer
    op: Operation
    """The op that loses it: a return, or the op that allocates it again."""
    path: str = ""


@dataclass(eq=False)
class AsyncFunction:
    """The model of one function under one profile, for the rules."""

    op: Operation
    name: str
    spans: SpanTable
    profile: Profile
    context: FileContext
    ops: list[AsyncOp] = field(default_factory=list[AsyncOp])
    """Ops with streams, in text order, including those inside regions."""
    by_op: dict[Operation, AsyncOp] = field(default_factory=dict[Operation, AsyncOp])
    handles: list[Handle] = field(default_factory=list[Handle])
    tokens: dict[SSAValue, Handle] = field(default_factory=dict[SSAValue, Handle])
    objects: dict[SSAValue, Handle] = field(default_factory=dict[SSAValue, Handle])
    """Pointers to streams and events."""
    waits: list[Wait] = field(default_factory=list[Wait])
    """In text order; those of async.yield come last."""
    buffers: list[Buffer] = field(default_factory=list[Buffer])
    names_of_memory: list[Buffer] = field(default_factory=list[Buffer])
    """Names for memory: values that may refer to one of several buffers."""
    made_of: dict[SSAValue, tuple[SSAValue, ...]] = field(
        default_factory=dict[SSAValue, tuple[SSAValue, ...]]
    )
    """Placeholder values that only regions of memory use, with the values that they depend on."""
    globals_of_callees: dict[SSAValue, str] = field(default_factory=dict[SSAValue, str])
    """Placeholder values for globals that only callees use, with their symbols."""
    accesses: list[Access] = field(default_factory=list[Access])
    """By bit number, in text order."""
    nodes: list[Node] = field(default_factory=list[Node])
    reached: set[Node] = field(default_factory=set[Node])
    """The nodes that some path reaches."""
    block_loops: dict[Block, frozenset[Block]] | None = field(default_factory=dict[Block, frozenset[Block]])
    """Per block the headers of the loops around it; None if the CFG is irreducible."""
    node_of: dict[Operation, Node] = field(default_factory=dict[Operation, Node])
    order: dict[Operation, int] = field(default_factory=dict[Operation, int])
    yields: list[tuple[Operation, int, Handle]] = field(default_factory=list[tuple[Operation, int, Handle]])
    """async.yield operands that are tokens."""
    faults: list[HandleFault] = field(default_factory=list[HandleFault])
    races: list[Race] = field(default_factory=list[Race])
    unwritten: list[Unwritten] = field(default_factory=list["Unwritten"])
    lost: list[LostBuffer] = field(default_factory=list["LostBuffer"])
    events: int = 0
    """The number of events recorded for joins."""
    pending: dict[Operation, int] = field(default_factory=dict[Operation, int])
    """Per host op: the device accesses that may still be running, as a mask."""
    written: dict[SSAValue, SSAValue] = field(default_factory=dict[SSAValue, SSAValue])
    """Replacements for operands where blocks are merged, with the original operands."""
    launches: list[AsyncOp] = field(default_factory=list[AsyncOp])
    analysed: bool = True
    """False where unreadable text makes the facts unsure: rules about streams stay silent."""

    def note(self, wait: Wait) -> None:
        """Number `wait`, and append it to the waits of the function and of its handle."""
        wait.site = len(self.waits)
        self.waits.append(wait)
        wait.handle.waits.append(wait)

    @property
    def streams(self) -> list[Handle]:
        """Streams that this function creates."""
        return [h for h in self.handles if h.kind is Kind.STREAM]

    @property
    def given(self) -> list[Handle]:
        """Streams and events that are arguments."""
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
        """The numeric ones of `names`, smallest first."""
        return _numbers(self.spans.text)

    @cached_property
    def other_names(self) -> dict[Handle, list[Handle]]:
        """Per handle: the opaque handles that may alias it."""
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
        """Per buffer: the ops that free it, in text order."""
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
        """Yield the accesses in `mask`, in text order."""
        return map(self.accesses.__getitem__, bits_of(mask))

    def is_reached(self, op: Operation) -> bool:
        """Return whether some path reaches `op`, as far as conditions are known."""
        return self.node_of.get(op) in self.reached

    def is_before(self, first: Operation, second: Operation) -> bool:
        """Return whether `first` precedes `second` in the text, which within a block is execution order.

        Constant time, while xDSL's `is_before_in_block` walks the block.
        """
        return self.order[first] < self.order[second]

    def handle(self, value: SSAValue) -> Handle | None:
        """Return the handle that `value` lowers to, or None if it is no token of this function."""
        return self.tokens.get(value)

    def stream_of(self, value: SSAValue) -> Handle | None:
        """Return the stream or event of a token or pointer; None if it is not known here."""
        return self.tokens.get(value) or self.objects.get(value)

    def span_name(self, value: SSAValue) -> str:
        """Return the name of `value` as written, or `the result of gpu.wait` if it has no name.

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
        """Return the block that defines `value`."""
        owner = value.owner
        return owner if isinstance(owner, Block) else owner.parent


@lru_cache(maxsize=4)
def names_in(text: str) -> frozenset[str]:
    """Return everything in `text` that looks like a value name, in comments too, without `%`."""
    return frozenset(_NAME.findall(text))


@lru_cache(maxsize=4)
def _numbers(text: str) -> list[int]:
    return sorted(int(name) for name in names_in(text) if name.isdecimal())


def bits_of(mask: int) -> Iterator[int]:
    """Yield the numbers of the set bits, lowest first."""
    if not mask & (mask - 1):  # one at most, as most masks have
        if mask:
            yield mask.bit_length() - 1
        return
    digits = bin(mask)[:1:-1]
    bit = digits.find("1")
    while bit >= 0:
        yield bit
        bit = digits.find("1", bit + 1)
