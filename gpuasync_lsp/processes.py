"""Starts all processes, and checks which origins may specify the programs to start.

A program is a `Command` with the origin of its words. A `Command` can only be created from an `Origin`
in `NAMES_PROGRAMS`, and only a `Command` can be started; docs/security.md explains why. Started programs
never search for programs, libraries or modules in the current folder, which for a server is the workspace.
`disable_starts` disables all starts until this process ends.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    import subprocess
    from multiprocessing.connection import Connection

_T = TypeVar("_T")
_R = TypeVar("_R")


class Origin(Enum):
    """The origin of a command's words."""

    PACKAGE = "this package"
    """This package, whose words are its Python interpreter and one of its own modules."""
    COMMAND_LINE = "the command line"
    USER_FILE = "your own configuration file"
    CLIENT_START = "initializationOptions"
    CLIENT_SETTINGS = "settings sent after initialize"
    """Settings into which editors merge a repository's (`.vscode/settings.json`, `.dir-locals.el`)."""
    WORKSPACE_FILE = "a workspace's file"


NAMES_PROGRAMS = frozenset({Origin.PACKAGE, Origin.COMMAND_LINE, Origin.USER_FILE, Origin.CLIENT_START})
"""The origins of commands that may be started."""


class NotAllowed(Exception):
    """Raised for a program from an origin that may not specify programs, and if starts are disabled.

    The message gives the reason."""


@dataclass(frozen=True, slots=True)
class Command:
    """A program and its first arguments; raises NotAllowed for an origin that may not specify programs."""

    words: tuple[str, ...]
    origin: Origin

    def __post_init__(self) -> None:
        """Raise NotAllowed for a command that may not be started."""
        if self.origin not in NAMES_PROGRAMS:
            raise NotAllowed(f"{self.origin.value} cannot specify a program")
        if not self.words or not self.words[0] or any("\0" in word for word in self.words):
            raise NotAllowed(f"{self.origin.value} names an empty program")

    @property
    def name(self) -> str:
        """The program as the user wrote it."""
        return self.words[0]

    def with_arguments(self, *arguments: str) -> Command:
        """Return this command with further arguments."""
        return Command((*self.words, *arguments), self.origin)


_own_modules: list[str] = ["-P", "-m"]


def start_own_modules_by(*arguments: str) -> None:
    """Use these interpreter arguments, followed by the module's name, to start modules of this package.

    This is for hosts in which the package is not on the interpreter's path, such as `start.py` in the
    extension for VS Code.
    """
    _own_modules[:] = arguments


def own_module(module: str) -> Command:
    """Return the command that runs a module of this package with this interpreter.

    `-P` keeps the current folder off the module path (Python 3.11 and later).
    """
    return Command((sys.executable, *_own_modules, module), Origin.PACKAGE)


_refusal: list[str] = []


def may_ask_for(name: str) -> bool:
    """Return whether a path that a workspace's file specifies may be looked up.

    A file on another machine (`//host/share/x`) is never looked up: on Windows, that would send the user's
    credentials to that machine. In untrusted workspaces, only relative names are looked up."""
    if name.startswith(("//", "\\\\")):
        return False
    return not _refusal or not (PurePosixPath(name).is_absolute() or PureWindowsPath(name).anchor)


def disable_starts(reason: str) -> None:
    """Disable all starts, for `reason`; this cannot be undone in this process."""
    _refusal.append(reason)


def check_allowed() -> None:
    """Raise NotAllowed if starts are disabled, with the first reason."""
    if _refusal:
        raise NotAllowed(f"no program is started: {_refusal[0]}")


def start(command: Command) -> subprocess.Popen[bytes]:
    """Start a program with pipes for input and output, as the leader of its own process group.

    Raises NotAllowed or OSError.
    """
    check_allowed()
    import subprocess

    return subprocess.Popen(
        _resolved(command),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=_folder(command),
        env=_environment(command),
        start_new_session=os.name == "posix",
    )


def fork(work: Callable[[], object]) -> bool:
    """Call `work` in a fork of this process; return whether the fork was created.

    Call it before any thread is started. The fork runs no other program and ends with `work`, so
    `disable_starts` does not apply. Returns False if the system has no fork, or cannot create a process.
    """
    if not hasattr(os, "fork"):
        return False
    try:
        child = os.fork()
    except OSError:
        return False
    if child == 0:
        try:
            work()
        finally:
            os._exit(0)
    return True


