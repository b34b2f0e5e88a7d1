"""shape: results that may be errors where operands may."""

from __future__ import annotations

from collections.abc import Callable

from gpuasync_lsp.syntax.checks.view import View
from gpuasync_lsp.syntax.opaque import UnknownType
from gpuasync_lsp.syntax.printer import attribute_text

_MAY_FAIL = frozenset({"!shape.size", "!shape.shape", "!shape.value_shape"})


def _propagates(word: str) -> Callable[[View], str | None]:
    """Return a check that the result is `!shape.<word>` where an operand may hold an error."""

    def check(view: View) -> str | None:
        given = [value.type for value in view.op.operands]
        if len(view.op.results) != 1 or isinstance(view.op.results[0].type, UnknownType):
            return None
        if not any(attribute_text(each) in _MAY_FAIL for each in given):
            return None
        if attribute_text(view.op.results[0].type) == f"!shape.{word}":
            return None
        return (
            "if at least one of the operands can hold error values then the result must be of type "
            f"`{word}` to propagate them"
        )

    return check


def _broadcast(view: View) -> str | None:
    if len(view.op.operands) < 2:
        return "required at least 2 input shapes"
    return _propagates("shape")(view)


def _assuming_all(view: View) -> str | None:
    return None if view.op.operands else "no operands specified"


CHECKS: dict[str, Callable[[View], str | None]] = {
    "shape.assuming_all": _assuming_all,
    "shape.broadcast": _broadcast,
    **{f"shape.{name}": _propagates("size") for name in ("add", "div", "mul", "get_extent", "num_elements")},
    "shape.rank": _propagates("size"),
    "shape.shape_of": _propagates("shape"),
}
