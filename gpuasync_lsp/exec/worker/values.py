"""Creates arguments from parameter types, decodes results, and formats previews and .npy files."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod

import numpy as np

from gpuasync_lsp.exec.program import Parameter
from gpuasync_lsp.exec.worker.narrow_floats import (
    NARROW_FLOATS,
    Array,
    decoded_floats,
    encoded_floats,
    largest_float,
)
from gpuasync_lsp.exec.worker.untyped import memory

Allocate = Callable[[int], int]
"""A function that allocates the given number of bytes of host memory and returns their address."""

DYNAMIC_EXTENT = 16
"""The default extent of a dynamic dimension, and the default value of an integer argument."""


class BadArgument(Exception):
    """An argument cannot be created from its type and specification."""


@dataclass(frozen=True)
class Argument:
    """One argument, encoded as the entry expects it."""

    parameter: Parameter
    slots: tuple[bytes, ...]
    """The expanded LLVM arguments in order, as bytes."""

    array: Array | None = None
    """A view of a memref's memory."""

    before: Array | None = None

    descriptor: int = 0
    """The address of the descriptor that the function writes as its result."""


def make_argument(
    parameter: Parameter, spec: str, allocate: Allocate, bare: bool, files: Mapping[str, bytes]
) -> Argument:
    """Create the argument that `spec` describes; an empty `spec` is the default. Raises `BadArgument`.

    `files` contains the .npy files that specifications name."""
    if parameter.kind == "scalar":
        return Argument(parameter, (_scalar_bytes(parameter, spec),))
    if parameter.is_pointer:
        parameter, spec = _pointed_at(parameter, spec)
    if parameter.by_descriptor == "out":
        size = result_size(parameter)
        address = allocate(size)
        memory(address, size)[:] = bytes(size)
        return Argument(parameter, (address.to_bytes(8, "little"),), descriptor=address)
    values = _memref_values(parameter, spec or "iota", files)
    if parameter.strides is not None and any(s <= 0 for s in parameter.strides):
        raise BadArgument(
            f"argument {parameter.name} has the type {parameter.text} with an unsupported layout"
        )
    shape = values.shape[: len(parameter.shape)]
    strides = parameter.strides or _row_major(shape)
    extent = parameter.offset + 1 + sum((n - 1) * s for n, s in zip(shape, strides, strict=True))
    extent = 0 if 0 in shape else extent
    item = values.dtype.itemsize * prod(parameter.vector)
    address = allocate(max(extent, 1) * item)
    view = _view(parameter, address, parameter.offset, shape, strides)
    view[...] = values
    pointer = address.to_bytes(8, "little")
    if bare or parameter.is_pointer:
        return Argument(parameter, (pointer,), view, values.copy())
    numbers = (parameter.offset, *shape, *strides)
    slots = (pointer, pointer, *(n.to_bytes(8, "little", signed=True) for n in numbers))
    if parameter.by_descriptor:
        data = b"".join(slots)
        address = allocate(len(data))
        memory(address, len(data))[:] = data
        slots = (address.to_bytes(8, "little"),)
    return Argument(parameter, slots, view, view.copy())


def _view(
    parameter: Parameter, address: int, offset: int, shape: Sequence[int], strides: Sequence[int]
) -> Array:
    """Return a view of a memref's memory; the extents of vectors follow those of the memref."""
    lanes = prod(parameter.vector)
    steps = (*(step * lanes for step in strides), *_row_major(parameter.vector))
    return view_memory(address, parameter.element, offset * lanes, (*shape, *parameter.vector), steps)


def view_memory(
    address: int, element: str, offset: int, shape: Sequence[int], strides: Sequence[int]
) -> Array:
    """Return a NumPy view of a memref's memory."""
    type = element_type(element)
    if 0 in shape:
        return np.empty(tuple(shape), type)
    extent = 1 + sum((n - 1) * s for n, s in zip(shape, strides, strict=True))
    start = address + offset * type.itemsize
    flat = np.frombuffer(memory(start, extent * type.itemsize), dtype=type)
    return np.lib.stride_tricks.as_strided(flat, tuple(shape), tuple(s * type.itemsize for s in strides))


