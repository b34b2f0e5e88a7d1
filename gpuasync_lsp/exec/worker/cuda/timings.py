"""When the work of a run began and how long it took: on the host by its clock, on the device by events."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

from gpuasync_lsp.exec.worker.cuda.driver import Driver
from gpuasync_lsp.exec.worker.cuda.handles import Handles
from gpuasync_lsp.exec.worker.timed import Timed


@dataclass
class Span:
    """Two events around an operation, to be read at the end."""

    label: str
    lane: str
    site: int
    bytes: int
    begin: Any
    end: Any


class Timings:
    """Makes calls that take time, and notes when they were."""

    def __init__(self, driver: Driver, handles: Handles, *, profile: bool) -> None:
        """With `profile`, work on streams is timed as well, which costs two events each."""
        self._driver = driver
        self._handles = handles
        self.profile = profile
        self.operations: list[Timed] = []
        self._spans: list[Span] = []
        self._origin_event: Any = None
        if profile:
            self._origin_event = self._new_event()
            driver.api.cuEventRecord(self._origin_event, 0)
            driver.api.cuEventSynchronize(self._origin_event)
        self._origin = time.perf_counter()

    def blocking(self, label: str, function: str, *arguments: Any) -> bool:
        """Call a function of the driver that the host waits for; tell whether it succeeds."""
        start = time.perf_counter()
        ok = self._driver.call(function, *arguments)
        self.operations.append(Timed(label, "host", start, time.perf_counter() - start, self._driver.here()))
        return ok

    def enqueue(self, label: str, stream: int, size: int, function: str, *arguments: Any) -> None:
        """Call a function of the driver that enqueues work on a stream, which moves `size` bytes."""
        if not self.profile:
            ok = self._driver.call(function, *arguments)
        else:
            begin, end = self._new_event(), self._new_event()
            self._driver.api.cuEventRecord(begin, stream)
            ok = self._driver.call(function, *arguments)
            self._driver.api.cuEventRecord(end, stream)
            self._spans.append(Span(label, self._handles.lane(stream), self._driver.here(), size, begin, end))
        if self._driver.is_synchronous and ok:
            self.blocking("wait (--sync)", "cuStreamSynchronize", stream)

    def end(self) -> None:
        """Read what the events have noted; the device must be idle."""
        api = self._driver.api
        for span in self._spans:
            error, start = api.cuEventElapsedTime(self._origin_event, span.begin)
            error_end, duration = api.cuEventElapsedTime(span.begin, span.end)
            if not error and not error_end:
                begun = self._origin + start / 1e3
                self.operations.append(
                    Timed(span.label, span.lane, begun, duration / 1e3, span.site, span.bytes)
                )
            api.cuEventDestroy(span.begin)
            api.cuEventDestroy(span.end)

    def _new_event(self) -> Any:
        error, event = self._driver.api.cuEventCreate(0)
        if error:
            self._driver.failed("cuEventCreate", error)
        return event
