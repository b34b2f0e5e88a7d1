"""The patterns of the arith dialect: they combine constants, and cancel negations and casts.

Source: mlir/lib/Dialect/Arith/IR/ArithCanonicalization.td. Ops with overflow flags are not rewritten.
"""

from __future__ import annotations

import math

from xdsl.dialects.builtin import IndexType, i1
from xdsl.ir import Attribute, Operation, SSAValue

from gpuasync_lsp.lowering.conversion.edits import erase, insert_before, replace
from gpuasync_lsp.lowering.conversion.folders.constants import constant_float, constant_int, integer
from gpuasync_lsp.lowering.conversion.folders.scf import negated
from gpuasync_lsp.lowering.conversion.greedy import materialize_in_front
from gpuasync_lsp.lowering.passes.canonicalize.patterns.rewriting import Patterns, replace_with
from gpuasync_lsp.releases import Profile
from gpuasync_lsp.syntax.dialects import arith
from gpuasync_lsp.syntax.kinds import is_integer

Term = tuple[int, SSAValue, int]
"""A sum as (sign, value, constant), which means `sign * value + constant` with a sign of 1 or -1."""


def _add_constants(op: Operation, _: Profile) -> bool:
    """Combine the constants of two nested sums or differences."""
    outer, inner = _term(op), None
    if outer is not None and isinstance(outer[1].owner, Operation):
        inner = _term(outer[1].owner)
    if outer is None or inner is None:
        return False
    sign = outer[0] * inner[0]
    number = outer[2] + outer[0] * inner[2]
    # The result is a difference if its constant is on the left, or if both ops are differences.
    if sign < 0:
        left = insert_before(op, integer(number, op.results[0].type)).results[0]
        return replace_with(op, arith.SubiOp(left, inner[1]))
    both = isinstance(op, arith.SubiOp) and isinstance(outer[1].owner, arith.SubiOp) and outer[0] > 0
    right = insert_before(op, integer(-number if both else number, op.results[0].type)).results[0]
    return replace_with(op, (arith.SubiOp if both else arith.AddiOp)(inner[1], right))


def _term(op: Operation) -> Term | None:
    """Return a sum or difference with one constant operand as a `Term`; None for other ops."""
    if not isinstance(op, arith.AddiOp | arith.SubiOp) or not _has_no_flags(op):
        return None
    left, right = op.operands
    a, b = constant_int(left), constant_int(right)
    if (a is None) == (b is None):
        return None
    if op.name == arith.AddiOp.name:
        return (1, left, b) if b is not None else None
    return (1, left, -b) if b is not None else (-1, right, a or 0)


def _multiply_constants(op: Operation, profile: Profile) -> bool:
    inner = op.operands[0].owner
    if not profile.newer_arith_patterns or not isinstance(inner, arith.MuliOp):
        return False
    a, b = constant_int(inner.operands[1]), constant_int(op.operands[1])
    if a is None or b is None or not (_has_no_flags(op) and _has_no_flags(inner)):
        return False
    factor = insert_before(op, integer(a * b, op.results[0].type)).results[0]
    return replace_with(op, arith.MuliOp(inner.operands[0], factor))


def _subtract_from_itself(op: Operation, _: Profile) -> bool:
    """Rewrite `(a - b) - a` as `0 - b`."""
    inner = op.operands[0].owner
    if not isinstance(inner, arith.SubiOp) or inner.operands[0] is not op.operands[1]:
        return False
    if not (_has_no_flags(op) and _has_no_flags(inner)):
        return False
    zero = insert_before(op, integer(0, op.results[0].type)).results[0]
    return replace_with(op, arith.SubiOp(zero, inner.operands[1]))


def _invert_comparison(op: Operation, _: Profile) -> bool:
    comparison = op.operands[0].owner
    if not isinstance(comparison, arith.CmpiOp) or constant_int(op.operands[1]) not in (1, -1):
        return False
    predicate = _INVERSE[comparison.predicate.value.data]
    left, right = comparison.operands
    return replace_with(op, arith.CmpiOp(left, right, predicate))


_INVERSE = (1, 0, 5, 4, 3, 2, 9, 8, 7, 6)
"""Maps each predicate of `arith.cmpi` to its inverse."""


