"""The CUDA runtime with a fake libcuda that records its calls: no GPU is needed."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

import pytest

from gpuasync_lsp.exec import Run, RunOptions, RunReport
from gpuasync_lsp.exec.prepare import prepare
from tests.exec.cuda_calls import MAKES, misuses
from tests.exec.harness import FIXTURES, PROGRAMS, UNLOADED, Case
from tests.exec.harness import run as run_on_cpu
from tests.support.ptxas import all_ptxas
from tests.support.texts import texts_beside
from tests.support.thinning import thinned
from tests.support.tools import REQUIRED

TEXTS = texts_beside(__file__)

if REQUIRED and find_spec("cuda") is None:
    raise RuntimeError("cuda-bindings is not installed, and GPUASYNC_REQUIRE_TOOLS=1")
cuda_bindings_version = version("cuda-bindings") if find_spec("cuda") is not None else ""
pytest.importorskip("cuda.bindings.driver", reason="cuda-python is not installed")

Launch = Callable[..., tuple[RunReport, list[str]]]


@pytest.fixture
def launch(fake_libcuda: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Launch:
    """Run a program on the fake device; return the report and the log of calls."""

    def run(text: str, version: int = 24, environment: dict[str, str] | None = None, **options: object):
        log = tmp_path / "log"
        log.unlink(missing_ok=True)
        monkeypatch.setenv("LD_LIBRARY_PATH", f"{fake_libcuda}:{os.environ.get('LD_LIBRARY_PATH', '')}")
        monkeypatch.setenv("FAKE_CUDA_LOG", str(log))
        monkeypatch.setenv("FAKE_CUDA_PTXAS", str(all_ptxas()[-1].path))
        for name, value in (environment or {}).items():
            monkeypatch.setenv(name, value)
        prepared = prepare(text, version)
        settings = RunOptions(**{"device": "cuda", **options})  # type: ignore[arg-type]
        report = Run(prepared.program, settings, prepared.place_of).wait(60)
        return report, log.read_text().splitlines() if log.exists() else []

    return run


def names(log: list[str]) -> list[str]:
    return [line.split()[0] for line in log]


SAXPY = PROGRAMS[0]
MEMSET = next(case for case in PROGRAMS if case.name == "memset and a copy back")


def test_calls_of_a_stream_of_operations(launch: Launch) -> None:
    report, log = launch(SAXPY.text)
    assert report.outcome == "ok", report
    assert report.device == "cuda (Fake GPU, sm_90)"
    calls = [name for name in names(log) if not name.startswith(("cuInit", "cuDevice", "cuCtxSet"))]
    assert calls == [
        "cuModuleLoadDataEx",
        "cuStreamCreate",
        "cuMemAlloc",
        "cuMemAlloc",
        "cuMemcpyAsync",
        "cuMemcpyAsync",
        "cuModuleGetFunction",
        "cuLaunchKernel",
        "cuMemcpyAsync",
        "cuMemFree",
        "cuMemFree",
        "cuStreamSynchronize",
        "cuCtxSynchronize",
        "cuStreamDestroy",
        "cuModuleUnload",
    ]
    create = next(line for line in log if line.startswith("cuStreamCreate"))
    assert create.endswith(" 1"), "streams are non-blocking"
    stream = create.split()[1]
    launched = next(line for line in log if line.startswith("cuLaunchKernel"))
    _, _, *numbers, used, buffer = launched.split()
    assert numbers == ["4", "1", "1", "256", "1", "1", "0"]
    assert used == stream
    copied = next(line for line in log if line.startswith("cuMemcpyAsync"))
    assert buffer == copied.split()[1], "behind the constant 1000, the kernel gets the first device buffer"
    assert next(line for line in log if line.startswith("cuModuleLoadDataEx")).endswith("ptx")


def test_memory_operations_have_their_effect(launch: Launch) -> None:
    report, log = launch(MEMSET.text, arguments=(("x", "iota"),))
    assert report.outcome == "ok", report
    assert report.values[0].changed
    assert report.values[0].preview.startswith("[7 7 7")
    assert any(line.startswith("cuMemsetD32Async") and " 7 100 " in line for line in log)


@pytest.mark.slow
@pytest.mark.parametrize("case", thinned(PROGRAMS, 3, pytest.mark.campaign), ids=str)
def test_every_program_makes_calls_that_the_device_takes(launch: Launch, case: Case) -> None:
    """The fake device runs no kernels: checks that each launch arrives, and that no call is invalid."""
    report, log = launch(
        case.text, case.llvm, arguments=tuple(case.arguments.items()), shared_arguments=case.shared
    )
    assert report.outcome in ("ok", "findings"), report
    assert not [f for f in report.findings if f.level == "error"], report.findings
    assert misuses(log)[0] == []
    if "gpu.launch" in case.text:
        assert any(name.startswith("cuLaunchKernel") for name in names(log))


BINARY = TEXTS["BINARY"]
PTX = r".version 7.8\0A.target sm_80\0A.address_size 64\0A.visible .entry f() { ret; }"


@pytest.mark.parametrize(
    ("form", "content", "loaded"), [("assembly", PTX, "ptx"), ("bin", r"\7FELF", "other")]
)
def test_kernels_that_are_compiled_already_are_loaded(
    launch: Launch, form: str, content: str, loaded: str
) -> None:
    report, log = launch(BINARY.replace("FORM", form).replace("CONTENT", content))
    assert report.outcome == "ok", report
    assert next(line for line in log if line.startswith("cuModuleLoadDataEx")).endswith(loaded)
    assert "cuLaunchKernel" in names(log)


def test_a_kernel_that_the_module_lacks_is_not_launched(launch: Launch) -> None:
    report, log = launch(SAXPY.text, environment={"FAKE_CUDA_FAIL": "cuModuleGetFunction=500"})
    assert "CUDA_ERROR_NOT_FOUND" in next(f.message for f in report.findings if f.name == "cuda-error")
    assert "cuLaunchKernel" not in names(log)


@pytest.mark.parametrize("version", [19, 24])
def test_a_module_that_the_driver_does_not_take_is_told_with_what_its_compiler_says(
    launch: Launch, version: int
) -> None:
    report, _ = launch(SAXPY.text, version, environment={"FAKE_CUDA_FAIL": "cuModuleLoadDataEx=218"})
    finding = report.findings[0]
    assert "cuModuleLoadDataEx failed with CUDA_ERROR_INVALID_PTX (218)" in finding.message
    assert finding.message.endswith("(@main_kernel): ptxas fatal : nothing assembles here")
    lines = [line.strip() for line in SAXPY.text.splitlines()]
    kernel = range(next(n for n, line in enumerate(lines, 1) if "gpu.launch" in line), len(lines))
    assert finding.place.line in kernel


MANY = TEXTS["MANY"]


def test_launches_go_to_the_driver_directly_and_as_they_should(launch: Launch) -> None:
    report, log = launch(MANY)
    assert report.outcome == "ok", report
    kernels = [line.split()[1] for line in log if line.startswith("cuModuleGetFunction")]
    streams = [line.split()[1] for line in log if line.startswith("cuStreamCreate")]
    assert (len(kernels), len(streams)) == (2, 2)
    launches = [line.split() for line in log if line.startswith("cuLaunchKernel")]
    first, second = ["5", "1", "1", "1", "1", "5", "0"], ["1"] * 6 + ["0"]
    assert [words[1:10] for words in launches] == [
        [kernels[0], *first, streams[0]],
        [kernels[1], *second, streams[1]],
    ] * 5


SHARED = MANY.replace(
    "threads in (%c1, %c1, %n)", "threads in (%c1, %c1, %n) dynamic_shared_memory_size %size"
)
SHARED = SHARED.replace("%n = ", "%size = arith.constant 20480 : i32\n    %n = ")


@pytest.mark.parametrize(("static", "asked"), [(0, 0), (28 * 1024, 0), (28 * 1024 + 1, 1), (40 * 1024, 1)])
def test_shared_memory_is_asked_for_where_static_and_dynamic_are_more_than_usual(
    launch: Launch, static: int, asked: int
) -> None:
    report, log = launch(SHARED, environment={"FAKE_CUDA_STATIC": str(static)})
    assert report.outcome == "ok", report
    assert [line.split()[2:] for line in log if line.startswith("cuFuncSetAttribute")] == [
        ["8", "20480"]
    ] * asked
    assert len([line for line in log if line.startswith("cuLaunchKernel")]) == 10


def test_kernels_of_a_device_are_not_launched_on_another(launch: Launch) -> None:
    text = MANY.replace(
        "%t = gpu.wait async",
        "%one = arith.constant 1 : i32\ngpu.set_default_device %one\n%t = gpu.wait async",
    )
    report, log = launch(text, environment={"FAKE_CUDA_DEVICES": "2"})
    finding = next(f for f in report.findings if f.name == "invalid-device")
    assert "was loaded on device 0, and stream 1 belongs to device 1" in finding.message
    assert "@k::@g" in text.splitlines()[finding.place.line - 1]
    assert len([line for line in log if line.startswith("cuLaunchKernel")]) == 5


def test_work_of_two_devices_is_timed_and_waited_for(launch: Launch) -> None:
    text = (
        SAXPY.text.replace("func.func @main(", "func.func private @first(")
        + "func.func @main() {\n  %one = arith.constant 1 : i32\n  %s = gpu.wait async\n"
        "  %d, %a = gpu.alloc async [%s] () : memref<8xi32>\n  gpu.set_default_device %one\n"
        "  %t = gpu.wait async\n  %e, %b = gpu.alloc async [%t] () : memref<8xi32>\n"
        "  %c1 = arith.constant 1 : i32\n  %m = gpu.memset async [%b] %e, %c1 : memref<8xi32>, i32\n"
        "  %f = gpu.dealloc async [%m] %e : memref<8xi32>\n  gpu.wait [%f]\n"
        "  %g = gpu.dealloc async [%a] %d : memref<8xi32>\n  gpu.wait [%g]\n  return\n}\n"
    )
    report, log = launch(text, environment={"FAKE_CUDA_DEVICES": "2"}, profile=True)
    assert report.outcome == "ok", report
    assert [o.label for o in report.operations if o.lane == "stream 1"] == ["memset"]
    assert names(log)[-1] != "cuCtxSetCurrent"
    assert names(log).count("cuCtxSynchronize") == 2


AGAIN = TEXTS["AGAIN"]


def test_a_destroyed_stream_is_known_though_another_was_created_since(launch: Launch) -> None:
    report, log = launch(AGAIN)
    assert [(f.name, f.place.line) for f in report.findings] == [("use-after-stream-destroy", 10)]
    assert names(log).count("cuStreamDestroy") == 2


def test_an_unloaded_module_is_used_no_more(launch: Launch) -> None:
    report, log = launch(UNLOADED)
    lines = UNLOADED.splitlines()
    told = [(f.name, lines[f.place.line - 1].split("@")[1].split("(")[0]) for f in report.findings]
    assert told == [
        ("use-after-function-destroy", "mgpuLaunchKernel"),
        ("use-after-module-destroy", "mgpuModuleGetFunction"),
        ("use-after-module-destroy", "mgpuModuleUnload"),
    ]
    assert all("mgpuModuleUnload(%m) : (!llvm.ptr) -> () // once" in lines[f.related[0].place.line - 1]
               for f in report.findings)  # fmt: skip
    assert names(log).count("cuLaunchKernel") == 1
    assert names(log).count("cuModuleUnload") == 2, "the program's, and the one that its lowering loads"


@pytest.mark.parametrize("call", [1, 4])
def test_a_launch_that_the_driver_refuses_is_told_at_its_line(launch: Launch, call: int) -> None:
    report, _ = launch(MANY, environment={"FAKE_CUDA_FAIL": f"cuLaunchKernel=701@{call}"})
    findings = [f for f in report.findings if f.name == "cuda-error"]
    assert {f.place.line for f in findings} == {10, 12}
    assert "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES" in findings[0].message
    sticky, _ = launch(MANY, environment={"FAKE_CUDA_FAIL": f"cuLaunchKernel=700@{call}"})
    (finding,) = [f for f in sticky.findings if f.name == "cuda-error"]
    assert finding.related[0].place.line == finding.place.line == (10 if call == 1 else 12)


@pytest.mark.slow
def test_the_benchmark_makes_its_calls_to_the_end(
    fake_libcuda: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The figures have no meaning with the fake driver."""
    monkeypatch.setenv("LD_LIBRARY_PATH", str(fake_libcuda))
    code = "import benchmarks.gpu_overhead as b; b.ROUNDS = 1; b.main()"
    command = [sys.executable, "-c", code]
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, timeout=240, check=False)
    assert done.returncode == 0, done.stderr
    assert [line.split(":")[0] for line in done.stdout.splitlines()] == [
        "1000 launches",
        "1000 launches",
        "copy host to device, 256 MiB",
        "copy device to device, 256 MiB",
        "copy device to host, 256 MiB",
        "two kernels of 4 blocks (8 multiprocessors)",
    ]


