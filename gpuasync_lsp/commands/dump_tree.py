"""Dumps that stand in a folder, a file for each pass: what `--mlir-print-ir-tree-dir` writes.

    builtin_module_no-symbol-name/1_canonicalize.mlir
    builtin_module_no-symbol-name/func_func_upload/1_0_cse.mlir

The numbers in front count the passes on the op and on those around it (mlir/lib/Pass/IRPrinting.cpp, LLVM 19
and later), so that in their order the files are one dump.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from gpuasync_lsp.commands.sources import Source, UnreadableSource, read_source
from gpuasync_lsp.text.files import MOST_OF_SOURCE

_NUMBERS = re.compile(r"\d{1,9}_(?:\d{1,9}_){0,99}")


def read_tree(folder: Path) -> Source:
    """Return the dump that the files of `folder` are together. Raises UnreadableSource."""
    files = [*_files(folder)]
    if not files:
        raise UnreadableSource(f"no *.mlir file in {folder}", folder.as_posix())
    texts: list[str] = []
    size = 0
    for file in sorted(files, key=_order):
        text = read_source(file).text.rstrip()
        size += len(text)
        if size > MOST_OF_SOURCE:
            raise UnreadableSource(
                f"the files of {folder} are larger than {MOST_OF_SOURCE} bytes, the most that is read"
            )
        texts.append(text + "\n\n\n")
    return Source(f"<dump of {folder}>", None, "".join(texts))


def _files(folder: Path) -> Iterator[Path]:
    def refuse(error: OSError) -> None:
        raise UnreadableSource(f"cannot read {error.filename}: {error.strerror}", str(error.filename))

    for above, _, names in os.walk(folder, onerror=refuse):
        yield from (Path(above, name) for name in names if name.endswith(".mlir"))


def _order(file: Path) -> tuple[list[int], str]:
    numbers = _NUMBERS.match(file.name)
    return ([int(n) for n in numbers[0].split("_")[:-1]] if numbers else []), str(file)
