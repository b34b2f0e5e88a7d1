"""Has methods of data classes compiled when they are first called: a quarter of the time of a short command.

`dataclasses` writes the text of five to eight methods of each class, and compiles them at once. A command
defines 330 such classes, half of them xDSL's, and calls few of their methods.
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
    """Do so for all classes that are defined from now on in this process, which is to be our own.

    The methods are the same text as the standard library's; a method's signature and annotations are there
    once it was called. This replaces `_create_fn`, which makes each method in Python 3.11 and 3.12. Later
    releases compile the methods of a class together, by other means, and stay as they are; so does a Python
    whose function takes anything else.
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
    """Return a function of this name, these parameters and lines, which see `locals` and built-in names."""
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
        function.__code__ = real.__code__  # last: another thread may be calling it
        return function

    namespace["compiled"] = compiled
    return function


def _called_first(*arguments: Any, **named: Any) -> Any:
    return globals()["compiled"]()(*arguments, **named)


_CALLED_FIRST = _called_first.__code__