def _compare_extended(comparison: arith.ComparisonOp, _: Profile) -> bool:
    """Replace a comparison of two values extended in the same way with one of the original values."""
    owners = [value.owner for value in comparison.operands]
    kinds = {type(owner) for owner in owners}
    predicate = comparison.predicate.value.data
    if kinds == {arith.ExtUIOp}:
        allowed = predicate < _FIRST_SIGNED or predicate >= _FIRST_UNSIGNED
    else:
        allowed = kinds == {arith.ExtSIOp} and predicate < _FIRST_UNSIGNED
    values = [owner.operands[0] for owner in owners if isinstance(owner, Operation)] if allowed else []
    if len(values) < len(owners) or values[0].type != values[1].type:
        return False
    return replace_with(comparison, arith.CmpiOp(values[0], values[1], predicate))


_FIRST_SIGNED, _FIRST_UNSIGNED = 2, 6


def _simplify_select(op: Operation, _: Profile) -> bool:
    condition, if_true, if_false = op.operands
    if condition.type != i1:
        return False
    known = constant_int(if_true), constant_int(if_false)
    type: Attribute = op.results[0].type
    if type == i1 and known[0] == 0 and known[1] in (1, -1):
        return replace_with(op, arith.XOrIOp(condition, if_false))
    if known == (1, 0) and type != i1 and _bits(type) is not None:
        return replace_with(op, arith.ExtUIOp.create(operands=[condition], result_types=[type]))
    return False


def _choose_directly(op: Operation, profile: Profile) -> bool:
    """Swap the values of a select on a negated condition; skip inner selects on the same condition."""
    condition, if_true, if_false = op.operands
    if not profile.newer_arith_patterns:
        return False
    if condition.type == i1 and (plain := negated(condition)) is not None:
        return replace_with(op, arith.SelectOp(plain, if_false, if_true))
    inner = if_true.owner
    if isinstance(inner, arith.SelectOp) and inner.condition is condition:
        return replace_with(op, arith.SelectOp(condition, inner.true_value, if_false))
    inner = if_false.owner
    if isinstance(inner, arith.SelectOp) and inner.condition is condition:
        return replace_with(op, arith.SelectOp(condition, if_true, inner.false_value))
    return False


def _choose_by_logic(op: Operation, profile: Profile) -> bool:
    """Rewrite a select between two i1 values as `c & a | ~c & b`."""
    condition, if_true, if_false = op.operands
    if not profile.choices_of_bits_are_logic or op.results[0].type != i1 or condition.type != i1:
        return False
    true = materialize_in_front(op, integer(-1, i1))
    opposite = insert_before(op, arith.XOrIOp(condition, true)).results[0]
    first = insert_before(op, arith.AndIOp(condition, if_true)).results[0]
    second = insert_before(op, arith.AndIOp(opposite, if_false)).results[0]
    return replace_with(op, arith.OrIOp(first, second))


_EXTREMA = {
    **dict.fromkeys(("slt", "sle"), (arith.MinSIOp, arith.MaxSIOp)),
    **dict.fromkeys(("sgt", "sge"), (arith.MaxSIOp, arith.MinSIOp)),
    **dict.fromkeys(("ult", "ule"), (arith.MinUIOp, arith.MaxUIOp)),
    **dict.fromkeys(("ugt", "uge"), (arith.MaxUIOp, arith.MinUIOp)),
}
"""Maps each predicate `a ? b` to the ops that replace `select(a ? b, a, b)` and `select(a ? b, b, a)`."""


def _choose_the_extremum(op: Operation, profile: Profile) -> bool:
    """Replace a select between two compared integers with their minimum or maximum."""
    condition, *choice = op.operands
    comparison = condition.owner
    if not profile.choices_are_extrema or not isinstance(comparison, arith.CmpiOp):
        return False
    kinds = _EXTREMA.get(arith.CMPI_PREDICATES[comparison.predicate.value.data])
    compared = list(comparison.operands)
    if kinds is None or choice not in (compared, compared[::-1]):
        return False
    kind = kinds[0 if choice == compared else 1]
    return replace_with(op, kind.create(operands=compared, result_types=list(op.result_types)))


def _extend_unsigned(op: Operation, _: Profile) -> bool:
    """Rewrite the sign extension of a zero extension as a single zero extension."""
    inner = op.operands[0].owner
    if not isinstance(inner, arith.ExtUIOp):
        return False
    return replace_with(op, arith.ExtUIOp.create(operands=inner.operands, result_types=list(op.result_types)))


