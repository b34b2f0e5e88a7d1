"""Lowers a file item by item, so that after an edit in one function only that function is lowered again.

The lowering of an item (one top-level op of a module) is its text and the declarations of runtime
functions that it needs. It depends on few properties of other items: whether the NVVM dialect is
loaded, the symbols that it looks up, and the signatures of kernels. The text of a chunk consists of the
items and the declarations, in the order in which lowering the whole module would have created them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, replace
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Block, Operation, Region

from gpuasync_lsp.lowering.conversion.errors import LegalizationError, PassError, stop_where_known
from gpuasync_lsp.lowering.conversion.rewriter import BARE_POINTERS, Lookups, Symbols, symbols_in
from gpuasync_lsp.lowering.options import LoweringOptions
from gpuasync_lsp.lowering.passes.gpu_to_llvm import Surroundings, gpu_to_llvm, mentions_nvvm, missing_options
from gpuasync_lsp.lowering.passes.gpu_to_llvm.verify import Kernels, kernels_of
from gpuasync_lsp.lowering.pipeline.explain import explain
from gpuasync_lsp.lowering.pipeline.line_map import Mark, Part, Place, Printed, assembled, print_with_places
from gpuasync_lsp.lowering.pipeline.pipeline import run_steps
from gpuasync_lsp.lowering.pipeline.registry import Invocation
from gpuasync_lsp.lowering.pipeline.text import Step
from gpuasync_lsp.processes import copies_in_batches
from gpuasync_lsp.releases import profile
from gpuasync_lsp.syntax.dialects.llvm import LLVMFuncOp
from gpuasync_lsp.syntax.kinds import text_of
from gpuasync_lsp.syntax.printer import print_module, spell_for
from gpuasync_lsp.syntax.provenance import clones, module_of, source_span
from gpuasync_lsp.syntax.source import Chunk, Item, PlacedItem
from gpuasync_lsp.text import Span
from gpuasync_lsp.text.cached_property import cached_property
from gpuasync_lsp.text.effort import TookTooLong, metered, spend
from gpuasync_lsp.text.recent import recent

INDENT = "  "


class Remark(NamedTuple):
    """A remark on an op of the source."""

    op_name: str
    text: str
    span: Span | None


@dataclass(frozen=True)
class LoweredChunk:
    """The lowering of one chunk of a file."""

    parts: tuple[Part, ...]
    """The lowered text of each item, with the sources of its lines; after an error, the input."""
    notes: tuple[Remark, ...] = ()
    """The reason for each unlowered op."""
    diagnostics: tuple[str, ...] = ()
    """Errors that the release prints without failing."""
    error: Remark | None = None
    """The error message with which the release exits with status 1; None if it succeeds."""
    is_partial: bool = False
    """Whether some items are not lowered yet, and are shown as placeholder lines."""

    @cached_property
    def printed(self) -> Printed:
        """The text of all parts, with the sources of its lines."""
        return assembled(self.parts)


T = TypeVar("T")


class Body(NamedTuple, Generic[T]):
    """An item's rendered form, whose source offsets are relative to `shift`."""

    shown: T
    shift: int


class Preparing(Protocol):
    """Prepares items for lowering; objects that compare equal return equal results."""

    def begin(self, batch: Sequence[Item], /) -> None:
        """Announce a batch of items, which are prepared next."""
        ...

    def __call__(self, item: Item, /) -> Item | None:
        """Return the prepared item; None if the whole chunk must be lowered at once, or parsed first."""
        ...


class NotRead(Exception):
    """Unparsed items must be parsed first: `items`, or all unparsed items if `items` is empty."""

    def __init__(self, items: Iterable[Item] = ()) -> None:
        super().__init__()
        self.items = frozenset(items)


