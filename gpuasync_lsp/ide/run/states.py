"""The progress of a program run, and the reason for a rejection, worded for an editor."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.ir import Operation

from gpuasync_lsp.exec.report import Place
from gpuasync_lsp.ide.document.state import FileState
from gpuasync_lsp.ide.lookup.mentions import op_at
from gpuasync_lsp.ide.streams.words import label
from gpuasync_lsp.syntax.dialects import gpu

_WORDS = (
    (
        "run on the device cpu, or start the worker on a machine that has a GPU ('ssh HOST')",
        "run it on the CPU, or name a machine that has a GPU in your setting `gpuasync.run.command`",
    ),
    ("specify the function to run, one of ", "choose the function to run, one of "),
    (": run with sync, which waits after each operation, to find it", ""),
    ("name it in the `pipeline`", "name it in the setting `pipeline`"),
)
"""Phrases in messages of the command line and the library, each with its replacement in an editor."""


@dataclass(frozen=True, slots=True)
class State:
    """The current activity of a program run."""

    text: str
    line: int = 0
    """The 1-based source line; 0 if unknown."""

    is_wait: bool = False
    """Whether the host waits for streams."""


def in_editor(message: str) -> str:
    """Return the message of a report reworded for an editor."""
    for words, instead in _WORDS:
        message = message.replace(words, instead)
    return message


def run_state(state: FileState, place: Place, host: Place) -> State:
    """Return the activity of a program that executes the op at `place` while the host is at `host`.

    On the CPU, an op on a stream executes while the host waits for it: the state then mentions both, and has
    the line of the op.
    """
    runs = state_at(state, place.start, place.line)
    if host.line in (0, place.line):
        return runs
    waits = state_at(state, host.start, host.line)
    return State(f"{waits.text}: {runs.text}", runs.line) if waits.is_wait else runs


def state_at(state: FileState, offset: int, line: int) -> State:
    """Return whether the op at `offset` executes, possibly on a stream, or waits for streams."""
    placed = state.source.item_at(offset)
    op = None if placed is None else op_at(placed.item, offset - placed.offset)
    if placed is None or op is None:
        return State(f"running, line {line}", line)
    if not isinstance(op, gpu.WaitOp) or op.results:
        function = next((f for f in state.models(placed) if op in f.by_op), None)
        handle = None if function is None else function.by_op[op].handle
        where = "" if function is None or handle is None else f" on {label(function, handle)}"
        return State(f"running{where}, line {line}", line)
    streams: list[str] = []
    for function in state.models(placed):
        if _holds(function.op, op):
            handles = [function.handle(value) for value in op.operands]
            streams = [label(function, each) for each in handles if each is not None]
    what = ", ".join(dict.fromkeys(streams)) or "nothing"
    return State(f"waiting for {what}, line {line}", line, is_wait=True)


def _holds(function: Operation, op: Operation) -> bool:
    parent: Operation | None = op
    while parent is not None:
        if parent is function:
            return True
        parent = parent.parent_op()
    return False