def element_type(element: str) -> np.dtype[np.generic]:
    """Return the NumPy type for an MLIR element type. Raises `BadArgument`."""
    found = np.uint8 if element in NARROW_FLOATS else _TYPES.get(element)
    if found is None and (bits := _narrow_bits(element)):
        found = next(type for most, type in _HOLDING if bits <= most)
    if found is None:
        raise BadArgument(f"elements of type {element} cannot be created or shown")
    return np.dtype(found)


def made_up(parameter: Parameter) -> Array | float | None:
    """Return the default of an argument, which is an array for a memref, and otherwise a number.

    None for a caller's stream or event, which the run creates."""
    if parameter.kind in ("stream", "event"):
        return None
    if parameter.kind == "memref":
        return decoded(_memref_values(parameter, "iota", {}), parameter.element)
    if parameter.element.startswith("i"):
        return True if parameter.element == "i1" else _default_integer(parameter.element)
    return 1.0


def decoded(array: Array, element: str) -> Array:
    """Convert stored elements to values: bf16 and narrower floats to f32, i1 to bool, narrow integers
    sign-extended."""
    if element in NARROW_FLOATS:
        return decoded_floats(array, element)
    if bits := _narrow_bits(element):
        sign = 1 << (bits - 1)
        return ((array & (2 * sign - 1)) ^ sign) - sign
    if element == "bf16":
        return (array.astype(np.uint32) << 16).view(np.float32)
    if element == "i1":
        return (array & 1).astype(bool)
    return array


def preview(array: Array, element: str) -> str:
    """Return a few lines that show an array."""
    with np.printoptions(precision=6, threshold=64, edgeitems=4, linewidth=100):
        return str(decoded(array, element))


def elements(array: Array, element: str, most: int) -> list[float | str]:
    """Return the first elements of an array for JSON; values that JSON cannot represent are text."""
    first = decoded(np.array(array.flat[:most]), element)
    if first.dtype.kind == "f":
        # The shortest text for the value in its own type, not as a double.
        return [float(str(each)) if np.isfinite(each) else str(each) for each in first]
    if first.dtype.kind == "c":
        return [str(each) for each in first]
    return [each if abs(each) <= _EXACT else str(each) for each in (int(one) for one in first)]


_EXACT = 2**53
"""The largest integer that every JSON reader represents exactly; larger ones are written as text."""


def read_result(parameter: Parameter, data: bytes) -> tuple[str, Array | None]:
    """Return a result's preview and, for a memref, its array; `data` is the result as LLVM returns it."""
    if parameter.kind == "scalar":
        type = element_type(parameter.element)
        value = np.frombuffer(data[: type.itemsize], type)
        return str(decoded(value, parameter.element)[0]), None
    rank = len(parameter.shape)
    words = [int.from_bytes(data[i : i + 8], "little", signed=True) for i in range(0, 24 + 16 * rank, 8)]
    address, offset = words[1] & (2**64 - 1), words[2]
    shape, strides = words[3 : 3 + rank], words[3 + rank : 3 + 2 * rank]
    array = _view(parameter, address, offset, shape, strides)
    return preview(array, parameter.element), array


def result_size(parameter: Parameter) -> int:
    """Return the size of a result inside the entry's result struct."""
    return (
        24 + 16 * len(parameter.shape)
        if parameter.kind == "memref"
        else element_type(parameter.element).itemsize
    )


def result_alignment(parameter: Parameter) -> int:
    """Return the alignment of a result inside the entry's result struct; complex numbers are pairs."""
    size = result_size(parameter)
    if parameter.kind == "memref":
        return 8
    return size // 2 if parameter.element.startswith("complex") else size


def npy(array: Array, element: str) -> bytes:
    """Return an array as the bytes of a .npy file."""
    buffer = io.BytesIO()
    np.save(buffer, decoded(array, element))
    return buffer.getvalue()


_TYPES = {
    "i1": np.uint8,
    "i8": np.int8,
    "i16": np.int16,
    "i32": np.int32,
    "i64": np.int64,
    "index": np.int64,
    "f16": np.float16,
    "bf16": np.uint16,
    "f32": np.float32,
    "f64": np.float64,
    "complex<f32>": np.complex64,
    "complex<f64>": np.complex128,
}


