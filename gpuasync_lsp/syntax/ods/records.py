"""Converts TableGen's records of a dialect, from `llvm-tblgen --dump-json`, to the short form of the ODS
tables.

`tools/release` uses it to build the tables of MLIR's dialects; it also loads users' own dialects. The
records are untrusted data: input that TableGen does not produce raises KeyError, TypeError, ValueError,
AttributeError, IndexError or RecursionError.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import cast

from gpuasync_lsp.syntax.ods.predicate_texts import (
    Tree,
    is_builtin_token,
    leaf,
    op_leaf,
    reference,
    transform,
    unspaced,
)
from gpuasync_lsp.text.plain_json import Json

Record = Json

_ELEMENT = "(::mlir::Type elementType)"
_EACH = "llvm::all_of("
_NAME = re.compile(r"[A-Za-z_][\w$]*(?:\.[A-Za-z_][\w$.]*)?")
_MAX_DEPTH = 40
"""The maximum depth of a predicate; MLIR's predicates are less than ten levels deep."""
_MAX_NODES = 2_000
"""The maximum number of nodes of one predicate."""

KEPT_TRAITS = {
    "IsTerminator", "SameOperandsAndResultType", "SameTypeOperands", "SameOperandsElementType",
    "SameOperandsAndResultElementType", "SameOperandsAndResultShape", "SameOperandsShape",
    "SameOperandsAndResultRank", "Elementwise",
    "AttrSizedOperandSegments", "AttrSizedResultSegments", "IsIsolatedFromAbove", "NoTerminator",
    "SingleBlock", "SymbolTable", "HasOnlyGraphRegion", "NoRegionArguments", "SameVariadicOperandSize",
    "SameVariadicResultSize", "ConstantLike",
}  # fmt: skip
KEPT_INTERFACES = {"InferTypeOpInterface", "SymbolOpInterface", "FunctionOpInterface", "RegionKindInterface"}


def ops_of_release(dumps: Sequence[Json], *, with_prose: bool = False) -> dict[str, Record]:
    """Return the record of each op in the dumps of one release, by full name.

    `with_prose` adds the ops' descriptions and the positions of their definitions.
    """
    ops = _Release(dumps, with_prose).ops
    _name_parents(ops, _names_of_classes(dumps))
    return ops


_BUILT_TYPES = (
    (re.compile(r"\$_builder\.getIntegerType\((\d+)\)$"), "i{}"),
    (re.compile(r"\$_builder\.getIntegerType\((\d+), /\*isSigned=\*/true\)$"), "si{}"),
    (re.compile(r"\$_builder\.getIntegerType\((\d+), /\*isSigned=\*/false\)$"), "ui{}"),
    (re.compile(r"\$_builder\.getF(\d+)Type\(\)$"), "f{}"),
    (re.compile(r"\$_builder\.getIndexType\(\)$"), "index"),
    (re.compile(r"\$_builder\.getBF16Type\(\)$"), "bf16"),
    (re.compile(r"\$_builder\.getNoneType\(\)$"), "none"),
)
"""C++ expressions that create a type, with the type's spelling."""


class _Release:
    """Converts the TableGen records of one release to the short form."""

    def __init__(self, dumps: Sequence[Json], with_prose: bool) -> None:
        self.with_prose = with_prose
        self.ops: dict[str, Record] = {}
        self.classes: dict[str, str] = {}
        for records in dumps:
            for kind, mark in (("TypeDef", "!"), ("AttrDef", "#")):
                for name in records["!instanceof"].get(kind, []):
                    record = records[name]
                    if record.get("mnemonic"):
                        home = records[record["dialect"]["def"]]
                        space = (
                            record.get("cppNamespace", home["cppNamespace"]).strip(":").removeprefix("mlir::")
                        )
                        dialect = home["name"]
                        self.classes[f"{space}::{record['cppClassName']}"] = (
                            f"{mark}{dialect}.{record['mnemonic']}"
                        )
        for records in dumps:
            for name in records["!instanceof"].get("Op", []):
                _Op(self, records, records[name])


