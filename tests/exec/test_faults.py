"""Whatever a program or its worker does, the caller gets a report soon, and the next run works."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from gpuasync_lsp.exec import Progress, Run, RunOptions, StartedWorker, WorkerCommand
from gpuasync_lsp.exec.prepare import prepare
from gpuasync_lsp.exec.protocol import PROTOCOL_VERSION
from gpuasync_lsp.processes import Command, Origin
from tests.exec.harness import run
from tests.support.texts import texts_beside

TEXTS = texts_beside(__file__)

ENDLESS_HOST = TEXTS["ENDLESS_HOST"]

ENDLESS_KERNEL = TEXTS["ENDLESS_KERNEL"]

GOOD = TEXTS["GOOD"]


@pytest.fixture
def next_run_works() -> Iterator[None]:
    yield
    report = run(GOOD)
    assert (report.outcome, report.values[0].preview) == ("ok", "42")


@pytest.mark.usefixtures("next_run_works")
@pytest.mark.parametrize(
    ("text", "line"), [(ENDLESS_HOST, 0), pytest.param(ENDLESS_KERNEL, 4, marks=pytest.mark.slow)]
)
def test_an_endless_program_ends_at_its_limit(text: str, line: int) -> None:
    report = run(text, timeout=1.0)
    assert report.outcome == "timeout"
    assert report.message == "stopped after 1 s, the time limit"
    assert report.place.line == line


@pytest.mark.parametrize("text", [ENDLESS_HOST, ENDLESS_KERNEL])
def test_cancel_while_running(text: str) -> None:
    started = threading.Event()

    def watch(progress: Progress) -> None:
        started.set()

    prepared = prepare(text, 22)
    process = Run(prepared.program, RunOptions(device="cpu"), prepared.place_of, on_progress=watch)
    assert started.wait(30)
    process.cancel()
    report = process.wait(10)
    assert report.outcome == "cancelled"


PRINTING = TEXTS["PRINTING"]


@pytest.mark.usefixtures("next_run_works")
def test_cancel_while_it_prints() -> None:
    prepared = prepare(PRINTING, 22)
    printed = threading.Event()

    def watch(progress: Progress) -> None:
        if progress.text:
            printed.set()

    process = Run(prepared.program, RunOptions(device="cpu"), prepared.place_of, on_progress=watch)
    assert printed.wait(30)
    process.cancel()
    report = process.wait(10)
    assert report.outcome == "cancelled"
    assert report.output.startswith("777")


@pytest.mark.usefixtures("next_run_works")
def test_cancel_while_the_worker_starts(tmp_path: Path) -> None:
    worker = stand_in(tmp_path, "import sys; sys.stdin.buffer.read(1)\nwhile True: pass")
    prepared = prepare(GOOD, 22)
    process = Run(prepared.program, RunOptions(device="cpu"), prepared.place_of, worker=worker)
    process.cancel()
    assert process.wait(10).outcome == "cancelled"


def test_cancel_after_the_end_changes_nothing() -> None:
    prepared = prepare(GOOD, 22)
    process = Run(prepared.program, RunOptions(device="cpu"), prepared.place_of)
    report = process.wait(30)
    process.cancel()
    assert process.wait(1) is report
    assert report.outcome == "ok"


def test_cancel_at_once() -> None:
    prepared = prepare(ENDLESS_HOST, 22)
    process = Run(prepared.program, RunOptions(device="cpu"), prepared.place_of)
    process.cancel()
    assert process.wait(10).outcome == "cancelled"


@pytest.mark.usefixtures("next_run_works")
def test_a_worker_killed_in_the_middle(tmp_path: Path) -> None:
    started = threading.Event()
    prepared = prepare(ENDLESS_HOST, 22)
    process = Run(
        prepared.program, RunOptions(device="cpu"), prepared.place_of, on_progress=lambda _: started.set()
    )
    assert started.wait(30)
    assert process._process is not None
    os.kill(process._process.pid, signal.SIGKILL)
    report = process.wait(5)
    assert report.outcome == "crashed"
    assert "SIGKILL" in report.message


STACK_OVERFLOW = TEXTS["STACK_OVERFLOW"]

DIVISION = TEXTS["DIVISION"]

WILD_POINTER = TEXTS["WILD_POINTER"]

WILD_TEXT = TEXTS["WILD_TEXT"]

ABORT = TEXTS["ABORT"]


@pytest.mark.usefixtures("next_run_works")
@pytest.mark.parametrize(
    ("text", "arguments", "told", "line"),
    [
        (STACK_OVERFLOW, (), "SIGSEGV: stack overflow", 5),
        (DIVISION, (("a", "1"), ("b", "0")), "SIGFPE: integer division by zero", 3),
        (DIVISION, (("a", "-2147483648"), ("b", "-1")), "SIGFPE: integer division by zero", 3),
        (WILD_TEXT, (), "SIGSEGV: an access to the address 0x600000000000", 7),
        (ABORT, (), "SIGABRT", 4),
    ],
)
def test_a_fault_ends_in_a_report(
    text: str, arguments: tuple[tuple[str, str], ...], told: str, line: int
) -> None:
    report = run(text, arguments=arguments)
    assert report.outcome == "crashed"
    assert told in report.message
    assert report.place.line == line


@pytest.mark.usefixtures("next_run_works")
def test_a_wild_pointer_of_the_host_is_told_at_its_access() -> None:
    report = run(WILD_POINTER)
    (finding,) = report.findings
    assert (finding.name, finding.place.line) == ("illegal-address", 6)
    assert "the host writes 4 bytes at 0x600000000000, where there is no memory" in finding.message


def test_an_index_far_beyond_a_buffer_names_the_buffer() -> None:
    report = run("""
