"""Streams as queues, events as points in them, and a scheduler that executes the work.

By default nothing runs until something waits for it, which always exposes a missing wait. Other orders expose
missing dependencies: the latest stream first, everything immediately, one stream held back, a random order.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from gpuasync_lsp.exec.worker.cpu.races import Actor, Clock
from gpuasync_lsp.exec.worker.timed import Timed


@dataclass(eq=False)
class Task:
    """One entry of a stream's queue: work, the recording of an event, or a wait for a recorded event."""

    stream: Stream
    label: str
    site: int
    clock: Clock
    """The vector clock of the task: everything that happens before it, including the task."""

    actor: Actor | None = None
    run: Callable[[bool], bool] | None = None
    """Runs the work; returns whether it is complete. The argument is True if nothing else can run, in which
    case the work must not be suspended."""

    started: bool = False
    can_go_on: Callable[[], bool] | None = None
    """Returns whether suspended work can continue."""

    waits_for: Task | None = None
    bytes: int = 0
    done: bool = False
    enqueued: float = 0.0
    """The model time (`model_time.py`) at which the task was enqueued; `ended` is a model time too."""

    ended: float = 0.0
    took: float = 0.0
    end: tuple[Timed, ...] = ()
    """The stream's last operations when the task is done, which directly precede later operations."""


@dataclass(eq=False)
class Stream:
    """A queue of tasks; the null stream has number 0 and component 1."""

    handle: int
    number: int
    site: int
    clock: Clock = field(default_factory=dict[int, int])
    queue: deque[Task] = field(default_factory=deque[Task])
    destroyed_at: int | None = None
    busy: bool = False
    """Whether the stream's first task is running."""

    free_at: float = 0.0
    """The time in the model (`model_time.py`) at which the last executed task ended."""

    end: tuple[Timed, ...] = ()
    """The last operations that have run on this stream, which directly precede later operations."""

    own: int = 0
    """The number of streams that the program created before this one."""

    given_as: str = ""
    """The argument, such as `%s`, with which the program's caller passes this stream; may be empty."""

    begins: Clock | None = None
    """The clock at which a dependent launch after the last task begins; None if that task is not a kernel."""

    @property
    def component(self) -> int:
        """The stream's component in vector clocks."""
        return self.number + 1

    @property
    def name(self) -> str:
        """The stream's name in reports, with the 0-based number of hints and diagrams."""
        if self.given_as:
            return f"caller's stream {self.given_as}"
        return f"stream {self.own}" if self.number else "the null stream"


@dataclass(eq=False)
class Event:
    """An event and its latest record."""

    handle: int
    site: int
    record: Task | None = None
    destroyed_at: int | None = None
    is_given: bool = False
    """Whether the program's caller passes the event."""


def adversarial(streams: int) -> list[str]:
    """Return the orders that most likely expose a race between `streams` streams."""
    return ["latest", "early", *(f"held:{number}" for number in range(streams - 1))]


class Scheduler:
    """Executes tasks in an order that the streams and events allow."""

    def __init__(self, order: str, execute: Callable[[Task, bool], bool], streams: Sequence[Stream]) -> None:
        """`execute` runs a task like `Task.run`; `streams` is the list to which new streams are appended.

        `order` is one of these:
        - `late`: nothing runs until the host waits for it;
        - `early`: everything runs as soon as it can;
        - `latest`: when the host waits for anything, all streams run, the last created one first;
        - `held:N`: everything runs as soon as it can, except stream N, which runs as late as it can;
        - `seed:N`: each call runs a random selection of the runnable tasks."""
        kind, _, number = order.partition(":")
        self._random = random.Random(int(number)) if kind == "seed" else None
        self._latest = kind == "latest"
        self._eager = kind in ("early", "held")
        self._held = int(number) + 1 if kind == "held" else None
        self._execute = execute
        self._streams = streams

    def finish(self, task: Task) -> None:
        """Run `task` and everything that must precede it."""
        while self._latest and not task.done and (ready := self._ready(self._streams)):
            self._step(ready[-1])
        stack = [task]
        while stack:
            goal = stack[-1]
            if goal.done:
                stack.pop()
                continue
            head = goal.stream.queue[0]
            if head.waits_for is not None and not head.waits_for.done:
                stack.append(head.waits_for)
            else:
                self._step(goal.stream, last=True)

    def help(self, streams: Iterable[Stream]) -> bool:
        """Run the first task of a stream that can begin or continue; return whether there was one."""
        for stream in streams:
            if stream.queue and not stream.busy and self._may_run(stream.queue[0]):
                task = stream.queue[0]
                if not task.started or (task.can_go_on is not None and task.can_go_on()):
                    self._step(stream)
                    return True
        return False

    def drain(self, streams: Iterable[Stream]) -> None:
        """Run all tasks queued on `streams`."""
        streams = list(streams)
        if self._random is not None:
            while ready := self._ready(streams):
                self._step(self._random.choice(ready))
        while self._latest and (ready := self._ready(self._streams)):
            self._step(ready[-1])
        for stream in streams:
            if stream.queue:
                self.finish(stream.queue[-1])

    def breathe(self) -> None:
        """Run the tasks that the chosen order runs even though the host does not wait."""
        while self._random is not None and self._random.random() < 0.5:
            ready = self._ready(self._streams)
            if not ready:
                return
            self._step(self._random.choice(ready))
        while self._eager and (ready := [s for s in self._ready(self._streams) if s.number != self._held]):
            self._step(ready[0])

    def _ready(self, streams: Iterable[Stream]) -> list[Stream]:
        """Return the streams whose first task is runnable and has not begun."""
        return [
            s
            for s in streams
            if s.queue and not s.busy and self._may_run(s.queue[0]) and not s.queue[0].started
        ]

    def _may_run(self, task: Task) -> bool:
        return task.waits_for is None or task.waits_for.done

    def _step(self, stream: Stream, last: bool = False) -> None:
        task = stream.queue[0]
        task.started = stream.busy = True
        try:
            ended = self._execute(task, last)
        finally:
            stream.busy = False
        if ended:
            stream.queue.popleft()
            task.done = True
