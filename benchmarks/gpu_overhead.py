"""Figures of the CUDA runtime on a real GPU, compared with plain cuda-python code that makes the same calls.

    python benchmarks/gpu_overhead.py

prints launch overhead (1,000 launches), copy bandwidth, and the overlap of two half-GPU kernels on two
streams.
"""

from __future__ import annotations

import ctypes
import statistics
import time
from collections.abc import Callable
from typing import Any

from gpuasync_lsp.exec import Run, RunOptions, RunReport
from gpuasync_lsp.exec.prepare import prepare
from gpuasync_lsp.exec.worker.cuda.driver import open_driver
from gpuasync_lsp.exec.worker.cuda.ptx import to_ptx

LAUNCHES = 1000
ROUNDS = 3
COPY = 256 << 20

LAUNCH = f"""
module attributes {{gpu.container_module}} {{
  func.func @main(%x: memref<1xi32>) {{
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %n = arith.constant {LAUNCHES} : index
    %s = gpu.wait async
    scf.for %i = %c0 to %n step %c1 {{
      %t = gpu.launch_func async [%s] @k::@f blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
          args(%x : memref<1xi32>)
    }}
    gpu.wait [%s]
    return
  }}
  gpu.module @k {{
    gpu.func @f(%x: memref<1xi32>) kernel {{
      gpu.return
    }}
  }}
}}
"""

COPIES = f"""
func.func @main(%x: memref<{COPY}xi8>) {{
  %u = memref.cast %x : memref<{COPY}xi8> to memref<*xi8>
  gpu.host_register %u : memref<*xi8>
  %s = gpu.wait async
  %d, %s1 = gpu.alloc async [%s] () : memref<{COPY}xi8>
  %e, %s2 = gpu.alloc async [%s1] () : memref<{COPY}xi8>
  %s3 = gpu.memcpy async [%s2] %d, %x : memref<{COPY}xi8>, memref<{COPY}xi8>
  %s4 = gpu.memcpy async [%s3] %e, %d : memref<{COPY}xi8>, memref<{COPY}xi8>
  %s5 = gpu.memcpy async [%s4] %x, %e : memref<{COPY}xi8>, memref<{COPY}xi8>
  gpu.wait [%s5]
  %t = gpu.wait async
  %t1 = gpu.dealloc async [%t] %d : memref<{COPY}xi8>
  %t2 = gpu.dealloc async [%t1] %e : memref<{COPY}xi8>
  gpu.wait [%t2]
  gpu.host_unregister %u : memref<*xi8>
  return
}}
"""


def overlap_program(second_stream: str, blocks: int, rounds: int = 4_000_000) -> str:
    """Return a program with two kernels of `blocks` blocks each, the second on `second_stream`."""
    return f"""
module attributes {{gpu.container_module}} {{
  func.func @main() {{
    %c1 = arith.constant 1 : index
    %blocks = arith.constant {blocks} : index
    %threads = arith.constant 1024 : index
    %s = gpu.wait async
    %t = gpu.wait async
    %a = gpu.alloc () : memref<{blocks * 1024}xf32>
    %b = gpu.alloc () : memref<{blocks * 1024}xf32>
    %s1 = gpu.launch_func async [%s] @k::@f blocks in (%blocks, %c1, %c1) threads in (%threads, %c1, %c1)
        args(%a : memref<{blocks * 1024}xf32>)
    %t1 = gpu.launch_func async [{second_stream}] @k::@f
        blocks in (%blocks, %c1, %c1) threads in (%threads, %c1, %c1)
        args(%b : memref<{blocks * 1024}xf32>)
    gpu.wait [%s]
    gpu.wait [%t]
    gpu.dealloc %a : memref<{blocks * 1024}xf32>
    gpu.dealloc %b : memref<{blocks * 1024}xf32>
    return
  }}
  gpu.module @k {{
    gpu.func @f(%x: memref<{blocks * 1024}xf32>) kernel {{
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %n = arith.constant {rounds} : index
      %i = gpu.global_id x
      %m = arith.constant 1.0001 : f32
      %z = arith.constant 1.0 : f32
      %r = scf.for %k = %c0 to %n step %c1 iter_args(%v = %z) -> (f32) {{
        %p = arith.mulf %v, %m : f32
        %q = arith.addf %p, %z : f32
        scf.yield %q : f32
      }}
      memref.store %r, %x[%i] : memref<{blocks * 1024}xf32>
      gpu.return
    }}
  }}
}}
"""


def main() -> None:
    driver, missing = open_driver()
    if driver is None:
        raise SystemExit(missing)
    launch_overhead(driver)
    copy_bandwidth(driver)
    stream_overlap(driver)


