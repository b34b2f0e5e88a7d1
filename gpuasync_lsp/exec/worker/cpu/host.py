"""The host in vector clocks: the thread of the entry, and the bodies of async.execute.

A run executes these bodies in place, one after another, whereas MLIR's async runtime runs them on a
pool of threads. So each body is a separate component: it begins with the clock of the code that started it,
and code that awaits it joins the clock of its end.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from gpuasync_lsp.exec.worker.cpu.races import HOST, Actor, Clock, join


@dataclass
class Host:
    """The vector clock of the code that currently runs on the host."""

    component: int = HOST
    """The component of this code in vector clocks; negative for a body."""

    clock: Clock = field(default_factory=lambda: {HOST: 1})

    _outer: list[tuple[int, Clock]] = field(default_factory=list[tuple[int, Clock]])
    """The component and clock of each piece of code around the running body, outermost first."""

    _ended: dict[int, Clock] = field(default_factory=dict[int, Clock])
    """Maps the 1-based number of each body of async.execute that has ended to its clock at the end."""

    _groups: list[list[int]] = field(default_factory=list[list[int]])
    """The bodies in each async.group, by their numbers."""

    _awaited: set[int] = field(default_factory=set[int])
    _actors: dict[tuple[int, str], Actor] = field(default_factory=dict[tuple[int, str], Actor])
    """Maps a site and a name to the actor at the current time."""

    def actor(self, site: int, who: str) -> Actor:
        """Return an actor for the host at the current time and `site`; `who` names it in reports."""
        found = self._actors.get((site, who))
        if found is None:
            name = "an async.execute" if self.component != HOST and who == "the host" else who
            found = Actor(self.component, self.clock[self.component], dict(self.clock), site, name)
            self._actors[site, who] = found
        return found

    def advance(self) -> None:
        """Advance the host's component, so that accesses before and after this point are distinguished."""
        self.clock[self.component] += 1
        self._actors.clear()

    def learn(self, clock: Clock) -> None:
        """Join `clock` into the host's clock."""
        join(self.clock, clock)
        self.advance()

    def begin(self) -> None:
        """Begin a body of async.execute; it inherits the clock of the running code."""
        self._outer.append((self.component, self.clock))
        clock = dict(self.clock)
        self.advance()
        self.component, self.clock = -len(self._ended) - len(self._outer), clock
        self.clock[self.component] = 1

    def end(self) -> int:
        """End the running body of async.execute; return its number."""
        number = -self.component
        self._ended[number] = self.clock
        self.component, self.clock = self._outer.pop()
        self._actors.clear()
        return number

    def wait_for(self, number: int) -> None:
        """Await a body of async.execute; number 0 (body unknown) means all bodies that have ended."""
        for each in [number] if number else list(self._ended):
            self._awaited.add(each)
            join(self.clock, self._ended[each])
        self.advance()

    def create_group(self) -> int:
        """Create an async.group of bodies; return its 1-based number."""
        self._groups.append([])
        return len(self._groups)

    def add_to_group(self, number: int, group: int) -> None:
        """Add a body to an async.group; number 0 (body unknown) means all bodies that have ended."""
        self._groups[group - 1] += [number] if number else list(self._ended)

    def wait_for_group(self, group: int) -> None:
        """Wait for all bodies in an async.group."""
        for number in self._groups[group - 1]:
            self.wait_for(number)

    @property
    def has_company(self) -> bool:
        """Whether a body of async.execute runs or has not been awaited, so host code may be concurrent."""
        return bool(self._outer) or len(self._awaited) < len(self._ended)

    def clocks(self) -> list[Clock]:
        """Return the clocks of all running host code."""
        return [self.clock, *(clock for _, clock in self._outer)]