func.func @main() -> f32 {
  %far = arith.constant 1099511627776 : index
  %m = memref.alloc() : memref<4xf32>
  %w = memref.load %m[%far] : memref<4xf32>
  memref.dealloc %m : memref<4xf32>
  return %w : f32
}
""")
    (finding,) = report.findings
    assert (finding.name, finding.place.line) == ("illegal-address", 5)
    assert "bytes after the nearest buffer, of 16 bytes" in finding.message
    assert [related.place.line for related in finding.related] == [4]


def test_what_was_found_before_a_crash_is_told() -> None:
    lines = WILD_TEXT.splitlines()
    lines.insert(5, "    %c0 = arith.constant 4 : index")
    lines.insert(6, "    %m = memref.alloc() : memref<4xi8>")
    lines.insert(7, "    %v = arith.constant 1 : i8")
    lines.insert(8, "    memref.store %v, %m[%c0] : memref<4xi8>")
    report = run("\n".join(lines))
    assert (report.outcome, report.place.line) == ("crashed", 11)
    assert [(f.name, f.place.line) for f in report.findings] == [("out-of-bounds", 9)]


def test_a_function_that_the_runtime_lacks_is_named_before_anything_runs() -> None:
    text = """
func.func private @printMemrefF32(memref<*xf32>)
func.func private @frobnicate(i32)
func.func @main(%m: memref<2xf32>) {
  %u = memref.cast %m : memref<2xf32> to memref<*xf32>
  func.call @printMemrefF32(%u) : (memref<*xf32>) -> ()
  %c = arith.constant 1 : i32
  func.call @frobnicate(%c) : (i32) -> ()
  return
}
"""
    report = run(text)
    assert report.outcome == "refused"
    assert report.exit_code == 2
    assert "@frobnicate" in report.message
    assert report.place.line == 8
    assert report.output == ""


def test_output_is_cut_at_its_limit() -> None:
    text = """
