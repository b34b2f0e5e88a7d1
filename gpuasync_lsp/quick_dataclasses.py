"""Compiles methods of data classes on their first call, which saves a quarter of the time of a short command.

`dataclasses` generates and compiles five to eight methods per class at once. A command defines 330 such
classes, half of them in xDSL, and calls few of their methods.
"""

from __future__ import annotations

import builtins
import dataclasses
from collections.abc import Mapping, Sequence
from inspect import signature
from types import FunctionType
from typing import Any

_PARAMETERS = {"name", "args", "body", "globals", "locals", "return_type"}


def compile_later() -> None:
    """Compile methods lazily in all data classes defined from now on; only for processes of this package.

    The generated source is that of the standard library. A method gets its signature and annotations at its
    first call. This function replaces `_create_fn`, which creates each method in Python 3.11 and 3.12. It has
    no effect in later releases, which compile a class's methods together, or if `_create_fn` has different
    parameters.
    """
    theirs = getattr(dataclasses, "_create_fn", None)
    if isinstance(theirs, FunctionType) and {*signature(theirs).parameters} == _PARAMETERS:
        setattr(dataclasses, "_create_fn", _method)  # noqa: B010 - unknown to type checkers


def _method(
    name: str,
    arguments: Sequence[str],
    body: Sequence[str],
    *,
    globals: Mapping[str, Any] | None = None,
    locals: Mapping[str, Any] | None = None,
    return_type: Any = dataclasses.MISSING,
) -> FunctionType:
    """Return a function with this name, parameters and body; the body can use `locals` and builtins."""
    namespace: dict[str, Any] = {**(locals or {}), "__builtins__": builtins}
    namespace["__name__"] = (globals or {}).get("__name__", __name__)
    function = FunctionType(_CALLED_FIRST, namespace, name)

    def compiled() -> FunctionType:
        returned = ""
        if return_type is not dataclasses.MISSING:
            namespace["_return_type"] = return_type
            returned = " -> _return_type"
        lines = "\n".join(f" {line}" for line in body)
        defined: dict[str, Any] = {}
        text = f"def {name}({','.join(arguments)}){returned}:\n{lines}"
        exec(compile(text, "<string>", "exec", dont_inherit=True), namespace, defined)
        real = defined[name]
        function.__annotations__ = real.__annotations__
        function.__kwdefaults__ = real.__kwdefaults__
        function.__defaults__ = real.__defaults__
        function.__code__ = real.__code__  # Set last, because another thread may be calling the function.
        return function

    namespace["compiled"] = compiled
    return function


def _called_first(*arguments: Any, **named: Any) -> Any:
    return globals()["compiled"]()(*arguments, **named)


_CALLED_FIRST = _called_first.__code__
