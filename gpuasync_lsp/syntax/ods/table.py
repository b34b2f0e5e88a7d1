"""The ops of MLIR's dialects, as defined in the releases.

`python -m tools.release` builds `releases/data/ops.zip`: one JSON document per dialect, read when an op of it
is first used. For other releases, only the set of ops that their builds have is known. The documents have
short keys; this module maps them to names.
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
from gpuasync_lsp.text.spelling import closest

Predicate = Sequence[Any]
"""`["and", ["is", "memref"], ["rank", "==", 2]]`; `predicates.py` reads it."""


@dataclass(frozen=True, slots=True, eq=False)
class TypeConstraint:
    """The constraint of an operand or result."""

    summary: str
    """MLIR's summary: `32-bit signless integer`."""
    predicate: Predicate | None
    """None: it is assumed to hold for every type."""
    variadic: str
    """`v`: any number; `o`: at most one; `vv`: any number of groups; empty: one."""
    built: str
    """The only type that it can have, as text; empty if there are several."""
    written: str
    """The type whose name its assembly may omit (`llvm.ptr`), or empty."""
    segments: str
    """The attribute with the sizes of the groups of `vv`."""


@dataclass(frozen=True, slots=True, eq=False)
class AttrConstraint:
    """The constraint of an inherent attribute, and its form in an assembly format."""

    summary: str
    predicate: Predicate | None
    kind: str
    """`enum`, `def` (an attribute of a dialect), `unit`, `symbol-name`, `property`, or `any`."""
    optional: bool
    """Whether it may be absent."""
    has_default: bool
    written: str
    """The attribute whose name its assembly may omit: `nvvm.shfl_kind`."""
    type: str
    """The type that its assembly omits: `i32`."""
    cases: tuple[str, ...]
    """The keywords of an enumeration."""
    values: tuple[int, ...]
    separator: str
    """The separator between the keywords of a bit set, or empty."""
    format: str
    """The assembly format of the attribute itself, for enumerations of a dialect."""
    enumeration: str
    """The C++ name of the enumeration: `::mlir::spirv::Scope`."""


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """A region or successor by its name."""

    name: str
    variadic: bool
    blocks: int = 0
    """The required number of blocks of a region; 0: any number."""


@dataclass(frozen=True, slots=True, eq=False)
class Variant:
    """The definition of an op in some releases."""

    name: str
    releases: frozenset[int]
    """The releases of `DEFINED` with this definition."""
    operands: tuple[tuple[str, TypeConstraint], ...]
    attributes: Mapping[str, AttrConstraint]
    results: tuple[tuple[str, TypeConstraint], ...]
    regions: tuple[Group, ...]
    successors: tuple[Group, ...]
    traits: frozenset[str]
    rules: tuple[tuple[Any, ...], ...]
    """Traits with parameters: `("same-types", "lhs", "rhs")`; `("holds", words, predicate)` of the op."""
    format: str
    """The assembly format; empty if there is none."""
    custom: bool
    """Whether its assembly is implemented in C++."""
    verified: bool
    """Whether it has a verifier in C++."""
    summary: str
    """A one-line summary of the op."""
    description: str
    """The description, in Markdown; empty except for users' own dialects."""
    place: str
    """The place of the definition, `file:line:column`; empty except for users' own dialects."""

    def rule(self, kind: str) -> list[tuple[Any, ...]]:
        """Return the parameters of the traits of a kind."""
        return [rule[1:] for rule in self.rules if rule[0] == kind]


@dataclass(frozen=True, slots=True, eq=False)
class OpEntry:
    """An op in all releases."""

    name: str
    variants: tuple[Variant, ...]
    """Oldest first."""

    def of(self, version: int) -> Variant | None:
        """Return the op as LLVM `version` defines it, None if it has none or the neighboring definitions
        differ."""
        older, *newer = self.around(version) or (None,)
        return None if newer else older

    def around(self, version: int) -> tuple[Variant, ...]:
        """Return the variants for LLVM `version`: its own, or those of its neighbors, older first."""
        found = [self._exact(each) for each in neighbors(version)]
        if None in found:
            return ()
        return cast("tuple[Variant, ...]", tuple(dict.fromkeys(found)))

    def _exact(self, version: int) -> Variant | None:
        return next((each for each in self.variants if version in each.releases), None)