def cores() -> int:
    """Return the number of processor cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


_WORTH_A_PROCESS = 100_000
"""The source size in bytes from which an extra process saves time: 0.3 s to check, 0.5 s to lower."""


def worthwhile(size: int, most: int = 0) -> int:
    """Return how many processes to start for `size` bytes of source, at most `most` (by default one per
    core)."""
    return min(most or cores(), 1 + size // _WORTH_A_PROCESS)


def copies(
    work: Callable[[_T], _R],
    items: Sequence[_T],
    number: int,
    lost: Callable[[_T], _R] | None = None,
) -> Iterator[_R]:
    """Yield `work(item)` for each of `items`, in order, computed by `number` forks of this process.

    Call it before any thread is started. The forks run no other program, and end with this process in any
    case. Without fork, this process does all the work. Results are pickled. If a fork dies, for example from
    an exception (which it prints), `lost(item)` replaces the result of its item, and a new fork continues;
    without `lost`, ChildProcessError is raised.
    """
    if number < 2 or not hasattr(os, "fork"):
        yield from map(work, items)
        return
    import multiprocessing
    from multiprocessing.connection import Connection, wait
    from multiprocessing.process import BaseProcess

    # Exclude the existing objects from the garbage collector of each fork.
    gc.freeze()
    fork = multiprocessing.get_context("fork")
    children: list[BaseProcess] = []
    pipes: list[Connection] = []

    def begin() -> Connection:
        ours, theirs = multiprocessing.Pipe()
        # A fork that holds another fork's pipe open would not notice the end of this process.
        pipes.append(ours)
        child = fork.Process(target=_serve, args=(work, items, theirs, list(pipes)), daemon=True)
        child.start()
        children.append(child)
        theirs.close()
        return ours

    waiting = iter(range(len(items)))
    busy: dict[Connection, int] = {}
    """Maps the pipe of each busy fork to the index of its item."""

    def give(pipe: Connection) -> None:
        index = next(waiting, None)
        if index is not None:
            pipe.send(index)
            busy[pipe] = index

    try:
        for _ in range(number):
            try:
                give(begin())
            except OSError:  # The limit on processes or files is reached.
                break
        if not busy:
            yield from map(work, items)
            return
        done: dict[int, _R] = {}
        for index in range(len(items)):
            while index not in done:
                for pipe in wait(list(busy)):
                    assert isinstance(pipe, Connection)
                    worked_on = busy.pop(pipe)
                    try:
                        finished, result = pipe.recv()
                    except (EOFError, ConnectionResetError) as error:
                        if lost is None:
                            reason = "a process that worked on it ended unexpectedly (out of memory?)"
                            raise ChildProcessError(reason) from error
                        finished, result = worked_on, lost(items[worked_on])
                        pipe = begin()
                    done[finished] = result
                    give(pipe)
            yield done.pop(index)
    finally:
        # Unfinished work is abandoned, for example after Ctrl-C.
        for child in children:
            child.terminate()
        for child in children:
            child.join()
        for pipe in pipes:
            pipe.close()


def copies_in_batches(
    work: Callable[[_T], _R],
    items: Sequence[_T],
    number: int,
    begin: Callable[[Sequence[_T]], None] | None = None,
) -> Iterator[_R]:
    """Yield the same as `copies`, computed in batches, for many items of a few milliseconds each.

    The fork calls `begin` with each batch before working on the batch."""

    def work_on(batch: Sequence[_T]) -> list[_R]:
        if begin is not None:
            begin(batch)
        return [work(item) for item in batch]

    size = max(1, len(items) // (8 * number))
    batches = [items[start : start + size] for start in range(0, len(items), size)]
    for results in copies(work_on, batches, number):
        yield from results


def _serve(
    work: Callable[[_T], object], items: Sequence[_T], pipe: Connection, others: list[Connection]
) -> None:
    """Compute the items whose indices arrive through the pipe, until the sender closes it."""
    import signal

    # Ctrl-C reaches all processes of a terminal; the parent process ends the forks.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    for other in others:
        other.close()
    with suppress(EOFError, BrokenPipeError, ConnectionResetError):
        while True:
            index: int = pipe.recv()
            pipe.send((index, work(items[index])))


@dataclass(frozen=True, slots=True)
class Ended:
    """The exit status and the output of a program that has ended."""

    status: int
    stdout: bytes
    stderr: bytes


class TooMuch(Exception):
    """Raised for a program that was killed because it printed too much; the message states the limit."""


def run(command: Command, text: bytes, timeout: float) -> Ended:
    """Run a program with `text` as its input.

    Raises NotAllowed, OSError, or TimeoutError after `timeout` seconds."""
    check_allowed()
    import subprocess

    try:
        done = subprocess.run(
            _resolved(command),
            input=text,
            capture_output=True,
            check=False,
            cwd=_folder(command),
            env=_environment(command),
            timeout=timeout,
        )
    except subprocess.TimeoutExpired as error:
        raise TimeoutError(f"no answer within {timeout:g} s") from error
    return Ended(done.returncode, done.stdout, done.stderr)


def run_bounded(
    command: Command,
    text: bytes,
    folder: str,
    timeout: float,
    most: int,
    stopped: Callable[[], bool] = lambda: False,
    merged: bool = False,
) -> Ended:
    """Run a program with `text` as its input in `folder`, an absolute path outside of any workspace.

    With `merged`, standard error is interleaved into `stdout`. The process group is killed after `timeout`
    seconds (TimeoutError), if `stopped` returns true (InterruptedError), or if it has printed more than
    `most` bytes (TooMuch). Also raises NotAllowed and OSError.
    """
    check_allowed()
    import subprocess
    import time
    from threading import Event, Thread
    from typing import IO

    process = subprocess.Popen(
        _resolved(command),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT if merged else subprocess.PIPE,
        cwd=folder,
        env=_environment(command),
        start_new_session=os.name == "posix",
    )
    parts: tuple[list[bytes], list[bytes]] = ([], [])
    full = Event()

    def read(pipe: IO[bytes], into: list[bytes]) -> None:
        size = 0
        while part := os.read(pipe.fileno(), 1 << 16):
            size += len(part)
            if size > most:
                full.set()
                return
            into.append(part)

    def write(pipe: IO[bytes]) -> None:
        # A program may not read all of its input.
        with suppress(OSError), pipe:
            pipe.write(text)

    assert process.stdin is not None
    assert process.stdout is not None
    threads = [
        Thread(target=write, args=(process.stdin,), daemon=True),
        Thread(target=read, args=(process.stdout, parts[0]), daemon=True),
    ]
    if process.stderr is not None:
        threads.append(Thread(target=read, args=(process.stderr, parts[1]), daemon=True))
    end = time.monotonic() + timeout
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            while thread.is_alive():
                thread.join(0.05)
                if full.is_set():
                    raise TooMuch(f"it printed more than {most // 2**20} MiB")
                if stopped():
                    raise InterruptedError(4, "stopped")
                if time.monotonic() > end:
                    raise TimeoutError(f"no answer within {timeout:g} s")
        if full.is_set():
            raise TooMuch(f"it printed more than {most // 2**20} MiB")
        return Ended(_status(process, end), b"".join(parts[0]), b"".join(parts[1]))
    finally:
        _end_group(process)
        for thread in threads:
            thread.join(1)
        for pipe in (process.stdout, process.stderr):
            if pipe is not None:
                pipe.close()


def _status(process: subprocess.Popen[bytes], end: float) -> int:
    """Wait, until the time `end`, for a program that has closed its output; return its exit status."""
    import subprocess
    import time

    try:
        return process.wait(max(0.1, end - time.monotonic()))
    except subprocess.TimeoutExpired as error:
        raise TimeoutError("it closed its output but did not exit") from error


def _end_group(process: subprocess.Popen[bytes]) -> None:
    """Kill a program and its children if they are still running, and wait for the program."""
    import signal

    if process.returncode is not None:
        return
    with suppress(ProcessLookupError, PermissionError):
        if os.name == "posix":
            # The process group's id remains reserved until the leader is reaped.
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    process.wait()


def _resolved(command: Command) -> Sequence[str]:
    """Return the words with the program's absolute path. Raises FileNotFoundError.

    Only a path from the command line is resolved against the current folder, as in a shell. Empty entries of
    PATH and Windows' search order are ignored.
    """
    program, *arguments = command.words
    if os.path.dirname(program):
        if os.path.isabs(program):
            return command.words
        if command.origin is Origin.COMMAND_LINE:
            return [os.path.abspath(program), *arguments]
        raise FileNotFoundError(2, f"{command.origin.value} must give an absolute path", program)
    for candidate in _on_path(program):
        if os.path.isfile(candidate) and os.access(candidate, os.X_OK):
            return [candidate, *arguments]
    raise FileNotFoundError(2, "there is no program of this name on PATH", program)


def _on_path(program: str) -> Iterator[str]:
    endings = [""]
    if sys.platform == "win32" and not Path(program).suffix:
        endings = os.environ.get("PATHEXT", ".EXE").split(os.pathsep)
    for folder in os.environ.get("PATH", os.defpath).split(os.pathsep):
        if os.path.isabs(folder):
            yield from (os.path.join(folder, program + ending) for ending in endings)


def _folder(command: Command) -> str | None:
    """Return the working directory for a program.

    It is the current folder if the command line specifies the program, and otherwise the root folder, which
    contains no project files."""
    return None if command.origin is Origin.COMMAND_LINE else os.path.abspath(os.sep)


def _environment(command: Command) -> Mapping[str, str]:
    """Return the environment for a program.

    For this package's modules, it omits variables that refer to the current folder."""
    environment = dict(os.environ)
    if command.origin is not Origin.PACKAGE:
        return environment
    for variable in ("PYTHONPATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH"):
        if variable in environment:
            entries = environment.pop(variable).split(os.pathsep)
            if whole := [entry for entry in entries if os.path.isabs(entry)]:
                environment[variable] = os.pathsep.join(whole)
    environment["PYTHONSAFEPATH"] = "1"
    return environment
