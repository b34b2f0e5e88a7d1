"""The address and condition computations of a kernel, as a program that can be run and compared.

Values are numbered registers; a register that no step sets is unknown. Ops for which there is no step affect
neither integers nor memory. A `lose` step marks memory that may be touched anywhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from xdsl.dialects.builtin import (
    AffineMapAttr,
    AffineSetAttr,
    DenseArrayBase,
    IndexType,
    IntegerAttr,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from gpuasync_lsp.analysis.model.conditions import constant
from gpuasync_lsp.analysis.model.memory.elements import ASKING
from gpuasync_lsp.analysis.model.memory.moves import moves_of, size_of
from gpuasync_lsp.analysis.model.memory.nests import affine_sides, counters_of
from gpuasync_lsp.analysis.model.memory.numbers import INTEGERS, PREDICATES
from gpuasync_lsp.analysis.model.memory.places import DYNAMIC, whole
from gpuasync_lsp.analysis.model.memory.widths import width_of
from gpuasync_lsp.syntax.dialects.gpu.device import DimensionOp
from gpuasync_lsp.syntax.effects import (
    ALIASES,
    Effect,
    Mode,
    effects_of,
    is_memref,
    points,
    segments,
    with_all_elements,
)
from gpuasync_lsp.syntax.kinds import is_integer, vector_type
from gpuasync_lsp.text.cached_property import cached_property


class Step(NamedTuple):
    """One operation of a program; `name` is its kind, `detail` its static operands."""

    name: str
    results: tuple[int, ...]
    given: tuple[int, ...]
    detail: tuple[Any, ...] = ()
    """Static operands; their number and types depend on `name`."""
    bodies: tuple[Body, ...] = ()


class Straight(NamedTuple):
    """A basic block: its arguments, its steps, and its terminator with operands."""

    arguments: tuple[int, ...]
    steps: tuple[Step, ...]
    end: str
    given: tuple[int, ...]
    ways: tuple[tuple[int, tuple[int, ...]], ...] = ()
    """The successors of a branch, as (block number, registers passed to it)."""


Body = tuple[Straight, ...]


class Parameter(NamedTuple):
    """The static layout of a memref or pointer argument."""

    strides: tuple[int | None, ...] = ()
    base: int | None = 0
    """Position of the memref descriptor's pointer, in bytes from the first element."""


class Program:
    """The computations of a kernel; equal programs compute equal values."""

    def __init__(
        self,
        body: Body,
        constants: tuple[tuple[int, int], ...],
        parameters: tuple[Parameter | None, ...] = (),
    ) -> None:
        self.body, self.constants, self.parameters = body, constants, parameters

    @cached_property
    def _key(self) -> int:
        return hash((self.body, self.constants, self.parameters))

    def __hash__(self) -> int:
        """Return the hash, cached because a context looks the program up after each edit."""
        return self._key

    def __eq__(self, other: object) -> bool:
        """Return whether both programs have the same steps and constants."""
        return self is other or (
            isinstance(other, Program)
            and self._key == other._key
            and (self.body, self.constants, self.parameters)
            == (other.body, other.constants, other.parameters)
        )

    def uses(self, name: str) -> bool:
        """Return whether the program uses `name`, an id or size of the launch, such as `thread x`."""
        return name in self._launch_numbers

    @cached_property
    def _launch_numbers(self) -> frozenset[str]:
        return frozenset(_launch_numbers(self.body))


def _launch_numbers(body: Body) -> Iterable[str]:
    for block in body:
        for step in block.steps:
            if step.name in ("launch", "global id"):
                yield from map(str, step.detail)
            for inner in step.bodies:
                yield from _launch_numbers(inner)


def program_of(region: Region) -> tuple[Program, tuple[SSAValue, ...]]:
    """Translate the body of a kernel into a program.

    Also returns the values from outside the body, which follow its arguments as arguments of the program.
    """
    return Writer().program(region)


def parameter_of(value: SSAValue) -> Parameter | None:
    """Return the static layout of the memory of `value`; None if its type is not a memref or pointer."""
    if not points(value.type):
        return None
    if not is_memref(value.type):
        return Parameter()
    begins = whole(value).offset
    base = -begins.constant if begins is not None and not begins.terms else None
    return Parameter(strides_of(value), base)


