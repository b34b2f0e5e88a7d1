"""Spellings of ops in older releases, which do not accept the newest spelling."""

from __future__ import annotations

from xdsl.ir import Operation

from gpuasync_lsp.releases import Profile, profile
from gpuasync_lsp.syntax.ods.table import Variant, entry

_SOMETIMES = frozenset({"memref.assume_alignment", "scf.reduce"}.union(*Profile.generic_ops.values()))


def may_differ(op: Operation) -> bool:
    """Return whether a release may spell an op of this name differently."""
    return _definition(op) is not None or op.name in _SOMETIMES or op.name.startswith("tosa.")


def _definition(op: Operation) -> Variant | None:
    """Return the definition in the ODS tables with which `op` was parsed, or None."""
    found: object = getattr(type(op), "variant", None)
    return found if isinstance(found, Variant) else None


def is_generic(op: Operation, llvm: int) -> bool:
    """Return whether LLVM `llvm` can spell `op` only in generic form."""
    facts = profile(llvm)
    return op.name in facts.generic_ops or (op.name.startswith("tosa.") and not facts.tosa_has_assembly)


def has_no_results(op: Operation, llvm: int) -> bool:
    """Return whether LLVM `llvm` defines `op` without results, and the results of `op` are unused."""
    return names_no_result(op, llvm) and not any(result.uses for result in op.results)


def names_no_result(op: Operation, llvm: int) -> bool:
    """Return whether LLVM `llvm` defines `op` without results."""
    definition = _definition(op)
    if definition is not None and definition.results and (found := entry(op.name)) is not None:
        own = found.of(llvm)
        return own is not None and not own.results
    return op.name == "memref.assume_alignment" and not profile(llvm).assume_alignment_has_result


def other_text(op: Operation, llvm: int) -> str | None:
    """Return the text of `op` in LLVM `llvm` if it differs from newer releases, else None."""
    if op.name != "scf.reduce" or op.operands or op.next_op is not None:
        return None
    return None if profile(llvm).reduce_ends_loops else "scf.yield"
