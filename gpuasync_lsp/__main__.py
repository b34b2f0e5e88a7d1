"""The entry point of `gpuasync-lsp`, and of `python -m gpuasync_lsp`."""

import sys

from gpuasync_lsp.safe_path import leave_current_folder


def main() -> int:
    """Run the command line and return the exit status. The first imports are here."""
    leave_current_folder(is_module=__name__ == "__main__")

    from gpuasync_lsp.cli import main as run

    return run()


if __name__ == "__main__":
    sys.exit(main())
