"""The entry point of `gpuasync-lsp`, and of `python -m gpuasync_lsp`."""

from __future__ import annotations

import sys

from gpuasync_lsp.safe_path import leave_current_folder


def main() -> int:
    """Run the command line and return the exit status; imports the package's other modules."""
    leave_current_folder(is_module=__name__ == "__main__")
    sys.unraisablehook = _interrupt_again
    try:
        import gc

        from gpuasync_lsp.quick_dataclasses import compile_later

        compile_later()
        from gpuasync_lsp.cli import main as run

        status = run()
        # Skip the final garbage collection, a tenth of a short command's time; the system frees the memory.
        gc.freeze()
        return status
    except KeyboardInterrupt:
        return 130


def _interrupt_again(dropped: sys.UnraisableHookArgs) -> None:
    """Raise KeyboardInterrupt again if Ctrl-C arrived while Python ran a callback.

    Python prints and drops exceptions in its own callbacks, such as the one with which `importlib` frees a
    module's lock.
    """
    if not issubclass(dropped.exc_type, KeyboardInterrupt):
        sys.__unraisablehook__(dropped)
        return
    import os
    import signal
    import threading

    # Not immediately, since this function itself runs inside the callback.
    threading.Timer(0.01, os.kill, (os.getpid(), signal.SIGINT)).start()


if __name__ == "__main__":
    sys.exit(main())