class Dialect:
    """The ops of one dialect; those requested are built, the rest remains JSON."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        """Raises KeyError or TypeError if `document` is not a dialect."""
        self._constraints: Sequence[Mapping[str, Any]] = document["constraints"]
        self._ops: Mapping[str, Any] = document["ops"]
        self._types: dict[int, TypeConstraint] = {}
        self._attributes: dict[int, AttrConstraint] = {}
        self._built: dict[str, OpEntry] = {}
        self.meant = lru_cache(maxsize=1_024)(self._meant)
        """Returns the op that an unknown name is probably a misspelling of, or None.

        Memoized: a file may have the same name on each line, and comparing takes as long as parsing ten
        ops."""

    def __iter__(self) -> Iterator[str]:
        return iter(self._ops)

    def get(self, name: str) -> OpEntry | None:
        """Return the op called `name`, which includes the dialect."""
        if name not in self._ops:
            return None
        found = self._built.get(name)
        if found is None:
            found = self._built[name] = self._entry(name, self._ops[name])
        return found

    def _meant(self, name: str) -> str | None:
        return closest(name, self, _A_SLIP)

    def enumeration(self, name: str) -> Sequence[AttrConstraint]:
        """Return the releases' definitions of the enumeration attribute `name`; none for other attributes."""
        numbers = [at for at, each in enumerate(self._constraints) if each.get("w") == name and each.get("e")]
        return [self._attribute(number) for number in numbers]

    def _entry(self, name: str, each: Mapping[str, Any]) -> OpEntry:
        variants = _with_all_types([self._variant(name, of_some) for of_some in each["v"]])
        if name in ASSEMBLIES:
            variants[-1] = replace(variants[-1], format=ASSEMBLIES[name])
            variants = [
                replace(each, format=ASSEMBLIES[name]) if _has_assemblies(each) else each for each in variants
            ]
        return OpEntry(name, tuple(variants))

    def _variant(self, name: str, each: Mapping[str, Any]) -> Variant:
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
    """Return whether `ASSEMBLIES` applies to a variant: these belong to LLVM 22 and later."""
    return variant.custom and not variant.releases.isdisjoint(_OF_ASSEMBLIES)


_OF_ASSEMBLIES = frozenset(each for each in DEFINED if each in Releases(since=22))


def _with_all_types(variants: Sequence[Variant]) -> list[Variant]:
    """Return variants that accept any type for an operand if they infer different ones from the same text."""
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
    """Return the entry of the op `name`; None for an op that no release has."""
    dialect, dot, _ = name.partition(".")
    found = _home(dialect if dot else "builtin")
    return None if found is None else found.get(name)


@cache
def enumeration(name: str) -> Sequence[AttrConstraint]:
    """Return the releases' definitions of MLIR's attribute `name`; none if it is no enumeration."""
    dialect = name.partition(".")[0]
    return _dialect(dialect).enumeration(name) if dialect in mlir_dialects() else ()


def ops_of(dialect: str) -> Sequence[str]:
    """Return the full names of the ops of `dialect`; none for one that is not in the tables."""
    return list(_home(dialect) or ())


def _home(name: str) -> Dialect | None:
    if name in mlir_dialects():
        return _dialect(name)
    return _OF_USERS.get(name)


_OF_USERS: dict[str, Dialect] = {}
"""The dialects of users' own dumps, by name."""


def use_tables(dialects: Mapping[str, Dialect]) -> None:
    """Set the dialects of the user's own dumps, replacing previous ones; MLIR's own are not replaced."""
    for name in _OF_USERS.keys() - dialects.keys():
        _OF_USERS.pop(name, None)
    _OF_USERS.update(dialects)


def meant_of_users(name: str) -> str | None:
    """Return the op of a user's own dialect that the unknown `name` is probably a misspelling of.

    None if no op is similar: a dump may have only a part of its dialect."""
    home = _OF_USERS.get(name.partition(".")[0])
    return None if home is None or home.get(name) is not None else home.meant(name)


_A_SLIP = 0.85
"""The similarity (by difflib) from which on a name counts as a misspelling of an op."""


class Absence(NamedTuple):
    """The releases that lack an op."""

    releases: frozenset[int]
    unknown: frozenset[int]
    """The releases for which that is unknown: their builds lack the dialect."""

    @property
    def since(self) -> int | None:
        """The release that introduced the op; None if unknown."""
        first = next((each for each in KNOWN if each not in self.releases | self.unknown), None)
        return first if first is not None and first - 1 in self.releases else None

    def is_in(self, version: int) -> bool:
        """Return whether a release has the op, or may have it; if it is unknown, its neighbors decide."""
        (version, _) = neighbors(version, KNOWN)
        if version in self.unknown:
            certain = [each for each in KNOWN if each not in self.unknown]
            return not self.releases.issuperset(neighbors(version, certain))
        return version not in self.releases


def absence(name: str) -> Absence | None:
    """Return which releases lack the op `name`; None if all have it, or the tables do not.

    No dialect is loaded for this.
    """
    found = _absences().get(name)
    return None if found is None else Absence(*map(frozenset, found))


def has_op(name: str, version: int) -> bool:
    """Return whether LLVM `version` has an op that some release has."""
    missing = absence(name)
    return missing is None or missing.is_in(version)


_DEFINED_IN_FULL = frozenset(
    {"acc", "amdgpu", "complex", "emitc", "llvm", "math", "nvgpu", "nvvm", "omp", "rocdl", "shape", "spirv",
     "tensor", "tosa", "ub", "vector", "xegpu", "xevm"}
)  # fmt: skip
"""The dialects whose ops are all defined by TableGen, without further ones from other libraries."""


def is_in_no_release(name: str, version: int) -> bool:
    """Return whether no release has an op `name`, for a `version` of the tables.

    Releases between those of the tables may have other ops, and so may newer ones.
    """
    return version in DEFINED and name.partition(".")[0] in _DEFINED_IN_FULL and entry(name) is None


def dialect_names() -> frozenset[str]:
    """Return the names of the dialects in the tables, those of the user's dumps included."""
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
