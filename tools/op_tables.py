#!/usr/bin/env python3
# ruff: noqa: E501
"""Makes the tables of MLIR's ops from their definitions.

usage: op_tables.py 16=INCLUDE 19=INCLUDE 22=INCLUDE -o FILE [--presence FILE] [--names FILE]

INCLUDE is the folder of that release's MLIR headers (Debian: `/usr/lib/llvm-22/include`, of libmlir-22-dev),
and others that these need, after commas; `llvm-tblgen` is looked for in `../bin`, or given as
`22=INCLUDE:TBLGEN`. For each dialect, one JSON document says of every op what its names, counts, constraints,
traits and assembly are, in which releases. Facts only: the descriptions of ops are left out. `--presence` adds
what mlir-opt of the releases between said of which ops it knows (`op_presence.py`). `--names` writes which types
and attributes the dialects have whose parsers TableGen generates.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from gpuasync_lsp.syntax.ods.records import Record, joined, ops_of_release

NO_OPS = re.compile(
    r"(Passes|Interfaces?|Enums?|Types?|TypesBase|Dialect|Canonicalization\w*|Patterns|Attr\w*)\.td$"
)
NO_NAMES = re.compile(r"(Passes|Canonicalization\w*|Patterns)\.td$")
SOURCES = re.compile(r"\bdef\s+\w+\s*:|\bdefm\s+\w+")
DEFINITIONS = (
    ("!", "TypeDef", "useDefaultTypePrinterParser"),
    ("#", "AttrDef", "useDefaultAttributePrinterParser"),
)


def dump(
    include: Path, others: list[str], tblgen: Path, unread: re.Pattern[str], wanted: str
) -> list[dict[str, Any]]:
    """Return TableGen's records of every file below `include` that defines some of `wanted` by itself."""
    folders = [option for folder in (str(include), *others) for option in ("-I", folder)]
    files = [
        path
        for folder in ("mlir/Dialect", "mlir/IR")
        for path in sorted((include / folder).rglob("*.td"))
        if not unread.search(path.name)
    ]

    def one(path: Path) -> dict[str, Any] | None:
        with tempfile.NamedTemporaryFile(suffix=".json") as out:
            done = subprocess.run(
                [str(tblgen), "--dump-json", *folders, str(path), "-o", out.name],
                capture_output=True,
                check=False,
            )
            if done.returncode:
                return None  # it is only included by others
            records = json.loads(Path(out.name).read_text())
            if wanted == NAMES:
                return names_in(records)
            return records if records["!instanceof"].get(wanted) else None

    with ThreadPoolExecutor(2) as pool:
        return [each for each in pool.map(one, files) if each is not None]


def main() -> int:
    """Write the tables. Returns 1 where a release gives no ops."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("releases", nargs="+")
    parser.add_argument("-o", dest="out", type=Path, required=True)
    parser.add_argument("--presence", type=Path)
    parser.add_argument("--names", type=Path)
    options = parser.parse_args()
    tables: dict[int, dict[str, Record]] = {}
    names: dict[int, list[dict[str, Any]]] = {}
    for each in options.releases:
        version, _, place = each.partition("=")
        includes, _, tblgen = place.partition(":")
        first, *others = includes.split(",")
        folder = Path(first)
        program = Path(tblgen) if tblgen else folder.parent / "bin" / "llvm-tblgen"
        if options.names:
            names[int(version)] = dump(folder, others, program, NO_NAMES, NAMES)
        dumps = dump(folder, others, program, NO_OPS, "Op")
        ops = tables[int(version)] = ops_of_release(dumps)
        print(f"LLVM {version}: {len(ops)} ops", file=sys.stderr)
        if not ops:
            return 1
    presence = json.loads(options.presence.read_text()) if options.presence else {}
    dialects = joined(tables)
    dialects["absent"] = absences(tables, presence)
    write(options.out, dialects)
    if options.names:
        options.names.write_text(
            json.dumps(joined_names(names), separators=(",", ":"), sort_keys=True) + "\n"
        )
    return 0


NAMES = "names"


def names_in(records: dict[str, Any]) -> dict[str, Any]:
    """Return the types (`!`) and attributes (`#`) that records define, by dialect."""
    found: dict[str, Any] = {}
    for mark, kind, is_generated in DEFINITIONS:
        for name in records["!instanceof"].get(kind, []):
            home = records[records[name]["dialect"]["def"]]
            if home.get(is_generated) and (mnemonic := records[name].get("mnemonic")):
                found.setdefault(mark + home["name"], set()).add(mnemonic)
    return found


def joined_names(releases: dict[int, list[dict[str, Any]]]) -> dict[str, dict[str, list[int]]]:
    """Return, by dialect, the releases that have each name; those whose parser is generated stand under ""."""
    joined_up: dict[str, dict[str, set[int]]] = {}
    for version, files in releases.items():
        for file in files:
            for dialect, names in file.items():
                for name in ("", *names):
                    joined_up.setdefault(dialect, {}).setdefault(name, set()).add(version)
    return {
        dialect: {name: sorted(known) for name, known in names.items()}
        for dialect, names in joined_up.items()
    }


def absences(
    tables: dict[int, dict[str, Record]], presence: dict[str, dict[str, list[int]]]
) -> dict[str, list[Any]]:
    """Return, for each op that a release lacks, these releases and the one that brought it, 0 if not known."""
    found: dict[str, list[Any]] = {}
    for name in sorted({name for ops in tables.values() for name in ops}):
        said = presence.get(name, {})
        has = {version for version, ops in tables.items() if name in ops} | set(said.get("yes", ()))
        lacks = ({*tables} - has) | (set(said.get("no", ())) - has)
        if lacks:
            first = min(has)
            found[name] = [sorted(lacks), first if first - 1 in lacks else 0]
    return found


def write(out: Path, dialects: dict[str, Any]) -> None:
    """Write a zip file of one JSON document per dialect; the same input gives the same bytes."""
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, document in sorted(dialects.items()):
            entry = zipfile.ZipInfo(f"{name}.json", (2020, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, json.dumps(document, separators=(",", ":"), sort_keys=True))


if __name__ == "__main__":
    sys.exit(main())