func.func private @printI64(i64)
func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 20000 : index
  %v = arith.constant 123456789 : i64
  scf.for %i = %c0 to %n step %c1 {
    func.call @printI64(%v) : (i64) -> ()
  }
  return
}
"""
    report = run(text, output_limit=1000)
    assert report.outcome == "ok"
    assert len(report.output) == 1000
    assert report.output_truncated


KERNEL_FAULT = TEXTS["KERNEL_FAULT"]
FAR = """%far = arith.constant 4096 : index
    %v = arith.constant 1 : i8
    memref.store %v, %d[%far] : memref<64xi8>"""
ODD = """%one = arith.constant 1 : index
    %zero = arith.constant 0 : index
    %v = arith.constant 1 : i32
    %w = memref.view %d[%one][] : memref<64xi8> to memref<8xi32>
    memref.store %v, %w[%zero] : memref<8xi32>"""


@pytest.mark.usefixtures("next_run_works")
@pytest.mark.parametrize(
    ("body", "name", "text"),
    [(FAR, "out-of-bounds", "past the end"), (ODD, "misaligned-address", "CUDA_ERROR_MISALIGNED_ADDRESS")],
)
def test_a_kernel_that_accesses_what_it_may_not_is_told_at_the_access(
    body: str, name: str, text: str
) -> None:
    source = KERNEL_FAULT.format(body=body)
    report = run(source)
    finding = next(f for f in report.findings if f.name == name)
    assert text in finding.message
    assert "memref.store" in source.splitlines()[finding.place.line - 1]


@pytest.mark.usefixtures("next_run_works")
def test_a_kernel_that_accesses_an_address_far_from_everything_is_told_at_its_launch() -> None:
    source = KERNEL_FAULT.format(body=FAR.replace("4096", "1099511627776"))
    report = run(source)
    (finding,) = report.findings
    assert finding.name == "illegal-address"
    assert "writes 1 byte at 0x" in finding.message
    assert "bytes after the nearest buffer, of 64 bytes" in finding.message
    lines = [source.splitlines()[place.line - 1] for place in (finding.place, finding.related[0].place)]
    assert "memref.store" in lines[0]
    assert "gpu.launch" in lines[1]


@pytest.mark.usefixtures("next_run_works")
def test_a_kernel_whose_variables_use_up_the_stack_is_told_so() -> None:
    body = """
    %c0 = arith.constant 0 : index
    %far = arith.constant 1000000000 : index
    %zero = arith.constant 0 : i32
    scf.for %i = %c0 to %far step %c1 {
      %v = memref.alloca(%c64) : memref<?xi32>
      memref.store %zero, %v[%bx] : memref<?xi32>
    }"""
    source = KERNEL_FAULT.format(body=body).replace("%gx = %c1", "%gx = %c64")
    source = source.replace("%t = gpu.wait", "%c64 = arith.constant 64 : index\n  %t = gpu.wait", 1)
    report = run(source)
    assert report.outcome == "crashed"
    assert report.message == "the variables of a kernel's thread need more memory than is available"
    assert "gpu.launch" in source.splitlines()[report.place.line - 1]


COPY = TEXTS["COPY"]
IN_KERNEL = """gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
    memref.copy %a, %d : memref<16xi32> to memref<16xi32>
    gpu.terminator
  }"""


@pytest.mark.parametrize(
    ("copy", "who"),
    [("memref.copy %a, %d : memref<16xi32> to memref<16xi32>", "host"), (IN_KERNEL, "kernel")],
)
def test_a_copy_of_too_many_bytes_is_told_and_not_made(copy: str, who: str) -> None:
    source = COPY.format(copy=copy)
    report = run(source, shared_arguments=True, arguments=(("b", "7"),))
    (finding,) = report.findings
    assert finding.name == "out-of-bounds"
    assert (
        f"the {who} writes 64 bytes, of which 32 are past the end of a buffer of 32 bytes" in finding.message
    )
    assert "memref.copy" in source.splitlines()[finding.place.line - 1]
    assert not report.values[1].changed


@pytest.mark.usefixtures("next_run_works")
@pytest.mark.parametrize(
    ("op", "dividend", "divisor", "found"),
    [
        ("divsi", "7", "0", True),
        ("remui", "7", "0", True),
        ("divsi", "-2147483648", "-1", True),
        ("divui", "-2147483648", "-1", False),
        ("remsi", "7", "-1", False),
    ],
)
def test_a_division_without_a_quotient_in_a_kernel(op: str, dividend: str, divisor: str, found: bool) -> None:
    source = f"""
