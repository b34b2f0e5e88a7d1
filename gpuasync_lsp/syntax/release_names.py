"""Finds types and attributes that a release rejects: names that its dialects lack, and builtin types.

`releases/data/names.json` lists the names whose parsers TableGen generates, and the releases without
definitions. The names that C++ parsers accept are below, measured with mlir-opt of each release.
`releases/data/bodied.json` lists the names that require a `<`. `python -m tools.release` writes both.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from importlib.resources import files
from itertools import islice
from typing import Any

from gpuasync_lsp.releases import Releases, profile
from gpuasync_lsp.releases.table import DEFINED, is_after_definitions
from gpuasync_lsp.syntax.type_texts import LAYOUT, lacks_data
from gpuasync_lsp.text import Span
from gpuasync_lsp.text.lazy_pattern import lazy_pattern

_NAME = lazy_pattern(r"([!#])([a-z_][a-z_0-9]*)(?:\.|<[ \t]*)([A-Za-z_][\w.]*)")
"""Matches the name of a dialect's type or attribute: `!gpu.async.token`, `#gpu<address_space`."""
_FLOAT = lazy_pattern(r"(?:(?<![\w.$%@^#!-])(?<!_type<)|(?<=[0-9?\]]x))(?:f[468]E[0-9]M\w*|tf32)\b")
"""Matches builtin float types, but not keywords such as the one in `#nvvm.mma_type<tf32>`."""
_FLOAT_MARKS = ("f8E", "f6E", "f4E", "tf32")
_TYPED_POINTER = lazy_pattern(r"!llvm\.ptr<(?=[a-z!(])")
_VECTOR_OF_POINTERS = lazy_pattern(r"vector<[0-9x\[\]]{1,99}x!llvm\.")
_SCALABLE_IN_FRONT = lazy_pattern(r"vector<[0-9x\[\]]{0,99}\]x\[?[0-9]")
_NAMELESS_TARGET = lazy_pattern(r"!llvm\.target<(?![ \t]*\")")
_MATRIX = r"!gpu\.mma_matrix<[0-9]{1,9}x[0-9]{1,9}x"
_MATRIX_OF_16 = lazy_pattern(_MATRIX + r"(?!f(?:16|32)\b)")
_MATRIX_OF_17 = lazy_pattern(_MATRIX + r"(?!(?:[su]i8|[su]?i32|f16|f32)\b)")
_MATRIX_OF_22 = lazy_pattern(_MATRIX + r"(?!(?:[su]i8|[su]?i32|f16|f32|f64)\b)")
_EFFECTS_OF_22 = lazy_pattern(r"#llvm\.memory_effects<[^<>]*\berrnoMem\b")
_EFFECTS_OF_21 = lazy_pattern(r"#llvm\.memory_effects<(?![^<>]*\berrnoMem\b)")
_SYSTEM_SPEC = r'#dlti\.target_system_spec<[ \t]*"[^"\n]{0,99}"[ \t]*'
_SPEC_WITH_COLON = lazy_pattern(_SYSTEM_SPEC + ":")
_SPEC_WITH_EQUALS = lazy_pattern(_SYSTEM_SPEC + "=")
_NO_TARGET = lazy_pattern(
    r"#gpu\.object<(?=#(?!(?:nvvm|rocdl|xevm)\.target\b|spirv\.target_env\b)[a-z_]\w*\.)"
)
_ARRAY_OF_BITS = lazy_pattern(r"\barray<(?:tf32|f[46]E[0-9]M\w*)\b")
_RANGE = lazy_pattern(r'(?<="):[ ]?[0-9]{1,10}[ ]?:[ ]?[0-9]{1,10}[ ]to\b')
"""Matches a range of lines after the file name in a location."""
_BODY = lazy_pattern(r"[ \t\n]*<")
_NO_COLUMN = lazy_pattern(r'(?<="):[ ]?[0-9]{1,10}[ ]?(?=[]),])')
_ARRAY_OF_INDICES = lazy_pattern(r"(?<![\w.$])array<[ \t]*index\b")


