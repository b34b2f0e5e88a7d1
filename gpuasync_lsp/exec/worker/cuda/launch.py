"""Direct launches from compiled host code to the driver, bypassing Python.

The Python runtime checks each stream, kernel and kernel name once, and records valid ones in tables of 64
entries. For recorded launches, generated code calls the driver; for all others, the runtime.
"""

from __future__ import annotations

import ctypes

from gpuasync_lsp.exec.worker.findings import NO_SITE
from gpuasync_lsp.exec.worker.state import STATE

_PLACES = 64
_NEVER = 1
"""An invalid handle, the initial value of a table's entries."""

FAILED = "gpuasync_launch_failed"
"""The callback for errors returned by the driver."""


class DirectLaunch:
    """The tables of valid handles, and the IR that reads them."""

    def __init__(self, driver_function: int) -> None:
        """`driver_function` is the address of cuLaunchKernel."""
        self._driver_function = driver_function
        self._streams = (ctypes.c_uint64 * _PLACES)()
        self._kernels = (ctypes.c_uint64 * _PLACES)(*[_NEVER] * _PLACES)
        self._limits = (ctypes.c_uint32 * _PLACES)()
        self._names = (ctypes.c_uint64 * (3 * _PLACES))()
        self._site = ctypes.c_int32(NO_SITE)

    @property
    def last_site(self) -> int:
        """The source site of the last launch."""
        return self._site.value

    @last_site.setter
    def last_site(self, site: int) -> None:
        self._site.value = site

    def allow(self, kernel: int, stream: int, shared: int) -> None:
        """Record that `kernel` may run on `stream`, with up to `shared` bytes of dynamic shared memory."""
        self._kernels[kernel >> 4 & _PLACES - 1] = kernel
        self._limits[kernel >> 4 & _PLACES - 1] = shared
        self._streams[stream >> 4 & _PLACES - 1] = stream

    def name(self, module: int, name: int, kernel: int) -> None:
        """Record a kernel of `module`; `name` is the address of the kernel's name."""
        place = 3 * (name & _PLACES - 1)
        self._names[place : place + 3] = [module, name, kernel]

    def forget_stream(self, stream: int) -> None:
        """Remove a destroyed stream."""
        self._streams[stream >> 4 & _PLACES - 1] = 0

    def forget_kernels(self) -> None:
        """Remove all kernels, after a module is unloaded or the device changes."""
        self._kernels[:] = [_NEVER] * _PLACES
        self._names[:] = [0] * (3 * _PLACES)

    def host_code(self, text: str) -> str:
        """Return a host program's IR, changed to use direct launches."""
        if "@mgpuLaunchKernel(" not in text or "@mgpuModuleGetFunction(" not in text:
            return text
        text = text.replace("call void @mgpuLaunchKernel(", "call void @gpuasync_launch(")
        text = text.replace("call ptr @mgpuModuleGetFunction(", "call ptr @gpuasync_kernel(")
        return text + _CODE.format(
            function=self._driver_function,
            streams=ctypes.addressof(self._streams),
            kernels=ctypes.addressof(self._kernels),
            limits=ctypes.addressof(self._limits),
            names=ctypes.addressof(self._names),
            last=ctypes.addressof(self._site),
            site=STATE.site_address,
            mask=_PLACES - 1,
            failed=FAILED,
        )


_CODE = """
declare void @{failed}(i32)
define internal void @gpuasync_launch(ptr %f, i64 %gx, i64 %gy, i64 %gz, i64 %bx, i64 %by, i64 %bz,
    i32 %shared, ptr %s, ptr %parameters, ptr %extra, i64 %count) {{
  %f.n = ptrtoint ptr %f to i64
  %f.h = lshr i64 %f.n, 4
  %f.i = and i64 %f.h, {mask}
  %f.p = getelementptr i64, ptr inttoptr (i64 {kernels} to ptr), i64 %f.i
  %f.k = load i64, ptr %f.p
  %f.ok = icmp eq i64 %f.k, %f.n
  %s.n = ptrtoint ptr %s to i64
  %s.h = lshr i64 %s.n, 4
  %s.i = and i64 %s.h, {mask}
  %s.p = getelementptr i64, ptr inttoptr (i64 {streams} to ptr), i64 %s.i
  %s.k = load i64, ptr %s.p
  %s.ok = icmp eq i64 %s.k, %s.n
  %l.p = getelementptr i32, ptr inttoptr (i64 {limits} to ptr), i64 %f.i
  %l = load i32, ptr %l.p
  %small = icmp ule i32 %shared, %l
  %both = and i1 %f.ok, %s.ok
  %all = and i1 %both, %small
  br i1 %all, label %direct, label %checked
direct:
  %site = load volatile i32, ptr inttoptr (i64 {site} to ptr)
  store volatile i32 %site, ptr inttoptr (i64 {last} to ptr)
  %gx.w = trunc i64 %gx to i32
  %gy.w = trunc i64 %gy to i32
  %gz.w = trunc i64 %gz to i32
  %bx.w = trunc i64 %bx to i32
  %by.w = trunc i64 %by to i32
  %bz.w = trunc i64 %bz to i32
  %result = call i32 inttoptr (i64 {function} to ptr)(ptr %f, i32 %gx.w, i32 %gy.w, i32 %gz.w, i32 %bx.w,
      i32 %by.w, i32 %bz.w, i32 %shared, ptr %s, ptr %parameters, ptr null)
  %good = icmp eq i32 %result, 0
  br i1 %good, label %done, label %bad
bad:
  call void @{failed}(i32 %result)
  ret void
checked:
  call void @mgpuLaunchKernel(ptr %f, i64 %gx, i64 %gy, i64 %gz, i64 %bx, i64 %by, i64 %bz, i32 %shared,
      ptr %s, ptr %parameters, ptr %extra, i64 %count)
  ret void
done:
  ret void
}}
define internal ptr @gpuasync_kernel(ptr %module, ptr %name) {{
  %m = ptrtoint ptr %module to i64
  %n = ptrtoint ptr %name to i64
  %place = and i64 %n, {mask}
  %row = getelementptr [3 x i64], ptr inttoptr (i64 {names} to ptr), i64 %place
  %m.k = load i64, ptr %row
  %n.p = getelementptr i64, ptr %row, i64 1
  %n.k = load i64, ptr %n.p
  %m.ok = icmp eq i64 %m.k, %m
  %n.ok = icmp eq i64 %n.k, %n
  %both = and i1 %m.ok, %n.ok
  br i1 %both, label %known, label %new
known:
  %k.p = getelementptr i64, ptr %row, i64 2
  %k = load i64, ptr %k.p
  %kernel = inttoptr i64 %k to ptr
  ret ptr %kernel
new:
  %found = call ptr @mgpuModuleGetFunction(ptr %module, ptr %name)
  ret ptr %found
}}
"""
