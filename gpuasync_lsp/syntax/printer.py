"""Prints IR as `mlir-opt` of LLVM 22 does: custom assembly, value names, attribute spelling.

An op without custom assembly is printed in generic form, which mlir-opt also parses.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from functools import lru_cache
from io import StringIO
from typing import Protocol, cast

from xdsl.dialects.builtin import (
    AffineMapAttr,
    AffineSetAttr,
    AnyFloat,
    IndexType,
    IntAttr,
    IntegerAttr,
    IntegerType,
    MemRefType,
    NoneAttr,
    StringAttr,
    UnregisteredOp,
    f64,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue, TypeAttribute
from xdsl.ir.affine import AffineMap
from xdsl.irdl import IRDLOperation
from xdsl.printer import Printer
from xdsl.traits import IsTerminator

from gpuasync_lsp.releases import profile
from gpuasync_lsp.syntax import older_spellings
from gpuasync_lsp.syntax.affine import map_text, set_text
from gpuasync_lsp.syntax.affine_folds import refolded_map, rules_of
from gpuasync_lsp.syntax.default_dialects import DEFAULT_DIALECTS
from gpuasync_lsp.syntax.float_texts import float_attribute_text
from gpuasync_lsp.syntax.kinds import is_array, is_integer_attr, is_memref, is_number, is_unranked_memref
from gpuasync_lsp.syntax.opaque import ARGUMENT, OPERAND, REGION, SUCCESSOR, OpaqueOp

AnyIntegerAttr = IntegerAttr[IntegerType | IndexType]


class Names(Enum):
    """The way in which printed values are named."""

    MLIR = "mlir"
    """The names that mlir-opt chooses: `%0`, `%arg0`, `%c1`, `%memref`, `%asyncToken`."""
    SOURCE = "source"
    """The names in the source, made unique where necessary."""


def print_module(op: Operation, names: Names = Names.MLIR) -> str:
    """Return the printed form of `op`, followed by a newline."""
    stream = StringIO()
    MlirPrinter(stream, names).print_op(op)
    return stream.getvalue() + "\n"


def custom_text(op: Operation, names: Mapping[SSAValue, str], version: int) -> str | None:
    """Return the custom form of `op` in LLVM `version`, without its results; None if it has none.

    `names` maps each operand to its name without `%`."""
    stream = StringIO()
    printer = MlirPrinter(stream)
    printer.llvm = version
    printer.name_values(names)
    printer.print_unnamed(op)
    text = stream.getvalue()
    return None if text.startswith('"') else text


@lru_cache(maxsize=4_096)
def attribute_text(attribute: Attribute) -> str:
    """Return an attribute or a type in mlir-opt's spelling."""
    stream = StringIO()
    MlirPrinter(stream).print_attribute(attribute)
    return stream.getvalue()


METADATA = "gpuasync.metadata"
"""The property of an outermost module that stores the file metadata `{-# ... #-}` as text."""

ALIASES = "gpuasync.aliases"
"""The property of an outermost module that stores definitions of used aliases as text."""

_TARGET = "gpuasync.llvm"
"""The property of an outermost module that stores the release whose spelling is printed."""


def spell_for(op: Operation, version: int) -> None:
    """Record that `op`, an outermost module, is to be printed in the spelling of LLVM `version`."""
    op.properties[_TARGET] = IntAttr(version)


class _MayLackParts(Protocol):
    @property
    def is_printable(self) -> bool: ...


class _HasNamedResults(Protocol):
    def named_results(self) -> Mapping[str, Sequence[SSAValue]]: ...


