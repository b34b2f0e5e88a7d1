"""xegpu: checks that MLIR implements in C++, for LLVM 19 and for LLVM 21 and later."""

from __future__ import annotations

from collections.abc import Callable

from gpuasync_lsp.syntax.checks.view import NotKnown, VerifierError, View
from gpuasync_lsp.syntax.checks.xegpu.newest import BLOCKS, MATRICES, SINCE
from gpuasync_lsp.syntax.checks.xegpu.of_19 import OF_19

_NOT_OF_19 = 20


_Check = Callable[[View], str | VerifierError | None]


def _error_of(check: _Check | None, view: View) -> str | VerifierError | None:
    try:
        return check(view) if check is not None else None
    except NotKnown:
        return None


def _of_releases(name: str) -> _Check:
    def check(view: View) -> VerifierError | None:
        now, once = _error_of(BLOCKS.get(name), view), _error_of(OF_19.get(name), view)
        assert not isinstance(once, VerifierError)
        if isinstance(now, VerifierError):
            return now._replace(earlier=now.earlier or once or "")
        if now is not None:
            return VerifierError(now, SINCE, earlier=once or "")
        return None if once is None else VerifierError(once, before=_NOT_OF_19)

    return check


CHECKS = {**{name: _of_releases(name) for name in BLOCKS}, **MATRICES}
