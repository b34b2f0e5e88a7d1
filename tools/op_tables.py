#!/usr/bin/env python3
# ruff: noqa: E501
"""Makes the tables of MLIR's ops from their definitions.

usage: op_tables.py 16=INCLUDE 19=INCLUDE 22=INCLUDE -o FILE [--presence FILE]

INCLUDE is the folder of that release's MLIR headers (Debian: `/usr/lib/llvm-22/include`, of libmlir-22-dev),
and others that these need, after commas; `llvm-tblgen` is looked for in `../bin`, or given as
`22=INCLUDE:TBLGEN`. For each dialect, one JSON document says of every op what its names, counts, constraints,
traits and assembly are, in which releases. Facts only: the descriptions of ops are left out. `--presence` adds
what mlir-opt of the releases between said of which ops it knows (`op_presence.py`).
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

Record = dict[str, Any]

NO_OPS = re.compile(
    r"(Passes|Interfaces?|Enums?|Types?|TypesBase|Dialect|Canonicalization\w*|Patterns|Attr\w*)\.td$"
)
SOURCES = re.compile(r"\bdef\s+\w+\s*:|\bdefm\s+\w+")


def dump(include: Path, others: list[str], tblgen: Path) -> list[dict[str, Any]]:
    """Return TableGen's records of every file below `include` that defines ops by itself."""
    folders = [option for folder in (str(include), *others) for option in ("-I", folder)]
    files = [
        path
        for folder in ("mlir/Dialect", "mlir/IR")
        for path in sorted((include / folder).rglob("*.td"))
        if not NO_OPS.search(path.name)
    ]

    def one(path: Path) -> dict[str, Any] | None:
        with tempfile.NamedTemporaryFile(suffix=".json") as out:
            done = subprocess.run(
                [str(tblgen), "--dump-json", *folders, str(path), "-o", out.name],
                capture_output=True,
                check=False,
            )
            if done.returncode:
                return None  # it is only included by others
            records = json.loads(Path(out.name).read_text())
            return records if records["!instanceof"].get("Op") else None

    with ThreadPoolExecutor(2) as pool:
        return [each for each in pool.map(one, files) if each is not None]


# Predicates: what a leaf in C++ says, where its shape is one of these; None otherwise.

BUILTIN = {
    "VectorType": "vector", "RankedTensorType": "ranked-tensor", "UnrankedTensorType": "unranked-tensor",
    "TensorType": "tensor", "MemRefType": "memref", "UnrankedMemRefType": "unranked-memref",
    "BaseMemRefType": "any-memref", "ShapedType": "shaped", "IndexType": "index", "IntegerType": "integer",
    "FloatType": "float", "ComplexType": "complex", "NoneType": "none", "FunctionType": "function",
    "TupleType": "tuple", "FixedVectorType": "fixed-vector", "ScalableVectorType": "scalable-vector",
    "BFloat16Type": "bf16", "FloatTF32Type": "tf32",
    "IntegerAttr": "#integer", "FloatAttr": "#float", "StringAttr": "#string", "ArrayAttr": "#array",
    "UnitAttr": "#unit", "BoolAttr": "#bool", "TypeAttr": "#type", "DictionaryAttr": "#dictionary",
    "FlatSymbolRefAttr": "#flat-symbol", "SymbolRefAttr": "#symbol", "AffineMapAttr": "#affine-map",
    "DenseI64ArrayAttr": "#i64-array", "DenseI32ArrayAttr": "#i32-array", "DenseI16ArrayAttr": "#i16-array",
    "DenseI8ArrayAttr": "#i8-array", "DenseBoolArrayAttr": "#bool-array", "DenseF32ArrayAttr": "#f32-array",
    "DenseF64ArrayAttr": "#f64-array", "ElementsAttr": "#elements", "DenseElementsAttr": "#dense",
}  # fmt: skip