def _truncate_extended(op: Operation, profile: Profile) -> bool:
    """Merge the truncation of an extension into a single extension or truncation."""
    inner = op.operands[0].owner
    target: Attribute = op.results[0].type
    if not profile.newer_arith_patterns or not isinstance(inner, arith.ExtSIOp | arith.ExtUIOp):
        return False
    source = inner.operands[0]
    bits, wanted = _bits(source.type), _bits(target)
    if bits is None or wanted is None or bits == wanted:
        return False
    kind = arith.TruncIOp if bits > wanted else type(inner)
    return replace_with(op, kind.create(operands=[source], result_types=[target]))


def _truncate_shifted(op: Operation, profile: Profile) -> bool:
    """Simplify a right shift and a truncation that together extract the upper bits of a value.

    An arithmetic shift becomes a logical one; the upper half of a product of extended values becomes the
    second result of an extended multiplication."""
    shift = op.operands[0].owner
    target = op.results[0].type
    if not isinstance(shift, arith.ShRSIOp | arith.ShRUIOp):
        return False
    bits, wanted, amount = _bits(shift.results[0].type), _bits(target), constant_int(shift.operands[1])
    if bits is None or wanted is None or amount != bits - wanted:
        return False
    if shift.name == arith.ShRSIOp.name:
        shifted = arith.ShRUIOp.create(operands=shift.operands, result_types=shift.result_types)
        logical = insert_before(op, shifted).results[0]
        return replace_with(op, arith.TruncIOp.create(operands=[logical], result_types=[target]))
    product = shift.operands[0].owner
    if not profile.extends_products or not isinstance(product, arith.MuliOp):
        return False
    factors = [value.owner for value in product.operands]
    for extension, extended in _EXTENDED_PRODUCTS.items():
        values = [each.operands[0] for each in factors if isinstance(each, extension)]
        if len(values) == len(factors) and all(value.type == target for value in values):
            made = insert_before(op, extended.create(operands=values, result_types=[target, target]))
            return replace(op, [made.results[1]])
    return False


_EXTENDED_PRODUCTS: dict[type[Operation], type[Operation]] = {
    arith.ExtSIOp: arith.MulSIExtendedOp,
    arith.ExtUIOp: arith.MulUIExtendedOp,
}


def _multiply_low(op: Operation, _: Profile) -> bool:
    """Replace an extended product or sum with the plain op if its high result is unused."""
    low, high = op.results
    if high.first_use is not None:
        return False
    kind = arith.AddiOp if isinstance(op, arith.AddUIExtendedOp) else arith.MuliOp
    made = insert_before(op, kind.create(operands=op.operands, result_types=[low.type]))
    low.replace_all_uses_with(made.results[0])
    return erase(op)


def _combine_extended(op: Operation, _: Profile) -> bool:
    """Rewrite a bitwise op on two values extended in the same way as an extension of a bitwise op."""
    owners = [value.owner for value in op.operands]
    op_type = type(op)
    for kind in (arith.ExtUIOp, arith.ExtSIOp):
        values = [owner.operands[0] for owner in owners if isinstance(owner, kind)]
        if len(values) == len(owners) and values[0].type == values[1].type:
            narrow = insert_before(
                op, op_type.create(operands=values, result_types=[values[0].type])
            ).results[0]
            return replace_with(op, kind.create(operands=[narrow], result_types=list(op.result_types)))
    return False


def _bits(type: Attribute) -> int | None:
    return type.width.data if is_integer(type) else None


def _cast_narrow(op: Operation, _: Profile) -> bool:
    """Replace the cast of an extended integer to index with a cast of the original integer."""
    inner = op.operands[0].owner
    kind = arith.ExtSIOp if isinstance(op, arith.IndexCastOp) else arith.ExtUIOp
    if not isinstance(inner, kind) or not isinstance(op.results[0].type, IndexType):
        return False
    cast_op = type(op).create(operands=inner.operands, result_types=list(op.result_types))
    return replace_with(op, cast_op)


def _cast_there_and_back(op: Operation, profile: Profile) -> bool:
    """Fold a cast that undoes an earlier one, even if the earlier one truncates; through LLVM 22."""
    inner = op.operands[0].owner
    if profile.index_casts_fold or not isinstance(inner, type(op)):
        return False
    source = inner.operands[0]
    return source.type == op.results[0].type and replace(op, [source])


