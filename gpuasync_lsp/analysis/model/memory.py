"""Buffers behind memrefs, and how ops touch them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import cast

from xdsl.dialects.builtin import MemRefType, UnrankedMemRefType
from xdsl.ir import Attribute, Block, Operation, SSAValue

from gpuasync_lsp.analysis.model.context import FileContext, callee_of, kernel_symbol
from gpuasync_lsp.analysis.model.function import Access, AsyncFunction, AsyncOp, Buffer
from gpuasync_lsp.analysis.model.kernels import points
from gpuasync_lsp.analysis.model.terms import Mode
from gpuasync_lsp.syntax.dialects.gpu import LaunchFuncOp

Box = tuple[tuple[int, int], ...]

_SAME = frozenset(
    {
        "memref.cast",
        "memref.memory_space_cast",
        "memref.collapse_shape",
        "memref.expand_shape",
        "memref.transpose",
        "memref.assume_alignment",
    }
)
"""Views of the whole buffer."""
_PART = frozenset({"memref.subview", "memref.reinterpret_cast", "memref.view"})
"""Views of a part of the buffer; only a constant subview says which."""
_HOST_READS = frozenset(
    {"memref.load", "affine.load", "vector.load", "vector.transfer_read", "vector.maskedload"}
)
_HOST_WRITES = frozenset(
    {"memref.store", "affine.store", "vector.store", "vector.transfer_write", "vector.maskedstore"}
)
_SILENT = frozenset({"memref.dim", "memref.rank", "memref.extract_strided_metadata", "gpu.host_unregister"})


class Memory:
    """Finds the buffer behind each memref of one function, and the accesses of each op."""

    def __init__(self, function: AsyncFunction) -> None:
        self.function = function
        self.known: dict[SSAValue, tuple[Buffer, Box | None] | None] = {}
        self.globals: dict[str, Buffer] = {}

    def buffer(self, value: SSAValue) -> tuple[Buffer, Box | None] | None:
        """Return the buffer that `value` leads to and its constant part of it, or None where unknown."""
        if value not in self.known:
            self.known[value] = None
            self.known[value] = self._find(value)
        return self.known[value]

    def _find(self, value: SSAValue) -> tuple[Buffer, Box | None] | None:
        owner = value.owner
        if isinstance(owner, Block):
            region = self.function.op.regions[0]
            return (self._new(value, None), None) if owner is region.blocks[0] else None
        name = owner.name
        if name in _SAME:
            return self.buffer(owner.operands[0])
        if name in _PART:
            base = self.buffer(owner.operands[0])
            if base is None:
                return None
            known = name == "memref.subview" and base[1] is None
            return base[0], _constant_box(owner) if known else ()
        if name == "memref.get_global":
            symbol = str(owner.properties.get("name"))
            if symbol not in self.globals:
                self.globals[symbol] = self._new(value, owner)
            return self.globals[symbol], None
        if name in ("gpu.alloc", "memref.alloc", "memref.alloca"):
            return self._new(value, owner), None
        if name == "func.call":
            return self._new(value, owner), None
        return None

    def _new(self, value: SSAValue, op: Operation | None) -> Buffer:
        function = self.function
        device = op is not None and op.name == "gpu.alloc"
        shared = device and op is not None and "hostShared" in op.properties
        made = Buffer(value, len(function.buffers), op, device, bool(shared))
        function.buffers.append(made)
        return made

    def device(self, op: AsyncOp) -> tuple[Access, ...]:
        """Return what a gpu op does to memory on its stream."""
        operands = tuple(op.op.operands)
        first = len(op.deps)
        found: list[Access] = []
        if op.name == "gpu.memcpy":
            found += self._access(op.op, operands[first], Mode.WRITE)
            found += self._access(op.op, operands[first + 1], Mode.READ)
        elif op.name == "gpu.memset":
            found += self._access(op.op, operands[first], Mode.WRITE)
        elif op.name == "gpu.dealloc":
            for access in self._access(op.op, operands[first], Mode.FREE):
                access.buffer.frees.append(op.op)
                found.append(access)
        elif isinstance(op.op, LaunchFuncOp):
            arguments = tuple(op.op.kernel_operands)
            modes = kernel_modes(op.op, self.function.context, arguments)
            for number, argument in enumerate(arguments):
                if not points(argument.type):
                    continue
                mode = Mode.BOTH if modes is None else modes[number]
                if mode is not None:
                    found += self._access(op.op, argument, mode, sure=modes is not None)
        elif op.name not in ("gpu.alloc", "gpu.wait"):
            for operand in operands[first:]:
                if points(operand.type):
                    found += self._access(op.op, operand, Mode.BOTH, sure=False)
            for inner in op.op.walk() if op.op.regions else ():
                for operand in inner.operands:
                    if isinstance(operand.type, MemRefType) and not _inside(operand, op.op):
                        found += self._access(op.op, operand, Mode.BOTH, sure=False)
        return tuple(found)

    def host(self, op: Operation) -> tuple[Access, ...]:
        """Return what host code does to memory at `op`; marks buffers that leave the function's sight."""
        name = op.name
        if name in _HOST_READS:
            return tuple(self._access(op, op.operands[0], Mode.READ, host=True))
        if name in _HOST_WRITES:
            self._escape(op, op.operands[0])
            return tuple(self._access(op, op.operands[1], Mode.WRITE, host=True))
        if name == "memref.copy":
            read = self._access(op, op.operands[0], Mode.READ, host=True)
            write = self._access(op, op.operands[1], Mode.WRITE, host=True)
            return (*read, *write)
        if name in _SAME or name in _PART or name in _SILENT:
            return ()
        if name == "gpu.host_register":
            base = self.buffer(op.operands[0])
            if base is not None:
                base[0].registered = True
            return ()
        if name == "memref.dealloc":
            found = list(self._access(op, op.operands[0], Mode.FREE, host=True))
            for access in found:
                access.buffer.frees.append(op)
            return tuple(found)
        if (callee := callee_of(op)) is not None:
            return tuple(self._call(op, callee))
        if name.startswith("linalg."):
            return tuple(
                access
                for operand in op.operands
                if isinstance(operand.type, MemRefType)
                for access in self._access(op, operand, Mode.BOTH, host=True, sure=False)
            )
        for operand in op.operands:
            self._escape(op, operand)
        return ()

    def _call(self, op: Operation, callee: str) -> Iterator[Access]:
        info = self.function.context.functions.get(callee)
        # What a callee starts and leaves running is out of sight here, so say nothing about its memory.
        quiet = info is None or info.takes_tokens or (info.enqueues and not info.declared_only)
        for number, operand in enumerate(op.operands):
            if not points(operand.type):
                continue
            self._escape(op, operand)
            mode: Mode | None = Mode.BOTH
            if info is not None and number < len(info.memref_modes):
                mode = info.memref_modes[number]
            if mode is not None and not quiet:
                sure = info is not None and not info.declared_only
                yield from self._access(op, operand, mode, host=True, sure=sure)

    def _escape(self, op: Operation, value: SSAValue) -> None:
        if isinstance(value.type, MemRefType | UnrankedMemRefType):
            base = self.buffer(value)
            if base is not None:
                base[0].escapes.append(op)

    def _access(
        self, op: Operation, value: SSAValue, mode: Mode, *, host: bool = False, sure: bool = True
    ) -> Iterator[Access]:
        base = self.buffer(value)
        if base is not None:
            yield Access(op, base[0], mode, value, base[1], host, sure)