CAST = r"(?:\$_self\.cast<(?:::)?(?:mlir::)?\w+>\(\)|::llvm::cast<(?:::)?(?:mlir::)?[\w:]+>\(\$_self\))"
LEAVES: list[tuple[re.Pattern[str], Any]] = [
    (re.compile(r"true$"), lambda m: ["true"]),
    (re.compile(r"\$_self\.isF(\d+)\(\)$"), lambda m: ["is", f"f{m[1]}"]),
    (re.compile(r"\$_self\.isBF16\(\)$"), lambda m: ["is", "bf16"]),
    (re.compile(r"\$_self\.is(Signless|Signed|Unsigned|)Integer\((\d*)\)$"),
     lambda m: ["int", m[1].lower(), int(m[2] or 0)]),
    (re.compile(r"\$_self\.isSignlessIntOrIndex\(\)$"), lambda m: ["or", ["int", "signless", 0], ["is", "index"]]),
    (re.compile(rf"{CAST}\.getRank\(\)(==|>=|>|<=)(\d+)$"), lambda m: ["rank", m[1], int(m[2])]),
    (re.compile(rf"{CAST}\.getNumElements\(\)==(\d+)$"), lambda m: ["count", int(m[1])]),
    (re.compile(rf"{CAST}\.hasRank\(\)$"), lambda m: ["ranked"]),
    (re.compile(rf"{CAST}\.hasStaticShape\(\)$"), lambda m: ["static"]),
    (re.compile(rf"{CAST}\.getAddressSpace\(\)==(\d+)$"), lambda m: ["space", int(m[1])]),
    (re.compile(rf"{CAST}\.getType\(\)\.isSignlessInteger\((\d+)\)$"), lambda m: ["#width", int(m[1])]),
    (re.compile(r"::llvm::isa<::mlir::IndexType>\(::llvm::cast<::mlir::IntegerAttr>\(\$_self\)\.getType\(\)\)$"),
     lambda m: ["#width", 0]),
    (re.compile(rf"{CAST}\.getInt\(\)>=(-?\d+)$"), lambda m: ["#least", int(m[1])]),
    (re.compile(rf"{CAST}\.getInt\(\)<=(-?\d+)$"), lambda m: ["#most", int(m[1])]),
    (re.compile(rf"{CAST}\.getValue\(\)\.isStrictlyPositive\(\)$"), lambda m: ["#least", 1]),
    (re.compile(rf"!{CAST}\.getValue\(\)\.isNegative\(\)$"), lambda m: ["#least", 0]),
    (re.compile(r"::mlir::LLVM::isCompatibleOuterType\(\$_self\)$"), lambda m: ["llvm-type"]),
    (re.compile(r"::mlir::LLVM::isCompatibleVectorType\(\$_self\)$"), lambda m: ["llvm-vector"]),
    (re.compile(r"::mlir::LLVM::isCompatibleFloatingPointType\(\$_self\)$"), lambda m: ["llvm-float"]),
]  # fmt: skip
ISA = re.compile(r"(?:(?:::)?llvm::isa<([\w:]+)>\(\$_self\)|\$_self\.isa<([\w:]+)>\(\))$")
ELEMENT = "(::mlir::Type elementType)"
EACH = "llvm::all_of("

# What a type is that another type decides, where the transformation has one of these shapes.
TRANSFORMS: list[tuple[re.Pattern[str], str]] = [
    (re.compile(r"\$_self$"), "same"),
    (re.compile(r"::?getI1SameShape\(\$_self\)$"), "i1-like"),
    (re.compile(r"(?:::mlir::)?getElementTypeOrSelf\(\$_self\)$"), "element"),
    (re.compile(rf"{CAST}\.getElementType\(\)$"), "element"),
]


class Release:
    """The records of one release, and what they say in short."""

    def __init__(self, dumps: list[dict[str, Any]]) -> None:
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
            for name in records["!instanceof"]["Op"]:
                _Op(self, records, records[name])


