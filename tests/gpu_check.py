"""Checks the CUDA path on a machine with an NVIDIA GPU: `make gpu-check`, or python -m tests.gpu_check

Prints a line per check: PASS, FAIL, INFO or SKIP, the check, and its result. The exit status is 1 if a
check fails and 2 if there is no GPU. Takes under six minutes: further checks are skipped, and counted.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np

from gpuasync_lsp.exec import Run, RunOptions, RunReport
from gpuasync_lsp.exec.prepare import prepare
from gpuasync_lsp.ide.run.passes import run_passes
from gpuasync_lsp.text import LineIndex
from tests.exec.harness import PROGRAMS, Case
from tests.support.texts import texts_beside
from tests.support.tools import FIXTURES, ROOT

TEXTS = texts_beside(__file__)

BUDGET = 330.0
"""Seconds after which no further check starts."""
LIMIT = 30.0
"""The time limit of a run in seconds."""
Answer = tuple[bool | None, str]
"""Whether the check passes (None for information only), and its result as text."""

KERNEL = TEXTS["KERNEL"]
FAR = """%far = arith.constant 1099511627776 : index
      %v = arith.constant 1.0 : f32
      memref.store %v, %x[%far] : memref<256xf32>"""
SHARED = """%c0 = arith.constant 0 : index
      %sh = gpu.dynamic_shared_memory : memref<?xi8, #ws>
      %w = memref.view %sh[%c0][] : memref<?xi8, #ws> to memref<64xf32, #ws>
      %a = memref.load %x[%i] : memref<256xf32>
      memref.store %a, %w[%t] : memref<64xf32, #ws>
      gpu.barrier
      %q = memref.load %w[%t] : memref<64xf32, #ws>
      memref.store %q, %x[%i] : memref<256xf32>"""
IMAGE = r"""module attributes {gpu.container_module} {
  gpu.binary @m [#gpu.object<#nvvm.target<chip = "sm_80">, assembly = ".version VERSION\0A.target sm_75\0A.address_size 64\0A.visible .entry k() { BODYret; }">]
  func.func @main() {
    %c1 = arith.constant 1 : index
    gpu.launch_func @m::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
    return
  }
}
"""  # noqa: E501 - the text of an image is one string
AGAIN = """gpu.launch_func @m::@k blocks in (%g, %one, %one) threads in (%b, %one, %one)
        args(%x : memref<256xf32>)"""
REGISTERS = TEXTS["REGISTERS"]


def kernel(body: str = "", **parts: str) -> str:
    """Return a program with one launch; `parts` replace PRE, POST, GRID, BLOCK, CLUSTERS and DYNAMIC."""
    text = KERNEL.replace("BODY", body)
    usual = {"PRE": "", "POST": "", "GRID": "%g", "BLOCK": "%b", "CLUSTERS": "", "DYNAMIC": ""}
    for name, part in {**usual, **parts}.items():
        text = text.replace(name, part)
    return text


def run(text: str, pipeline: Sequence[str] = (), llvm: int = 24, **options: object) -> RunReport:
    """Run a program on the GPU."""
    passes, lowering = run_passes([*pipeline], LineIndex(text))
    prepared = prepare(text, llvm, "", lowering, passes)
    settings = replace(RunOptions(device="cuda", timeout=LIMIT), **options)  # type: ignore[arg-type]
    return Run(prepared.program, settings, prepared.place_of).wait(LIMIT + 15)


def seen(report: RunReport) -> str:
    """Return the content of a report in one line."""
    return "; ".join([report.outcome, report.message, *(f.message for f in report.findings[:2])]).strip("; ")


def clean(text: str, pipeline: Sequence[str] = (), **options: object) -> Answer:
    """Pass if a program runs without an error."""
    report = run(text, pipeline, **options)
    errors = [each for each in report.findings if each.level == "error"]
    return report.outcome in ("ok", "findings") and not errors, seen(report)


def told(text: str, words: str, **options: object) -> Answer:
    """Pass if a program has exactly one error and its message contains `words`."""
    report = run(text, **options)
    errors = [each.message for each in report.findings if each.level == "error"]
    said = report.message if report.outcome == "refused" else "".join(errors[:1])
    return words in said and len(errors) <= 1, seen(report)


def same(case: Case) -> Answer:
    """Pass if the arrays of GPU and CPU are equal, where NumPy tells what they contain."""
    arrays: dict[str, dict[str, np.ndarray]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for device in ("cpu", "cuda"):
            report = run(
                case.text,
                llvm=case.llvm,
                device=device,
                arguments=tuple(case.arguments.items()),
                shared_arguments=case.shared,
                save=f"{folder}/{device}",
            )
            if report.outcome not in ("ok", "findings") or any(f.level == "error" for f in report.findings):
                lacks = " needs sm_" in report.message
                return (None if lacks else False), f"{device}: {seen(report)}"
            arrays[device] = {each.name: np.load(each.file) for each in report.values if each.file}
    close = max(case.tolerance, 1e-4)
    for name, array in arrays["cpu"].items():
        if name.strip("%") not in case.expected:
            continue  # The order of the threads decides, for instance which of their values remains.
        other = arrays["cuda"].get(name)
        if other is None or not np.allclose(array, other, rtol=close, atol=close, equal_nan=True):
            return False, f"{name} differs from the CPU's"
    return True, f"{len(arrays['cpu'])} arrays"


def copied_in_bulk() -> Answer:
    """A bulk copy completes an mbarrier, for which the threads wait before they read what was copied."""
    with tempfile.TemporaryDirectory() as folder:
        report = run(TEXTS["BULK"], shared_arguments=True, save=folder)
        if " needs sm_" in report.message:
            return None, report.message
        found = [np.load(each.file) for each in report.values if each.file]
    numbers = np.arange(256, dtype=np.float32)
    expected = np.where(numbers < 64, numbers + 1, numbers)
    return len(found) == 1 and np.array_equal(found[0], expected), seen(report)


def lost() -> Answer:
    """After the context is lost, one error is reported, and the run ends."""
    began = time.monotonic()
    report = run(kernel(FAR, POST="\n    ".join([AGAIN] * 3)), shared_arguments=True)
    count = sum(each.name == "cuda-error" for each in report.findings)
    took = time.monotonic() - began
    return count == 1 and report.outcome == "findings" and took < LIMIT, f"{took:.1f} s; {seen(report)}"


def endless() -> Answer:
    """An endless kernel is stopped at the time limit, and the next run works."""
    first = run(kernel("cf.br ^again\n    ^again:\n      cf.br ^again\n    ^never:"), timeout=3.0)
    second = run(kernel(), shared_arguments=True)
    return (first.outcome, second.outcome) == ("timeout", "ok"), f"{seen(first)}, then {seen(second)}"


def at_once() -> Answer:
    """Six concurrent runs share the GPU."""
    with ThreadPoolExecutor(6) as pool:
        reports = list(pool.map(lambda _: run(kernel(), shared_arguments=True), range(6)))
    return all(each.outcome == "ok" for each in reports), ", ".join(each.outcome for each in reports)


def launched(name: str, pipeline: Sequence[str]) -> Answer:
    """Launch a kernel that the passes compiled."""
    report = run((FIXTURES / "run_passes" / name).read_text(), pipeline, profile=True, shared_arguments=True)
    return any(each.label.startswith("kernel") for each in report.operations), seen(report)


def hidden() -> Answer:
    """Without a visible device, `auto` selects the CPU and reports why."""
    code = (
        "from tests.gpu_check import kernel, run, seen\n"
        "r = run(kernel(), device='auto', shared_arguments=True)\n"
        "print(r.device, seen(r))"
    )
    command = ["env", "CUDA_VISIBLE_DEVICES=", sys.executable, "-c", code]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    words = done.stdout.strip()
    return words.startswith("cpu ") and "it ran on the CPU because" in words, words or done.stderr[-200:]


def second() -> Answer:
    """Work on a second device is timed."""
    from gpuasync_lsp.exec.worker.cuda.driver import open_driver

    driver, _ = open_driver()
    if driver is None or driver.cuDeviceGetCount()[1] < 2:
        return None, "there is one GPU"
    text = kernel(PRE="%device = arith.constant 1 : i32\n    gpu.set_default_device %device")
    return clean(text, profile=True, shared_arguments=True)


def figures() -> Answer:
    """Figures of launches, copies and overlap, compared with plain cuda-python."""
    command = [sys.executable, "-m", "benchmarks.gpu_overhead"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=150, check=False)
    for line in done.stdout.splitlines():
        print(f"INFO figures: {line}", flush=True)
    return done.returncode == 0, done.stderr.strip().splitlines()[-1] if done.stderr.strip() else ""


Check = tuple[str, Callable[[], Answer]]
MAPPED = ["convert-linalg-to-parallel-loops,gpu-map-parallel-loops,convert-parallel-loops-to-gpu"]
OVER = "a size of the grid, block or cluster is 0 or over the device's limit"


def risks() -> list[Check]:
    """Return the checks of properties that could only be assumed without a GPU."""
    cluster = "nvvm.cluster.arrive\n      nvvm.cluster.wait"
    clusters = "clusters in (%one, %one, %one)"
    newer = "nvvm.fence.mbarrier.init\n      nvvm.griddepcontrol wait"
    zero, big = "%z = arith.constant 0 : index", "%z = arith.constant 2048 : index"
    dynamic = "dynamic_shared_memory_size %d"
    some, much = (f"%d = arith.constant {size} : i32" for size in (102400, 307200))
    on = {"shared_arguments": True}
    return [
        ("a kernel runs", lambda: clean(kernel(), **on)),
        ("clusters", lambda: _or_refused(kernel(cluster, CLUSTERS=clusters), "needs sm_90")),
        ("ops of Hopper", lambda: _or_refused(kernel(newer), "needs sm_90")),
        ("a bulk copy completes an mbarrier", copied_in_bulk),
        ("an empty grid is told", lambda: told(kernel(PRE=zero, GRID="%z"), OVER, **on)),
        ("2,048 threads are told", lambda: told(kernel(PRE=big, BLOCK="%z"), OVER, **on)),
        ("100 KiB of shared memory", lambda: clean(kernel(SHARED, PRE=some, DYNAMIC=dynamic), **on)),
        (
            "300 KiB are told",
            lambda: told(kernel(SHARED, PRE=much, DYNAMIC=dynamic), "cuFuncSetAttribute", **on),
        ),
        ("buffers of one page are registered", lambda: clean(REGISTERS)),
        ("managed arguments are registered", lambda: clean(REGISTERS, **on)),
        ("a bad address, where it shows", lambda: told(kernel(FAR), "ILLEGAL_ADDRESS", **on)),
        ("a bad address, waiting", lambda: told(kernel(FAR), "ILLEGAL_ADDRESS", synchronous=True, **on)),
        ("a lost context", lost),
        ("an endless kernel", endless),
        ("PTX that does not assemble", lambda: told(_image("7.0", "nonsense; "), "INVALID_PTX")),
        ("PTX of the future", lambda: told(_image("9.9", ""), "PTX")),
        ("linalg becomes a kernel", lambda: launched("scaled.mlir", MAPPED)),
        ("a mapped loop becomes a kernel", lambda: launched("mapped_loop.mlir", MAPPED)),
        ("times of operations", lambda: clean(PROGRAMS[0].text, profile=True)),
        ("six runs at once", at_once),
        ("no device is visible", hidden),
        ("a second device", second),
    ]


def _or_refused(text: str, words: str) -> Answer:
    report = run(text, shared_arguments=True)
    return report.outcome == "ok" or words in report.message, seen(report)


def _image(version: str, body: str) -> str:
    return IMAGE.replace("VERSION", version).replace("BODY", body)


def environment() -> str:
    """Return the versions of bindings and driver, and the GPU's name; empty, with a printed reason,
    without a GPU."""
    from gpuasync_lsp.exec.worker.cuda.driver import open_driver

    driver, missing = open_driver()
    if driver is None:
        print(f"FAIL environment: {missing}")
        return ""
    from cuda.bindings import __version__

    name = bytes(driver.cuDeviceGetName(100, 0)[1]).split(b"\0")[0].decode()
    return f"{name}, driver {driver.cuDriverGetVersion()[1]}, cuda-bindings {__version__}"


def main() -> int:
    """Run all checks; return the exit status."""
    began = time.monotonic()
    here = environment()
    if not here:
        return 2
    print(f"INFO environment: {here}", flush=True)
    tally: Counter[str] = Counter()

    def judged(check: Callable[[], Answer]) -> tuple[str, str]:
        if time.monotonic() - began > BUDGET:
            return "SKIP", "out of time"
        try:
            passed, words = check()
        except Exception as error:  # noqa: BLE001 - a check that trips is a check that fails, and is told
            passed, words = False, f"{type(error).__name__}: {error}"
        return {True: "PASS", False: "FAIL", None: "INFO"}[passed], words

    def tell(checks: Sequence[Check], at_once: int) -> None:
        with ThreadPoolExecutor(at_once) as pool:
            for (name, _), (verdict, words) in zip(
                checks, pool.map(lambda each: judged(each[1]), checks), strict=True
            ):
                tally[verdict] += 1
                print(f"{verdict} {name}: {' '.join(words.split())[:240]}", flush=True)

    tell([*risks(), ("figures", figures)], 1)
    tell([(f"program {case.name}", lambda case=case: same(case)) for case in PROGRAMS], 6)
    print(dict(tally), f"{time.monotonic() - began:.0f} s on {here}")
    return 1 if tally["FAIL"] else 0


if __name__ == "__main__":
    sys.exit(main())
