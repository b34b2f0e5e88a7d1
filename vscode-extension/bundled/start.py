"""Starts the language server of this extension, or a module of it, from the libraries in dist/libs.

    python3 -I start.py --stdio             the server, or what else follows `gpuasync-lsp`
    python3 -I start.py -m MODULE           a module of the package: how the server starts its workers

`-I` is asked for, so that neither the folder it is started in nor PYTHONPATH can put anything in the place of
a module. Any Python 3 can read this file, so that one that is too old says so in one line.
"""

import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
LIBS = os.path.join(os.path.dirname(HERE), "dist", "libs")


def main():
    """Run what the arguments say, and return the exit status."""
    if sys.version_info < (3, 11):  # noqa: UP036
        sys.exit("Python 3.11 or later is needed, this is %d.%d" % sys.version_info[:2])  # noqa: UP031
    if not sys.flags.isolated:
        sys.exit("start this with python -I")
    # Before what is installed: these versions go together.
    sys.path.insert(0, LIBS)
    from gpuasync_lsp import processes

    processes.start_own_modules_by("-I", os.path.abspath(__file__), "-m")
    if sys.argv[1:2] == ["-m"] and len(sys.argv) > 2 and sys.argv[2].startswith("gpuasync_lsp."):
        import runpy

        module = sys.argv[2]
        del sys.argv[1:3]
        runpy.run_module(module, run_name="__main__", alter_sys=True)
        return 0
    from gpuasync_lsp.__main__ import main as run

    return run()


if __name__ == "__main__":
    sys.exit(main())
