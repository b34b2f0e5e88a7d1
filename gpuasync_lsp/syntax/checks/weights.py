"""Branch weights, in all dialects that have them."""

from __future__ import annotations

from gpuasync_lsp.syntax.checks.view import VerifierError, View


def branch_weights(view: View) -> VerifierError | None:
    """Return the error for the weights of a branch.

    All releases check the number of weights of an llvm.switch; LLVM 21 and later check every branch.
    """
    if view.attribute("branch_weights") is None:
        return None
    weights, wanted = view.integers("branch_weights"), len(view.op.successors)
    if len(weights) != wanted:
        words = f"expects number of branch weights to match number of successors: {len(weights)} vs {wanted}"
        return VerifierError(words, 0 if view.op.name == "llvm.switch" else 21, bare=True)
    return None if any(weights) else VerifierError("branch weights cannot all be zero", 21, bare=True)
