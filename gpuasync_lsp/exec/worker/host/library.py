"""The host library of MLIR programs: memory, copies, clocks, printing.

Formats are those of mlir_runner_utils and mlir_c_runner_utils of LLVM 22, compared with the real libraries.
Text is written to file descriptor 1, like the output of the C library.
"""

from __future__ import annotations

import ctypes
import os
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from gpuasync_lsp.exec.worker.cpu.arena import Arena, OutOfMemory
from gpuasync_lsp.exec.worker.cpu.checks import READ, WRITE
from gpuasync_lsp.exec.worker.findings import Findings
from gpuasync_lsp.exec.worker.host.comparison import differences, places
from gpuasync_lsp.exec.worker.host.fills import fill_functions
from gpuasync_lsp.exec.worker.host.random_numbers import Generators
from gpuasync_lsp.exec.worker.untyped import Function, memory
from gpuasync_lsp.exec.worker.values import Array, decoded, view_memory

P, I64, I32, I16, I8 = ctypes.c_uint64, ctypes.c_int64, ctypes.c_int32, ctypes.c_int16, ctypes.c_uint8
F64, F32 = ctypes.c_double, ctypes.c_float

HostAccess = Callable[[int, int, int, int, str], bool]
"""Checks a host access, given address, size, kind, site and actor; returns whether it is allowed."""

LIBC = frozenset(
    """
    abort exit printf puts putchar memcpy memmove memset strlen rand srand sinf cosf tanf expf logf powf sqrtf
    fabsf floorf ceilf fmodf sin cos tan exp log pow sqrt fabs floor ceil fmod tanhf tanh erff erf log2f log2
    log10f log10 exp2f exp2 log1pf log1p expm1f expm1 atan2f atan2 atanf atan asinf asin acosf acos sinhf sinh
    coshf cosh cbrtf cbrt roundf round roundevenf roundeven truncf trunc rintf rint fmaf fma hypotf hypot
    atanhf atanh asinhf asinh acoshf acosh
    """.split()  # noqa: SIM905 - eighty names
)
"""Functions that the C library provides unchanged."""


