"""transform: named sequences, sequences, and matchers of structured ops.

Source: TransformOps.cpp, LinalgMatchOps.cpp and TransformInterfaces.cpp of LLVM 22; 19 says the same.
"""

from __future__ import annotations

from collections.abc import Callable

from xdsl.dialects.builtin import DictionaryAttr, FunctionType, IntegerType, UnitAttr
from xdsl.ir import Attribute, Block, Operation

from gpuasync_lsp.syntax.checks.view import NotKnown, Refusal, View, elements
from gpuasync_lsp.syntax.opaque import OpaqueOp, UnknownType
from gpuasync_lsp.syntax.printer import attribute_text

_READONLY, _CONSUMED = "transform.readonly", "transform.consumed"
_YIELD = "transform.yield"
_HANDLE = "TransformHandleTypeInterface"


def _named_sequence(view: View) -> Refusal | None:
    """The body of a named sequence, and what its arguments say of consumption."""
    op = view.op
    type = view.attribute("function_type")
    if not isinstance(type, FunctionType) or len(op.regions) != 1:
        raise NotKnown
    statuses = _statuses(view, len(type.inputs.data))
    for number, words in enumerate(statuses):
        if words >= {_READONLY, _CONSUMED}:
            return Refusal(f"argument #{number} cannot be both readonly and consumed", bare=True)
    block = op.regions[0].first_block
    if block is None:
        if all(words & {_READONLY, _CONSUMED} for words in statuses):
            return None
        words = "must provide consumed/readonly status for arguments of external or called ops"
        return Refusal(words, bare=True)
    last = block.last_op
    # Of a block without a terminator it is said that it has none.
    return None if last is None or last.name != _YIELD else _yields(last, type.outputs.data)


def _yields(last: Operation, results: tuple[Attribute, ...]) -> Refusal | None:
    if len(last.operands) != len(results):
        words = "expected terminator to have as many operands as the parent op has results"
        return Refusal(words, bare=True, at=last)
    for number, (operand, result) in enumerate(zip(last.operands, results, strict=True)):
        if operand.type != result and not isinstance(operand.type, UnknownType):
            words = (
                f"the type of the terminator operand #{number} must match the type of the corresponding "
                f"parent op result ('{attribute_text(operand.type)}' vs '{attribute_text(result)}')"
            )
            return Refusal(words, bare=True, at=last)
    return None


def _statuses(view: View, count: int) -> list[frozenset[str]]:
    """Return the names of the attributes of each argument."""
    found = view.attribute("arg_attrs")
    if found is None:
        return [frozenset()] * count
    return [frozenset(each.data if isinstance(each, DictionaryAttr) else ()) for each in elements(found)]


def _sequence(view: View) -> str | None:
    """The arguments of the body, and what it yields."""
    block = view.block()
    if not block.args:
        return "expects the entry block to have at least one argument"
    if _is_plain(block.args[0].type):
        return f"expects the first entry block argument to be of type implementing {_HANDLE}"
    if any(_is_plain(argument.type) for argument in block.args[1:]):
        return (
            f"expects trailing entry block arguments to be of type implementing {_HANDLE}, "
            "TransformValueHandleTypeInterface or TransformParamTypeInterface"
        )
    return None if _ends_with(block, view.op) else _OTHER_TYPES


_OTHER_TYPES = "expects the types of the terminator operands to match the types of the result"


def _is_plain(type: Attribute) -> bool:
    """Tell whether `type` is certainly none of the transform dialect."""
    return isinstance(type, IntegerType)


def _ends_with(block: Block, op: Operation) -> bool:
    last = block.last_op
    if last is None or isinstance(last, OpaqueOp) or last.name != _YIELD:
        return last is not None or not op.results
    given = [operand.type for operand in last.operands]
    wanted = [result.type for result in op.results]
    if any(isinstance(each, UnknownType) for each in (*given, *wanted)):
        return True
    return given == wanted


def _is_set(view: View, name: str) -> bool:
    return isinstance(view.attribute(name), UnitAttr)


def _match_dim(view: View) -> str | None:
    """`transform.match.structured.dim`: which dimensions are asked for."""
    dims = _unique_dims(view, "raw_dim_list", "is_all", "is_inverted")
    if dims is None and _is_set(view, "parallel") and _is_set(view, "reduction"):
        return "cannot request the same dimension to be both parallel and reduction"
    return dims