class MlirPrinter(Printer):
    """xDSL's printer with MLIR's value names, order and spelling."""

    llvm: int | None = None
    """The release whose spelling is printed; None for the newest."""

    def __init__(self, stream: StringIO, names: Names = Names.MLIR) -> None:
        super().__init__(stream)
        self._out = stream
        self._names = names
        self._default_dialects = ["builtin"]
        self._printed: dict[int, tuple[Attribute, str]] = {}

    # Text. There are millions of short pieces: they are written directly to the stream, and only a line
    # break sets the column.

    def print_string(self, text: str, *, indent: int | None = None) -> None:
        """Print `text`, with indentation after each line break in it."""
        if "\n" in text:
            super().print_string(text, indent=indent)
        else:
            self._out.write(text)

    def _print_new_line(self, indent: int | None = None, print_message: bool = True) -> None:
        self._current_line += 1
        self._current_column = (self._indent if indent is None else indent) * self.indent_num_spaces
        self._out.write("\n" + " " * self._current_column)

    # Ops

    def print_op(self, op: Operation) -> None:
        """Print `op` without a newline.

        The outermost call also names all values in the op, and prints aliases before it and metadata
        after it."""
        if len(self._default_dialects) > 1:
            return self._print_one(op)
        self._ssa_values.update(value_names(op, self._names))
        if _TARGET in op.properties:
            self.llvm = cast(IntAttr, op.properties[_TARGET]).data
            self.print_properties_as_attributes = not profile(self.llvm).properties_are_written
        aliases = op.properties.get(ALIASES)
        for line in aliases.data.split("\n") if isinstance(aliases, StringAttr) else ():
            self.print_string(line)
            self._print_new_line()
        self._print_one(op)
        metadata = op.properties.get(METADATA)
        if isinstance(metadata, StringAttr):
            self.print_string(f"\n\n{metadata.data}")
        return None

    def name_values(self, names: Mapping[SSAValue, str]) -> None:
        """Print the values in `names` by these names, without `%`."""
        self._ssa_values.update(names)

    def print_unnamed(self, op: Operation) -> None:
        """Print a nested `op` without its results."""
        self._print_one(op, with_results=False)

    def _print_one(self, op: Operation, with_results: bool = True) -> None:
        kind = type(op)
        older = self.llvm if self.llvm is not None and older_spellings.may_differ(op) else None
        if older is not None and (other := older_spellings.other_text(op, older)) is not None:
            self.print_string(other)
            return
        if with_results and (older is None or not older_spellings.has_no_results(op, older)):
            self._print_results(op)
        # Check the class before `isinstance`, which is slow for op classes, since they are abstract.
        if kind is OpaqueOp and isinstance(op, OpaqueOp) and not op.regions:
            named = opaque_text(op, lambda value: f"%{self._name(value)}", self._label)
            self.print_string(named)
            return
        default = self._default_dialects
        if op.regions:
            self._default_dialects = [*default, DEFAULT_DIALECTS.get(op.name, "")]
        has_assembly, may_lack_some = _assembly_of(kind)
        is_printable = has_assembly and (not may_lack_some or cast(_MayLackParts, op).is_printable)
        if is_printable and not (older is not None and older_spellings.is_generic(op, older)):
            self._out.write(_short_name(op.name, default[-1]))
            op.print(self)
        elif isinstance(op, OpaqueOp):
            self._print_opaque(op)
        elif isinstance(op, UnregisteredOp):
            self._print_unregistered(op)
        else:
            self.print_string(f'"{op.name}"')
            self.print_op_with_default_format(op)
        self._default_dialects = default

    def _print_opaque(self, op: OpaqueOp) -> None:
        """Print an opaque op with regions from its template, inserting its values, blocks and regions."""
        operands, blocks = iter(op.operands), iter(op.successors)
        at, template, number = 0, op.template, 0
        labeled = True
        for match in _MARK.finditer(template):
            self.print_string(template[at : match.start()])
            at = match.end()
            if match[0] == OPERAND:
                self.print_ssa_value(next(operands))
            elif match[0] == SUCCESSOR:
                self.print_string(self._label(next(blocks)))
            elif match[0] == REGION:
                entry = op.regions[number].first_block
                shown = labeled and entry is not None and bool(entry.args)
                self.print_region(op.regions[number], print_entry_block_args=shown)
                number, labeled = number + 1, True
            else:
                labeled = False
                self.print_ssa_value(op.regions[number].blocks[0].args[int(match[1])])
        self.print_string(template[at:])

    def _label(self, block: Block) -> str:
        return f"^{self._get_block_name(block)}"

    def _print_unregistered(self, op: UnregisteredOp) -> None:
        name = op.op_name.data
        self.print_string(f'"{name}"')
        self.print_operands(op.operands)
        self.print_successors(op.successors)
        self._print_op_properties(op.properties)
        self.print_regions(op.regions)
        self.print_op_attributes(op.attributes, reserved_attr_names=("op_name__",))
        self.print_string(" : ")
        self.print_operation_type(op)

    def _print_results(self, op: Operation) -> None:
        if len(op.results) == 1:
            self._out.write(f"%{self._name(op.results[0])} = ")
            return
        groups = result_groups(op)
        if not groups:
            return
        for index, group in enumerate(groups):
            if index:
                self.print_string(", ")
            self.print_string("%" + self._name(group[0]).partition("#")[0])
            if len(group) > 1:
                self.print_string(f":{len(group)}")
        self.print_string(" = ")

    # Values and blocks

    def print_ssa_value(self, value: SSAValue) -> str:
        """Print the name of `value`, and return it."""
        name = self._ssa_values.get(value) or self._name(value)
        self._out.write("%" + name)
        return name

    def _name(self, value: SSAValue) -> str:
        name = self._ssa_values.get(value)
        if name is None:  # Its definition was erased or is outside the printed op.
            name = self._ssa_values[value] = "outside"  # like MLIR's single `<<UNKNOWN SSA VALUE>>`
        return name

    def _populate_block_name(self, block: Block, block_index: int | None = None) -> None:
        region = block.parent
        if block_index is None:
            block_index = 0 if region is None else region.get_block_index(block)
        self._blocks[block] = f"bb{block_index}"

    def print_block(
        self, block: Block, print_block_args: bool = True, print_block_terminator: bool = True
    ) -> None:
        """Print a block; a comment after its label lists the predecessors, as in MLIR."""
        if print_block_args:
            self._print_new_line()
            self.print_block_name(block)
            if block.args:
                with self.in_parens():
                    self.print_list(block.args, self.print_block_argument)
            self.print_string(":" + self._origins(block))
        with self.indented():
            for op in block.ops:
                if print_block_terminator or not op.has_trait(IsTerminator, value_if_unregistered=False):
                    self._print_new_line()
                    self.print_op(op)

    def _origins(self, block: Block) -> str:
        if block.parent is None or block.parent.first_block is block:
            return ""
        blocks = list(block.parent.blocks)
        origins = sorted(blocks.index(each) for each in block.predecessors() if each in blocks)
        if not origins:
            return "  // no predecessors"
        count = "pred" if len(origins) == 1 else f"{len(origins)} preds"
        return f"  // {count}: " + ", ".join(f"^bb{index}" for index in origins)

    # Attributes

    def print_attr_dict(self, attr_dict: Mapping[str, Attribute]) -> None:
        """Print `{...}` sorted by name, like MLIR."""
        super().print_attr_dict(dict(sorted(attr_dict.items())))

    def print_attribute(self, attribute: Attribute) -> None:
        """Print an attribute or a type."""
        # Comparing nested types costs more than printing them: the memo is keyed by identity, and keeps them
        # alive.
        known = self._printed.get(id(attribute))
        if known is not None:
            self._out.write(known[1])
        elif isinstance(attribute, TypeAttribute):
            start = self._out.tell()
            self._print_attribute(attribute)
            self._out.seek(start)
            self._printed[id(attribute)] = attribute, self._out.read()
        else:
            self._print_attribute(attribute)

    def _print_attribute(self, attribute: Attribute) -> None:
        if is_memref(attribute):
            self._print_memref_type(attribute)
        elif is_unranked_memref(attribute):
            self.print_string("memref<*x")
            self.print_attribute(attribute.element_type)
            self._print_memory_space(attribute.memory_space)
        elif is_array(attribute):
            with self.in_square_brackets():
                self.print_list(attribute.data, self._print_element)
        elif isinstance(attribute, AffineMapAttr):
            self.print_string(f"affine_map<{map_text(refolded_map(attribute, rules_of(self.llvm)))}>")
        elif isinstance(attribute, AffineSetAttr):
            self.print_string(f"affine_set<{set_text(attribute)}>")
        else:
            super().print_attribute(attribute)

    def _print_element(self, attribute: Attribute) -> None:
        """Print an element of an array; the types i64 and f64 are omitted, as in MLIR."""
        if is_integer_attr(attribute) and attribute.type == i64:
            self.print_int(attribute.value.data)
        elif is_number(attribute) and attribute.type == f64 and math.isfinite(attribute.value.data):
            self.print_float(attribute.value.data, f64)
        else:
            self.print_attribute(attribute)

    def print_float(self, value: float, type: AnyFloat) -> None:
        """Print a floating point number."""
        text = float_attribute_text(value, type) if math.isfinite(value) else None
        self.print_string("0x" + type.pack((value,))[::-1].hex().upper() if text is None else text)

    def _print_memref_type(self, memref: MemRefType[Attribute]) -> None:
        self.print_string("memref<")
        for size in memref.get_shape():
            self.print_string("?x" if size < 0 else f"{size}x")
        self.print_attribute(memref.element_type)
        if not isinstance(memref.layout, NoneAttr) and not _is_identity(memref.layout):
            self.print_string(", ")
            self.print_attribute(memref.layout)
        self._print_memory_space(memref.memory_space)

    def _print_memory_space(self, space: Attribute) -> None:
        """Print the memory space at the end of a memref type; a number is printed without its type i64, as
        in MLIR."""
        if not isinstance(space, NoneAttr):
            self.print_string(", " + str(space).removesuffix(" : i64"))
        self.print_string(">")


