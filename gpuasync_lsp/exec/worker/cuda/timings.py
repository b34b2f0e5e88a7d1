"""Times and order of a run's operations: host times from the host's clock, device times from events."""

from __future__ import annotations

import time
from dataclasses import dataclass

from gpuasync_lsp.exec.worker.cuda.driver import Driver
from gpuasync_lsp.exec.worker.cuda.handles import Handles
from gpuasync_lsp.exec.worker.timed import Timed, joined


@dataclass
class Span:
    """Two events around an operation; the time between them is read at the end of the run."""

    timed: Timed
    device: int
    begin: object
    end: object


class Timings:
    """Calls driver functions that take time, and records their times."""

    def __init__(self, driver: Driver, handles: Handles, *, profile: bool) -> None:
        """With `profile`, work on streams is timed too, with two events for each operation."""
        self._driver = driver
        self._handles = handles
        self.profile = profile
        self.operations: list[Timed] = []
        self._spans: list[Span] = []
        self._ends: dict[int, tuple[Timed, ...]] = {}
        """Maps each stream or event to the operations that directly precede the work ordered after it."""

        self._origins: dict[int, tuple[object, float]] = {}
        """Maps each device to a reference event and its host time; events of two devices are incomparable."""

    def blocking(self, label: str, function: str, *arguments: object) -> bool:
        """Call a blocking driver function; return whether it succeeds."""
        return self._timed(label, (), function, *arguments)

    def wait(self, label: str, function: str, handle: int) -> None:
        """Call a driver function that waits for a stream or an event."""
        self._timed(label, self._ends.get(handle, ()), function, handle)

    def begin(self, stream: int) -> None:
        """Register a new stream; the driver may have reused the handle of a destroyed one."""
        self._ends.pop(stream, None)

    def record(self, event: int, stream: int) -> None:
        """Register that an event is recorded on a stream."""
        self._ends[event] = self._ends.get(stream, ())

    def await_event(self, stream: int, event: int) -> None:
        """Register that a stream waits on an event."""
        self._ends[stream] = joined(self._ends.get(stream, ()), self._ends.get(event, ()))

    def enqueue(self, label: str, stream: int, size: int, function: str, *arguments: object) -> None:
        """Call a driver function that enqueues work on a stream; the work moves `size` bytes."""
        # An event belongs to the current device, and can only be recorded on a stream of that device.
        if not self.profile or self._handles.device_of(stream) != self._handles.device:
            ok = self._driver.call(function, *arguments)
        else:
            device = self._handles.device
            if device not in self._origins:
                self._origins[device] = self._origin()
            begin, end = self._new_event(), self._new_event()
            self._driver.api.cuEventRecord(begin, stream)
            ok = self._driver.call(function, *arguments)
            self._driver.api.cuEventRecord(end, stream)
            after = self._ends.get(stream, ())
            timed = Timed(label, self._handles.lane(stream), 0.0, 0.0, self._driver.here(), size, after)
            self._spans.append(Span(timed, device, begin, end))
            self._ends[stream] = (timed,)
        if self._driver.is_synchronous and ok:
            self.wait("wait (--sync)", "cuStreamSynchronize", stream)

    def end(self) -> None:
        """Read the times of the events; the device must have finished all work."""
        api = self._driver.api
        for span in self._spans:
            event, origin = self._origins[span.device]
            error, start = api.cuEventElapsedTime(event, span.begin)
            error_end, duration = api.cuEventElapsedTime(span.begin, span.end)
            if not error and not error_end:
                span.timed.start = origin + start / 1e3
                span.timed.duration = duration / 1e3
                self.operations.append(span.timed)
            api.cuEventDestroy(span.begin)
            api.cuEventDestroy(span.end)

    def _timed(self, label: str, after: tuple[Timed, ...], function: str, *arguments: object) -> bool:
        start = time.perf_counter()
        ok = self._driver.call(function, *arguments)
        duration = time.perf_counter() - start
        self.operations.append(Timed(label, "host", start, duration, self._driver.here(), after=after))
        return ok

    def _origin(self) -> tuple[object, float]:
        event = self._new_event()
        self._driver.api.cuEventRecord(event, 0)
        self._driver.api.cuEventSynchronize(event)
        return event, time.perf_counter()

    def _new_event(self) -> object:
        error, event = self._driver.api.cuEventCreate(0)
        if error:
            self._driver.failed("cuEventCreate", error)
        return event
