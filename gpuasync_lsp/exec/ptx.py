"""PTX of kernels, for previews; compiled in a worker, since LLVM may abort the process."""

from __future__ import annotations

import io
from collections.abc import Mapping

from gpuasync_lsp.exec.client import WorkerCommand
from gpuasync_lsp.exec.protocol import FrameReader, Message, ProtocolError, write_frame
from gpuasync_lsp.processes import NotAllowed, run

TIMEOUT = 60.0


class NoPTX(Exception):
    """The PTX cannot be generated; the message gives the reason."""


def compile_ptx(
    kernels: Mapping[str, str], chip: str = "", worker: WorkerCommand | None = None
) -> dict[str, str]:
    """Return the PTX of each kernel module for `chip` (default `sm_80`), given its LLVM IR by name.

    Raises `NoPTX`."""
    answer = request_compilation({"type": "ptx", "kernels": dict(kernels), "chip": chip}, worker)
    return {str(name): str(text) for name, text in answer["texts"].items()}


def request_compilation(job: Message, worker: WorkerCommand | None = None) -> Message:
    """Return a worker's answer to a compilation job. Raises `NoPTX`."""
    request = io.BytesIO()
    write_frame(request, job)
    command = (worker or WorkerCommand()).command
    try:
        done = run(command, request.getvalue(), TIMEOUT)
    except (NotAllowed, TimeoutError) as error:
        raise NoPTX(str(error)) from error
    except OSError as error:
        raise NoPTX(f"cannot start {command.name}: {error.strerror}") from error
    try:
        answer = FrameReader(io.BytesIO(done.stdout)).read()
    except ProtocolError as error:
        raise NoPTX(str(error)) from error
    if answer is None:
        raise NoPTX(_error_message(done.stderr) or f"the compiler ended with status {done.status}")
    if "error" in answer:
        raise NoPTX(str(answer["error"]))
    return answer


def _error_message(stderr: bytes) -> str:
    """Extract the error message from a compiler's output: LLVM prints the reason first, Python last."""
    lines = stderr.decode("utf-8", "replace").strip().splitlines()
    if not lines:
        return ""
    return lines[-1] if lines[0].startswith("Traceback") else lines[0]
