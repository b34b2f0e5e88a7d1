"""The fake driver rejects a misuse of each call with the code that the CUDA driver API documents."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SET_UP = """
import ctypes, mmap, sys
cuda = ctypes.CDLL(sys.argv[1])
H, I, Z = ctypes.c_void_p, ctypes.c_int, ctypes.c_size_t
def made(name, *arguments, type=H):
    it = type()
    code = getattr(cuda, name)(ctypes.byref(it), *arguments)
    assert code == 0, (name, code)
    return it
def code(name, *arguments):
    return getattr(cuda, name)(*[H(a) if isinstance(a, int) and a > 2**31 - 1 else a for a in arguments])
out, word = ctypes.byref(H()), ctypes.byref(I())
PTX = b".version 7.8\\n.target sm_80\\n.address_size 64\\n.visible .entry f() { ret; }"
if "early" not in sys.argv[3]:
    cuda.cuInit(0)
    device = made("cuDeviceGet", 0, type=I)
    cuda.cuCtxSetCurrent(made("cuDevicePrimaryCtxRetain", device))
    stream, event = made("cuStreamCreate", 1), made("cuEventCreate", 0)
    module = made("cuModuleLoadData", PTX)
    function = made("cuModuleGetFunction", module, b"f")
    buffer, managed = made("cuMemAlloc", Z(64)), made("cuMemAllocManaged", Z(64), 1)
    pages = ctypes.addressof(ctypes.c_char.from_buffer(mmap.mmap(-1, 8192)))
def launch(g=1, b=1, shared=0, s=None):
    return code("cuLaunchKernel", function, g, 1, 1, b, 1, 1, shared, s or stream, None, None)
class Attribute(ctypes.Structure):
    _fields_ = [("id", I), ("pad", I), ("size", ctypes.c_uint * 3), ("rest", ctypes.c_char * 52)]
class Config(ctypes.Structure):
    _fields_ = [("sizes", ctypes.c_uint * 6), ("shared", I), ("stream", H), ("attributes", H), ("count", I)]
def clusters(g, c):
    attribute = Attribute(4, 0, (ctypes.c_uint * 3)(c, 1, 1))
    config = Config((ctypes.c_uint * 6)(g, 1, 1, 1, 1, 1), 0, stream, ctypes.addressof(attribute), 1)
    return code("cuLaunchKernelEx", ctypes.byref(config), function, None, None)
def elsewhere():
    context = made("cuDevicePrimaryCtxRetain", 1)
    cuda.cuCtxSetCurrent(context)
    return made("cuStreamCreate", 1)
