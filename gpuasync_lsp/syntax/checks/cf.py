"""cf: weights of branches."""

from __future__ import annotations

from gpuasync_lsp.syntax.checks.weights import branch_weights

CHECKS = {"cf.cond_br": branch_weights}
