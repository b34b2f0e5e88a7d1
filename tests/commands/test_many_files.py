"""`check` of many files: parallel processes, ordered results, and clean termination."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from gpuasync_lsp.commands.check import _processes  # pyright: ignore[reportPrivateUsage]
from tests.commands.test_cli import BROKEN, SOUND, gpuasync

posix = pytest.mark.skipif(not hasattr(os, "fork"), reason="one process where there is no fork")


@pytest.fixture
def many(tmp_path: Path) -> Path:
    """Twelve files, large enough for two processes; every third has a finding."""
    for number in range(12):
        text = SOUND * 20 if number % 3 else BROKEN + SOUND * 20
        (tmp_path / f"f{number:02}.mlir").write_text(text)
    return tmp_path


def forks(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Record the created processes."""
    made: list[int] = []
    fork = os.fork

    def counted() -> int:
        child = fork()
        if child:
            made.append(child)
        return child

    monkeypatch.setattr(os, "fork", counted)
    return made


@posix
@pytest.mark.parametrize("format", ["text", "json", "sarif", "github"])
def test_says_the_same_as_one_process(many: Path, format: str, monkeypatch: pytest.MonkeyPatch) -> None:
    alone = gpuasync("check", "-j1", "--no-cache", "--output-format", format, cwd=many)
    made = forks(monkeypatch)
    shared = gpuasync("check", "-j3", "--no-cache", "--output-format", format, cwd=many)
    assert len(made) == 2, "as many as their bytes are worth"
    assert shared == alone
    assert alone.returncode == 1
    assert alone.stdout


@posix
def test_standard_input_beside_files_is_read(many: Path) -> None:
    said = gpuasync("check", "-j3", "-", ".", cwd=many, stdin=BROKEN)
    assert "<stdin>:" in said.stdout


@posix
def test_repairs_each_file_once(many: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = forks(monkeypatch)
    shown = gpuasync("check", "--jobs", "2", "--no-cache", "--diff", "--unsafe-fixes", cwd=many)
    done = gpuasync("check", "--jobs", "2", "--no-cache", "--unsafe-fixes", cwd=many)
    assert len(made) == 4
    assert shown.stdout.count("--- a/f") == 4
    assert "in 4 files." in done.stderr
    left = gpuasync("check", "--output-format", "json", "--select", "GA101", cwd=many).stdout
    assert json.loads(left)["findings"] == []


@posix
def test_says_mistakes_in_order_and_once(many: Path) -> None:
    (many / "gpuasync.toml").write_text("llvm = 'x'\n")
    (many / "f05.mlir").write_bytes(b"\xff" * 200_000)
    alone, shared = (gpuasync("check", f"-j{n}", cwd=many) for n in (1, 2))
    assert shared == alone
    assert shared.returncode == 2
    assert shared.stderr.count("gpuasync.toml") == 1
    assert "f05.mlir is not UTF-8" in shared.stderr


@pytest.mark.parametrize("jobs", ["0", "-1", "two", "1000000000000"])
def test_an_unusable_number(many: Path, jobs: str) -> None:
    done = gpuasync("check", "--jobs", jobs, cwd=many)
    assert done.returncode == 2
    assert "expected a number of processes from 1 to 256" in done.stderr


def test_little_work_is_done_here(many: Path) -> None:
    assert _processes(8, [many / "f00.mlir", many / "f01.mlir"]) == 1


def _heed_interrupts() -> None:
    """Restore the interrupt handler, which a shell disables in background processes."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.mark.slow
@posix
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL, signal.SIGTERM])
def test_no_process_stays_behind(tmp_path: Path, number: signal.Signals) -> None:
    for name in range(40):
        (tmp_path / f"f{name:02}.mlir").write_text(BROKEN * 40)
    command = [sys.executable, "-m", "gpuasync_lsp", "check", "-j2", str(tmp_path)]
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        preexec_fn=_heed_interrupts,
    ) as run:
        assert run.stdout is not None
        assert run.stderr is not None
        run.stdout.readline()  # The process is working.
        if number is signal.SIGINT:
            os.killpg(run.pid, number)  # Like a terminal.
        else:
            run.send_signal(number)
        # Reading ends only when every process has closed its end of the pipes.
        run.stdout.read()
        errors = run.stderr.read().decode()
    assert run.returncode == (130 if number is signal.SIGINT else -number)
    assert "Traceback" not in errors


def test_an_interrupt_says_how_much_is_checked(many: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from gpuasync_lsp.commands.check_file import FileChecker

    check: Any = FileChecker.__call__

    def interrupted(self: FileChecker, path: Path) -> Any:
        if path.name == "f02.mlir":
            raise KeyboardInterrupt
        return check(self, path)

    monkeypatch.setattr(FileChecker, "__call__", interrupted)
    done = gpuasync("check", "-j1", "--no-cache", cwd=many)
    assert done.returncode == 130
    assert f"gpuasync-lsp: interrupted: 2 of {len(list(many.glob('*.mlir')))} files checked" in done.stderr
    assert "f00.mlir" in done.stdout
    assert "f03.mlir" not in done.stdout


@posix
def test_a_process_that_the_system_ends_is_told(many: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from gpuasync_lsp.commands.check_file import FileChecker

    monkeypatch.setattr(FileChecker, "__call__", lambda self, path: os.kill(os.getpid(), signal.SIGKILL))
    done = gpuasync("check", "-j2", cwd=many)
    assert done.returncode == 2
    assert "--jobs 1" in done.stderr


def test_no_file_is_a_note(tmp_path: Path) -> None:
    done = gpuasync("check", "--output-format", "json", cwd=tmp_path)
    assert json.loads(done.stdout)["findings"] == []
    assert done.returncode == 0
    assert "note: nothing to check" in done.stderr


@posix
@pytest.mark.parametrize("where", ["a callback", "the imports"])
def test_an_interrupt_counts_wherever_it_comes(tmp_path: Path, where: str) -> None:
    (tmp_path / "interrupted.py").write_text(
        "import signal, sys, time, weakref\n"
        "class Thing: pass\n"
        "def interrupt(*_):\n"
        "    signal.raise_signal(signal.SIGINT)\n"
        "class Finder:\n"
        "    def find_spec(self, name, *_):\n"
        "        if name == 'gpuasync_lsp.cli':\n"
        "            if sys.argv[1] == 'the imports':\n"
        "                interrupt()\n"
        "            thing = Thing()\n"
        "            watched = weakref.ref(thing, interrupt)\n"
        "            del thing\n"
        "            time.sleep(30)\n"
        "sys.meta_path.insert(0, Finder())\n"
        "from gpuasync_lsp.__main__ import main\n"
        "sys.exit(main())\n"
    )
    command = [sys.executable, "interrupted.py", where]
    done = subprocess.run(
        command,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=25,
        check=False,
        preexec_fn=_heed_interrupts,
    )
    assert (done.returncode, done.stderr) == (130, "")