def test_profile_reads_events_around_operations(launch: Launch) -> None:
    report, log = launch(SAXPY.text, profile=True)
    timed = {o.label: o for o in report.operations if o.lane != "host"}
    assert timed["copy"].duration == pytest.approx(500)
    assert timed["copy"].bytes == 4000
    assert any(label.startswith("kernel @main_kernel::@main_kernel") for label in timed)
    assert "cuEventElapsedTime" in names(log)
    kernel = next(o for o in report.operations if o.label.startswith("kernel"))
    assert [report.operations[each].label for each in kernel.after] == ["copy"]
    wait = next(o for o in report.operations if o.label.startswith("wait for stream"))
    assert wait.after, "it waits for what is on its stream"


def test_sync_waits_after_every_operation(launch: Launch) -> None:
    _, log = launch(SAXPY.text, synchronous=True)
    calls = names(log)
    for position, name in enumerate(calls):
        if name in ("cuMemcpyAsync", "cuLaunchKernel"):
            assert calls[position + 1] == "cuStreamSynchronize"


def test_an_error_is_told_at_its_line(launch: Launch) -> None:
    report, _ = launch(SAXPY.text, environment={"FAKE_CUDA_FAIL": "cuMemcpyAsync=1"})
    assert report.outcome == "findings"
    finding = report.findings[0]
    assert finding.name == "cuda-error"
    assert "CUDA_ERROR_INVALID_VALUE" in finding.message
    lines = SAXPY.text.splitlines()
    assert "gpu.memcpy" in lines[finding.place.line - 1]