def _negate(op: Operation, profile: Profile) -> bool:
    """Rewrite `-0.0 - x` as `-x`."""
    known = constant_float(op.operands[0])
    if not profile.differences_from_zero_negate or known != 0 or math.copysign(1, known) > 0:
        return False
    negation = arith.NegfOp.create(
        operands=[op.operands[1]], result_types=list(op.result_types), properties=dict(op.properties)
    )
    return replace_with(op, negation)


def _cast_bits_once(op: Operation, _: Profile) -> bool:
    inner = op.operands[0].owner
    if not isinstance(inner, arith.BitcastOp):
        return False
    return replace_with(
        op, arith.BitcastOp.create(operands=inner.operands, result_types=list(op.result_types))
    )


def _cancel_negations(op: Operation, _: Profile) -> bool:
    """Rewrite `-a * -b` as `a * b`, and `-a / -b` as `a / b`."""
    owners = [value.owner for value in op.operands]
    values = [owner.operands[0] for owner in owners if isinstance(owner, arith.NegfOp)]
    if len(values) < len(owners):
        return False
    op.operands = values
    return True


def _subtract_negated(op: Operation, _: Profile) -> bool:
    """Rewrite `x + y * -1` as `x - y`."""
    for value, other in (tuple(op.operands), tuple(reversed(op.operands))):
        product = other.owner
        if isinstance(product, arith.MuliOp) and constant_int(product.operands[1]) == -1:
            if not (_has_no_flags(op) and _has_no_flags(product)):
                return False
            return replace_with(op, arith.SubiOp(value, product.operands[0]))
    return False


def _has_no_flags(op: Operation) -> bool:
    flags = op.properties.get("overflowFlags")
    return flags is None or flags == arith.IntegerOverflowFlagsAttr("none")


def _convert_narrow(op: Operation, profile: Profile) -> bool:
    """Convert the original integer to float instead of its extension; as unsigned if it was zero-extended."""
    source = op.operands[0].owner
    if not profile.floats_skip_extensions or not isinstance(source, Operation):
        return False
    if source.name == "arith.extsi" and op.name == "arith.sitofp":
        op.operands[0] = source.operands[0]
        return True
    if source.name != "arith.extui":
        return False
    kept = {"nonNeg": source.properties["nonNeg"]} if "nonNeg" in source.properties else {}
    types = list(op.result_types)
    made = arith.UIToFPOp.create(operands=source.operands, result_types=types, properties=kept)
    return replace_with(op, made)


def _fold_conversions(op: Operation, profile: Profile) -> bool:
    """Convert an integer directly to the narrow float type instead of truncating a wider float."""
    source = op.operands[0].owner
    if not profile.truncations_undo_extensions or not isinstance(source, arith.SIToFPOp | arith.UIToFPOp):
        return False
    made = type(source).create(operands=source.operands, result_types=list(op.result_types))
    return replace_with(op, made)


PATTERNS: Patterns = {
    arith.AddiOp: (_add_constants, _subtract_negated),
    arith.SubiOp: (_add_constants, _subtract_from_itself),
    arith.MuliOp: (_multiply_constants,),
    arith.MulSIExtendedOp: (_multiply_low,),
    arith.MulUIExtendedOp: (_multiply_low,),
    arith.AddUIExtendedOp: (_multiply_low,),
    arith.AndIOp: (_combine_extended,),
    arith.OrIOp: (_combine_extended,),
    arith.XOrIOp: (_invert_comparison, _combine_extended),
    arith.CmpiOp: (_compare_extended,),
    arith.SelectOp: (_simplify_select, _choose_by_logic, _choose_directly, _choose_the_extremum),
    arith.ExtSIOp: (_extend_unsigned,),
    arith.TruncIOp: (_truncate_extended, _truncate_shifted),
    arith.IndexCastOp: (_cast_narrow, _cast_there_and_back),
    arith.IndexCastUIOp: (_cast_narrow, _cast_there_and_back),
    arith.BitcastOp: (_cast_bits_once,),
    arith.SIToFPOp: (_convert_narrow,),
    arith.UIToFPOp: (_convert_narrow,),
    arith.TruncFOp: (_fold_conversions,),
    arith.SubfOp: (_negate,),
    arith.MulfOp: (_cancel_negations,),
    arith.DivfOp: (_cancel_negations,),
}
