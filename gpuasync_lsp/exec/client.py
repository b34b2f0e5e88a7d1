"""The client side of a program run: it starts a worker process, reads its messages, and returns the report.

The caller gets a report even if the worker crashes, never ends, is killed or writes garbage to the pipe.
The program cannot affect the calling process.
"""

from __future__ import annotations

import base64
import os
import re
import signal
import subprocess
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from io import BufferedReader
from pathlib import Path

from gpuasync_lsp.exec.program import Program, RunOptions, options_to_json, program_to_json
from gpuasync_lsp.exec.protocol import PROTOCOL_VERSION, FrameReader, Message, ProtocolError, write_frame
from gpuasync_lsp.exec.report import Place, PlaceOf, RunReport, Value, finding_from_json, report_from_json
from gpuasync_lsp.exec.signals import describe_signal
from gpuasync_lsp.exec.slots import RUNS, Busy, Turn, Unwanted
from gpuasync_lsp.processes import Command, NotAllowed, own_module, start
from gpuasync_lsp.text.files import MOST_OF_ARRAY, read_file
from gpuasync_lsp.text.plain_json import Json

GRACE = 1.5
"""A worker that exceeds its time limit by this many seconds is killed."""

CANCEL_GRACE = 0.5
START_TIMEOUT = 60.0
WORKER = "gpuasync_lsp.exec.worker"
_STDERR_KEPT = 4000
_NO_FILE_NAME = re.compile(r"[^\w.#-]")


@dataclass(frozen=True)
class Progress:
    """Progress of a program run."""

    place: Place
    """The program's current source location."""

    text: str = ""
    """The output since the last progress message."""

    is_waiting: bool = False
    """Whether the run waits for a slot (`slots.py`)."""

    host: Place = field(default_factory=Place)
    """The host's current source location, for example of a wait for the work at `place`."""


@dataclass(frozen=True)
class WorkerCommand:
    """The command that starts a worker."""

    prefix: Command | None = None
    """A command that precedes the worker's own: `ssh gpu-host`, `srun --gres=gpu:1`, ..."""

    python: str = "python3"
    """The Python interpreter to run if `prefix` is set; this package must be installed in it."""

    start_timeout: float = START_TIMEOUT

    @property
    def command(self) -> Command:
        """The complete command. A worker never imports from its working directory."""
        if self.prefix is None:
            return own_module(WORKER)
        return self.prefix.with_arguments(self.python, "-P", "-m", WORKER)


