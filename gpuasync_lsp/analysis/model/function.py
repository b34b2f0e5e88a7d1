"""What one function does with tokens, streams, events and buffers, as one LLVM version lowers it.

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
"""Ops whose first block has the arguments that a caller gives."""
_NAME = re.compile(r"%([A-Za-z_$.-][\w$.-]*|\d+)")


class Kind(Enum):
    """What a token's lowered value is, as gpu-to-llvm decides it: by the op that defines the value."""

    STREAM = "stream"
    """Defined by a call to mgpuStreamCreate in this function."""
    NULL = "null stream"
    """An async alloc or dealloc without dependency (23 and later)."""
    OPAQUE = "event"
    """Anything else, a block argument or a call result for instance. gpu.wait takes it for an event."""
    OBJECT = "stream object"
    """A pointer to a stream, or an event, that is not a token: what a launch names in `<...>`."""
    LEFT = "unconverted"
    """The token of an op that stays unlowered."""


@dataclass(eq=False, slots=True)
class Handle:
    """One stream, event or unknown pointer that tokens of this function lower to."""

    kind: Kind
    value: SSAValue
    """The first token that has this handle."""
    index: int
    """Number in the function, in order of creation."""
    op: Operation | None = None
    """The op that creates it; None for arguments."""
    members: frozenset[Handle | Origin] = frozenset()
    """For an opaque handle: what it may really be. For others: itself."""
    sources: tuple[Handle | Origin, ...] = ()
    """For an opaque handle: what it gets its value from, one step back."""
    tokens: list[SSAValue] = field(default_factory=list[SSAValue])
    """Every token of this handle, in program order."""
    waits: list[Wait] = field(default_factory=list["Wait"])
    """What destroys it."""
    joins: list[AsyncOp] = field(default_factory=list["AsyncOp"])
    """Ops ordered after it by an event: gpu.wait async, and launches with several dependencies."""
    enqueues: list[AsyncOp] = field(default_factory=list["AsyncOp"])
    """Ops that run on it."""
    escapes: list[Operation] = field(default_factory=list[Operation])
    """Ops that hand it out of sight: calls, returns, raw yields, opaque ops."""
    lent: list[Operation] = field(default_factory=list[Operation])
    """Calls that use it, and leave it to this function to wait for it."""
    passed: list[Operation] = field(default_factory=list[Operation])
    """Ops that pass it on inside the function, into an opaque handle: branches, region yields, select."""

    @property
    def goes_on(self) -> bool:
        """Whether it is known by another name somewhere, or by somebody else."""
        return bool(self.escapes or self.lent or self.passed)

    @property
    def is_given(self) -> bool:
        """Whether the caller gives it to the function, as an argument."""
        owner = self.value.owner
        if self.kind is not Kind.OPAQUE or not isinstance(owner, Block):
            return False
        around = owner.parent_op()
        return around is not None and around.name in FUNCTIONS and around.regions[0].blocks[0] is owner

    @property
    def given_as(self) -> str:
        """What of the caller's it is: an `event` where the function only waits for it, else a `stream`."""
        is_event = self.waits and not self.enqueues and Origin.STREAM not in self.members
        return "event" if is_event else "stream"

    @property
    def is_stream(self) -> bool:
        """Whether gpu.wait treats it as a stream."""
        return self.kind is Kind.STREAM

    @property
    def really(self) -> frozenset[Origin]:
        """The kinds of thing that it may be at run time."""
        if self.kind is Kind.STREAM or self.kind is Kind.NULL:
            return frozenset({Origin.STREAM})
        return frozenset(m.only if isinstance(m, Handle) else m for m in self.members)

    @property
    def only(self) -> Origin:
        """The one kind of thing that it is at run time, or unknown."""
        if self.kind is Kind.STREAM or self.kind is Kind.NULL:
            return Origin.STREAM
        kinds = self.really
        return next(iter(kinds)) if len(kinds) == 1 else Origin.UNKNOWN