class _Op:
    def __init__(self, release: Release, records: dict[str, Any], record: Record) -> None:
        self.release, self.records, self.record = release, records, record
        dialect = records[record["opDialect"]["def"]]["name"]
        name = f"{dialect}.{record['opName']}" if dialect else record["opName"]
        operands: list[list[Any]] = []
        attributes: list[list[Any]] = []
        order: list[str] = []
        for value, label in record["arguments"]["args"]:
            definition = self.definition(value)
            if definition is None:
                continue
            above = definition["!superclasses"]
            if "TypeConstraint" in above:
                operands.append([label or "", self.type(definition)])
                order.append("o")
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
        release.ops[name] = found

    def definition(self, value: Any) -> Record | None:
        if isinstance(value, dict) and "def" in value:
            found = self.records.get(value["def"])
            # `Arg<Type, "description">` and the like hold what they decorate.
            while found is not None and "OpVariable" in found["!superclasses"]:
                found = self.records.get(found["constraint"]["def"])
            return found
        return None

    def part(self, value: Any, label: str | None, kind: str) -> list[Any]:
        record = self.definition(value) or {}
        entry: list[Any] = [label or "", int(f"Variadic{kind}" in record.get("!superclasses", []))]
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
            said = self.predicate(predicate["def"])
            if said not in (None, ["true"]):
                found["p"] = said
        code = record.get("builderCall")
        if code and "b" not in found and (text := self.buildable(code)) is not None:
            found["b"] = text
        written = self.release.classes.get(self.unspaced(record.get("cppType") or ""))
        if written:
            found["w"] = written[1:]
        return found

    @staticmethod
    def unspaced(name: str) -> str:
        return name.strip(":").removeprefix("mlir::")

    def buildable(self, code: str) -> str | None:
        shapes = (
            (r"\$_builder\.getIntegerType\((\d+)\)$", "i{}"),
            (r"\$_builder\.getIntegerType\((\d+), /\*isSigned=\*/true\)$", "si{}"),
            (r"\$_builder\.getIntegerType\((\d+), /\*isSigned=\*/false\)$", "ui{}"),
            (r"\$_builder\.getF(\d+)Type\(\)$", "f{}"),
            (r"\$_builder\.getIndexType\(\)$", "index"),
            (r"\$_builder\.getBF16Type\(\)$", "bf16"),
            (r"\$_builder\.getNoneType\(\)$", "none"),
        )
        for pattern, text in shapes:
            if match := re.match(pattern, code):
                return text.format(*match.groups())
        made = re.match(r"\$_builder\.getType<([\w:]+)>\((\d*)\)$", code)
        if made and (name := self.release.classes.get(self.unspaced(made[1]))):
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
        while isinstance(base.get("baseAttr"), dict):
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
            dialect = self.records[base["dialect"]["def"]]["name"]
            found["w"] = f"{dialect}.{base['mnemonic']}" if base.get("mnemonic") else ""
            if isinstance(base.get("enum"), dict):
                enum = self.records[base["enum"]["def"]]
                found["f"] = " ".join((base.get("assemblyFormat") or "").split())
        elif enum is not None:
            found["k"] = "enum"
            found["t"] = f"i{enum.get('bitwidth', 32)}" if not enum.get("genSpecializedAttr") or True else ""
        elif isinstance(base.get("valueType"), dict):
            value = self.records[base["valueType"]["def"]]
            text = self.buildable(value.get("builderCall") or "")
            if text:
                found["t"] = text
        if enum is not None:
            found["e"] = [self.records[each["def"]]["str"] for each in enum["enumerants"]]
            if enum.get("separator"):
                found["j"] = enum["separator"].strip()
            found["n"] = [self.records[each["def"]]["value"] for each in enum["enumerants"]]
        predicate = (
            record.get("predicate") if isinstance(record.get("predicate"), dict) else base.get("predicate")
        )
        if isinstance(predicate, dict):
            said = self.predicate(predicate["def"])
            if said not in (None, ["true"]):
                found["p"] = said
        return found

    def predicate(self, name: str) -> Any:
        """Return what the predicate `name` says; None where a part of it is not understood and decides."""
        record = self.records[name]
        if "predExpr" in record:
            return self.leaf(record["predExpr"])
        kind = record["kind"]["def"]
        children = [self.predicate(each["def"]) for each in record["children"]]
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
            return None if children[0] is None else ["not", children[0]]
        if kind == "PredCombinerConcat":
            inner = children[0]
            if ELEMENT in record["prefix"]:
                return None if inner is None else ["element", inner]
            if EACH in record["prefix"]:
                return None if inner is None else ["#each", inner]
            return None
        if kind == "PredCombinerSubstLeaves":
            # The element's predicate, said of `elementType` or `attr` in place of `$_self`.
            return children[0] if record["replacement"] in ("elementType", "attr") else None
        return None

    def leaf(self, text: str) -> Any:
        code = re.sub(r"\s+", "", text)
        while code.startswith("(") and code.endswith(")") and self.wraps(code):
            code = code[1:-1]
        if match := ISA.match(code):
            wanted = self.unspaced(match[1] or match[2])
            if wanted in BUILTIN:
                return ["is", BUILTIN[wanted]]
            if wanted in self.release.classes:
                return ["is", self.release.classes[wanted]]
            return None
        for pattern, make in LEAVES:
            if match := pattern.match(code):
                return make(match)
        return None

    @staticmethod
    def wraps(code: str) -> bool:
        depth = 0
        for index, character in enumerate(code):
            depth += (character == "(") - (character == ")")
            if depth == 0:
                return index == len(code) - 1
        return False

    def traits(self) -> list[Any]:
        found: list[Any] = []
        self.collect(self.record["traits"], found)
        return found

    def collect(self, traits: list[Any], found: list[Any]) -> None:
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
                code = re.sub(r"\s+", "", record["transformer"])
                how = next((name for pattern, name in TRANSFORMS if pattern.match(code)), "?")
                found.append(["type-by", record["lhs"], record["rhs"], how, record.get("summary", "")])
            elif "ParentOneOf" in above or "HasParent" in above:
                found.append(["parent", *self.parents(record)])
            elif "SingleBlockImplicitTerminator" in above or "SingleBlockImplicitTerminatorImpl" in above:
                found.append("SingleBlock")
                found.append(["terminator", re.sub(r".*<(.*)>.*", r"\1", record.get("trait", ""))])
            elif (
                "InferTypeOpAdaptorBase" in " ".join(above)
                or record.get("cppInterfaceName") == "InferTypeOpInterface"
            ):
                found.append("infers")
            elif "NativeTrait" in above or "StructuralOpTrait" in above or "NativeOpTrait" in above:
                if record["!name"] == "FirstAttrDerivedResultType":
                    found.append("infers")
                elif (name := record.get("trait", "")) in KEPT_TRAITS:
                    found.append(name)
            elif (name := record.get("cppInterfaceName", "")) in KEPT_INTERFACES:
                found.append(name)

    def parents(self, record: Record) -> list[str]:
        names = re.search(r"HasParent<(.*?)>", record.get("trait", ""))
        return [each.strip() for each in names[1].split(",")] if names else []