class Rendering(Protocol[T]):
    """A way to render lowered code; objects that compare equal return equal results."""

    def of_item(self, module: ModuleOp, first: Sequence[Operation], last: Sequence[Operation]) -> T:
        """Render the lowered ops of an item; the caller memoizes the result.

        `first` and `last` are the functions declared for the item at the start and the end of its
        module, in creation order; they have been removed from `module`."""
        ...

    def of_chunk(self, chunk: Chunk, bodies: Sequence[Body[T]]) -> Sequence[Part]:
        """Combine the rendered items of a chunk into the chunk's text."""
        ...


def lower_chunk(
    chunk: Chunk,
    version: int,
    options: LoweringOptions | None = None,
    after: tuple[Step, ...] = (),
    rendering: Rendering[Any] | None = None,
    processes: int = 1,
    prepare: Preparing | None = None,
    later: Set[Item] = frozenset(),
) -> LoweredChunk | None:
    """Lower `chunk` with gpu-to-llvm of LLVM `version`; reusable results are memoized in its items.

    If gpu-to-llvm fails, the result is None; with the rendering `AsMLIR` and none of `after`, `prepare` and
    `later`, it contains the error instead. Errors of the rendering are raised.

    The passes `after` run after gpu-to-llvm; if one fails or needs the whole module, the result is
    None. With several `processes`, copies of this process lower the items for the rendering `AsMLIR`.
    `prepare` runs the preceding passes on an item; if it returns None, so does `lower_chunk`. Items in
    `later`, functions that may be unparsed, are shown as one line unless their lowering is memoized.
    Raises NotRead, after all other items are lowered, for unparsed items that `prepare` did not parse.
    """
    rendering = rendering or AsMLIR()
    only_items = bool(after or later) or prepare is not None or not isinstance(rendering, AsMLIR)
    facts = profile(version)
    options = options or LoweringOptions()
    loaded = options.nvvm_loaded or any(_mentions_nvvm(placed.item) for placed in chunk.items)
    options = replace(options, nvvm_loaded=loaded)
    # Calls to functions with `llvm.bareptr` pass memrefs differently.
    marked = any(map(_has_bare_pointers, chunk.items))
    whole = not chunk.is_one_module or chunk.metadata or chunk.shared_aliases or marked
    if whole or facts.annotated_binaries or missing_options(options, version):
        return None if only_items else lower_at_once(chunk, version, options)
    around = Surroundings(_kernels(chunk), _symbols(chunk))
    key = (rendering, version, options, tuple(around.kernels.items()), after, prepare)

    def lower(item: Item) -> _Part:
        ready = item if prepare is None else prepare(item)
        if ready is None or (ready is not item and _exports(ready) != _exports(item)):
            return _Part(needs_whole=True)
        lookups = Lookups(around.symbols)
        part = _lower_item(ready, version, options, replace(around, symbols=lookups), after, rendering)
        return part._replace(looked_up=tuple(lookups.looked_up))

    def known(item: Item) -> _Part | None:
        """Return the memoized lowering of an item if the symbols that it looks up are unchanged."""
        kept = recent(item.memo, "lowered").get(key)
        return kept[0] if kept and kept[1] == _found(kept[0].looked_up, around.symbols) else None

    shown = {placed.item: known(placed.item) for placed in chunk.items}
    left_out = {item for item in later if shown.get(item) is None}
    unknown = [item for item, part in shown.items() if part is None and item not in left_out]
    is_shared = processes > 1 and isinstance(rendering, AsMLIR)
    lowered = _shared(lower, unknown, processes, prepare) if is_shared else map(lower, unknown)
    parts: list[tuple[PlacedItem, _Part]] = []
    unread: list[Item] = []
    for placed in chunk.items:
        part = shown[placed.item]
        if placed.item in left_out:
            part = _Part(_Printed(not_yet(placed.item), (), ()))
        elif part is None:
            part = shown[placed.item] = next(lowered)
            kept = (part, _found(part.looked_up, around.symbols))
            recent(placed.item.memo, "lowered").keep(key, kept)
        if part.needs_whole and not placed.item.is_read:
            unread.append(placed.item)
        elif part.needs_whole or (only_items and part.error is not None):
            return None if only_items else lower_at_once(chunk, version, options)
        parts.append((placed, part))
    if unread:
        raise NotRead(unread)
    return replace(_joined(chunk, parts, rendering), is_partial=bool(left_out))