def test_a_sticky_error_names_the_launch_and_sync(launch: Launch) -> None:
    report, _ = launch(SAXPY.text, environment={"FAKE_CUDA_FAIL": "cuStreamSynchronize=700"})
    finding = next(f for f in report.findings if f.name == "cuda-error")
    assert "CUDA_ERROR_ILLEGAL_ADDRESS" in finding.message
    assert "with sync, which waits after each operation" in finding.message
    lines = SAXPY.text.splitlines()
    assert "gpu.wait" in lines[finding.place.line - 1]
    assert "gpu.launch" in lines[finding.related[0].place.line - 1]


def test_the_yield_bug_is_told_before_the_driver_sees_it(launch: Launch) -> None:
    text = (FIXTURES / "async_yield.mlir").read_text()
    report, log = launch(text, 22)
    assert "stream-taken-for-event" in {f.name for f in report.findings}
    assert "cuEventSynchronize" not in names(log)
    clean, log = launch(text, 24)
    assert "stream-taken-for-event" not in {f.name for f in clean.findings}
    assert "cuEventSynchronize" in names(log)


def test_a_function_that_the_driver_is_too_old_for_is_told(launch: Launch) -> None:
    """The program continues without the function, gets null from all later calls, even malloc, and
    crashes."""
    report, _ = launch(
        (FIXTURES.parent / "run_examples" / "shuffle.mlir").read_text("utf-8"),
        environment={"FAKE_CUDA_LACKS": "cuModuleLoadDataEx"},
    )
    assert report.outcome == "error"
    assert "cuModuleLoadDataEx" in report.message