KEPT_TRAITS = {
    "IsTerminator", "SameOperandsAndResultType", "SameTypeOperands", "SameOperandsElementType",
    "SameOperandsAndResultElementType", "SameOperandsAndResultShape", "SameOperandsShape",
    "AttrSizedOperandSegments", "AttrSizedResultSegments", "IsIsolatedFromAbove", "NoTerminator", "SingleBlock",
    "SymbolTable", "HasOnlyGraphRegion", "NoRegionArguments", "SameVariadicOperandSize", "SameVariadicResultSize",
    "ConstantLike",
}  # fmt: skip
KEPT_INTERFACES = {"InferTypeOpInterface", "SymbolOpInterface", "FunctionOpInterface", "RegionKindInterface"}


def names_of_classes(records: list[dict[str, Any]]) -> dict[str, str]:
    """Return the ops' names by their C++ classes, as traits call them."""
    found: dict[str, str] = {}
    for each in records:
        for name in each["!instanceof"]["Op"]:
            record = each[name]
            dialect = each[record["opDialect"]["def"]]["name"]
            found[name.partition("_")[2] or name] = (
                f"{dialect}.{record['opName']}" if dialect else record["opName"]
            )
    return found


def with_parents(ops: dict[str, Record], classes: dict[str, str]) -> None:
    """Say parents by the names of ops; a parent that is not found makes the trait say nothing."""
    for op in ops.values():
        kept: list[Any] = []
        for trait in op["t"]:
            if isinstance(trait, list) and trait[0] in ("parent", "terminator"):
                named = [classes.get(each.rpartition("::")[2], "") for each in trait[1:]]
                if all(named) and named:
                    kept.append([trait[0], *named])
            else:
                kept.append(trait)
        op["t"] = kept


