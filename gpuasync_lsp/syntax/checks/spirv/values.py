"""spirv: casts, scopes and memory semantics, products of matrices; the same words since LLVM 16."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from math import prod
from typing import cast

from xdsl.dialects.builtin import AnyFloat, IntegerType, UnregisteredAttr, VectorType
from xdsl.ir import Attribute

from gpuasync_lsp.syntax.checks.view import NotKnown, Refusal, View, bits, vector_of
from gpuasync_lsp.syntax.opaque import UnknownType
from gpuasync_lsp.syntax.printer import attribute_text
from gpuasync_lsp.syntax.spirv_types import body, pieces

Said = str | Refusal | None

_ORDERS = frozenset({"Acquire", "Release", "AcquireRelease", "SequentiallyConsistent"})
_MATRIX = re.compile(r"\s*([0-9]{1,3})\s*x\s*vector<([0-9]{1,3})x([a-z0-9]+)>\s*")
_ATOMIC = ("And", "IAdd", "IDecrement", "IIncrement", "ISub", "Or", "SMax", "SMin", "UMax", "UMin", "Xor")
_GROUP_SUMS = (
    "BitwiseAnd", "BitwiseOr", "BitwiseXor", "FAdd", "FMax", "FMin", "FMul", "IAdd", "IMul", "LogicalAnd",
    "LogicalOr", "LogicalXor", "SMax", "SMin", "UMax", "UMin",
)  # fmt: skip
_GROUPS = (
    "Ballot", "Broadcast", "Elect", "RotateKHR", "Shuffle", "ShuffleDown", "ShuffleUp", "ShuffleXor",
)  # fmt: skip


def _body(type: Attribute, kind: str) -> str | None:
    """Return what stands in the brackets of `!spirv.<kind><...>`, None for another type."""
    if isinstance(type, UnknownType):
        raise NotKnown
    return body(type, kind)


def _operand(view: View, index: int = 0) -> Attribute:
    if index >= len(view.op.operands):
        raise NotKnown
    return view.op.operands[index].type


def _result(view: View) -> Attribute:
    if len(view.op.results) != 1:
        raise NotKnown
    return view.op.results[0].type


def _width(type: Attribute) -> int:
    vector = vector_of(type)
    return bits(type) if vector is None else bits(vector.element_type) * prod(vector.get_shape())


def _bitcast(view: View) -> Said:
    given, made = _operand(view), _result(view)
    if given == made:
        return Refusal("result type must be different from operand type", bare=True)
    pointers = [_body(each, "ptr") is not None for each in (given, made)]
    if pointers[0] != pointers[1]:
        kinds = ("pointer", "non-pointer") if pointers[0] else ("non-pointer", "pointer")
        words = f"unhandled bit cast conversion from {kinds[0]} type to {kinds[1]} type"
        return Refusal(words, bare=True)
    if _width(given) != _width(made):
        return f"mismatch in result type bitwidth {_width(made)} and operand type bitwidth {_width(given)}"
    return None


def _of_other_width(view: View) -> Said:
    given, made = _operand(view), _result(view)
    vectors = (vector_of(given), vector_of(made))
    elements = (
        vectors[0].element_type if vectors[0] else given,
        vectors[1].element_type if vectors[1] else made,
    )
    if bits(elements[0]) != bits(elements[1]):
        return None
    types = f"'{attribute_text(given)}' and '{attribute_text(made)}'"
    return f"expected the different bit widths for operand type and result type, but provided {types}"


def _semantics(*names: str) -> Callable[[View], Said]:
    def check(view: View) -> Said:
        for name in names:
            value = view.attribute(name)
            if not isinstance(value, UnregisteredAttr):
                raise NotKnown
            words = {each.strip() for each in value.value.data.split("|")}
            if len(words & _ORDERS) > 1:
                words = (
                    "expected at most one of these four memory constraints to be set: `Acquire`, "
                    "`Release`,`AcquireRelease` or `SequentiallyConsistent`"
                )
                return Refusal(words, bare=True)
        return None

    return check


def _atomic(view: View) -> Said:
    pointer = _body(view.type("pointer"), "ptr")
    pointee = None if pointer is None else pieces(pointer)[0]
    given = view.type("value") if len(view.op.operands) > 1 else view.type("result")
    if pointee is not None and "!" not in pointee and pointee != attribute_text(given):
        name = "value" if len(view.op.operands) > 1 else "result"
        return f"failed to verify that `{name}` type matches pointee type of `pointer`"
    return _semantics("semantics")(view)


def _scope(view: View) -> Said:
    value = view.attribute("execution_scope")
    if not isinstance(value, UnregisteredAttr):
        raise NotKnown
    if value.value.data.strip() in ("Workgroup", "Subgroup"):
        return None
    return "execution scope must be 'Workgroup' or 'Subgroup'"


def _group_sum(view: View) -> Said:
    if (said := _scope(view)) is not None:
        return said
    operation = view.attribute("group_operation")
    clustered = isinstance(operation, UnregisteredAttr) and operation.value.data.strip() == "ClusteredReduce"
    if clustered and len(view.op.operands) < 2:
        return "cluster size operand must be provided for 'ClusteredReduce' group operation"
    return None


def _select(view: View) -> Said:
    condition = vector_of(_operand(view))
    if condition is None:
        return None
    made = vector_of(_result(view))
    if made is None:
        return "result expected to be of vector type when condition is of vector type"
    if made.get_shape() != condition.get_shape():
        return (
            "result should have the same number of elements as the condition when condition is of vector type"
        )
    return None


def _extended(view: View) -> Said:
    inner = _body(_result(view), "struct")
    if inner is None or not inner.startswith("(") or not inner.endswith(")") or "!" in inner or "[" in inner:
        raise NotKnown
    members = pieces(inner[1:-1])
    if len(members) != 2:
        return "expected result struct type containing two members"
    types = {attribute_text(_operand(view, at)) for at in (0, 1)}
    if len(types | set(members)) > 1:
        return "expected all operand types and struct member types are the same"
    return None


def _vector_times_scalar(view: View) -> Said:
    vector, made = vector_of(_operand(view)), vector_of(_result(view))
    if vector is None or made is None or isinstance(_operand(view, 1), UnknownType):
        raise NotKnown
    return "scalar operand and result element type match" if _operand(view, 1) != made.element_type else None


def _matrix(type: Attribute) -> tuple[int, int, str]:
    """Return the columns, rows and element type of a matrix."""
    inner = _body(type, "matrix")
    match = None if inner is None else _MATRIX.fullmatch(inner)
    if match is None:
        raise NotKnown
    return int(match[1]), int(match[2]), match[3]


def _transpose(view: View) -> Said:
    given, made = _matrix(_operand(view)), _matrix(_result(view))
    said = None
    if given[1] != made[0]:
        said = "input matrix rows count must be equal to output matrix columns count"
    elif given[0] != made[1]:
        said = "input matrix columns count must be equal to output matrix rows count"
    elif given[2] != made[2]:
        said = "input and output matrices must have the same component type"
    return None if said is None else Refusal(said, bare=True)


def _matrix_times_scalar(view: View) -> Said:
    if _matrix(_operand(view))[2] != attribute_text(_operand(view, 1)):
        return "input matrix components' type and scaling value must have the same type"
    return None


def _construct(view: View) -> Said:
    made = vector_of(_result(view))
    types = [value.type for value in view.op.operands]
    if made is None or any(isinstance(each, UnknownType) for each in types):
        raise NotKnown
    if any(vector_of(each) is not None for each in types) or len(made.get_shape()) != 1:
        raise NotKnown
    if len(types) != made.get_shape()[0]:
        return f"has incorrect number of operands: expected {made.get_shape()[0]}, but provided {len(types)}"
    for each in types:
        if each != made.element_type:
            names = f"'{attribute_text(made.element_type)}', but provided '{attribute_text(each)}'"
            return f"operand type mismatch: expected operand type {names}"
    return None


def _shuffle(view: View) -> Said:
    first, second = vector_of(_operand(view)), vector_of(_operand(view, 1))
    made, selectors = vector_of(_result(view)), view.integers("components")
    if first is None or second is None or made is None:
        raise NotKnown
    if made.get_shape()[0] != len(selectors):
        counts = f"({made.get_shape()[0]}) mismatch with the number of component selectors ({len(selectors)})"
        return f"result type element count {counts}"
    total = first.get_shape()[0] + second.get_shape()[0]
    for each in selectors:
        if each % (1 << 32) >= total and each % (1 << 32) != 0xFFFFFFFF:
            return f"component selector {each} out of range: expected to be in [0, {total}) or 0xffffffff"
    return None


def _dot(view: View) -> Said:
    given, made = _operand(view), _result(view)
    packed = view.attribute("format") is not None
    vector = vector_of(given)
    if vector is None and not packed:
        return "requires Packed Vector Format attribute for integer vector operands"
    if vector is not None and packed:
        return f"with invalid format attribute for vector operands of type '{attribute_text(given)}'"
    width = bits(given) if vector is None else bits(vector.element_type)
    if isinstance(made, IntegerType) and (given_width := bits(cast("Attribute", made))) < width:
        words = f"result type has insufficient bit-width ({given_width} bits)"
        return f"{words} for the specified vector operand type ({width} bits)"
    return None


def _ldexp(view: View) -> Said:
    given, exponent = view.type("x"), view.type("exp")
    vectors: Sequence[VectorType[Attribute] | None] = (vector_of(given), vector_of(exponent))
    if (vectors[0] is None) != (vectors[1] is None):
        return "operands must both be scalars or vectors"
    if vectors[0] is None and not (isinstance(given, AnyFloat) and isinstance(exponent, IntegerType)):
        raise NotKnown
    if vectors[0] is not None and vectors[1] is not None and vectors[0].get_shape() != vectors[1].get_shape():
        return "operands must have same number of elements"
    return None


VALUES: dict[str, Callable[[View], Said]] = {
    "spirv.Bitcast": _bitcast,
    "spirv.CompositeConstruct": _construct,
    "spirv.ControlBarrier": _semantics("memory_semantics"),
    "spirv.FConvert": _of_other_width,
    "spirv.GL.Ldexp": _ldexp,
    "spirv.IAddCarry": _extended,
    "spirv.ISubBorrow": _extended,
    "spirv.MatrixTimesScalar": _matrix_times_scalar,
    "spirv.MemoryBarrier": _semantics("memory_semantics"),
    "spirv.SConvert": _of_other_width,
    "spirv.SMulExtended": _extended,
    "spirv.Select": _select,
    "spirv.Transpose": _transpose,
    "spirv.UConvert": _of_other_width,
    "spirv.UMulExtended": _extended,
    "spirv.VectorShuffle": _shuffle,
    "spirv.VectorTimesScalar": _vector_times_scalar,
    **{f"spirv.Atomic{name}": _atomic for name in _ATOMIC},
    **{f"spirv.GroupNonUniform{name}": _group_sum for name in _GROUP_SUMS},
    **{f"spirv.GroupNonUniform{name}": _scope for name in _GROUPS},
    **{f"spirv.{name}Dot": _dot for name in ("S", "SU", "U")},
}
