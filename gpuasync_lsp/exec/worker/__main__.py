"""The worker process. It reads one job from standard input, runs it, and writes messages to standard output.

File descriptor 1 is redirected first, so that no other output can mix with the protocol. A thread watches
standard input: a cancel message, or the end of the input when the client has exited, ends the process at
once, even while compiled code runs. Another thread sends progress and enforces the time limit.
"""

from __future__ import annotations

import base64
import os
import sys
import threading
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from gpuasync_lsp.exec.program import RunOptions, options_from_json, program_from_json
from gpuasync_lsp.exec.protocol import PROTOCOL_VERSION, FrameReader, Message, ProtocolError, write_frame
from gpuasync_lsp.exec.worker.output import Output
from gpuasync_lsp.exec.worker.state import STATE
from gpuasync_lsp.text.defects import defect
from gpuasync_lsp.text.plain_json import Json

if TYPE_CHECKING:
    from gpuasync_lsp.exec.worker.session import Session

CANCELLED, TIMED_OUT = 3, 4
HEARTBEAT = 0.2


def main() -> int:
    """Run one job; return the exit status."""
    channel = Channel(os.dup(1))
    os.dup2(2, 1)  # Imports and LLVM may print; `Output` redirects 1 again later.
    reader = FrameReader(sys.stdin.buffer)
    ready = threading.Thread(target=_get_ready, daemon=True)
    ready.start()
    try:
        job = reader.read()
    except ProtocolError as error:
        channel.send({"type": "report", "report": {"outcome": "refused", "message": f"bad job: {error}"}})
        return 2
    if job is not None and job["type"] == "ptx":
        channel.send(_ptx(job))
        return 0
    if job is not None and job["type"] == "object":
        channel.send(_object(job))
        return 0
    if job is None or job["type"] != "run":
        return 2
    channel.send({"type": "hello", "version": PROTOCOL_VERSION, "pid": os.getpid()})
    options = options_from_json(job["options"])
    output = Output(channel.send, options.output_limit)
    threading.Thread(target=_watch_input, args=(reader, output), daemon=True).start()
    ready.join()
    report = _job(job, options, channel, output)
    output.finish()
    channel.send({"type": "report", "report": report})
    os._exit(0)  # Compiled code and daemon threads may keep the interpreter alive.


def _get_ready() -> None:
    """Import the modules that runs need, while the main thread waits for the job.

    A failed import is ignored here and reported by `_job`."""
    with suppress(ImportError):
        from gpuasync_lsp.exec.worker.cpu.backend import CpuBackend
        from gpuasync_lsp.exec.worker.session import Session

        _ = CpuBackend, Session


def _ptx(job: Message) -> Message:
    """Compile the job's kernel modules to PTX; return the message with the PTX, or an error."""
    try:
        from gpuasync_lsp.exec.worker.cuda.ptx import NoLibdevice, to_ptx
        from gpuasync_lsp.exec.worker.jit import CompileError
    except ImportError as error:
        return {"type": "ptx", "error": _lacking("generating PTX requires", error)}
    try:
        texts = {name: to_ptx(ir, job["chip"] or "sm_80") for name, ir in job["kernels"].items()}
    except (CompileError, NoLibdevice) as error:
        return {"type": "ptx", "error": str(error)}
    return {"type": "ptx", "texts": texts}


def _object(job: Message) -> Message:
    """Compile one kernel module to an object; see `ObjectJob`."""
    try:
        from gpuasync_lsp.exec.worker.cuda.objects import to_object
        from gpuasync_lsp.exec.worker.jit import CompileError
    except ImportError as error:
        return {"type": "object", "error": _lacking("compiling kernels requires", error)}
    try:
        data = to_object(job["ir"], job["chip"], job["features"], job["level"], job["form"])
    except CompileError as error:
        return {"type": "object", "error": str(error)}
    return {"type": "object", "data": base64.b64encode(data).decode()}


def _job(job: Message, options: RunOptions, channel: Channel, output: Output) -> Json:
    try:
        from gpuasync_lsp.exec.worker.crash import install
        from gpuasync_lsp.exec.worker.devices import open_backend
        from gpuasync_lsp.exec.worker.jit import Jit
        from gpuasync_lsp.exec.worker.rejection import RunRejected
        from gpuasync_lsp.exec.worker.session import Session
    except ImportError as error:
        return {
            "outcome": "refused",
            "message": _lacking("running programs requires", error),
            "lacks": "run",
        }
    files = {name: base64.b64decode(data) for name, data in job.get("files", {}).items()}
    session = Session(program_from_json(job["program"]), options, files, output=output)
    session.tell_failure = lambda report: channel.send({"type": "failure", "report": report})
    session.findings.on_finding = lambda finding: channel.send({"type": "finding", "finding": finding})
    threading.Thread(target=_heartbeat, args=(session, channel, output), daemon=True).start()
    jit = Jit()
    install(jit, channel.descriptor)
    try:
        return session.run(jit, open_backend(jit, session.program, options))
    except RunRejected as refused:
        return {
            "outcome": "refused",
            "message": refused.message,
            "site": refused.site,
            "lacks": refused.lacks,
        }
    except Exception as error:  # noqa: BLE001 - the caller always gets a report with the line
        return session.partial("error", defect("the run", error))


def _lacking(what: str, error: ImportError) -> str:
    return f"{what} llvmlite and NumPy, the extra `run` of gpuasync-lsp; {error.name} is missing"


def _watch_input(reader: FrameReader, output: Output) -> None:
    try:
        message = reader.read()
    except ProtocolError:
        message = None
    if message is None or message["type"] == "cancel":
        output.drain()
        os._exit(CANCELLED)


def _heartbeat(session: Session, channel: Channel, output: Output) -> None:
    last: tuple[int, int] | None = None
    limit = session.options.timeout
    while True:
        left = limit - (time.perf_counter() - session.started)
        if left <= 0:
            output.drain()
            channel.send(
                {
                    "type": "report",
                    "report": session.partial("timeout", f"stopped after {limit:g} s, the time limit"),
                }
            )
            os._exit(TIMED_OUT)
        time.sleep(min(HEARTBEAT, max(left, 0.001)))
        now = (STATE.site(), STATE.launch())
        if now != last:
            host, launch = now
            channel.send({"type": "progress", "site": launch if launch >= 0 else host, "host": host})
            last = now


class Channel:
    """A thread-safe writer of frames to the client."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor
        self._file = os.fdopen(descriptor, "wb", closefd=False)
        self._lock = threading.Lock()

    def send(self, message: Message) -> None:
        """Send one message; end the process if the client no longer reads."""
        with self._lock:
            if not STATE.begin_sending():
                threading.Event().wait()  # The crash handler ends this process.
            try:
                write_frame(self._file, message)
            except OSError:
                os._exit(CANCELLED)
            STATE.end_sending()


if __name__ == "__main__":
    sys.exit(main())