@dataclass
class HostLibrary:
    """The host functions of one run."""

    here: Callable[[], int]
    access: HostAccess
    findings: Findings
    arena: Arena | None
    """The arena that malloc allocates from; None for the C library's malloc."""

    _generators: Generators = field(default_factory=Generators)

    def functions(self) -> dict[str, Function]:
        """Return the functions by name."""
        table: dict[str, Function] = {
            "memrefCopy": (None, (I64, P, P), self._memref_copy),
            "rtclock": (F64, (), time.perf_counter),
            "rtsrand": (P, (P,), self._generators.seed),
            "rtrand": (P, (P, P), self._rand),
            "rtdrand": (None, (P,), self._drop_generator),
            "_mlir_ciface_printMemrefVector4x4xf32": (None, (P,), self._print_blocks),
            "_mlir_ciface_nanoTime": (I64, (), time.perf_counter_ns),
            "nanoTime": (I64, (), time.perf_counter_ns),
            "printI64": (None, (I64,), _print_integer),
            "printU64": (None, (P,), _print_integer),
            "printF32": (None, (F32,), _print_float),
            "printF64": (None, (F64,), _print_float),
            "printF16": (None, (I16,), _print_half),
            "printBF16": (None, (I16,), _print_bfloat),
            "printString": (None, (P,), _print_string),
            "printOpen": (None, (), lambda: write("( ")),
            "printClose": (None, (), lambda: write(" )")),
            "printComma": (None, (), lambda: write(", ")),
            "printNewline": (None, (), lambda: write("\n")),
            "mlirAsyncRuntimePrintCurrentThreadId": (None, (), _print_thread),
            "printFlops": (None, (F64,), _print_flops),
        }
        if self.arena is not None:
            table |= {
                "malloc": (P, (P,), self._malloc),
                "calloc": (P, (P, P), self._calloc),
                "aligned_alloc": (P, (P, P), self._aligned_alloc),
                "free": (None, (P,), self._free),
            }
        else:
            libc = ctypes.CDLL(None)
            libc.malloc.restype = libc.aligned_alloc.restype = P
            libc.malloc.argtypes = libc.free.argtypes = [ctypes.c_void_p]
            libc.aligned_alloc.argtypes = [ctypes.c_size_t, ctypes.c_size_t]
            table |= {
                "malloc": (P, (P,), libc.malloc),
                "aligned_alloc": (P, (P, P), libc.aligned_alloc),
                "free": (None, (P,), libc.free),
            }
        table |= {
            "mlirAlloc": table["malloc"],
            "_mlir_memref_to_llvm_alloc": table["malloc"],
            "mlirAlignedAlloc": table["aligned_alloc"],
            "_mlir_memref_to_llvm_aligned_alloc": table["aligned_alloc"],
            "mlirFree": table["free"],
            "mlirAlignedFree": table["free"],
            "_mlir_memref_to_llvm_free": table["free"],
        }
        for suffix in ("I64", "F64", "F32"):
            table[f"_mlir_ciface_stdSort{suffix}"] = (None, (P, P), partial(self._sort, _ELEMENTS[suffix]))
        for suffix, element in _ELEMENTS.items():
            self._add_printers(table, suffix, element)
        return table | fill_functions(self._writable)

    def _writable(self, element: str, rank: int, descriptor: int, who: str) -> Array | None:
        return self._readable(element, rank, descriptor, WRITE, who)

    def _add_printers(self, table: dict[str, Function], suffix: str, element: str) -> None:
        def unranked(rank: int, descriptor: int) -> None:
            self._print("Unranked Memref ", element, rank, descriptor, f"printMemref{suffix}")

        def packed(pointer: int) -> None:
            rank, descriptor = (ctypes.c_uint64 * 2).from_address(pointer)
            unranked(rank, descriptor)

        def shape(pointer: int) -> None:
            rank, descriptor = (ctypes.c_uint64 * 2).from_address(pointer)
            write("Unranked Memref " + _metadata(rank, descriptor) + "\n")

        def verify(rank: int, actual: int, expected: int) -> int:
            return self._verify(element, rank, actual, expected)

        def verify_packed(actual: int, expected: int) -> int:
            ranks, descriptors = zip(
                *((ctypes.c_uint64 * 2).from_address(each) for each in (actual, expected)), strict=True
            )
            if ranks[0] != ranks[1]:
                write("".join(_metadata(*each) for each in zip(ranks, descriptors, strict=True)))
                return -1
            return verify(ranks[0], *descriptors)

        table[f"verifyMemRef{suffix}"] = (I64, (I64, P, P), verify)
        table[f"_mlir_ciface_verifyMemRef{suffix}"] = (I64, (P, P), verify_packed)
        table[f"printMemref{suffix}"] = (None, (I64, P), unranked)
        table[f"_mlir_ciface_printMemref{suffix}"] = (None, (P,), packed)
        table[f"_mlir_ciface_printMemrefShape{suffix}"] = (None, (P,), shape)
        for rank in range(5):
            self._add_ranked(table, suffix, element, rank)

    def _add_ranked(self, table: dict[str, Function], suffix: str, element: str, rank: int) -> None:
        def ranked(descriptor: int) -> None:
            self._print("Memref ", element, rank, descriptor, f"printMemref{rank}d{suffix}")

        def expanded(*words: int) -> None:
            kept = (ctypes.c_uint64 * len(words))(*words)
            ranked(ctypes.addressof(kept))

        table[f"_mlir_ciface_printMemref{rank}d{suffix}"] = (None, (P,), ranked)
        table[f"printMemref{rank}d{suffix}"] = (None, (P, P, *[I64] * (1 + 2 * rank)), expanded)

    def _print(self, title: str, element: str, rank: int, descriptor: int, who: str) -> None:
        view = self._readable(element, rank, descriptor, READ, who)
        if view is not None:
            write(
                title
                + _metadata(rank, descriptor)
                + " data = \n"
                + _data(decoded(view, element), rank)
                + "\n"
            )

    def _readable(self, element: str | int, rank: int, descriptor: int, kind: int, who: str) -> Array | None:
        """Return a view of a memref, or None if the host must not access it."""
        words = (ctypes.c_int64 * (3 + 2 * rank)).from_address(descriptor)
        shape, strides = list(words[3 : 3 + rank]), list(words[3 + rank : 3 + 2 * rank])
        name = element if isinstance(element, str) else f"i{8 * element}"
        address, offset = words[1] & (2**64 - 1), words[2]
        item = element if isinstance(element, int) else view_memory(0, name, 0, (0,), (1,)).dtype.itemsize
        if 0 not in shape:
            low = address + item * (
                offset + sum(min((n - 1) * s, 0) for n, s in zip(shape, strides, strict=True))
            )
            high = address + item * (
                offset + 1 + sum(max((n - 1) * s, 0) for n, s in zip(shape, strides, strict=True))
            )
            if not self.access(low, high - low, kind, self.here(), who):
                return None
        if isinstance(element, str):
            return view_memory(address, name, offset, shape, strides)
        return _raw_view(address, element, offset, shape, strides)

    def _memref_copy(self, size: int, source: int, target: int) -> None:
        rank, from_ = (ctypes.c_uint64 * 2).from_address(source)
        _, to = (ctypes.c_uint64 * 2).from_address(target)
        read = self._readable(int(size), rank, from_, READ, "memref.copy")
        written = self._readable(int(size), rank, to, WRITE, "memref.copy")
        if read is not None and written is not None:
            written[...] = read

    def _malloc(self, size: int) -> int:
        assert self.arena is not None
        try:
            return self.arena.allocate(size, "host", self.here()).start
        except OutOfMemory:
            self.findings.add(
                "out-of-memory",
                "error",
                self.here(),
                f"no room for {size} bytes of host memory; malloc returns null",
            )
            return 0

    def _calloc(self, count: int, size: int) -> int:
        address = self._malloc(count * size)
        if address:
            ctypes.memset(address, 0, count * size)
        return address

    def _aligned_alloc(self, alignment: int, size: int) -> int:
        return self._malloc(size)  # Aligned: it ends on a page, and `size` is a multiple of `alignment`.

    def _free(self, address: int) -> None:
        assert self.arena is not None
        if address == 0:
            return
        region = self.arena.at(address)
        site = self.here()
        if region is None or region.origin == "device" or region.origin == "managed":
            what = "a pointer that malloc did not return" if region is None else "device memory"
            self.findings.add("invalid-pointer", "error", site, f"free is given {what}")
        elif region.freed_at is not None:
            self.findings.add(
                "double-free",
                "error",
                site,
                "this memory has already been freed",
                ((region.freed_at, "first freed here"), (region.site, "allocated here")),
            )
        elif self.access(region.start, region.size, WRITE, site, "the free") or region.size == 0:
            self.arena.free(region, site)

    def _rand(self, generator: int, last: int) -> int:
        try:
            return self._generators.draw(generator, last)
        except KeyError:
            self._no_generator("rtrand")
            return 0

    def _drop_generator(self, generator: int) -> None:
        try:
            self._generators.drop(generator)
        except KeyError:
            self._no_generator("rtdrand")

    def _no_generator(self, who: str) -> None:
        self.findings.add(
            "invalid-pointer", "error", self.here(), f"{who} is not passed a generator from rtsrand"
        )

    def _sort(self, element: str, count: int, descriptor: int) -> None:
        view = self._readable(element, 1, descriptor, WRITE, "stdSort")
        if view is not None:
            view[:count] = np.sort(view[:count])

    def _print_blocks(self, descriptor: int) -> None:
        """Print a two-dimensional memref whose elements are vectors of 4 by 4 floats."""
        view = self._readable(64, 2, descriptor, READ, "printMemrefVector4x4xf32")
        if view is not None:
            blocks = np.ascontiguousarray(view).view(np.float32).reshape(*view.shape, 4, 4)
            write("Memref " + _metadata(2, descriptor) + " data = \n" + _level(blocks, 2, 2) + "\n")

    def _verify(self, element: str, rank: int, actual: int, expected: int) -> int:
        """Compare two memrefs of equal rank; print the differences; return how many, or -1 on failure."""
        who = f"verifyMemRef of {element}"
        layouts = [list((ctypes.c_int64 * (1 + 2 * rank)).from_address(d + 16)) for d in (actual, expected)]
        if layouts[0] != layouts[1]:
            write(_metadata(rank, actual) + _metadata(rank, expected))
            return -1
        views = [self._readable(element, rank, each, READ, who) for each in (actual, expected)]
        if views[0] is None or views[1] is None:
            return -1
        differing = differences(views[0], views[1], element)
        shown = [decoded(view, element) for view in views if view is not None]
        for index, offset in places(differing, layouts[0][0], layouts[0][1 + rank :]):
            one, other = (_element(view[index]) for view in shown)
            write(f"{one} != {other} offset = {offset}\n")
        return int(np.count_nonzero(differing))


