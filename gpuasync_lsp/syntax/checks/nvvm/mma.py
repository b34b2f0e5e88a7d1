"""nvvm.mma.sync: matrix products in registers.

Source: `MmaOp::verify` of NVVMDialect.cpp. The valid shapes follow from the number of rows and columns per
register.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import Float16Type, Float32Type, Float64Type, VectorType, i32
from xdsl.ir import Attribute

from gpuasync_lsp.syntax.checks.nvvm.parts import result, sizes
from gpuasync_lsp.syntax.checks.view import NotKnown, VerifierError, View
from gpuasync_lsp.syntax.dialects.llvm_attributes import LLVMStructType
from gpuasync_lsp.syntax.ods.by_hand.products import element_of
from gpuasync_lsp.syntax.printer import attribute_text

_PAIR, _F32 = VectorType(Float16Type(), [2]), Float32Type()
_DEPTH = {"tf32": 4, "bf16": 8, "f16": 8, "s4": 32, "u4": 32, "b1": 128, "s8": 16, "u8": 16}
"""K columns per register of A or B, by element type, in products with m = 16."""
_INTEGERS = {"s4": 32, "u4": 32, "s8": 16, "u8": 16, "b1": 128}
"""K columns in products with m = 8, by integer element type."""
_SMALL_FLOATS = frozenset({"e4m3", "e5m2", "e3m2", "e2m3", "e2m1"})
"""Element types that LLVM 23 added; their registers are not checked."""
_Parts = Sequence[Sequence[Attribute]]


def _of_sixteen(
    view: View, type: str, n: int, k: int, *, old: bool
) -> tuple[_Parts, _Parts, _Parts, Sequence[Attribute]] | str:
    depth = _DEPTH[type]
    pairs = ("f16", "bf16") if old else ("f16",)
    register: Attribute = _PAIR if type in pairs else i32
    sums: _Parts = [[i32] * 4] if type in _INTEGERS else [[_PAIR] * 2, [_F32] * 4]
    made: list[Attribute] = [_struct([_F32] * 4)]
    if type in _INTEGERS:
        made = [_struct([i32] * 4)]
    elif type in pairs:
        made.insert(0, _struct([_PAIR] * 2))
    given = view.types("operandC")
    if not given:
        raise NotKnown
    if not old and element_of(result(view), is_sum=True) != element_of(given[0], is_sum=True):
        return "ctype does not match dtype"
    return [[register] * (2 * (k // depth))], [[register] * ((n // 8) * (k // depth))], sums, made


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


def _shapes(type: str, m: int) -> Sequence[tuple[int, int, int]]:
    if m == 16:
        return [(16, 8, _DEPTH[type]), (16, 8, _DEPTH[type] * 2)]
    depth = 4 if type in ("f16", "f64") else _INTEGERS.get(type)
    return [] if m != 8 or depth is None else [(8, 8, depth)]


def _product(view: View) -> VerifierError | None:
    type = view.word("multiplicandAPtxType")
    shape = sizes(view, "shape")
    if len(shape) != 3 or type is None:
        raise NotKnown
    m, n, k = shape["m"], shape["n"], shape["k"]
    if type in _SMALL_FLOATS:
        return VerifierError(f"invalid shape or multiplicand type: {type}", bare=True, before=23)
    if m == 16 and type not in _DEPTH:
        return VerifierError(f"invalid shape or multiplicand type: {type}", bare=True)
    # Up to LLVM 19 a register held two bf16, as for f16, and the types of C and D were not compared.
    said = _error(view, type, m, n, k, old=False) or ""
    earlier = _error(view, type, m, n, k, old=True) or ""
    return VerifierError(said, since=20, earlier=earlier) if said or earlier else None


def _error(view: View, type: str, m: int, n: int, k: int, *, old: bool) -> str | None:
    if m not in (8, 16):
        return f"unimplemented variant for MMA shape <{m}, {n}, {k}>"
    wanted = _of_sixteen(view, type, n, k, old=old) if m == 16 else _of_eight(type)
    if isinstance(wanted, str):
        return wanted
    *factors_and_sums, made = wanted
    if (m, n, k) not in _shapes(type, m):
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


MMA = {"nvvm.mma.sync": _product}
