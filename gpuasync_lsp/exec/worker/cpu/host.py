"""The host in vector clocks: the thread of the entry, and the bodies of async.execute.

A run does these bodies in place, one after another. The library of MLIR's runner gives them to a pool of
threads, so each is a component of its own: it knows what was known where it begins, and who awaits it learns
what it knew at its end.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from gpuasync_lsp.exec.worker.cpu.races import HOST, Actor, Clock, join


@dataclass
class Host:
    """What the code that runs on the host at this moment knows of all others."""

    component: int = HOST
    """Its place in vector clocks: bodies have the negative ones."""

    clock: Clock = field(default_factory=lambda: {HOST: 1})

    _outer: list[tuple[int, Clock]] = field(default_factory=list[tuple[int, Clock]])
    """Those that contain the running body."""

    _ended: dict[int, Clock] = field(default_factory=dict[int, Clock])
    """What each body knew at its end, by number from 1."""

    _groups: list[list[int]] = field(default_factory=list[list[int]])
    """The numbers of the bodies that are in each async.group."""

    _awaited: set[int] = field(default_factory=set[int])
    _actors: dict[tuple[int, str], Actor] = field(default_factory=dict[tuple[int, str], Actor])
    """Those of the moment, by site and who they are."""

    def actor(self, site: int, who: str) -> Actor:
        """Return the host as it is now, at a site; `who` is what reports call it."""
        found = self._actors.get((site, who))
        if found is None:
            name = "an async.execute" if self.component != HOST and who == "the host" else who
            found = Actor(self.component, self.clock[self.component], dict(self.clock), site, name)
            self._actors[site, who] = found
        return found

    def advance(self) -> None:
        """Go to the next moment: what others learn from now on is more than what they learnt before."""
        self.clock[self.component] += 1
        self._actors.clear()

    def learn(self, clock: Clock) -> None:
        """Know what `clock` knows, too."""
        join(self.clock, clock)
        self.advance()

    def begin(self) -> None:
        """Begin a body, where the code that runs now is."""
        self._outer.append((self.component, self.clock))
        clock = dict(self.clock)
        self.advance()
        self.component, self.clock = -len(self._ended) - len(self._outer), clock
        self.clock[self.component] = 1

    def end(self) -> int:
        """End the body that runs; return its number."""
        number = -self.component
        self._ended[number] = self.clock
        self.component, self.clock = self._outer.pop()
        self._actors.clear()
        return number

    def wait_for(self, number: int) -> None:
        """Wait for the end of a body; number 0 is all that have ended: it is not known which."""
        for each in [number] if number else list(self._ended):
            self._awaited.add(each)
            join(self.clock, self._ended[each])
        self.advance()

    def create_group(self) -> int:
        """Make a group of bodies; return its number, from 1."""
        self._groups.append([])
        return len(self._groups)

    def add_to_group(self, number: int, group: int) -> None:
        """Put a body into a group; number 0 is all that have ended."""
        self._groups[group - 1] += [number] if number else list(self._ended)

    def wait_for_group(self, group: int) -> None:
        """Wait for all bodies that are in a group."""
        for number in self._groups[group - 1]:
            self.wait_for(number)

    @property
    def has_company(self) -> bool:
        """Whether other code of the host may run at this moment, where each body has a thread."""
        return bool(self._outer) or len(self._awaited) < len(self._ended)

    def clocks(self) -> list[Clock]:
        """Return the clocks of all code of the host that goes on."""
        return [self.clock, *(clock for _, clock in self._outer)]
