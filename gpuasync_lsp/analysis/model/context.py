"""The context of a function: kernels, callees and callers in its chunk, and the enclosing modules.

`summarize` computes the summary of an item once; `file_contexts` joins the summaries of a chunk. An edit
inside one function changes the context of others only if it changes the summary.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import NamedTuple

from xdsl.dialects.builtin import FunctionType, MemRefType, UnitAttr, UnrankedMemRefType
from xdsl.ir import Attribute, Block, BlockArgument, Operation, SSAValue

from gpuasync_lsp.analysis.model.capture import Breaks, breaks_capture
from gpuasync_lsp.analysis.model.dependents import Dependents, Does
from gpuasync_lsp.analysis.model.kernels import (
    Modes,
    Resolve,
    argument_elements,
    argument_modes,
    declared,
    local_modes,
)
from gpuasync_lsp.analysis.model.launch_limits import Declared, declared_by, targets_of
from gpuasync_lsp.analysis.model.memory.elements import Element
from gpuasync_lsp.analysis.model.memory.linear import Integers
from gpuasync_lsp.analysis.model.memory.programs import Program, bits_of, program_of
from gpuasync_lsp.analysis.model.memory.returned import View
from gpuasync_lsp.analysis.model.passing import CARRYING, PASSING
from gpuasync_lsp.analysis.model.reaching import reaching
from gpuasync_lsp.analysis.model.returned_tokens import NO_TOKENS, Token, Traces, depends_on, made_by, trace
from gpuasync_lsp.analysis.model.returned_tokens import resolve as resolve_tokens
from gpuasync_lsp.analysis.model.sharing import Shared, by_callee, shared_arguments
from gpuasync_lsp.analysis.model.summaries import CallEffect, Kernel, Summary, resolve, summarize_body
from gpuasync_lsp.analysis.model.symbols import arguments_of, callee_of, kernel_symbol
from gpuasync_lsp.analysis.model.terms import Origin
from gpuasync_lsp.syntax.cutter import PartKind
from gpuasync_lsp.syntax.dialects.gpu import AsyncTokenType, LaunchFuncOp, LaunchOp
from gpuasync_lsp.syntax.effects import Mode
from gpuasync_lsp.syntax.opaque import OpaqueOp
from gpuasync_lsp.syntax.parser.problem import DEFECT, Problem
from gpuasync_lsp.syntax.source import Chunk, Item, PlacedItem
from gpuasync_lsp.syntax.symbols import Symbol, symbol_name, symbol_of
from gpuasync_lsp.text import BEGIN, END, MODULE, Edit, Span
from gpuasync_lsp.text.cached_property import cached_property
from gpuasync_lsp.text.defects import contained
from gpuasync_lsp.text.recent import Key

CONTAINER = "gpu.container_module"
WITH_SEQUENCES = "transform.with_named_sequence"
_KEY = "analysis.key"
_NVVM = re.compile(r"[#\"\s({\[=,<]nvvm\.")
_LOADS_NVVM = (
    "nvvm-attach-target",
    "convert-gpu-to-nvvm",
    "convert-nvgpu-to-nvvm",
    "convert-nvvm-to-llvm",
)


class Early(NamedTuple):
    """The accesses of a kernel before its `griddepcontrol.wait`; the fields are those of `KernelInfo`."""

    modes: tuple[Mode | None, ...] = ()
    elements: tuple[tuple[Element, ...] | None, ...] = ()
    program: Program | None = None


WITHOUT_WAIT = Early()
"""The value for a kernel without `griddepcontrol.wait`."""


@dataclass(frozen=True, slots=True)
class KernelInfo:
    """A function of a gpu.module, or another symbol in it."""

    container: str
    name: str
    op_name: str
    is_kernel: bool
    types: tuple[Attribute, ...]
    modes: tuple[Mode | None, ...] | None
    """How the body accesses each memref or pointer argument; None if there is no body."""
    elements: tuple[tuple[Element, ...] | None, ...]
    """Per argument, the elements that the kernel's threads access; None if unknown."""
    program: Program | None
    """The address computation of the kernel's threads; None for other functions, or without a body."""
    span: Span
    """Span of the function's name, relative to its item."""
    mark: Edit | None
    """The edit that marks the function as a kernel, relative to its item.

    It is None for a kernel, and for a function in the generic form."""
    declared: Declared
    """The launch limits that the function's attributes declare."""
    dependents: frozenset[Does] = frozenset()
    """The roles of the function's ops in dependent launches."""
    early: Early = WITHOUT_WAIT
    """The kernel's accesses before `griddepcontrol.wait`; empty if the kernel has no such op."""


