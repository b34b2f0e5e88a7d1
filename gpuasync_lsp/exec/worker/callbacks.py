"""Python functions as C functions for compiled code."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext

from gpuasync_lsp.exec.worker.untyped import Function


class Callbacks:
    """Binds Python functions; after one raises an exception, later calls do nothing.

    The exception is stored in `error`, because it cannot pass through compiled code: ctypes would print
    it and continue with garbage."""

    def __init__(
        self,
        on_error: Callable[[BaseException], None] = lambda error: None,
        lock: AbstractContextManager[object] | None = None,
    ) -> None:
        """Create callbacks that pass an exception to `on_error` when it is raised, since the compiled code
        continues without a result and may crash. `lock` is held during each callback; it is needed if
        several threads run compiled code."""
        self._lock = lock if lock is not None else nullcontext()
        self.error: BaseException | None = None
        self._on_error = on_error
        self._kept: list[object] = []

    def bind(self, functions: Mapping[str, Function]) -> dict[str, int]:
        """Return the addresses of `functions`, which stay alive as long as this object."""
        return {name: self._address(function) for name, function in functions.items()}

    def _address(self, function: Function) -> int:
        result, parameters, call = function

        def guarded(*arguments: object) -> object:
            if self.error is None:
                try:
                    with self._lock:
                        value = call(*arguments)
                    return value if result is not None else None
                except BaseException as error:  # noqa: BLE001 - kept, and raised when compiled code has returned
                    self.error = error
                    self._on_error(error)
            return 0 if result is not None else None

        bound = ctypes.CFUNCTYPE(result, *parameters)(guarded)
        self._kept.append(bound)
        return int(ctypes.cast(bound, ctypes.c_void_p).value or 0)