def main() -> int:
    """Write the tables. Returns 1 where a release gives no ops."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("releases", nargs="+")
    parser.add_argument("-o", dest="out", type=Path, required=True)
    parser.add_argument("--presence", type=Path)
    options = parser.parse_args()
    tables: dict[int, dict[str, Record]] = {}
    for each in options.releases:
        version, _, place = each.partition("=")
        includes, _, tblgen = place.partition(":")
        first, *others = includes.split(",")
        folder = Path(first)
        dumps = dump(folder, others, Path(tblgen) if tblgen else folder.parent / "bin" / "llvm-tblgen")
        ops = Release(dumps).ops
        with_parents(ops, names_of_classes(dumps))
        tables[int(version)] = ops
        print(f"LLVM {version}: {len(ops)} ops", file=sys.stderr)
        if not ops:
            return 1
    presence = json.loads(options.presence.read_text()) if options.presence else {}
    dialects = joined(tables)
    dialects["absent"] = absences(tables, presence)
    write(options.out, dialects)
    return 0


def absences(
    tables: dict[int, dict[str, Record]], presence: dict[str, dict[str, list[int]]]
) -> dict[str, list[Any]]:
    """Return, for each op that a release lacks, these releases and the one that brought it, 0 if not known."""
    found: dict[str, list[Any]] = {}
    for name in sorted({name for ops in tables.values() for name in ops}):
        said = presence.get(name, {})
        has = {version for version, ops in tables.items() if name in ops} | set(said.get("yes", ()))
        lacks = ({*tables} - has) | (set(said.get("no", ())) - has)
        if lacks:
            first = min(has)
            found[name] = [sorted(lacks), first if first - 1 in lacks else 0]
    return found


def joined(tables: dict[int, dict[str, Record]]) -> dict[str, Any]:
    """Return, by dialect, each op's variants with their releases, and constraints that are shared."""
    dialects: dict[str, Any] = {}
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
    return dict(dialects)


def shared(known: list[Record], index: dict[str, int], constraint: Record) -> int:
    key = json.dumps(constraint, sort_keys=True)
    if key not in index:
        index[key] = len(known)
        known.append({k: v for k, v in constraint.items() if v not in ("", None)})
    return index[key]


def write(out: Path, dialects: dict[str, Any]) -> None:
    """Write a zip file of one JSON document per dialect; the same input gives the same bytes."""
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, document in sorted(dialects.items()):
            entry = zipfile.ZipInfo(f"{name}.json", (2020, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, json.dumps(document, separators=(",", ":"), sort_keys=True))


if __name__ == "__main__":
    sys.exit(main())