@dataclass(eq=False, slots=True)
class AsyncOp:
    """An op of the gpu dialect that takes part in streams, with what the profile makes of it."""

    op: Operation
    name: str
    deps: tuple[SSAValue, ...]
    token: SSAValue | None
    """The token result, which is present exactly if the op is written with `async`."""
    order: int
    """Position in the function's text order."""
    rejections: tuple[Unmet, ...] = ()
    erased: bool = False
    """Removed by the greedy rewrite before the conversion."""
    has_object: bool = False
    """Whether a launch names the stream object that it is to run on, `<%stream : ...>`."""
    handle: Handle | None = None
    """The stream it runs on, or what its token becomes."""
    accesses: tuple[Access, ...] = ()
    is_dependent: bool = False
    """Whether it is a launch that may start before the kernel before it is done (`use_pdl`)."""
    waits_for_last: bool = False
    """Whether its kernel waits for that one."""
    early: tuple[Access, ...] = ()
    """What its kernel does before that wait; of a dependent launch only."""
    late: tuple[Access, ...] = ()
    """What it does, as far as that may be after the wait; of a dependent launch only."""

    @property
    def lowers(self) -> bool:
        """Whether a pattern converts it."""
        return not self.rejections and not self.erased


@dataclass(eq=False, slots=True)
class Wait:
    """One operand of a blocking gpu.wait: one synchronize and one destroy."""

    op: Operation
    operand: int
    value: SSAValue
    handle: Handle
    blocking: bool = True
    """False for `gpu.wait async` and async.yield, which destroy without the host waiting."""
    site: int = -1
    """Number among the waits of the function, for masks."""


@dataclass(eq=False, slots=True)
class Access:
    """One op touching one buffer."""

    op: Operation
    buffer: Buffer
    """What the memref is a view of; may be a name."""
    mode: Mode
    value: SSAValue
    """The memref through which it happens."""
    region: Region
    """The part of `buffer`."""
    host: bool = False
    sure: bool = True
    """Whether the effect is known, not assumed of an unknown callee or kernel."""
    task: bool = False
    """Whether the host does it in a task of its own: the body of an async.execute."""
    bit: int = -1
    """Number among the accesses, for the ordering masks; -1 for what is done before the host goes on and
    writes nothing."""
    handle: Handle | None = None
    runs: dict[SSAValue, Run] = field(default_factory=dict[SSAValue, Run])
    """Loop counters that `region` depends on and that take all their values at the op."""
    guard: Guard = ALWAYS
    """On which condition a callee does it."""
    turn: int = 0
    """Which of the things that a callee does it is, in their order."""
    parts: tuple[Part, ...] | None = None
    """What of `region` the threads of a kernel touch; None where that is not known."""
    side: Side | None = None
    """What touches it; None for the driver, and where that is not known."""
    threads: Touching | None = None
    """By which threads a kernel does it; None where it is none, or that is not known."""
    dependent: Dependent | None = None
    """Of a dependent launch, in a check of what runs next to it: whether it is done before its wait."""

    @property
    def by_host(self) -> bool:
        """Whether the host does it itself: what a callee has the device do, and waits for, it does not."""
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
        """What of `region` is touched, as far as that is known."""
        return (whole_part(self.mode),) if self.parts is None else self.parts

    @property
    def symbols(self) -> tuple[SSAValue, ...]:
        """The values that the place depends on."""
        if not self.parts:
            return self.region.symbols
        values = (value for part in self.parts for value in part.symbols)
        return tuple(dict.fromkeys((*self.region.symbols, *values)))


class Dependent(Enum):
    """When a kernel that is launched with `use_pdl` does something."""

    EARLY = "before it waits for the kernel before it"
    LATE = "after it waited for the kernel before it, which has not waited for those before"


