"""Follows views from a memref to its buffer, and computes which part of the buffer it covers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import prod
from typing import Any, TypeGuard, cast

from xdsl.dialects.builtin import (
    AffineMapAttr,
    ArrayAttr,
    IndexType,
    IntegerAttr,
    MemRefType,
    NoneAttr,
    StridedLayoutAttr,
    UnrankedMemRefType,
)
from xdsl.ir import Attribute, Block, BlockArgument, Operation, OpResult, SSAValue
from xdsl.ir.affine import AffineDimExpr

from gpuasync_lsp.analysis.model.conditions import constant
from gpuasync_lsp.analysis.model.memory.buffers import Buffer, Place
from gpuasync_lsp.analysis.model.memory.linear import ZERO, Integers, Linear, of_value
from gpuasync_lsp.analysis.model.memory.pointers import is_pointer, root_of
from gpuasync_lsp.analysis.model.memory.regions import UNKNOWN_PART, Extent, Region, Run
from gpuasync_lsp.analysis.model.memory.stored import Stored
from gpuasync_lsp.analysis.model.memory.widths import width_of
from gpuasync_lsp.analysis.model.passing import CARRYING, LOOPS, branch_pairs, region_arguments, region_values
from gpuasync_lsp.analysis.model.reaching import reaching
from gpuasync_lsp.analysis.model.symbols import callee_of
from gpuasync_lsp.syntax.effects import ALIASES, PARTS, Effect, segments

DYNAMIC = -(2**63)
_DEPTH = 200
_UNCOMPUTED: Any = object()
"""Marks a value whose `Place` has not been computed yet."""
_FEW = 8
"""The maximum number of buffers that a memref may refer to if earlier iterations are distinguished."""


class Places:
    """Computes the buffer and the region of each memref of one function."""

    def __init__(
        self,
        function: Operation,
        returned: Callable[[Operation, int], tuple[SSAValue, Callable[[Integers], Region] | None] | None],
        chosen: Callable[[Operation, int], Sequence[SSAValue]],
        is_made: Callable[[Operation, int], bool],
        shared: Mapping[int, int] | None = None,
    ) -> None:
        self.function = function
        self.shared = shared or {}
        """Maps arguments that, in some call, alias an earlier argument to the number of the earlier one."""
        self.returned = returned
        """A function that maps a call's result to the operand that it aliases, and a function for the part.

        The function for the part is None if the result is the whole operand."""
        self.chosen = chosen
        """A function that returns the operands that a call's result may alias."""
        self.is_made = is_made
        """A function that returns whether a call's result is device memory that the callee allocates."""
        self.buffers: list[Buffer] = []
        self.names: list[Buffer] = []
        self.known: dict[SSAValue, Place | None] = {}
        self.globals: dict[str, Buffer] = {}
        self.unmentioned: dict[SSAValue, str] = {}
        """Placeholder values for globals that only callees use, with the name of each global."""
        self.own_globals: dict[str, SSAValue] | None = None
        """Maps each global to its memref.get_global result in the function; None before the first query."""
        self.integers = Integers(self._described)
        self.products: dict[tuple[SSAValue, int, SSAValue | None], SSAValue] = {}
        """Placeholder values for products of a value (or 1) and a dynamic stride of a memref."""
        self.made_of: dict[SSAValue, tuple[SSAValue, ...]] = {}
        """The values that each placeholder in `products` depends on."""
        self.stored = Stored()
        self.depth = 0

    def place(self, value: SSAValue) -> Place | None:
        """Return the buffer and the region of `value`.

        Returns None if it is neither a memref nor a known pointer, or if too many views are nested."""
        known = self.known.get(value, _UNCOMPUTED)
        if known is not _UNCOMPUTED:
            return known
        if is_pointer(value):
            self.known[value] = self._pointed(value)
            return self.known[value]
        if self.depth > _DEPTH or not isinstance(value.type, MemRefType | UnrankedMemRefType):
            return None
        self.depth += 1
        try:
            found = self.known[value] = self._find(value)
        finally:
            self.depth -= 1
        return found

    def _find(self, value: SSAValue) -> Place | None:
        owner = value.owner
        given = self._sources(value)
        if given:
            return self._named(value, given)
        if isinstance(owner, Operation):
            if owner.name in ALIASES or owner.name in PARTS:
                base = self.place(owner.operands[0])
                if base is not None:
                    return Place(base.buffer, self._viewed(owner, value, base.region))
            if owner.name == "memref.get_global":
                symbol = str(owner.properties.get("name"))
                if symbol not in self.globals:
                    self.globals[symbol] = self._new(value, owner)
                return Place(self.globals[symbol], whole(value))
            if owner.name == "memref.load" and (stored := self.stored.loaded(owner)) is not None:
                return self.place(stored)
            given_to = self.returned(owner, value.index) if isinstance(value, OpResult) else None
            if given_to is not None and (place := self.place(given_to[0])) is not None:
                operand, part = given_to
                if part is None:
                    return place
                return Place(place.buffer, seen_through(part(self.integers), operand, place.region))
        elif (
            isinstance(value, BlockArgument)
            and value.index in self.shared
            and owner is self.function.regions[0].blocks[0]
        ):
            same = self.place(owner.args[self.shared[value.index]])
            if same is not None:
                return same
        return Place(self._new(value, owner if isinstance(owner, Operation) else None), whole(value))

    def _pointed(self, pointer: SSAValue) -> Place | None:
        found = root_of(pointer, self.function)
        if found is None:
            return None
        root, region = found
        if root is pointer:
            return Place(self._new(pointer, None), region)
        base = self.place(root)
        return Place(base.buffer, region) if base is not None else None

    def of_global(self, symbol: str) -> Place:
        """Return the `Place` of a global, even if this function does not use the global."""
        if self.own_globals is None:
            reads = [op for op in self.function.walk() if op.name == "memref.get_global"]
            self.own_globals = {str(op.properties.get("name")): op.results[0] for op in reads}
        if symbol in self.own_globals:
            self.place(self.own_globals[symbol])
        if symbol not in self.globals:
            value = Block(arg_types=[UnrankedMemRefType.from_type(IndexType())]).args[0]
            self.unmentioned[value] = symbol
            self.globals[symbol] = self._new(value, None)
        known = self.globals[symbol]
        return Place(known, whole(known.value))

    def _new(self, value: SSAValue, op: Operation | None) -> Buffer:
        device = shared = False
        if op is not None and isinstance(value, OpResult):
            device = op.name == "gpu.alloc" or self.is_made(op, value.index)
            shared = device and "hostShared" in op.properties
        made = Buffer(value, len(self.buffers), op, device, bool(shared))
        self.buffers.append(made)
        return made

    # Names

    def _sources(self, value: SSAValue) -> Sequence[SSAValue]:
        """Return the values that control flow passes to `value`, in this function or in a callee."""
        owner = value.owner
        if isinstance(owner, Operation) and isinstance(value, OpResult) and callee_of(owner) is not None:
            return self.chosen(owner, value.index)
        return incoming(value, self.function)

    def _named(self, value: SSAValue, given: Sequence[SSAValue]) -> Place | None:
        """Return the `Place` of `value`, into which the values `given` flow.

        This is the common `Place` of these values, or, if they differ, a new name (see `Buffer`)."""
        made = Buffer(value, len(self.names), None, device=False, is_name=True)
        self.known[value] = Place(made, whole(value))
        self.names.append(made)
        places = [place for v in given if (place := self.place(v)) is not None and place.buffer is not made]
        if len(places) == len([v for v in given if v is not value]) and len(set(places)) == 1:
            self.known[value] = places[0]
            made.may_be = places[0].buffer.all
            return places[0]
        return self.known[value]

    def close(self) -> None:
        """Compute the buffers that each name (see `Buffer`) may refer to, once all names exist."""
        sources: dict[Buffer, list[Buffer]] = {}
        for name in self.names:
            for value in self._sources(name.value):
                place = self.place(value)
                if place is not None:
                    sources.setdefault(name, []).append(place.buffer)
        found = reaching(
            {name: [buffer for buffer in sources.get(name, ()) if not buffer.is_name] for name in self.names},
            {name: [buffer for buffer in given if buffer.is_name] for name, given in sources.items()},
        )
        for name, buffers in found.items():
            name.may_be = tuple(sorted(buffers, key=lambda b: b.index))
        # If a name may refer to many buffers, distinguishing iterations would take long and help little.
        many = {buffer for name in self.names if len(name.may_be) > _FEW for buffer in name.may_be}
        for buffer in dict.fromkeys(buffer for name in self.names for buffer in name.may_be):
            if buffer.op is not None and buffer not in many and _is_repeated(buffer.op):
                buffer.earlier = Buffer(
                    buffer.value, len(self.buffers), buffer.op, device=False, again=buffer
                )
                self.buffers.append(buffer.earlier)

    # Views

    def _viewed(self, op: Operation, value: SSAValue, source: Region) -> Region:
        match op.name:
            case "memref.subview":
                return self._subview(op, value, source)
            case "memref.reinterpret_cast":
                return self._reinterpreted(op, value, source)
            case "memref.view":
                return self._bytes(op, value, source)
            case "memref.extract_strided_metadata":
                return Region(source.base, (), source.width, base=source.base)
            case "memref.reshape":
                # MLIR requires the identity layout of both memrefs.
                return source._replace(extents=whole(value).extents, whole=source.whole)
            case "memref.transpose":
                return _transposed(op, source)
            case "memref.collapse_shape" | "memref.expand_shape":
                return _reshaped(op, value, source)
            case _:
                return source

    def _subview(self, op: Operation, value: SSAValue, source: Region) -> Region:
        lists = self.mixed(op)
        if lists is None or any(len(each) != len(source.extents) for each in lists):
            return UNKNOWN_PART
        offset = self.moved(op.operands[0], source, lists[0])
        extents: list[Extent] = []
        for dim, (extent, size, step) in enumerate(zip(source.extents, lists[1], lists[2], strict=True)):
            extents.append(Extent(size, _times(extent.stride, step)))
            if extent.stride is None and step == Linear(1) and size is not None:
                pitch = self._product(op.operands[0], dim, Linear(1))
                extents[-1] = Extent(size, None, pitch, self._product(op.operands[0], dim, size))
        if is_ranked(value.type):
            extents = _dropped(extents, list(value.type.get_shape()))
        return Region(offset, tuple(extents), source.width, base=source.base)

    def moved(self, memref: SSAValue, source: Region, indices: Sequence[Linear | None]) -> Linear | None:
        """Return the offset of the element of `memref` at `indices`; None if unknown."""
        offset = source.offset
        for number, (index, (_, stride, *_)) in enumerate(zip(indices, source.extents, strict=False)):
            if offset is None or index is None:
                return None
            if index == ZERO:
                continue
            if stride is None:
                offset = offset.plus(self._product(memref, number, index))
            else:
                offset = offset.plus(index.times(stride))
        return offset

    def _product(self, memref: SSAValue, dim: int, index: Linear) -> Linear:
        """Return `index` times the dynamic stride of `memref` in dimension `dim`, using placeholders."""
        while isinstance(memref.owner, Operation) and memref.owner.name == "memref.cast":
            memref = memref.owner.operands[0]
        found = ZERO
        for value, factor in ((None, index.constant), *index.terms):
            if not factor:
                continue
            key = (memref, dim, value)
            if key not in self.products:
                made = Block(arg_types=[IndexType()]).args[0]
                self.products[key] = made
                self.made_of[made] = (memref,) if value is None else (memref, value)
            found = found.plus(of_value(self.products[key]).times(factor))
        return found

    def _reinterpreted(self, op: Operation, value: SSAValue, source: Region) -> Region:
        lists = self.mixed(op)
        if lists is None or source.width is None or not lists[0] or lists[0][0] is None:
            return UNKNOWN_PART
        width = source.width
        extents: list[Extent] = []
        for size, step in zip(lists[1], lists[2], strict=False):
            extents.append(Extent(size, _times(width, step)))
        offset = source.base.plus(lists[0][0].times(width))
        return Region(offset, tuple(extents), width, base=source.base)

    def _bytes(self, op: Operation, value: SSAValue, source: Region) -> Region:
        kind = value.type
        if source.offset is None or len(op.operands) < 2 or not is_ranked(kind):
            return UNKNOWN_PART
        offset = source.offset.plus(self.integers.read(op.operands[1]))
        sizes = iter([self.integers.read(v) for v in list(op.operands)[2:]])
        counts = [Linear(n) if n >= 0 else next(sizes, None) for n in kind.get_shape()]
        width = width_of(kind.element_type)
        return Region(offset, _row_major(counts, width), width, base=offset)

    def mixed(self, op: Operation) -> list[list[Linear | None]] | None:
        """Return the offsets, sizes and strides of an op, each with static and dynamic values merged."""
        groups = segments(op)
        if len(groups) != 4:
            return None
        given = iter(list(op.operands)[groups[0] :])
        lists: list[list[Linear | None]] = []
        for name in ("offsets", "sizes", "strides"):
            numbers = getattr(op.properties.get(f"static_{name}"), "get_values", tuple[int, ...])()
            here: list[Linear | None] = []
            for number in numbers:
                if int(number) != DYNAMIC:
                    here.append(Linear(int(number)))
                else:
                    operand = next(given, None)
                    here.append(self.integers.read(operand) if operand is not None else None)
            lists.append(here)
        return lists

    def _described(self, op: Operation, value: SSAValue) -> Linear | None:
        """Return the offset, size or stride that `op` extracts from a memref; None if unknown."""
        if not isinstance(value, OpResult) or self.depth > _DEPTH:
            return None
        base = self.place(op.operands[0])
        if base is None:
            return None
        region = base.region
        if op.name == "memref.dim":
            at = constant(op.operands[1])
            return region.extents[at].size if at is not None and 0 <= at < len(region.extents) else None
        rank, width = len(region.extents), region.width
        if value.index == 1 and region.offset is not None and width:
            bytes_ = region.offset.minus(region.base)
            if all(n % width == 0 for n in (bytes_.constant, *(f for _, f in bytes_.terms))):
                return Linear(bytes_.constant // width, tuple((v, f // width) for v, f in bytes_.terms))
        if 2 <= value.index < 2 + rank:
            return region.extents[value.index - 2].size
        if 2 + rank <= value.index < 2 + 2 * rank and width:
            stride = region.extents[value.index - 2 - rank].stride
            return Linear(stride // width) if stride is not None and stride % width == 0 else None
        return None

    # Accesses

    def part(self, op: Operation, effect: Effect, region: Region) -> Region:
        """Return the part of `region`, the region of a memref, that an effect of `op` touches."""
        if effect.scattered:
            return UNKNOWN_PART
        if effect.indices is None:
            return region
        indices: list[Linear | None] = []
        kept = op.properties.get("map")
        if op.name.startswith("affine.") and isinstance(kept, AffineMapAttr):
            given = self.integers.mapped(kept, op, effect.operand + 1)
            if given is None:
                return UNKNOWN_PART
            indices += given
        else:
            indices += [self.integers.read(v) for v in list(op.operands)[slice(*effect.indices)]]
        if len(indices) != len(region.extents):
            return UNKNOWN_PART
        offset = self.moved(op.operands[effect.operand], region, indices)
        extents: tuple[Extent, ...] = ()
        if effect.shape:
            last = region.extents[len(region.extents) - len(effect.shape) :]
            extents = tuple(Extent(Linear(n), e.stride) for n, e in zip(effect.shape, last, strict=True))
        return Region(offset, extents, region.width, base=region.base)

    def from_the_pointer(self, value: SSAValue, region: Region) -> Region:
        """Return a contiguous region with the size of `value`, starting at its descriptor's pointer."""
        kind = value.type
        width = region.width
        if width is None or not is_ranked(kind):
            return UNKNOWN_PART
        shape = list(kind.get_shape())
        count = Linear(prod(shape)) if all(n >= 0 for n in shape) else None
        return Region(region.base, (Extent(count, width),), width, base=region.base)

    def runs(self, region: Region, op: Operation) -> dict[SSAValue, Run]:
        """Return the scf.for induction variables in `region` that take all of their values at `op`, with
        these values."""
        found: dict[SSAValue, Run] = {}
        for value in region.symbols:
            block = value.owner
            if not isinstance(block, Block) or op.parent is not block or block.args[0] is not value:
                continue
            loop = block.parent_op()
            if loop is None or loop.name != "scf.for":
                continue
            low, high, step = (constant(v) for v in list(loop.operands)[:3])
            if low is not None and high is not None and step is not None and step > 0 and high > low:
                found[value] = Run(low, step, -((low - high) // step))
        return found


def _is_repeated(op: Operation) -> bool:
    """Return whether `op` may run more than once in one call of its function."""
    around: Operation | None = op
    while around is not None and around.name != "func.func":
        region = around.parent
        if region is not None and region.parent is not None and len(region.parent.blocks) > 1:
            return True
        around = around.parent_op()
        if around is not None and (around.name in LOOPS or around.name == "scf.while"):
            return True
    return False


def incoming(value: SSAValue, function: Operation) -> list[SSAValue]:
    """Return the values that control flow passes to `value`; an empty list if there are none."""
    owner = value.owner
    if isinstance(owner, Operation):
        if owner.name == "arith.select":
            return list(owner.operands[1:])
        if owner.name in CARRYING and isinstance(value, OpResult):
            return list(region_values(owner, value.index))
        return _yielded(owner.operands[0]) if owner.name == "async.await" and owner.operands else []
    parent, region = owner.parent_op(), owner.parent
    if parent is None or region is None or (parent is function and owner is region.blocks[0]):
        return []
    if owner is not region.blocks[0] or parent.name == "scf.execute_region":
        found: list[SSAValue] = []
        for block in region.blocks:
            last = block.last_op
            if last is not None and last.successors:
                found += [given for given, argument in branch_pairs(last) if argument is value]
        return found
    number = list(owner.args).index(value)  # pyright: ignore[reportArgumentType]
    if parent.name == "async.execute":
        at = len(parent.operands) - len(owner.args) + number
        return _yielded(parent.operands[at]) if at >= 0 else []
    return list(region_arguments(parent, region, number)) if parent.name in CARRYING else []


def _yielded(value: SSAValue) -> list[SSAValue]:
    """Return the async.yield operand that becomes a result of an async.execute.

    Returns an empty list if `value` is not such a result."""
    task = value.owner
    if not isinstance(value, OpResult) or not isinstance(task, Operation) or task.name != "async.execute":
        return []
    block = task.regions[0].blocks[0] if task.regions and task.regions[0].blocks else None
    last = block.last_op if block is not None else None
    number = value.index - 1  # The first result is the token of the task.
    known = last is not None and last.name == "async.yield" and 0 <= number < len(last.operands)
    return [last.operands[number]] if last is not None and known else []


def seen_through(region: Region, name: SSAValue, bound: Region) -> Region:
    """Return `region`, a part of `name`, as a region of the buffer; `bound` is the region of `name` in it."""
    if region.whole:
        return bound
    if region.offset is None:
        return UNKNOWN_PART
    if any(value is name for value, _ in region.offset.terms):
        offset = region.offset.replaced(name, bound.offset) if bound.offset is not None else None
    else:
        offset = region.offset.plus(bound.base)
    return region._replace(offset=offset, base=bound.base)


def whole(value: SSAValue) -> Region:
    """Return the region of the whole memref `value`, counted from its descriptor's pointer."""
    kind = value.type
    if not is_ranked(kind):
        return Region(of_value(value), (), None, whole=True)
    width = width_of(kind.element_type)
    counts = [Linear(n) if n >= 0 else None for n in kind.get_shape()]
    layout: Attribute = kind.layout
    if isinstance(layout, NoneAttr):
        return Region(ZERO, _row_major(counts, width), width, whole=True)
    if isinstance(layout, StridedLayoutAttr):
        strides = [s.data if not isinstance(s, NoneAttr) else None for s in layout.strides]
        start = layout.offset
        offset = of_value(value) if isinstance(start, NoneAttr) else Linear(start.data * width)
        extents = [
            Extent(c, s * width if s is not None else None) for c, s in zip(counts, strides, strict=False)
        ]
        return Region(offset, tuple(extents), width, whole=True)
    return Region(of_value(value), tuple(Extent(c, None) for c in counts), width, whole=True)


def _row_major(counts: Sequence[Linear | None], width: int) -> tuple[Extent, ...]:
    strides: list[int | None] = [width]
    for count in reversed(counts[1:]):
        last = strides[-1]
        strides.append(
            last * count.constant if last is not None and count is not None and not count.terms else None
        )
    return tuple(Extent(c, s) for c, s in zip(counts, reversed(strides), strict=False)) if counts else ()


def _times(step: int | None, factor: Linear | None) -> int | None:
    if step is None or factor is None or factor.terms:
        return None
    return step * factor.constant


def is_ranked(kind: Attribute) -> TypeGuard[MemRefType[Attribute]]:
    """Return whether a value of this type is a memref of known rank."""
    return isinstance(kind, MemRefType)


def _dropped(extents: list[Extent], shape: list[int]) -> list[Extent]:
    """Remove the unit dimensions that a rank-reducing subview drops."""
    left = len(extents) - len(shape)
    found: list[Extent] = []
    for extent in extents:
        is_unit = extent.size == Linear(1)
        if left and is_unit and (len(found) >= len(shape) or shape[len(found)] != 1):
            left -= 1
        else:
            found.append(extent)
    return found


def _transposed(op: Operation, source: Region) -> Region:
    kept = op.properties.get("permutation")
    if not isinstance(kept, AffineMapAttr) or kept.data.num_dims != len(source.extents):
        return source._replace(extents=tuple(Extent(None, None) for _ in source.extents))
    order = [e.position for e in kept.data.results if isinstance(e, AffineDimExpr)]
    return source._replace(extents=tuple(source.extents[n] for n in order))


def _reshaped(op: Operation, value: SSAValue, source: Region) -> Region:
    """Return the region of a collapse_shape or expand_shape, following its reassociation groups."""
    kept = op.properties.get("reassociation")
    kind = value.type
    if not isinstance(kept, ArrayAttr) or not is_ranked(kind):
        return UNKNOWN_PART
    groups = [
        [n.value.data for n in group if isinstance(n, IntegerAttr)]
        for group in cast("ArrayAttr[ArrayAttr[Attribute]]", kept)
    ]
    extents: list[Extent] = []
    if op.name == "memref.collapse_shape":
        for group in groups:
            inner = [source.extents[n] for n in group if n < len(source.extents)]
            rows = [e for e in inner if e.size != Linear(1)] or inner[-1:]
            counts = [e.size for e in rows]
            count = 1
            for known in counts:
                count = count * known.constant if count and known is not None and not known.terms else 0
            whole_count = Linear(count) if count else counts[0] if len(counts) == 1 else None
            extents.append(Extent(whole_count, rows[-1].stride if rows else None))
        return source._replace(extents=tuple(extents))
    shape = list(kind.get_shape())
    if any(not 0 <= n < len(shape) for group in groups for n in group):
        return source._replace(extents=())  # The verifier rejects the op.
    for group, extent in zip(groups, source.extents, strict=False):
        strides = [extent.stride]
        for n in reversed(group[1:]):
            last = strides[-1]
            strides.append(last * shape[n] if last is not None and shape[n] >= 0 else None)
        extents += [
            Extent(Linear(shape[n]) if shape[n] >= 0 else None, stride)
            for n, stride in zip(group, reversed(strides), strict=True)
        ]
    return source._replace(extents=tuple(extents))
