"""Keeps modules in the current folder from shadowing the standard library and packages."""

from __future__ import annotations

import os
import sys


def leave_current_folder(*, is_module: bool = False) -> None:
    """Remove the current folder from the module path.

    `python -m` puts it there (`is_module`), and so does an empty or relative entry of PYTHONPATH, such as in
    `PYTHONPATH=$PYTHONPATH:/my/modules`. Call this function before any other import.
    """
    if is_module and not sys.flags.safe_path:
        del sys.path[0]
    entries = os.environ.get("PYTHONPATH", "").split(os.pathsep) if "PYTHONPATH" in os.environ else []
    relative = {os.path.abspath(entry) for entry in entries if not os.path.isabs(entry)}
    sys.path[:] = [entry for entry in sys.path if entry and entry not in relative]
