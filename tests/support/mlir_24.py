"""Runs mlir-opt of LLVM 24 on many texts: loads its library once, and runs each text in a fork.

    python mlir_24.py LIBRARY [--split-input-file] [PASS ...] < TEXT

LIBRARY is the shared `mlir_opt_24.py`, which otherwise loads the library for each text. A pass that it
lacks is an error: another release's result is never printed instead. The exit status is that of the
text; for several texts it is 1 if one failed or crashed, which then prints nothing.
"""

from __future__ import annotations

import ctypes
import importlib.util
import os
import sys
import tempfile
from pathlib import Path
from types import ModuleType


def main(script: str, arguments: list[str]) -> int:
    """Run the passes of `arguments` on the text of standard input, or on each of its parts."""
    library = _load(Path(script))
    text = sys.stdin.read()
    several = "--split-input-file" in arguments
    words = [word for word in arguments if word != "--split-input-file"]
    passes = [_nested(library, word) for word in words] or ["--no-pass"]
    codes: list[int] = []
    for number, part in enumerate(text.split("// -----") if several else [text]):
        if number:
            print("// -----", flush=True)
        codes.append(_run(library, part, passes))
    return codes[0] if len(codes) == 1 else int(any(codes))


def _load(script: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("mlir_opt_24", script)
    assert spec
    assert spec.loader
    library = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(library)
    if not Path(library.LIB).exists():
        # The tool compiles its shim during its first run.
        with tempfile.NamedTemporaryFile(suffix=".mlir") as empty:
            library.run([empty.name, "--no-pass"])
    sys.path.insert(0, library.C)
    import libtriton  # pyright: ignore[reportMissingImports]

    ctypes.CDLL(libtriton.__file__, mode=ctypes.RTLD_GLOBAL)
    return library


def _nested(library: ModuleType, word: str) -> str:
    """Return a pass nested in the op that it runs on: mlir-opt nests it implicitly, the library does not."""
    name, equals, options = word.removeprefix("--").partition("=")
    for known in library.PASSES.split():
        if known.endswith(f"({name})"):
            return known.replace(name, f"{name}{{{options}}}" if equals else name)
    return word


def _run(library: ModuleType, text: str, passes: list[str]) -> int:
    with tempfile.NamedTemporaryFile("w", suffix=".mlir", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        sys.stdout.flush()
        process = os.fork()
        if process == 0:
            library.child([file.name, *passes])  # Ends the process.
        code = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    return 128 - code if code < 0 else code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