@dataclass(frozen=True, slots=True)
class FunctionInfo:
    """The facts about one host function that its callers need."""

    name: str
    declared_only: bool
    inputs: tuple[Attribute, ...]
    returns: tuple[Token, ...]
    """Origin of each returned token; UNKNOWN for a result that is not a token."""
    memref_modes: tuple[Mode | None, ...]
    """How the function's host code accesses each memref argument; None for no access.

    This field, and the memory effects after it, are computed only for functions that are called."""
    lends_to: frozenset[str] | None
    """The callees to which the function passes tokens.

    None if the function may itself wait for a token argument or let it escape."""
    destroys: frozenset[int] = frozenset()
    """The numbers of the token arguments that every call of the function waits on and thereby destroys."""
    works_on: frozenset[int] = frozenset()
    """The numbers of the token arguments on whose streams the function may enqueue work itself."""
    breaks: Breaks | None = None
    """The first operation in the body that breaks stream capture; None if there is none."""
    calls: frozenset[str] = frozenset()
    """The functions that the body calls."""
    effects: tuple[CallEffect, ...] | None = None
    """The memory effects of a call; None if unknown."""
    same_as: tuple[int | None, ...] = ()
    """Per result, the number of the argument that the function returns unchanged, or None."""
    views: tuple[int | None, ...] = ()
    """Per result, the number of the only argument that it may be or alias; None if there is none."""
    parts: tuple[View | None, ...] = ()
    """Per result, the part of the aliased argument's memory that it refers to; None if unknown."""
    choices: tuple[tuple[int, ...], ...] = ()
    """Per result, the arguments that it may alias; empty if `views` contains the only one."""
    made: tuple[int, ...] = ()
    """The numbers of the results that are device memory and that the caller has to free."""
    made_on_host: tuple[int, ...] = ()
    """The numbers of the results that are host memory, allocated by the function and not registered."""
    summary: Summary | None = None
    """The effects of the body before those of callees are added; None once `effects` is set."""
    traces: Traces = NO_TOKENS
    """The origins of returned tokens before callees are resolved; empty once `returns` is set."""
    launches: bool = False
    """Whether the body of the function launches a kernel, callees not included."""
    is_one_launch: bool = False
    """Whether the function launches exactly one kernel, and otherwise uses no streams and calls no
    functions."""


@dataclass(frozen=True, slots=True)
class Call:
    """A call that passes tokens, with the origin of each token."""

    callee: str
    arguments: tuple[Token, ...]
    caller: str
    always: bool
    """Whether every call of `caller` executes this call, which is in the entry block and in no region."""


class Sizes(NamedTuple):
    """The sizes and arguments of a launch; None for each value that is not constant."""

    grid: tuple[int | None, ...]
    block: tuple[int | None, ...]
    arguments: tuple[int | None, ...] = ()
    """The launch's arguments; None for an argument that is not a constant integer."""


Sized = tuple[tuple[str, str], Sizes]
"""A kernel, as (container, name), with the sizes of one of its launches."""


@dataclass(frozen=True, slots=True)
class ItemSummary:
    """The facts about one item that other items depend on."""

    symbols: tuple[tuple[str, Symbol], ...] = ()
    """Symbols that the item defines in the enclosing module."""
    hidden: frozenset[str] = frozenset()
    """Symbols that unparsable text in the item may define."""
    kernels: tuple[KernelInfo, ...] = ()
    functions: tuple[FunctionInfo, ...] = ()
    calls: tuple[Call, ...] = ()
    nvvm: bool = False
    spirv: bool = False
    launches: tuple[tuple[str, int], ...] = ()
    """The kernel containers from which the item launches, with the number of launches."""
    called: frozenset[str] = frozenset()
    """The functions that the item calls."""
    shared: tuple[Shared, ...] = ()
    """Calls that pass the same memref as several arguments."""
    sizes: frozenset[Sized] = frozenset()
    """The sizes of launches with constant block sizes, by kernel."""


