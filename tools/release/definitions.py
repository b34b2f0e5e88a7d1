"""Reads the definitions of ops, types and attributes from an LLVM release's headers with its llvm-tblgen.

The descriptions of ops, which are prose and not facts, are omitted.
"""

from __future__ import annotations

import json
import re
import subprocess
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from gpuasync_lsp.syntax.ods.records import Record, ops_of_release

_NO_OPS = re.compile(
    r"(Passes|Interfaces?|Enums?|Types?|TypesBase|Dialect|Canonicalization\w*|Patterns|Attr\w*)\.td$"
)
_NO_NAMES = re.compile(r"(Passes|Canonicalization\w*|Patterns)\.td$")
_KINDS = (
    ("!", "TypeDef", "useDefaultTypePrinterParser"),
    ("#", "AttrDef", "useDefaultAttributePrinterParser"),
)

Records = dict[str, Any]


def read(folders: Sequence[Path], tblgen: Path) -> tuple[dict[str, Record], dict[str, set[str]]]:
    """Return the ops that MLIR's headers define, and the names with generated parsers, by dialect.

    `folders` are the folder of MLIR's headers, then those of headers that these include. Files that
    only serve to be included define no ops, and are skipped."""
    include, *_ = folders
    options = [option for folder in folders for option in ("-I", str(folder))]
    files = [
        path
        for folder in ("mlir/Dialect", "mlir/IR")
        for path in sorted((include / folder).rglob("*.td"))
        if not _NO_NAMES.search(path.name)
    ]

    def one(path: Path) -> tuple[Records | None, dict[str, set[str]]]:
        with tempfile.NamedTemporaryFile(suffix=".json") as out:
            command = [str(tblgen), "--dump-json", *options, str(path), "-o", out.name]
            if subprocess.run(command, capture_output=True, check=False).returncode:
                return None, {}
            records: Records = json.loads(Path(out.name).read_text("utf-8"))
        has_ops = not _NO_OPS.search(path.name) and records["!instanceof"].get("Op")
        return records if has_ops else None, _names_in(records)

    names: dict[str, set[str]] = {}
    dumps: list[Records] = []
    with ThreadPoolExecutor(2) as pool:
        for records, found in pool.map(one, files):
            dumps += [] if records is None else [records]
            for dialect, known in found.items():
                names.setdefault(dialect, set()).update(known)
    return ops_of_release(dumps), names


def _names_in(records: Records) -> dict[str, set[str]]:
    """Return the types (`!`) and attributes (`#`) with generated parsers that records define, by dialect."""
    found: dict[str, set[str]] = {}
    for mark, kind, is_generated in _KINDS:
        for name in records["!instanceof"].get(kind, []):
            home = records[records[name]["dialect"]["def"]]
            if home.get(is_generated) and (mnemonic := records[name].get("mnemonic")):
                found.setdefault(mark + home["name"], set()).add(mnemonic)
    return found
