"""Baselines: files with a project's known findings, so that only new ones are reported.

A finding is identified by its file, rule, function and the text of its line, not by its line number. The
format is sorted JSON, so that diffs show added and removed findings:

    {"version": 1, "findings": {"a.mlir": [{"rule": "GA101", "function": "@f", "line": "...", "count": 2}]}}
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from gpuasync_lsp.reporting.report import FileReport, Identity
from gpuasync_lsp.text.files import MOST_OF_SOURCE, read_text
from gpuasync_lsp.text.plain_json import Json, is_object

FORMAT = 1


class NotUsableBaseline(Exception):
    """Raised for a baseline that cannot be read or written; the message names it and the reason."""


_Known = dict[str, Counter[Identity]]
"""Per file, the number of occurrences of each known finding."""


class Baseline:
    """The known findings of a project, from one baseline file."""

    def __init__(self, path: Path) -> None:
        """Read the file at `path`. Raises NotUsableBaseline."""
        self.path = path
        self.known = _read(path)

    def split(self, report: FileReport) -> tuple[list[bool], int]:
        """Return whether each finding of `report` is known, and how many known findings no longer occur."""
        known = self.known.get(name_in(self.path, report.file), Counter[Identity]())
        found = [identity._replace(file="", occurrence=0) for identity in report.identities()]
        left = known.copy()
        are_known: list[bool] = []
        for identity in found:
            are_known.append(left[identity] > 0)
            left[identity] -= 1
        return are_known, sum(number for number in left.values() if number > 0)


def write_baselines(reports: Iterable[tuple[Path, FileReport]]) -> dict[Path, int]:
    """Write the findings of each report to its baseline; return the number of findings per baseline.

    Entries of other files are kept as long as these files exist. Raises NotUsableBaseline.
    """
    new: dict[Path, _Known] = {}
    for path, report in reports:
        found = new.setdefault(path, {})
        found[name_in(path, report.file)] = Counter(
            identity._replace(file="", occurrence=0) for identity in report.identities()
        )
    for path, found in new.items():
        if path.exists():
            found |= {
                file: known
                for file, known in _read(path).items()
                if file not in found and (path.parent / file).exists()
            }
        _write(path, found)
    return {path: sum(counter.total() for counter in found.values()) for path, found in new.items()}


def name_in(baseline: Path, file: str) -> str:
    """Return the name of `file` in a baseline: its path relative to the baseline's folder, with `/`."""
    return Path(os.path.relpath(os.path.abspath(file), os.path.abspath(baseline.parent))).as_posix()


def _write(path: Path, found: _Known) -> None:
    rows = {
        file: [
            {"rule": rule, "function": function, "line": text, "count": count}
            for (_, rule, function, text, _), count in sorted(counter.items())
        ]
        for file, counter in sorted(found.items())
        if counter
    }
    try:
        text = json.dumps({"version": FORMAT, "findings": rows}, indent=1, ensure_ascii=False)
        path.write_text(text + "\n", "utf-8", newline="\n")
    except OSError as error:
        raise NotUsableBaseline(f"cannot write {path}: {error.strerror}") from error


def _read(path: Path) -> _Known:
    try:
        whole = json.loads(read_text(path, MOST_OF_SOURCE))
        if not is_object(whole) or whole.get("version") != FORMAT:
            raise ValueError(f"it is not a baseline of version {FORMAT}")
        rows: dict[str, list[Json]] = whole["findings"]
        return {
            file: Counter(
                {Identity("", e["rule"], e["function"], e["line"]): int(e["count"]) for e in entries}
            )
            for file, entries in rows.items()
        }
    except OSError as error:
        hint = "; create it with --write-baseline" if isinstance(error, FileNotFoundError) else ""
        raise NotUsableBaseline(f"cannot read the baseline {path}: {error.strerror}{hint}") from error
    except RecursionError as error:
        raise NotUsableBaseline(f"cannot read the baseline {path}: it is nested too deep") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise NotUsableBaseline(
            f"cannot read the baseline {path}: {error!r}; create it with --write-baseline"
        ) from error
