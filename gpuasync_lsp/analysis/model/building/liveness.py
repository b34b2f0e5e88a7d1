"""Which ops are erased, or are not any more, when others take what they make, or do not any longer."""

from __future__ import annotations

from collections.abc import Iterable, Set

from xdsl.ir import Operation, SSAValue
from xdsl.traits import IsTerminator

from gpuasync_lsp.analysis.model.function import AsyncFunction
from gpuasync_lsp.analysis.model.passing import LOOPS
from gpuasync_lsp.releases import Profile
from gpuasync_lsp.syntax.effects import is_harmless
from gpuasync_lsp.text.effort import spend


def become_others(
    function: AsyncFunction, values: Iterable[SSAValue], besides: Set[Operation]
) -> list[Operation] | None:
    """Return the ops with streams that are erased in the model and not as things are, or the other way round,
    where other ops, `besides`, take `values` than then; None where that is not known."""
    profile, found, seen = function.profile, list[Operation](), {*besides}
    work = [*values] if profile.greedy_prepass else []
    while work:
        owner = work.pop().owner
        if not isinstance(owner, Operation) or owner in seen or not is_harmless(owner, profile):
            continue
        seen.add(owner)
        info = function.by_op.get(owner)
        if owner.name == "async.execute":
            return None
        if info is not None:
            is_live = is_needed(owner, profile)
            if is_live is None:
                return None
            if info.erased != is_live:
                continue
            found.append(owner)
        work += owner.operands
    return found


def is_needed(op: Operation, profile: Profile) -> bool | None:
    """Tell whether something that is not erased takes what `op` makes, which is harmless, or what is made of
    that; None where it is passed on, so that it is not known."""
    seen, work = {op}, [op]
    while work:
        for result in work.pop().results:
            for use in result.uses:
                user = use.operation
                spend()
                if user in seen:
                    continue
                seen.add(user)
                if user.name in LOOPS or user.name == "scf.while" or user.has_trait(IsTerminator):
                    return None
                if not is_harmless(user, profile):
                    return True
                work.append(user)
    return False
