"""The memory accesses of each op of one host function."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from xdsl.dialects.builtin import (
    BFloat16Type,
    Float16Type,
    Float32Type,
    Float64Type,
    IndexType,
    IntegerType,
    MemRefType,
    VectorType,
)
from xdsl.ir import Attribute, Operation, SSAValue

from gpuasync_lsp.analysis.model.context import FileContext, KernelInfo
from gpuasync_lsp.analysis.model.dependents import Does, is_dependent
from gpuasync_lsp.analysis.model.function import Access, AsyncFunction, AsyncOp, Dependent
from gpuasync_lsp.analysis.model.kernels import RUNNER_READS, SYNCHRONIZING, inner_modes
from gpuasync_lsp.analysis.model.memory.buffers import Buffer, Place
from gpuasync_lsp.analysis.model.memory.descriptors import described, described_inside, is_for_kernels
from gpuasync_lsp.analysis.model.memory.elements import Threads
from gpuasync_lsp.analysis.model.memory.launched import LAUNCHED, Running, Touching, launched
from gpuasync_lsp.analysis.model.memory.linear import Integers, Linear, of_value
from gpuasync_lsp.analysis.model.memory.moves import size_of
from gpuasync_lsp.analysis.model.memory.parts import ADDED_TO, Part, parts
from gpuasync_lsp.analysis.model.memory.places import Places, whole
from gpuasync_lsp.analysis.model.memory.pointers import behind, is_pointer
from gpuasync_lsp.analysis.model.memory.programs import parameter_of, program_of
from gpuasync_lsp.analysis.model.memory.regions import UNKNOWN_PART, Region, between
from gpuasync_lsp.analysis.model.memory.returned import region_of
from gpuasync_lsp.analysis.model.memory.scopes import Scopes, ends_scope
from gpuasync_lsp.analysis.model.memory.sparse import touches_of
from gpuasync_lsp.analysis.model.memory.sums import Factor, Symbol
from gpuasync_lsp.analysis.model.memory.thread_groups import Given, Shown
from gpuasync_lsp.analysis.model.passing import CARRYING, PASSING
from gpuasync_lsp.analysis.model.summaries import CallEffect, Left, Made, Started, Stream
from gpuasync_lsp.analysis.model.symbols import arguments_of, callee_of, kernel_symbol
from gpuasync_lsp.analysis.model.terms import REGISTERING, Side
from gpuasync_lsp.preconditions import is_layout_ignored
from gpuasync_lsp.syntax import kinds
from gpuasync_lsp.syntax.dialects.gpu import LaunchFuncOp, LaunchOp
from gpuasync_lsp.syntax.effects import ALIASES, PARTS, Effect, Mode, effects_of, is_memref, points
from gpuasync_lsp.syntax.xdsl_speed import operands_of

_PASSED_ON = CARRYING | PASSING | {"affine.yield", "async.execute"}
"""Ops that forward memref operands to results or block arguments, so that their memory does not escape."""


_PLAIN = frozenset({IntegerType, IndexType, Float16Type, Float32Type, Float64Type, BFloat16Type, VectorType})
"""Types that never point to memory; a fast path, since most operands have one of them."""


class Memory:
    """Computes the accesses of one function's ops, and marks buffers that escape from the function."""

    def __init__(self, function: AsyncFunction) -> None:
        self.function = function
        self.places = Places(
            function.op,
            self._returned,
            self.chosen,
            self._is_made,
            function.context.shared.get(function.name),
        )
        function.buffers = self.places.buffers
        function.names_of_memory = self.places.names
        function.made_of = self.places.made_of
        function.globals_of_callees = self.places.unmentioned
        self._scopes = Scopes(function.op)

    def _returned(
        self, call: Operation, number: int
    ) -> tuple[SSAValue, Callable[[Integers], Region] | None] | None:
        """Return the operand that result `number` of a call aliases, and a function for the aliased part.

        The function is None if the result is the whole operand. Returns None if the result aliases none of
        the operands."""
        callee = callee_of(call)
        info = self.function.context.functions.get(callee) if callee is not None else None
        if info is None or number >= len(info.views):
            return None
        argument = info.views[number]
        given = arguments_of(call)
        if argument is None or argument >= len(given):
            return None
        if info.same_as[number] == argument:
            return given[argument], None
        view = info.parts[number] if number < len(info.parts) else None
        if view is not None and any(other >= len(given) for other in view.arguments):
            return None

        def part(integers: Integers) -> Region:
            def read(number: int) -> Linear:
                value = given[number]
                return of_value(value) if is_memref(value.type) else integers.read(value)

            return region_of(view, read) if view is not None else UNKNOWN_PART

        return given[argument], part

    def chosen(self, call: Operation, number: int) -> list[SSAValue]:
        """Return the operands of a call that its result `number` may alias."""
        callee = callee_of(call)
        info = self.function.context.functions.get(callee) if callee is not None else None
        if info is None or number >= len(info.choices):
            return []
        given = arguments_of(call)
        return [given[argument] for argument in info.choices[number] if argument < len(given)]

    def _is_made(self, call: Operation, number: int) -> bool:
        """Return whether result `number` of a call is device memory that the callee allocates."""
        callee = callee_of(call)
        info = self.function.context.functions.get(callee) if callee is not None else None
        return info is not None and info.effects is not None and number in info.made

    def buffer(self, value: SSAValue) -> Buffer | None:
        """Return the buffer of the memref `value`; None if unknown.

        A memref that may refer to several buffers has a separate `Buffer`, called a name."""
        place = self.places.place(value)
        return place.buffer if place is not None else None

    def place(self, value: SSAValue) -> Place | None:
        """Return the buffer and the region that `value` refers to; None if unknown."""
        return self.places.place(value)

    def device(self, op: AsyncOp) -> tuple[Access, ...]:
        """Return the accesses that a gpu op makes on its stream."""
        found: list[Access] = []
        if op.name in ("gpu.memcpy", "gpu.memset"):
            for effect in effects_of(op.op) or ():
                is_target = op.name == "gpu.memcpy" and effect.mode is Mode.WRITE
                if is_target and is_layout_ignored((value := operands_of(op.op)[effect.operand]).type):
                    found += self._from_the_pointer(op.op, value)
                else:
                    found += self._access(op.op, effect)
        elif op.name == "gpu.dealloc":
            found += self._free(op.op, op.op.operands[len(op.deps)])
        elif isinstance(op.op, LaunchFuncOp):
            found += self._by_kernel(op.op, _kernel(op.op, self.function.context))
        elif op.name == "gpu.launch":
            inside = set(op.op.walk())
            for value, mode in inner_modes(op.op, self.function.context.device_modes):
                same = self._elements(op.op, value, inside)
                if same:
                    found += same
                    continue
                known = self._inner_parts(op.op, value, inside)
                touched = self._whole(op.op, value, mode, Side.KERNEL, parts=known)
                found += _by(self._inner_threads(op.op, value), touched)
            for memref, mode in described_inside(op.op, inside):
                found += self._whole(op.op, memref, mode, Side.KERNEL)
        elif op.name not in ("gpu.alloc", "gpu.wait"):
            for touch in touches_of(op.op):
                added = (ADDED_TO,) if touch.mode is Mode.BOTH and touch.sure else None
                found += self._whole(op.op, touch.memref, touch.mode, sure=touch.sure, parts=added)
        return tuple(found)

    def _by_kernel(self, op: LaunchFuncOp, kernel: KernelInfo | None) -> Iterator[Access]:
        """Yield the memory accesses of a launch of `kernel`."""
        arguments = tuple(op.kernel_operands)
        modes = kernel_modes(kernel, arguments)
        touched_by = [Mode.BOTH] * len(arguments) if modes is None else modes
        memory = [
            (number, argument, mode)
            for number, (argument, mode) in enumerate(zip(arguments, touched_by, strict=True))
            if mode is not None and points(argument.type)
        ]
        for argument, mode in zip(arguments, touched_by, strict=True):
            if mode is not None and (memref := described(argument)) is not None:
                yield from self._whole(op, memref, mode, Side.KERNEL, sure=modes is not None)
        running = self._running(op, kernel) if memory else None
        for number, argument, mode in memory:
            threads = Touching(running, number) if running is not None else None
            sure = modes is not None
            if is_pointer(argument):
                yield from self._through_pointer(op, argument, mode, threads, sure=sure)
            else:
                known = self._parts(op, kernel, number)
                touched = self._whole(op, argument, mode, Side.KERNEL, sure=sure, parts=known)
                yield from _by(threads, touched)

    def dependent(self, info: AsyncOp) -> None:
        """Record which accesses a dependent launch makes before, and which after, it waits for the previous
        kernel."""
        op = info.op
        if not isinstance(op, LaunchFuncOp) or not is_dependent(op) or info.token is None:
            return
        kernel = _kernel(op, self.function.context)
        if kernel is None or kernel.modes is None:
            return
        info.is_dependent = True
        info.waits_for_last = bool(kernel.dependents - {Does.TRIGGER})
        early = kernel
        if info.waits_for_last:
            cut = kernel.early
            early = replace(kernel, modes=cut.modes, elements=cut.elements, program=cut.program)
            info.late = tuple(replace(a, bit=-1, dependent=Dependent.LATE) for a in info.accesses)
        info.early = tuple(replace(a, dependent=Dependent.EARLY) for a in self._by_kernel(op, early))

    def host(self, op: Operation) -> tuple[Access, ...]:
        """Return the host accesses at `op`, and mark buffers that escape through it."""
        name = op.name
        if ends_scope(op):
            if name == "async.yield":
                self._yielded(op)
            else:
                for operand in op.operands:
                    self._escape(op, operand)
            return (*self._ended(op), *self._returned_by(op))
        if name in ALIASES or name in PARTS or name in _PASSED_ON:
            return ()
        if name == "gpu.host_register":
            place = self.places.place(op.operands[0])
            for buffer in place.buffer.all if place is not None else ():
                buffer.registered = True
        if (callee := callee_of(op)) is not None:
            return tuple(self._call(op, callee))
        if all(type(operand.type) in _PLAIN for operand in op.operands) or is_for_kernels(op):
            return ()
        effects = effects_of(op)
        if effects is None or name == "memref.extract_aligned_pointer_as_index":
            for operand in op.operands:
                self._escape(op, operand)
            return ()
        touched = {effect.operand for effect in effects}
        for number, operand in enumerate(op.operands):
            if number not in touched and name not in ("memref.dim", "memref.rank"):
                self._escape(op, operand)
        found: list[Access] = []
        for effect in effects:
            if effect.mode is Mode.FREE:
                found += self._free(op, op.operands[effect.operand], host=True)
            elif effect.mode in REGISTERING:
                found += self._whole(op, op.operands[effect.operand], effect.mode, host=True)
            else:
                found += self._access(op, effect, Side.HOST)
        return tuple(found)

    def _ended(self, op: Operation) -> Iterator[Access]:
        for value in self._scopes.ended_by(op):
            yield from self._whole(op, value, Mode.FREE, host=True)

    def _returned_by(self, op: Operation) -> Iterator[Access]:
        for operand in op.operands:
            if is_memref(operand.type):
                yield from self._whole(op, operand, Mode.RETURN, host=True)

    def _yielded(self, op: Operation) -> None:
        """Mark the operands of an async.yield as escaping, except if only async.await and async.execute
        use them."""
        task = op.parent_op()
        for number, operand in enumerate(op.operands):
            result = task.results[number + 1] if task is not None and number + 1 < len(task.results) else None
            if result is None or any(
                use.operation.name not in ("async.await", "async.execute") for use in result.uses
            ):
                self._escape(op, operand)

    def _call(self, op: Operation, callee: str) -> Iterator[Access]:
        info = self.function.context.functions.get(callee)
        given = arguments_of(op)
        if info is not None and info.effects is not None:
            for effect in info.effects:
                if effect.mode is None and isinstance(effect.target, int) and effect.target < len(given):
                    self._escape(op, given[effect.target])
            yield from self._applied(op, info.effects, None)
            return
        # A callee with a body but unknown effects may leave work running, so assume no accesses by the host.
        quiet = info is None or not info.declared_only
        for number, operand in enumerate(given):
            if not is_memref(operand.type):
                continue
            mode: Mode | None = Mode.BOTH
            if info is not None and number < len(info.memref_modes):
                mode = info.memref_modes[number]
            reads_only = info is None or info.declared_only
            if reads_only and callee.startswith(RUNNER_READS):
                mode = Mode.READ
            else:
                self._escape(op, operand)
            if mode is not None and not quiet:
                sure = info is not None and not info.declared_only
                yield from self._whole(op, operand, mode, Side.HOST, host=True, sure=sure)

    def enqueued(self, op: Operation) -> dict[SSAValue, tuple[Access, ...]]:
        """Return the work that a call enqueues on the streams of its token operands, per token."""
        effects, given = self._effects(op), arguments_of(op)
        tokens = sorted({e.token for e in effects if isinstance(e.token, int) and e.token < len(given)})
        return {given[token]: tuple(self._applied(op, effects, token)) for token in tokens}

    def abandoned(self, op: Operation) -> dict[tuple[SSAValue, ...], tuple[Access, ...]]:
        """Return the work that a call leaves running on streams without a token.

        The key of each group is the tuple of operands on whose streams the work waits."""
        effects, given = self._effects(op), arguments_of(op)
        streams = sorted({e.token for e in effects if isinstance(e.token, Left)})
        found: dict[tuple[SSAValue, ...], tuple[Access, ...]] = {}
        for stream in streams:
            behind = tuple(given[number] for number in stream.behind if number < len(given))
            found[behind] = (*found.get(behind, ()), *self._applied(op, effects, stream))
        return found

    def left_running(self, op: Operation) -> dict[SSAValue, tuple[Access, ...]]:
        """Return the work that a call leaves running on the streams of its result tokens, per token."""
        effects = self._effects(op)
        tokens = sorted(
            {e.token for e in effects if isinstance(e.token, Started) and e.token.result < len(op.results)}
        )
        return {op.results[token.result]: tuple(self._applied(op, effects, token)) for token in tokens}

    def left_by_callee(self, op: Operation) -> Iterator[tuple[Access, ...]]:
        """Yield all device work of a call that the callee does not wait for."""
        if callee_of(op) is not None:
            for work in (self.enqueued(op), self.abandoned(op), self.left_running(op)):
                yield from work.values()

    def synchronizes(self, op: Operation) -> bool:
        """Return whether a call waits for all work on the device."""
        callee = callee_of(op)
        info = self.function.context.functions.get(callee) if callee is not None else None
        return callee in SYNCHRONIZING and (info is None or info.declared_only)

    def _effects(self, op: Operation) -> tuple[CallEffect, ...]:
        callee = callee_of(op)
        info = self.function.context.functions.get(callee) if callee is not None else None
        return info.effects or () if info is not None else ()

    def _applied(
        self, op: Operation, effects: tuple[CallEffect, ...], token: Stream | None
    ) -> Iterator[Access]:
        """Yield the accesses among `effects` that a callee makes on the stream `token`.

        If `token` is None, yield those that have finished when the callee returns."""
        given = arguments_of(op)
        for turn, effect in enumerate(effects):
            if not _is_same(effect.token, token) or effect.mode is None:
                continue
            value: SSAValue | None = None
            if isinstance(effect.target, str):
                place = self.places.of_global(effect.target[1:])
                value = place.buffer.value
            elif isinstance(effect.target, Made):
                value = op.results[effect.target.result] if effect.target.result < len(op.results) else None
                place = self.places.place(value) if value is not None else None
            else:
                value = given[effect.target] if effect.target < len(given) else None
                place = self.places.place(value) if value is not None else None
            if place is None or value is None:
                continue
            region = UNKNOWN_PART if effect.part and place.region.whole else place.region
            runs = self.places.runs(region, op)
            if effect.mode is Mode.FREE and op not in place.buffer.frees:
                place.buffer.frees.append(op)
            host = token is None
            launch = effect.launch if not effect.part else None
            known = launch.parts(lambda number: self._integer(given, number)) if launch is not None else None
            if launch is not None and effect.side is Side.HOST:
                # The callee's host code accesses a single element: model that as an access of this op.
                region, known = self._element_of(value, region, known), None
            running = launch.running(lambda number: self._integer(given, number)) if launch else None
            threads = (
                Touching(running, launch.argument) if running is not None and launch is not None else None
            )
            if is_pointer(value):
                threads, region = self._of_pointer(region, threads, given)
            found = Access(
                op, place.buffer, effect.mode, value, region, host, effect.sure, runs=runs, parts=known
            )
            found.threads = threads
            found.task = isinstance(token, Left) and token.in_task
            found.guard, found.turn, found.side = effect.guard, turn, effect.side
            yield found

    def _element_of(self, value: SSAValue, region: Region, known: tuple[Part, ...] | None) -> Region:
        """Return the element of `value` that a callee's host code accesses, at its `known` indices."""
        indices = [ways[0].offset for part in known or () for ways in part.indices]
        if known is None or not region.whole or len(indices) != len(region.extents):
            return UNKNOWN_PART
        return Region(self.places.moved(value, region, indices), (), region.width, base=region.base)

    def _integer(self, given: Sequence[SSAValue], number: int) -> Linear | None:
        return self.places.integers.read(given[number]) if number < len(given) else None

    def _escape(self, op: Operation, value: SSAValue) -> None:
        place = self.places.place(value) if is_memref(value.type) else None
        if place is not None:
            place.buffer.escapes.append(op)

    def _free(self, op: Operation, value: SSAValue, *, host: bool = False) -> Iterator[Access]:
        for access in self._whole(op, value, Mode.FREE, host=host):
            access.buffer.frees.append(op)
            yield access

    def _access(self, op: Operation, effect: Effect, side: Side | None = None) -> Sequence[Access]:
        value = operands_of(op)[effect.operand]
        place = self.places.place(value)
        if place is None:
            return ()
        region = self.places.part(op, effect, place.region)
        if op.name in ("llvm.load", "llvm.store"):
            moved = op.results[0] if op.results else op.operands[0]
            region = place.region._replace(extents=(), width=size_of(moved.type))
        runs = self.places.runs(region, op)
        host = side is Side.HOST
        return (Access(op, place.buffer, effect.mode, value, region, host, runs=runs, side=side),)

    def _from_the_pointer(self, op: Operation, value: SSAValue) -> Iterator[Access]:
        """Yield the write of a gpu.memcpy to `value`, whose offset and strides LLVM's lowering ignores."""
        place = self.places.place(value)
        if place is not None:
            region = self.places.from_the_pointer(value, place.region)
            yield Access(op, place.buffer, Mode.WRITE, value, region, runs=self.places.runs(region, op))

    def _elements(self, op: Operation, value: SSAValue, inside: set[Operation]) -> list[Access]:
        """Return the accesses of a gpu.launch to `value`, if each access is to the same elements in all
        threads.

        Returns an empty list if an access depends on a value defined in the body.
        """
        place = self.places.place(value)
        found: list[Access] = []
        for use in value.uses:
            inner = use.operation
            if inner not in inside:
                continue
            effects = [e for e in effects_of(inner) or () if e.operand == use.index]
            if place is None or not effects or any(e.indices is None for e in effects):
                return []
            for effect in effects:
                region = self.places.part(inner, effect, place.region)
                made_of = [v for s in region.symbols for v in (s, *self.places.made_of.get(s, ()))]
                if region.offset is None or any(_defined_in(v) in inside for v in made_of):
                    return []
                runs = self.places.runs(region, op)
                access = Access(op, place.buffer, effect.mode, value, region, runs=runs, side=Side.KERNEL)
                found.append(access)
        return found

    def _whole(
        self,
        op: Operation,
        value: SSAValue,
        mode: Mode,
        side: Side | None = None,
        *,
        host: bool = False,
        sure: bool = True,
        parts: tuple[Part, ...] | None = None,
    ) -> Iterator[Access]:
        place = self.places.place(value)
        if place is not None:
            runs = self.places.runs(place.region, op)
            region = place.region
            yield Access(op, place.buffer, mode, value, region, host, sure, runs=runs, parts=parts, side=side)

    def _through_pointer(
        self, op: LaunchFuncOp, pointer: SSAValue, mode: Mode, threads: Touching | None, *, sure: bool
    ) -> Iterator[Access]:
        """Yield the access of a kernel to the memory of a pointer argument."""
        place = self.places.place(pointer)
        if place is None:
            return
        threads, region = self._of_pointer(place.region, threads, op.kernel_operands)
        runs = self.places.runs(region, op)
        yield Access(
            op, place.buffer, mode, pointer, region, False, sure, runs=runs, side=Side.KERNEL, threads=threads
        )

    def _of_pointer(
        self, place: Region, threads: Touching | None, passed: Sequence[SSAValue]
    ) -> tuple[Touching | None, Region]:
        """Return the part that a launch touches through a pointer to `place`, with the launch's threads.

        If the threads' addresses are unknown, the part depends on the integers in `passed`, and there
        are no threads."""
        footprint = threads.footprint if threads is not None and place.offset is not None else None
        if threads is None or footprint is None or (bounds := footprint.bounds) is None:
            return None, behind(place, passed, self.places.integers)
        return threads._replace(begins=bounds[0]), between(place, *bounds)

    def _running(self, op: LaunchFuncOp, kernel: KernelInfo | None) -> Running | None:
        """Return the launched kernel with its sizes and arguments; None if its program or size is unknown."""
        if kernel is None or kernel.program is None:
            return None
        grid, block = (list(map(self._constant, sizes)) for sizes in (op.grid_size, op.block_size))
        arguments = tuple(op.kernel_operands)
        if len(arguments) == len(kernel.types):
            return launched(kernel.program, grid, block, list(map(self._constant, arguments)))
        fields = [field for at, each in enumerate(arguments) for field in self._fields(at, each)]
        if len(fields) != len(kernel.types):
            return None
        running = launched(kernel.program, grid, block, [None] * len(fields))
        return running._replace(given=tuple(fields)) if running is not None else None

    def _fields(self, number: int, argument: SSAValue) -> list[Given]:
        """Return the kernel arguments for the launch operand `argument`, if the kernel is already lowered.

        A memref becomes the fields of its descriptor."""
        if not is_memref(argument.type):
            return [Shown(number) if is_pointer(argument) else self._constant(argument)]
        shown, known = whole(argument), parameter_of(argument)
        width, base = shown.width, known.base if known is not None else None
        if not width or not isinstance(argument.type, MemRefType):
            return [None] * descriptor_width(argument.type)
        pointer = Shown(number, base, (), base)
        sizes = [size.constant if size is not None and not size.terms else None for size, *_ in shown.extents]
        strides = [stride // width if stride is not None else None for _, stride, *_ in shown.extents]
        return [pointer, pointer, -base // width if base is not None else None, *sizes, *strides]

    def _constant(self, value: SSAValue) -> int | None:
        if points(value.type):
            return None
        known = self.places.integers.read(value)
        return known.constant if not known.terms else None

    def _inner_threads(self, op: Operation, value: SSAValue) -> Touching | None:
        """Return the threads of a gpu.launch that access `value`; None if the launch's size is unknown."""
        if not isinstance(op, LaunchOp) or not op.regions[0].blocks:
            return None
        program, outside = program_of(op.regions[0])
        grid, block = (list(map(self._constant, sizes)) for sizes in (op.grid_size, op.block_size))
        running = launched(program, grid, block, ())
        own = len(op.regions[0].blocks[0].args)
        if running is None or own > len(LAUNCHED):
            return None
        given: list[Given] = []
        for at, each in enumerate(outside):
            known = parameter_of(each)
            given.append(self._constant(each) if known is None else Shown(at, 0, *known))
        running = running._replace(given=(*LAUNCHED[:own], *given))
        return Touching(running, outside.index(value)) if value in outside else None

    def _parts(self, op: LaunchFuncOp, kernel: KernelInfo | None, number: int) -> tuple[Part, ...] | None:
        """Return the parts of operand `number` of a launch that the threads access; None if unknown."""
        arguments = tuple(op.kernel_operands)
        if kernel is None or len(kernel.elements) != len(arguments):
            return None
        elements = kernel.elements[number]
        if elements is None:
            return None

        def read(factor: Factor) -> Linear | None:
            if not isinstance(factor, Symbol):
                return None
            if factor.kind == "argument":
                return self.places.integers.read(arguments[factor.number])
            return self.places.integers.read(_sizes(op, factor.kind)[factor.number])

        return parts(elements, read)

    def _inner_parts(self, op: Operation, value: SSAValue, inside: set[Operation]) -> tuple[Part, ...] | None:
        """Return the parts of `value` that the threads of a gpu.launch access; None if unknown."""
        body = op.regions[0].blocks[0] if isinstance(op, LaunchOp) and op.regions[0].blocks else None
        if not isinstance(op, LaunchOp) or body is None:
            return None
        elements = Threads(body, 0, is_launch=True).touched(value, inside)

        def read(factor: Factor) -> Linear:
            if isinstance(factor, Symbol):
                return self.places.integers.read(_sizes(op, factor.kind)[factor.number])
            return self.places.integers.read(factor)

        return parts(elements, read) if elements is not None else None


def _by(threads: Touching | None, accesses: Iterator[Access]) -> Iterator[Access]:
    """Yield `accesses` with their field `threads` set."""
    for access in accesses:
        access.threads = threads
        yield access


def _sizes(op: LaunchFuncOp | LaunchOp, kind: str) -> tuple[SSAValue, SSAValue, SSAValue]:
    return op.block_size if kind == "block" else op.grid_size


def _defined_in(value: SSAValue) -> Operation | None:
    """Return the op that defines `value`, or the parent op of the block that it is an argument of."""
    owner = value.owner
    return owner if isinstance(owner, Operation) else owner.parent_op()


def _is_same(one: Stream | None, other: Stream | None) -> bool:
    return type(one) is type(other) and one == other


def _kernel(op: LaunchFuncOp, context: FileContext) -> KernelInfo | None:
    """Return the kernel that a launch refers to; None if this file does not define it."""
    symbol = kernel_symbol(op)
    return context.kernels.get(symbol) if symbol is not None else None


def kernel_modes(info: KernelInfo | None, arguments: tuple[SSAValue, ...]) -> list[Mode | None] | None:
    """Return how the kernel accesses each launch operand; None for a kernel without a body."""
    if info is None or info.modes is None:
        return None
    if len(info.modes) == len(arguments):
        return list(info.modes)
    # A lowered kernel has an argument for each field of a memref's descriptor.
    modes: list[Mode | None] = []
    at = 0
    for argument in arguments:
        width = descriptor_width(argument.type)
        fields = [m for m in info.modes[at : at + width] if m is not None]
        modes.append(None if not fields else fields[0] if len(set(fields)) == 1 else Mode.BOTH)
        at += width
    return modes if at == len(info.modes) else None


def descriptor_width(kind: Attribute) -> int:
    """Return the number of values that a value of this type lowers to: a descriptor's fields, or one."""
    return 3 + 2 * kind.get_num_dims() if kinds.is_memref(kind) else 1