def _is_identity(layout: Attribute) -> bool:
    """Return whether a layout is an identity map, which MLIR omits."""
    return isinstance(layout, AffineMapAttr) and layout.data == AffineMap.identity(layout.data.num_dims)


@lru_cache(maxsize=4_096)
def _assembly_of(kind: type[Operation]) -> tuple[bool, bool]:
    """Return whether a class has custom assembly, and whether its ops may lack a part that the assembly
    prints."""
    return kind.print is not Operation.print, hasattr(kind, "is_printable")


@lru_cache(maxsize=4_096)
def _short_name(name: str, default_dialect: str) -> str:
    dialect, _, rest = name.partition(".")
    return rest if dialect == default_dialect and "." not in rest else name


_MARK = re.compile(rf"[{OPERAND}{SUCCESSOR}{REGION}]|{ARGUMENT}(\d+){ARGUMENT}")
_OPERAND = re.compile(r'[%^][\w$.-]+(?:#\d+)?|"(?:[^"\\]|\\.)*"?|//[^\n]*')


def opaque_text(op: OpaqueOp, name: Callable[[SSAValue], str], label: Callable[[Block], str]) -> str:
    """Return the source text of an opaque op from its name on, with values and blocks renamed.

    `name` returns the new name of a value, and `label` returns the new name of a block."""
    text = op.text
    start = text.find(op.op_name) if op.op_name else 0
    if start > 0 and text[start - 1] == '"':
        start -= 1
    operands, blocks = iter(op.operands), iter(op.successors)

    def rename(match: re.Match[str]) -> str:
        if match[0][0] == "^":
            block = next(blocks, None)
            return match[0] if block is None else label(block)
        if match[0][0] != "%":
            return match[0]
        value = next(operands, None)
        return match[0] if value is None else name(value)

    return _OPERAND.sub(rename, text[start:])