class _Op:
    def __init__(self, release: _Release, records: Json, record: Record) -> None:
        self.release, self.records, self.record = release, records, record
        self.nodes = 0
        dialect = records[record["opDialect"]["def"]]["name"]
        name = f"{dialect}.{record['opName']}" if dialect else record["opName"]
        operands: list[Tree] = []
        attributes: list[Tree] = []
        for value, label in record["arguments"]["args"]:
            definition = self.definition(value)
            if definition is None:
                continue
            above = definition["!superclasses"]
            if "TypeConstraint" in above:
                operands.append([label or "", self.type(definition)])
            elif "AttrConstraint" in above:
                attributes.append([label, self.attribute(definition)])
            elif "Property" in above or "PropConstraint" in above:
                attributes.append([label, {"k": "property", "o": bool(definition.get("defaultValue"))}])
        found: Record = {
            "o": operands,
            "a": attributes,
            "r": [
                [label or "", self.type(self.definition(value) or {})]
                for value, label in record["results"]["args"]
            ],
            "g": [self.part(value, label, "Region") for value, label in record["regions"]["args"]],
            "s": [self.part(value, label, "Successor") for value, label in record["successors"]["args"]],
            "t": self.traits(),
        }
        if record.get("assemblyFormat"):
            found["f"] = " ".join(record["assemblyFormat"].split())
        if record.get("hasCustomAssemblyFormat"):
            found["c"] = 1
        if record.get("hasVerifier") or record.get("hasRegionVerifier"):
            found["v"] = 1
        if record.get("summary"):
            found["d"] = record["summary"]
        if release.with_prose:
            found["h"] = record.get("description") or ""
            found["l"] = str((record.get("!locs") or [""])[0])
        release.ops[name] = found

    def definition(self, value: object) -> Record | None:
        if isinstance(value, dict) and "def" in value:
            found: Record | None = self.records.get(cast(Record, value)["def"])
            # Unwrap decorators such as `Arg<Type, "description">`.
            for _ in range(_MAX_DEPTH):
                if found is None or "OpVariable" not in found["!superclasses"]:
                    break
                found = self.records.get(found["constraint"]["def"])
            return found
        return None

    def part(self, value: object, label: str | None, kind: str) -> Tree:
        record = self.definition(value) or {}
        entry: Tree = [label or "", int(f"Variadic{kind}" in record.get("!superclasses", []))]
        if kind == "Region":
            sized = re.search(r"hasNItems\(\$_self, (\d+)\)", json.dumps(self.expressions(record)))
            entry.append(int(sized[1]) if sized else 0)
        return entry

    def expressions(self, record: Record) -> list[str]:
        predicate = record.get("predicate")
        if not isinstance(predicate, dict):
            return []
        inner = self.records[predicate["def"]]
        return [inner["predExpr"]] if "predExpr" in inner else []

    def type(self, record: Record) -> Record:
        above = record.get("!superclasses", [])
        found: Record = {"s": record.get("summary") or ""}
        for name, mark in (("VariadicOfVariadic", "vv"), ("Variadic", "v"), ("Optional", "o")):
            if name in above:
                found["n"] = mark
                if mark == "vv":
                    found["z"] = record.get("segmentAttrName")
                inner = record.get("baseType")
                if isinstance(inner, dict) and inner["def"] in self.records:
                    base = self.type(self.records[inner["def"]])
                    found |= {key: value for key, value in base.items() if key in "pbw" and key not in found}
                    found["s"] = base["s"]
                break
        predicate = record.get("predicate")
        if isinstance(predicate, dict) and "p" not in found:
            tree = self.predicate(cast(Record, predicate)["def"])
            if tree not in (None, ["true"]):
                found["p"] = tree
        code = record.get("builderCall")
        if code and "b" not in found and (text := self.buildable(code)) is not None:
            found["b"] = text
        written = self.release.classes.get(unspaced(record.get("cppType") or ""))
        if written:
            found["w"] = written[1:]
        return found

    def buildable(self, code: str) -> str | None:
        for pattern, text in _BUILT_TYPES:
            if match := pattern.match(code):
                return text.format(*match.groups())
        made = re.match(r"\$_builder\.getType<([\w:]+)>\((\d*)\)$", code)
        if made and (name := self.release.classes.get(unspaced(made[1]))):
            return name + (f"<{made[2]}>" if made[2] not in ("", "0") else "")
        return None

    def attribute(self, record: Record) -> Record:
        above = record["!superclasses"]
        found: Record = {"s": record.get("summary") or "", "k": "any"}
        if record.get("isOptional") or record.get("defaultValue"):
            found["o"] = 1
        if record.get("defaultValue"):
            found["d"] = 1
        base = record
        for _ in range(_MAX_DEPTH):
            if not isinstance(base.get("baseAttr"), dict):
                break
            base = self.records[base["baseAttr"]["def"]]
        if "baseAttr" in record and base is not record and not found["s"]:
            found["s"] = base.get("summary") or ""
        above = [*above, *base["!superclasses"]]
        enum = base if "EnumInfo" in above or "EnumAttrInfo" in above else None
        if base["!name"] == "SymbolNameAttr":
            found["k"] = "symbol-name"
        elif base["!name"] == "UnitAttr" or base.get("storageType") == "::mlir::UnitAttr":
            found["k"] = "unit"
        elif "AttrDef" in above:
            found["k"] = "def"
            if base.get("mnemonic"):
                found["w"] = f"{self.records[base['dialect']['def']]['name']}.{base['mnemonic']}"
            if isinstance(base.get("enum"), dict):
                enum = self.records[base["enum"]["def"]]
                found["f"] = " ".join((base.get("assemblyFormat") or "").split())
        elif enum is not None:
            found["k"] = "enum"
            found["t"] = f"i{enum.get('bitwidth', 32)}"
        elif isinstance(base.get("valueType"), dict):
            value = self.records[base["valueType"]["def"]]
            text = self.buildable(value.get("builderCall") or "")
            if text:
                found["t"] = text
        if enum is not None:
            found["e"] = [self.records[each["def"]]["str"] for each in enum["enumerants"]]
            if enum.get("className"):
                found["c"] = f"{enum.get('cppNamespace') or ''}::{enum['className']}"
            if enum.get("separator"):
                found["j"] = enum["separator"].strip()
            found["n"] = [self.records[each["def"]]["value"] for each in enum["enumerants"]]
        predicate = (
            record.get("predicate") if isinstance(record.get("predicate"), dict) else base.get("predicate")
        )
        if isinstance(predicate, dict):
            tree = self.predicate(cast(Record, predicate)["def"])
            if tree not in (None, ["true"]):
                found["p"] = tree
        return {key: value for key, value in found.items() if value not in ("", None)}

    def op_predicate(self, name: str, depth: int = 0) -> Tree:
        """Translate the predicate `name` on a whole op."""
        self.nodes = self.nodes + 1 if depth else 0
        record = self.records[name]
        if "predExpr" in record:
            return op_leaf(record["predExpr"]) or ["?"]
        if depth > _MAX_DEPTH or self.nodes > _MAX_NODES:
            return ["?"]
        kind = record["kind"]["def"]
        if kind == "PredCombinerSubstLeaves":
            value = reference(record["replacement"]) if record["pattern"] == "$_self" else None
            tree = self.predicate(record["children"][0]["def"], depth + 1)
            return ["?"] if value is None or tree is None else ["on", value, tree]
        children = [self.op_predicate(each["def"], depth + 1) for each in record["children"]]
        if kind == "PredCombinerAnd":
            known = [each for each in children if each != ["true"]]
            return known[0] if len(known) == 1 else ["and", *known] if known else ["true"]
        if kind == "PredCombinerOr":
            return ["or", *children] if children and ["true"] not in children else ["true"]
        if kind == "PredCombinerNot":
            return ["not", children[0]]
        return ["?"]

    def predicate(self, name: str, depth: int = 0) -> Tree | None:
        """Translate the predicate `name`; None if it depends on an unsupported part."""
        self.nodes = self.nodes + 1 if depth else 0
        if depth > _MAX_DEPTH or self.nodes > _MAX_NODES:
            return None
        record = self.records[name]
        if "predExpr" in record:
            return leaf(record["predExpr"], self.release.classes)
        kind = record["kind"]["def"]
        children = [self.predicate(each["def"], depth + 1) for each in record["children"]]
        if kind == "PredCombinerAnd":
            known = [each for each in children if each not in (None, ["true"])]
            if len(known) < len([each for each in children if each != ["true"]]):
                known.append(["?"])
            return known[0] if len(known) == 1 else ["and", *known] if known else ["true"]
        if kind == "PredCombinerOr":
            if not children or ["true"] in children:
                return ["true"]
            return ["or", *(["?"] if each is None else each for each in children)]
        if kind == "PredCombinerNot":
            if is_builtin_token(self.records[record["children"][0]["def"]].get("predExpr", "")):
                return ["true"]  # LLVM 23's `AnyType`: any type but the builtin token.
            return None if children[0] is None else ["not", children[0]]
        if kind == "PredCombinerConcat":
            inner = children[0]
            if _ELEMENT in record["prefix"]:
                return None if inner is None else ["element", inner]
            if _EACH in record["prefix"]:
                return None if inner is None else ["#each", inner]
            return None
        if kind == "PredCombinerSubstLeaves":
            # The predicate on elements, in which `elementType` or `attr` replaces `$_self`.
            return children[0] if record["replacement"] in ("elementType", "attr") else None
        return None

    def traits(self) -> Tree:
        found: Tree = []
        self.collect(self.record["traits"], found)
        return found

    def collect(self, traits: Tree, found: Tree) -> None:
        for each in traits:
            record = self.records[each["def"]]
            above = record["!superclasses"]
            if "TraitList" in above:
                self.collect(record["traits"], found)
            elif "AllTypesMatch" in above:
                found.append(["same-types", *record["values"]])
            elif "AllElementTypesMatch" in above:
                found.append(["same-elements", record.get("summary", ""), *record["values"]])
            elif "TypesMatchWith" in above:
                how = transform(record["transformer"])
                found.append(["type-by", record["lhs"], record["rhs"], how, record.get("summary", "")])
            elif "PredOpTrait" in above:
                tree = self.op_predicate(record["predicate"]["def"])
                if tree[0] not in ("?", "true"):
                    found.append(["holds", record.get("summary") or "", tree])
            elif "ParentOneOf" in above or "HasParent" in above:
                found.append(["parent", *self.parents(record)])
            elif "SingleBlockImplicitTerminator" in above or "SingleBlockImplicitTerminatorImpl" in above:
                found.append("SingleBlock")
                found.append(["terminator", _class_argument(record.get("trait", ""))])
            elif (
                "InferTypeOpAdaptorBase" in " ".join(above)
                or record.get("cppInterfaceName") == "InferTypeOpInterface"
            ):
                found.append("infers")
            elif "MemoryEffects" in above:
                # Some definitions list this trait twice.
                if record.get("effects") == [] and "NoMemoryEffect" not in found:
                    found.append("NoMemoryEffect")
            elif "NativeTrait" in above or "StructuralOpTrait" in above or "NativeOpTrait" in above:
                if record["!name"] == "FirstAttrDerivedResultType":
                    found.append("infers")
                elif (name := record.get("trait", "")) in KEPT_TRAITS:
                    found.append(name)
            elif (name := record.get("cppInterfaceName", "")) in KEPT_INTERFACES:
                found.append(name)

    def parents(self, record: Record) -> list[str]:
        _, _, behind = record.get("trait", "").partition("HasParent<")
        names, is_closed, _ = behind.partition(">")
        return [each.strip() for each in names.split(",")] if is_closed else []