_FLOATS: Mapping[str, Releases] = {
    "f8E5M2FNUZ": Releases(17),
    "f8E4M3FNUZ": Releases(17),
    "f8E4M3B11FNUZ": Releases(17),
    "tf32": Releases(18),
    "f8E4M3": Releases(19),
    "f8E3M4": Releases(20),
    "f4E2M1FN": Releases(20),
    "f6E2M3FN": Releases(20),
    "f6E3M2FN": Releases(20),
    "f8E8M0FNU": Releases(20),
}
_BY_HAND: Mapping[str, Mapping[str, Releases]] = {
    "!gpu": {
        "async.token": Releases(),
        "mma_matrix": Releases(),
        "named_barrier": Releases(23),
        "sparse.dntensor_handle": Releases(17),
        "sparse.env_handle": Releases(17, 17),
        "sparse.spgemmop_handle": Releases(18),
        "sparse.spmat_handle": Releases(17),
    },
    "#dlti": {
        "target_device_spec": Releases(19),
        "target_system_spec": Releases(19),
    },
    "!llvm": {
        "byte": Releases(23),
        "target": Releases(17),
        "vec": Releases(until=20),
        "x86_amx": Releases(20),
        "x86_mmx": Releases(until=19),
    },
    "!transform": {
        "affine_map": Releases(17),
        "any_op": Releases(),
        "any_param": Releases(17),
        "any_value": Releases(17),
        "op": Releases(),
        "param": Releases(),
        "test_dialect_op": Releases(),
        "test_dialect_param": Releases(),
        "type": Releases(17),
    },
}
"""Names that the C++ parsers of dialects accept, per release.

For llvm, only names that differ between releases are listed: our parser rejects unknown names."""
_DIALECTS: Mapping[str, Releases] = {
    "amx": Releases(until=22),
    "arm_sme": Releases(17),
    "irdl": Releases(17),
    "mesh": Releases(18, 21),
    "mpi": Releases(18),
    "polynomial": Releases(19, 20),
    "ptr": Releases(19),
    "shard": Releases(22),
    "smt": Releases(21),
    "ub": Releases(17),
    "wasmssa": Releases(22),
    "xegpu": Releases(19),
    "xevm": Releases(21),
}
"""The dialects with types or attributes that not all releases have (`mlir-opt --show-dialects`)."""
_IS_COMPLETE = ("!gpu", "!transform")
_SETTLED = ("!async", "!gpu", "!nvgpu", "!pdl", "!shape", "!transform")
"""Dialects without new names since the last release with ODS tables, except for the names in `_BY_HAND`."""


_MOST = 100
"""Maximum number of findings in one file."""
_LONGEST = 2_000
"""Maximum distance before a name within which the start of a comment or string is searched."""


def unread_names(text: str, version: int) -> list[tuple[Span, str]]:
    """Return the first names in `text` that LLVM `version` rejects, with the reasons."""
    found = islice(_unread(text, version), _MOST)
    return [(Span(*match.span()), error) for match, error in found if _is_code(text, match.start())]