print(eval(sys.argv[2]))
"""
# fmt: off
MISUSES = [
    ("cuInit", "code('cuInit', 1)", 1),
    ("a call before cuInit", "code('cuCtxSynchronize') if 'early' else 0", 3),
    ("cuDeviceGet", "code('cuDeviceGet', word, 7)", 101),
    ("cuDeviceGetName", "code('cuDeviceGetName', ctypes.create_string_buffer(9), 9, 7)", 101),
    ("cuDeviceGetAttribute", "code('cuDeviceGetAttribute', word, 9999, 0)", 1),
    ("cuDevicePrimaryCtxRetain", "code('cuDevicePrimaryCtxRetain', out, 7)", 101),
    ("cuCtxSetCurrent", "code('cuCtxSetCurrent', H(0x999))", 201),
    ("no context", "(code('cuCtxSetCurrent', None), code('cuStreamCreate', out, 1))[1]", 201),
    ("cuStreamCreate", "code('cuStreamCreate', out, 9)", 1),
    ("cuStreamDestroy", "code('cuStreamDestroy', event)", 400),
    ("destroyed stream", "(code('cuStreamDestroy', stream), code('cuStreamSynchronize', stream))[1]", 400),
    ("cuStreamWaitEvent", "code('cuStreamWaitEvent', stream, stream, 0)", 400),
    ("cuEventCreate", "code('cuEventCreate', out, 64)", 1),
    ("cuEventDestroy twice", "[code('cuEventDestroy', event) for _ in '12'][1]", 400),
    ("cuEventRecord", "code('cuEventRecord', stream, stream)", 400),
    ("cuEventSynchronize", "code('cuEventSynchronize', stream)", 400),
    ("cuEventElapsedTime unrecorded", "code('cuEventElapsedTime', out, event, event)", 400),
    (
        "cuEventElapsedTime untimed",
        "(e := made('cuEventCreate', 2), code('cuEventRecord', e, stream), "
        "code('cuEventSynchronize', e), code('cuEventElapsedTime', out, e, e))[-1]",
        400,
    ),
    (
        "cuEventElapsedTime early",
        "(code('cuEventRecord', event, stream), code('cuEventElapsedTime', out, event, event))[-1]",
        600,
    ),
    ("cuMemAlloc", "code('cuMemAlloc', out, Z(0))", 1),
    ("cuMemAlloc of a terabyte", "code('cuMemAlloc', out, Z(1 << 40))", 2),
    ("cuMemAllocManaged", "code('cuMemAllocManaged', out, Z(64), 0)", 1),
    ("cuMemFree twice", "[code('cuMemFree', buffer) for _ in '12'][1]", 1),
    ("cuMemFree inside", "code('cuMemFree', buffer.value + 4)", 1),
    ("cuMemcpyAsync over the end", "code('cuMemcpyAsync', buffer, managed, Z(65), stream)", 1),
    ("cuMemcpyAsync stream", "code('cuMemcpyAsync', buffer, managed, Z(64), event)", 400),
    ("cuMemsetD32Async host", "code('cuMemsetD32Async', pages, 0, Z(1), stream)", 1),
    ("cuMemsetD32Async odd", "code('cuMemsetD32Async', buffer.value + 2, 0, Z(1), stream)", 1),
    ("cuMemsetD16Async over", "code('cuMemsetD16Async', buffer, 0, Z(33), stream)", 1),
    ("cuMemHostRegister nothing", "code('cuMemHostRegister', pages, Z(0), 0)", 1),
    ("cuMemHostRegister managed", "code('cuMemHostRegister', managed, Z(8), 0)", 1),
    (
        "cuMemHostRegister of one page",
        "[code('cuMemHostRegister', pages + n, Z(8), 0) for n in (0, 8)][1]",
        712,
    ),
    ("cuMemHostUnregister", "code('cuMemHostUnregister', pages)", 713),
    ("cuModuleLoadData", "code('cuModuleLoadData', out, b'nothing')", 200),
    ("PTX of the future", "code('cuModuleLoadData', out, PTX.replace(b'7.8', b'9.9'))", 222),
    ("PTX for a newer chip", "code('cuModuleLoadData', out, PTX.replace(b'sm_80', b'sm_120'))", 209),
    ("PTX for one other chip", "code('cuModuleLoadData', out, PTX.replace(b'sm_80', b'sm_80a'))", 209),
    ("cuModuleGetFunction", "code('cuModuleGetFunction', out, module, b'g')", 500),
    ("cuModuleGetFunction module", "code('cuModuleGetFunction', out, stream, b'f')", 400),
    ("cuModuleUnload", "(code('cuModuleUnload', module), launch())[1]", 400),
    ("cuFuncSetAttribute", "code('cuFuncSetAttribute', function, 8, 300000)", 1),
    ("cuFuncGetAttribute", "code('cuFuncGetAttribute', word, 8, stream)", 400),
    ("cuLaunchKernel empty grid", "launch(g=0)", 1),
    ("cuLaunchKernel 2,048 threads", "launch(b=2048)", 1),
    ("cuLaunchKernel shared memory", "launch(shared=50000)", 1),
    ("cuLaunchKernel stream", "launch(s=event)", 400),
    ("a copy to null", "code('cuMemcpyAsync', None, managed, Z(8), stream)", 1),
    ("a copy from a freed buffer",
     "(code('cuMemFree', buffer), code('cuMemcpyAsync', managed, buffer, Z(8), stream))[1]", 1),
    ("a wait with unknown flags", "code('cuStreamWaitEvent', stream, event, 5)", 1),
    ("a record on a stream of another context", "code('cuEventRecord', event, elsewhere())", 400),
    ("a launch on a stream of another context", "launch(s=elsewhere())", 400),
    ("a launch of 65,536 rows",
     "code('cuLaunchKernel', function, 1, 65536, 1, 1, 1, 1, 0, stream, None, None)", 1),
    ("a launch with parameters twice",
     "code('cuLaunchKernel', function, 1, 1, 1, 1, 1, 1, 0, stream, out, ctypes.byref(H()))", 1),
    ("a launch without its parameter",
     "(m := made('cuModuleLoadData', PTX.replace(b'f()', b'f(.param .u64 x)')), "
     "f := made('cuModuleGetFunction', m, b'f'), "
     "code('cuLaunchKernel', f, 1, 1, 1, 1, 1, 1, 0, stream, None, None))[-1]", 1),
    ("cuLaunchKernelEx of 16 blocks a cluster", "clusters(16, 16)", 912),
    ("cuLaunchKernelEx of half a cluster", "clusters(3, 2)", 1),
    ("an attribute that cannot be set", "code('cuFuncSetAttribute', function, 1, 1)", 1),
    ("cuModuleLoadData null", "code('cuModuleLoadData', out, None)", 1),
    ("cuMemHostRegister flags", "code('cuMemHostRegister', pages, Z(8), 0x100)", 1),
    ("cuMemHostUnregister inside",
     "(code('cuMemHostRegister', pages, Z(64), 0), code('cuMemHostUnregister', pages + 8))[1]", 713),
    ("cuMemAllocHost", "code('cuMemAllocHost', out, Z(0))", 1),
    ("the null stream is not destroyed", "code('cuStreamDestroy', None)", 400),
    (
        "an error that stays",
        "(launch(), code('cuCtxSynchronize'), code('cuMemAlloc', out, Z(8)))[1:]",
        (700, 700),
    ),
]
SOUND = [
    ("a wait for an event of another context", "code('cuStreamWaitEvent', elsewhere(), event, 0)", 0),
    ("a wait for an event that is not recorded", "code('cuEventSynchronize', event)", 0),
    ("a launch fails late", "(launch(), launch(s=made('cuStreamCreate', 1)))", (0, 0)),
    ("a launch with what it asked for",
     "(code('cuFuncSetAttribute', function, 8, 50000), launch(shared=50000))", (0, 0)),
    ("a copy is late", "(code('cuMemsetD32Async', managed, 7, Z(1), stream), "
     "I.from_address(managed.value).value, code('cuStreamSynchronize', stream), "
     "I.from_address(managed.value).value)", (0, 0, 0, 7)),
    ("another stream waits for an event", "(s := made('cuStreamCreate', 1), "
     "code('cuMemsetD32Async', managed, 7, Z(1), stream), code('cuEventRecord', event, stream), "
     "code('cuStreamWaitEvent', s, event, 0), code('cuStreamSynchronize', s), "
     "I.from_address(managed.value).value)[1:]", (0, 0, 0, 0, 7)),
    ("another stream does not wait", "(s := made('cuStreamCreate', 1), "
     "code('cuMemsetD32Async', managed, 7, Z(1), stream), code('cuStreamSynchronize', s), "
     "I.from_address(managed.value).value)[1:]", (0, 0, 0)),
]
# fmt: on


@pytest.mark.parametrize(
    ("name", "calls", "answer"), MISUSES + SOUND, ids=[each[0] for each in MISUSES + SOUND]
)
def test_the_answer_of_the_driver(
    fake_libcuda: Path, monkeypatch: pytest.MonkeyPatch, name: str, calls: str, answer: object
) -> None:
    monkeypatch.setenv("FAKE_CUDA_DEVICES", "2")
    if "stays" in name:
        monkeypatch.setenv("FAKE_CUDA_FAULT", "700@1")
    command = [sys.executable, "-S", "-c", SET_UP, str(fake_libcuda / "libcuda.so.1"), calls]
    command.append("early" if "before cuInit" in name else "")
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout.strip() == str(answer), done.stderr


def test_each_call_has_a_misuse() -> None:
    source = (Path(__file__).parent / "fake_libcuda" / "fake.c").read_text("utf-8")
    calls = {line.split("(")[0].split()[-1] for line in source.splitlines() if line.startswith("int cu")}
    told = " ".join(f"{name} {each}" for name, each, _ in MISUSES)
    # These have no argument to misuse, or share the code of another.
    passed = {"cuDriverGetVersion", "cuDeviceGetCount", "cuModuleLoadDataEx"}
    passed |= {"cuEventElapsedTime_v2", "cuGetProcAddress", "cuGetProcAddress_v2"}
    assert {each for each in calls - passed if each not in told} == set()
