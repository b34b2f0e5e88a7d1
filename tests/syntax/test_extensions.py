"""User dialects: from IRDL files, and from packages with an entry point."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from zipfile import ZipFile

import pytest
from xdsl.ir import Dialect

from gpuasync_lsp.syntax import (
    ExtensionError,
    extensions,
    installed_dialects,
    irdl_dialects,
    parse_source,
    use_dialects,
)
from tests.support.texts import texts_beside

TEXTS = texts_beside(__file__)

IRDL = TEXTS["IRDL"]
TEXT = 'func.func @f(%a: i32) {\n  %0 = "tiny.twice"(%a) : (i32) -> i32\n  return\n}\n'


@pytest.fixture(autouse=True)
def _only_our_dialects() -> Iterator[None]:
    yield
    use_dialects(())


def op_classes(text: str) -> list[str]:
    return [
        type(op).__name__
        for placed in parse_source(text).items
        for top in placed.item.ops
        for op in top.walk()
    ]


def test_an_irdl_dialect_is_known_once_loaded(tmp_path: Path) -> None:
    path = tmp_path / "tiny.irdl"
    path.write_text(IRDL)
    before = op_classes(TEXT)
    use_dialects(irdl_dialects(path))
    after = op_classes(TEXT)
    assert "UnregisteredOpWithNameOp" in before
    assert "UnregisteredOpWithNameOp" not in after
    assert parse_source(TEXT).problems() == []


def test_a_broken_irdl_file_says_where(tmp_path: Path) -> None:
    path = tmp_path / "tiny.irdl"
    path.write_text(IRDL.replace("irdl.is i32", "irdl.is ,"))
    with pytest.raises(ExtensionError, match=r"tiny\.irdl:4: "):
        irdl_dialects(path)


def test_a_file_without_dialects_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "none.irdl"
    path.write_text("module {}")
    with pytest.raises(ExtensionError, match=r"no irdl\.dialect"):
        irdl_dialects(path)


@pytest.mark.parametrize("kind", ["dist-info", "egg-info", "zip"])
def test_an_installed_package_brings_a_dialect(
    kind: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    points = (
        f"[{extensions.ENTRY_POINTS}]\n"
        "cmath = tests.syntax.test_extensions:cmath\n"
        "broken = tests.syntax.test_extensions:nothing\n"
        "wrong = tests.syntax.test_extensions:no_dialect\n"
    )
    place = tmp_path / f"maths-1.0.{kind}"
    if kind == "zip":
        with ZipFile(place, "w") as archive:
            archive.writestr("maths-1.0.dist-info/METADATA", "Name: maths\n")
            archive.writestr("maths-1.0.dist-info/entry_points.txt", points)
    else:
        place.mkdir()
        (place / ("METADATA" if kind == "dist-info" else "PKG-INFO")).write_text("Name: maths\n")
        (place / "entry_points.txt").write_text(points)
    monkeypatch.syspath_prepend(place if kind == "zip" else tmp_path)
    dialects, errors = installed_dialects()
    assert [d.name for d in dialects] == ["cmath"]
    assert [str(e).split(" ")[1] for e in errors] == ["broken", "wrong"]


def cmath() -> object:
    return Dialect("cmath", [], [])


def no_dialect() -> object:
    return 1


GENERATED = TEXTS["GENERATED"]


def test_what_tblgen_to_irdl_writes_raises_no_false_alarm(tmp_path: Path) -> None:
    """C++ predicates always hold; ops that xDSL supports only in part stay opaque."""
    path = tmp_path / "tiny.irdl"
    path.write_text(GENERATED)
    (dialect,) = irdl_dialects(path)
    assert [op.name for op in dialect.operations] == ["tiny.shaped"]
    use_dialects([dialect])
    uses = (
        '"tiny.shaped"(%m) : (memref<4xf32>) -> ()',
        '"tiny.some"(%a, %a) : (i32, i32) -> ()',
        '"tiny.some"() : () -> ()',
        '"tiny.with_body"() ({\n  }) : () -> ()',
    )
    for use in uses:
        text = f"func.func @f(%a: i32, %m: memref<4xf32>) {{\n  {use}\n  return\n}}\n"
        source = parse_source(text)
        assert source.problems() == []
        assert [item.invalid for item, _ in source.items] == [()]
