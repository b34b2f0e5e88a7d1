"""`check --fix` writes only the requested files, and changes nothing else in them."""

from __future__ import annotations

import os
import resource
import subprocess
from pathlib import Path

import pytest

from gpuasync_lsp.cli import main
from gpuasync_lsp.commands.sources import NotWritten, read_source, write_source
from tests.exec.test_cuda_api import ROOT
from tests.lsp.editor import SERVER
from tests.support.command import gpuasync

FIXABLE = (ROOT / "examples/broken/two_dependencies.mlir").read_text()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "file.mlir"
    path.write_text(FIXABLE)
    return path


def fix(path: Path, **options: object) -> subprocess.CompletedProcess[str]:
    command = [SERVER, "check", "--llvm", "22", "--fix", str(path)]
    return subprocess.run(command, capture_output=True, text=True, check=False, **options)  # pyright: ignore


def test_an_edit_that_was_made_meanwhile_is_kept(file: Path) -> None:
    source = read_source(file)
    file.write_text("// typed meanwhile\n" + FIXABLE)
    with pytest.raises(NotWritten, match="changed in the meantime"):
        write_source(source, "fixed")
    assert file.read_text() == "// typed meanwhile\n" + FIXABLE
    assert list(file.parent.iterdir()) == [file]


def test_the_command_says_so(
    file: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from gpuasync_lsp.commands import check_file

    read = check_file.read_source

    def read_and_type(path: Path, stdin: Path | None = None) -> check_file.Source:
        found = read(path, stdin)
        path.write_text("// typed meanwhile\n" + found.text)
        return found

    monkeypatch.setattr(check_file, "read_source", read_and_type)
    assert main(["check", "--llvm", "22", "--fix", str(file)]) == 2
    output = capsys.readouterr()
    assert "changed in the meantime" in output.err
    assert "Applied" not in output.err
    assert "GA101" in output.out
    assert file.read_text().startswith("// typed meanwhile")


def test_a_read_only_file_is_left_alone(file: Path) -> None:
    file.chmod(0o444)
    done = fix(file)
    assert done.returncode == 2
    assert "read-only" in done.stderr
    assert "Applied" not in done.stderr
    assert file.read_text() == FIXABLE
    assert file.stat().st_mode & 0o777 == 0o444


def test_mode_and_links_stay(file: Path, tmp_path: Path) -> None:
    file.chmod(0o640)
    hard, soft = tmp_path / "hard.mlir", tmp_path / "soft.mlir"
    os.link(file, hard)
    soft.symlink_to(file)
    before = file.stat()
    done = fix(soft)
    assert "Applied 1 fix in 1 file." in done.stderr
    assert file.read_text() != FIXABLE
    assert soft.is_symlink()
    assert hard.samefile(file)
    assert (file.stat().st_mode, file.stat().st_ino) == (before.st_mode, before.st_ino)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file.mlir", "hard.mlir", "soft.mlir"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give files away")
def test_the_owner_stays(file: Path) -> None:
    os.chown(file, 12345, 54321)
    assert "Applied 1 fix" in fix(file).stderr
    assert (file.stat().st_uid, file.stat().st_gid) == (12345, 54321)


@pytest.mark.parametrize("links", [1, 2])
def test_where_there_is_no_room_the_old_text_stays(file: Path, tmp_path: Path, links: int) -> None:
    text = FIXABLE + "// " + "x" * 8192 + "\n"
    file.write_text(text)
    if links > 1:
        os.link(file, tmp_path / "other")

    def limit() -> None:
        import signal

        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))

    done = fix(file, preexec_fn=limit)
    assert done.returncode == 2
    assert "cannot write" in done.stderr
    assert "Applied" not in done.stderr
    assert file.read_text() == text
    assert len(list(tmp_path.iterdir())) == links


COMMANDS = [["check"], ["lower"], ["streams"], ["explain", "GA201"], ["--help"], ["--version"]]
START = [
    (["check"], ""),
    (["--version"], "1"),
    *(pytest.param(command, "", marks=pytest.mark.slow) for command in COMMANDS[1:]),
    pytest.param(["check"], "1", marks=pytest.mark.slow),
]
"""Commands, and PYTHONUNBUFFERED: with "1" the first write fails, otherwise the flush."""


@pytest.mark.parametrize(("command", "unbuffered"), START)
def test_output_that_cannot_be_written_is_one_line(file: Path, command: list[str], unbuffered: str) -> None:
    words = [SERVER, *command, *([str(file)] if command[0] in ("check", "lower", "streams") else [])]
    environment = {**os.environ, "PYTHONUNBUFFERED": unbuffered}
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            words, stdout=full, stderr=subprocess.PIPE, text=True, check=False, env=environment
        )
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert done.stderr.splitlines()[-1].startswith("gpuasync-lsp: error: cannot write the output: No space")
    shell = ["sh", "-c", '"$@" >&-', "sh", *words]
    closed = subprocess.run(shell, stderr=subprocess.PIPE, text=True, check=False, env=environment)
    assert closed.returncode == 2
    assert "Traceback" not in closed.stderr
    reading, writing = os.pipe()
    os.close(reading)
    gone = subprocess.run(
        words, stdout=writing, stderr=subprocess.PIPE, text=True, check=False, env=environment
    )
    os.close(writing)
    assert gone.returncode == 141
    assert "Traceback" not in gone.stderr
    assert "Exception" not in gone.stderr


def test_closed_streams_are_no_place_for_files(file: Path) -> None:
    done = subprocess.run(
        ["sh", "-c", '"$@" <&- >&- 2>&-', "sh", SERVER, "check", "--fix", str(file)], check=False
    )
    assert done.returncode == 2
    text = file.read_text()
    assert text != FIXABLE
    assert "GA101" not in text.replace("GA101", "", FIXABLE.count("GA101"))
    for word in ("check", "lower"):
        done = subprocess.run(
            ["sh", "-c", '"$@" <&-', "sh", SERVER, word, "-"], capture_output=True, text=True, check=False
        )
        assert done.returncode == 2
        assert "cannot read <stdin>" in done.stderr


@pytest.mark.parametrize("command", ["check", "lower", "streams"])
@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\0" * 1000,
        bytes(range(256)),
        b"\xef\xbb\xbffunc.func @f() { return }",
        b"\xff\xfef\0u\0",
        FIXABLE.replace("\n", "\r\n").encode(),
        FIXABLE.replace("\n", "\r").encode(),
        b"// " + b"x" * 1_000_000,
        b"%" * 1_000_000,
        b'"' * 100_001,
    ],
    ids=["empty", "zeros", "bytes", "bom", "utf-16", "crlf", "cr", "comment", "sigils", "quotes"],
)
def test_whatever_a_file_holds_there_is_no_traceback(tmp_path: Path, command: str, data: bytes) -> None:
    path = tmp_path / "odd.mlir"
    path.write_bytes(data)
    done = gpuasync(command, str(path))
    assert done.returncode in (0, 1, 2)
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("command", ["check", "lower", "streams", "run"])
def test_odd_names_are_told_in_one_line(tmp_path: Path, command: str) -> None:
    for name in ("missing.mlir", "", "a\nb", "x" * 300, "/dev/null/x", str(tmp_path), "\udcff.mlir"):
        done = gpuasync(command, name, cwd=tmp_path, timeout=60)
        # `check` accepts a folder without files; no other command accepts a folder.
        status = 0 if (command, name) == ("check", str(tmp_path)) else 2
        assert done.returncode == status, (name, done)
        assert "Traceback" not in done.stderr, name