@dataclass(frozen=True, eq=False)
class FileContext:
    """The context that the functions of a chunk share within one enclosing module."""

    symbols: dict[str, Symbol] = field(default_factory=dict[str, Symbol])
    """Symbols defined in the closest module."""
    hidden: frozenset[str] = frozenset()
    """Symbols that unparsable text in the closest module may define."""
    redefined: frozenset[str] = frozenset()
    """Symbols of the current item that an earlier item defines too."""
    kernels: dict[tuple[str, str], KernelInfo] = field(default_factory=dict[tuple[str, str], KernelInfo])
    functions: dict[str, FunctionInfo] = field(default_factory=dict[str, FunctionInfo])
    passed: dict[str, dict[int, frozenset[Origin]]] = field(
        default_factory=dict[str, dict[int, frozenset[Origin]]]
    )
    """Per function and argument number, the origins of the tokens that callers in the file pass."""
    shared: Mapping[str, Mapping[int, int]] = field(default_factory=dict[str, Mapping[int, int]])
    """Per function, maps each argument that aliases an earlier one in some call to the earlier one's
    number."""
    launches: dict[str, int] = field(default_factory=dict[str, int])
    sizes: frozenset[Sized] = frozenset()
    """The sizes of launches with constant block sizes, by kernel."""
    lending: frozenset[str] = frozenset()
    """Functions that neither wait on tokens passed to them nor let them escape; callers still own the
    tokens."""
    destroying: frozenset[tuple[str, int]] = frozenset()
    """Token arguments, as (function, number), that a call destroys with a wait, in the function or in a
    callee."""
    working: frozenset[tuple[str, int]] = frozenset()
    """Token arguments, as (function, number), on whose streams a call may enqueue work."""
    breaking: Mapping[str, Breaks] = field(default_factory=dict[str, Breaks])
    """Functions that break stream capture, themselves or in a callee, with the operation that breaks it."""
    nvvm_loaded: bool = False
    for_spirv: bool = False
    """Whether kernels of the file are compiled for SPIR-V, whose runners pass host memory to them."""
    container_module: bool = True
    """Whether the closest module has `gpu.container_module`; also True if no launch requires it."""
    takes_sequences: bool = True
    """Whether the closest module has, or may have, `transform.with_named_sequence`."""
    module_header: PlacedItem | None = None
    """The line that begins the closest `module`; None outside of modules."""
    wrappable: bool = False
    """Whether all items can be wrapped in a module: the chunk has no module, and no alias between them."""
    pipeline: tuple[str, ...] | None = None
    facts: dict[str, Key] = field(default_factory=dict[str, Key], repr=False)
    """Facts per symbol, memoized for `key`; contexts with equal facts share this dictionary."""

    def key(self, item: Item) -> Key:
        """Return everything in this context that an analysis of `item` can depend on, as a hashable value."""
        known: tuple[FileContext, Key] | None = item.memo.get(_KEY)
        if known is None or known[0] is not self:
            known = item.memo[_KEY] = (self, self._key(item))
        return known[1]

    def _key(self, item: Item) -> Key:
        summary = summarize(item)
        launches = dict(summary.launches)
        own = {(kernel.container, kernel.name) for kernel in summary.kernels}
        # It matters whether other items launch from a container, but not how often.
        named = tuple(
            (name, self._facts(name), self.launches.get(name, 0) > launches.get(name, 0))
            for name in sorted(item.symbol_uses)
        )
        return Key(
            (
                self.redefined,
                self.nvvm_loaded,
                self.for_spirv,
                self.container_module,
                self.takes_sequences,
                self._line_to_mark,
                self.pipeline,
                self.kernel_modules,
                frozenset(each for each in self.sizes if each[0] in own),
                named,
            )
        )

    def device_modes(self, name: str) -> Modes | None:
        """Return how the host function `name`, called in the body of a gpu.launch, accesses its arguments."""
        info = self.functions.get(name)
        return info.memref_modes if info is not None and not info.declared_only else None

    def lookup(self, name: str) -> Symbol | None:
        """Return the symbol called `name`, or None; raises KeyError if unparsable text may define it."""
        found = self.symbols.get(name)
        if found is None and name in self.hidden:
            raise KeyError(name)
        return found

    @cached_property
    def containers(self) -> dict[str, str]:
        """The name of the op that defines each symbol, for finding kernel containers."""
        return {name: symbol.op_name for name, symbol in self.symbols.items()}

    @cached_property
    def kernel_modules(self) -> tuple[str, ...]:
        """The names of the gpu.modules and gpu.binaries, in text order."""
        return tuple(n for n, kind in self.containers.items() if kind in ("gpu.module", "gpu.binary"))

    @property
    def _line_to_mark(self) -> str | bool:
        """The part of the context that decides how a fix adds a missing module attribute."""
        if self.container_module or self.module_header is None:
            return self.wrappable
        return self.module_header.item.text

    def _facts(self, name: str) -> Key:
        """Return all facts about the symbol `name`, as a hashable value.

        It contains the types themselves, because f32 and f64 have equal hashes."""
        known = self.facts.get(name)
        if known is not None:
            return known
        symbol, function = self.symbols.get(name), self.functions.get(name)
        known = self.facts[name] = Key(
            (
                None if symbol is None else (symbol.op_name, symbol.type),
                symbol is None and name in self.hidden,
                self._kernels_of.get(name),
                None if function is None else (hash(function), function.inputs),
                name in self.lending,
                tuple(sorted(number for callee, number in self.destroying if callee == name)),
                tuple(sorted(number for callee, number in self.working if callee == name)),
                self.breaking.get(name),
                tuple(self.passed.get(name, {}).items()),
                tuple(self.shared.get(name, {}).items()),
            )
        )
        return known

    def after_edit(self, launches: dict[str, int], others: Iterable[FunctionInfo]) -> FileContext:
        """Return this context with other `launches`; `others` are new facts about functions that are not
        called."""
        functions, lending = dict(self.functions), set(self.lending)
        for info in others:
            functions[info.name] = info
            lends = info.lends_to is not None and info.lends_to <= functions.keys() & self.lending
            (lending.add if lends else lending.discard)(info.name)
        differ = {info.name for info in others}
        facts = {name: fact for name, fact in self.facts.items() if name not in differ}
        return replace(
            self,
            launches=launches,
            functions=functions,
            lending=frozenset(lending),
            facts=facts,
        )

    @cached_property
    def _kernels_of(self) -> dict[str, tuple[object, ...]]:
        found: dict[str, list[object]] = {}
        for (container, kernel), info in self.kernels.items():
            found.setdefault(container, []).append((kernel, hash(info), info.types))
        return {container: tuple(kernels) for container, kernels in found.items()}


def file_contexts(
    chunk: Chunk, pipeline: tuple[str, ...] | None = None
) -> list[tuple[PlacedItem, FileContext]]:
    """Return every item of `chunk` with its context; `pipeline` names the passes before gpu-to-llvm."""
    summaries = {placed.item: summarize(placed.item) for placed in chunk.items}
    nvvm = any(s.nvvm for s in summaries.values()) or bool(_NVVM.search(" " + chunk.prelude))
    nvvm = nvvm or any(_NVVM.search(" " + h.item.text) for h in chunk.headers)
    nvvm = nvvm or any(name in step for step in pipeline or () for name in _LOADS_NVVM)
    spirv = any(s.spirv for s in summaries.values()) or any(_is_for_spirv(h.item) for h in chunk.headers)
    scopes = _scopes(chunk)
    items: dict[PlacedItem | None, list[PlacedItem]] = {}
    modules: dict[PlacedItem | None, list[PlacedItem]] = {}
    for within, inner in ((items, chunk.items), (modules, chunk.headers)):
        for placed in inner:
            within.setdefault(scopes.get(placed.offset), []).append(placed)
    wrappable = not chunk.headers and not _has_alias_between(chunk)
    contexts = {
        header: replace(
            _context([p.item for p in here], modules.get(header, ()), is_part=chunk.in_dump and not header),
            nvvm_loaded=nvvm,
            for_spirv=spirv,
            container_module=_is_container(header) or (chunk.in_dump and not header),
            takes_sequences=_takes_sequences(header) or (chunk.in_dump and not header),
            module_header=header,
            wrappable=wrappable,
            pipeline=pipeline,
        )
        for header, here in items.items()
    }
    seen: dict[PlacedItem | None, set[str]] = {}
    result: list[tuple[PlacedItem, FileContext]] = []
    for placed in chunk.items:
        header = scopes.get(placed.offset)
        context = contexts[header]
        earlier = seen.setdefault(header, set[str]())
        names = {name for name, _ in summaries[placed.item].symbols}
        again = earlier & names
        earlier |= names
        if again:
            context = replace(context, redefined=frozenset(again))
        if any(is_container(op) for op in placed.item.ops):
            context = replace(context, container_module=True)
        result.append((placed, context))
    return result