def test_running_out_of_memory_is_told(launch: Launch) -> None:
    text = """
func.func @main() {
  %t = gpu.wait async
  %d, %t1 = gpu.alloc async [%t] () : memref<26843545600xf32>
  %t2 = gpu.dealloc async [%t1] %d : memref<26843545600xf32>
  gpu.wait [%t2]
  return
}
"""
    report, _ = launch(text)
    assert "CUDA_ERROR_OUT_OF_MEMORY" in report.findings[0].message
    assert report.findings[0].place.line == 4


def test_a_machine_without_a_gpu_says_so_and_auto_takes_the_cpu(launch: Launch) -> None:
    report, _ = launch(SAXPY.text, environment={"FAKE_CUDA_DEVICES": "0"})
    assert report.outcome == "refused"
    assert report.exit_code == 2
    assert report.message.startswith("there is no NVIDIA GPU on this machine: run on the device cpu")


@pytest.mark.parametrize(
    ("environment", "said"),
    [
        ({"FAKE_CUDA_FAIL": "cuInit=803"}, "cannot be initialized: CUDA_ERROR_SYSTEM_DRIVER_MISMATCH"),
        ({"FAKE_CUDA_FAIL": "cuInit=100"}, "there is no NVIDIA GPU on this machine"),
        ({"FAKE_CUDA_FAIL": "cuInit=34"}, "libcuda.so.1 is the stub for linking, not the driver"),
        ({"FAKE_CUDA_FAIL": "cuInit=54321"}, "cannot be initialized: CUDA error 54321"),
        ({"FAKE_CUDA_FAIL": "cuInit=100", "CUDA_VISIBLE_DEVICES": "-1"}, "CUDA_VISIBLE_DEVICES=-1 shows no "),
        ({"FAKE_CUDA_FAIL": "cuDevicePrimaryCtxRetain=46"}, "another process uses the GPU exclusively"),
        ({"FAKE_CUDA_LACKS": "cuInit"}, "the NVIDIA driver for CUDA 13.0 is too old for cuda-python"),
        ({"FAKE_CUDA_LACKS": "cuDevicePrimaryCtxRetain"}, "is too old for cuda-python"),
        ({"FAKE_CUDA_DEVICES": "0"}, "there is no NVIDIA GPU on this machine"),
    ],
)
def test_a_driver_that_is_of_no_use_is_told_as_what_it_is(
    launch: Launch, environment: dict[str, str], said: str
) -> None:
    refused, _ = launch(SAXPY.text, environment=environment)
    assert refused.outcome == "refused"
    assert said in refused.message
    report, _ = launch(SAXPY.text, environment=environment, device="auto")
    assert (report.outcome, report.device) == ("ok", "cpu")
    assert report.message.startswith("it ran on the CPU because ")
    assert said in report.message


