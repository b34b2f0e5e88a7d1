"""Every process that is started, and who may name its program.

A program is a `Command`, and a `Command` says where its words come from. One that comes from anywhere but an
`Origin` of `NAMES_PROGRAMS` cannot be made, and nothing but a `Command` can be started; docs/security.md says
why. Nothing that is started looks for programs, libraries or modules in the current folder, which for a
server is the workspace, and `refuse` ends all starts for the rest of this process's life.
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
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    import subprocess
    from multiprocessing.connection import Connection

_T = TypeVar("_T")
_R = TypeVar("_R")


class Origin(Enum):
    """Where the words of a command come from."""

    PACKAGE = "this package"
    """Its own interpreter and one of its own modules."""
    COMMAND_LINE = "the command line"
    USER_FILE = "your own configuration file"
    CLIENT_START = "initializationOptions"
    CLIENT_SETTINGS = "settings sent after initialize"
    """Editors mix what a repository says into these: `.vscode/settings.json`, `.dir-locals.el`."""
    WORKSPACE_FILE = "a workspace's file"


NAMES_PROGRAMS = frozenset({Origin.PACKAGE, Origin.COMMAND_LINE, Origin.USER_FILE, Origin.CLIENT_START})
"""The origins whose commands may be started."""


class NotAllowed(Exception):
    """A program must not be named from there, or nothing may be started; the message says which and why."""


@dataclass(frozen=True, slots=True)
class Command:
    """A program and its first arguments. Raises NotAllowed for an origin that may not name programs."""

    words: tuple[str, ...]
    origin: Origin

    def __post_init__(self) -> None:
        """Reject what may not be started."""
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
    """Have modules of this package run by these arguments of the interpreter, and then the module's name.

    For a program that has the package where the interpreter does not look by itself: `start.py` in the
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
    """Return whether the system may be asked about a file that a workspace's file calls `name`.

    To ask for one on another machine (`//host/share/x`) contacts that, on Windows with the user's
    credentials; where nothing is trusted, only relative names are looked for."""
    if name.startswith(("//", "\\\\")):
        return False
    return not _refusal or not (PurePosixPath(name).is_absolute() or PureWindowsPath(name).anchor)


def refuse(reason: str) -> None:
    """Let nothing be started any more, for `reason`. There is no way back for this process."""
    _refusal.append(reason)


def check_allowed() -> None:
    """Raise NotAllowed if nothing may be started, with the first reason given."""
    if _refusal:
        raise NotAllowed(f"no program is started: {_refusal[0]}")


def start(command: Command) -> subprocess.Popen[bytes]:
    """Start a program with pipes for its input and output, at the head of a process group of its own.

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
    """Do `work` in a copy of this process, made before there are threads; return whether there is one.

    It runs no program, and ends with `work`; so `refuse` does not concern it. There is none without fork, or
    where the system has no room for it.
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
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


_WORTH_A_PROCESS = 100_000
"""Bytes of source that take longer to check (0.3 s) or lower (0.5 s) than a process takes to begin."""


