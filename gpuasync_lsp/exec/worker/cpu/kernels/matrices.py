"""The wmma intrinsics on the CPU.

The hardware does not specify how a matrix is distributed over a warp, so any consistent distribution
works. Here a lane stores consecutive elements of rows; if there are more registers than elements, several
lanes hold the same elements. Loads and stores are per lane. For an MMA, the lanes store A and B to a
buffer of the warp, synchronize, and compute their own elements of C.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from gpuasync_lsp.exec.worker.cpu.checks import READ, WRITE

Check = Callable[[str, str, int, int], tuple[list[str], str]]
"""Given the type and name of a pointer, and the size and kind of an access, returns the IR lines that check
the access, and the pointer to use."""

_LOAD_OR_STORE = re.compile(
    r"llvm\.nvvm\.wmma\.m(\d+)n(\d+)k(\d+)\.(load\.[abc]|store\.d)\.(row|col)\.stride\.(\w+)\.p\d"
)
_PRODUCT = re.compile(r"llvm\.nvvm\.wmma\.m(\d+)n(\d+)k(\d+)\.mma\.(?:row|col)\.(?:row|col)\.(\w+)(?:\.\w+)?")


@dataclass(frozen=True)
class _Element:
    """The layout of a type's elements in memory and in registers."""

    memory: str
    size: int
    register: str
    packed: int = 1
    """The number of elements per register."""


_ELEMENTS = {
    "f16": _Element("half", 2, "<2 x half>", 2),
    "f32": _Element("float", 4, "float"),
    "tf32": _Element("i32", 4, "i32"),
    "f64": _Element("double", 8, "double"),
    "s8": _Element("i8", 1, "i32", 4),
    "u8": _Element("i8", 1, "i32", 4),
    "s32": _Element("i32", 4, "i32"),
}
_SUMS = {"f16": "float", "f32": "float", "tf32": "float", "f64": "double", "s8": "i32", "u8": "i32"}
"""Maps the element type in an intrinsic's name to the accumulator type."""


@dataclass(frozen=True)
class _Fragment:
    """A lane's part of a matrix with `rows` rows and `columns` columns."""

    element: _Element
    rows: int
    columns: int
    registers: int

    @property
    def count(self) -> int:
        """The number of elements per lane."""
        return self.registers * self.element.packed

    @property
    def type(self) -> str:
        """The LLVM type of a fragment, which contains all its registers."""
        one = self.element.register
        return f"{{ {', '.join([one] * self.registers)} }}" if self.registers > 1 else one

    def place(self, number: int, name: str) -> list[str]:
        """Return the lines that compute the row `%{name}.r` and column `%{name}.c` of a lane's element."""
        return [
            f"  %{name}.l = and i32 %gpuasync.lane, 31",
            f"  %{name}.f = mul i32 %{name}.l, {self.count}",
            f"  %{name}.s = add i32 %{name}.f, {number}",
            f"  %{name}.i = urem i32 %{name}.s, {self.rows * self.columns}",
            f"  %{name}.r = udiv i32 %{name}.i, {self.columns}",
            f"  %{name}.c = urem i32 %{name}.i, {self.columns}",
        ]


def _fragment(part: str, type: str, m: int, n: int, k: int) -> _Fragment:
    rows, columns = {"a": (m, k), "b": (k, n)}.get(part, (m, n))
    element = _ELEMENTS[type]
    registers = rows * columns // 32 // element.packed
    if type == "f16" and part in "ab":
        registers = 8  # For A and B: two lanes hold each element.
    return _Fragment(element, rows, columns, registers)


def is_product(name: str) -> bool:
    """Return whether an intrinsic multiplies matrices, which synchronizes the lanes of a warp."""
    return _PRODUCT.fullmatch(name) is not None


