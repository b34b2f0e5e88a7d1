"""nvvm: value exchange between the threads of a warp."""

from __future__ import annotations

from xdsl.dialects.builtin import Float32Type, i1, i32

from gpuasync_lsp.syntax.checks.nvvm.parts import members, result
from gpuasync_lsp.syntax.checks.view import VerifierError, View
from gpuasync_lsp.syntax.dialects.llvm_attributes import LLVMStructType
from gpuasync_lsp.syntax.printer import attribute_text


def _shuffle(view: View) -> str | VerifierError | None:
    given, made = view.type("val"), result(view)
    has_predicate = view.attribute("return_value_and_is_valid") is not None
    if isinstance(made, LLVMStructType):
        if not has_predicate:
            rule = '"return_value_and_is_valid" attribute must be specified'
            return VerifierError(f"{rule} when the return type is a struct type", 22)
        types = members(made)
        if len(types) != 2:
            return "expected return type to be a two-element struct"
        if types[0] != given:
            return _wrong(
                "first element in the returned struct", attribute_text(given), attribute_text(types[0])
            )
        if types[1] != i1:
            return _wrong("second element in the returned struct", "i1", attribute_text(types[1]))
        return None
    if has_predicate:
        return "expected return type to be a two-element struct"
    if made != given:
        return _wrong("return type", attribute_text(given), attribute_text(made))
    return None


def _wrong(what: str, wanted: str, given: str) -> VerifierError:
    return VerifierError(f"expected {what} to be of type '{wanted}' but got '{given}' instead", 22)


def _match(view: View) -> str | None:
    made = result(view)
    if view.word("kind") == "all":
        if not isinstance(made, LLVMStructType) or made.types.data != (i32, i1):
            return (
                "match.sync 'all' returns a two element struct with first element as i32 and second "
                "element as i1"
            )
        return None
    return None if made == i32 else "match.sync 'any' returns an i32"


def _vote(view: View) -> str | None:
    made = result(view)
    if view.word("kind") == "ballot":
        return None if made == i32 else "vote.sync 'ballot' returns an i32"
    return None if made == i1 else "vote.sync 'any', 'all' and 'uni' returns an i1"


def _reduce(view: View) -> VerifierError | None:
    made, kind = result(view), view.word("kind")
    is_float = isinstance(made, Float32Type)
    words = None
    if not is_float and view.is_set("abs"):
        words = "abs attribute is supported only for f32 type"
    elif not is_float and view.is_set("nan"):
        words = "nan attribute is supported only for f32 type"
    elif kind in ("fmin", "fmax"):
        if not is_float:
            words = _kind(kind, attribute_text(made), "f32")
    elif kind is not None and made != i32:
        words = _kind(kind, attribute_text(made), "i32")
    return None if words is None else VerifierError(words, 22)


def _kind(kind: str, given: str, wanted: str) -> str:
    return f"'{kind}' redux kind unsupported with '{given}' type. Only supported type is '{wanted}'."


def _query(view: View) -> str | None:
    made, kind = result(view), view.word("query_type")
    if kind == "is_canceled":
        return None if made == i1 else "is_canceled query type returns an i1"
    if made == i32:
        return None
    return "get_first_cta_id_x, get_first_cta_id_y, get_first_cta_id_z query types return an i32"


def _permute(view: View) -> VerifierError | None:
    mode, has_high = view.word("mode"), bool(view.values("hi"))
    if mode in ("default", "f4e", "b4e") and not has_high:
        return VerifierError(f"mode '{mode}' requires 'hi' operand.", bare=True)
    if mode in ("rc8", "ecl", "ecr", "rc16") and has_high:
        return VerifierError(f"mode '{mode}' does not accept 'hi' operand.", bare=True)
    return None


def _event(view: View) -> str | None:
    mask, number = view.attribute("maskedEventId"), view.attribute("eventId")
    if mask is None and number is None:
        return "either `id` or `mask` must be set"
    if mask is not None and number is not None:
        return "`id` and `mask` cannot be set at the same time"
    if number is not None and not 0 <= view.integer("eventId") <= 15:
        return "`id` must be between 0 and 15"
    return None


WARPS = {
    "nvvm.shfl.sync": _shuffle,
    "nvvm.match.sync": _match,
    "nvvm.vote.sync": _vote,
    "nvvm.redux.sync": _reduce,
    "nvvm.clusterlaunchcontrol.query.cancel": _query,
    "nvvm.prmt": _permute,
    "nvvm.pmevent": _event,
}
