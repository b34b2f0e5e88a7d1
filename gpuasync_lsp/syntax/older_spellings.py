"""How older releases spell ops whose newest spelling they do not read."""

from __future__ import annotations

from xdsl.ir import Operation

from gpuasync_lsp.releases import Profile, profile
from gpuasync_lsp.syntax.ods.table import Variant, entry

_SOMETIMES = frozenset({"memref.assume_alignment", "scf.reduce"}.union(*Profile.generic_ops.values()))


def may_differ(op: Operation) -> bool:
    """Whether any release writes some op of this name otherwise."""
    return _definition(op) is not None or op.name in _SOMETIMES or op.name.startswith("tosa.")


def _definition(op: Operation) -> Variant | None:
    """Return the definition that `op` was read by, if it was one of the tables."""
    found: object = getattr(type(op), "variant", None)
    return found if isinstance(found, Variant) else None


def is_generic(op: Operation, llvm: int) -> bool:
    """Whether the release has no syntax for `op` but the generic one."""
    facts = profile(llvm)
    return op.name in facts.generic_ops or (op.name.startswith("tosa.") and not facts.tosa_has_assembly)


def has_no_results(op: Operation, llvm: int) -> bool:
    """Whether the release gives `op`, whose result nothing uses, no result."""
    return names_no_result(op, llvm) and not any(result.uses for result in op.results)


def names_no_result(op: Operation, llvm: int) -> bool:
    """Whether the release gives `op` no result that a text could name."""
    definition = _definition(op)
    if definition is not None and definition.results and (found := entry(op.name)) is not None:
        own = found.of(llvm)
        return own is not None and not own.results
    return op.name == "memref.assume_alignment" and not profile(llvm).assume_alignment_has_result


def other_text(op: Operation, llvm: int) -> str | None:
    """Return how the release writes `op`, None if as later ones do."""
    if op.name != "scf.reduce" or op.operands or op.next_op is not None:
        return None
    return None if profile(llvm).reduce_ends_loops else "scf.yield"