func.func @main(%a: memref<1xi32>, %b: memref<1xi32>) {{
  %c1 = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {{
    %x = memref.load %a[%tx] : memref<1xi32>
    %y = memref.load %b[%tx] : memref<1xi32>
    %z = arith.{op} %x, %y : i32
    memref.store %z, %a[%tx] : memref<1xi32>
    gpu.terminator
  }}
  return
}}
"""
    report = run(source, shared_arguments=True, arguments=(("a", dividend), ("b", divisor)))
    places = [(f.name, f.place.line) for f in report.findings]
    assert places == ([("division-without-quotient", 8)] if found else [])


def test_host_memory_that_there_is_not_is_a_finding_and_no_crash() -> None:
    report = run("""
func.func @main() {
  %c0 = arith.constant 0 : index
  %v = arith.constant 1.0 : f32
  %m = memref.alloc() : memref<26843545600xf32>
  memref.store %v, %m[%c0] : memref<26843545600xf32>
  memref.dealloc %m : memref<26843545600xf32>
  return
}
""")
    assert report.outcome == "findings"
    assert (report.findings[0].name, report.findings[0].place.line) == ("out-of-memory", 5)
    assert {f.place.line for f in report.findings} == {5, 6}


def test_too_much_memory_is_a_finding() -> None:
    text = """
func.func @main() {
  %t = gpu.wait async
  %d, %t1 = gpu.alloc async [%t] () : memref<26843545600xf32>
  %t2 = gpu.dealloc async [%t1] %d : memref<26843545600xf32>
  gpu.wait [%t2]
  return
}
"""
    report = run(text)
    assert report.findings[0].name == "out-of-memory"
    assert "100 GiB" in report.findings[0].message
    assert report.findings[0].place.line == 4


# Worker commands, with substitutes for ssh and srun.


def stand_in(tmp_path: Path, script: str) -> WorkerCommand:
    file = tmp_path / "stand_in.py"
    file.write_text(script)
    return WorkerCommand(
        Command((sys.executable, str(file)), Origin.COMMAND_LINE), python=sys.executable, start_timeout=10
    )


def test_a_command_prefix_starts_the_worker_elsewhere(tmp_path: Path) -> None:
    worker = stand_in(
        tmp_path,
        "import os, sys\nprint('Welcome to gpu-host', flush=True)\nos.execv(sys.argv[1], sys.argv[1:])\n",
    )
    report = run(GOOD, worker=worker)
    assert (report.outcome, report.values[0].preview) == ("ok", "42")


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("import sys; sys.stderr.write('ssh: no route to host\\n'); sys.exit(255)", "no route to host"),
        ("import sys; print('x' * 100000)", "no worker answered"),
        (
            "import sys, struct; sys.stdout.buffer.write(b'\\xabGA1' + struct.pack('>I', 28) + "
            f'b\'{{"type":"hello","version":{PROTOCOL_VERSION}}}\' + b\'\\xff\' * 50); '
            "sys.stdout.flush(); sys.stdin.buffer.read()",
            "not a frame",
        ),
        (
            "import sys, struct; sys.stdout.buffer.write(b'\\xabGA1' + struct.pack('>I', 4) + b'[1,2'); "
            "sys.stdout.flush(); sys.stdin.buffer.read()",
            "not JSON",
        ),
        (
            "import sys, struct; sys.stdout.buffer.write(b'\\xabGA1' + struct.pack('>I', 1 << 31)); "
            "sys.stdout.flush(); sys.stdin.buffer.read()",
            "over the limit",
        ),
    ],
)
def test_garbage_on_the_pipe_is_told(tmp_path: Path, script: str, expected: str) -> None:
    report = run(GOOD, worker=stand_in(tmp_path, script))
    assert report.outcome == "crashed"
    assert expected in report.message


def test_a_worker_that_reports_and_does_not_end_is_not_waited_for(tmp_path: Path) -> None:
    frames = f"""
import json, struct, sys, time
hello = {{"type": "hello", "version": {PROTOCOL_VERSION}}}
for message in (hello, {{"type": "report", "report": {{"outcome": "ok", "message": "done"}}}}):
    body = json.dumps(message).encode()
    sys.stdout.buffer.write(b"\\xabGA1" + struct.pack(">I", len(body)) + body)
sys.stdout.flush()
while True:
    time.sleep(1)