def _context(items: Sequence[Item], modules: Iterable[PlacedItem], *, is_part: bool = False) -> FileContext:
    """Return the context of one module, from its items and the header lines of its nested modules.

    With `is_part`, the items may refer to symbols in a part of the module that is not in the chunk."""
    here = [summarize(item) for item in items]
    called = called_in(items)
    calls = [call for summary in here for call in summary.calls]
    functions = {
        f.name: f if f.declared_only or f.name not in called else _with_body(f, item)
        for item, summary in zip(items, here, strict=True)
        for f in summary.functions
    }
    kernels = {(k.container, k.name): k for summary in here for k in summary.kernels}
    _record_returned_tokens(functions)
    _complete(functions, kernels)
    return FileContext(
        symbols=_symbols(here, modules),
        hidden=frozenset[str]().union(
            *(summary.hidden for summary in here), *(item.symbol_uses for item in items if is_part)
        ),
        kernels=kernels,
        functions=functions,
        shared=by_callee(each for summary in here for each in summary.shared),
        passed=_passed(functions, calls),
        launches=_launches(here),
        sizes=frozenset[Sized]().union(*(summary.sizes for summary in here)),
        lending=_lending(functions),
        destroying=_passed_to(
            {(name, number) for name, info in functions.items() for number in info.destroys},
            [call for call in calls if call.always],
        ),
        breaking=_breaking(functions),
        working=_passed_to(
            {(name, number) for name, info in functions.items() for number in info.works_on}, calls
        ),
    )


def _launches(summaries: Iterable[ItemSummary]) -> dict[str, int]:
    launches: dict[str, int] = {}
    for name, count in (each for summary in summaries for each in summary.launches):
        launches[name] = launches.get(name, 0) + count
    return launches


def contexts_after_edit(
    before: Sequence[PlacedItem], contexts: Sequence[FileContext], chunk: Chunk
) -> tuple[FileContext, ...] | None:
    """Return the contexts of the items of `chunk`, updated from those before an edit.

    `contexts` are those of the items `before` the edit; unchanged ones are reused. Returns None if the edit
    changes more than launches and functions that are not called."""
    called = called_in(placed.item for placed in chunk.items)
    edited: dict[int, list[FunctionInfo]] = {}
    for number, (old, new) in enumerate(zip(before, chunk.items, strict=True)):
        if old.item is new.item or is_same_to_others(old.item, new.item, called):
            continue
        others = _other_functions(old.item, new.item, called)
        if others is None:
            return None
        edited[number] = others
    made: dict[int, FileContext] = {}
    for header in {id(header): header for n in edited for header in (contexts[n].module_header,)}.values():
        if chunk.in_dump and header is None:
            return None
        numbers = [n for n, context in enumerate(contexts) if context.module_header is header]
        launches = _launches(summarize(chunk.items[n].item) for n in numbers)
        others = [info for n in numbers for info in edited.get(n, ())]
        if any(info.name in contexts[n].redefined for n in numbers for info in others):
            return None
        for context in map(contexts.__getitem__, numbers):
            if id(context) not in made:
                made[id(context)] = context.after_edit(launches, others)
    return tuple(made.get(id(context), context) for context in contexts)


def _lending(functions: Mapping[str, FunctionInfo]) -> frozenset[str]:
    """Return the functions that neither wait on token arguments nor let them escape, callees included."""
    keeping = {
        name: [True] if info.lends_to is None or not info.lends_to <= functions.keys() else []
        for name, info in functions.items()
    }
    found = reaching(keeping, {name: info.lends_to or () for name, info in functions.items()})
    return frozenset(name for name, keeps in found.items() if not keeps)


def _breaking(functions: Mapping[str, FunctionInfo]) -> dict[str, Breaks]:
    """Map each function that breaks stream capture, itself or in a callee, to the prohibited operation."""
    own = {name: [info.breaks] if info.breaks is not None else [] for name, info in functions.items()}
    found = reaching(own, {name: info.calls for name, info in functions.items()})
    order = list(Breaks)
    return {name: min(breaks, key=order.index) for name, breaks in found.items() if breaks}


def _passed_to(arguments: Iterable[tuple[str, int]], calls: Iterable[Call]) -> frozenset[tuple[str, int]]:
    """Return `arguments` and those that `calls` forward to one of them, all as (function, number)."""
    own: dict[tuple[str, int], list[bool]] = {argument: [True] for argument in arguments}
    passed: dict[tuple[str, int], list[tuple[str, int]]] = {}
    for call in calls:
        for number, token in enumerate(call.arguments):
            if not isinstance(token, Origin):
                own.setdefault((call.caller, token), [])
                own.setdefault((call.callee, number), [])
                passed.setdefault((call.caller, token), []).append((call.callee, number))
    return frozenset(each for each, reached in reaching(own, passed).items() if reached)


