"""amdgpu: matrix products, buffers, and copies to workgroup memory, per release."""

from __future__ import annotations

from collections.abc import Callable

from gpuasync_lsp.syntax.checks.amdgpu.ops import BEFORE_23, CHECKS_OF_ALL
from gpuasync_lsp.syntax.checks.amdgpu.since_23 import OF_23
from gpuasync_lsp.syntax.checks.view import NotKnown, VerifierError, View

_SINCE = 23


def _error_of(check: Callable[[View], str | None] | None, view: View) -> str:
    try:
        return (check(view) if check is not None else None) or ""
    except NotKnown:
        return ""


def _of_releases(name: str) -> Callable[[View], VerifierError | None]:
    def check(view: View) -> VerifierError | None:
        now, once = _error_of(OF_23.get(name), view), _error_of(BEFORE_23.get(name), view)
        if now:
            return VerifierError(now, _SINCE, earlier=once)
        return VerifierError(once, before=_SINCE) if once else None

    return check


CHECKS = {**CHECKS_OF_ALL, **{name: _of_releases(name) for name in (*OF_23, *BEFORE_23)}}
