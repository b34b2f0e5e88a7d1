"""What the abstract run finds wrong, or the one thing that a single path is searched for."""

from __future__ import annotations

from gpuasync_lsp.analysis.model.function import Access
from gpuasync_lsp.analysis.model.goal import Goal
from gpuasync_lsp.analysis.model.state import LIVE
from gpuasync_lsp.analysis.model.terms import Mode


class Notes:
    """Collects what is wrong, while `report` is set."""

    def __init__(self) -> None:
        self.report = False
        self.goal: Goal | None = None
        """The fault or race that a single path is searched for; then nothing else is noted."""
        self.reached = 0
        """Where the goal is reached: what may have become of the handle, as a mask."""
        self.found: dict[Goal, int] = {}
        """What may be wrong, with what may have become of the handle there."""

    def look_for(self, goal: Goal | None) -> None:
        """Note from now on only whether `goal` is reached; without one, nothing."""
        self.goal, self.report, self.reached = goal, goal is not None, 0

    def fault(self, goal: Goal, mask: int = LIVE) -> None:
        """Note that something may be wrong, or that it is what is looked for."""
        if self.goal is None:
            self.found[goal] = self.found.get(goal, 0) | mask
        elif self.goal == goal and (not self.goal.site or self.goal.site & mask):
            self.reached = mask

    def race(self, first: Access, second: Access) -> None:
        """Note that `second` may happen while `first` runs, or after it freed the buffer."""
        freed = first.mode is Mode.FREE
        dependent = second.dependent
        goal = Goal(
            None, second.op, first_op=first.op, freed=freed, dependent=dependent, first=first, second=second
        )
        self.fault(goal)