def _complete(functions: dict[str, FunctionInfo], kernels: Mapping[tuple[str, str], KernelInfo]) -> None:
    """Set the memory effects of functions that depend on their callees and launched kernels."""
    waiting = [info for info in functions.values() if info.summary is not None]
    if not waiting:
        return
    known = {
        name: info.summary or (Summary(info.effects) if info.effects is not None else None)
        for name, info in functions.items()
    }
    effects = resolve(
        known,
        {name: Kernel(kernel.modes, kernel.elements, kernel.program) for name, kernel in kernels.items()},
        {name: info.returns for name, info in functions.items()},
        [name for name, info in functions.items() if info.declared_only],
    )
    made = _made(functions, lambda info: info.made)
    on_host = _made(functions, lambda info: info.made_on_host)
    for info in waiting:
        functions[info.name] = replace(
            info,
            effects=effects.get(info.name),
            made=made.get(info.name, ()),
            made_on_host=on_host.get(info.name, ()),
            summary=None,
        )


def _record_returned_tokens(functions: dict[str, FunctionInfo]) -> None:
    """Set the origin of each token that a function returns, following calls."""
    traces = {name: info.traces for name, info in functions.items() if info.traces.results}
    for name, returns in resolve_tokens(traces).items():
        functions[name] = replace(functions[name], returns=returns, traces=NO_TOKENS)


def _made(
    functions: Mapping[str, FunctionInfo], own_of: Callable[[FunctionInfo], tuple[int, ...]]
) -> dict[str, tuple[int, ...]]:
    """Map each function to the numbers of the results that it allocates itself (`own_of`) or in a callee."""
    own = {(name, number): [True] for name, info in functions.items() for number in own_of(info)}
    by_others: dict[tuple[str, int], list[tuple[str, int]]] = {}
    for name, info in functions.items():
        for number, callee, result in info.summary.made_by if info.summary is not None else ():
            own.setdefault((name, number), [])
            by_others[name, number] = [(callee, result)]
    found: dict[str, tuple[int, ...]] = {}
    for (name, number), made in reaching(own, by_others).items():
        if made:
            found[name] = (*found.get(name, ()), number)
    return found


def start_of(chunk: Chunk, item: PlacedItem) -> Callable[[str], int]:
    """Return a function that maps a name in `Edit.within` to an offset relative to `item`.

    The function raises LookupError if the chunk has no item with this name.
    """

    def start(within: str) -> int:
        if within == BEGIN:
            return chunk.items[0].offset - item.offset
        if within == END:
            return chunk.items[-1].span.end - item.offset
        scopes = _scopes(chunk)
        header = scopes.get(item.offset)
        if within == MODULE and header is not None:
            return header.offset - item.offset
        for placed in chunk.items:
            if scopes.get(placed.offset) is header and within[1:] in dict(summarize(placed.item).symbols):
                return placed.offset - item.offset
        raise LookupError(f"the module around the item has no {within}")

    return start


def _has_alias_between(chunk: Chunk) -> bool:
    last = max((n for n, part in enumerate(chunk.parts) if part.kind == PartKind.PRELUDE), default=-1)
    return any(part.kind == PartKind.ITEM for part in chunk.parts[: last + 1])


def summarize(item: Item) -> ItemSummary:
    """Return the facts about `item` that other items depend on, memoized in the item."""
    summary = item.memo.get("analysis.summary")
    if summary is None:
        summary = item.memo["analysis.summary"] = contained(
            "what an item is to others",
            lambda: _summarize(item),
            lambda message, _: _no_summary(item, message),
        )
    return summary


def called_in(items: Iterable[Item]) -> frozenset[str]:
    """Return the functions called by `items`."""
    return frozenset[str]().union(*(summarize(item).called for item in items))


def is_same_to_others(before: Item, after: Item, called: AbstractSet[str]) -> bool:
    """Return whether an edit from `before` to `after`, versions of one item, affects no other item.

    `called` are the functions that are called in the chunk."""
    summary = summarize(after)
    return summary == summarize(before) and _same_bodies(before, after, summary, called)


def _other_functions(before: Item, after: Item, called: AbstractSet[str]) -> list[FunctionInfo] | None:
    """Return the functions that an edit from `before` to `after` changes, if none of them is called.

    Returns None if one is called, or if a field of the item's summary other than `launches` changes."""
    summary, then = summarize(after), summarize(before)
    pairs = [*zip(then.functions, summary.functions, strict=False)]
    others = [new for old, new in pairs if old != new]
    if len(then.functions) != len(summary.functions) or any(
        _reaching_others(old) != _reaching_others(new)
        or new.name in called
        or old.traces.results
        or new.traces.results
        for old, new in pairs
        if old != new
    ):
        return None
    then = replace(then, launches=summary.launches, functions=summary.functions)
    return others if summary == then and _same_bodies(before, after, summary, called) else None


def _reaching_others(info: FunctionInfo) -> tuple[object, ...]:
    """Return the facts about a function that affect other items even if the function is not called."""
    known = info.name, info.declared_only, info.inputs
    return *known, info.destroys, info.works_on, info.breaks, info.calls


def _same_bodies(before: Item, after: Item, summary: ItemSummary, called: AbstractSet[str]) -> bool:
    # Contexts contain facts about kernel bodies, so any edit of a kernel matters.
    if summary.kernels:
        return False
    names = [info.name for info in summary.functions if info.name in called and not info.declared_only]
    return all(_bodies(before).get(name) == _body(after, name) for name in names)