def _class_argument(trait: str) -> str:
    """Return the template argument of a C++ trait; the trait's name if it has none."""
    argument, is_closed, _ = trait.rpartition("<")[2].rpartition(">")
    return argument if is_closed else trait


def _names_of_classes(records: Sequence[Json]) -> dict[str, str]:
    """Return op names by C++ class, both with and without the dialect: dialects may share class names."""
    found: dict[str, str] = {}
    for each in records:
        for name in each["!instanceof"].get("Op", []):
            record = each[name]
            home = each[record["opDialect"]["def"]]
            full = f"{home['name']}.{record['opName']}" if home["name"] else record["opName"]
            kind = name.partition("_")[2] or name
            found.setdefault(kind, full)
            found[f"{home['name']}::{kind}"] = full
            found[f"{unspaced(home.get('cppNamespace') or '')}::{kind}"] = full
    return found


def _name_parents(ops: dict[str, Record], classes: dict[str, str]) -> None:
    """Replace C++ classes in parent and terminator traits with op names; drop traits with unknown classes."""
    for op_name, op in ops.items():
        dialect = op_name.partition(".")[0]
        kept: Tree = []
        for trait in op["t"]:
            if isinstance(trait, list) and trait[0] in ("parent", "terminator"):
                names = cast("list[str]", trait[1:])
                named = [_op_of_class(each, dialect, classes) for each in names]
                if all(named) and named:
                    kept.append([trait[0], *named])
            else:
                kept.append(trait)
        op["t"] = kept


