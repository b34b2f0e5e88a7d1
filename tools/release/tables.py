"""Changes one release in the tables of `gpuasync_lsp/releases/data/`, and leaves the others unchanged.

`ops.zip` has, by dialect, the definitions of each op per release, and in `absent.json` the releases that lack
it and those for which that is unknown.
`names.json` has the releases that parse a type or attribute, and under "" those with generated parsers.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from gpuasync_lsp.releases.table import KNOWN
from gpuasync_lsp.syntax.ods.records import Record, joined, split

ABSENT = "absent"
Names = dict[str, dict[str, list[int]]]


class Tables:
    """The tables in a folder, loaded for changes."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        with zipfile.ZipFile(folder / "ops.zip") as archive:
            documents = {
                name.removesuffix(".json"): json.loads(archive.read(name)) for name in archive.namelist()
            }
        absences = documents.pop(ABSENT, {})
        self.lacking: dict[str, set[int]] = {name: set(lacks) for name, (lacks, _) in absences.items()}
        self.unknown: dict[str, set[int]] = {name: set(unknown) for name, (_, unknown) in absences.items()}
        self.ops: dict[int, dict[str, Record]] = split(documents)
        self.names: Names = json.loads((folder / "names.json").read_text("utf-8"))

    @property
    def all_ops(self) -> list[str]:
        """The names of all ops that some release defines."""
        return sorted({name for ops in self.ops.values() for name in ops})

    def define(self, version: int, ops: Mapping[str, Record]) -> None:
        """Set the definitions of a release: it has these ops and no others."""
        new = ops.keys() - {*self.all_ops}
        self.ops[version] = dict(ops)
        for name in self.all_ops:
            self._take(name, version, name in ops)
        for name in new:
            for other in KNOWN:
                self._take(name, other, name in self.ops[other] if other in self.ops else None)

    def answer(self, version: int, known: Mapping[str, bool | None]) -> None:
        """Record which ops a release without definitions has; None if that is unknown."""
        for name, is_known in known.items():
            self._take(name, version, is_known)

    def name(self, version: int, names: Mapping[str, Collection[str]]) -> None:
        """Set the types and attributes with generated parsers in a release."""
        for known in self.names.values():
            for releases in known.values():
                if version in releases:
                    releases.remove(version)
        for dialect, found in names.items():
            for name in ("", *found):
                releases = self.names.setdefault(dialect, {}).setdefault(name, [])
                releases.append(version)
                releases.sort()
        self.names = {
            dialect: {name: releases for name, releases in known.items() if releases}
            for dialect, known in self.names.items()
        }

    def _take(self, name: str, version: int, has: bool | None) -> None:
        for sets, is_in in ((self.lacking, has is False), (self.unknown, has is None)):
            releases = sets.setdefault(name, set())
            (releases.add if is_in else releases.discard)(version)

    def write(self) -> None:
        """Write the tables to their folder; equal tables are written as equal bytes."""
        documents = joined(self.ops)
        documents[ABSENT] = {
            name: [sorted(self.lacking.get(name, ())), sorted(self.unknown.get(name, ()))]
            for name in self.all_ops
            if self.lacking.get(name)
        }
        with zipfile.ZipFile(self.folder / "ops.zip", "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
            for name, document in sorted(documents.items()):
                entry = zipfile.ZipInfo(f"{name}.json", (2020, 1, 1, 0, 0, 0))
                entry.compress_type = zipfile.ZIP_DEFLATED
                archive.writestr(entry, json.dumps(document, separators=(",", ":"), sort_keys=True))
        text = json.dumps(self.names, separators=(",", ":"), sort_keys=True)
        (self.folder / "names.json").write_text(text + "\n", "utf-8")


def difference(before: Tables, after: Tables, version: int) -> list[str]:
    """Return a line for each op of a release that was added, dropped or changed between two tables."""
    old, new = before.ops.get(version, {}), split(joined(after.ops)).get(version, {})
    lines = [f"new op: {name}" for name in sorted(new.keys() - old.keys())]
    lines += [f"lost op: {name}" for name in sorted(old.keys() - new.keys())]
    both = sorted(old.keys() & new.keys())
    return lines + [f"changed op: {name}" for name in both if _plain(old[name]) != _plain(new[name])]


def _plain(op: Record) -> dict[str, Any]:
    return {key: value for key, value in op.items() if value}