def is_container(op: Operation) -> bool:
    """Return whether `op` is a module with a `gpu.container_module` that is a unit attribute."""
    return op.name == "builtin.module" and isinstance(op.attributes.get(CONTAINER), UnitAttr)


def trace_token(value: SSAValue, known: dict[SSAValue, Token]) -> Token:
    """Return the origin of a token if its function determines it in every release.

    `known` memoizes the origins of the function's tokens."""
    way: list[SSAValue] = []
    while (found := known.get(value)) is None:
        known[value] = Origin.UNKNOWN  # Ends the recursion for a cycle.
        way.append(value)
        before = _before(value)
        if not isinstance(before, SSAValue):
            found = before
            break
        value = before
    known.update(dict.fromkeys(way, found))
    return found


def _before(value: SSAValue) -> SSAValue | Token:
    """Return the token whose handle `value` shares, or the origin of `value` if there is none."""
    owner = value.owner
    if isinstance(owner, Block):
        region = owner.parent
        parent = region.parent if region is not None else None
        if (
            parent is not None
            and parent.name in ("func.func", "llvm.func")
            and region
            and owner is region.blocks[0]
        ):
            return value.index if isinstance(value, BlockArgument) else Origin.UNKNOWN
        return Origin.UNKNOWN
    if owner.name == "async.await":
        return Origin.EVENT
    if not owner.name.startswith("gpu."):
        return Origin.UNKNOWN
    before = depends_on(owner)
    return made_by(owner) if before is None else before


def _members(item: Item) -> Iterator[Operation]:
    """Yield the top-level ops of `item`; for a module in generic form, the ops of its body.

    `module {` is not part of an item, but `"builtin.module"() ({` is an item that includes the body.
    """
    for op in item.ops:
        if op.name == "builtin.module" and (not symbol_name(op) or CONTAINER in op.attributes):
            yield from (inner for region in op.regions for block in region.blocks for inner in block.ops)
        else:
            yield op


def _no_summary(item: Item, message: str) -> ItemSummary:
    line = Span(0, len(item.text.partition("\n")[0]))
    item.defects.append(Problem(DEFECT, line, f"{message}.\nOther functions are checked without it."))
    return ItemSummary(hidden=item.possible_names)


def _summarize(item: Item) -> ItemSummary:
    symbols: list[tuple[str, Symbol]] = []
    kernels: list[KernelInfo] = []
    functions: list[FunctionInfo] = []
    calls: list[Call] = []
    launches: dict[str, int] = {}
    called: set[str] = set()
    shared: set[Shared] = set()
    sizes: set[Sized] = set()
    for op in _members(item):
        name = symbol_name(op)
        if name:
            symbols.append((name, symbol_of(op)))
        if op.name in ("gpu.module", "builtin.module"):
            kernels += _kernels(op, name, item)
            called.update(callee for inner in op.walk() if (callee := callee_of(inner)) is not None)
        elif op.name == "func.func" or (op.name == "llvm.func" and _may_launch(item)):
            function = _function(item, op, name)
            functions.append(function.info)
            calls += function.calls
            called |= function.called
            shared |= function.shared
            sizes |= function.sizes
            for container, count in function.launched.items():
                launches[container] = launches.get(container, 0) + count
    hidden = frozenset[str]() if item.is_read and item.ops else item.possible_names
    modules = (op for op in _members(item) if op.name == "gpu.module")
    may_define = chain(item.ops, *(b.ops for op in modules for region in op.regions for b in region.blocks))
    if any(isinstance(op, OpaqueOp) for op in may_define):
        hidden = item.symbol_uses
    return ItemSummary(
        tuple(symbols),
        hidden,
        tuple(kernels),
        tuple(functions),
        tuple(calls),
        "nvvm." in item.text and bool(_NVVM.search(" " + item.text)),
        _is_for_spirv(item),
        tuple(sorted(launches.items())),
        frozenset(called),
        tuple(sorted(shared)),
        frozenset(sizes),
    )


def _may_launch(item: Item) -> bool:
    """Return whether the llvm.funcs of `item` may contain a launch, or a call of a function that launches."""
    return "gpu." in item.text or "llvm.call" in item.text


def _is_for_spirv(item: Item) -> bool:
    return "spirv.target_env" in item.text or "spirv.entry_point_abi" in item.text


def _kernels(module: Operation, container: str, item: Item) -> Iterator[KernelInfo]:
    resolve, targets = local_modes(module), targets_of(module)
    dependents = Dependents(module) if "griddepcontrol" in item.text else None
    for block in module.regions[0].blocks if module.regions else ():
        for op in block.ops:
            name = symbol_name(op)
            if not name:
                continue
            body = op.regions[0].blocks if op.regions else ()
            types = tuple(a.type for a in body[0].args) if body else ()
            kind = op.properties.get("function_type")
            if isinstance(kind, FunctionType):
                types = tuple(kind.inputs.data)
            is_kernel = "kernel" in op.properties or "gpu.kernel" in op.attributes
            yield KernelInfo(
                container,
                name,
                op.name,
                is_kernel,
                types,
                argument_modes(op, resolve) if body else None,
                argument_elements(op),
                program_of(op.regions[0])[0] if is_kernel and body else None,
                item.spans.name(op) if op in item.spans.ops else Span(0, 0),
                mark_kernel(op, item),
                declared_by(op, module, targets),
                frozenset() if dependents is None else dependents.anywhere_in(op),
                WITHOUT_WAIT if dependents is None else _early(dependents.before_wait(op), resolve),
            )


