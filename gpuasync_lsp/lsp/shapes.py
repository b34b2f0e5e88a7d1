"""Validates the types of a message's parameters against the protocol.

Handlers take plain JSON and trust it, so it is first validated against lsprotocol's classes. Missing fields
are not reported, since some clients omit fields that a server does not need. Only if the handler fails,
missing fields are checked as well (`complete=True`), to distinguish an error of the client from one of the
server.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, Literal, NotRequired, TypedDict, Union, get_args, get_origin, get_type_hints

import attrs
from lsprotocol import types

from gpuasync_lsp.text.plain_json import Json, is_list, is_object

Check = Callable[[object, bool], "str | None"]
"""Checks a value, which must be complete if the flag is set; returns an error and its path, or None."""


class _AboutDocument(TypedDict):
    textDocument: types.TextDocumentIdentifier


class _Lowering(_AboutDocument):
    llvm: NotRequired[int | str | None]
    stage: NotRequired[str | None]
    pipeline: NotRequired[str | None]
    options: NotRequired[str | None]
    engine: NotRequired[str | None]
    range: NotRequired[types.Range | None]


class _Streams(_AboutDocument):
    position: NotRequired[types.Position | None]
    format: NotRequired[str | None]
    function: NotRequired[str | None]


class _Passes(_AboutDocument):
    function: NotRequired[str | None]


class _Difference(_Passes):
    before: NotRequired[int | None]
    after: int


class _Run(TypedDict):
    uri: str
    device: NotRequired[str | None]
    entry: NotRequired[str | None]
    args: NotRequired[Json | None]
    seed: NotRequired[int | None]
    schedules: NotRequired[int | None]
    profile: NotRequired[bool | None]
    elements: NotRequired[bool | None]


class _Test(TypedDict):
    uri: str
    line: NotRequired[int | None]


class _Content(TypedDict):
    uri: str


class _Change(TypedDict):
    range: NotRequired[types.Range | None]
    text: str


class _Changes(TypedDict):
    textDocument: types.VersionedTextDocumentIdentifier
    contentChanges: list[_Change]


_OURS: Json = {
    "gpuasync/lowering": _Lowering,
    "gpuasync/passDifference": _Difference,
    "gpuasync/passes": _Passes,
    "gpuasync/streams": _Streams,
    "gpuasync/target": _AboutDocument,
    # lsprotocol has two kinds of content changes; a value that is not of the first kind may be of the second.
    "textDocument/didChange": _Changes,
    "workspace/textDocumentContent": _Content,
}

_COMMANDS: Json = {
    "gpuasync.passes": _Passes,
    "gpuasync.preview": _Lowering,
    "gpuasync.run": _Run,
    "gpuasync.streams": _Streams,
    "gpuasync.test": _Test,
    "gpuasync.updateChecks": _Test,
}


def mistake(method: str, params: Any, *, complete: bool = False) -> str | None:
    """Return the first error in the parameters of a method, or None; unknown methods have no errors."""
    if params is None and not complete:
        return None
    wanted: Any = _OURS.get(method)
    if wanted is None:
        known = types.METHOD_TO_TYPES.get(method)
        wanted = None if known is None else known[2]
    if wanted is None:
        return None
    problem = _check_of(wanted)(params, complete)
    if problem is None and method == types.WORKSPACE_EXECUTE_COMMAND:
        problem = _command_mistake(params, complete)
    return None if problem is None else f"params{problem}"


def _command_mistake(params: Any, complete: bool) -> str | None:
    arguments: list[object] = params.get("arguments") or []
    wanted = _COMMANDS.get(params.get("command", ""))
    if wanted is None or not arguments:
        return None
    problem = _check_of(wanted)(arguments[0], complete)
    return None if problem is None else f".arguments[0]{problem}"


@cache
def _check_of(wanted: Any) -> Check:
    origin, arguments = get_origin(wanted), get_args(wanted)
    if wanted is Any or wanted is object:
        return _anything
    if origin is NotRequired:
        return _check_of(arguments[0])
    if origin is Literal:
        return _check_of(str)
    if origin is Union or isinstance(wanted, _UNION):
        return _any_of(tuple(_check_of(argument) for argument in arguments))
    if origin is tuple:
        return _sequence(_anything)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return _mapping(_check_of(arguments[1]))
    if isinstance(origin, type) and issubclass(origin, Sequence):
        return _sequence(_check_of(arguments[0]))
    return _check_of_class(wanted)


_UNION = type(int | str)


def _check_of_class(wanted: Any) -> Check:
    if issubclass(wanted, enum.Enum):
        # The protocol evolves, so an unknown value of an enumeration is accepted if its type is right.
        return _check_of(int if issubclass(wanted, int) else str)
    if wanted is type(None):
        return lambda value, complete: None if value is None else ": null is expected"
    if wanted is int:
        return lambda value, complete: None if type(value) is int else ": an integer is expected"
    if wanted is float:
        return lambda value, complete: None if type(value) in (int, float) else ": a number is expected"
    if wanted is bool:
        return lambda value, complete: None if type(value) is bool else ": true or false is expected"
    if wanted is str:
        return lambda value, complete: None if isinstance(value, str) else ": a string is expected"
    if attrs.has(wanted):
        return _object(*_fields(wanted))
    hints = get_type_hints(wanted, include_extras=True)
    required = {key for key in hints if get_origin(hints[key]) is not NotRequired}
    return _object(hints, required)


def _fields(wanted: Any) -> tuple[Json, set[str]]:
    """Return the field types of an lsprotocol class by JSON name, and the required names."""
    hints = get_type_hints(wanted)
    fields: Json = {}
    required: set[str] = set()
    for field in attrs.fields(wanted):
        head, *rest = field.name.rstrip("_").split("_")
        name = head + "".join(word.capitalize() for word in rest)
        natural = field.validator is types.validators.uinteger_validator
        fields[name] = _NATURAL if natural and hints[field.name] is int else hints[field.name]
        if field.default is attrs.NOTHING:
            required.add(name)
    return fields, required


def _anything(value: object, complete: bool) -> str | None:
    return None


def _natural(value: object, complete: bool) -> str | None:
    return None if type(value) is int and value >= 0 else ": an integer that is not negative is expected"


_NATURAL = "a natural number"


def _object(fields: Json, required: set[str]) -> Check:
    checks: dict[str, Check] = {}

    def check(value: object, complete: bool) -> str | None:
        if not is_object(value):
            return ": an object is expected"
        known = value
        if complete:
            for name in required:
                if name not in known:
                    return f": {name} is missing"
        for name, inner in known.items():
            if name not in fields:
                continue
            one = checks.get(name)
            if one is None:
                wanted = fields[name]
                one = checks[name] = _natural if wanted is _NATURAL else _check_of(wanted)
            problem = one(inner, complete)
            if problem is not None:
                return f".{name}{problem}"
        return None

    return check


def _sequence(element: Check) -> Check:
    def check(value: object, complete: bool) -> str | None:
        if not is_list(value):
            return ": an array is expected"
        for number, inner in enumerate(value):
            problem = element(inner, complete)
            if problem is not None:
                return f"[{number}]{problem}"
        return None

    return check


def _mapping(element: Check) -> Check:
    def check(value: object, complete: bool) -> str | None:
        if not is_object(value):
            return ": an object is expected"
        for name, inner in value.items():
            problem = element(inner, complete)
            if problem is not None:
                return f".{name}{problem}"
        return None

    return check


def _any_of(checks: tuple[Check, ...]) -> Check:
    def check(value: object, complete: bool) -> str | None:
        problems: list[str] = []
        for one in checks:
            problem = one(value, complete)
            if problem is None:
                return None
            problems.append(problem)
        # Report the error of the alternative that is nested deepest, which was most likely intended.
        return max(problems, key=lambda problem: problem.count(".") + problem.count("["))

    return check