_HOLDING = ((8, np.int8), (16, np.int16), (32, np.int32), (64, np.int64))
"""Pairs of a number of bits and the type in which LLVM stores an integer of at most that many bits."""


def _narrow_bits(element: str) -> int:
    """Return the bits of an integer type narrower than its memory, such as `i4`; 0 for others."""
    found = re.fullmatch(r"i(\d+)", element)
    bits = int(found[1]) if found is not None else 0
    return bits if 1 < bits < 64 and element not in _TYPES else 0


def _default_integer(element: str) -> int:
    """Return the default value of an integer argument: `DYNAMIC_EXTENT`, or the type's maximum if that is
    less."""
    bits = _narrow_bits(element) or 64
    return min(DYNAMIC_EXTENT, (1 << (bits - 1)) - 1)


def _encoded(values: Array, element: str) -> Array:
    type = element_type(element)
    if element in NARROW_FLOATS:
        return encoded_floats(values, element)
    if bits := _narrow_bits(element):
        # LLVM expects the unused bits of a narrow integer to be 0.
        return (values.astype(np.int64) & ((1 << bits) - 1)).astype(type)
    if element == "bf16":
        bits = values.astype(np.float32).view(np.uint32)
        return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)
    if element == "i1":
        return (values != 0).astype(np.uint8)
    return values.astype(type)


def _fitting(values: Array, parameter: Parameter, spec: str) -> Array:
    """Encode `values` for memory. Raises BadArgument if a value does not fit the element type.

    Integers are signless: -1 and 255 both fit i8. A float may lose precision."""
    name, element = f"argument {parameter.name}", parameter.element
    type = element_type(element)
    if values.dtype.kind not in "biufc" or (values.dtype.kind == "c" and type.kind != "c"):
        raise BadArgument(f"{name}: expected a value of type {element}, not {spec!r}")
    if element.startswith("i"):
        bits = 64 if element == "index" else int(element[1:])
        for value in (values.min(), values.max()) if values.size else ():
            if not np.isfinite(value) or not -(1 << (bits - 1)) <= int(value) < 1 << bits:
                raise BadArgument(f"{name}: expected a value of type {element}, not {value}")
        if values.dtype.kind == "f" and np.any(broken := values != np.trunc(values)):
            raise BadArgument(f"{name}: expected a value of type {element}, not {values[broken][0]}")
        return _encoded(values, element)
    if element in NARROW_FLOATS and np.any(np.isfinite(values) & (np.abs(values) > largest_float(element))):
        raise BadArgument(f"{name}: {spec} does not fit {element}")
    with np.errstate(over="ignore"):
        encoded = _encoded(values, element)
    if np.any(np.isfinite(values) & ~np.isfinite(decoded(encoded, element))):
        raise BadArgument(f"{name}: {spec} does not fit {element}")
    return encoded


def _memref_values(parameter: Parameter, spec: str, files: Mapping[str, bytes]) -> Array:
    if spec.endswith(".npy"):
        return _loaded(parameter, spec, files)
    spec, _, size = spec.partition("@")
    shape = (*_extents(parameter, size), *parameter.vector)
    count = int(np.prod(shape, dtype=np.int64))
    kind, _, seed = spec.partition(":")
    integral = parameter.element.startswith("i")
    if kind == "random":
        generator = np.random.default_rng(_seed(parameter, seed))
        most = min(100, _iota_period(parameter.element))
        values: Array = generator.integers(0, most, count) if integral else generator.random(count)
    elif kind == "iota":
        values = np.arange(count)
        values = values % _iota_period(parameter.element)
    elif kind in ("zeros", "ones"):
        values = np.full(count, 0 if kind == "zeros" else 1)
    else:
        try:
            number = np.array([int(kind) if integral else float(kind)])
            values = np.full(count, _fitting(number, parameter, kind)[0])
            return values.reshape(shape)
        except (ValueError, OverflowError) as error:
            raise BadArgument(
                f"argument {parameter.name}: expected zeros, ones, iota, random[:seed], a number or "
                f"FILE.npy, not {spec!r}"
            ) from error
    return _encoded(values.reshape(shape), parameter.element)


