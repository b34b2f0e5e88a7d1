"""Checks of `dlti.dl_spec` on a module (Interfaces/DataLayoutInterfaces.cpp, Dialect/DLTI).

Measured with mlir-opt of each release. Sizes are 32-bit numbers through LLVM 17, 64-bit ones later:
each release rejects the other form, and producers (Flang, ClangIR) emit their own release's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from xdsl.dialects.builtin import UnregisteredAttr
from xdsl.ir import Attribute, Operation

from gpuasync_lsp.syntax.attributes import pieces
from gpuasync_lsp.syntax.checks.view import VerifierError
from gpuasync_lsp.text.lazy_pattern import lazy_pattern

LAYOUT = "dlti.dl_spec"
_ENTRY = "#dlti.dl_entry<"
_SINCE = {
    "endianness": 16,
    "alloca_memory_space": 17,
    "stack_alignment": 17,
    "program_memory_space": 19,
    "global_memory_space": 19,
    "mangling_mode": 21,
    "default_memory_space": 21,
    "function_pointer_alignment": 21,
    "legal_int_widths": 21,
}
"""Maps each key that the dialect defines to the release that added it."""
_NUMBER = lazy_pattern(r"[su]?i[0-9]+|f[0-9][0-9A-Z]*|bf16|tf32")
_OTHER_BUILTIN = lazy_pattern(r"(?:memref|vector|tensor|complex|tuple)<|none$|\(")
_DENSE = lazy_pattern(
    r"dense<(?P<values>[^>]*)> : (?:vector|tensor)<(?P<count>[0-9]{1,9})xi(?P<bits>[0-9]{1,9})>"
)
_POINTER = lazy_pattern(r"!llvm\.ptr(?:<[^>]*>)?")


def data_layout_error(op: Operation, name: str, value: Attribute) -> VerifierError | None:
    """Return the error for the data layout `value` of `op`; None if valid or unknown."""
    del name
    text = getattr(getattr(value, "value", None), "data", None)
    if not isinstance(value, UnregisteredAttr) or not isinstance(text, str):
        return None
    entries = list(_entries(text))
    found = [*_pairs(text), *_repeated(entries)]
    if op.name in ("builtin.module", "gpu.module"):
        found += [error for key, given in entries if (error := _entry_error(key, given)) is not None]
    # One error is reported per op, preferably one that current releases report.
    return next((each._replace(bare=True) for each in sorted(found, key=lambda each: not each.words)), None)


def index_bits(op: Operation) -> int | None:
    """Return the index width in the data layout of `op` or the nearest enclosing op; None if unspecified."""
    around: Operation | None = op
    while around is not None:
        value = around.attributes.get(LAYOUT)
        text = getattr(getattr(value, "value", None), "data", None)
        if isinstance(value, UnregisteredAttr) and isinstance(text, str):
            width = dict(_entries(text)).get("index", "").partition(" :")[0]
            return int(width) if width in ("16", "32", "64") else None
        around = around.parent_op()
    return None


def _entries(text: str) -> Iterator[tuple[str, str]]:
    for piece in pieces(text, ","):
        entry = piece.strip()
        if entry.startswith(_ENTRY) and entry.endswith(">"):
            key, *rest = pieces(entry[len(_ENTRY) : -1], ",")
        else:
            key, *rest = pieces(entry, "=")
        if len(rest) == 1:
            yield key.strip(), re.sub(r",\s*", ", ", rest[0].strip())


def _pairs(text: str) -> Iterator[VerifierError]:
    """Yield the error of releases before LLVM 20, which accept only `#dlti.dl_entry<key, value>`, for `key
    = value`."""
    written = [piece.strip() for piece in pieces(text, ",")]
    if any(entry and not entry.startswith("#") for entry in written):
        yield VerifierError("", since=20, earlier="invalid kind of attribute specified")


def _repeated(entries: list[tuple[str, str]]) -> Iterator[VerifierError]:
    seen = set[str]()
    for key, _ in entries:
        if key in seen:
            earlier = key[1:-1] if key.startswith('"') else f"'{key}'"
            words = f"repeated DLTI key: {key}"
            yield VerifierError(words, since=20, earlier=f"repeated layout entry key: {earlier}")
        seen.add(key)


def _entry_error(key: str, given: str) -> VerifierError | None:
    entry = f"{_ENTRY}{key}, {given}>"
    if key.startswith('"'):
        return _named(key[1:-1], given)
    if _NUMBER.fullmatch(key):
        return _number(entry, given)
    if key == "index":
        is_number = re.fullmatch(r"-?[0-9]+(?: : \w+)?", given) is not None
        return (
            None
            if is_number
            else VerifierError("expected integer attribute in the data layout entry for 'index'")
        )
    if _OTHER_BUILTIN.match(key):
        return VerifierError("unexpected data layout for a built-in type")
    return _pointer(key, given) if _POINTER.fullmatch(key) else None


def _named(name: str, given: str) -> VerifierError | None:
    dialect, _, key = name.partition(".")
    if dialect != "dlti":
        return None
    unknown = f"unknown data layout entry name: {name}"
    if key not in _SINCE:
        return VerifierError(unknown)
    if key == "endianness" and given not in ('"big"', '"little"'):
        return VerifierError("'dlti.endianness' data layout entry is expected to be either 'big' or 'little'")
    return VerifierError("", since=_SINCE[key], earlier=unknown)


def _number(entry: str, given: str) -> VerifierError | None:
    dense = _DENSE.fullmatch(given)
    words = "expected a dense {} elements attribute in the data layout entry {}"
    old, new = words.format("i32", entry), words.format("i64", entry)
    if dense is None:
        return VerifierError(new, since=18, earlier=old) if "dense" not in given else None
    if dense["bits"] == "32":
        return VerifierError(new, since=18)
    if dense["bits"] != "64":
        return VerifierError(new, since=18, earlier=old)
    count, values = int(dense["count"]), re.findall(r"[0-9]{1,18}", dense["values"])
    wrong = ""
    if count not in (1, 2):
        wrong = f"expected 1 or 2 elements in the data layout entry {entry}"
    elif len(values) == 2 and int(values[1]) < int(values[0]):
        wrong = (
            "preferred alignment is expected to be greater than or equal to the abi alignment in data layout "
            f"entry {entry}"
        )
    return VerifierError(wrong, since=18, earlier=old)


def _pointer(key: str, given: str) -> VerifierError | None:
    dense = _DENSE.fullmatch(given)
    if dense is None or dense["count"] not in ("3", "4"):
        return VerifierError(
            f"expected layout attribute for '{key}' to be a dense integer elements attribute "
            "with 3 or 4 elements"
        )
    if dense["bits"] != "64":
        return VerifierError(f"expected i64 parameters for '{key}'", since=18)
    values = [int(each) for each in re.findall(r"[0-9]{1,18}", dense["values"])]
    if len(values) > 2 and values[2] < values[1]:
        return VerifierError(
            "preferred alignment is expected to be at least as large as ABI alignment", since=18
        )
    return None
