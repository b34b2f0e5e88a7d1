"""Reads the definitions of ops from MLIR's Python bindings, as a wheel contains them: `_gpu_ops_gen.py`.

They have less information than TableGen's records: names and kinds of operands, attributes, results and
regions, but no constraints, traits or assembly. `definitions` copies these from the previous release if
the names agree.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from gpuasync_lsp.syntax.ods.records import Record

FORMATS = Path(__file__).with_name("formats.json")
"""Handwritten assembly formats of ops of an unreleased version that differ from the previous release."""
_ATTRIBUTE = re.compile(r"attributes\['(\w+)'\]|'(\w+)' in self\.operation\.attributes")
_NAME, _REGIONS = "OPERATION_NAME", "_ODS_REGIONS"


class Binding(NamedTuple):
    """An op as the bindings describe it."""

    operands: tuple[tuple[str, str], ...]
    """Each operand's name and kind: `v` for any number of values, `o` for at most one, empty for one."""
    attributes: frozenset[str]
    results: tuple[tuple[str, str], ...]
    optional: frozenset[str]
    """The attributes that may be omitted."""
    regions: int
    summary: str


def read(folder: Path) -> dict[str, Binding]:
    """Return the ops that the bindings below `folder` define, by name."""
    files = sorted(folder.rglob("_*_ops_gen.py"))
    return {name: each for path in files for name, each in _ops(ast.parse(path.read_text("utf-8")))}


class Definitions(NamedTuple):
    """The ops of bindings in the form of the tables, and those that need a review."""

    ops: dict[str, Record]
    differ: list[str]
    """Ops whose operands, attributes or results differ from the previous release."""
    lacking: list[str]
    """Ops of the previous release without bindings: they may be removed, or may have none."""


def definitions(folder: Path, before: Mapping[str, Record]) -> Definitions:
    """Return the ops of the bindings in the form of the tables, completed from the previous release
    `before`.

    An op with the same names as in `before` is assumed to be unchanged. A new one has no constraints
    and no known assembly, and so remains opaque. An op that differs keeps its previous definition and
    needs a review. `formats.json` in this folder has the assembly formats that differ.
    """
    found = read(folder)
    bound = {name.partition(".")[0] for name in found}
    formats: Mapping[str, str] = json.loads(FORMATS.read_text("utf-8"))
    ops = dict(before)
    differ: list[str] = []
    dialects = {name.partition(".")[0] for name in before}
    for name, binding in sorted(found.items()):
        if name.partition(".")[0] not in dialects:
            continue  # a wheel has the dialects of its own project as well
        known = before.get(name)
        if known is None:
            ops[name] = _record(binding)
        else:
            ops[name] = known
            if _shape(known) != (_plain(binding.operands), binding.attributes, _plain(binding.results)):
                differ.append(name)
    for name, format in formats.items():
        ops[name] = {**ops[name], "f": format}
    lacking = [name for name in sorted(before) if name.partition(".")[0] in bound and name not in found]
    return Definitions(ops, differ, lacking)


def _ops(tree: ast.Module) -> Iterator[tuple[str, Binding]]:
    for each in tree.body:
        if not isinstance(each, ast.ClassDef) or not any(
            "OpView" in ast.unparse(base) for base in each.bases
        ):
            continue
        constants = {
            target.id: node.value
            for node in each.body
            if isinstance(node, ast.Assign)
            for target in node.targets
            if isinstance(target, ast.Name)
        }
        if _NAME in constants:
            name: str = ast.literal_eval(constants[_NAME])
            regions = constants.get(_REGIONS)
            yield name, _binding(each, 0 if regions is None else ast.literal_eval(regions)[0])


def _binding(kind: ast.ClassDef, regions: int) -> Binding:
    operands: list[tuple[str, str]] = []
    results: list[tuple[str, str]] = []
    attributes: dict[str, bool] = {}
    for node in kind.body:
        is_property = isinstance(node, ast.FunctionDef) and any(
            ast.unparse(each).endswith("property") for each in node.decorator_list
        )
        if not is_property or not isinstance(node, ast.FunctionDef):
            continue
        body, returned = ast.unparse(node), ast.unparse(node.returns) if node.returns else ""
        is_optional = returned.startswith("_Optional")
        count = "o" if is_optional else "v" if "List" in returned or "Sequence" in returned else ""
        if "operation.operands" in body:
            operands.append((node.name, count))
        elif "operation.results" in body:
            results.append((node.name, count))
        elif (named := _ATTRIBUTE.search(body)) is not None:
            attributes[named[1] or named[2]] = is_optional or named[1] is None
    prose = (ast.get_docstring(kind) or "").strip()
    return Binding(
        tuple(operands),
        frozenset(attributes),
        tuple(results),
        frozenset(name for name, optional in attributes.items() if optional),
        regions,
        prose.partition(". ")[0].replace("\n", " ")[:120],
    )


def _shape(op: Record) -> tuple[Any, ...]:
    """Return the names in a definition in the form of a `Binding`: unnamed values have no property."""
    operands, results = (
        tuple((name, each.get("n", "")[:1]) for name, each in op[part] if name) for part in ("o", "r")
    )
    attributes = (name for name, each in op["a"] if each["k"] != "property")
    return _plain(operands), frozenset(attributes), _plain(results)


def _plain(names: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
    """Return names without the underscore that Python appends to its keywords: `in_`."""
    return tuple((name.rstrip("_"), kind) for name, kind in names)


def _record(binding: Binding) -> Record:
    def values(names: tuple[tuple[str, str], ...]) -> list[list[Any]]:
        return [[name, {"n": count} if count else {}] for name, count in names]

    return {
        "o": values(binding.operands),
        "a": [
            [name, {"k": "any", **({"o": 1} if name in binding.optional else {})}]
            for name in sorted(binding.attributes)
        ],
        "r": values(binding.results),
        "g": [["", 1, 0]] * binding.regions,
        "s": [],
        "t": [],
        "c": 1,
        "v": 1,
        "d": binding.summary,
    }
