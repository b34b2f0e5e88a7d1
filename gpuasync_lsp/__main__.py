"""The entry point of `gpuasync-lsp`, and of `python -m gpuasync_lsp`."""

from __future__ import annotations

import sys

from gpuasync_lsp.safe_path import leave_current_folder


def main() -> int:
    """Run the command line and return the exit status. The first imports are here."""
    leave_current_folder(is_module=__name__ == "__main__")
    sys.unraisablehook = _interrupt_again
    try:
        import gc

        from gpuasync_lsp.quick_dataclasses import compile_later

        compile_later()
        from gpuasync_lsp.cli import main as run

        status = run()
        # The system frees the memory: what is left need not be looked at once more, which takes a tenth of a
        # short command's time.
        gc.freeze()
        return status
    except KeyboardInterrupt:
        return 130


def _interrupt_again(dropped: sys.UnraisableHookArgs) -> None:
    """Have Ctrl-C end what runs where it came while Python was in a callback of its own.

    There, as in those of `importlib` that free a module's lock, every exception is printed and dropped.
    """
    if not issubclass(dropped.exc_type, KeyboardInterrupt):
        sys.__unraisablehook__(dropped)
        return
    import os
    import signal
    import threading

    # Not at once: this function is part of the callback.
    threading.Timer(0.01, os.kill, (os.getpid(), signal.SIGINT)).start()


if __name__ == "__main__":
    sys.exit(main())
