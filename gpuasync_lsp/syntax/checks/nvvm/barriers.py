"""nvvm: barriers in memory (mbarrier)."""

from __future__ import annotations

from gpuasync_lsp.syntax.checks.nvvm.parts import SHARED_CLUSTER, space, word
from gpuasync_lsp.syntax.checks.view import VerifierError, View


def _arrive(view: View) -> VerifierError | None:
    if view.attribute("scope") is not None and view.word("scope") not in ("cta", "cluster"):
        return VerifierError("mbarrier scope must be either CTA or Cluster", 22, bare=True)
    if view.op.results and not view.op.name.endswith("wait") and space(view, "addr") == SHARED_CLUSTER:
        return VerifierError("mbarrier in shared_cluster space cannot return any value", 22, bare=True)
    return None


def _expect(view: View) -> VerifierError | None:
    words = None
    if view.values("predicate"):
        if word(view, "scope", "cta") != "cta":
            words = "mbarrier scope must be CTA when using predicate"
        elif space(view, "addr") == SHARED_CLUSTER:
            words = "mbarrier in shared_cluster space is not supported when using predicate"
        elif view.op.results:
            words = "return-value is not supported when using predicate"
        elif view.is_set("relaxed"):
            words = "mbarrier with relaxed semantics is not supported when using predicate"
    return _arrive(view) if words is None else VerifierError(words, 22, bare=True)


BARRIERS = {
    "nvvm.mbarrier.arrive": _arrive,
    "nvvm.mbarrier.arrive_drop": _arrive,
    "nvvm.mbarrier.arrive_drop.expect_tx": _arrive,
    "nvvm.mbarrier.arrive.expect_tx": _expect,
    "nvvm.mbarrier.expect_tx": _arrive,
    "nvvm.mbarrier.complete_tx": _arrive,
    "nvvm.mbarrier.test.wait": _arrive,
    "nvvm.mbarrier.try_wait": _arrive,
}