def _print_integer(value: int) -> None:
    write(str(value))


def _print_float(value: float) -> None:
    write(_g(value))


def _print_half(bits: int) -> None:
    write(_g(_half(bits)))


def _print_bfloat(bits: int) -> None:
    write(_g(_bfloat(bits)))


def _print_string(address: int) -> None:
    write(ctypes.string_at(address).decode("utf-8", "replace"))


def _print_thread() -> None:
    """Print the thread id like mlir_async_runtime. Bodies of async.execute run on the host's thread."""
    write(f"Current thread id: {threading.get_ident()}\n")


def _print_flops(value: float) -> None:
    write(f"{value / 1e9:f} GFLOPS\n")


def write(text: str) -> None:
    """Write to the program's standard output."""
    data = text.encode("utf-8", "surrogateescape")
    while data:
        data = data[os.write(1, data) :]


_ELEMENTS = {
    "F32": "f32",
    "F64": "f64",
    "F16": "f16",
    "BF16": "bf16",
    "I8": "i8",
    "I16": "i16",
    "I32": "i32",
    "I64": "i64",
    "Ind": "index",
    "C32": "complex<f32>",
    "C64": "complex<f64>",
}


def _metadata(rank: int, descriptor: int) -> str:
    words = (ctypes.c_int64 * (3 + 2 * rank)).from_address(descriptor)
    sizes = ", ".join(map(str, words[3 : 3 + rank]))
    strides = ", ".join(map(str, words[3 + rank : 3 + 2 * rank]))
    base = words[1] & (2**64 - 1)
    return f"base@ = {base:#x} rank = {rank} offset = {words[2]} sizes = [{sizes}] strides = [{strides}]"


