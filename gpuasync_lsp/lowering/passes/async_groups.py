"""Groups of async tokens, for a run: bodies of async.execute run in place, so nothing is left to wait for."""

from __future__ import annotations

from xdsl.ir import Operation

from gpuasync_lsp.syntax.dialects.async_dialect import AddToGroupOp, AwaitAllOp, CreateGroupOp


def drop_async_groups(module: Operation) -> None:
    """Take groups out of `module`, in place; one of which a rank is used, or that is passed on, stays."""
    for op in list(module.walk()):
        if not isinstance(op, CreateGroupOp):
            continue
        users = [use.operation for use in op.result.uses]
        ranks = [result for each in users for result in each.results]
        used = any(result.has_one_use() or result.has_more_than_one_use() for result in ranks)
        if not used and all(isinstance(each, AwaitAllOp | AddToGroupOp) for each in users):
            for each in (*users, op):
                each.detach()
                each.erase()
