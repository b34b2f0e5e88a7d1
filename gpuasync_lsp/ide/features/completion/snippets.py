"""Creates snippets of ops from their assembly format, with matching values and placeholders for the rest."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from xdsl.ir import SSAValue

from gpuasync_lsp.ide.features.completion.place import Cursor
from gpuasync_lsp.ide.lookup.assembly import assembly_elements
from gpuasync_lsp.ide.lookup.custom_formats import full_name
from gpuasync_lsp.syntax.ods.formats import (
    AnyOrder,
    Directive,
    Element,
    Literal,
    Optional,
    Space,
    Text,
    Variable,
)
from gpuasync_lsp.syntax.ods.predicates import holds, shape_of
from gpuasync_lsp.syntax.ods.table import Variant, entry
from gpuasync_lsp.syntax.printer import attribute_text

_NAMED = {
    "arith.cmpf": "cond",
    "arith.cmpi": "cond",
    "arith.constant": "c",
    "gpu.alloc": "memref, token",
    "gpu.block_id": "bid",
    "gpu.dealloc": "token",
    "gpu.launch_func": "token",
    "gpu.memcpy": "token",
    "gpu.memset": "token",
    "gpu.thread_id": "tid",
    "gpu.wait": "",
    "llvm.load": "value",
    "memref.alloc": "buffer",
    "memref.alloca": "buffer",
    "memref.load": "value",
    "scf.for": "",
    "scf.if": "",
    "scf.parallel": "",
    "scf.while": "",
    "vector.load": "value",
}
"""Result names to suggest instead of the op's own name; empty for ops whose results are rarely used."""
_JOIN = "\b"
"""Marks a position without a space."""
_PUNCTUATION, _CLOSING = "<>(){}[],", ">)}],"
_TYPED_MNEMONIC = re.compile(r"(add|sub|mul|div|rem|neg|max|min|shr|cmp)(?:u|s)?(?:i|f|imumf|numf)?$")


def result_names(cursor: Cursor, name: str) -> list[str]:
    """Return unused names for the results of an op; empty if it has none."""
    if name in _NAMED:
        wanted = [each for each in _NAMED[name].split(", ") if each]
    else:
        found = entry(full_name(name))
        results = found.variants[-1].results if found is not None else ()
        wanted = [
            label if label not in ("", "result", "res", "results", "output") else _mnemonic(name)
            for label, constraint in results
            if not constraint.variadic
        ]
    return [f"%{_fresh(each, cursor)}" for each in wanted]


def _mnemonic(name: str) -> str:
    last = name.rpartition(".")[2]
    match = _TYPED_MNEMONIC.match(last)
    return match[1] if match is not None else last


def _fresh(name: str, cursor: Cursor) -> str:
    if f"%{name}" not in cursor.visible:
        return name
    number = 0
    while f"%{name}_{number}" in cursor.visible:
        number += 1
    return f"{name}_{number}"


def snippet_of(cursor: Cursor, name: str) -> str:
    """Return an op with placeholders for its operands; empty if its format is unknown."""
    found = entry(full_name(name))
    elements = assembly_elements(full_name(name))
    if elements is None or found is None:
        return ""
    maker = _Maker(cursor, found.variants[-1])
    maker.sequence(elements)
    return maker.text(name)


