"""FileCheck treats runs of spaces and tabs as one space, even in regular expressions."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from gpuasync_lsp.ide.runlines.white_space import canonical, places_in

pytest.importorskip("filecheck")

FILECHECK = next(
    (found for name in ("FileCheck", "FileCheck-22") if (found := shutil.which(name))), None
) or next((str(path) for path in sorted(Path("/usr/lib").glob("llvm-*/bin/FileCheck"))), None)
CASES = [
    # (checks, text, match without --strict-whitespace, match with it)
    ("// CHECK: a{{  +}}b", "a b", True, False),
    ("// CHECK: a{{  b}}", "a b", True, False),
    ("// CHECK: a{{  b}}", "a    b", True, False),
    ("// CHECK: a{{ b}}", "a    b", True, False),
    ("// CHECK: a{{ b}}", "a \t b", True, False),
    ("// CHECK: a{{   }}b", "ab", False, False),
    ("// CHECK: [[V:a  b]] [[V]]", "a   b a b", True, False),
    ("// CHECK: [[V:a  b]] [[V]]", "a  b a  b", True, True),
    ("// CHECK: {{^}} a", "    a", True, False),
    ("// CHECK: {{^  a}}", "\ta", True, False),
    ("// CHECK: {{^ [a-z]+$}}", "    abc", True, False),
    ("// CHECK-NOT: a{{  }}b", "a b", False, True),
]


@pytest.mark.parametrize(("checks", "text", "passes", "strictly"), CASES)
def test_it_is_as_in_llvm(checks: str, text: str, passes: bool, strictly: bool, tmp_path: Path) -> None:
    from gpuasync_lsp.ide.runlines.matching import match

    file = tmp_path / "checks.mlir"
    file.write_text(checks + "\n")
    for options, expected in ([], passes), (["--strict-whitespace"], strictly):
        assert (not match([*options, str(file)], text + "\n", str(tmp_path)).mismatches) is expected
        if FILECHECK is not None:
            done = subprocess.run(
                [FILECHECK, *options, str(file)],
                input=text + "\n",
                text=True,
                capture_output=True,
                check=False,
            )
            assert (done.returncode == 0) is expected, "LLVM's"


def test_a_failure_is_where_it_is_in_the_text_as_printed(tmp_path: Path) -> None:
    from gpuasync_lsp.ide.runlines.matching import match

    file = tmp_path / "checks.mlir"
    file.write_text("// CHECK: a\n// CHECK-NOT: {{x  y}}\n")
    text = "    a\n\t \tb  x\t\ty\n"
    (found,) = match([str(file)], text, str(tmp_path)).mismatches
    assert text[found.at : found.end] == "x\t\ty"


def test_places_are_found_behind_any_run() -> None:
    text = "  a\t\tb c   "
    for place, character in enumerate(canonical(text)):
        if character != " ":
            assert text[places_in(text, {"at": place})["at"]] == character