def access(
    name: str, result: str | None, arguments: Sequence[str], number: int, check: Check
) -> list[str] | None:
    """Return the code of a matrix load or store; None for any other intrinsic.

    `number` makes names unique; `%gpuasync.lane` must be defined in the calling function."""
    found = _LOAD_OR_STORE.fullmatch(name)
    if found is None or found[6] not in _ELEMENTS:
        return None
    m, n, k = (int(extent) for extent in found.groups()[:3])
    part, column_major = found[4][-1], found[5] == "col"
    fragment = _fragment(part, found[6], m, n, k)
    element = fragment.element
    pointer = arguments[0]
    type = "ptr addrspace(3)" if "addrspace(3)" in pointer else "ptr"
    stride = arguments[-1].split()[-1]
    prefix = f"gpuasync.x{number}"
    lines: list[str] = []
    registers: list[str] = []
    for register in range(fragment.registers):
        if part == "d":
            registers.append(arguments[1 + register].split()[-1])
        values: list[str] = []
        for each in range(element.packed):
            at = f"{prefix}.{register}.{each}"
            row, column = (f"%{at}.c", f"%{at}.r") if column_major else (f"%{at}.r", f"%{at}.c")
            lines += [
                *fragment.place(register * element.packed + each, at),
                f"  %{at}.o = mul i32 {row}, {stride}",
                f"  %{at}.p = add i32 %{at}.o, {column}",
                f"  %{at}.a = getelementptr {element.memory}, {type} {pointer.split()[-1]}, i32 %{at}.p",
            ]
            checked, address = check(type, f"%{at}.a", element.size, WRITE if part == "d" else READ)
            lines += checked
            if part == "d":
                lines += _taken(f"%{at}.v", registers[register], each, element)
                lines.append(f"  store {element.memory} %{at}.v, {type} {address}, align {element.size}")
            else:
                lines.append(f"  %{at}.v = load {element.memory}, {type} {address}, align {element.size}")
                values.append(f"%{at}.v")
        if part != "d":
            name = f"%{prefix}.{register}"
            lines += _packed(name, values, element)
            registers.append(name)
    if part != "d" and result is not None:
        lines += _assembled(result, registers, fragment, prefix)
    return lines


def _taken(name: str, register: str, place: int, element: _Element) -> Iterator[str]:
    """Yield the line that extracts an element of C from its register."""
    if element.packed == 1:
        yield f"  {name} = select i1 true, {element.memory} {register}, {element.memory} {register}"
    else:
        yield f"  {name} = extractelement {element.register} {register}, i32 {place}"


def _packed(name: str, values: Sequence[str], element: _Element) -> Iterator[str]:
    """Yield the lines that pack elements into one register."""
    vector = f"<{element.packed} x {element.memory}>"
    whole = "poison"
    for place, value in enumerate(values):
        yield f"  {name}.v{place} = insertelement {vector} {whole}, {element.memory} {value}, i32 {place}"
        whole = f"{name}.v{place}"
    yield f"  {name} = bitcast {vector} {whole} to {element.register}"


def _assembled(result: str, registers: Sequence[str], fragment: _Fragment, prefix: str) -> Iterator[str]:
    """Yield the lines that assemble the intrinsic's result from its registers."""
    one = fragment.element.register
    if len(registers) == 1:
        yield f"  {result} = bitcast {one} {registers[0]} to {one}"
        return
    whole = "poison"
    for place, register in enumerate(registers):
        last = place == len(registers) - 1
        name = result if last else f"%{prefix}.w{place}"
        yield f"  {name} = insertvalue {fragment.type} {whole}, {one} {register}, {place}"
        whole = name


def product(
    name: str, result: str | None, arguments: Sequence[str], number: int
) -> tuple[list[str], list[str]] | None:
    """Return the code of an MMA before and after the synchronization; None if it is not supported.

    All lanes of the warp take part, so they use the same one of two copies of the matrices."""
    found = _PRODUCT.fullmatch(name)
    if found is None or found[4] not in _SUMS:
        return None
    m, n, k = (int(extent) for extent in found.groups()[:3])
    kind = found[4]
    half = kind in ("f16", "f32")  # The name contains the type of D; A and B are f16.
    source, target = ("f16", kind) if half else (kind, {"tf32": "f32", "f64": "f64"}.get(kind, "s32"))
    types = zip("abc", (source, source, target), strict=True)
    a, b, c = (_fragment(part, type, m, n, k) for part, type in types)
    values = [argument.split()[-1] for argument in arguments]
    at = f"%gpuasync.m{number}"
    before = [f"  {at}.h = call i32 @gpuasync.turn(ptr @gpuasync.matrix.halves, i32 %gpuasync.lane)"]
    for matrix, fragment, given in (("a", a, values), ("b", b, values[a.registers :])):
        before += _put_down(matrix, fragment, given, number)
    given = values[a.registers + b.registers :]
    if result is None:
        return before, []
    after = [
        f"  {at}.{matrix} = call ptr @gpuasync.warp.matrix(ptr @gpuasync.matrix.{matrix}, "
        f"i32 %gpuasync.lane, i32 {at}.h)"
        for matrix in "ab"
    ]
    total, kind = _SUMS[kind], "f16" if half else kind
    registers: list[str] = []
    for register in range(c.registers):
        sums: list[str] = []
        for each in range(c.element.packed):
            name = f"gpuasync.m{number}.{register}.{each}"
            after += [*c.place(register * c.element.packed + each, name)]
            after += _taken(f"%{name}.v", given[register], each, c.element)
            start = f"%{name}.v"
            if target == "f16":
                start = f"%{name}.e"
                after.append(f"  {start} = fpext half %{name}.v to float")
            after.append(
                f"  %{name}.d = call {total} @gpuasync.dot.{kind}(ptr {at}.a, ptr {at}.b, i32 %{name}.r, "
                f"i32 %{name}.c, i32 {n}, i32 {k}, {total} {start})"
            )
            sums.append(f"%{name}.d")
            if target == "f16":
                after.append(f"  %{name}.n = fptrunc float %{name}.d to half")
                sums[-1] = f"%{name}.n"
        name = f"%gpuasync.m{number}.{register}"
        after += _packed(name, sums, c.element)
        registers.append(name)
    after += _assembled(result, registers, c, f"gpuasync.m{number}")
    return before, after