def worthwhile(size: int, most: int = 0) -> int:
    """Return how many processes are worth their beginning for sources of `size` bytes: `most` of them, or one
    for each core."""
    return min(most or cores(), 1 + size // _WORTH_A_PROCESS)


def copies(
    work: Callable[[_T], _R],
    items: Sequence[_T],
    number: int,
    lost: Callable[[_T], _R] | None = None,
) -> Iterator[_R]:
    """Yield `work(item)` for each of `items`, in their order, done by `number` copies of this process.

    They are made by fork, before there are threads, run no program, and end with this process however it
    ends; where there is no fork, this process does it all. What comes back is pickled. If a copy ends early,
    by an exception, which it prints, or by the system, `lost(item)` stands for what it worked on, and another
    copy goes on. Raises ChildProcessError then if there is no `lost`.
    """
    if number < 2 or not hasattr(os, "fork"):
        yield from map(work, items)
        return
    import multiprocessing
    from multiprocessing.connection import Connection, wait
    from multiprocessing.process import BaseProcess

    # What is here already need not be looked at by each copy's garbage collector.
    gc.freeze()
    fork = multiprocessing.get_context("fork")
    children: list[BaseProcess] = []
    pipes: list[Connection] = []

    def begin() -> Connection:
        ours, theirs = multiprocessing.Pipe()
        # A copy that holds the end of another's pipe would not see that this process is gone.
        pipes.append(ours)
        child = fork.Process(target=_serve, args=(work, items, theirs, list(pipes)), daemon=True)
        child.start()
        children.append(child)
        theirs.close()
        return ours

    waiting = iter(range(len(items)))
    busy: dict[Connection, int] = {}
    """The copies that work, each with the number of the item."""

    def give(pipe: Connection) -> None:
        index = next(waiting, None)
        if index is not None:
            pipe.send(index)
            busy[pipe] = index

    try:
        for _ in range(number):
            try:
                give(begin())
            except OSError:  # no more processes or files
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
                            said = "a process that worked on it ended unexpectedly (out of memory?)"
                            raise ChildProcessError(said) from error
                        finished, result = worked_on, lost(items[worked_on])
                        pipe = begin()
                    done[finished] = result
                    give(pipe)
            yield done.pop(index)
    finally:
        # After Ctrl-C, for example, unfinished work is abandoned.
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
    """Do what `copies` does, several items at a time: for many that take a few milliseconds each.

    `begin` is called with these before the work on them, in the copy that does it."""

    def work_on(batch: Sequence[_T]) -> list[_R]:
        if begin is not None:
            begin(batch)
        return [work(item) for item in batch]

    size = max(1, len(items) // (8 * number))
    batches = [items[start : start + size] for start in range(0, len(items), size)]
    for results in copies(work_on, batches, number):
        yield from results


def _serve(
    work: Callable[[Any], Any], items: Sequence[Any], pipe: Connection, others: list[Connection]
) -> None:
    """Work on the items whose numbers arrive, until the sender is gone."""
    import signal

    # Ctrl-C goes to all processes of a terminal; the first one ends the others.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    for other in others:
        other.close()
    with suppress(EOFError, BrokenPipeError, ConnectionResetError):
        while True:
            index = pipe.recv()
            pipe.send((index, work(items[index])))


@dataclass(frozen=True, slots=True)
class Ended:
    """A program that has ended."""

    status: int
    stdout: bytes
    stderr: bytes


class TooMuch(Exception):
    """A program that was ended because it printed more than it may; the message says how much that is."""


def run(command: Command, text: bytes, timeout: float) -> Ended:
    """Run a program on `text` as its input. Raises NotAllowed, OSError, or TimeoutError after `timeout` s."""
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
    """Run a program in `folder`, an absolute path that no workspace holds, on `text` as its input.

    With `merged` what it prints on standard error is in `stdout`, as it came. The whole group of processes is
    ended after `timeout` seconds (TimeoutError), when `stopped` says so (InterruptedError), and when it has
    printed more than `most` bytes (TooMuch). Raises NotAllowed and OSError as well.
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
        # A program need not read all that it is given.
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
    """Return the status of a program that has closed its output, and ends before the time `end`."""
    import subprocess
    import time

    try:
        return process.wait(max(0.1, end - time.monotonic()))
    except subprocess.TimeoutExpired as error:
        raise TimeoutError("it closed its output but did not exit") from error


def _end_group(process: subprocess.Popen[bytes]) -> None:
    """End a program and what it has started, if they still run, and take its status."""
    import signal

    if process.returncode is not None:
        return
    with suppress(ProcessLookupError, PermissionError):
        if os.name == "posix":
            # The number of its group is its own until its status is taken.
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    process.wait()


def _resolved(command: Command) -> Sequence[str]:
    """Return the words with the program's whole path. Raises FileNotFoundError.

    The current folder is looked at only for a path on the command line, as a shell does: neither an empty
    entry of PATH nor Windows' habits lead there.
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
    raise FileNotFoundError(2, "No such program on PATH", program)


def _on_path(program: str) -> Iterator[str]:
    endings = [""]
    if sys.platform == "win32" and not Path(program).suffix:
        endings = os.environ.get("PATHEXT", ".EXE").split(os.pathsep)
    for folder in os.environ.get("PATH", os.defpath).split(os.pathsep):
        if os.path.isabs(folder):
            yield from (os.path.join(folder, program + ending) for ending in endings)


def _folder(command: Command) -> str | None:
    """Return where a program runs: from the command line in the current folder, else at the root, where no
    project has files."""
    return None if command.origin is Origin.COMMAND_LINE else os.path.abspath(os.sep)


def _environment(command: Command) -> Mapping[str, str]:
    """Return the environment of a program; for modules of our own without what means the current folder."""
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