def _early(kernel: Operation | None, resolve: Resolve) -> Early:
    """Return the accesses of `kernel`, a copy that ends at `griddepcontrol.wait`, or None without one."""
    if kernel is None:
        return WITHOUT_WAIT
    return Early(argument_modes(kernel, resolve), argument_elements(kernel), program_of(kernel.regions[0])[0])


_HEADER = re.compile(r'"(?:[^"\\\n]|\\.)*"?|//[^\n]*|->|[(\[<]|[)\]>]|(?P<attributes>\battributes\s*\{)|[{}]')


def mark_kernel(function: Operation, item: Item) -> Edit | None:
    """Return the edit that marks `function` in a gpu.module as a kernel.

    Returns None for a kernel, and for a function in the generic form.
    """
    if (
        function not in item.spans.ops
        or "kernel" in function.properties
        or "gpu.kernel" in function.attributes
    ):
        return None
    whole, text = item.spans.op(function), item.text
    if text.startswith('"', whole.start):
        return None
    keyword = function.name == "gpu.func"
    depth = 0
    for match in _HEADER.finditer(text, item.spans.name(function).end, whole.end):
        if match[0] in ("(", "[", "<"):
            depth += 1
        elif match[0] in (")", "]", ">"):
            depth -= 1
        elif match.lastgroup and depth == 0:
            return (
                _insertion(match.start(), "kernel ") if keyword else _insertion(match.end(), "gpu.kernel, ")
            )
        elif match[0] == "{" and depth == 0:
            return _insertion(match.start(), "kernel " if keyword else "attributes {gpu.kernel} ")
        elif match[0] in "{}":
            depth += 1 if match[0] == "{" else -1
    return None if keyword else _insertion(whole.end, " attributes {gpu.kernel}")


def _insertion(at: int, text: str) -> Edit:
    return Edit(Span(at, at), text)


class _Function(NamedTuple):
    """The facts about a function without its memory effects."""

    info: FunctionInfo
    op: Operation
    calls: list[Call]
    """The function's calls that pass tokens."""
    called: set[str]
    launched: dict[str, int]
    """The number of launches from each kernel container."""
    shared: set[Shared]
    sizes: set[Sized]


def _function(item: Item, op: Operation, name: str) -> _Function:
    known: dict[Operation, _Function] = item.memo.setdefault("analysis.functions", {})
    found = known.get(op)
    if found is None:
        found = known[op] = _read_function(op, name)
    return found


def _read_function(op: Operation, name: str) -> _Function:
    calls: list[Call] = []
    called: set[str] = set()
    shared: set[Shared] = set()
    launched: dict[str, int] = {}
    sizes: set[Sized] = set()
    body = op.regions[0].blocks if op.regions else ()
    entry = op.regions[0].blocks[0] if body else None
    kind = op.properties.get("function_type")
    inputs = tuple(kind.inputs.data) if isinstance(kind, FunctionType) else ()
    outputs = tuple(kind.outputs.data) if isinstance(kind, FunctionType) else ()
    returns: list[Operation] = []
    on_streams: list[str] = []
    lends_to: set[str] = set()
    destroys: set[int] = set()
    works_on: set[int] = set()
    breaks: Breaks | None = None
    keeps = not body
    traced: dict[SSAValue, Token] = {}
    takes_tokens = entry is not None and any(isinstance(a.type, AsyncTokenType) for a in entry.args)
    numbers = Integers()

    def is_unknown(value: SSAValue) -> bool:
        """Return whether `value` is a token of unknown origin."""
        return isinstance(value.type, AsyncTokenType) and trace_token(value, traced) is Origin.UNKNOWN

    for inner in op.walk() if body else ():
        breaks = breaks or breaks_capture(inner)
        if inner.name == "func.return":
            returns.append(inner)
            keeps = keeps or any(map(is_unknown, inner.operands))
        elif inner.name.startswith("gpu."):
            if inner.name != "gpu.wait":
                on_streams.append(inner.name)
            stream = depends_on(inner) if takes_tokens else None
            if stream is not None and not isinstance(token := trace_token(stream, traced), Origin):
                works_on.add(token)
            if inner.name == "gpu.wait" and not inner.results:
                keeps = keeps or any(not isinstance(trace_token(v, traced), Origin) for v in inner.operands)
                keeps = keeps or any(map(is_unknown, inner.operands))
                if inner.parent is entry:
                    tokens = [trace_token(value, traced) for value in inner.operands]
                    destroys.update(token for token in tokens if not isinstance(token, Origin))
            if inner.name == "gpu.launch_func" and (symbol := kernel_symbol(inner)):
                launched[symbol[0]] = launched.get(symbol[0], 0) + 1
                if isinstance(inner, LaunchFuncOp) and None not in (given := sizes_of(inner, numbers)).block:
                    sizes.add((symbol, given))
        elif (callee := callee_of(inner)) is not None:
            called.add(callee)
            shared.update(shared_arguments(inner, callee))
            if any(isinstance(v.type, AsyncTokenType) for v in arguments_of(inner)):
                arguments = [
                    trace_token(v, traced) if isinstance(v.type, AsyncTokenType) else Origin.UNKNOWN
                    for v in arguments_of(inner)
                ]
                calls.append(Call(callee, tuple(arguments), name, inner.parent is entry))
                lends_to.add(callee)
        elif inner.name not in PASSING and inner.name not in CARRYING:
            keeps = keeps or any(isinstance(v.type, AsyncTokenType) for v in inner.operands)
    info = FunctionInfo(
        name,
        not body,
        inputs,
        (Origin.UNKNOWN,) * len(outputs),
        () if body else tuple(_assumed(op, n, kind) for n, kind in enumerate(inputs)),
        None if keeps else frozenset(lends_to),
        frozenset(destroys),
        frozenset(works_on),
        breaks,
        frozenset(called),
        traces=trace(op, returns)
        if returns and any(isinstance(o, AsyncTokenType) for o in outputs)
        else NO_TOKENS,
        launches="gpu.launch" in on_streams or "gpu.launch_func" in on_streams,
        is_one_launch=on_streams == ["gpu.launch_func"] and not called,
    )
    return _Function(info, op, calls, called, launched, shared, sizes)