class Action(Enum):
    """One step of the lowered host program."""

    DEFINE = "define"
    """An opaque handle gets its value."""
    CREATE = "create"
    """mgpuStreamCreate."""
    FOLLOW = "follow"
    """What comes next on a stream begins after others: on the placeholder of an unlowered op after its
    dependencies, on a stream object after an event. An event is after what it is recorded on."""
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
    """The host waits for a stream of the op's own."""
    HOST = "host"
    """Host code, or a runtime call that is done when it returns, touches memory."""
    YIELD = "yield"
    """async.yield of a token."""
    ALLOCATE = "allocate"
    """A buffer of this function comes to be."""
    BEGIN_TASK = "begin task"
    """The body of an async.execute runs next to what follows it."""
    END_TASK = "end task"
    AWAIT_TASK = "await task"
    SYNCHRONIZE = "synchronize"
    """The host waits for all of the device."""
    WAIT = "wait"
    """The host waits for a stream or an event, which stays what it is."""
    RENEW = "renew"
    """A value that places in memory depend on gets a new value."""


WORK = frozenset({Action.ENQUEUE, Action.COMPLETE})
"""What an op does with a stream that works on memory and frees none."""


@dataclass(eq=False, slots=True)
class Step:
    """An action with the op it comes from."""

    action: Action
    op: Operation
    handle: Handle | None = None
    other: Handle | None = None
    source: AsyncOp | None = None
    wait: Wait | None = None
    buffer: Buffer | None = None
    value: SSAValue | None = None
    """What is renewed."""
    accesses: tuple[Access, ...] = ()
    event: int = -1
    operand: int | None = None
    after: tuple[int, ...] = ()
    """Tasks that have to be done first."""
    behind: tuple[Handle, ...] = ()
    """Streams whose work so far has to be done first."""


class Turn(Enum):
    """What becomes of the iterations of a loop on an edge."""

    FIRST = "the first begins"
    NEXT = "one ends, the next begins"
    END = "the last ends"


@dataclass(eq=False, slots=True)
class Node:
    """A straight run of steps and where control goes after it."""

    index: int
    steps: list[Step] = field(default_factory=list[Step])
    edges: list[Edge] = field(default_factory=list["Edge"])
    ends: Operation | None = None
    """The op that leaves the function here."""


@dataclass(eq=False, slots=True)
class Edge:
    """An edge from one node to another; `when` describes the condition, empty if there is none."""

    target: Node
    when: str = ""
    back: bool = False
    passes: tuple[tuple[Handle, Handle], ...] = ()
    """Opaque handles that get their value on this way, each with what it gets."""
    moves: tuple[tuple[Buffer, Place], ...] = ()
    """Names for memory that get theirs, each with what it gets."""
    copies: tuple[tuple[SSAValue, SSAValue], ...] = ()
    """Integers that may be conditions and get their value on this way, each with what it gets."""
    of_branch: bool = False
    """Whether it is one of a branch between blocks, not of a structured op."""
    leaves: frozenset[Block] = frozenset()
    """The heads of the loops of blocks that it leaves."""
    skips: Operation | None = None
    """The loop that does not run where control goes this way, or the call that does nothing here."""
    test: Test | None = None
    """The constraint on a condition if control takes this edge."""
    iteration: tuple[Operation, Turn] | None = None
    """The loop of which an iteration begins or ends on this way, and which."""


class Fault(Enum):
    """What can go wrong with a handle."""

    DESTROYED_TWICE = "destroyed twice"
    USED_AFTER_DESTROY = "used after destroy"
    EVENT_DESTROYED_TWICE = "its event destroyed twice"
    """The event that a join records where the token is defined, outside of the loop that the join is in."""
    EVENT_LEAKED = "its event never destroyed"
    """The same event, on a path that does not come to the join."""
    LEAKED = "never destroyed"


@dataclass(eq=False, slots=True)
class HandleFault:
    """A fault of a handle, where it shows, which earlier wait is to blame, and on which path."""

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
    """Two accesses of one buffer, one of them a write, without order between them."""

    first: Access
    second: Access
    path: str = ""


