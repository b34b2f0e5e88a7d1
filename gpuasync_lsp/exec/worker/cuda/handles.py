"""Handles of a run: streams, events, modules and functions.

They are checked here because the driver's behavior for invalid handles is undefined.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Literal

from gpuasync_lsp.exec.worker.cuda.driver import Driver

Kind = Literal["stream", "event", "module", "function"]

QUARANTINE = 256
"""The maximum number of destroyed streams and events that still exist in the driver.

Otherwise the driver would reuse their handles, and a late use would look like a use of the new object."""


@dataclass
class Handle:
    """The kind of a handle, and the source sites that created and destroyed it."""

    kind: Kind
    site: int
    name: str = ""
    device: int = 0
    destroyed_at: int | None = None


class Handles:
    """All handles that a run has created."""

    def __init__(self, driver: Driver) -> None:
        self._driver = driver
        self._known: dict[int, Handle] = {}
        self._quarantine: deque[tuple[str, int]] = deque()
        """Pending destructions, each the driver function to call and the handle."""

        self.device = 0
        """The device of the current context, to which new handles belong."""

    def __getitem__(self, value: int) -> Handle:
        return self._known[value]

    def own(self, value: int, kind: Kind, name: str = "", device: int | None = None) -> int:
        """Record a new handle, unless it is null, and return it."""
        if value:
            of = self.device if device is None else device
            self._known[value] = Handle(kind, self._driver.here(), name, of)
        return value

    def lane(self, stream: int) -> str:
        """Return the name of a stream, the null stream included."""
        handle = self._known.get(stream)
        return handle.name if handle is not None else "the null stream"

    def device_of(self, stream: int) -> int:
        """Return the device of a stream; the null stream belongs to the current device."""
        handle = self._known.get(stream)
        return self.device if handle is None else handle.device

    def check(self, value: int, kind: Kind, function: str, *, null: bool = False) -> bool:
        """Return whether `value` is a live handle of `kind`, or, with `null`, 0; if not, report it."""
        handle = self._known.get(value)
        if handle is not None and handle.kind == kind and handle.destroyed_at is None:
            return True
        if value == 0 and null:
            return True
        if handle is not None and handle.kind == kind:
            self._report_destroyed(handle, function)
        else:
            self._report_other(value, handle, kind, function)
        return False

    def destroy(self, function: str, value: int) -> None:
        """Mark a handle as destroyed; call the driver's `function` for it later."""
        self.forget(value)
        self._quarantine.append((function, value))
        if len(self._quarantine) > QUARANTINE:
            self._driver.call(*self._quarantine.popleft())

    def forget(self, value: int) -> None:
        """Mark a handle as destroyed at the current site."""
        self._known[value].destroyed_at = self._driver.here()

    def end(self) -> None:
        """Destroy all handles in quarantine."""
        while self._quarantine:
            self._driver.call(*self._quarantine.popleft())

    def report_leaks(self) -> None:
        """Report streams and events that were never destroyed."""
        for handle in self._known.values():
            if handle.destroyed_at is None and handle.kind in ("stream", "event"):
                name, message = f"leaked-{handle.kind}", f"this {handle.kind} is never destroyed"
                self._driver.findings.add(name, "warning", handle.site, message)

    def _report_destroyed(self, handle: Handle, function: str) -> None:
        assert handle.destroyed_at is not None
        kind = handle.kind
        twice = function.endswith("Destroy")
        self._driver.findings.add(
            f"{kind}-destroyed-twice" if twice else f"use-after-{kind}-destroy",
            "error",
            self._driver.here(),
            f"{function}: the {kind} has been destroyed",
            ((handle.destroyed_at, "destroyed here"), (handle.site, "created here")),
        )

    def _report_other(self, value: int, handle: Handle | None, kind: Kind, function: str) -> None:
        if handle is not None:
            name, got = f"{handle.kind}-taken-for-{kind}", f"a {handle.kind}"
        elif value == 0:
            name, got = "null-token", "null"
        else:
            name, got = "invalid-handle", f"{value:#x}"
        self._driver.findings.add(
            name,
            "error",
            self._driver.here(),
            f"{function} expects a {kind} but gets {got}: the call is not made (CUDA_ERROR_INVALID_HANDLE)",
            ((handle.site, "created here"),) if handle is not None else (),
        )
