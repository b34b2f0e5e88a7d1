"""Settings files, and files that they name, of any kind, size and depth: each is reported at its position."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from gpuasync_lsp.commands.sources import UnreadableSource, read_source
from gpuasync_lsp.ide.document.targets import SettingsResolver
from gpuasync_lsp.ide.features.workspace import read_text
from gpuasync_lsp.syntax import use_dialects
from gpuasync_lsp.text.files import MOST_OF_SETTINGS, MOST_OF_SOURCE
from tests.attack.test_time import within

SOURCE = "func.func @f() {\n  return\n}\n"


@pytest.fixture(autouse=True)
def _only_our_dialects() -> Iterator[None]:
    yield
    use_dialects(())


def _endless(path: Path) -> None:
    path.symlink_to("/dev/zero")


def _large(path: Path) -> None:
    path.touch()
    os.truncate(path, MOST_OF_SOURCE + 1)  # A sparse file.


KINDS: dict[str, tuple[Callable[[Path], None], str]] = {
    "a pipe that nobody writes to": (os.mkfifo, "not a regular file"),
    "a link to a device": (_endless, "not a regular file"),
    "a folder": (Path.mkdir, "a folder"),
    "too large": (_large, "larger than"),
    "no UTF-8": (lambda path: path.write_bytes(b"\xff\xfe\n"), "UTF-8"),
}


def problem_of(tmp_path: Path) -> str:
    """Return the only problem in the settings for a file in `tmp_path`."""
    with within(10):
        (problem,) = SettingsResolver().resolve(tmp_path / "a.mlir", SOURCE).problems
    return str(problem)


@pytest.mark.parametrize("kind", KINDS)
def test_a_source_that_is_none(kind: str, tmp_path: Path) -> None:
    make, why = KINDS[kind]
    path = tmp_path / "a.mlir"
    make(path)
    with pytest.raises(UnreadableSource, match=why), within(5):
        read_source(path)
    assert read_text(path) is None


@pytest.mark.parametrize("kind", KINDS)
def test_a_configuration_file_that_is_none(kind: str, tmp_path: Path) -> None:
    make, why = KINDS[kind]
    make(tmp_path / "gpuasync.toml")
    said = problem_of(tmp_path)
    assert said.startswith(f"{tmp_path / 'gpuasync.toml'}:1: ")
    assert why in said


@pytest.mark.parametrize("kind", KINDS)
def test_an_irdl_file_that_is_none(kind: str, tmp_path: Path) -> None:
    make, why = KINDS[kind]
    make(tmp_path / "mine.irdl")
    if kind == "a link to a device":  # The device is not in the folder.
        why = "details are reported only for files below"
    (tmp_path / "gpuasync.toml").write_text('select = ["ALL"]\ndialects = ["mine.irdl"]\n')
    said = problem_of(tmp_path)
    assert said.startswith(f"{tmp_path / 'gpuasync.toml'}:2: ")
    assert why in said


@pytest.mark.parametrize("by", ["a path", "a link", "a path that does not exist"])
def test_nothing_is_said_of_what_is_in_a_file_elsewhere(by: str, tmp_path: Path) -> None:
    secret, folder = tmp_path / "secret", tmp_path / "folder"
    folder.mkdir()
    named = "../secret"
    if by != "a path that does not exist":
        secret.write_text("hunter2 is what it says\n")
    if by == "a link":
        named = "mine.irdl"
        (folder / named).symlink_to(secret)
    (folder / "gpuasync.toml").write_text(f'dialects = ["{named}"]\n')
    said = problem_of(folder)
    assert said.endswith(f"details are reported only for files below {folder}")
    assert "hunter2" not in said


CONFIGURATIONS = {
    "brackets": ("a = " + "[" * 100_000, "nested too deep"),
    "a key of many parts": ("a." * 60_000 + "a = 1", "dots in a line"),
    "a deep list": ("llvm = " + "[" * 3_000 + "]" * 3_000, "unknown LLVM release"),
    "a number of many digits": ("llvm = " + "1" * 100_000, "not valid TOML"),
    "the same, as tomllib takes it": ("llvm = 0x" + "1" * 100_000, "unknown LLVM release"),
    "a long key": ("a" * 100_000 + " = 1", "unknown setting"),
    "many rules": ("select = [" + '"GA99",' * 15_000 + "]", "15000 words"),
    "many severities": (
        "[severity]\n" + "".join(f"r{i} = 1\n" for i in range(10_000)),
        "more than 200 rules",
    ),
    "many files": ("dialects = [" + '"none",' * 10_000 + "]", "10000 words"),
}


@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_a_configuration_that_takes_long(name: str, tmp_path: Path) -> None:
    text, why = CONFIGURATIONS[name]
    assert len(text) < MOST_OF_SETTINGS
    (tmp_path / "gpuasync.toml").write_text(text)
    said = problem_of(tmp_path)
    assert why in said
    assert len(said) < 1_000


def test_many_mistakes_are_told_up_to_a_number(tmp_path: Path) -> None:
    (tmp_path / "gpuasync.toml").write_text("".join(f"k{i}=1\n" for i in range(10_000)))
    with within(10):
        assert len(SettingsResolver().resolve(tmp_path / "a.mlir", SOURCE).problems) == 20


def _dialect(body: str) -> str:
    return f"irdl.dialect @d {{\n{body}}}\n"


def _operation(body: str) -> str:
    return _dialect(f"irdl.operation @o {{\n{body}\n}}\n")


_DOUBLED = "%0 = irdl.is i32\n" + "".join(
    f"%{i} = irdl.parametric @d::@t<%{i - 1}, %{i - 1}>\n" for i in range(1, 40)
)
IRDL = {
    "a type of itself": (
        _dialect("irdl.type @t {\n%0 = irdl.parametric @d::@t<%0>\nirdl.parameters(a: %0)\n}\n"),
        "not defined before it",
    ),
    "a constraint of itself": (
        _operation("%0 = irdl.any_of(%0, %0)\nirdl.operands(a: %0)"),
        "not defined before it",
    ),
    "a constraint that doubles": (_operation(_DOUBLED + "irdl.operands(a: %39)"), "1000 constraints"),
    "many ops": (
        _dialect("".join(f"irdl.operation @o{i} {{ %0 = irdl.any }}\n" for i in range(20_000))),
        "more than 10000 ops",
    ),
    "many operands": (
        _operation("%0 = irdl.any\nirdl.operands(" + ", ".join(f"a{i}: %0" for i in range(9_000)) + ")"),
        "1000 constraints",
    ),
    "brackets": ("[" * 100_000, "mine.irdl:1: "),
    "modules": ("module {" * 100_000, "nested too deep"),
    "types": (_operation("%0 = irdl.is " + "tuple<" * 50_000), "nested too deep"),
    "a name that is a part of Python": (
        _operation("%0 = irdl.any\nirdl.operands(__class__: %0)"),
        "__class__",
    ),
}


@pytest.mark.parametrize("name", IRDL)
def test_an_irdl_file_that_takes_long(name: str, tmp_path: Path) -> None:
    text, why = IRDL[name]
    (tmp_path / "mine.irdl").write_text(text)
    (tmp_path / "gpuasync.toml").write_text('dialects = ["mine.irdl"]\n')
    said = problem_of(tmp_path)
    assert said.startswith(f"{tmp_path / 'gpuasync.toml'}:1: {tmp_path / 'mine.irdl'}")
    assert why in said
    assert len(said) < 1_000
