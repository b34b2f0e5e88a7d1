"""The runtime objects of a program: streams, events, modules and functions, by handle."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from gpuasync_lsp.exec.worker.cpu.arena import Arena
from gpuasync_lsp.exec.worker.cpu.streams import Event, Stream
from gpuasync_lsp.exec.worker.findings import NO_SITE, Findings


@dataclass(eq=False)
class Module:
    """A loaded kernel module."""

    handle: int
    name: str
    site: int
    unloaded_at: int | None = None


class Handles:
    """All runtime objects of one run; handles are never reused."""

    def __init__(self, arena: Arena, findings: Findings, here: Callable[[], int]) -> None:
        """`here()` returns the current source site."""
        self.streams = [Stream(0, 0, NO_SITE)]
        """The null stream, followed by the created streams."""

        self.events: list[Event] = []
        self._arena = arena
        self._findings = findings
        self._here = here
        self._objects: dict[int, object] = {}

    def new_stream(self) -> Stream:
        """Create a stream."""
        own = sum(not stream.given_as for stream in self.streams[1:])
        stream = Stream(self._arena.handle(), len(self.streams), self._here(), own=own)
        self.streams.append(stream)
        self._objects[stream.handle] = stream
        return stream

    def new_event(self) -> Event:
        """Create an event."""
        event = Event(self._arena.handle(), self._here())
        self.events.append(event)
        self._objects[event.handle] = event
        return event

    def new_module(self, name: str) -> Module:
        """Load a module."""
        module = Module(self._arena.handle(), name, self._here())
        self._objects[module.handle] = module
        return module

    def new_function(self, module: Module) -> int:
        """Return a new handle for a function of `module`."""
        handle = self._arena.handle()
        self._objects[handle] = module
        return handle

    def module(self, handle: int) -> Module | None:
        """Return the module for the handle of a module or function; None for any other handle."""
        found = self._objects.get(handle)
        return found if isinstance(found, Module) else None

    def stream(self, handle: int, function: str, null: bool = True) -> Stream | None:
        """Return the stream of a handle passed to `function`; report a handle of a different kind or a
        destroyed one."""
        if handle == 0 and null:
            return self.streams[0]
        found = self._objects.get(handle)
        if isinstance(found, Stream):
            if found.destroyed_at is None:
                return found
            self._findings.add(
                "stream-destroyed-twice" if function == "mgpuStreamDestroy" else "use-after-stream-destroy",
                "error",
                self._here(),
                f"{function}: {found.name} has been destroyed",
                ((found.destroyed_at, "destroyed here"), (found.site, "created here")),
            )
            return None
        name = "event-taken-for-stream" if isinstance(found, Event) else "invalid-handle"
        self._bad_handle(name, function, "a stream", handle)
        return None

    def event(self, handle: int, function: str) -> Event | None:
        """Return the event of a handle passed to `function`; report a handle of a different kind or a
        destroyed one."""
        found = self._objects.get(handle)
        if isinstance(found, Event):
            if found.destroyed_at is None:
                return found
            self._findings.add(
                "event-destroyed-twice" if function == "mgpuEventDestroy" else "use-after-event-destroy",
                "error",
                self._here(),
                f"{function}: the event has been destroyed",
                ((found.destroyed_at, "destroyed here"), (found.site, "created here")),
            )
            return None
        name = "stream-taken-for-event" if isinstance(found, Stream) else "invalid-handle"
        if handle == 0:
            name = "null-token"
        self._bad_handle(name, function, "an event", handle)
        return None

    def describe(self, address: int) -> str:
        """Describe in words the object at an address or handle."""
        found = self._objects.get(address)
        if isinstance(found, Stream):
            return (
                f"a destroyed stream ({found.name})"
                if found.destroyed_at is not None
                else f"a stream ({found.name})"
            )
        if isinstance(found, Event):
            return "a destroyed event" if found.destroyed_at is not None else "an event"
        if isinstance(found, Module):
            return "a module"
        if address == 0:
            return "null"
        region = self._arena.holding(address)
        if region is not None:
            state = "freed " if region.freed_at is not None else ""
            return f"{state}{region.origin} memory"
        return f"{address:#x}, which is not a handle of this program"

    def _bad_handle(self, name: str, function: str, wanted: str, handle: int) -> None:
        found = self._objects.get(handle)
        related = ((found.site, "created here"),) if isinstance(found, Stream | Event | Module) else ()
        self._findings.add(
            name,
            "error",
            self._here(),
            f"{function} expects {wanted} but gets {self.describe(handle)}: CUDA_ERROR_INVALID_HANDLE, the "
            "call does nothing",
            related,
        )