def launch_overhead(driver: Any) -> None:
    """Print the time of 1,000 launches: by this package, and by plain cuda-python in two styles."""
    ours = statistics.median(run(LAUNCH, shared_arguments=True).seconds for _ in range(ROUNDS))
    device = plain_context(driver)
    kernel = prepare(LAUNCH, 24).program.kernels[0]
    assert kernel.ir is not None
    module = checked(driver.cuModuleLoadData(to_ptx(kernel.ir, device).encode() + b"\0"))
    values = (0, 0, 0, 1, 1)
    types = (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64, ctypes.c_int64)
    slots = [kind(value) for kind, value in zip(types, values, strict=True)]
    pointers = (ctypes.c_void_p * len(slots))(*(ctypes.addressof(slot) for slot in slots))
    ready = ctypes.addressof(pointers)

    def with_tuple(function: Any, stream: Any) -> None:
        for _ in range(LAUNCHES):
            checked(driver.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, (values, types), 0))

    def with_pointer(function: Any, stream: Any) -> None:
        for _ in range(LAUNCHES):
            checked(driver.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, ready, 0))

    def plain(body: Callable[[Any, Any], None]) -> float:
        start = time.perf_counter()
        stream = checked(driver.cuStreamCreate(driver.CUstream_flags.CU_STREAM_NON_BLOCKING))
        body(checked(driver.cuModuleGetFunction(module, b"f")), stream)
        checked(driver.cuStreamSynchronize(stream))
        checked(driver.cuStreamDestroy(stream))
        return time.perf_counter() - start

    for name, body in (("argument tuples", with_tuple), ("ready pointers", with_pointer)):
        other = statistics.median(plain(body) for _ in range(ROUNDS))
        print(
            f"{LAUNCHES} launches: ours {ours * 1e3:.2f} ms ({ours / LAUNCHES * 1e6:.2f} us each), plain "
            f"cuda-python with {name} {other * 1e3:.2f} ms, ratio {ours / other:.2f} (goal: at most 1.10)"
        )


def copy_bandwidth(driver: Any) -> None:
    """Print GB/s of 256 MiB copies between pinned host memory and the device, and on the device."""
    report = run(COPIES, profile=True, arguments=(("x", "zeros"),))
    ours = [operation.bandwidth for operation in report.operations if operation.label == "copy"]
    plain_context(driver)
    host = checked(driver.cuMemAllocHost(COPY))
    one, two = checked(driver.cuMemAlloc(COPY)), checked(driver.cuMemAlloc(COPY))
    stream = checked(driver.cuStreamCreate(driver.CUstream_flags.CU_STREAM_NON_BLOCKING))
    plain: list[float] = []
    for target, source in ((one, host), (two, one), (host, two)):
        begin, end = checked(driver.cuEventCreate(0)), checked(driver.cuEventCreate(0))
        checked(driver.cuEventRecord(begin, stream))
        checked(driver.cuMemcpyAsync(int(target), int(source), COPY, stream))
        checked(driver.cuEventRecord(end, stream))
        checked(driver.cuStreamSynchronize(stream))
        plain.append(COPY / checked(driver.cuEventElapsedTime(begin, end)) / 1e6)
    for name, left, right in zip(
        ("host to device", "device to device", "device to host"), ours, plain, strict=True
    ):
        print(f"copy {name}, {COPY >> 20} MiB: ours {left:.1f} GB/s, plain {right:.1f} GB/s")


def stream_overlap(driver: Any) -> None:
    """Print the time of two kernels that use half the GPU each, on one stream and on two."""
    plain_context(driver)
    count = driver.CUdevice_attribute.CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT
    processors = checked(driver.cuDeviceGetAttribute(count, 0))
    blocks = processors // 2
    serial = statistics.median(waited(overlap_program("%s1", blocks)) for _ in range(ROUNDS))
    parallel = statistics.median(waited(overlap_program("%t", blocks)) for _ in range(ROUNDS))
    print(
        f"two kernels of {blocks} blocks ({processors} multiprocessors): one stream {serial * 1e3:.1f} ms, "
        f"two streams {parallel * 1e3:.1f} ms, speed-up {serial / parallel:.2f} (goal: at least 1.8)"
    )


def waited(text: str) -> float:
    """Run a program; return the seconds for which the host waited for streams."""
    report = run(text)
    return sum(o.duration for o in report.operations if o.label.startswith("wait")) / 1e6


def run(text: str, **options: Any) -> RunReport:
    prepared = prepare(text, 24)
    report = Run(prepared.program, RunOptions(device="cuda", timeout=120, **options), prepared.place_of).wait(
        200
    )
    assert report.outcome in ("ok", "findings"), report
    return report


def plain_context(driver: Any) -> str:
    """Make the primary context current; return the device's architecture."""
    device = checked(driver.cuDeviceGet(0))
    checked(driver.cuCtxSetCurrent(checked(driver.cuDevicePrimaryCtxRetain(device))))
    names = driver.CUdevice_attribute
    major, minor = (
        checked(driver.cuDeviceGetAttribute(name, device))
        for name in (
            names.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR,
            names.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR,
        )
    )
    return f"sm_{major}{minor}"


def checked(result: tuple[Any, ...]) -> Any:
    error, *values = result
    if error:
        raise SystemExit(f"the driver says {error}")
    return values[0] if values else None


if __name__ == "__main__":
    main()
