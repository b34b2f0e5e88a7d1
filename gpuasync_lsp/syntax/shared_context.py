"""xDSL's context, made safe for parsers in several threads."""

from __future__ import annotations

from collections.abc import Sequence
from threading import RLock
from typing import Any

from xdsl.context import Context
from xdsl.dialects.builtin import UnregisteredOp
from xdsl.ir import Attribute, Dialect, Operation, TypeAttribute

from gpuasync_lsp.syntax.xdsl_speed import speed_up
from gpuasync_lsp.text.recent import Recent

speed_up()

MOST_NAMES = 4_096
"""The maximum number of entries of each memo whose keys come from texts: names, types, shapes, forms."""


class SharedContext(Context):
    """A context in which only one thread at a time loads a dialect.

    xDSL registers a dialect's ops one by one; a concurrent thread would permanently treat missing ops
    as unregistered.
    """

    def __init__(self) -> None:
        super().__init__(allow_unregistered=True)
        self.types: dict[str, TypeAttribute] = {}
        """Types, keyed by text, for spellings whose meaning does not depend on aliases."""
        self.symbols: dict[str, Attribute] = {}
        """Symbol references, keyed by text."""
        self.op_types: dict[tuple[str, str], type[Operation] | None] = {}
        """Op classes, keyed by name; for a name without a dialect prefix, also by the enclosing dialects."""
        self.alike: dict[str, Any] = {}
        """Memoized forms of repeated statements, keyed by shape (`parser.alike`), at most `MOST_NAMES`.

        The value is None for a shape that occurred once."""
        self._unregistered: Recent[type[Operation]] = Recent(MOST_NAMES)
        self._lock = RLock()

    def trim(self) -> None:
        """Clear memos that are too large: their keys are names from files, so nothing else bounds them."""
        for each in (self.types, self.symbols, self.op_types):
            if len(each) > MOST_NAMES:
                each.clear()

    def get_optional_op(self, name: str, *, dialect_stack: Sequence[str] = ()) -> type[Operation] | None:
        """Return the class of the op `name`, as xDSL's method does."""
        known = self._loaded_ops.get(name)
        if known is not None:
            return known
        with self._lock:
            unknown = self._unregistered.get(name) if not dialect_stack else None
            if unknown is not None:
                return unknown
            found = super().get_optional_op(name, dialect_stack=dialect_stack)
            # xDSL would keep a class for each unregistered name permanently.
            if found is not None and issubclass(found, UnregisteredOp):
                del self._loaded_ops[name]
                self._unregistered.keep(name, found)
            return found

    def get_optional_type(self, name: str) -> type[TypeAttribute] | None:
        """Return the class of the type `name`, as xDSL's method does."""
        known = self._loaded_types.get(name)
        if known is not None:
            return known
        with self._lock:
            return super().get_optional_type(name)

    def get_optional_attr(self, name: str) -> type[Attribute] | None:
        """Return the class of the attribute `name`, as xDSL's method does."""
        known = self._loaded_attrs.get(name)
        if known is not None:
            return known
        with self._lock:
            return super().get_optional_attr(name)

    def get_optional_dialect(self, name: str) -> Dialect | None:
        """Return the dialect `name`, as xDSL's method does."""
        with self._lock:
            return super().get_optional_dialect(name)
