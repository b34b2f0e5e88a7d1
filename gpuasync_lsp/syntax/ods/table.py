"""The ops of MLIR's dialects, as each release defines them.

`python -m tools.release` builds `releases/data/ops.zip`: one JSON document per dialect, loaded on first
use of one of its ops. It contains the definitions of the releases in `DEFINED`; for other releases only
the names of their ops are known. The documents use short keys, which this module maps to names.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from importlib.resources import files
from io import BytesIO
from typing import Any, NamedTuple, cast
from zipfile import ZipFile

from gpuasync_lsp.releases import DEFINED, Releases
from gpuasync_lsp.releases.table import KNOWN, neighbors
from gpuasync_lsp.syntax.ods.assemblies import ASSEMBLIES
from gpuasync_lsp.text.plain_json import Json
from gpuasync_lsp.text.spelling import closest

Predicate = Sequence[Any]
"""A predicate as nested lists, evaluated by `predicates.py`: `["and", ["is", "memref"], ["rank", "==",
2]]`."""


@dataclass(frozen=True, slots=True, eq=False)
class TypeConstraint:
    """The type constraint of an operand or result."""

    summary: str
    """MLIR's one-line description: `32-bit signless integer`."""
    predicate: Predicate | None
    """The condition on the type; None if it has no translation and is assumed to hold."""
    variadic: str
    """`v`: any number of values; `o`: at most one; `vv`: any number of groups of values; empty: exactly
    one."""
    built: str
    """The only possible type of the value, as text; empty if there are several."""
    written: str
    """The type whose name may be omitted in assembly (`llvm.ptr`), or empty."""
    segments: str
    """The attribute that stores the group sizes of a `vv` operand."""


@dataclass(frozen=True, slots=True, eq=False)
class AttrConstraint:
    """The constraint of an inherent attribute, and the attribute's form in assembly."""

    summary: str
    predicate: Predicate | None
    kind: str
    """`enum`, `def` (an attribute of a dialect), `unit`, `symbol-name`, `property`, or `any`."""
    optional: bool
    """Whether the attribute may be absent."""
    has_default: bool
    written: str
    """The attribute whose name may be omitted in assembly: `nvvm.shfl_kind`."""
    type: str
    """The type of the attribute, which the assembly omits: `i32`."""
    cases: tuple[str, ...]
    """The keywords of an enumeration."""
    values: tuple[int, ...]
    separator: str
    """The separator between the keywords of a bit enumeration, or empty."""
    format: str
    """The assembly format of the attribute's own parameters, for enumerations of a dialect."""
    enumeration: str
    """The C++ name of the enumeration: `::mlir::spirv::Scope`."""


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """The definition of a region or successor."""

    name: str
    variadic: bool
    blocks: int = 0
    """The required number of blocks of a region; 0 allows any number."""


@dataclass(frozen=True, slots=True, eq=False)
class Variant:
    """The definition of an op in one or more releases."""

    name: str
    releases: frozenset[int]
    """The releases with this definition; a subset of `DEFINED`."""
    operands: tuple[tuple[str, TypeConstraint], ...]
    attributes: Mapping[str, AttrConstraint]
    results: tuple[tuple[str, TypeConstraint], ...]
    regions: tuple[Group, ...]
    successors: tuple[Group, ...]
    traits: frozenset[str]
    rules: tuple[Predicate, ...]
    """Traits with parameters, such as `("same-types", "lhs", "rhs")` or `("holds", summary, predicate)`."""
    format: str
    """The assembly format; empty if there is none."""
    custom: bool
    """Whether the op's custom assembly is implemented in C++."""
    verified: bool
    """Whether the op has a verifier in C++."""
    summary: str
    """A one-line summary of the op."""
    description: str
    """The description, in Markdown; empty except for users' own dialects."""
    place: str
    """The location of the definition, `file:line:column`; empty except for users' own dialects."""

    def rule(self, kind: str) -> list[Predicate]:
        """Return the parameters of each trait in `rules` of the given kind."""
        return [rule[1:] for rule in self.rules if rule[0] == kind]


@dataclass(frozen=True, slots=True, eq=False)
class OpEntry:
    """The definitions of an op in all releases."""

    name: str
    variants: tuple[Variant, ...]
    """The different definitions of the op, oldest first."""

    def of(self, version: int) -> Variant | None:
        """Return the definition in LLVM `version`.

        Returns None if that release has no such op, or has no ODS tables and its neighbors define the op
        differently."""
        older, *newer = self.around(version) or (None,)
        return None if newer else older

    def around(self, version: int) -> tuple[Variant, ...]:
        """Return the definition in LLVM `version`, or, if it has no ODS tables, its neighbors'
        definitions, older first."""
        found = [self._exact(each) for each in neighbors(version)]
        if None in found:
            return ()
        return cast("tuple[Variant, ...]", tuple(dict.fromkeys(found)))

    def _exact(self, version: int) -> Variant | None:
        return next((each for each in self.variants if version in each.releases), None)


