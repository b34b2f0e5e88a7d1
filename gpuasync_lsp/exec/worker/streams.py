"""Streams as queues, events as points in them, and when the work is really done.

Lazy (the default): nothing runs before something waits for it, so a missing wait shows every time. Seeded:
at each call of the runtime some of the work that may run runs, chosen by a random number generator.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from gpuasync_lsp.exec.worker.races import Actor, Clock


@dataclass(eq=False)
class Task:
    """One entry of a stream's queue: work, an event's record, or a wait for a record."""

    stream: Stream
    label: str
    site: int
    clock: Clock
    """What is ordered before it, itself included."""

    actor: Actor | None = None
    run: Callable[[bool], bool] | None = None
    """Does the work; told whether nothing else can come, so that it must end. Says whether it has."""

    started: bool = False
    can_go_on: Callable[[], bool] | None = None
    """Whether work that has started and not ended now can."""

    waits_for: Task | None = None
    bytes: int = 0
    done: bool = False
    enqueued: float = 0.0
    """When, in the model's time; `ended` too."""

    ended: float = 0.0
    took: float = 0.0


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
    """Whether its first task runs at this moment."""

    free_at: float = 0.0
    """When, in the model's time, the last task that has run ended."""

    @property
    def component(self) -> int:
        """Its place in vector clocks."""
        return self.number + 1

    @property
    def name(self) -> str:
        """How reports call it."""
        return f"stream {self.number}" if self.number else "the null stream"


@dataclass(eq=False)
class Event:
    """An event and its latest record."""

    handle: int
    site: int
    record: Task | None = None
    destroyed_at: int | None = None


class Scheduler:
    """Runs tasks, in an order that the streams and events allow."""

    def __init__(self, seed: int | None, execute: Callable[[Task, bool], bool]) -> None:
        """`execute` does a task's work, as `Task.run` does; `seed` None is the lazy policy."""
        self._random = random.Random(seed) if seed is not None else None
        self._execute = execute

    def finish(self, task: Task) -> None:
        """Run `task` and all that must come before it."""
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
        """Run the first task of a stream that may run and has not begun; return whether there was one."""
        for stream in streams:
            if stream.queue and not stream.busy and self._may_run(stream.queue[0]):
                task = stream.queue[0]
                if not task.started or (task.can_go_on is not None and task.can_go_on()):
                    self._step(stream)
                    return True
        return False

    def drain(self, streams: Iterable[Stream]) -> None:
        """Run all that is queued on `streams`."""
        streams = list(streams)
        if self._random is not None:
            while self._random_step(streams):
                pass
        for stream in streams:
            if stream.queue:
                self.finish(stream.queue[-1])

    def breathe(self, streams: Iterable[Stream]) -> None:
        """Run a random amount of what may run now; nothing under the lazy policy."""
        if self._random is None:
            return
        streams = list(streams)
        while self._random.random() < 0.5 and self._random_step(streams):
            pass

    def _random_step(self, streams: list[Stream]) -> bool:
        assert self._random is not None
        ready = [s for s in streams if s.queue and not s.busy and self._may_run(s.queue[0])]
        ready = [s for s in ready if not s.queue[0].started]
        if not ready:
            return False
        self._step(self._random.choice(ready))
        return True

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