def _match_operand(view: View) -> str | None:
    """`transform.match.structured.input` and `.init`."""
    if _is_set(view, "permutation") and _is_set(view, "projected_permutation"):
        return '"permutation" and "projected_permutation" are mutually exclusive'
    dims = view.integers("raw_position_list")
    # `all` and `except(...)` may be one, which is seen where it is applied.
    several = len(dims) > 1 and not (_is_set(view, "is_all") or _is_set(view, "is_inverted"))
    results = view.op.results
    kind = attribute_text(results[0].type) if results else ""
    if several and kind and "affine_map" not in kind and not kind.startswith("!transform.param"):
        return "cannot bind multiple inputs/inits to the same value"
    return _unique_dims(view, "raw_position_list", "is_all", "is_inverted")


def _unique_dims(view: View, listed: str, whole: str, inverted: str) -> str | None:
    """What `verifyStructuredOpMatcherDims` says: of `[all]`, `[except(0, 1)]` and `[0, 1]`."""
    dims = view.integers(listed)
    if _is_set(view, whole):
        if _is_set(view, inverted):
            return "cannot request both 'all' and 'inverted' values in the list"
        if dims:
            return "cannot both request 'all' and specific values in the list"
    elif not dims:
        return "must request specific values in the list if 'all' is not specified"
    if len(set(dims)) != len(dims):
        return "expected the listed values to be unique"
    return None


def _match_result(view: View) -> str | None:
    """`transform.match.structured.result`: one user, any, or the value."""
    if _is_set(view, "any") and _is_set(view, "single"):
        return "'any' and 'single' are mutually exclusive"
    is_value = attribute_text(view.type("result")) == "!transform.any_value"
    if not is_value and not (_is_set(view, "any") or _is_set(view, "single")):
        return "expects either the any/single keyword or the type value handle result type"
    return None


def _is_permutation(numbers: tuple[int, ...]) -> bool:
    return sorted(numbers) == list(range(len(numbers)))


def _pack_transpose(view: View) -> Refusal | None:
    """The permutations of `transform.structured.pack_transpose`; mlir-opt 19 and 21 do not look at them."""
    for name in ("inner_perm", "outer_perm"):
        if view.attribute(name) is not None and not _is_permutation(view.integers(name)):
            return Refusal(f'"{name}" is not a valid permutation', since=22)
    return None


def _pack_greedily(view: View) -> str | None:
    if not _is_permutation(view.integers("matmul_inner_dims_order")):
        return '"matmul_inner_dims_order" is not a valid permutation'
    return None


def _interchange(view: View) -> str | None:
    if view.attribute("iterator_interchange") is None:
        return None
    numbers = view.integers("iterator_interchange")
    if not _is_permutation(numbers):
        return (
            "expects iterator_interchange to be a permutation, found "
            f"{', '.join(map(str, view.integers('iterator_interchange')))}"
        )
    return None


def _tile_using_for(view: View) -> str | None:
    """As many loops as sizes that are not 0, from LLVM 18 on; up to 22 at least."""
    sizes = view.integers("static_sizes")
    wanted, loops = sum(size != 0 for size in sizes), view.count("loops")
    if loops == wanted:
        return None
    return f"expected number of loops to tile ({wanted}) to match number of `loops` results ({loops})"


def _multitile_sizes(view: View) -> str | None:
    types = [result.type for result in view.op.results]
    if len(set(types)) > 1 and not any(isinstance(each, UnknownType) for each in types):
        return "expects all results type to be the same"
    return None


CHECKS: dict[str, Callable[[View], str | Refusal | None]] = {
    "transform.match.structured.dim": _match_dim,
    "transform.match.structured.init": _match_operand,
    "transform.match.structured.input": _match_operand,
    "transform.match.structured.result": _match_result,
    "transform.named_sequence": _named_sequence,
    "transform.sequence": _sequence,
    "transform.structured.interchange": _interchange,
    "transform.structured.multitile_sizes": _multitile_sizes,
    "transform.structured.pack_greedily": _pack_greedily,
    "transform.structured.pack_transpose": _pack_transpose,
    "transform.structured.tile_using_for": _tile_using_for,
}