def _shared(
    lower: Callable[[Item], _Part],
    items: Sequence[Item],
    processes: int,
    prepare: Preparing | None,
) -> Iterator[_Part]:
    """Yield the lowering of each item, computed by copies of this process. Raises TookTooLong."""
    begin = None if prepare is None else prepare.begin
    for part, steps in copies_in_batches(lambda item: metered(lambda: lower(item)), items, processes, begin):
        spend(steps)
        if part is None:
            raise TookTooLong
        yield part


def print_chunk(chunk: Chunk, version: int, later: Set[Item] = frozenset()) -> LoweredChunk | None:
    """Print `chunk` item by item, unlowered, as LLVM `version` spells it.

    Returns None if an item cannot be printed separately. Items in `later` are shown as one line unless
    memoized."""
    if not chunk.is_one_module or chunk.metadata or chunk.shared_aliases:
        return None
    key = f"printed.{version}"
    left_out = {item for item in later if key not in item.memo}
    bodies = [
        not_yet(placed.item)
        if placed.item in left_out
        else remembered(placed.item, key, lambda item=placed.item: _print_item(item, version))
        for placed in chunk.items
    ]
    parts = [Part(b, placed.offset) for b, placed in zip(bodies, chunk.items, strict=True) if b is not None]
    if len(parts) < len(bodies):
        return None
    parts = (Part(_opening(chunk)), *parts, Part(Printed("}\n", ())))
    return LoweredChunk(parts, is_partial=bool(left_out))


def not_yet(item: Item) -> Printed:
    """Return a placeholder line for an item that is not lowered yet."""
    name = min(item.possible_names, default="this")
    whole = Span(0, len(item.text))
    return Printed(f"{INDENT}// @{name}: not lowered yet\n", (Place(0, whole),), heads={whole: 0})


def _print_item(item: Item, version: int) -> Printed | None:
    module = ModuleOp(Region(Block(clones(PlacedItem(item, 0)))))
    spell_for(module, version)
    return None if isinstance(module.body.block.first_op, ModuleOp) else _body(print_with_places(module))


def lower_at_once(chunk: Chunk, version: int, options: LoweringOptions) -> LoweredChunk:
    """Lower the whole chunk at once, instead of item by item like `lower_chunk`."""
    module = module_of(chunk)
    try:
        stop_where_known(module, "gpu-to-llvm", (), version)
        done = gpu_to_llvm(module, profile(version), options)
    except (LegalizationError, PassError) as error:
        parts = (Part(print_with_places(module_of(chunk))),)
        return LoweredChunk(parts, diagnostics=tuple(error.diagnostics), error=_remark(error.op, str(error)))
    notes = tuple(_remark(note.op, note.reason) for note in done.left)
    return LoweredChunk(
        (Part(print_with_places(module, explained=explain(module))),), notes, tuple(done.diagnostics)
    )


@dataclass(eq=False)
class _Declaration:
    """A declared function; if several items need it, only the first declaration is shown."""

    name: str
    op: Operation
    span: Span | None
    """The source of the op that needs the function."""

    @cached_property
    def printed(self) -> Printed:
        """The line of the declaration, with its source."""
        places = () if self.span is None else (Place(0, self.span),)
        return Printed(_indented(print_module(self.op)), places)

    def __getstate__(self) -> dict[str, object]:
        """Pickle the printed declaration instead of its op."""
        return {"name": self.name, "span": self.span, "printed": self.printed}


class _Printed(NamedTuple):
    """The lowering of an item as MLIR; spans are relative to the item, lines are relative to `body`."""

    body: Printed
    first: tuple[_Declaration, ...]
    """Declarations for the start of the module, in creation order."""
    last: tuple[_Declaration, ...]
    """Declarations for the end of the module, in creation order."""