def _op_of_class(name: str, dialect: str, classes: dict[str, str]) -> str:
    space, _, kind = unspaced(name).rpartition("::")
    return classes.get(f"{space or dialect}::{kind}") or classes.get(kind, "")


def joined(tables: dict[int, dict[str, Record]]) -> Json:
    """Return, by dialect, each op's variants with their releases, and the shared constraints."""
    dialects = _grouped(tables)
    for document in dialects.values():
        carry_back(document)
    # Merge again, since definitions may have become equal.
    return _grouped(split(dialects))


def split(dialects: Json) -> dict[int, dict[str, Record]]:
    """Return the ops of each release: the inverse of `joined`."""
    tables: dict[int, dict[str, Record]] = {}
    for document in dialects.values():
        constraints: Sequence[Record] = document["constraints"]
        for name, entry in document["ops"].items():
            for variant in entry["v"]:
                op: Record = {"o": [], "a": [], "r": [], "g": [], "s": [], "t": [], **variant}
                for version in op.pop("in"):
                    parts: Record = {
                        part: [[label, constraints[at]] for label, at in cast("list[Tree]", op[part])]
                        for part in "oar"
                    }
                    tables.setdefault(version, {})[name] = {**op, **parts}
    return tables


def _grouped(tables: Mapping[int, Mapping[str, Record]]) -> Json:
    dialects: Json = {}
    for name in sorted({name for ops in tables.values() for name in ops}):
        dialect = name.partition(".")[0] if "." in name else "builtin"
        document = dialects.setdefault(dialect, {"constraints": [], "ops": {}})
        index: dict[str, int] = document.setdefault("index", {})
        variants: list[Record] = []
        for version in sorted(tables):
            op = tables[version].get(name)
            if op is None:
                continue
            short = dict(op)
            for part in "oar":
                short[part] = [
                    [label, shared(document["constraints"], index, each)] for label, each in op[part]
                ]
            short = {key: value for key, value in short.items() if value}
            same = next((v for v in variants if {k: x for k, x in v.items() if k != "in"} == short), None)
            if same is None:
                variants.append(short | {"in": [version]})
            else:
                same["in"].append(version)
        entry: Record = {"v": variants}
        document["ops"][name] = entry
    for document in dialects.values():
        del document["index"]
    return dialects