@dataclass(slots=True)
class _Maker:
    cursor: Cursor
    variant: Variant
    parts: list[tuple[str, bool]] = field(default_factory=list["tuple[str, bool]"])
    """The parts of the snippet, and for each whether it is a keyword or punctuation."""
    count: int = 0
    chosen: dict[str, SSAValue] = field(default_factory=dict[str, SSAValue])

    def text(self, name: str) -> str:
        """Join the parts with MLIR's spacing: none around brackets, one space after other punctuation."""
        made, space, after_mark = name, True, False
        for part, is_literal in self.parts:
            if part in (_JOIN, "\n"):
                made += part.strip(_JOIN)
                space = False
            elif not is_literal:
                made += f" {part}" if space else part
                space, after_mark = True, False
            else:
                is_mark = len(part) == 1 or part == "->"
                tight = is_mark and part[0] in (_CLOSING if after_mark else _PUNCTUATION)
                made += part if tight or not space else f" {part}"
                space, after_mark = part not in ("<", "(", "{", "["), is_mark
        return made.rstrip()

    def put(self, text: str) -> None:
        self.parts.append((text, False))

    def place(self, text: str) -> str:
        self.count += 1
        escaped = text.replace("\\", "\\\\").replace("$", "\\$").replace("}", "\\}")
        return f"${{{self.count}:{escaped}}}" if text else f"${self.count}"

    def sequence(self, elements: Iterable[Element]) -> None:
        for element in elements:
            self.element(element)

    def element(self, element: Element) -> None:
        match element:
            case Literal():
                self.parts.append((element.text, True))
            case Space():
                if element.text in ("", "\n"):
                    self.parts.append((element.text or _JOIN, True))
            case Variable():
                self.variable(element.name)
            case Directive():
                self.directive(element)
            case Optional():
                # Leave out an optional group; its `otherwise` is the shorter alternative.
                self.sequence(element.otherwise)
            case AnyOrder() | Text():
                pass

    def variable(self, name: str) -> None:
        constraint = dict(self.variant.operands).get(name)
        if constraint is not None and not constraint.variadic:
            self.put(self.operand(name))
        elif constraint is not None:
            self.put(self.indices() if name == "indices" else self.place(""))
        elif name == "sym_name":
            self.put(f"@{self.place('name')}")
        elif (attribute := self.variant.attributes.get(name)) is not None:
            if attribute.kind == "unit":
                return
            if attribute.cases:
                self.count += 1
                self.put(f"${{{self.count}|{','.join(attribute.cases)}|}}")
            elif "symbol ref" in attribute.summary:
                self.put(f"@{self.place(name)}")
            else:
                self.put(self.place("" if name == "value" else name))
        elif self.is_region(name):
            self.put("{\n  $0\n}")
        elif any(group.name == name for group in self.variant.successors):
            self.put(f"^{self.place(name)}")
        else:
            self.put(f"%{self.place(name)}")

    def is_region(self, name: str) -> bool:
        return any(group.name == name for group in self.variant.regions)

    def operand(self, name: str) -> str:
        """Return the nearest matching unused value, or a placeholder with the operand's name."""
        predicate = dict(self.variant.operands)[name].predicate
        peers = [self.chosen[p] for p in self.alike(name) if p in self.chosen]
        for text, value in self.cursor.visible.items():
            if value in self.chosen.values() or (peers and value.type != peers[0].type):
                continue
            if predicate is not None and holds(predicate, value.type) is True:
                self.chosen[name] = value
                return self.place(text)
        if peers:
            self.chosen[name] = peers[0]
        return self.place(f"%{name}")

    def alike(self, name: str) -> Sequence[str]:
        if self.variant.traits & {"SameTypeOperands", "SameOperandsAndResultType"}:
            return [label for label, _ in self.variant.operands if label != name]
        return [label for rule in self.variant.rule("same-types") for label in rule if name in rule]

    def indices(self) -> str:
        shapes = [shape for v in self.chosen.values() if (shape := shape_of(v.type)) is not None]
        return ", ".join(self.place("%i") for _ in range(len(shapes[-1]) if shapes else 1))

    def directive(self, directive: Directive) -> None:
        inner = directive.arguments[0] if directive.arguments else None
        match directive.name:
            case "type":
                self.put(self.type(inner.name if isinstance(inner, Variable | Directive) else ""))
            case "qualified" if inner is not None:
                self.element(inner)
            case "functional-type":
                self.put(f"({self.place('')}) -> {self.place('()')}")
            case "custom":
                self.custom(directive)
            case _:
                pass

    def custom(self, directive: Directive) -> None:
        first = directive.arguments[0] if directive.arguments else None
        if directive.function == "ElseRegion":
            return  # The region is optional, together with its keyword.
        if isinstance(first, Variable) and self.is_region(first.name):
            # The clauses before the region are optional.
            self.variable(first.name)
            return
        match directive.function:
            case "AsyncDependencies" | "LaunchDimType" | "LaunchFuncOperands" | "Dictionary":
                pass
            case "DynamicIndexList":
                self.put(f"[{self.place('')}]")
            case "MNKDimensionList":
                self.put("x".join(self.place(name) for name in "mnk"))
            case "Names":
                self.put(f"%{self.place('i')}")
            case _:
                self.put(self.place(""))

    def type(self, name: str) -> str:
        known = self.chosen.get(name)
        if known is None:
            known = next((self.chosen[p] for p in self.alike(name) if p in self.chosen), None)
        if known is None and "SameOperandsAndResultType" in self.variant.traits:
            known = next(iter(self.chosen.values()), None)
        if known is not None:
            return self.place(attribute_text(known.type))
        declared = dict((*self.variant.operands, *self.variant.results)).get(name)
        if declared is not None and declared.built:
            return declared.built
        return self.place("type" if declared is None or not declared.variadic else "")