@dataclass(eq=False, slots=True)
class Unwritten:
    """A read of device memory that nothing has written on some path."""

    access: Access
    buffer: Buffer
    path: str = ""


@dataclass(eq=False, slots=True)
class LostBuffer:
    """Device memory that is not freed on some path and does not escape."""

    buffer: Buffer
    op: Operation
    """Where it is lost: a return, or the op that allocates it again."""
    path: str = ""


@dataclass(eq=False)
class AsyncFunction:
    """Everything the rules ask about one function under one profile."""

    op: Operation
    name: str
    spans: SpanTable
    profile: Profile
    context: FileContext
    ops: list[AsyncOp] = field(default_factory=list[AsyncOp])
    """Ops with streams, in text order, those inside regions included."""
    by_op: dict[Operation, AsyncOp] = field(default_factory=dict[Operation, AsyncOp])
    handles: list[Handle] = field(default_factory=list[Handle])
    tokens: dict[SSAValue, Handle] = field(default_factory=dict[SSAValue, Handle])
    objects: dict[SSAValue, Handle] = field(default_factory=dict[SSAValue, Handle])
    """Pointers to streams and events."""
    waits: list[Wait] = field(default_factory=list[Wait])
    """In the order of the text; those of async.yield come last."""
    buffers: list[Buffer] = field(default_factory=list[Buffer])
    names_of_memory: list[Buffer] = field(default_factory=list[Buffer])
    """Names for one of several buffers."""
    made_of: dict[SSAValue, tuple[SSAValue, ...]] = field(
        default_factory=dict[SSAValue, tuple[SSAValue, ...]]
    )
    """Values that only regions of memory have, each with the values of the function it depends on."""
    globals_of_callees: dict[SSAValue, str] = field(default_factory=dict[SSAValue, str])
    """Values that stand for globals that only callees mention, each with the symbol."""
    accesses: list[Access] = field(default_factory=list[Access])
    """By their bits, in the order of the text."""
    nodes: list[Node] = field(default_factory=list[Node])
    reached: set[Node] = field(default_factory=set[Node])
    """The nodes that some path comes to."""
    block_loops: dict[Block, frozenset[Block]] | None = field(default_factory=dict[Block, frozenset[Block]])
    """Per block the heads of the loops that branches make around it; None where these are no loops."""
    node_of: dict[Operation, Node] = field(default_factory=dict[Operation, Node])
    order: dict[Operation, int] = field(default_factory=dict[Operation, int])
    yields: list[tuple[Operation, int, Handle]] = field(default_factory=list[tuple[Operation, int, Handle]])
    """async.yield operands that are tokens."""
    faults: list[HandleFault] = field(default_factory=list[HandleFault])
    races: list[Race] = field(default_factory=list[Race])
    unwritten: list[Unwritten] = field(default_factory=list["Unwritten"])
    lost: list[LostBuffer] = field(default_factory=list["LostBuffer"])
    events: int = 0
    """How many events are recorded for joins."""
    pending: dict[Operation, int] = field(default_factory=dict[Operation, int])
    """Per host op: the device accesses that may still run there, as a mask of their bits."""
    written: dict[SSAValue, SSAValue] = field(default_factory=dict[SSAValue, SSAValue])
    """Values that replace operands where blocks are merged, each with the operand as written."""
    launches: list[AsyncOp] = field(default_factory=list[AsyncOp])
    analysed: bool = True
    """False where something unreadable makes the facts of streams unsure: rules about them stay silent."""

    def note(self, wait: Wait) -> None:
        """Give `wait` its site, and let it be the last one of the function and of its handle."""
        wait.site = len(self.waits)
        self.waits.append(wait)
        wait.handle.waits.append(wait)

    @property
    def streams(self) -> list[Handle]:
        """Streams that this function creates."""
        return [h for h in self.handles if h.kind is Kind.STREAM]

    @property
    def given(self) -> list[Handle]:
        """Streams and events that its caller gives it."""
        return [h for h in self.handles if h.is_given]

    @cached_property
    def stream_numbers(self) -> dict[Handle, int]:
        """The number of each of `streams`."""
        return {handle: number for number, handle in enumerate(self.streams)}

    @property
    def names(self) -> frozenset[str]:
        """Every name of a value in the item's text, without its `%`."""
        return names_in(self.spans.text)

    @property
    def numbers(self) -> list[int]:
        """Those of `names` that are numbers, smallest first."""
        return _numbers(self.spans.text)

    @cached_property
    def other_names(self) -> dict[Handle, list[Handle]]:
        """Per handle: the opaque handles that may be the same."""
        found: dict[Handle, list[Handle]] = {}
        for handle in self.handles:
            for member in handle.members:
                if isinstance(member, Handle) and member is not handle:
                    found.setdefault(member, []).append(handle)
        return found

    @cached_property
    def rejected(self) -> list[AsyncOp]:
        """The ops with rejections."""
        return [op for op in self.ops if op.rejections]

    @cached_property
    def unconverted(self) -> frozenset[Handle]:
        """The handles that ops which stay unlowered depend on."""
        return frozenset(self.tokens[dep] for op in self.ops if op.rejections for dep in op.deps)

    @cached_property
    def frees(self) -> dict[Buffer, list[Operation]]:
        """Per buffer: the ops that free it, in the order of the text."""
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
        """Yield the accesses whose bits are set in `mask`, in the order of the text."""
        return map(self.accesses.__getitem__, bits_of(mask))

    def is_reached(self, op: Operation) -> bool:
        """Return whether some path reaches `op`, as far as its conditions are known."""
        return self.node_of.get(op) in self.reached

    def is_before(self, first: Operation, second: Operation) -> bool:
        """Return whether `first` comes before `second` in the text, which in a block is the order they run
           in.

        xDSL's `is_before_in_block` walks the block; this costs nothing.
        """
        return self.order[first] < self.order[second]

    def handle(self, value: SSAValue) -> Handle | None:
        """Return what `value` lowers to, or None if it is not a token known here."""
        return self.tokens.get(value)

    def stream_of(self, value: SSAValue) -> Handle | None:
        """Return the stream, or event, that a token or pointer is; None if it is none that is known here."""
        return self.tokens.get(value) or self.objects.get(value)

    def span_name(self, value: SSAValue) -> str:
        """Return the name of `value` as written, or `the result of gpu.wait` if it has no name.

        Of a global that only callees mention, the symbol.
        """
        if value in self.globals_of_callees:
            return self.globals_of_callees[value]
        written = self.written.get(value, value)
        owner = written.owner
        if self.spans.result(written) is None and isinstance(owner, Operation):
            return f"the result of {owner.name}"
        return self.spans.value_name(written)

    def block_of(self, value: SSAValue) -> Block | None:
        """Return the block in which `value` is defined."""
        owner = value.owner
        return owner if isinstance(owner, Block) else owner.parent


@lru_cache(maxsize=4)
def names_in(text: str) -> frozenset[str]:
    """Return what looks like the name of a value in `text`, in comments too, without its `%`."""
    return frozenset(_NAME.findall(text))


@lru_cache(maxsize=4)
def _numbers(text: str) -> list[int]:
    return sorted(int(name) for name in names_in(text) if name.isdecimal())


def bits_of(mask: int) -> Iterator[int]:
    """Yield the numbers of the bits that are set, lowest first."""
    if not mask & (mask - 1):  # one at most, as most masks have
        if mask:
            yield mask.bit_length() - 1
        return
    digits = bin(mask)[:1:-1]
    bit = digits.find("1")
    while bit >= 0:
        yield bit
        bit = digits.find("1", bit + 1)
