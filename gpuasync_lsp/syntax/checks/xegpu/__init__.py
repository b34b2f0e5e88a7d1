"""xegpu: checks that MLIR implements in C++, of LLVM 19 and since 21."""

from __future__ import annotations

from collections.abc import Callable

from gpuasync_lsp.syntax.checks.view import NotKnown, Refusal, View
from gpuasync_lsp.syntax.checks.xegpu.newest import BLOCKS, MATRICES, SINCE
from gpuasync_lsp.syntax.checks.xegpu.of_19 import OF_19

_NOT_OF_19 = 20


_Check = Callable[[View], str | Refusal | None]


def _said(check: _Check | None, view: View) -> str | Refusal | None:
    try:
        return check(view) if check is not None else None
    except NotKnown:
        return None


def _of_releases(name: str) -> _Check:
    def check(view: View) -> Refusal | None:
        now, once = _said(BLOCKS.get(name), view), _said(OF_19.get(name), view)
        assert not isinstance(once, Refusal)
        if isinstance(now, Refusal):
            return now._replace(earlier=now.earlier or once or "")
        if now is not None:
            return Refusal(now, SINCE, earlier=once or "")
        return None if once is None else Refusal(once, before=_NOT_OF_19)

    return check


CHECKS = {**{name: _of_releases(name) for name in BLOCKS}, **MATRICES}