"""
    report = run(GOOD, worker=stand_in(tmp_path, frames))
    assert (report.outcome, report.message) == ("ok", "done")


def test_a_worker_of_another_version_is_refused(tmp_path: Path) -> None:
    script = """
import struct, sys
hello = b'{"type":"hello","version":1}'
sys.stdout.buffer.write(b"\\xabGA1" + struct.pack(">I", len(hello)) + hello)
sys.stdout.flush()
sys.stdin.buffer.read()
"""
    report = run(GOOD, worker=stand_in(tmp_path, script))
    assert (report.outcome, report.exit_code) == ("refused", 2)
    assert "another version of gpuasync-lsp: install the same version there" in report.message


def test_a_command_that_never_starts_a_worker(tmp_path: Path) -> None:
    worker = stand_in(tmp_path, "import sys; sys.stdin.buffer.read()")
    worker = WorkerCommand(worker.prefix, worker.python, start_timeout=0.5)
    report = run(GOOD, worker=worker)
    assert report.outcome == "timeout"
    assert "did not start a worker within 0.5 s" in report.message


def test_a_command_that_does_not_exist() -> None:
    report = run(GOOD, worker=WorkerCommand(Command(("no-such-command-here",), Origin.COMMAND_LINE)))
    assert report.outcome == "refused"
    assert "no-such-command-here" in report.message


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="limits of addresses are Linux's")
def test_a_system_that_limits_addresses(tmp_path: Path) -> None:
    (tmp_path / "good.mlir").write_text(GOOD)
    command = [sys.executable, "-m", "gpuasync_lsp", "run", "--device", "cpu", str(tmp_path / "good.mlir")]
    room = 64 << 30
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (room, room)),
    )
    assert done.returncode != 0
    assert "reserves 256 GiB of addresses" in done.stdout + done.stderr


def test_a_worker_that_waits_for_its_job_is_taken_or_ended() -> None:
    prepared = prepare("func.func @main() {\n  return\n}\n", 22)
    worker = WorkerCommand()
    used, unused = StartedWorker(worker), StartedWorker(worker)
    run = Run(prepared.program, RunOptions(device="cpu"), prepared.place_of, worker=worker, started=used)
    assert run.wait(60).outcome == "ok"
    process = unused._process
    assert process is not None
    assert process.poll() is None
    unused.drop()
    assert process.poll() is not None


OVER = TEXTS["OVER"]


@pytest.mark.parametrize("barrier", ["", "gpu.barrier"])
def test_an_access_out_of_bounds_names_thread_element_and_count(barrier: str) -> None:
    text = OVER.replace("BARRIER", barrier)
    report = run(text, shared_arguments=True)
    over = {text.splitlines()[f.place.line - 1].split("// ")[-1]: f.message for f in report.findings}
    assert over["over"] == (
        "thread (0, 0, 0) of block (2, 0, 0) writes element [4, 0] of 4x8: 4 bytes just past the end of "
        "a buffer of 128 bytes (16 such accesses)"
    )
    assert over["shared"] == (
        "thread (2, 0, 0) of block (0, 0, 0) writes element [2] of 8: 4 bytes just past the end of 8 bytes "
        "of workgroup memory (36 such accesses)"
    )


OFTEN = TEXTS["OFTEN"]


def test_millions_of_bad_accesses_are_counted_for_each_launch_and_buffer() -> None:
    report = run(OFTEN)
    counts = {
        (_comment(f.place.line), *(_comment(r.place.line) for r in f.related if "launched" in r.message)): (
            f.message.rpartition(" (")[2]
        )
        for f in report.findings
    }
    times = "4,194,304 such "
    assert counts == {
        ("unregistered", "first"): f"{times}accesses)",
        ("division", "first"): f"{times}divisions)",
        ("host memory", "first"): f"{times}accesses)",
        ("unregistered", "second"): "64 such accesses)",
        ("division", "second"): "64 such divisions)",
        ("host memory", "second"): "64 such accesses)",
        ("host",): "792 such accesses)",
    }


def _comment(line: int) -> str:
    return OFTEN.splitlines()[line - 1].partition("// ")[2]
