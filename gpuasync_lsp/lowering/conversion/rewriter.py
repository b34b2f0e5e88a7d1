"""The rewriter that patterns use: insertion, value mapping, symbols, facts about the release, options."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NoReturn

from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Attribute, Block, BlockArgument, Operation, SSAValue

from gpuasync_lsp.lowering.conversion.errors import MatchFailure
from gpuasync_lsp.lowering.conversion.insertion import Insertion
from gpuasync_lsp.lowering.conversion.types import TypeConverter
from gpuasync_lsp.lowering.conversion.values import Values
from gpuasync_lsp.lowering.options import LoweringOptions
from gpuasync_lsp.releases import Profile
from gpuasync_lsp.syntax.dialects.gpu import AsyncTokenType
from gpuasync_lsp.syntax.dialects.llvm import LLVMFuncOp
from gpuasync_lsp.syntax.symbols import SYMBOL_TABLES, symbol_name

BARE_POINTERS = "llvm.bareptr"

Symbols = Mapping[str, Attribute | None]
"""Maps each symbol of a module to its type if it is an llvm function, otherwise to None."""


class Lookups(Symbols):
    """A symbol table that records which names are looked up, since only these affect the result."""

    def __init__(self, symbols: Symbols) -> None:
        self._symbols = symbols
        self.looked_up: set[str] = set()

    def __getitem__(self, name: str) -> Attribute | None:
        self.looked_up.add(name)
        return self._symbols[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._symbols)

    def __len__(self) -> int:
        return len(self._symbols)


def symbols_in(ops: Iterable[Operation]) -> dict[str, Attribute | None]:
    """Return the symbols defined by `ops`."""
    return {
        name.data: op.function_type if isinstance(op, LLVMFuncOp) else None
        for op in ops
        if isinstance(name := op.get_attr_or_prop("sym_name"), StringAttr)
    }


class ConversionRewriter(Insertion):
    """The rewriter that `driver.convert` passes to each pattern."""

    def __init__(self, types: TypeConverter, profile: Profile, options: LoweringOptions) -> None:
        super().__init__()
        self.types = types
        types.keeps_tf32 = profile.keeps_tf32
        types.signed_spaces = profile.signed_memory_spaces
        self.profile = profile
        self.options = options
        self.values = Values(
            types,
            self,
            lazy_casts=profile.lazy_casts,
            casts_in_order=profile.casts_in_order,
            casts_at_old=profile.casts_at_old,
            casts_twice=profile.casts_arguments_twice,
        )
        self.functions_convert = self.branches_convert = True
        """Whether the same pass converts functions, and whether it converts branches."""
        self.arith_converts = True
        """Whether the same pass converts arith ops; if so, patterns insert llvm ops instead."""
        self.declared: list[Operation] = []
        """The functions and globals that patterns have added to modules, in order."""
        self.replaced: dict[Operation, None] = {}
        """The converted ops, in order; they are erased at the end."""
        self._symbols: dict[Operation, Symbols] = {}
        self._claimed: dict[Operation, set[str]] = {}
        self._bare: dict[Operation, frozenset[str]] = {}
        """Maps each symbol table op to the names of its functions that have the bare pointer attribute."""

    def take_symbols(self, module: ModuleOp, symbols: Symbols) -> None:
        """Mark the symbols of `module` as used, including those of ops that have been removed from it."""
        self._symbols[module] = symbols

    def claim_symbol(self, module: Operation, name: str) -> bool:
        """Reserve the symbol `name` in a builtin or gpu module; return False if it is in use."""
        taken = self._symbols.get(module)
        if taken is None:
            taken = self._symbols[module] = symbols_in(module.regions[0].ops)
        claimed = self._claimed.setdefault(module, set())
        if name in claimed or name in taken:
            return False
        claimed.add(name)
        return True

    def type_before(self, module: Operation, name: str) -> Attribute | None:
        """Return the type that the llvm function `name` of `module` had before the conversion, or None."""
        return self._symbols.get(module, {}).get(name)

    def takes_bare_pointers(self, function: Operation) -> bool:
        """Return whether memrefs are passed to `function` as bare pointers, by its attribute or an option."""
        marked = self.profile.bare_pointers_by_attribute and BARE_POINTERS in function.attributes
        return marked or self.types.bare_pointers

    def calls_with_bare_pointers(self, call: Operation, callee: str) -> bool:
        """Return whether memrefs are passed to the function `callee`, called by `call`, as bare pointers."""
        if self.types.bare_pointers or not callee or not self.profile.bare_pointers_by_attribute:
            return self.types.bare_pointers
        table = call.parent_op()
        while table is not None and table.name not in SYMBOL_TABLES:
            table = table.parent_op()
        if table is None:
            return False
        if table not in self._bare:
            ops = table.regions[0].ops
            self._bare[table] = frozenset(symbol_name(op) for op in ops if BARE_POINTERS in op.attributes)
        return callee in self._bare[table]

    def lowered(self, value: SSAValue) -> SSAValue:
        """Return the lowered value of `value`; if its op is not converted, cast it to the converted type.

        Raises MatchFailure if its type cannot be converted."""
        return self.values.lowered(value)

    def lowered_all(self, values: Iterable[SSAValue]) -> list[SSAValue]:
        """Return the lowered value of each of `values`."""
        return [self.values.lowered(value) for value in values]

    def converted(self, type: Attribute) -> Attribute:
        """Return the converted `type`. Raises MatchFailure if it cannot be converted."""
        result = self.types.convert(type)
        if result is None:
            raise MatchFailure(f"cannot convert {type}")
        return result

    def replace(self, op: Operation, values: Sequence[SSAValue]) -> None:
        """Mark `op` as converted, and map its results to `values`."""
        for result, value in zip(op.results, values, strict=True):
            self.values.become(result, value)
        self.replaced[op] = None

    def erase(self, op: Operation) -> None:
        """Mark `op` and the ops inside it as converted; the results of `op` must be unused."""
        self.replaced[op] = None

    def is_gone(self, op: Operation) -> bool:
        """Return whether `op` or an enclosing op is marked as converted."""
        inside: Operation | None = op
        while inside is not None:
            if inside in self.replaced:
                return True
            inside = inside.parent_op()
        return False

    def match_failure(self, reason: str) -> NoReturn:
        """End the current pattern with a failure; the next pattern is tried."""
        raise MatchFailure(reason)

    def convert_arguments(self, block: Block) -> None:
        """Convert the types of the arguments of `block`. Raises MatchFailure if one cannot be converted."""
        old = [argument for argument in block.args if not self.values.is_old_argument(argument)]
        types = self.types.convert_all(argument.type for argument in old)
        if types is None:
            raise MatchFailure("cannot convert the block arguments")
        for argument, type in zip(old, types, strict=True):
            if argument.type != type:
                self.replace_argument(argument, self.insert_argument(block, argument, type))

    def insert_argument(self, block: Block, before: BlockArgument, type: Attribute) -> BlockArgument:
        """Insert an argument of `type` into `block`, before the argument `before`."""
        inserted = block.insert_arg(type, before.index, before.location)
        if isinstance(before.type, AsyncTokenType):
            inserted.name_hint = before.name_hint  # Comments name the caller's stream after it.
        return inserted

    def replace_argument(self, argument: BlockArgument, value: SSAValue) -> None:
        """Map the block argument `argument` to `value`."""
        self.values.replace_argument(argument, value)

    def defer_argument(self, argument: BlockArgument, build: Callable[[], SSAValue]) -> None:
        """Map a block argument to the result of `build`, which inserts at the start of its block."""
        self.values.defer_argument(argument, build)
