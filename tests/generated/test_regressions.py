"""Reduced programs on which rules, our lowering and the real mlir-opt once disagreed: they agree now."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

from tests.generated.agreement import compare
from tests.generated.real import Lowered, lower_texts
from tests.generated.test_lowering import one_form, ours, structured_lowered
from tests.support.releases import releases
from tests.support.tools import ROOT

FOLDER = ROOT / "tests" / "fixtures" / "regressions"


@pytest.mark.parametrize("version", releases(16, 19, 22, 24))
@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.mlir")), ids=lambda path: path.stem)
def test_rules_agree_with_the_lowered_code(path: Path, version: int) -> None:
    compared = compare(texts(version)[path], version, real(version)[path])
    assert compared.complete
    assert compared.differences == []


@pytest.mark.parametrize("version", releases(16, 19, 22, 24))
@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.mlir")), ids=lambda path: path.stem)
def test_lowered_texts_are_equal(path: Path, version: int) -> None:
    theirs, mine = real(version)[path], own(version)[path]
    assert theirs.error == mine.error
    if not theirs.error:
        first, second = in_one_form(version)[path]
        assert first == second


@cache
def texts(version: int) -> dict[Path, str]:
    """Return the programs in a form that the release accepts."""
    return {path: for_version(path.read_text("utf-8"), version) for path in sorted(FOLDER.glob("*.mlir"))}


@cache
def real(version: int) -> dict[Path, Lowered]:
    """Return the result of the real tool for each program; few processes are started."""
    return dict(zip(texts(version), lower_texts(version, list(texts(version).values())), strict=True))


@cache
def own(version: int) -> dict[Path, Lowered]:
    """Return the result of this project for each program."""
    prepared = structured_lowered(version, list(texts(version).values()))
    return {path: ours(version, text) for path, text in zip(texts(version), prepared, strict=True)}


@cache
def in_one_form(version: int) -> dict[Path, tuple[str, str]]:
    """Return both results in comparable form, for programs that neither side rejects."""
    good = [path for path in texts(version) if not real(version)[path].error and not own(version)[path].error]
    sides = one_form(version, *([side[path].text for path in good] for side in (real(version), own(version))))
    return dict(zip(good, zip(*sides, strict=True), strict=True))


def for_version(text: str, version: int) -> str:
    """Replace gpu.binary, which LLVM 16 lacks, with modules that have a binary attribute."""
    if version != 16:
        return text
    kernel = "{ llvm.func @k() attributes {gpu.kernel} { llvm.return } }"
    module = rf'gpu.module @\1 attributes {{nvvm.cubin = "BLOB"}} {kernel}'
    return re.sub(r"gpu\.binary @(\w+) \[.*\]", module, text)