def carry_back(document: Record) -> None:
    """Copy translated predicates from newer definitions to older ones with an untranslated part.

    Constraints with the same summary are equal: if the newer predicate names an LLVM type (`LLVM
    pointer type`), the older one gets it at the same position. Rules on the same two values with the
    same summary are also equal.
    """
    known = cast("list[Record]", document["constraints"])
    by_words: dict[tuple[str, str], list[object]] = {}
    for each in known:
        by_words.setdefault((each.get("s", ""), each.get("k", "")), []).append(each.get("p"))
    for each in known:
        for other in by_words[each.get("s", ""), each.get("k", "")] if each.get("s") else ():
            if (predicate := _with_types(each.get("p"), other)) is not None:
                each["p"] = predicate
    for op in cast("Mapping[str, Record]", document["ops"]).values():
        variants = cast("list[Record]", op["v"])
        traits = [cast("Tree", each) for variant in variants for each in variant.get("t", ())]
        rules = [each for each in traits if each[0] == _BY_TYPE]
        for rule in rules:
            if rule[3] == _UNTRANSLATED[0]:
                tree = (r[3] for r in rules if [*r[:3], r[4]] == [*rule[:3], rule[4]] and r[3] != rule[3])
                rule[3] = next(tree, rule[3])


_BY_TYPE = "type-by"
_UNTRANSLATED = ["?"]
_LLVM_TYPE = "!llvm."


def _with_types(older: object, newer: object) -> object:
    """Return `older` with its unknown parts replaced with LLVM types at the same positions in `newer`."""
    of_newer = cast("list[object]", newer) if isinstance(newer, list) else []
    if older is None or older == _UNTRANSLATED:
        if of_newer[:1] == ["is"] and str(of_newer[1]).startswith(_LLVM_TYPE):
            return of_newer
        return cast("object", older)
    of_older = cast("list[object]", older) if isinstance(older, list) else []
    if not of_older or len(of_older) != len(of_newer):
        return cast("object", older)
    return [_with_types(*each) for each in zip(of_older, of_newer, strict=True)]


def shared(known: list[Record], index: dict[str, int], constraint: Record) -> int:
    key = json.dumps(constraint, sort_keys=True)
    if key not in index:
        index[key] = len(known)
        known.append({k: v for k, v in constraint.items() if v not in ("", None)})
    return index[key]