@pytest.mark.parametrize("content", [b"not a library\n" * 9, b"\x7fELF\1\1\1" + bytes(200)])
def test_a_library_that_cannot_be_loaded_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes
) -> None:
    (tmp_path / "libcuda.so.1").write_bytes(content)
    monkeypatch.setenv("LD_LIBRARY_PATH", str(tmp_path))
    prepared = prepare(SAXPY.text, 24)
    report = Run(prepared.program, RunOptions(device="auto"), prepared.place_of).wait(60)
    assert (report.outcome, report.device) == ("ok", "cpu")
    assert re.search(r"because the NVIDIA driver cannot be loaded: \S*libcuda\.so\.1: \w", report.message)


def test_ptx_that_is_newer_than_the_driver_is_told_with_both_versions(launch: Launch) -> None:
    report, _ = launch(SAXPY.text, environment={"FAKE_CUDA_VERSION": "11000"})
    assert report.findings[0].message.endswith("(@main_kernel): PTX 7.8, and a driver for CUDA 11.0")


def test_times_of_an_old_driver_are_refused_with_what_to_do(launch: Launch) -> None:
    old = {"FAKE_CUDA_VERSION": "12040"}
    refused, _ = launch(SAXPY.text, environment=old, profile=True)
    if cuda_bindings_version.startswith("12."):
        assert refused.outcome == "ok"
        return
    assert refused.outcome == "refused", refused
    assert "profiling needs a driver for CUDA 12.8, and this one is for CUDA 12.4" in refused.message
    assert launch(SAXPY.text, environment=old)[0].outcome == "ok"