def sizes_of(launch: LaunchFuncOp | LaunchOp, numbers: Integers) -> Sizes:
    """Return the sizes and arguments of `launch` that are constant; `numbers` reads the function's
    integers."""

    def known(values: Iterable[SSAValue]) -> tuple[int | None, ...]:
        found = [numbers.read(value) if bits_of(value.type) else None for value in values]
        return tuple(None if each is None or each.terms else each.constant for each in found)

    arguments = launch.kernel_operands if isinstance(launch, LaunchFuncOp) else ()
    return Sizes(known(launch.grid_size), known(launch.block_size), known(arguments))


class _Body(NamedTuple):
    """The memory effects of a function body."""

    modes: Modes
    summary: Summary | None


def _bodies(item: Item) -> dict[str, _Body]:
    """Return the effects of the function bodies of `item` computed so far, by function name."""
    return item.memo.setdefault("analysis.bodies", {})


def _body(item: Item, name: str) -> _Body:
    """Return the effects of the body of the last function in `item` named `name`."""
    known = _bodies(item)
    found = known.get(name)
    if found is None:
        functions: dict[Operation, _Function] = item.memo["analysis.functions"]
        op = [function.op for function in functions.values() if function.info.name == name][-1]
        found = known[name] = _Body(argument_modes(op, _unresolved), summarize_body(op))
    return found


def _with_body(info: FunctionInfo, item: Item) -> FunctionInfo:
    """Return `info`, the facts about a function in `item`, with the memory effects of its body."""
    modes, summary = _body(item, info.name)
    effects = tuple(s for s in summary.steps if isinstance(s, CallEffect)) if summary is not None else None
    is_complete = summary is None or effects is None or len(effects) == len(summary.steps)
    return replace(
        info,
        memref_modes=modes,
        effects=effects if is_complete else None,
        same_as=summary.same_as if summary is not None else (),
        views=summary.views if summary is not None else (),
        parts=summary.parts if summary is not None else (),
        choices=summary.choices if summary is not None else (),
        made=summary.made if summary is not None else (),
        made_on_host=summary.made_on_host if summary is not None else (),
        summary=None if is_complete else summary,
    )


def _unresolved(name: str) -> None:
    """Return None for every callee: those in other items are resolved later."""


def _assumed(op: Operation, number: int, kind: Attribute) -> Mode | None:
    is_declared, mode = declared(op, number)
    if is_declared:
        return mode
    return Mode.BOTH if isinstance(kind, MemRefType | UnrankedMemRefType) else None


def _passed(functions: dict[str, FunctionInfo], calls: list[Call]) -> dict[str, dict[int, frozenset[Origin]]]:
    """Return the origins of tokens passed to each function's arguments, following callers that forward
    them."""
    own: dict[tuple[str, int], set[Origin]] = {}
    flows: dict[tuple[str, int], list[tuple[str, int]]] = {}
    for call in calls:
        if call.callee not in functions:
            continue
        for number, token in enumerate(call.arguments):
            argument = call.callee, number
            origins = own.setdefault(argument, set())
            if not isinstance(token, Origin):
                flows.setdefault(argument, []).append((call.caller, token))
            elif token is not Origin.UNKNOWN:
                origins.add(token)
    found: dict[str, dict[int, frozenset[Origin]]] = {}
    for (callee, number), origins in reaching(own, flows).items():
        if origins:
            found.setdefault(callee, {})[number] = frozenset(origins)
    return found


def _scopes(chunk: Chunk) -> dict[int, PlacedItem | None]:
    """Map the offset of each item and module header to the innermost module header around it."""
    headers = {h.offset: h for h in chunk.headers}
    open_modules: list[PlacedItem | None] = []
    scopes: dict[int, PlacedItem | None] = {}
    for part in chunk.parts:
        if part.kind in (PartKind.ITEM, PartKind.MODULE):
            scopes[part.span.start] = open_modules[-1] if open_modules else None
        if part.kind == PartKind.MODULE:
            open_modules.append(headers.get(part.span.start))
        elif part.kind == PartKind.CLOSE and open_modules:
            open_modules.pop()
    return scopes


def _symbols(items: Iterable[ItemSummary], modules: Iterable[PlacedItem]) -> dict[str, Symbol]:
    """Return the symbols of a module that contains `items` and the nested `modules`."""
    found: dict[str, Symbol] = {}
    for name, symbol in (each for item in items for each in item.symbols):
        found.setdefault(name, symbol)
    for op in (op for module in modules for op in module.item.ops):
        if name := symbol_name(op):
            found.setdefault(name, symbol_of(op))
    return found


def _is_container(header: PlacedItem | None) -> bool:
    if header is None:
        return False
    return bool(header.item.defects) or any(map(is_container, header.item.ops))


def _takes_sequences(header: PlacedItem | None) -> bool:
    return header is not None and any(WITH_SEQUENCES in op.attributes for op in header.item.ops)
