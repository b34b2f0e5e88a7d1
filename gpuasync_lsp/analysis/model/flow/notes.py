"""The findings of abstract interpretation, or the single goal of a path search."""

from __future__ import annotations

from gpuasync_lsp.analysis.model.function import Access
from gpuasync_lsp.analysis.model.goal import Goal
from gpuasync_lsp.analysis.model.state import LIVE
from gpuasync_lsp.syntax.effects import Mode


class Notes:
    """Collects possible problems while `report` is set."""

    def __init__(self) -> None:
        self.report = False
        self.goal: Goal | None = None
        """The goal of a path search; if it is set, no other problem is recorded."""
        self.reached = 0
        """The mask of possible states of the handle at the goal; 0 until the goal is reached."""
        self.found: dict[Goal, int] = {}
        """Possible problems, with the mask of the handle's possible states at each."""

    def look_for(self, goal: Goal | None) -> None:
        """From now on, record only whether `goal` is reached; record nothing if `goal` is None."""
        self.goal, self.report, self.reached = goal, goal is not None, 0

    def fault(self, goal: Goal, mask: int = LIVE) -> None:
        """Record the possible problem `goal`; in a path search, record only whether it is the goal of the
        search."""
        if self.goal is None:
            self.found[goal] = self.found.get(goal, 0) | mask
        elif self.goal == goal and (not self.goal.site or self.goal.site & mask):
            self.reached = mask

    def race(self, first: Access, second: Access) -> None:
        """Record that `second` may run concurrently with `first`, or after `first` has freed the buffer."""
        freed = first.mode is Mode.FREE
        dependent = second.dependent
        goal = Goal(
            None, second.op, first_op=first.op, freed=freed, dependent=dependent, first=first, second=second
        )
        self.fault(goal)