class StartedWorker:
    """A worker that starts before its job is known, to load modules while the program is prepared.

    It serves one run; if there is no run, `drop` ends it."""

    def __init__(self, worker: WorkerCommand) -> None:
        """Start the worker. If that fails, only `take` raises an error."""
        self._command = worker.command
        try:
            self._process: subprocess.Popen[bytes] | None = start(self._command)
        except (NotAllowed, OSError):
            self._process = None

    def take(self) -> subprocess.Popen[bytes]:
        """Transfer ownership of the process to the caller. Raises `NotAllowed`, OSError."""
        process, self._process = self._process, None
        return process if process is not None else start(self._command)

    def drop(self) -> None:
        """End the worker unless a run has taken it."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait()
            for stream in (process.stdin, process.stdout, process.stderr):
                if stream is not None:
                    stream.close()


class Run:
    """A run of a program. Create it, then call `wait` or pass `on_done`. Any thread may call `cancel`."""

    def __init__(
        self,
        program: Program,
        options: RunOptions,
        place_of: PlaceOf,
        *,
        worker: WorkerCommand | None = None,
        started: StartedWorker | None = None,
        on_progress: Callable[[Progress], None] | None = None,
        on_done: Callable[[RunReport], None] | None = None,
    ) -> None:
        """Start the worker in the background, as soon as a slot is free (`slots.py`).

        `started` is a worker that was started earlier with the command `worker`. The callbacks are
        called from a thread of this object."""
        self._program = program
        self._options = options
        self._place_of = place_of
        self._worker = worker or WorkerCommand()
        self._started = started
        self._on_progress = on_progress
        self._on_done = on_done
        self._done = threading.Event()
        self._cancelled = threading.Event()
        self._turn = Turn()
        self._report: RunReport | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._output: list[str] = []
        self._truncated = False
        self._findings: list[Json] = []
        """The findings that the worker has sent so far, which its final report repeats."""

        self._failure: RunReport | None = None
        """The report of an exception in the runtime, which explains a later crash."""

        self._place = Place()
        self._last: Message | None = None
        self._problem = ""
        self._deadline = 0.0
        self._timed_out = ""
        self._errors = b""
        self._lock = threading.Lock()
        threading.Thread(target=self._drive, name="gpuasync-run", daemon=True).start()

    def cancel(self) -> None:
        """Cancel the run; unless it has ended already, its report has the outcome `cancelled`."""
        self._cancelled.set()
        self._turn.give_up()
        with self._lock:
            process = self._process
        if process is None:
            return
        with suppress(OSError, ValueError):
            assert process.stdin is not None
            write_frame(process.stdin, {"type": "cancel"})
        threading.Timer(CANCEL_GRACE, self._kill).start()

    def wait(self, timeout: float | None = None) -> RunReport:
        """Wait until the run is over; return its report. Raises TimeoutError after `timeout` seconds."""
        if not self._done.wait(timeout):
            raise TimeoutError
        assert self._report is not None
        return self._report

    @property
    def done(self) -> bool:
        """Whether the report is available."""
        return self._done.is_set()

    def _drive(self) -> None:
        started = time.monotonic()
        try:
            with RUNS.slot(self._turn, lambda: self._tell(Progress(Place(), is_waiting=True))):
                started = time.monotonic()
                report = self._run()
        except Busy as error:
            report = RunReport("refused", str(error))
        except Unwanted:
            report = RunReport("cancelled", "cancelled")
        except Exception as error:  # noqa: BLE001 - the caller gets a report in any case
            self._kill()
            report = RunReport("error", f"lost track of the run: {type(error).__name__}: {error}")
        if not report.seconds:
            report = replace(report, seconds=time.monotonic() - started)
        self._report = report
        self._done.set()
        if self._on_done is not None:
            self._on_done(report)

    def _run(self) -> RunReport:
        files = self._files()
        if isinstance(files, str):
            return RunReport("refused", files)
        command = self._worker.command
        try:
            process = start(command) if self._started is None else self._started.take()
        except NotAllowed as error:
            return RunReport("refused", str(error))
        except OSError as error:
            return RunReport("refused", f"cannot start {command.name}: {error.strerror}")
        with self._lock:
            self._process = process
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        self._deadline = time.monotonic() + self._worker.start_timeout
        self._timed_out = f"{command.name} did not start a worker within {self._worker.start_timeout:g} s"
        errors = threading.Thread(target=self._keep_errors, args=(process.stderr,), daemon=True)
        errors.start()
        guard = threading.Thread(target=self._guard, args=(process,), daemon=True)
        guard.start()
        if self._cancelled.is_set():
            self._kill()
        with suppress(OSError):
            write_frame(
                process.stdin,
                {
                    "type": "run",
                    "program": program_to_json(self._program),
                    "options": options_to_json(self._options),
                    "files": files,
                },
            )
        noise = self._follow(FrameReader(process.stdout))
        if self._last is None:
            self._kill(only_if_alive_after=0.2)
        code = self._reap(process)
        errors.join(1)
        with suppress(OSError):
            process.stdin.close()
        return self._conclude(code, noise)

    def _follow(self, reader: FrameReader) -> bytes:
        try:
            while self._last is None and (message := reader.read()) is not None:
                self._take(message)
        except (ProtocolError, OSError) as error:
            self._problem = str(error)
            self._kill()
        return reader.noise

    def _reap(self, process: subprocess.Popen[bytes]) -> int:
        """Wait for the end of the worker's process; return its exit status.

        A process that does not end after its report is killed. If even that takes long, for instance inside a
        driver, the process is abandoned."""
        for patience in (CANCEL_GRACE, CANCEL_GRACE):
            with suppress(subprocess.TimeoutExpired):
                return process.wait(patience)
            self._kill()
        return -signal.SIGKILL

    def _take(self, message: Message) -> None:
        match message["type"]:
            case "hello" if message.get("version") != PROTOCOL_VERSION:
                text = (
                    f"{self._worker.command.name} starts another version of gpuasync-lsp: install the same "
                    f"version there (its worker speaks protocol {message.get('version')}, not "
                    f"{PROTOCOL_VERSION})"
                )
                self._last = {"type": "report", "report": {"outcome": "refused", "message": text}}
                self._kill()
            case "hello":
                self._timed_out = f"stopped after {self._options.timeout:g} s, the time limit"
                self._deadline = time.monotonic() + self._options.timeout + GRACE
            case "progress":
                self._place = self._place_of(int(message["site"]))
                self._tell(
                    Progress(self._place, host=self._place_of(int(message.get("host", message["site"]))))
                )
            case "output":
                self._output.append(str(message["text"]))
                self._tell(Progress(self._place, str(message["text"])))
            case "truncated":
                self._truncated = True
            case "finding":
                self._findings.append(message["finding"])
            case "failure":
                self._failure = report_from_json(message["report"], self._place_of)
            case "report" | "crashed":
                self._last = message
            case other:
                raise ProtocolError(f"a message of the unknown type {other!r}")

    def _tell(self, progress: Progress) -> None:
        if self._on_progress is not None:
            self._on_progress(progress)

    def _conclude(self, code: int, noise: bytes) -> RunReport:
        report = self._outcome(code, noise)
        if report.outcome == "crashed" and self._failure is not None:
            report = self._failure
        if self._cancelled.is_set() and report.outcome in ("crashed", "timeout"):
            report = replace(report, outcome="cancelled", message="cancelled")
        if not report.findings:
            found = tuple(finding_from_json(each, self._place_of) for each in self._findings)
            report = replace(report, findings=found)
        if said := _assertion(self._errors):
            findings = tuple(
                replace(each, message=f"{said}: {each.message}") if _ASSERT in each.message else each
                for each in report.findings
            )
            report = replace(report, findings=findings)
        return replace(report, output="".join(self._output), output_truncated=self._truncated)

    def _outcome(self, code: int, noise: bytes) -> RunReport:
        last = self._last
        if last is not None and last["type"] == "report":
            return self._with_values(last["report"])
        if last is not None:
            launch, site = int(last["launch"]), int(last["site"])
            place = self._place_of(launch if launch >= 0 else site)
            number, address = int(last["signal"]), int(last["address"])
            if launch >= 0 and number == signal.SIGSEGV and last["stack"]:
                text = "the variables of a kernel's thread need more memory than is available"
            elif launch >= 0 and number == signal.SIGSEGV:
                text = (
                    f"a kernel accesses {address:#x}, which is not mapped (CUDA_ERROR_ILLEGAL_ADDRESS "
                    "on a GPU)"
                )
            elif number == signal.SIGABRT and (reason := _llvm_error(self._errors)):
                return RunReport("refused", f"LLVM cannot compile the program: {reason}", place=place)
            else:
                text = f"the program ended with {describe_signal(number, address, stack=bool(last['stack']))}"
            return RunReport("crashed", text, place=place)
        if time.monotonic() >= self._deadline:
            return RunReport("timeout", self._timed_out, place=self._place)
        if self._problem:
            return RunReport("crashed", f"the worker stopped: {self._problem}", place=self._place)
        lines = (self._errors or noise).decode("utf-8", "replace").strip().splitlines()
        text = describe_signal(-code) if code < 0 else f"exit status {code}, for example after a call of exit"
        detail = f": {lines[-1]}" if lines else ""
        started = (
            "stopped unexpectedly" if self._place.line or self._output else "ended before it sent a report"
        )
        return RunReport("crashed", f"the worker {started} ({text}){detail}", place=self._place)

    def _with_values(self, data: Json) -> RunReport:
        values: list[Json] = []
        problem = ""
        for value in data.get("values", ()):
            encoded = value.pop("data", None)
            if encoded is not None:
                try:
                    value["file"] = self._save(value["name"], base64.b64decode(encoded))
                except OSError as error:
                    problem = f"cannot save {value['name']} in {self._options.save}: {error.strerror}"
            values.append(value)
        report = report_from_json({**data, "values": values}, self._place_of)
        return replace(report, outcome="error", message=problem) if problem else report

    def _save(self, name: str, data: bytes) -> str:
        folder = Path(self._options.save)
        folder.mkdir(parents=True, exist_ok=True)
        # Do not trust names from the worker, which runs untrusted code.
        path = folder / f"{_NO_FILE_NAME.sub('_', name.strip('%')) or 'value'}.npy"
        path.write_bytes(data)
        return str(path)

    def _files(self) -> dict[str, str] | str:
        """Read the .npy files named by arguments; return their contents by name, or an error message."""
        found: dict[str, str] = {}
        for name, spec in self._options.arguments:
            if spec.endswith(".npy"):
                try:
                    found[spec] = base64.b64encode(read_file(Path(spec), MOST_OF_ARRAY)).decode("ascii")
                except OSError as error:
                    return f"argument %{name.removeprefix('%')}: cannot read {spec}: {error.strerror}"
        return found

    def _keep_errors(self, stream: BufferedReader) -> None:
        while data := stream.read1(65536):
            self._errors = (self._errors + data)[-_STDERR_KEPT:]

    def _guard(self, process: subprocess.Popen[bytes]) -> None:
        while process.poll() is None:
            left = self._deadline - time.monotonic()
            if left <= 0:
                self._kill()
                return
            with suppress(subprocess.TimeoutExpired):
                process.wait(min(left, 0.5))

    def _kill(self, only_if_alive_after: float = 0.0) -> None:
        with self._lock:
            process = self._process
        if process is None:
            return
        if only_if_alive_after:
            with suppress(subprocess.TimeoutExpired):
                process.wait(only_if_alive_after)
        if process.poll() is not None:
            return
        with suppress(OSError):
            if os.name == "posix":
                os.killpg(process.pid, signal.SIGKILL)
            else:
                process.kill()


_ASSERT = "CUDA_ERROR_ASSERT"
_FAILS_IN = re.compile(r"block: \[(\d+),(\d+),(\d+)\], thread: \[(\d+),(\d+),(\d+)\]")


def _assertion(stderr: bytes) -> str:
    """Return the last failed assertion that the CUDA driver has printed; empty if there is none."""
    for line in reversed(stderr.decode("utf-8", "replace").splitlines()):
        place, _, rest = line.partition(" Assertion `")
        text, failed, _ = rest.rpartition("` failed")
        if failed and (found := _FAILS_IN.search(place)) is not None:
            block, thread = ", ".join(found.groups()[:3]), ", ".join(found.groups()[3:])
            return f"the assertion '{text}' fails in thread ({thread}) of block ({block})"
    return ""


def _llvm_error(stderr: bytes) -> str:
    """Return LLVM's reason for aborting the worker; empty if LLVM did not abort it."""
    lines = reversed(stderr.decode("utf-8", "replace").splitlines())
    found = next((line for line in lines if line.startswith("LLVM ERROR: ")), "")
    return found.removeprefix("LLVM ERROR: ")


__all__ = ["Progress", "Run", "Value", "WorkerCommand"]