def _data(array: Array, rank: int) -> str:
    if rank == 0:
        return f"[{_element(array[()])}]"
    return _level(array, rank, rank)


def _level(array: Array, level: int, rank: int) -> str:
    if level == 0:
        return _element(array[()]) if array.ndim == 0 else _block(array)
    gap = ", " + ("\n" if level > 1 else "") + " " * (rank - level + 1)
    return "[" + gap.join(_level(part, level - 1, rank) for part in array) + "]"


def _block(rows: Array) -> str:
    """Format a vector of vectors, with the same blanks as the real library."""
    *first, last = ("(" + ", ".join(_element(value) for value in row) + ")" for row in rows)
    return "(" + ",   ".join(first) + ",  " + last + ")"


def _element(value: Any) -> str:
    type = np.asarray(value).dtype
    kind = type.kind
    if type == np.int8:  # C++ streams print an int8_t as a character.
        return bytes([int(value) & 0xFF]).decode("utf-8", "surrogateescape")
    if kind == "c":
        return f"({_g(float(value.real))},{_g(float(value.imag))})"
    return _g(float(value)) if kind == "f" else str(int(value))


def _g(value: float) -> str:
    """Format a number like C's `%g`."""
    if value != value:
        return "nan"
    return f"{value:g}"


def _half(bits: int) -> float:
    return float(np.array([bits & 0xFFFF], np.uint16).view(np.float16)[0])


def _bfloat(bits: int) -> float:
    return float(np.array([(bits & 0xFFFF) << 16], np.uint32).view(np.float32)[0])


def _raw_view(address: int, size: int, offset: int, shape: list[int], strides: list[int]) -> Array:
    type = np.dtype((np.void, size))
    if 0 in shape:
        return np.empty(shape, type)
    extent = 1 + sum((n - 1) * s for n, s in zip(shape, strides, strict=True))
    flat = np.frombuffer(memory(address + offset * size, extent * size), dtype=type)
    return np.lib.stride_tricks.as_strided(flat, tuple(shape), tuple(s * size for s in strides))
