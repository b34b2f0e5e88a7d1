"""Runs `check` with faults at random boundaries, on any folder: its output must always be complete.

    python -m tests.attack.faults FOLDER --seed 1 --times 3

Prints the injected and reported faults. The exit status is 1 if a report is not JSON, or its status not
1 or 2.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import random

from gpuasync_lsp.cli import main as command
from gpuasync_lsp.text import defects

FAULTS = (KeyError, ZeroDivisionError, MemoryError, RecursionError, AttributeError, OSError)


def report(folder: str, form: str = "json") -> tuple[int, str]:
    """Run `check`; return its status and output."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
        status = command(["check", "-j", "1", "--no-cache", "--output-format", form, folder])
    return status, out.getvalue()


def files_of(text: str) -> set[str]:
    """Return the files that a JSON report names."""
    found = json.loads(text)
    rows = found if isinstance(found, list) else found["findings"]
    return {row["file"] for row in rows}


def main() -> int:
    """Run `check` without faults, and then with them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--times", type=int, default=3)
    parser.add_argument("--rate", type=float, default=0.001)
    args = parser.parse_args()
    whole, bad = files_of(report(args.folder)[1]), 0
    for number in range(args.times):
        chance, count = random.Random(args.seed + number), 0

        def fail(doing: str, chance: random.Random = chance) -> None:
            nonlocal count
            if chance.random() < args.rate and not doing.startswith("the command"):
                count += 1
                raise chance.choice(FAULTS)(f"injected {count}")

        defects.at_boundary = fail
        status, text = report(args.folder)
        sarif = json.loads(report(args.folder, "sarif")[1])
        defects.at_boundary = lambda doing: None
        named = files_of(text)
        said = text.count('"GA011"')
        lost = [file for file in whole if file not in named]
        print(
            f"seed {args.seed + number}: {count} faults, status {status}, {said} reported, {len(lost)} lost"
        )
        print(*lost[:5], sep="\n")
        bad += status not in (1, 2) or not sarif["runs"]
    return int(bad > 0)


if __name__ == "__main__":
    raise SystemExit(main())