@dataclass(frozen=True)
class AsMLIR:
    """Renders lowered code as MLIR."""

    text_only: bool = False
    """Whether to omit the sources of lines and the comments."""

    def of_item(self, module: ModuleOp, first: Sequence[Operation], last: Sequence[Operation]) -> _Printed:
        """Print the lines between the braces of the module, and the declarations."""
        if self.text_only:
            printed = Printed(print_module(module), ())
        else:
            printed = print_with_places(module, explained=explain(module))
        return _Printed(_body(printed), tuple(map(_declaration, first)), tuple(map(_declaration, last)))

    def of_chunk(self, chunk: Chunk, bodies: Sequence[Body[_Printed]]) -> tuple[Part, ...]:
        """Combine the items into the module's text; each function is declared once."""
        first: dict[str, Part] = {}
        last: dict[str, Part] = {}
        for printed, shift in bodies:
            for known, declarations in ((first, printed.first), (last, printed.last)):
                for declaration in declarations:
                    if declaration.name not in known:
                        known[declaration.name] = Part(declaration.printed, shift)
        parts = [Part(printed.body, shift) for printed, shift in bodies]
        opening, closing = Part(_opening(chunk)), Part(Printed("}\n", ()))
        return (opening, *reversed(first.values()), *parts, *last.values(), closing)


class _Part(NamedTuple):
    """The lowering of one item; spans are relative to the item."""

    shown: Any = None
    """The rendered form of the item."""
    notes: tuple[Remark, ...] = ()
    diagnostics: tuple[str, ...] = ()
    error: Remark | None = None
    fails_in_verifier: bool = False
    needs_whole: bool = False
    """Whether the item must be lowered with the whole module, for example if it creates globals."""
    looked_up: tuple[str, ...] = ()
    """The symbols that the lowering of the item looks up in the module."""


def _lower_item(
    item: Item,
    version: int,
    options: LoweringOptions,
    around: Surroundings,
    after: tuple[Step, ...],
    rendering: Rendering[Any],
) -> _Part:
    module = ModuleOp(Region(Block(clones(PlacedItem(item, 0)))))
    if isinstance(module.body.block.first_op, ModuleOp):
        return _Part(needs_whole=True)
    try:
        stop_where_known(module, "gpu-to-llvm", (), version)
        done = gpu_to_llvm(module, profile(version), options, around)
    except LegalizationError as error:
        return _Part(diagnostics=tuple(error.diagnostics), error=_remark(error.op, str(error)))
    except PassError as error:
        remark = _remark(error.op, str(error))
        return _Part(diagnostics=tuple(error.diagnostics), error=remark, fails_in_verifier=True)
    invocation = Invocation(profile(version), options)
    try:
        run_steps(module, after, invocation)
    except (LegalizationError, PassError):
        return _Part(needs_whole=True)
    if any(not isinstance(op, LLVMFuncOp) for op in done.declared):
        return _Part(needs_whole=True)
    made = set(done.declared)
    own = [op for op in module.body.ops if op not in made]
    # Functions are declared at the end of the module, malloc and similar ones at its start.
    start = {op for op in _before(module, own) if op in made}
    for op in done.declared:
        op.detach()
    first = [op for op in done.declared if op in start]
    last = [op for op in done.declared if op not in start]
    return _Part(
        rendering.of_item(module, first, last),
        tuple(_remark(note.op, note.reason) for note in (*done.left, *invocation.left)),
        (*done.diagnostics, *invocation.diagnostics),
    )


def _joined(
    chunk: Chunk, parts: Sequence[tuple[PlacedItem, _Part]], rendering: Rendering[Any]
) -> LoweredChunk:
    diagnostics = tuple(dict.fromkeys(message for _, part in parts for message in part.diagnostics))
    failed = [(placed, part) for placed, part in parts if part.error is not None]
    if failed:
        # The whole module is converted before the verifier runs, so errors of the conversion come first.
        placed, part = min(failed, key=lambda pair: pair[1].fails_in_verifier)
        assert part.error is not None
        error = _moved(part.error, placed.offset)
        return LoweredChunk((Part(print_with_places(module_of(chunk))),), (), diagnostics, error)
    notes = tuple(_moved(note, placed.offset) for placed, part in parts for note in part.notes)
    bodies = [Body(part.shown, placed.offset) for placed, part in parts]
    return LoweredChunk(tuple(rendering.of_chunk(chunk, bodies)), notes, diagnostics)