class Dialect:
    """The ops of one dialect; each entry is created from the JSON on first access."""

    def __init__(self, document: Json) -> None:
        """Raises KeyError or TypeError if `document` does not describe a dialect."""
        self._constraints: Sequence[Json] = document["constraints"]
        self._ops: Json = document["ops"]
        self._types: dict[int, TypeConstraint] = {}
        self._attributes: dict[int, AttrConstraint] = {}
        self._built: dict[str, OpEntry] = {}
        self.meant = lru_cache(maxsize=1_024)(self._meant)
        """Returns the op that an unknown name probably misspells, or None.

        Memoized: a file may repeat the name on each line, and a search takes as long as parsing ten ops."""

    def __iter__(self) -> Iterator[str]:
        return iter(self._ops)

    def get(self, name: str) -> OpEntry | None:
        """Return the op with the full name `name`, or None."""
        if name not in self._ops:
            return None
        found = self._built.get(name)
        if found is None:
            found = self._built[name] = self._entry(name, self._ops[name])
        return found

    def _meant(self, name: str) -> str | None:
        return closest(name, self, _A_SLIP)

    def enumeration(self, name: str) -> Sequence[AttrConstraint]:
        """Return the definitions of the enumeration attribute `name`; empty for other attributes."""
        numbers = [at for at, each in enumerate(self._constraints) if each.get("w") == name and each.get("e")]
        return [self._attribute(number) for number in numbers]

    def _entry(self, name: str, each: Json) -> OpEntry:
        variants = _with_all_types([self._variant(name, of_some) for of_some in each["v"]])
        if name in ASSEMBLIES:
            variants[-1] = replace(variants[-1], format=ASSEMBLIES[name])
            variants = [
                replace(each, format=ASSEMBLIES[name]) if _has_assemblies(each) else each for each in variants
            ]
        return OpEntry(name, tuple(variants))

    def _variant(self, name: str, each: Json) -> Variant:
        traits = each.get("t", ())
        return Variant(
            name,
            frozenset(each["in"]),
            tuple((label, self._type(number)) for label, number in each.get("o", ())),
            {label: self._attribute(number) for label, number in each.get("a", ())},
            tuple((label, self._type(number)) for label, number in each.get("r", ())),
            tuple(Group(label, bool(several), blocks) for label, several, blocks in each.get("g", ())),
            tuple(Group(label, bool(several)) for label, several in each.get("s", ())),
            frozenset(trait for trait in traits if isinstance(trait, str)),
            tuple(tuple(trait) for trait in traits if not isinstance(trait, str)),
            each.get("f", ""),
            bool(each.get("c")),
            bool(each.get("v")),
            each.get("d", ""),
            each.get("h", ""),
            each.get("l", ""),
        )

    def _type(self, number: int) -> TypeConstraint:
        if number not in self._types:
            each = self._constraints[number]
            words = [each.get(key, "") for key in "nbwz"]
            self._types[number] = TypeConstraint(each.get("s", ""), each.get("p"), *words)
        return self._types[number]

    def _attribute(self, number: int) -> AttrConstraint:
        if number not in self._attributes:
            each = self._constraints[number]
            self._attributes[number] = AttrConstraint(
                each.get("s", ""),
                each.get("p"),
                each["k"],
                bool(each.get("o")),
                bool(each.get("d")),
                each.get("w", ""),
                each.get("t", ""),
                tuple(each.get("e", ())),
                tuple(each.get("n", ())),
                each.get("j", ""),
                each.get("f", ""),
                each.get("c", ""),
            )
        return self._attributes[number]


def _has_assemblies(variant: Variant) -> bool:
    """Return whether a format in `ASSEMBLIES` applies to a definition: they describe LLVM 22 and later."""
    return variant.custom and not variant.releases.isdisjoint(_OF_ASSEMBLIES)


_OF_ASSEMBLIES = frozenset(each for each in DEFINED if each in Releases(since=22))


def _with_all_types(variants: Sequence[Variant]) -> list[Variant]:
    """Return the variants without `built` types that differ between them for operands of one format."""
    built: dict[tuple[str, str], set[str]] = {}
    for variant in variants:
        for label, type in variant.operands:
            if type.built:
                built.setdefault((variant.format, label), set()).add(type.built)
    if all(len(types) == 1 for types in built.values()):
        return list(variants)
    return [
        replace(
            variant,
            operands=tuple(
                (label, replace(type, built="" if len(built[variant.format, label]) > 1 else type.built))
                if type.built
                else (label, type)
                for label, type in variant.operands
            ),
        )
        for variant in variants
    ]


def entry(name: str) -> OpEntry | None:
    """Return the definitions of the op `name` in all releases; None if no release has the op."""
    dialect, dot, _ = name.partition(".")
    found = _home(dialect if dot else "builtin")
    return None if found is None else found.get(name)


@cache
def enumeration(name: str) -> Sequence[AttrConstraint]:
    """Return the definitions of MLIR's enumeration attribute `name`; empty for other attributes."""
    dialect = name.partition(".")[0]
    return _dialect(dialect).enumeration(name) if dialect in mlir_dialects() else ()