def _iota_period(element: str) -> int:
    """Return the number of values after which `iota` restarts, which is how many a narrow type has."""
    if element in NARROW_FLOATS:
        return 8
    bits = 8 if element == "i8" else _narrow_bits(element)
    return 1 << (bits - 1) if 0 < bits < 32 else 1 << 62


_POINTED_AT = re.compile(r"(.*@)(?:(\d+(?:x\d+)*)(?:x(?=[a-z]))?)?([a-z]\w*(?:<\w+>)?)?")


def _pointed_at(parameter: Parameter, spec: str) -> tuple[Parameter, str]:
    """Return `parameter` with the shape and element type of a pointer's memory, and the rest of `spec`.

    `spec` may end in `@64xf32`, `@64` or `@f32`; missing parts come from `parameter`."""
    found = _POINTED_AT.fullmatch(spec)
    if found is None:
        return parameter, spec
    start, extents, element = found[1][:-1] or "iota", found[2], found[3] or parameter.element
    element_type(element)
    shape = tuple(map(int, extents.split("x"))) if extents else parameter.shape
    return replace(parameter, shape=shape, element=element), start


def _loaded(parameter: Parameter, path: str, files: Mapping[str, bytes]) -> Array:
    try:
        values: Array = np.load(io.BytesIO(files.get(path, b"")), allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        raise BadArgument(
            f"argument {parameter.name}: expected an array saved by NumPy, not {path!r}"
        ) from error
    if parameter.is_pointer:
        return _fitting(values.ravel(), parameter, path)
    shape = (*parameter.shape, *parameter.vector)
    fits = len(values.shape) == len(shape) and all(
        want < 0 or want == got for want, got in zip(shape, values.shape, strict=True)
    )
    if not fits:
        raise BadArgument(
            f"argument {parameter.name}: {path} holds {'x'.join(map(str, values.shape))} elements, but "
            f"{parameter.text} is expected"
        )
    return _fitting(values, parameter, path)


def _extents(parameter: Parameter, size: str) -> tuple[int, ...]:
    if not size:
        return tuple(DYNAMIC_EXTENT if n < 0 else n for n in parameter.shape)
    numbers = size.split("x")
    given = [int(n) for n in numbers if n.isdecimal()]
    if len(given) == len(numbers) == sum(1 for n in parameter.shape if n < 0):
        rest = iter(given)
        return tuple(next(rest) if n < 0 else n for n in parameter.shape)
    if len(given) == len(numbers) == len(parameter.shape) and all(
        n in (-1, m) for n, m in zip(parameter.shape, given, strict=True)
    ):
        return tuple(given)
    raise BadArgument(f"argument {parameter.name}: @{size} does not fit {parameter.text}")


def _seed(parameter: Parameter, text: str) -> int:
    if text and not text.isdecimal():
        raise BadArgument(f"argument {parameter.name}: expected a number as the seed, not {text!r}")
    return int(text or 0)


def _scalar_bytes(parameter: Parameter, spec: str) -> bytes:
    type = element_type(parameter.element)
    integral = parameter.element.startswith("i")
    words = {
        "zeros": 0,
        "ones": 1,
        "iota": 0,
        "": _default_integer(parameter.element) if integral and parameter.element != "i1" else 1,
    }
    if spec in words:
        value: complex = words[spec]
    elif spec.startswith("random"):
        generator = np.random.default_rng(_seed(parameter, spec.partition(":")[2]))
        most = min(100, _iota_period(parameter.element))
        value = int(generator.integers(0, most)) if integral else float(generator.random())
    else:
        try:
            kind = complex if parameter.element.startswith("complex") else int if integral else float
            value = kind(spec)
        except ValueError as error:
            raise BadArgument(
                f"argument {parameter.name}: expected a value of type {parameter.element}, not {spec!r}"
            ) from error
    data = _fitting(np.array([value]), parameter, spec).tobytes()
    return data.ljust(max(type.itemsize, 8), b"\0")


def _row_major(shape: Sequence[int]) -> tuple[int, ...]:
    strides: list[int] = []
    step = 1
    for extent in reversed(shape):
        strides.append(step)
        step *= extent
    return tuple(reversed(strides))