def _put_down(matrix: str, fragment: _Fragment, values: Sequence[str], number: int) -> Iterator[str]:
    """Yield the lines that store a lane's registers to the warp's copy of a matrix."""
    at = f"%gpuasync.m{number}.{matrix}"
    size = fragment.element.size * fragment.element.packed
    yield (
        f"  {at}.w = call ptr @gpuasync.warp.matrix(ptr @gpuasync.matrix.{matrix}, i32 %gpuasync.lane, "
        f"i32 %gpuasync.m{number}.h)"
    )
    yield f"  {at}.l = and i32 %gpuasync.lane, 31"
    yield f"  {at}.o = mul i32 {at}.l, {size * fragment.registers}"
    for register in range(fragment.registers):
        yield f"  {at}.o{register} = add i32 {at}.o, {size * register}"
        yield f"  {at}.p{register} = getelementptr i8, ptr {at}.w, i32 {at}.o{register}"
        yield f"  store {fragment.element.register} {values[register]}, ptr {at}.p{register}, align {size}"


def _dot(kind: str, memory: str, total: str, convert: str, add: str, multiply: str) -> str:
    """Return the IR of a function that adds the dot product of a row of A and a column of B to `%start`."""
    return f"""
define internal {total}
@gpuasync.dot.{kind}(ptr %a, ptr %b, i32 %r, i32 %c, i32 %n, i32 %k, {total} %start) {{
entry:
  %row = mul i32 %r, %k
  br label %loop
loop:
  %l = phi i32 [ 0, %entry ], [ %l.n, %loop ]
  %sum = phi {total} [ %start, %entry ], [ %sum.n, %loop ]
  %a.i = add i32 %row, %l
  %a.p = getelementptr {memory}, ptr %a, i32 %a.i
  %a.v = load {memory}, ptr %a.p
  %b.r = mul i32 %l, %n
  %b.i = add i32 %b.r, %c
  %b.p = getelementptr {memory}, ptr %b, i32 %b.i
  %b.v = load {memory}, ptr %b.p
{convert.format(x="a")}
{convert.format(x="b")}
  %product = {multiply} {total} %a.c, %b.c
  %sum.n = {add} {total} %sum, %product
  %l.n = add i32 %l, 1
  %more = icmp ult i32 %l.n, %k
  br i1 %more, label %loop, label %done
done:
  ret {total} %sum.n
}}
"""


MATRIX_FUNCTIONS = (
    """
@gpuasync.matrix.a = internal global [2 x [32 x [1024 x i8]]] zeroinitializer, align 16
@gpuasync.matrix.b = internal global [2 x [32 x [1024 x i8]]] zeroinitializer, align 16

define internal ptr @gpuasync.warp.matrix(ptr %matrices, i32 %lane, i32 %half) {
  %w = lshr i32 %lane, 5
  %p = getelementptr [2 x [32 x [1024 x i8]]], ptr %matrices, i32 0, i32 %half, i32 %w
  ret ptr %p
}
"""
    + _dot("f16", "half", "float", "  %{x}.c = fpext half %{x}.v to float", "fadd", "fmul")
    + _dot("f64", "double", "double", "  %{x}.c = fadd double %{x}.v, 0.0", "fadd", "fmul")
    + _dot("s8", "i8", "i32", "  %{x}.c = sext i8 %{x}.v to i32", "add", "mul")
    + _dot("u8", "i8", "i32", "  %{x}.c = zext i8 %{x}.v to i32", "add", "mul")
    + _dot(
        "tf32",
        "i32",
        "float",
        "  %{x}.m = and i32 %{x}.v, -8192\n  %{x}.c = bitcast i32 %{x}.m to float",  # Rounds to tf32.
        "fadd",
        "fmul",
    )
)
"""The IR of functions that the code of `product` calls."""