class Touched:
    """What some ops read and write, to compare others with."""

    def __init__(self, ops: Iterable[AsyncOp] = ()) -> None:
        self.all: dict[Buffer, list[Access]] = {}
        self.written: dict[Buffer, list[Access]] = {}
        self.sure = True
        """Whether everything that the ops touch is known."""
        for op in ops:
            self.add(op)

    def add(self, op: AsyncOp) -> None:
        """Take in what `op` touches."""
        for access in op.accesses:
            self.sure = self.sure and access.sure
            self.all.setdefault(access.buffer, []).append(access)
            if access.mode is not Mode.READ:
                self.written.setdefault(access.buffer, []).append(access)

    def is_apart_from(self, op: AsyncOp) -> bool:
        """Tell whether `op` surely writes nothing that is touched here, and reads nothing that is written."""
        return self.sure and all(
            access.sure and all(disjoint(access, other) for other in self._against(access))
            for access in op.accesses
        )

    def _against(self, access: Access) -> list[Access]:
        return (self.written if access.mode is Mode.READ else self.all).get(access.buffer, [])


def kernel_modes(
    op: LaunchFuncOp, context: FileContext, arguments: tuple[SSAValue, ...]
) -> list[Mode | None] | None:
    """Return per launch argument what the kernel does to it, or None for a kernel whose body is unknown."""
    symbol = kernel_symbol(op)
    info = context.kernels.get(symbol) if symbol is not None else None
    if info is None or info.modes is None:
        return None
    if len(info.modes) == len(arguments):
        return list(info.modes)
    # A kernel that is lowered already takes each memref as its descriptor's fields.
    modes: list[Mode | None] = []
    at = 0
    for argument in arguments:
        width = descriptor_width(argument.type)
        fields = [m for m in info.modes[at : at + width] if m is not None]
        modes.append(None if not fields else fields[0] if len(set(fields)) == 1 else Mode.BOTH)
        at += width
    return modes if at == len(info.modes) else None


def descriptor_width(kind: Attribute) -> int:
    """Return how many values a value of this type becomes when it is lowered."""
    return 3 + 2 * cast("MemRefType", kind).get_num_dims() if isinstance(kind, MemRefType) else 1


def disjoint(first: Access, second: Access) -> bool:
    """Tell whether two accesses touch parts of one buffer that have, or may have, nothing in common."""
    a, b = first.box, second.box
    if a is None or b is None:
        return False
    if not a or not b or len(a) != len(b):
        # Unknown parts may be anything, except that one memref is one part until a loop makes it anew.
        return first.value is not second.value or first.op is second.op
    return any(ao + an <= bo or bo + bn <= ao for (ao, an), (bo, bn) in zip(a, b, strict=True))


def _constant_box(op: Operation) -> Box:
    offsets, sizes, strides = (_ints(op, f"static_{which}") for which in ("offsets", "sizes", "strides"))
    if offsets is None or sizes is None or strides is None:
        return ()
    if any(v < 0 for v in (*offsets, *sizes, *strides)):
        return ()
    return tuple(
        (offset, (size - 1) * stride + 1)
        for offset, size, stride in zip(offsets, sizes, strides, strict=False)
    )


def _ints(op: Operation, name: str) -> tuple[int, ...] | None:
    attribute = op.properties.get(name) or op.attributes.get(name)
    values = getattr(attribute, "get_values", None)
    return tuple(int(v) for v in values()) if values is not None else None


def _inside(value: SSAValue, op: Operation) -> bool:
    owner = value.owner
    block = owner if isinstance(owner, Block) else owner.parent
    while block is not None:
        parent = block.parent_op()
        if parent is op:
            return True
        block = parent.parent if parent is not None else None
    return False