def _unread(text: str, version: int) -> Iterator[tuple[re.Match[str], str]]:
    facts = profile(version)
    for match in _NAME.finditer(text):
        mark, dialect, name = match.groups()
        error = _reason(mark + dialect, name, version)
        if error is None and f"{mark}{dialect}.{name}" in _bodied():
            # Spaces may precede the body only in the form `#dialect<name <...>>`.
            body = _BODY.match(text, match.end())
            if body is None or (body[0] != "<" and text[match.end(2)] != "<"):
                error = "expected '<'"
        if error is not None:
            yield match, error
    if facts.layouts_come_in_pairs and "#xegpu.layout<" in text:
        for match in LAYOUT.finditer(text):
            if (error := lacks_data(match[1])) is not None:
                yield match, error
    if any(each in text for each in _FLOAT_MARKS):
        for match in _FLOAT.finditer(text):
            if version not in _FLOATS.get(match[0], Releases()):
                yield match, f"there is no type '{match[0]}'"
    for mark, pattern, is_read, error in (
        (
            "!llvm.ptr<",
            _TYPED_POINTER,
            not facts.pointers_are_opaque,
            "pointers are opaque and specify no pointee type",
        ),
        (
            "x!llvm.",
            _VECTOR_OF_POINTERS,
            facts.vectors_of_llvm_types,
            "vector elements must be int/index/float type",
        ),
        (
            "]x",
            _SCALABLE_IN_FRONT,
            facts.any_dimension_is_scalable,
            "only trailing dimensions of a vector can be scalable",
        ),
        (
            "!gpu.mma_matrix<",
            _MATRIX_OF_22,
            not facts.matrices_of_doubles,
            "MMAMatrixType elements must be SI8, UI8, I32, F16, F32, or F64",
        ),
        (
            "!gpu.mma_matrix<",
            _MATRIX_OF_17,
            facts.matrices_of_doubles or not facts.matrices_of_integers,
            "MMAMatrixType elements must be SI8, UI8, I32, F16, or F32",
        ),
        (
            "!gpu.mma_matrix<",
            _MATRIX_OF_16,
            facts.matrices_of_integers,
            "MMAMatrixType elements must be F16 or F32",
        ),
        (
            "#gpu.object<",
            _NO_TARGET,
            False,
            "the target attribute must implement or promise the `gpu::TargetAttrInterface`",
        ),
        ("!llvm.target<", _NAMELESS_TARGET, False, "expected string"),
        (
            "#llvm.memory_effects<",
            _EFFECTS_OF_22,
            facts.memory_effects_have_errno,
            "memory effects do not specify errnoMem",
        ),
        (
            "#llvm.memory_effects<",
            _EFFECTS_OF_21,
            not facts.memory_effects_have_errno,
            "memory effects must specify errnoMem and targetMem, too",
        ),
        ("#dlti.target", _SPEC_WITH_COLON, not facts.system_specs_have_equals, "expected '='"),
        ("#dlti.target", _SPEC_WITH_EQUALS, facts.system_specs_have_equals, "expected ':'"),
        (
            "array<",
            _ARRAY_OF_BITS,
            facts.arrays_take_bits,
            "element type bitwidth must be a multiple of 8",
        ),
        ('":', _RANGE, facts.locations_have_ranges, "expected ')' in location"),
        ('":', _NO_COLUMN, facts.locations_have_ranges, "expected ':' in FileLineColLoc"),
        (
            "array<",
            _ARRAY_OF_INDICES,
            facts.arrays_take_index == "read",
            "expected integer or float type, got: 'index'"
            if facts.arrays_take_index == "rejected"
            else "mlir-opt's parser crashes at an array of index",
        ),
    ):
        # Most files lack the marker string of a pattern; searching for it takes a tenth of the time.
        for match in pattern.finditer(text) if not is_read and mark in text else ():
            yield match, error


@lru_cache(maxsize=4_096)
def _reason(dialect: str, name: str, version: int) -> str | None:
    if version not in _DIALECTS.get(dialect[1:], Releases()):
        return f"this release has no dialect '{dialect[1:]}'"
    by_hand = _BY_HAND.get(dialect, {})
    if name in by_hand:
        is_known = version in by_hand[name]
    elif dialect in _IS_COMPLETE:
        is_known = False
    else:
        is_known = _is_in_tables(dialect, name, version)
    if is_known:
        return None
    if dialect == "!gpu":
        return f"unknown gpu type: {name}"
    if dialect == "!transform":
        return f"unknown type mnemonic: {name}"
    if dialect == "!llvm":
        return f"unknown LLVM type: {name}"
    kind = " type" if dialect[0] == "!" else "attribute"
    return f"unknown {kind} `{name}` in dialect `{dialect[1:]}`"


def _is_in_tables(dialect: str, name: str, version: int) -> bool:
    """Return whether a release has a name; true if that is unknown."""
    names = _tables().get(dialect)
    if names is None or (is_after_definitions(version) and dialect not in _SETTLED):
        return True
    nearest = min(version, DEFINED[-1])
    # If a release has no generated parser for the dialect, the names that it accepts are unknown.
    return nearest not in names[""] or nearest in names.get(name, ())


@cache
def _tables() -> Mapping[str, Mapping[str, list[int]]]:
    return _resource("names.json")


@cache
def _bodied() -> frozenset[str]:
    return frozenset(_resource("bodied.json"))


def _resource(name: str) -> Any:
    return json.loads(files("gpuasync_lsp.releases.data").joinpath(name).read_text("utf-8"))


def _is_code(text: str, position: int) -> bool:
    """Return whether `position` is outside of comments and strings."""
    line = text[text.rfind("\n", max(position - _LONGEST, 0), position) + 1 : position][-_LONGEST:]
    quoted = False
    at = 0
    while at < len(line):
        if quoted and line[at] == "\\":
            at += 1
        elif line[at] == '"':
            quoted = not quoted
        elif not quoted and line.startswith("//", at):
            return False
        at += 1
    return not quoted
