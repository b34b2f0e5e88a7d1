"""Starts the language server of this extension, or one of its modules, from the libraries in dist/libs.

    python3 -I start.py --stdio             the server; other arguments of `gpuasync-lsp` work too
    python3 -I start.py -m MODULE           a module of the package; the server starts its workers so

`-I` is required: without it, the folder in which Python is started or PYTHONPATH could replace a module. Any
Python 3 can parse this file, so that a version that is too old reports this in one line.
"""

import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
LIBS = os.path.join(os.path.dirname(HERE), "dist", "libs")


def main():
    """Run the server or module that the arguments name, and return the exit status."""
    if sys.version_info < (3, 11):  # noqa: UP036
        sys.exit("Python 3.11 or later is needed, this is %d.%d" % sys.version_info[:2])  # noqa: UP031
    if not sys.flags.isolated:
        sys.exit("start this with python -I")
    # First in the path, before installed packages: these versions fit together.
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
