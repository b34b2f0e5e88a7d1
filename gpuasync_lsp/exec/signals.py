"""Explains the signals that end a worker."""

from __future__ import annotations

import signal


def describe_signal(number: int, address: int | None = None, *, stack: bool = False) -> str:
    """Describe in a few words the signal that ended the program.

    `address` is the faulting address if known; `stack` means that the address belongs to a stack."""
    try:
        name = signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
    match name:
        case "SIGSEGV" | "SIGBUS":
            if stack:
                return f"{name}: stack overflow, for example from infinite recursion"
            where = f"an access to the address {address:#x}, or " if address is not None else ""
            return f"{name}: {where}stack overflow"
        case "SIGFPE":
            return f"{name}: integer division by zero, or of the smallest integer by -1"
        case "SIGILL" | "SIGTRAP":
            return f"{name}: the program reached code marked unreachable"
        case "SIGKILL":
            return f"{name}: the worker was killed, possibly because the system ran out of memory"
        case _:
            return name