def test_the_words_of_an_assertion_are_told(launch: Launch) -> None:
    report, _ = launch(MANY, environment={"FAKE_CUDA_FAULT": "710@3"})
    (finding,) = [f for f in report.findings if f.level == "error"]
    assert finding.message.startswith(
        "the assertion 'five is out' fails in thread (5, 0, 0) of block (0, 0, 0): cuStreamSynchronize"
    )
    assert "CUDA_ERROR_ASSERT" in finding.message


@pytest.mark.parametrize("synchronous", [False, True])
def test_a_kernel_that_fails_is_told_once_where_it_shows(launch: Launch, synchronous: bool) -> None:
    report, _ = launch(MANY, environment={"FAKE_CUDA_FAULT": "700@3"}, synchronous=synchronous)
    (finding,) = [f for f in report.findings if f.level == "error"]
    line = MANY.splitlines()[finding.place.line - 1]
    assert ("gpu.launch_func" if synchronous else "gpu.wait [%s]") in line
    assert "CUDA_ERROR_ILLEGAL_ADDRESS" in finding.message


@pytest.mark.parametrize(
    ("old", "new"),
    [("(%n, %c1, %c1)", "(%c0, %c1, %c1)"), ("(%c1, %c1, %n)", "(%big, %c1, %c1)")],
)
def test_a_launch_of_a_bad_size_is_no_bad_pointer(launch: Launch, old: str, new: str) -> None:
    text = MANY.replace(old, new, 1).replace("%n =", "%big = arith.constant 2048 : index\n    %n =")
    report, _ = launch(text)
    finding = next(f for f in report.findings if f.name == "cuda-error")
    assert "a size of the grid, block or cluster is 0 or over the device's limit" in finding.message


REGISTERS = """
func.func private @malloc(index) -> !llvm.ptr
func.func @main(%x: memref<16xf32>, %n: index) {
  %a = memref.alloc() : memref<16xf32>
  %b = memref.alloc() : memref<16xf32>
  %ua = memref.cast %a : memref<16xf32> to memref<*xf32>
  %ub = memref.cast %b : memref<16xf32> to memref<*xf32>
  %ux = memref.cast %x : memref<16xf32> to memref<*xf32>
  gpu.host_register %ua : memref<*xf32>
  gpu.host_register %ub : memref<*xf32>
  gpu.host_register %ux : memref<*xf32>
  gpu.host_unregister %ua : memref<*xf32>
  gpu.host_register %ua : memref<*xf32>
  gpu.host_unregister %ub : memref<*xf32>
  gpu.host_unregister %ua : memref<*xf32>
  gpu.host_unregister %ux : memref<*xf32>
  memref.dealloc %a : memref<16xf32>
  memref.dealloc %b : memref<16xf32>
  return
}
""".replace("func.func private @malloc(index) -> !llvm.ptr\n", "")