# Names


def result_groups(op: Operation) -> list[Sequence[SSAValue]]:
    """Return the results grouped by printed name: `%0:2` is one group, `%memref, %asyncToken` are two."""
    results = op.results
    if len(results) <= 1 or _result_names(type(op)) == (None, False):
        return [results] if results else []
    return [group for _, group in _named_groups(op)]


def value_names(root: Operation, names: Names = Names.MLIR) -> dict[SSAValue, str]:
    """Return the names, without `%`, of the results of `root` and of all values defined in it."""
    found: dict[SSAValue, str] = {}
    scope = _Scope(found, names)
    scope.name_results(root)
    for region in root.regions:
        scope.copy().name_region(region)
    return found


class _Scope:
    """The names used in one region. A nested region starts with a copy, so siblings may use the same
    names."""

    def __init__(
        self,
        found: dict[SSAValue, str],
        style: Names,
        used: frozenset[str] = frozenset(),
        counters: tuple[int, int, int] = (0, 0, 0),
    ) -> None:
        self._found = found
        self._style = style
        self._used = set(used)
        self._values, self._arguments, self._conflicts = counters

    def copy(self) -> _Scope:
        counters = (self._values, self._arguments, self._conflicts)
        return _Scope(self._found, self._style, frozenset(self._used), counters)

    def name_region(self, region: Region) -> None:
        """Name the values of `region`, then those of regions nested in it, in MLIR's order."""
        for index, block in enumerate(region.blocks):
            for argument in block.args:
                self._name_argument(argument, is_entry=index == 0)
            for op in block.ops:
                self.name_results(op)
        for op in (op for block in region.blocks for op in block.ops):
            for nested in op.regions:
                self.copy().name_region(nested)

    def _name_argument(self, argument: SSAValue, *, is_entry: bool) -> None:
        if self._style is Names.SOURCE and argument.name_hint:
            self._found[argument] = self._unique(argument.name_hint)
        elif is_entry:
            while f"arg{self._arguments}" in self._used:
                self._arguments += 1
            self._found[argument] = self._unique(f"arg{self._arguments}")
            self._arguments += 1
        else:
            self._found[argument] = self._next_number()

    def name_results(self, op: Operation) -> None:
        """Choose names for the results of one op."""
        if not op.results:
            return
        for name, group in _named_groups(op):
            if self._style is Names.SOURCE:
                name = group[0].name_hint or ""
            base = self._unique(name) if name else self._next_number()
            for index, value in enumerate(group):
                self._found[value] = base if len(group) == 1 else f"{base}#{index}"

    def _next_number(self) -> str:
        self._values += 1
        return str(self._values - 1)

    def _unique(self, name: str) -> str:
        candidate = name
        while candidate in self._used:
            candidate = f"{name}_{self._conflicts}"
            self._conflicts += 1
        self._used.add(candidate)
        return candidate


