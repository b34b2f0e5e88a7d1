"""nvvm: MMAs that a warp group (wgmma) or a warp (wmma) computes."""

from __future__ import annotations

from xdsl.dialects.builtin import Float16Type, Float32Type, Float64Type, VectorType, i32
from xdsl.ir import Attribute

from gpuasync_lsp.syntax.checks.nvvm.parts import GLOBAL, SHARED, members, result, sizes, space
from gpuasync_lsp.syntax.checks.view import NotKnown, View
from gpuasync_lsp.syntax.dialects.llvm_attributes import LLVMStructType
from gpuasync_lsp.syntax.printer import attribute_text

_K = {
    "tf32": 8, "f16": 16, "bf16": 16, "e4m3": 32, "e5m2": 32, "s8": 32, "u8": 32, "b1": 256,
}  # fmt: skip
_SMALL = tuple((a, b) for a in ("e4m3", "e5m2") for b in ("e4m3", "e5m2"))
_BYTES = tuple((a, b) for a in ("s8", "u8") for b in ("s8", "u8"))
_PRODUCTS = {
    "f16": (("f16", "f16"), *_SMALL),
    "f32": (("f16", "f16"), ("bf16", "bf16"), ("tf32", "tf32"), *_SMALL),
    "s32": (("b1", "b1"), *_BYTES),
}


def _is_n(size: int, type: str) -> bool:
    if type in ("u8", "s8", "b1"):
        return size in (8, 24) or (size % 16 == 0 and 16 <= size <= 256)
    return size % 8 == 0 and 8 <= size <= 256


def _wgmma(view: View) -> str | None:
    """Check a wgmma in MLIR's order: struct, element types, sizes, transpositions, results."""
    types = members(view.type("inouts"))
    for type in types:
        if type != types[0]:
            return f"all elements in struct must be same type but there is '{attribute_text(type)}'"
    shape = sizes(view, "shape")
    if len(shape) != 3:
        raise NotKnown
    to, a, b = view.word("typeD"), view.word("typeA"), view.word("typeB")
    if to is None or a not in _K or b is None:
        raise NotKnown
    if to not in _PRODUCTS:
        return f"does not support the given output type {to}"
    if to == "s32" and "neg" in (view.word("scaleA"), view.word("scaleB")):
        return "has s32 output, scaleA and scaleB cannot be neg"
    if (a, b) not in _PRODUCTS[to]:
        return f"{to} += {a} * {b}, it is not supported."
    if shape["m"] != 64:
        return "shape 'm' must be 64"
    if shape["k"] != _K[a]:
        return f"shape 'k' must be {_K[a]} for input type {a}"
    if not _is_n(shape["n"], a):
        return f"has input type {a} n is set to {shape['n']}, it is not supported."
    return _stored(view, a, b) or _results(view, to, shape["n"], len(types))


def _stored(view: View, a: str, b: str) -> str | None:
    layouts = view.word("layoutA"), view.word("layoutB")
    if a not in ("f16", "bf16") and (layouts[0] == "col" or layouts[1] == "row"):
        return (
            f"given layouts layout_a = {layouts[0]} and layout_b = {layouts[1]} for input types {a} and {b} "
            "requires transpose. However, this is only supported for: f16 and bf16"
        )
    return None


def _results(view: View, to: str, n: int, given: int) -> str | None:
    wanted = n // 4 if to == "f16" else n // 2
    if given != wanted:
        return f"results {wanted}, however output struct has {given} elements"
    if to != "s32" and view.attribute("satfinite") is not None and view.word("satfinite") == "satfinite":
        return f" `satfinite` can be only used with s32 accumulator, however the current accumulator is {to}"
    return None


def _fragment(type: str, part: str, rows: int, columns: int) -> tuple[Attribute, int]:
    """Return the register type and count of a thread's fragment of a matrix.

    Raises NotKnown for an invalid matrix."""
    is_factor = part in ("a", "b")
    if type == "f16":
        return VectorType(Float16Type(), [2]), 8 if is_factor else 4
    if type == "f32":
        return Float32Type(), 8
    if type == "f64":
        return Float64Type(), 1 if is_factor else 2
    if type == "tf32":
        return i32, 4
    if type == "s32":
        return i32, 8
    size = {16: 2, 8: 1, 32: 4}.get(rows if part == "a" else columns)
    if type in ("s8", "u8") and is_factor and size is not None:
        return i32, size
    raise NotKnown


def _of(view: View, type: str | None, part: str | None) -> tuple[Attribute, int]:
    m, n, k = (view.integer(name) for name in "mnk")
    if type is None or part is None:
        raise NotKnown
    rows, columns = {"a": (m, k), "b": (k, n)}.get(part, (m, n))
    return _fragment(type, part, rows, columns)


_SHAPES = {
    "f16": ((16, 16, 16), (32, 8, 16), (8, 32, 16)),
    "s8": ((16, 16, 16), (32, 8, 16), (8, 32, 16)),
    "u8": ((16, 16, 16), (32, 8, 16), (8, 32, 16)),
    "tf32": ((16, 16, 8),),
    "f64": ((8, 8, 4),),
}


def _combined(view: View, type: str | None) -> None:
    """Raise NotKnown for a shape that PTX may lack for the element type."""
    if type is None or tuple(view.integer(name) for name in "mnk") not in _SHAPES.get(type, _SHAPES["f16"]):
        raise NotKnown


def _destination(view: View, element: Attribute, count: int) -> str | None:
    if result(view) != LLVMStructType.literal([element] * count):
        what = f"{count} elements of type '{attribute_text(element)}'"
        return f"expected destination type is a structure of {what}"
    return None


def _wmma_load(view: View) -> str | None:
    if space(view, "ptr") not in (0, GLOBAL, SHARED):
        return "expected source pointer in memory space 0, 1, 3"
    type = view.word("eltype")
    _combined(view, type)
    element, count = _of(view, type, view.word("frag"))
    if isinstance(element, Float64Type) and count == 1:
        return None if isinstance(result(view), Float64Type) else "expected destination type to be f64"
    return _destination(view, element, count)


def _wmma_store(view: View) -> str | None:
    if space(view, "ptr") not in (0, GLOBAL, SHARED):
        return "expected operands to be a source pointer in memory space 0, 1, 3"
    type = view.word("eltype")
    _combined(view, type)
    element, count = _of(view, type, "c")
    given = view.types("args")
    if len(given) != count:
        return f"expected {count} data operands"
    if any(each != element for each in given):
        return f"expected data operands of type '{attribute_text(element)}'"
    return None


def _wmma(view: View) -> str | None:
    factor, sum = view.word("eltypeA"), view.word("eltypeB")
    _combined(view, factor)
    parts = [_of(view, factor, "a"), _of(view, factor, "b"), _of(view, sum, "c")]
    wanted = [element for element, count in parts for _ in range(count)]
    given = view.types("args")
    if len(given) != len(wanted):
        return f"expected {len(wanted)} arguments"
    for index, (type, element) in enumerate(zip(given, wanted, strict=True)):
        if type != element:
            return f"expected argument {index} to be of type '{attribute_text(element)}'"
    return _destination(view, *parts[2])


PRODUCTS = {
    "nvvm.wgmma.mma_async": _wgmma,
    "nvvm.wmma.load": _wmma_load,
    "nvvm.wmma.store": _wmma_store,
    "nvvm.wmma.mma": _wmma,
}