_AXES = "xyz"
_SREG = {"tid": "thread", "ctaid": "block", "ntid": "block size", "nctaid": "grid size"}
_SIZES = {
    "gpu.thread_id": "thread",
    "gpu.block_id": "block",
    "gpu.block_dim": "block size",
    "gpu.grid_dim": "grid size",
}
_CONVERTING = {
    **dict.fromkeys(("arith.index_cast", "arith.extsi", "arith.trunci", "llvm.sext", "llvm.trunc"), True),
    **dict.fromkeys(("arith.index_castui", "arith.extui", "llvm.zext", "index.castu"), False),
    "index.casts": True,
}
"""Maps each integer cast op to whether it sign-extends."""
_SAME = frozenset({"llvm.bitcast", "llvm.addrspacecast", "llvm.inttoptr", "llvm.ptrtoint"})
_OWN = frozenset(
    {
        "memref.alloca",
        "memref.alloc",
        "memref.get_global",
        "gpu.dynamic_shared_memory",
        "llvm.alloca",
        "llvm.mlir.addressof",
    }
)
"""Ops that create memory that is not shared with other launches."""
_SILENT = frozenset(
    {"gpu.barrier", "nvvm.barrier0", "gpu.terminator", "llvm.mlir.poison", "llvm.mlir.undef", "gpu.printf"}
) | frozenset(ASKING)
_ENDS = frozenset(
    {
        *("scf.yield", "scf.condition", "scf.reduce", "scf.forall.in_parallel", "affine.yield"),
        *("gpu.return", "gpu.terminator", "llvm.return", "llvm.unreachable"),
    }
)
_ONE_ELEMENT = frozenset({"memref.generic_atomic_rmw"})
"""Ops whose regions compute the new value of one element."""
_OF_LAUNCHES = 100
"""An upper bound on the number of a launch's ids and sizes, which use the first negative registers."""
_BRANCHES = {"cf.br": 0, "llvm.br": 0, "cf.cond_br": 1, "llvm.cond_br": 1, "cf.switch": 1, "llvm.switch": 1}
"""Maps branches to the number of operands that precede the successors' operands."""