@pytest.mark.parametrize("shared", [False, True])
def test_buffers_of_one_page_and_managed_arguments_are_registered(launch: Launch, shared: bool) -> None:
    report, log = launch(REGISTERS, shared_arguments=shared)
    assert report.findings == (), report
    assert run_on_cpu(REGISTERS, 24, shared_arguments=shared).findings == (), "the CPU does the same"
    calls = names(log)
    assert calls.count("cuMemHostUnregister") <= calls.count("cuMemHostRegister")
    assert (
        misuses([line for line in log if "HostRegister" not in line and "HostUnregister" not in line])[0]
        == []
    )


def test_registering_twice_is_told(launch: Launch) -> None:
    text = REGISTERS.replace("host_register %ub", "host_register %ua").replace(
        "  gpu.host_unregister %ub : memref<*xf32>\n", ""
    )
    report, _ = launch(text)
    assert "CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED" in report.findings[0].message


def test_managed_memory_that_is_not_there_is_refused(launch: Launch) -> None:
    report, _ = launch(SAXPY.text, environment={"FAKE_CUDA_MANAGED": "0"}, shared_arguments=True)
    assert report.outcome == "refused"
    assert "this GPU has no managed memory" in report.message


def test_the_host_waits_before_it_looks_where_it_must(launch: Launch) -> None:
    text = "func.func @main(%x: memref<4xf32>) {\n  %s = gpu.wait async\n  return\n}\n"
    count = [
        names(launch(text, environment={"FAKE_CUDA_CONCURRENT": each}, shared_arguments=True)[1]).count(
            "cuCtxSynchronize"
        )
        for each in ("1", "0")
    ]
    assert count == [1, 2]


@pytest.mark.parametrize(
    ("ptx", "chip", "said"),
    [
        (PTX.replace("ret;", "nonsense;"), "80", "CUDA_ERROR_INVALID_PTX"),
        (PTX.replace("7.8", "9.9"), "80", "CUDA_ERROR_UNSUPPORTED_PTX_VERSION"),
        (PTX.replace("sm_80", "sm_90"), "80", "CUDA_ERROR_NO_BINARY_FOR_GPU"),
        ("nothing", "80", "CUDA_ERROR_INVALID_IMAGE"),
    ],
)
def test_an_image_that_the_device_cannot_load_is_told(launch: Launch, ptx: str, chip: str, said: str) -> None:
    text = BINARY.replace("FORM", "assembly").replace("CONTENT", ptx)
    report, _ = launch(text, environment={"FAKE_CUDA_CHIP": chip})
    (finding,) = report.findings
    assert said in finding.message
    assert "no kernel was launched" not in report.message


def test_a_kernel_that_calls_an_undefined_function_is_refused(launch: Launch) -> None:
    report, _ = launch(TEXTS["UNDEFINED"])
    assert (report.outcome, report.message) == (
        "refused",
        "a kernel of @k calls @other, which is not defined",
    )


@pytest.mark.parametrize("chip", ["75", "80", "90", "100", "120"])
def test_kernels_load_on_each_chip(launch: Launch, chip: str) -> None:
    """Kernels are assembled for the chip of the driver."""
    report, _ = launch(SAXPY.text, environment={"FAKE_CUDA_CHIP": chip})
    assert (report.outcome, report.device) == ("ok", f"cuda (Fake GPU, sm_{chip})")


