"""nvvm.mma.sync and nvvm.mma.sp.sync: MMAs in registers.

Source: `MmaOp::verify` and `MmaSpOp::verify` of NVVMDialect.cpp. The valid shapes follow from the number of
rows and columns per register.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from xdsl.dialects.builtin import Float16Type, Float32Type, Float64Type, VectorType, i32
from xdsl.ir import Attribute

from gpuasync_lsp.syntax.checks.nvvm.parts import result, sizes
from gpuasync_lsp.syntax.checks.view import NotKnown, VerifierError, View
from gpuasync_lsp.syntax.dialects.llvm_attributes import LLVMStructType
from gpuasync_lsp.syntax.ods.by_hand.products import element_of
from gpuasync_lsp.syntax.printer import attribute_text

_PAIR, _F32 = VectorType(Float16Type(), [2]), Float32Type()
_DEPTH = {"tf32": 4, "bf16": 8, "f16": 8, "s4": 32, "u4": 32, "b1": 128, "s8": 16, "u8": 16}
"""Maps each element type to the K columns per register of A or B, in MMAs with m = 16."""
_INTEGERS = {"s4": 32, "u4": 32, "s8": 16, "u8": 16, "b1": 128}
"""Maps each integer element type to the K columns in MMAs with m = 8."""
_FLOATS_OF_8_BITS = ("e4m3", "e5m2")
_SMALL_FLOATS = (*_FLOATS_OF_8_BITS, "e3m2", "e2m3", "e2m1")
_Parts = Sequence[Sequence[Attribute]]


class _Variant(NamedTuple):
    """The op, and the operands that it accepts in a range of releases."""

    depths: Mapping[str, int]
    """Maps each element type to the K columns per register of A or B, in MMAs with m = 16."""
    pairs: Sequence[str] = ("f16",)
    """Element types for which a register of A or B contains two f16."""
    is_sparse: bool = False
    """Whether A is sparse, with half of its elements omitted (`mma.sp`)."""
    compares_sums: bool = True
    """Whether C and the results must have equal element types."""

    @property
    def op(self) -> str:
        """The name of the op."""
        return "nvvm.mma.sp.sync" if self.is_sparse else "nvvm.mma.sync"

    def shapes(self, type: str) -> Sequence[tuple[int, int, int]]:
        """Return the valid shapes (m, n, k) with m = 16 for an element type of A and B."""
        if self.is_sparse and type in _SMALL_FLOATS:
            return [(16, 8, 64)]
        depth = self.depths[type] * (1 + self.is_sparse)
        return [(16, 8, depth), (16, 8, depth * 2)]


_UP_TO_19 = _Variant(_DEPTH, pairs=("f16", "bf16"), compares_sums=False)
_UP_TO_22 = _Variant(_DEPTH)
_SINCE_23 = _Variant(_DEPTH | dict.fromkeys(_FLOATS_OF_8_BITS, 16))
_NOT_SPARSE = {"b1"}
_DEPTHS_OF_SPARSE = {type: depth for type, depth in _DEPTH.items() if type not in _NOT_SPARSE}
_SPARSE_UP_TO_22 = _Variant(_DEPTHS_OF_SPARSE | dict.fromkeys(_SMALL_FLOATS, 32), is_sparse=True)
_SPARSE_SINCE_23 = _Variant(_DEPTHS_OF_SPARSE | dict.fromkeys(_SMALL_FLOATS, 16), is_sparse=True)


def _of_sixteen(
    view: View, type: str, n: int, k: int, variant: _Variant
) -> tuple[_Parts, _Parts, _Parts, Sequence[Attribute]] | str:
    depth = variant.depths[type]
    register: Attribute = _PAIR if type in variant.pairs else i32
    sums: _Parts = [[i32] * 4] if type in _INTEGERS else [[_PAIR] * 2, [_F32] * 4]
    made: list[Attribute] = [_struct([_F32] * 4)]
    if type in _INTEGERS:
        made = [_struct([i32] * 4)]
    elif type in (*variant.pairs, *_SMALL_FLOATS):
        made.insert(0, _struct([_PAIR] * 2))
    given = view.types("operandC")
    if not given:
        raise NotKnown
    if variant.compares_sums and element_of(result(view), is_sum=True) != element_of(given[0], is_sum=True):
        return "ctype does not match dtype"
    tiles = k // depth
    return (
        [[register] * (tiles if variant.is_sparse else 2 * tiles)],
        [[register] * (n // 8 * tiles)],
        sums,
        made,
    )


def _of_eight(type: str) -> tuple[_Parts, _Parts, _Parts, Sequence[Attribute]]:
    if type == "f16":
        pairs = [[_PAIR] * 2]
        return pairs, pairs, [[_PAIR] * 4, [_F32] * 8], [_struct([_PAIR] * 4), _struct([_F32] * 8)]
    if type == "f64":
        double = Float64Type()
        return [[double]], [[double]], [[double] * 2], [_struct([double] * 2)]
    if type in _INTEGERS:
        return [[i32]], [[i32]], [[i32] * 2], [_struct([i32] * 2)]
    return [], [], [], []


def _shapes(type: str, m: int, variant: _Variant) -> Sequence[tuple[int, int, int]]:
    if m == 16:
        return variant.shapes(type)
    depth = 4 if type in ("f16", "f64") else _INTEGERS.get(type)
    return [] if depth is None or (variant.is_sparse and type in _NOT_SPARSE) else [(8, 8, depth)]


def _product(view: View) -> VerifierError | None:
    type = _type(view)
    earlier, later = _error(view, type, _UP_TO_22), _error(view, type, _SINCE_23)
    if earlier != later:
        return VerifierError(later, bare=True, since=23, earlier=earlier)
    first = _error(view, type, _UP_TO_19)
    return VerifierError(later, bare=True, since=20, earlier=first) if first or later else None


def _sparse_product(view: View) -> VerifierError | None:
    type = _type(view)
    earlier, later = _error(view, type, _SPARSE_UP_TO_22), _error(view, type, _SPARSE_SINCE_23)
    return VerifierError(later, bare=True, since=23, earlier=earlier) if earlier or later else None


def _type(view: View) -> str:
    type = view.word("multiplicandAPtxType")
    if type is None:
        raise NotKnown
    return type


def _error(view: View, type: str, variant: _Variant) -> str:
    """Return the error of the releases that accept `variant`; empty if there is none."""
    shape = sizes(view, "shape")
    if len(shape) != 3:
        raise NotKnown
    m, n, k = shape["m"], shape["n"], shape["k"]
    if m == 16 and type not in variant.depths:
        return f"invalid shape or multiplicand type: {type}"
    words = _mismatch(view, type, (m, n, k), variant)
    return f"'{variant.op}' op {words}" if words else ""


def _mismatch(view: View, type: str, shape: tuple[int, int, int], variant: _Variant) -> str | None:
    m, n, k = shape
    if m not in (8, 16):
        return f"unimplemented variant for MMA shape <{m}, {n}, {k}>"
    wanted = _of_sixteen(view, type, n, k, variant) if m == 16 else _of_eight(type)
    if isinstance(wanted, str):
        return wanted
    *factors_and_sums, made = wanted
    if shape not in _shapes(type, m, variant):
        return f"unimplemented variant for MMA shape <{m}, {n}, {k}>"
    for name, allowed in zip("ABC", factors_and_sums, strict=True):
        given = view.types(f"operand{name}")
        if not any(list(each) == given for each in allowed):
            options = "".join(f"{len(each)}x{attribute_text(each[0])} " for each in allowed)
            written = ", ".join(map(attribute_text, given))
            return (
                f"Could not match types for the {name} operands; expected one of {options}but got {written}"
            )
    if result(view) not in made:
        options = ", ".join(map(attribute_text, made))
        got = attribute_text(result(view))
        return f"Could not match allowed types for the result; expected one of {options} but got {got}"
    if type == "b1" and view.attribute("b1Op") is None:
        return "op requires b1Op attribute"
    if type in _INTEGERS and type != "b1" and view.attribute("intOverflowBehavior") is None:
        return "op requires intOverflowBehavior attribute"
    return None


def _struct(members: Sequence[Attribute]) -> Attribute:
    return LLVMStructType.literal(members)


MMA = {_SINCE_23.op: _product, _SPARSE_SINCE_23.op: _sparse_product}