def _named_groups(op: Operation) -> list[tuple[str, Sequence[SSAValue]]]:
    """Return the results of `op` in groups, each with the name that MLIR suggests or an empty string."""
    names, is_by_table = _result_names(type(op))
    if is_by_table:
        groups = cast(_HasNamedResults, op).named_results()
        if groups:
            return [(name, group) for name, group in groups.items() if group]
    if names is None:
        return [(_special_name(op), op.results)] if op.results else []
    found: list[tuple[str, Sequence[SSAValue]]] = []
    for name in names:
        part: SSAValue | Sequence[SSAValue] | None = getattr(op, name)
        group = [part] if isinstance(part, SSAValue) else part
        if group:
            found.append((_spelled(op.name, name), group))
    return found


@lru_cache(maxsize=4_096)
def _result_names(kind: type[Operation]) -> tuple[Sequence[str] | None, bool]:
    """Return the names of the result fields of a class, None if it has at most one, and a flag.

    The flag is true if ops of this class may get names from the ODS tables.
    """
    is_by_table = hasattr(kind, "named_results")
    if not issubclass(kind, IRDLOperation):
        return None, is_by_table
    if kind.name in _NAMED_PARTS:
        return _NAMED_PARTS[kind.name], is_by_table
    definitions = kind.get_irdl_definition().results
    return tuple(name for name, _ in definitions) if len(definitions) > 1 else None, is_by_table