class Writer:
    """Translates the ops of one kernel into steps."""

    def __init__(self) -> None:
        self.registers: dict[SSAValue, int] = {}
        self.defined: set[SSAValue] = set()
        self.constants: list[tuple[int, int]] = []
        self.more = 0

    def program(self, region: Region) -> tuple[Program, tuple[SSAValue, ...]]:
        """Translate the body of a kernel; see `program_of`."""
        body = self.body(region)
        outside = tuple(value for value in self.registers if value not in self.defined)
        first = body[0]._replace(
            arguments=(*body[0].arguments, *(self.registers[value] for value in outside))
        )
        parameters = tuple(parameter_of(value) for value in region.blocks[0].args)
        return Program((first, *body[1:]), tuple(self.constants), parameters), outside

    def body(self, region: Region) -> Body:
        blocks = list(region.blocks)
        number = {block: at for at, block in enumerate(blocks)}
        return tuple(self._block(block, number) for block in blocks)

    def _block(self, block: Block, number: dict[Block, int]) -> Straight:
        self.defined.update(block.args)
        arguments = self._all(block.args)
        steps: list[Step] = []
        for op in block.ops:
            if (
                op is block.last_op
                and not op.results
                and (not op.regions or (op.name in _ENDS and not _takes_memory(op)))
            ):
                break
            self.defined.update(op.results)
            steps += self.steps(op)
        last = block.last_op
        if last is None:
            return Straight(arguments, tuple(steps), "end", ())
        ways: list[tuple[int, tuple[int, ...]]] = []
        if last.name in _BRANCHES and all(way in number for way in last.successors):
            ways = [(number[way], given) for way, given in self._ways(last)]
        elif last.name not in _ENDS:
            steps.append(Step("give up", (), ()))
        return Straight(arguments, tuple(steps), last.name, self._all(last.operands), tuple(ways))

    def _ways(self, branch: Operation) -> Iterable[tuple[Block, tuple[int, ...]]]:
        at = _BRANCHES[branch.name]
        for successor in branch.successors:
            given = list(branch.operands)[at : at + len(successor.args)]
            at += len(successor.args)
            yield successor, self._all(given)

    def _all(self, values: Iterable[SSAValue]) -> tuple[int, ...]:
        return tuple(self.register(value) for value in values)

    def register(self, value: SSAValue) -> int:
        found = self.registers.get(value)
        if found is None:
            found = self.registers[value] = len(self.registers)
            if (known := constant(value)) is not None:
                self.defined.add(value)
                self.constants.append((found, known))
        return found

    def steps(self, op: Operation) -> list[Step]:
        """Return the steps for `op`; empty for an op that affects neither integers nor memory."""
        if constant(op.results[0]) is not None if op.results else op.name in _SILENT:
            return []
        written = self._integer(op) or self._memory(op) or self._structured(op)
        if written is not None:
            return [written]
        effects = effects_of(op)
        if op.regions and not (
            op.name in _ONE_ELEMENT or (op.name.startswith("linalg.") and not _takes_memory(op))
        ):
            return [Step("give up", (), ())]
        if effects is not None and (accesses := self._accesses(op, effects)) is not None:
            known = {effect.operand for effect in effects}
            others = [v for n, v in enumerate(op.operands) if n not in known and is_memref(v.type)]
            if others and op.name not in ASKING:  # Values derived from the memref may access its memory.
                accesses.append(Step("lose", (), self._all(others)))
            return accesses
        if any(operand.type.name == "llvm.struct" for operand in op.operands):
            return [] if op.name in ("llvm.insertvalue", "llvm.extractvalue") else [Step("give up", (), ())]
        return [Step("lose", (), self._all(v for v in op.operands if _leads_to_memory(v)))]

    def _step(
        self, name: str, op: Operation, *detail: object, given: Sequence[SSAValue] | None = None
    ) -> Step:
        operands = op.operands if given is None else given
        return Step(name, self._all(op.results), self._all(operands), detail)

    # Integers

    def _integer(self, op: Operation) -> Step | None:
        name = op.name
        if (kind := INTEGERS.get(name)) is not None:
            bits = bits_of(op.results[0].type)
            return self._step("compute", op, kind, bits) if bits is not None else None
        if name in ("arith.cmpi", "llvm.icmp"):
            bits, kept = bits_of(op.operands[0].type), op.properties.get("predicate")
            if bits is None or not isinstance(kept, IntegerAttr):
                return None
            return self._step("compute", op, PREDICATES[kept.value.data], bits)
        if name in _CONVERTING:
            bits, to = bits_of(op.operands[0].type), bits_of(op.results[0].type)
            return self._step("convert", op, bits, to, _CONVERTING[name]) if bits and to else None
        if name in ("arith.select", "llvm.select"):
            return self._step("select", op)
        if isinstance(op, DimensionOp):
            axis = str(op.dimension.data.value)
            if name == "gpu.global_id":
                return self._step(
                    "global id", op, *(f"{kind} {axis}" for kind in ("block", "block size", "thread"))
                )
            return self._step("launch", op, f"{_SIZES[name]} {axis}") if name in _SIZES else None
        if name.startswith("nvvm.read.ptx.sreg."):
            kind, _, axis = name.removeprefix("nvvm.read.ptx.sreg.").partition(".")
            return self._step("launch", op, f"{_SREG[kind]} {axis}") if kind in _SREG and axis else None
        kept = op.properties.get("map")
        if name in ("affine.apply", "affine.min", "affine.max") and isinstance(kept, AffineMapAttr):
            return self._step(name, op, kept.data)
        if name in ("affine.delinearize_index", "affine.linearize_index") and len(op.operands):
            basis = _integers(op, "static_basis")
            return self._step(name, op, *basis) if DYNAMIC not in basis else None
        return None

    # Memory

    def _memory(self, op: Operation) -> Step | None:
        name = op.name
        if name in _OWN:
            return self._step("own", op, given=())
        if name in _SAME:
            return self._step("same", op)
        if name == "memref.extract_aligned_pointer_as_index":
            return self._step("same", op)
        if name == "llvm.extractvalue":
            inserted = _inserted(op)
            return self._step("same", op, given=[inserted]) if inserted is not None else None
        if name == "llvm.getelementptr":
            # Imported here because it loads the llvm dialect, which few programs need.
            from gpuasync_lsp.syntax.dialects.llvm.memory import GEPOp

            if not isinstance(op, GEPOp) or (moves := moves_of(op)) is None:
                return None
            return self._step(
                "moved", op, *(n for _, n in moves[0]), moves[1], given=[op.base, *(v for v, _ in moves[0])]
            )
        if not op.results or not is_memref(op.results[0].type):
            return None
        strides = strides_of(op.results[0])
        if name in ("memref.cast", "memref.memory_space_cast", "memref.assume_alignment"):
            return self._step("same", op, given=op.operands[:1])
        if name == "memref.view":
            return self._step("view", op, *strides, given=op.operands[:2])
        if name == "memref.reinterpret_cast":
            width = width_of(vector_type(op.results[0].type).element_type)
            return self._parts(op, "reinterpret", width)
        if name == "memref.subview":
            kept = tuple(vector_type(op.results[0].type).get_shape())
            return self._parts(op, "subview", kept)
        if name in ALIASES:
            return self._step("reshaped", op, *strides, given=op.operands[:1])
        return None

    def _parts(self, op: Operation, name: str, detail: object) -> Step:
        """Translate a view op with offsets, sizes and strides, each static or dynamic.

        The step's operands are the memref, then the dynamic values.
        """
        groups = segments(op)
        given = list(op.operands)
        at = 1
        static: list[tuple[int | None, ...]] = []
        order: list[SSAValue] = [given[0]]
        for place, kind in enumerate(("static_offsets", "static_sizes", "static_strides"), 1):
            numbers: list[int | None] = []
            dynamic = iter(given[at : at + groups[place]])
            at += groups[place]
            for number in _integers(op, kind):
                if number != DYNAMIC:
                    numbers.append(number)
                    continue
                numbers.append(None)
                order.append(next(dynamic))
            static.append(tuple(numbers))
        return self._step(name, op, detail, *static, given=order)

    def _accesses(self, op: Operation, effects: Sequence[Effect]) -> list[Step] | None:
        """Return the access steps of an op; None if it may access unknown elements."""
        if op.name in ("llvm.load", "llvm.store", "llvm.atomicrmw", "llvm.cmpxchg"):
            if len(effects) != 1:
                return None  # The address is not a pointer; the verifier rejects the op.
            (effect,) = effects
            value = op.results[0] if op.name == "llvm.load" else op.operands[op.name != "llvm.store"]
            pointer, detail = op.operands[effect.operand], (effect.mode, size_of(value.type), ())
            lost = [value] if op.name == "llvm.store" and _leads_to_memory(value) else []
            return [Step("lose", (), self._all(lost)), Step("access", (), self._all([pointer]), detail)]
        steps: list[Step] = []
        for effect in effects:
            memref = op.operands[effect.operand]
            if effect.scattered or effect.mode is Mode.FREE or not is_memref(memref.type):
                return None
            if (effect := with_all_elements(effect, memref)).indices is None:
                return None
            width = width_of(vector_type(memref.type).element_type)
            detail: tuple[object, ...] = (effect.mode, width, effect.shape)
            if op.name.startswith("affine."):
                kept = op.properties.get("map")
                if not isinstance(kept, AffineMapAttr):
                    return None
                given = [memref, *list(op.operands)[effect.operand + 1 :]]
                detail = (*detail, kept.data)
            else:
                given = [memref, *list(op.operands)[slice(*effect.indices)]]
            steps.append(Step("access", (), self._all(given), detail))
        return steps

    # Loops and branches

    def _structured(self, op: Operation) -> Step | None:
        name = op.name
        if name in ("scf.if", "scf.for", "scf.while", "scf.execute_region"):
            return self._around(name, op)
        if name == "scf.index_switch":
            return self._switch(op)
        if name in ("scf.parallel", "scf.forall", "affine.parallel"):
            return self._nest(op)
        if name == "affine.if" and isinstance(kept := op.properties.get("condition"), AffineSetAttr):
            return self._around(name, op, kept.data)
        if name == "affine.for":
            low, high, step = (op.properties.get(key) for key in ("lowerBoundMap", "upperBoundMap", "step"))
            if (
                isinstance(low, AffineMapAttr)
                and isinstance(high, AffineMapAttr)
                and isinstance(step, IntegerAttr)
            ):
                groups = segments(op)
                return self._around(name, op, low.data, high.data, step.value.data, *groups[:2])
        return None

    def _switch(self, op: Operation) -> Step:
        """Translate an scf.index_switch into nested conditions, each inside the else region of the previous
        one."""
        results, flag = self._all(op.results), self.register(op.operands[0])
        otherwise, *bodies = [self.body(region) for region in op.regions]
        for number, body in reversed(list(zip(_integers(op, "cases"), bodies, strict=True))):
            case, is_equal = self._number(number), self._fresh()
            compare = Step("compute", (is_equal,), (flag, case), ("eq", 64))
            choose = Step("scf.if", results, (is_equal,), (), (body, otherwise))
            otherwise = (Straight((), (compare, choose), "scf.yield", results),)
        return Step("scf.execute_region", results, (), (), (otherwise,))

    def _nest(self, op: Operation) -> Step | None:
        """Translate a loop over several induction variables into nested loops; its results are unknown."""
        before: list[Step] = []
        bounds = self._computed_bounds(op, before) if op.name == "affine.parallel" else self._bounds(op)
        body = self.body(op.regions[0])
        if bounds is None or len(body) != 1:
            return None
        counters = body[0].arguments[: len(bounds)]
        inner = body[0]._replace(arguments=(), end="scf.yield", given=())
        for counter, given in reversed(list(zip(counters, bounds, strict=True))):
            loop = Step("scf.for", (), given, (), ((inner._replace(arguments=(counter,)),),))
            inner = Straight((), (loop,), "scf.yield", ())
        return Step("scf.execute_region", (), (), (), ((inner._replace(steps=(*before, *inner.steps)),),))

    def _bounds(self, op: Operation) -> list[tuple[int, ...]] | None:
        counters = counters_of(op)
        if counters is None:
            return None
        return [
            tuple(self._number(v) if isinstance(v, int) else self.register(v) for v in c) for c in counters
        ]

    def _computed_bounds(self, op: Operation, before: list[Step]) -> list[tuple[int, ...]] | None:
        """Return the bounds of an affine.parallel as registers; append the steps that compute them to
        `before`."""
        bounds = affine_sides(op)
        if bounds is None:
            return None
        *sides, steps = bounds
        found: list[list[int]] = []
        for name, given, maps in sides:
            found.append([self._fresh() for _ in maps])
            registers = self._all(given)
            before += [
                Step(name, (to,), registers, (kept,)) for to, kept in zip(found[-1], maps, strict=True)
            ]
        return list(zip(*found, map(self._number, steps), strict=True))

    def _number(self, value: int) -> int:
        register = self._fresh()
        self.constants.append((register, value))
        return register

    def _fresh(self) -> int:
        self.more += 1
        return -_OF_LAUNCHES - self.more

    def _around(self, name: str, op: Operation, *detail: object) -> Step:
        given = self._all(op.operands)
        bodies = tuple(self.body(region) for region in op.regions)
        return Step(name, self._all(op.results), given, detail, bodies)