def _opening(chunk: Chunk) -> Printed:
    """Return the line that opens the module."""
    if not chunk.headers:
        return Printed("module {\n", ())
    (header,) = chunk.headers
    empty = module_of(replace(chunk, items=()))
    opening = print_module(empty).removesuffix("}\n")
    return Printed(opening, (Place(0, header.span),), heads={header.span: 0})


def _body(printed: Printed) -> Printed:
    """Return the lines between the braces of a printed module."""
    start = printed.text.index("\n") + 1
    end = printed.text.rindex("}")
    return Printed(
        printed.text[start:end],
        tuple([Place(row - 1, span) for row, span in printed.places if row]),
        tuple([Mark(row - 1, column, length, stream) for row, column, length, stream in printed.marks]),
        tuple([(row - 1, comment) for row, comment in printed.comments]),
        {span: row - 1 for span, row in printed.heads.items() if row},
    )


def _before(module: ModuleOp, own: Sequence[Operation]) -> list[Operation]:
    found: list[Operation] = []
    for op in module.body.ops:
        if own and op is own[0]:
            break
        found.append(op)
    return found


def _declaration(op: Operation) -> _Declaration:
    return _Declaration(_name(op), op, source_span(op))


def _indented(text: str) -> str:
    return "".join(f"{INDENT}{line}\n" for line in text.splitlines())


def _name(op: Operation) -> str:
    assert isinstance(op, LLVMFuncOp) or "sym_name" in op.properties
    return text_of(op.properties["sym_name"])


def _remark(op: Operation, text: str) -> Remark:
    return Remark(op.name, text, source_span(op))


def _moved(remark: Remark, offset: int) -> Remark:
    return remark if remark.span is None else remark._replace(span=remark.span.shift(offset))


# Properties of an item on which other items depend


def _exports(item: Item) -> tuple[bool, Kernels, Symbols]:
    if not item.is_read:
        return False, {}, dict.fromkeys(item.possible_names)
    return any(map(mentions_nvvm, item.ops)), kernels_of(item.ops), symbols_in(item.ops)


def _mentions_nvvm(item: Item) -> bool:
    return remembered(item, "mentions-nvvm", lambda: any(map(mentions_nvvm, item.ops)))


def _has_bare_pointers(placed: PlacedItem) -> bool:
    item = placed.item
    return remembered(item, "bare", lambda: any(BARE_POINTERS in op.attributes for op in item.ops))


def _kernels(chunk: Chunk) -> Kernels:
    kernels: dict[tuple[str, str], Sequence[Attribute]] = {}
    for placed in chunk.items:
        item = placed.item
        kernels |= remembered(item, "kernels", lambda item=item: kernels_of(item.ops))
    return kernels


def _symbols(chunk: Chunk) -> Symbols:
    found: dict[str, Attribute | None] = {}
    for placed in chunk.items:
        item = placed.item
        # The symbol of an unparsed function is found in its text; the function is not an llvm.func, so it has
        # no type here.
        found |= (
            remembered(item, "symbols", lambda item=item: symbols_in(item.ops))
            if item.is_read
            else dict.fromkeys(item.possible_names)
        )
    return found


def _found(names: Iterable[str], symbols: Symbols) -> list[tuple[Attribute | None] | None]:
    """Look up each name; return a tuple with each symbol's type, or None if the symbol does not exist."""
    return [(symbols[name],) if name in symbols else None for name in names]


def remembered(item: Item, key: str, compute: Callable[[], T]) -> T:
    if key not in item.memo:
        item.memo[key] = compute()
    return item.memo[key]