_NAMED_PARTS = {"memref.extract_strided_metadata": ["base_buffer", "offset", "sizes", "strides"]}
"""The result fields of ops whose class declares all results as one group."""


def _spelled(op_name: str, field: str) -> str:
    """Return the ODS name of a result field: gpu and async use camel case (`asyncToken`), others snake
    case."""
    if not op_name.startswith(("gpu.", "async.")):
        return field
    first, *rest = field.split("_")
    return first + "".join(word.capitalize() for word in rest)


_NAMED_AFTER_OP = frozenset(
    {
        "memref.alloc",
        "memref.alloca",
        "memref.cast",
        "memref.collapse_shape",
        "memref.dim",
        "memref.expand_shape",
        "memref.memory_space_cast",
        "memref.reinterpret_cast",
        "memref.reshape",
        "memref.subview",
        "memref.transpose",
        "memref.view",
        "tensor.cast",
        "tensor.concat",
        "tensor.dim",
        "tensor.from_elements",
        "tensor.gather",
        "tensor.rank",
        "tensor.reshape",
        "tensor.scatter",
        "tensor.splat",
        "vector.vscale",
    }
)
_CONSTANTS = {
    "arith.constant": "c",
    "complex.constant": "",
    "index.bool.constant": "",
    "index.constant": "idx",
}
"""The prefix before the number in the name that MLIR suggests for an index constant."""
_OTHER_NAMES = {
    "func.constant": "f",
    "linalg.broadcast": "broadcasted",
    "linalg.map": "mapped",
    "linalg.pack": "pack",
    "linalg.reduce": "reduced",
    "linalg.transpose": "transposed",
    "linalg.unpack": "unpack",
    "memref.extract_aligned_pointer_as_index": "intptr",
    "memref.memory_space_cast": "memspacecast",
    "tensor.collapse_shape": "collapsed",
    "tensor.expand_shape": "expanded",
    "tensor.extract": "extracted",
    "tensor.extract_slice": "extracted_slice",
    "tensor.generate": "generated",
    "tensor.insert": "inserted",
    "tensor.insert_slice": "inserted_slice",
    "tensor.pad": "padded",
}


_NAMED = frozenset((*_CONSTANTS, *_OTHER_NAMES, *_NAMED_AFTER_OP))


def _special_name(op: Operation) -> str:
    """Return the name that MLIR suggests for the result of some ops, or an empty string."""
    name = op.name
    if name not in _NAMED and not name.startswith("gpu."):
        return ""
    if name in _CONSTANTS:
        return _constant_name(op)
    if name in _OTHER_NAMES:
        return _OTHER_NAMES[name]
    if name in _NAMED_AFTER_OP:
        return name.partition(".")[2]
    dimension = op.properties.get("dimension")
    if dimension is not None and name.startswith("gpu."):
        return f"{name.removeprefix('gpu.')}_{dimension.data}"  # pyright: ignore
    return ""


def _constant_name(op: Operation) -> str:
    value = op.properties.get("value")
    if not isinstance(value, IntegerAttr):
        return "cst"
    integer = cast(AnyIntegerAttr, value)
    number, type = integer.value.data, integer.type
    if isinstance(type, IndexType):
        return f"{_CONSTANTS[op.name]}{number}"
    if type.width.data == 1:
        return "true" if number else "false"
    return f"c{number}_{type}"
