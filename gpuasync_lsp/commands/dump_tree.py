"""IR dumps in a folder, one file per pass: from `--mlir-print-ir-tree-dir`, or from other compilers.

    builtin_module_no-symbol-name/1_canonicalize.mlir
    builtin_module_no-symbol-name/func_func_upload/1_0_cse.mlir

The leading numbers count the passes on the op and on its ancestors (mlir/lib/Pass/IRPrinting.cpp, LLVM 19 and
later); sorted by these numbers, the files form one dump. Files of other compilers have no header with the
name of the pass:

    00_origin.mlir
    01_gpu_kernel_outlining.mlir

In that case the file name contains the name of the pass, and the files are in natural order: 2 before 10.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from gpuasync_lsp.commands.sources import Source, UnreadableSource, read_source
from gpuasync_lsp.ide.dumps.sections import header_spans
from gpuasync_lsp.text.files import MOST_OF_SOURCE

_PARTS = re.compile(r"[0-9]{1,18}|[^0-9]+")
_NUMBER = re.compile(r"^(?:pass|step|stage)?[-_.]?[0-9]+[-_.]?|[-_.][0-9]+$", re.IGNORECASE)
"""Matches the number in a file name, before or after the pass's name."""
_WORDS = re.compile(r"[A-Za-z0-9]+")
_INPUT = frozenset({"origin", "original", "input", "initial", "source", "before", "start"})
"""Names of files that contain the input of the first pass."""
_NUMBERS = re.compile(r"\d{1,9}_(?:\d{1,9}_){0,99}")


def read_tree(folder: Path) -> Source:
    """Return the files of `folder` joined into one dump. Raises UnreadableSource."""
    files = [*_files(folder)]
    if not files:
        raise UnreadableSource(f"no *.mlir file in {folder}", folder.as_posix())
    texts: list[tuple[Path, str]] = []
    size = 0
    for file in sorted(files, key=_order):
        text = read_source(file).text.rstrip()
        size += len(text)
        if size > MOST_OF_SOURCE:
            raise UnreadableSource(
                f"the files of {folder} are larger than the limit of {MOST_OF_SOURCE} bytes"
            )
        texts.append((file, text))
    if not any(header_spans(text) for _, text in texts):
        texts.sort(key=lambda each: _natural(each[0].relative_to(folder)))
        if all(_NUMBER.search(file.stem) for file, _ in texts[1:]):
            texts = [(file, _header(number, file) + text) for number, (file, text) in enumerate(texts)]
    return Source(f"<dump of {folder}>", None, "".join(f"{text}\n\n\n" for _, text in texts))


def _files(folder: Path) -> Iterator[Path]:
    def refuse(error: OSError) -> None:
        raise UnreadableSource(f"cannot read {error.filename}: {error.strerror}", str(error.filename))

    for above, _, names in os.walk(folder, onerror=refuse):
        yield from (Path(above, name) for name in names if name.endswith(".mlir"))


def _natural(file: Path) -> list[tuple[int, int, str]]:
    """Return the sort key of natural order, which compares numbers by value."""
    parts = _PARTS.findall(str(file))
    return [(0, int(part), "") if part.isdecimal() else (1, 0, part) for part in parts]


def _header(number: int, file: Path) -> str:
    """Return the dump header for a file named after its pass; empty for the input of the first pass."""
    words = _WORDS.findall(_NUMBER.sub("", file.stem))
    if number == 0 and (not words or not _INPUT.isdisjoint(word.lower() for word in words)):
        return ""
    name = "_".join(words) or file.stem
    argument = "-".join(words).replace("_", "-").lower()
    return f"// -----// IR Dump After {name} ({argument}) //----- //\n"


def _order(file: Path) -> tuple[list[int], str]:
    numbers = _NUMBERS.match(file.name)
    return ([int(n) for n in numbers[0].split("_")[:-1]] if numbers else []), str(file)
