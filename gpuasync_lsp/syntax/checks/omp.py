"""omp: loops in their wrappers, clauses that exclude each other, atomic accesses.

Source: the verifiers in OpenMPDialect.cpp. The forms of loops and clauses are those since LLVM 20.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from xdsl.dialects.builtin import ArrayAttr, IntegerAttr
from xdsl.ir import Attribute

from gpuasync_lsp.syntax.checks.view import NotKnown, Refusal, View
from gpuasync_lsp.syntax.opaque import OpaqueOp, written_name
from gpuasync_lsp.syntax.printer import attribute_text

_WRAPPERS = frozenset({"omp.distribute", "omp.loop", "omp.simd", "omp.taskloop", "omp.wsloop"})
_SINCE = 20
_HINTS = (("uncontended", "contended", ""), ("nonspeculative", "speculative", "."))


def _allocated(view: View) -> str | None:
    if not (view.has("allocate_vars") and view.has("allocator_vars")):
        return None
    sizes = [view.count(name) for name in ("allocate_vars", "allocator_vars")]
    return None if sizes[0] == sizes[1] else "expected equal sizes for allocate and allocator variables"


def _count(listed: Attribute | None) -> int:
    return len(cast("ArrayAttr[Attribute]", listed).data) if isinstance(listed, ArrayAttr) else 0


def _reductions(view: View) -> str | None:
    """Whether each variable of a reduction has a declaration, and no two are one."""
    for kind in ("reduction", "in_reduction", "task_reduction"):
        if not (view.has(f"{kind}_vars") and view.has(f"{kind}_syms")):
            continue
        values, symbols = view.values(f"{kind}_vars"), view.attribute(f"{kind}_syms")
        if not values:
            if symbols is not None:
                return "unexpected reduction symbol references"
            continue
        if _count(symbols) != len(values):
            return "expected as many reduction symbol references as reduction variables"
        if len(set(values)) != len(values):
            return "accumulator variable used more than once"
    return None


def _depends(view: View) -> str | None:
    if not (view.has("depend_vars") and view.has("depend_kinds")):
        return None
    values, count = view.values("depend_vars"), _count(view.attribute("depend_kinds"))
    if values and count != len(values):
        return "expected as many depend values as depend variables"
    return "unexpected depend values" if count and not values else None


def _wrapper(view: View) -> str | None:
    """What is in a wrapper of loops: one more of them, or the loops."""
    inner = list(view.block().ops)
    if len(inner) != 1:
        return "loop wrapper does not contain exactly one nested op"
    if written_name(inner[0]) not in {"omp.loop_nest", *_WRAPPERS}:
        return "nested in loop wrapper is not another loop wrapper or `omp.loop_nest`"
    return None


def _clauses(view: View) -> str | None:
    return _allocated(view) or _reductions(view) or _depends(view)


def _wsloop(view: View) -> Refusal | str | None:
    names = [written_name(op) for op in view.block().ops]
    # Up to 19 a wrapper has a terminator behind the one op, which later releases take for a second.
    has_end = len(names) == 2 and names[1] == "omp.terminator"
    earlier = "must be a loop wrapper" if names[:1] == ["omp.loop_nest"] and not has_end else ""
    said = _clauses(view) or _wrapper(view)
    return Refusal(said or "", since=_SINCE, earlier=earlier) if said or earlier else None


def _simd(view: View) -> Refusal | str | None:
    lengths = [view.attribute(name) for name in ("simdlen", "safelen")]
    if all(isinstance(each, IntegerAttr) for each in lengths) and view.integer("simdlen") > view.integer(
        "safelen"
    ):
        return (
            "simdlen clause and safelen clause are both present, but the simdlen value is not less than or "
            "equal to safelen value"
        )
    values, alignments = view.values("aligned_vars"), view.attribute("alignments")
    listed = cast("ArrayAttr[Attribute]", alignments).data if isinstance(alignments, ArrayAttr) else ()
    if values:
        if len(listed) != len(values):
            return "expected as many alignment values as aligned variables"
        if len(set(values)) != len(values):
            return "aligned variable used more than once"
        numbers = [cast("IntegerAttr", each).value.data for each in listed if isinstance(each, IntegerAttr)]
        if any(number <= 0 for number in numbers):
            return "alignment should be greater than 0"
    elif listed:
        return "unexpected alignment values attribute"
    return _wsloop(view)


def _taskloop(view: View) -> Refusal | str | None:
    if said := _allocated(view) or _reductions(view):
        return Refusal(said, since=_SINCE)
    if view.values("reduction_vars") and view.attribute("nogroup") is not None:
        return Refusal(
            "if a reduction clause is present on the taskloop directive, the nogroup clause must not be "
            "specified",
            since=_SINCE,
            bare=True,
        )
    if view.values("grainsize") and view.values("num_tasks"):
        return Refusal(
            "the grainsize clause and num_tasks clause are mutually exclusive and may not appear on the same "
            "taskloop directive",
            since=_SINCE,
            bare=True,
        )
    return _wsloop(view)


def _distribute(view: View) -> Refusal | str | None:
    if view.values("dist_schedule_chunk_size") and view.attribute("dist_schedule_static") is None:
        return Refusal("chunk size set without dist_schedule_static being present", since=_SINCE)
    return _wsloop(view)


def _loop_nest(view: View) -> Refusal | str | None:
    lower = view.values("loop_lower_bounds")
    variables = view.block().args
    if not lower:
        return "must represent at least one loop"
    if len(lower) != len(variables):
        return "number of range arguments and IVs do not match"
    if any(bound.type != variable.type for bound, variable in zip(lower, variables, strict=True)):
        return "range argument type does not match corresponding IV type"
    if view.attribute("collapse_num_loops") is not None and view.integer("collapse_num_loops") > len(lower):
        return "collapse value is larger than the number of loops"
    if view.attribute("tile_sizes") is not None and len(view.integers("tile_sizes")) > len(lower):
        return "too few canonical loops for tile dimensions"
    parent = view.op.parent_op()
    if parent is None or written_name(parent) not in _WRAPPERS:
        return "expects parent op to be a loop wrapper"
    return None


def _hint(view: View) -> str | None:
    name = "hint" if view.attribute("hint") is not None else "hint_val"
    if view.attribute(name) is None:
        return None
    bits = view.integer(name)
    for at, (first, second, end) in enumerate(_HINTS):
        if bits >> (2 * at) & 3 == 3:
            return f"the hints omp_sync_hint_{first} and omp_sync_hint_{second} cannot be combined{end}"
    return None


def _order(view: View, refused: frozenset[str], what: str) -> Refusal | None:
    for name in ("memory_order", "memory_order_val"):
        value = view.attribute(name)
        text = "" if value is None else attribute_text(value).removesuffix(">").rpartition(" ")[2]
        if text in refused:
            return Refusal(f"memory-order must not be {what}", bare=True)
    return None


def _atomic_read(view: View) -> str | Refusal | None:
    bad = frozenset({"acq_rel", "release"})
    said = _order(view, bad, "acq_rel or release for atomic reads")
    if said is not None:
        return said
    if view.values("x") == view.values("v"):
        return Refusal("read and write must not be to the same location for atomic reads", bare=True)
    return _hint(view)


def _atomic_write(view: View) -> str | Refusal | None:
    bad = frozenset({"acq_rel", "acquire"})
    said = _order(view, bad, "acq_rel or acquire for atomic writes")
    return said or _hint(view)


def _atomic_update(view: View) -> str | Refusal | None:
    bad = frozenset({"acq_rel", "acquire"})
    said = _order(view, bad, "acq_rel or acquire for atomic updates")
    return said or _hint(view)


def _sections(view: View) -> str | None:
    if said := _clauses(view):
        return said
    inner = view.op.regions[0].blocks.first
    for op in () if inner is None else inner.ops:
        if written_name(op) not in ("omp.section", "omp.terminator"):
            return "expected omp.section op or terminator op inside region"
    return None


def _single(view: View) -> str | None:
    if said := _allocated(view):
        return said
    variables, count = view.values("copyprivate_vars"), _count(view.attribute("copyprivate_syms"))
    if count != len(variables):
        return (
            f"inconsistent number of copyprivate vars (= {len(variables)}) and functions (= {count}), both "
            "must be equal"
        )
    return None


def _teams(view: View) -> str | Refusal | None:
    lower, upper = view.values("num_teams_lower"), view.values("num_teams_upper")
    if lower and not upper:
        said = "expected num_teams upper bound to be defined if the lower bound is defined"
        return Refusal(said, bare=True)
    if lower and lower[0].type != upper[0].type:
        return Refusal("expected num_teams upper bound and lower bound to be the same type", bare=True)
    return _clauses(view)


def _cancel(what: str) -> Callable[[View], str | None]:
    """Return a check of what ends a construct early: where it stands."""

    def check(view: View) -> str | None:
        parent = view.op.parent_op()
        while parent is not None and not written_name(parent).startswith("omp."):
            if isinstance(parent, OpaqueOp):
                raise NotKnown
            parent = parent.parent_op()
        kind, name = view.word("cancel_directive"), "" if parent is None else written_name(parent)
        if parent is None:
            raise NotKnown
        if kind == "parallel" and name != "omp.parallel":
            return f"{what} parallel must appear inside a parallel region"
        if kind == "sections" and name not in ("omp.section", "omp.sections"):
            return f"{what} sections must appear inside a sections region"
        if kind == "loop" and name == "omp.loop_nest":
            around = parent.parent_op()
            name = "" if around is None else written_name(around)
        if kind == "loop" and name != "omp.wsloop":
            return f"{what} loop must appear inside a worksharing-loop region"
        return None

    return check


CHECKS: dict[str, Callable[[View], str | Refusal | None]] = {
    "omp.atomic.read": _atomic_read,
    "omp.atomic.update": _atomic_update,
    "omp.atomic.write": _atomic_write,
    "omp.cancel": _cancel("cancel"),
    "omp.cancellation_point": _cancel("cancellation point"),
    "omp.critical.declare": _hint,
    "omp.distribute": _distribute,
    "omp.loop": _wsloop,
    "omp.loop_nest": _loop_nest,
    "omp.parallel": _clauses,
    "omp.sections": _sections,
    "omp.simd": _simd,
    "omp.single": _single,
    "omp.target": _clauses,
    "omp.target_enter_data": _depends,
    "omp.target_exit_data": _depends,
    "omp.target_update": _depends,
    "omp.task": _clauses,
    "omp.taskgroup": _clauses,
    "omp.taskloop": _taskloop,
    "omp.taskwait": _depends,
    "omp.teams": _teams,
    "omp.wsloop": _wsloop,
}