@pytest.mark.slow
def test_the_check_of_a_gpu_runs_to_its_end(fake_libcuda: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels have no effects and no faults here, so checks of these fail, and the others pass."""
    monkeypatch.setenv("LD_LIBRARY_PATH", str(fake_libcuda))
    monkeypatch.setenv("FAKE_CUDA_PTXAS", str(all_ptxas()[-1].path))
    code = (
        "import sys, tests.gpu_check as c; c.PROGRAMS, c.BUDGET = c.PROGRAMS[:1], 900.0; sys.exit(c.main())"
    )
    root = Path(__file__).resolve().parents[2]
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, timeout=900, check=False)
    lines = [line.split(" ", 1) for line in done.stdout.splitlines()]
    failed = [words[1] for words in lines if words[0] == "FAIL"]
    of_kernels = (
        "a bulk copy",
        "a bad address",
        "a lost context",
        "an endless kernel",
        "no device is visible",
        "program ",
    )
    assert all(each.startswith(of_kernels) for each in failed), done.stdout
    assert any(each.startswith("program ") for each in failed), done.stdout
    assert (done.returncode, len(lines) > 20) == (1, True)
    assert "SKIP" not in done.stdout


def test_a_missing_driver_is_one_clear_sentence() -> None:
    if shutil.which("nvidia-smi"):
        pytest.skip("this machine has a driver")
    prepared = prepare(SAXPY.text, 24)
    report = Run(prepared.program, RunOptions(device="cuda"), prepared.place_of).wait(60)
    assert report.outcome == "refused"
    assert report.message.startswith("there is no NVIDIA driver on this machine: run on the device cpu")
    report = Run(prepared.program, RunOptions(device="auto"), prepared.place_of).wait(60)
    assert (report.outcome, report.device) == ("ok", "cpu")


EXAMPLES = FIXTURES.parents[2] / "examples"
KEPT = {"module", "function", "managed buffer"}
"""Objects that may outlive a run: a module's kernels are loaded once, and the arguments belong to the
caller."""


def run_example(launch: Launch, example: Path) -> tuple[RunReport, list[str]]:
    text = example.read_text("utf-8")
    told = re.search(r"// gpuasync: llvm=(\d+)", text)
    return launch(text, version=int(told[1]) if told else 22, shared_arguments=True)


@pytest.mark.parametrize("example", sorted(EXAMPLES.glob("sound/*.mlir")), ids=lambda path: path.stem)
def test_examples_use_and_end_what_they_have_made(launch: Launch, example: Path) -> None:
    """Each stream, event and buffer is destroyed once, and not used afterwards."""
    report, log = run_example(launch, example)
    assert report.outcome == "ok", report
    wrong, alive = misuses(log)
    assert wrong == []
    assert {kind for kind, _ in alive} <= KEPT
    assert any(name in MAKES for name in names(log))


@pytest.mark.slow
@pytest.mark.parametrize("example", ["destroyed_twice", "leaking_join", "yielded_stream"])
def test_the_driver_sees_no_misuse_of_broken_examples(launch: Launch, example: str) -> None:
    """For the broken examples that lower: calls that the driver would reject are reported and not made."""
    report, log = run_example(launch, EXAMPLES / "broken" / f"{example}.mlir")
    assert report.outcome in ("ok", "findings"), report
    wrong, alive = misuses(log)
    assert wrong == []
    assert any(name in MAKES for name in names(log))
    if {kind for kind, _ in alive} - KEPT:
        assert any(finding.name.startswith("leaked") for finding in report.findings), (alive, report.findings)


def test_misuses_are_seen() -> None:
    made = ["cuStreamCreate 10 1", "cuEventCreate 20 2", "cuEventRecord 20 10", "cuStreamDestroy 10"]
    wrong, alive = misuses(
        [*made, "cuStreamWaitEvent 20 10", "cuStreamSynchronize 10", "cuStreamSynchronize 0"]
    )
    assert wrong == [
        "cuStreamWaitEvent 20 10: no such stream",
        "cuStreamWaitEvent 20 10: no such event",
        "cuStreamSynchronize 10: no such stream",
    ]
    assert alive == {("event", "20")}