def _takes_memory(op: Operation) -> bool:
    """Return whether an op in the regions of `op` has an operand that is memory or may be an address."""
    return any(_leads_to_memory(value) for inner in op.walk() if inner is not op for value in inner.operands)


def bits_of(kind: Attribute) -> int | None:
    """Return the width of an integer or index type in bits; None for any other type."""
    if isinstance(kind, IndexType):
        return 64
    return kind.width.data if is_integer(kind) else None


def strides_of(memref: SSAValue) -> tuple[int | None, ...]:
    """Return the stride of each dimension in bytes; None for a dynamic stride."""
    return tuple(extent.stride for extent in whole(memref).extents)


def _leads_to_memory(value: SSAValue) -> bool:
    """Return whether a value is memory or may be an address."""
    return points(value.type) or bits_of(value.type) == 64


def _integers(op: Operation, name: str) -> tuple[int, ...]:
    kept = op.properties.get(name)
    return tuple(int(n) for n in kept.get_values()) if isinstance(kept, DenseArrayBase) else ()


def _inserted(extract: Operation) -> SSAValue | None:
    """Return the value that `extract` reads from an aggregate built by llvm.insertvalue; None if unknown."""
    place = _integers(extract, "position")
    value: SSAValue = extract.operands[0]
    while isinstance(owner := value.owner, Operation) and owner.name == "llvm.insertvalue":
        there = _integers(owner, "position")
        if there == place:
            return owner.operands[1]
        if there[: len(place)] == place or place[: len(there)] == there:
            return None
        value = owner.operands[0]
    return None