def ops_of(dialect: str) -> Sequence[str]:
    """Return the full names of the ops of `dialect`; empty if it is not in the ODS tables."""
    return list(_home(dialect) or ())


def _home(name: str) -> Dialect | None:
    if name in mlir_dialects():
        return _dialect(name)
    return _OF_USERS.get(name)


_OF_USERS: dict[str, Dialect] = {}
"""Dialects from the user's own TableGen dumps, by name."""


def use_tables(dialects: Mapping[str, Dialect]) -> None:
    """Replace the dialects from the user's own TableGen dumps; MLIR's dialects are not affected."""
    for name in _OF_USERS.keys() - dialects.keys():
        _OF_USERS.pop(name, None)
    _OF_USERS.update(dialects)


def meant_of_users(name: str) -> str | None:
    """Return the op of a user's own dialect that the unknown `name` probably misspells.

    Returns None if no op is similar enough, since a dump may be incomplete."""
    home = _OF_USERS.get(name.partition(".")[0])
    return None if home is None or home.get(name) is not None else home.meant(name)


_A_SLIP = 0.85
"""The least similarity (a difflib ratio) at which an unknown name is treated as a misspelled op."""


class Absence(NamedTuple):
    """The releases that lack an op."""

    releases: frozenset[int]
    unknown: frozenset[int]
    """The releases for which this is unknown, because their available builds lack the dialect."""

    @property
    def since(self) -> int | None:
        """The release that introduced the op; None if unknown."""
        first = next((each for each in KNOWN if each not in self.releases | self.unknown), None)
        return first if first is not None and first - 1 in self.releases else None

    def is_in(self, version: int) -> bool:
        """Return whether a release has the op; if that is unknown, whether a known neighboring release
        does."""
        (version, _) = neighbors(version, KNOWN)
        if version in self.unknown:
            certain = [each for each in KNOWN if each not in self.unknown]
            return not self.releases.issuperset(neighbors(version, certain))
        return version not in self.releases


def absence(name: str) -> Absence | None:
    """Return which releases lack the op `name`; None if all have it or it is not in the ODS tables.

    This does not load any dialect.
    """
    found = _absences().get(name)
    return None if found is None else Absence(*map(frozenset, found))


def has_op(name: str, version: int) -> bool:
    """Return whether LLVM `version` has the op `name`; true if that is unknown."""
    missing = absence(name)
    return missing is None or missing.is_in(version)


_DEFINED_IN_FULL = frozenset(
    {"acc", "amdgpu", "complex", "emitc", "llvm", "math", "nvgpu", "nvvm", "omp", "rocdl", "shape", "spirv",
     "tensor", "tosa", "ub", "vector", "xegpu", "xevm"}
)  # fmt: skip
"""The dialects whose ops are all defined in TableGen, so that an op missing in the ODS tables does not
exist."""


def is_in_no_release(name: str, version: int) -> bool:
    """Return whether no release has an op `name`; always false for a `version` without ODS tables.

    Releases between those with ODS tables, and newer releases, may have other ops.
    """
    return version in DEFINED and name.partition(".")[0] in _DEFINED_IN_FULL and entry(name) is None


_UNKNOWN_ALLOWED = frozenset({"llvm", "nvvm", "rocdl", "shape", "spirv"})
"""The dialects that call `allowUnknownOperations`: mlir-opt 22 and 23 accept an unknown op of them."""


def rejects_unknown(name: str, version: int) -> bool:
    """Return whether mlir-opt rejects the op `name` in generic form, because its dialect lacks it.

    `--allow-unregistered-dialect` has no effect on this. Returns False for a `version` without ODS tables,
    and for the dialects that it lacks.
    """
    dialect = name.partition(".")[0]
    if version not in DEFINED or dialect in _UNKNOWN_ALLOWED or dialect not in mlir_dialects():
        return False
    return entry(name) is None and any(has_op(each, version) for each in ops_of(dialect))


def dialect_names() -> frozenset[str]:
    """Return the names of MLIR's dialects in the ODS tables and of the user's own dialects."""
    return mlir_dialects() | frozenset(_OF_USERS)


@cache
def mlir_dialects() -> frozenset[str]:
    """Return the names of MLIR's dialects."""
    with _archive() as archive:
        names = frozenset(name.removesuffix(".json") for name in archive.namelist())
    return names - {_INDEX}


_INDEX = "absent"


@cache
def _dialect(name: str) -> Dialect:
    with _archive() as archive:
        return Dialect(json.loads(archive.read(f"{name}.json")))


@cache
def _absences() -> Mapping[str, tuple[Sequence[int], Sequence[int]]]:
    with _archive() as archive:
        return json.loads(archive.read(f"{_INDEX}.json"))


def _archive() -> ZipFile:
    with files("gpuasync_lsp.releases.data").joinpath("ops.zip").open("rb") as stream:
        return ZipFile(BytesIO(stream.read()))
