"""The findings of abstract execution, or the single goal of a path search."""

from __future__ import annotations

from gpuasync_lsp.analysis.model.function import Access
from gpuasync_lsp.analysis.model.goal import Goal
from gpuasync_lsp.analysis.model.state import LIVE
from gpuasync_lsp.analysis.model.terms import Mode


class Notes:
    """Collects findings while `report` is set."""

    def __init__(self) -> None:
        self.report = False
        self.goal: Goal | None = None
        """The goal of a path search; then nothing else is recorded."""
        self.reached = 0
        """The possible states of the handle where the goal is reached, as a mask."""
        self.found: dict[Goal, int] = {}
        """Possible faults, with the possible states of the handle there."""

    def look_for(self, goal: Goal | None) -> None:
        """Record only whether `goal` is reached from now on; without one, record nothing."""
        self.goal, self.report, self.reached = goal, goal is not None, 0

    def fault(self, goal: Goal, mask: int = LIVE) -> None:
        """Record a possible fault, or that the goal is reached."""
        if self.goal is None:
            self.found[goal] = self.found.get(goal, 0) | mask
        elif self.goal == goal and (not self.goal.site or self.goal.site & mask):
            self.reached = mask

    def race(self, first: Access, second: Access) -> None:
        """Record that `second` may happen while `first` runs, or after it freed the buffer."""
        freed = first.mode is Mode.FREE
        dependent = second.dependent
        goal = Goal(
            None, second.op, first_op=first.op, freed=freed, dependent=dependent, first=first, second=second
        )
        self.fault(goal)
