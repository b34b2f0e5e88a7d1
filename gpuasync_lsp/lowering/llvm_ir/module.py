"""llvm dialect to LLVM IR text: the host program, and each kernel module for NVPTX.

What mlir-translate does, for what gpu-to-llvm leaves: `gpu.launch_func` becomes the runtime calls of a
launch, each `gpu.module` or `gpu.binary` becomes a blob that a constructor loads (LLVM 21 and later) or that
every launch loads and unloads (before). `async.execute` bodies run in place, which is one legal order, since
tokens only flow forward.

With `site_of`, every instruction that came from source carries `!gpuasync !N`, where `!N = !{i32 site}`:
LLVM keeps it through inlining and ignores it otherwise.
"""

# pyright: reportPrivateUsage=false
# The table of handlers at the end names the methods of the class above it.

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple

from xdsl.dialects import builtin
from xdsl.dialects.builtin import UnregisteredOp
from xdsl.ir import Attribute, Block, BlockArgument, Operation, OpResult, SSAValue

from gpuasync_lsp.lowering.llvm_ir.intrinsics import (
    ATOMIC_KINDS,
    BINARY,
    CASTS,
    FCMP,
    ORDERINGS,
    SPECIAL_REGISTERS,
    UNTRANSLATED,
    intrinsic_call,
    nvvm_call,
    parameter_type,
)
from gpuasync_lsp.lowering.llvm_ir.types import (
    Untranslatable,
    address_space,
    c_string,
    constant,
    ir_type,
    symbol,
)
from gpuasync_lsp.syntax.dialects.llvm import ICMP_PREDICATES

SiteOf = Callable[[Operation], int | None]

DYNAMIC_INDEX = -(2**31)
"""Stands in `rawConstantIndices` for an index that is an operand."""

MODULE_PRIORITY = 123
"""Of the constructors and destructors of kernel modules. Fact: mlir-translate-22."""

KERNELS = 'target triple = "nvptx64-nvidia-cuda"'
"""The line that opens the LLVM module of a gpu.module."""


class Line(NamedTuple):
    """A line of LLVM IR, and the op that it is of."""

    text: str
    op: Operation | None = None


@dataclass
class Needs:
    """What the LLVM IR of an op needs to stand in a module, which may have it already."""

    declared: dict[str, str] = field(default_factory=dict[str, str])
    """The declaration of each function that is called, by name."""
    defined: set[str] = field(default_factory=set[str])
    strings: dict[str, str] = field(default_factory=dict[str, str])
    """The definition of each constant string, by symbol."""
    constructors: list[str] = field(default_factory=list[str])
    """As entries of their table, as the destructors."""
    destructors: list[str] = field(default_factory=list[str])


@dataclass
class Translation:
    """The LLVM IR of one op at the top of a module."""

    lines: list[Line] = field(default_factory=list[Line])
    needs: Needs = field(default_factory=Needs)
    names: dict[SSAValue, str] = field(default_factory=dict[SSAValue, str])
    """The text that stands for each value of a function."""


def host_ir(
    module: Operation,
    blobs: Callable[[str], bytes],
    *,
    load_per_launch: bool = False,
    site_of: SiteOf | None = None,
) -> str:
    """Return the LLVM IR of the host functions of a lowered `module`.

    `blobs(name)` gives the bytes to embed for the `gpu.module` or `gpu.binary` called `name`.
    `load_per_launch` is how LLVM up to 19 expands a launch (`Profile.module_per_launch`).
    Raises `Untranslatable` for an operation that no pass has converted.
    """
    found = {op: blobs(symbol_name(op)) for op in top_level(module) if is_blob(op)}
    sizes = {symbol_name(op): len(data) for op, data in found.items()} if load_per_launch else None
    return _text([host_op(op, found.get(op, b""), sizes) for op in top_level(module)], site_of)


def host_op(op: Operation, content: bytes, sizes: Mapping[str, int] | None = None) -> Translation:
    """Return the LLVM IR of one op of a lowered module, as `host_ir` has it.

    `content` is to be embedded for it, if it is a kernel module. `sizes` are the bytes of all of these where
    each launch loads its own."""
    writer = _Module(sizes=sizes)
    if is_blob(op):
        writer.blob(symbol_name(op), content)
    else:
        writer.top_level(op)
    return writer.translation


def kernel_ir(gpu_module: Operation, *, site_of: SiteOf | None = None) -> str:
    """Return the LLVM IR for NVPTX of a `gpu.module` whose functions are `llvm.func`s.

    Raises `Untranslatable` for an operation that no pass has converted.
    """
    return _text([Translation([Line(KERNELS)]), *kernel_ops(gpu_module)], site_of)


def kernel_ops(gpu_module: Operation) -> Iterator[Translation]:
    """Yield the LLVM IR of each op of a gpu.module, as `kernel_ir` has it."""
    for op in top_level(gpu_module):
        writer = _Module(kernels=True)
        writer.top_level(op)
        yield writer.translation


def closing(needs: Iterable[Needs]) -> list[str]:
    """Return the lines that close a module: strings, declarations of what is not defined, constructors."""
    needs = list(needs)
    strings = {symbol: line for each in needs for symbol, line in each.strings.items()}
    declared = {name: line for each in reversed(needs) for name, line in each.declared.items()}
    for each in needs:
        for name in each.defined & declared.keys():
            del declared[name]
    lines = [*strings.values(), *(declared[name] for name in sorted(declared))]
    for kind in ("constructors", "destructors"):
        entries: list[str] = [entry for each in needs for entry in getattr(each, kind)]
        if entries:
            type = f"[{len(entries)} x {{ i32, ptr, ptr }}]"
            lines.append(f"@llvm.global_{kind[0]}tors = appending global {type} [{', '.join(entries)}]")
    return lines


def _text(parts: Sequence[Translation], site_of: SiteOf | None) -> str:
    """Return a module, its instructions marked with the places that they are from."""
    lines: list[str] = []
    sites: set[int] = set()
    for part in parts:
        for text, op in part.lines:
            site = site_of(op) if site_of is not None and op is not None else None
            # Only instructions are marked, which are indented.
            if site is None or not text.startswith(" "):
                lines.append(text)
            else:
                lines.append(f"{text}, !gpuasync !{site}")
                sites.add(site)
    lines += closing(part.needs for part in parts)
    lines += [f"!{site} = !{{i32 {site}}}" for site in sorted(sites)]
    return "\n".join(lines) + "\n"


def is_blob(op: Operation) -> bool:
    """Tell whether an op becomes bytes in the host program."""
    return op_name(op) in ("gpu.module", "gpu.binary")


def top_level(module: Operation) -> Iterator[Operation]:
    """Yield the ops in the body of a module."""
    for block in module.regions[0].blocks:
        yield from block.ops


def symbol_name(op: Operation) -> str:
    """Return the name that a symbol op defines."""
    name: Any = attribute(op, "sym_name")
    return str(name.data)


def op_name(op: Operation) -> str:
    """Return the operation's full name, also of one that no dialect of ours defines."""
    return op.op_name.data if isinstance(op, UnregisteredOp) else op.name


def attribute(op: Operation, name: str) -> Attribute | None:
    """Return the property or attribute `name` of `op`."""
    found = op.properties.get(name)
    return op.attributes.get(name) if found is None else found


def int_list(op: Operation, name: str) -> list[int]:
    """Return a dense array or an array of integers as a list."""
    found: Any = attribute(op, name)
    if found is None:
        return []
    if isinstance(found, builtin.DenseArrayBase):
        return [int(v) for v in found.get_values()]
    if isinstance(found, builtin.DenseIntOrFPElementsAttr):
        return [int(v) for v in found.get_values()]  # pyright: ignore[reportUnknownVariableType]
    return [int(v.value.data) for v in found.data]


@dataclass
class _Module:
    """Writes what one op at the top of a module becomes."""

    kernels: bool = False
    sizes: Mapping[str, int] | None = None
    """The bytes of each kernel module, if each launch loads its own."""
    translation: Translation = field(default_factory=Translation)

    def put(self, *lines: str) -> None:
        """Write lines that are of no op."""
        self.translation.lines += [Line(line) for line in lines]

    def top_level(self, op: Operation) -> None:
        """Write one operation of the module's body."""
        match op_name(op):
            case "llvm.func":
                self._function(op)
            case "llvm.mlir.global":
                self._global(op)
            case "llvm.mlir.global_ctors" | "llvm.mlir.global_dtors":
                self._structors(op)
            case "gpu.module_end" | "llvm.module_flags" | "llvm.comdat":
                pass
            case name:
                raise Untranslatable(f"{name} has not been converted to the llvm dialect", op)

    def declare(self, name: str, result: str, parameters: Iterable[str]) -> str:
        """Note that `name` is called; return its symbol."""
        declared = self.translation.needs.declared
        if name not in declared:
            declared[name] = f"declare {result} {symbol(name)}({', '.join(parameters)})"
        return symbol(name)

    def string(self, name: str, text: str) -> str:
        """Return the symbol of a zero-terminated string constant, which is to be called `name`."""
        data = text.encode() + b"\0"
        line = f"{symbol(name)} = private unnamed_addr constant [{len(data)} x i8] {c_string(data)}"
        self.translation.needs.strings[symbol(name)] = line
        return symbol(name)

    def blob(self, name: str, data: bytes) -> None:
        """Embed a kernel module; load it in a constructor unless each launch does."""
        blob = symbol(f"{name}_binary")
        self.put(f"{blob} = internal constant [{len(data)} x i8] {c_string(data)}, align 8")
        if self.sizes is not None:
            return
        handle, load, unload = symbol(f"{name}_module"), symbol(f"{name}_load"), symbol(f"{name}_unload")
        loader = self.declare("mgpuModuleLoad", "ptr", ["ptr", "i64"])
        unloader = self.declare("mgpuModuleUnload", "void", ["ptr"])
        self.put(
            f"{handle} = internal global ptr null",
            f"define internal void {load}() {{",
            f"  %module = call ptr {loader}(ptr {blob}, i64 {len(data)})",
            f"  store ptr %module, ptr {handle}",
            "  ret void",
            "}",
            f"define internal void {unload}() {{",
            f"  %module = load ptr, ptr {handle}",
            f"  call void {unloader}(ptr %module)",
            "  ret void",
            "}",
        )
        self.translation.needs.constructors.append(_structor(load, MODULE_PRIORITY))
        self.translation.needs.destructors.append(_structor(unload, MODULE_PRIORITY))

    def _function(self, op: Operation) -> None:
        name = symbol_name(op)
        type: Any = attribute(op, "function_type")
        inputs = [ir_type(t) for t in type.inputs.data]
        if type.is_variadic:
            inputs.append("...")
        result = ir_type(type.output)
        if not op.regions or not op.regions[0].blocks:
            self.declare(name, result, inputs)
            return
        self.translation.needs.defined.add(name)
        linkage = _linkage(op)
        kernel = self.kernels and (attribute(op, "nvvm.kernel") or attribute(op, "gpu.kernel")) is not None
        body = _Body(self, self.translation.names)
        entry = op.regions[0].blocks[0]
        parameters = ", ".join(f"{t} {body.value(a)}" for t, a in zip(inputs, entry.args, strict=False))
        if type.is_variadic:
            parameters += ", ..."
        head = f"define {linkage}{'ptx_kernel ' if kernel else ''}{result} {symbol(name)}({parameters})"
        self.translation.lines += [
            Line(f"{head}{self._function_attributes(op)} {{", op),
            *body.blocks(op.regions[0].blocks),
            Line("}"),
        ]

    def _function_attributes(self, op: Operation) -> str:
        texts: list[str] = []
        for name in ("nvvm.maxntid", "nvvm.reqntid", "nvvm.cluster_dim"):
            if values := int_list(op, name):
                texts.append(f'"{name}"="{",".join(map(str, values))}"')
        for name in ("nvvm.minctasm", "nvvm.maxnreg"):
            if isinstance(value := attribute(op, name), builtin.IntegerAttr):
                texts.append(f'"{name}"="{value.value.data}"')  # pyright: ignore[reportUnknownMemberType]
        return " " + " ".join(texts) if texts else ""

    def _global(self, op: Operation) -> None:
        name, type = symbol_name(op), attribute(op, "global_type")
        if type is None:
            raise Untranslatable("llvm.mlir.global without a type", op)
        self.translation.needs.defined.add(name)
        space_attribute: Any = attribute(op, "addr_space")
        space = int(space_attribute.value.data) if space_attribute is not None else 0
        value = attribute(op, "value")
        if value is not None:
            initial = constant(value, type)
            if isinstance(value, builtin.StringAttr):
                initial = _sized_string(value, type)
        elif op.regions and op.regions[0].blocks:
            initial = _constant_region(op.regions[0].blocks[0], self)
        else:
            initial = "" if _linkage(op) == "" else "undef"
        words = [_linkage(op).strip() or ("external" if not initial else "")]
        words.append(f"addrspace({space})" if space else "")
        words.append("constant" if attribute(op, "constant") is not None else "global")
        align: Any = attribute(op, "alignment")
        suffix = f", align {align.value.data}" if align is not None else ""
        text = f"{symbol(name)} = {' '.join(w for w in words if w)} {ir_type(type)} {initial}".rstrip()
        self.translation.lines.append(Line(text + suffix, op))

    def _structors(self, op: Operation) -> None:
        kind = "ctors" if op_name(op).endswith("ctors") else "dtors"
        functions: Any = attribute(op, kind)
        needs = self.translation.needs
        target = needs.constructors if kind == "ctors" else needs.destructors
        target += [
            _structor(symbol(function.root_reference.data), priority)
            for function, priority in zip(functions.data, int_list(op, "priorities"), strict=True)
        ]


@dataclass
class _Body:
    """Writes the body of one function."""

    module: _Module
    names: dict[SSAValue, str] = field(default_factory=dict[SSAValue, str])
    labels: dict[Block, str] = field(default_factory=dict[Block, str])
    edges: dict[Block, list[tuple[str, list[str]]]] = field(
        default_factory=dict[Block, "list[tuple[str, list[str]]]"]
    )
    lines: list[Line] = field(default_factory=list[Line])
    slots: list[Line] = field(default_factory=list[Line])
    """Allocas of the entry block: launches in a loop must not grow the stack."""
    types: dict[SSAValue, str] = field(default_factory=dict[SSAValue, str])
    """The types of values whose own is not taken over."""
    texts: dict[int, str] = field(default_factory=dict[int, str])
    """Of the types of the function's values, which keep these alive."""
    label: str = ""
    counter: int = 0

    def blocks(self, blocks: Iterable[Block]) -> list[Line]:
        """Return the lines of a region; phis are filled in when every edge is known."""
        blocks = list(blocks)
        places = self._emit(blocks)
        entry, *rest = self._with_phis(places)
        return [entry, *self.slots, *rest]

    def value(self, value: SSAValue) -> str:
        """Return the text that stands for a value: a name, a constant, or what it forwards."""
        if value not in self.names:
            self.names[value] = self._forwarded(value) or self.fresh()
        return self.names[value]

    def typed(self, value: SSAValue) -> str:
        """Return `type value`."""
        return f"{self.types.get(value) or self.type(value.type)} {self.value(value)}"

    def type(self, type: Attribute) -> str:
        """Return the text of a type, known by identity: comparing types costs more than writing them."""
        text = self.texts.get(id(type))
        if text is None:
            text = self.texts[id(type)] = ir_type(type)
        return text

    def fresh(self) -> str:
        """Return a new name."""
        self.counter += 1
        return f"%v{self.counter}"

    def put(self, text: str, op: Operation | None = None) -> None:
        """Write one instruction, which is of `op`."""
        self.lines.append(Line("  " + text, op))

    def define(self, op: Operation, text: str) -> None:
        """Write an instruction that defines the only result of `op`."""
        self.put(f"{self.value(op.results[0])} = {text}", op)

    def _emit(self, blocks: Sequence[Block]) -> list[tuple[int, Block]]:
        places: list[tuple[int, Block]] = []
        for number, block in enumerate(blocks):
            self.label = self._label(block)
            self.lines.append(Line(f"{self.label}:"))
            if number:
                places.append((len(self.lines), block))
            for op in block.ops:
                self._operation(op)
        return places

    def _with_phis(self, places: Sequence[tuple[int, Block]]) -> list[Line]:
        out: list[Line] = []
        start = 0
        for line, block in places:
            out += self.lines[start:line]
            start = line
            for index, argument in enumerate(block.args):
                incoming = ", ".join(
                    f"[ {values[index]}, %{label} ]" for label, values in self.edges.get(block, [])
                )
                if incoming:
                    phi = f"  {self.value(argument)} = phi {ir_type(argument.type)} {incoming}"
                    out.append(Line(phi))
        return out + self.lines[start:]

    def _label(self, block: Block) -> str:
        if block not in self.labels:
            self.labels[block] = f"b{len(self.labels)}"
        return self.labels[block]

    def _forwarded(self, value: SSAValue) -> str | None:
        """Return the text of a value that needs no instruction: constants, casts and async values."""
        if isinstance(value, BlockArgument):
            parent = value.block.parent_op()
            if parent is not None and op_name(parent) == "async.execute":
                dependencies = int_list(parent, "operandSegmentSizes")[0]
                return self.value(parent.operands[dependencies + value.index])
            return None
        assert isinstance(value, OpResult)
        op = value.op
        match op_name(op):
            case "llvm.mlir.constant":
                attr = attribute(op, "value")
                return constant(attr, value.type) if attr is not None else None
            case "llvm.mlir.zero" | "llvm.mlir.null":
                return "null" if value.type.name == "llvm.ptr" else "zeroinitializer"
            case "llvm.mlir.undef":
                return "undef"
            case "llvm.mlir.poison":
                return "poison"
            case "llvm.mlir.none":
                return "none"
            case "llvm.mlir.addressof":
                reference: Any = attribute(op, "global_name")
                return symbol(reference.root_reference.data)
            case "builtin.unrealized_conversion_cast":
                return self.value(_reconciled(value))
            case "async.await":
                return self.value(op.operands[0])
            case "async.execute":
                if value.index == 0:
                    return "null"
                last = op.regions[0].blocks[-1].last_op
                if last is None:
                    raise Untranslatable("async.execute without async.yield", op)
                return self.value(last.operands[value.index - 1])
            case _:
                return None

    def _operation(self, op: Operation) -> None:
        name = op_name(op)
        if name in _SILENT:
            return
        if name in SPECIAL_REGISTERS:
            function = self.module.declare(SPECIAL_REGISTERS[name], ir_type(op.results[0].type), [])
            self.define(op, f"call {ir_type(op.results[0].type)} {function}()")
        elif (kind := BINARY.get(name)) is not None:
            left, right = op.operands
            self.define(op, f"{kind}{_flags(op)} {self.typed(left)}, {self.value(right)}")
        elif (kind := CASTS.get(name)) is not None:
            self.define(
                op, f"{kind}{_flags(op)} {self.typed(op.operands[0])} to {ir_type(op.results[0].type)}"
            )
        elif (handler := _HANDLERS.get(name)) is not None:
            handler(self, op)
        elif name.startswith(UNTRANSLATED):
            raise Untranslatable(f"{name} is not translated to LLVM IR", op)
        elif name.startswith("llvm.intr."):
            self.invoke(op, *intrinsic_call(op, name, [self.typed(o) for o in op.operands]))
        elif name.startswith("nvvm."):
            self._nvvm(op)
        else:
            raise Untranslatable(f"{name} has not been converted to the llvm dialect", op)

    def _fneg(self, op: Operation) -> None:
        self.define(op, f"fneg{_flags(op)} {self.typed(op.operands[0])}")

    def _icmp(self, op: Operation) -> None:
        left, right = op.operands
        self.define(
            op, f"icmp {_choice(op, 'predicate', ICMP_PREDICATES)} {self.typed(left)}, {self.value(right)}"
        )

    def _fcmp(self, op: Operation) -> None:
        left, right = op.operands
        self.define(
            op, f"fcmp{_flags(op)} {_choice(op, 'predicate', FCMP)} {self.typed(left)}, {self.value(right)}"
        )

    def _select(self, op: Operation) -> None:
        self.define(op, f"select{_flags(op)} " + ", ".join(self.typed(o) for o in op.operands))

    def _freeze(self, op: Operation) -> None:
        self.define(op, f"freeze {self.typed(op.operands[0])}")

    def _alloca(self, op: Operation) -> None:
        element = attribute(op, "elem_type")
        if element is None:
            raise Untranslatable("llvm.alloca without an element type", op)
        space = address_space(op.results[0].type)
        self.define(
            op,
            f"alloca {ir_type(element)}, {self.typed(op.operands[0])}{_alignment(op)}"
            + (f", addrspace({space})" if space else ""),
        )

    def _load(self, op: Operation) -> None:
        ordering = _ordering(op, "ordering")
        atomic = "atomic " if ordering else ""
        volatile = "volatile " if attribute(op, "volatile_") is not None else ""
        self.define(
            op,
            f"load {atomic}{volatile}{ir_type(op.results[0].type)}, {self.typed(op.operands[0])}"
            f"{_scope(op) if ordering else ''}{ordering}{_alignment(op)}",
        )

    def _store(self, op: Operation) -> None:
        value, pointer = op.operands
        ordering = _ordering(op, "ordering")
        atomic = "atomic " if ordering else ""
        volatile = "volatile " if attribute(op, "volatile_") is not None else ""
        self.put(
            f"store {atomic}{volatile}{self.typed(value)}, {self.typed(pointer)}"
            f"{_scope(op) if ordering else ''}{ordering}{_alignment(op)}",
            op,
        )

    def _element_pointer(self, op: Operation) -> None:
        element = attribute(op, "elem_type")
        if element is None:
            raise Untranslatable("llvm.getelementptr without an element type", op)
        base, *dynamic = op.operands
        remaining = iter(dynamic)
        indices = [
            self.typed(next(remaining)) if index == DYNAMIC_INDEX else f"i32 {index}"
            for index in int_list(op, "rawConstantIndices")
        ]
        flags = _wrap_flags(op)
        if base.type.name == op.results[0].type.name == "llvm.ptr":
            # In LLVM an address is in the space of its base, whatever type gpu-to-llvm has given it.
            self.types[op.results[0]] = self.typed(base).rpartition(" ")[0]
        self.define(op, f"getelementptr {flags}{ir_type(element)}, {self.typed(base)}, {', '.join(indices)}")

    def _atomic(self, op: Operation) -> None:
        pointer, value = op.operands
        volatile = "volatile " if attribute(op, "volatile_") is not None else ""
        self.define(
            op,
            f"atomicrmw {volatile}{_choice(op, 'bin_op', ATOMIC_KINDS)} {self.typed(pointer)}, "
            f"{self.typed(value)}"
            f"{_scope(op)}{_ordering(op, 'ordering') or ' monotonic'}{_alignment(op)}",
        )

    def _exchange(self, op: Operation) -> None:
        pointer, expected, new = op.operands
        weak = "weak " if attribute(op, "weak") is not None else ""
        self.define(
            op,
            f"cmpxchg {weak}{self.typed(pointer)}, {self.typed(expected)}, {self.typed(new)}{_scope(op)}"
            f"{_ordering(op, 'success_ordering')}{_ordering(op, 'failure_ordering')}{_alignment(op)}",
        )

    def _fence(self, op: Operation) -> None:
        self.put(f"fence{_scope(op)}{_ordering(op, 'ordering')}", op)

    def _extract(self, op: Operation) -> None:
        position = ", ".join(map(str, int_list(op, "position")))
        self.define(op, f"extractvalue {self.typed(op.operands[0])}, {position}")

    def _insert(self, op: Operation) -> None:
        first, second = op.operands
        container, value = (first, second) if first.type == op.results[0].type else (second, first)
        position = ", ".join(map(str, int_list(op, "position")))
        self.define(op, f"insertvalue {self.typed(container)}, {self.typed(value)}, {position}")

    def _extract_element(self, op: Operation) -> None:
        self.define(op, "extractelement " + ", ".join(self.typed(o) for o in op.operands))

    def _insert_element(self, op: Operation) -> None:
        self.define(op, "insertelement " + ", ".join(self.typed(o) for o in op.operands))

    def _shuffle_vector(self, op: Operation) -> None:
        mask = ", ".join("i32 poison" if i < 0 else f"i32 {i}" for i in int_list(op, "mask"))
        count = len(int_list(op, "mask"))
        self.define(
            op, f"shufflevector {', '.join(self.typed(o) for o in op.operands)}, <{count} x i32> <{mask}>"
        )

    def _branch(self, op: Operation) -> None:
        self.put(f"br label %{self._edge(op.successors[0], op.operands, set())}", op)

    def _conditional_branch(self, op: Operation) -> None:
        sizes = int_list(op, "operandSegmentSizes")
        condition, *rest = op.operands
        taken: set[Block] = set()
        pending: list[tuple[str, Block, Sequence[SSAValue]]] = []
        yes = self._edge(op.successors[0], rest[: sizes[1]], taken, pending)
        no = self._edge(op.successors[1], rest[sizes[1] :], taken, pending)
        self.put(f"br {self.typed(condition)}, label %{yes}, label %{no}", op)
        self._trampolines(pending)

    def _switch(self, op: Operation) -> None:
        sizes = int_list(op, "operandSegmentSizes")
        value, *rest = op.operands
        values: Any = attribute(op, "case_values")
        cases = [int(v) for v in values.get_values()] if values is not None else []
        segments = int_list(op, "case_operand_segments") or [0] * len(cases)
        taken: set[Block] = set()
        pending: list[tuple[str, Block, Sequence[SSAValue]]] = []
        default = self._edge(op.successors[0], rest[: sizes[1]], taken, pending)
        start = sizes[1]
        texts: list[str] = []
        for number, (case, target) in enumerate(zip(cases, op.successors[1:], strict=True)):
            operands = rest[start : start + segments[number]]
            start += segments[number]
            texts.append(
                f"{ir_type(value.type)} {case}, label %{self._edge(target, operands, taken, pending)}"
            )
        self.put(f"switch {self.typed(value)}, label %{default} [ {' '.join(texts)} ]", op)
        self._trampolines(pending)

    def _edge(
        self,
        target: Block,
        operands: Sequence[SSAValue],
        taken: set[Block],
        pending: list[tuple[str, Block, Sequence[SSAValue]]] | None = None,
    ) -> str:
        """Return the label to jump to; a second edge to one block gets a block of its own."""
        if target in taken and operands and pending is not None:
            self.counter += 1
            label = f"edge{self.counter}"
            pending.append((label, target, operands))
            return label
        known = target in taken
        taken.add(target)
        if not known:
            self.edges.setdefault(target, []).append((self.label, [self.value(o) for o in operands]))
        return self._label(target)

    def _trampolines(self, pending: Sequence[tuple[str, Block, Sequence[SSAValue]]]) -> None:
        for label, target, operands in pending:
            self.lines.append(Line(f"{label}:"))
            self.edges.setdefault(target, []).append((label, [self.value(o) for o in operands]))
            self.put(f"br label %{self._label(target)}")

    def _return(self, op: Operation) -> None:
        self.put("ret " + (self.typed(op.operands[0]) if op.operands else "void"), op)

    def _unreachable(self, op: Operation) -> None:
        self.put("unreachable", op)

    def _call(self, op: Operation) -> None:
        callee: Any = attribute(op, "callee")
        sizes = int_list(op, "operandSegmentSizes")
        operands = list(op.operands)[: sizes[0]] if sizes else list(op.operands)
        result = ir_type(op.results[0].type) if op.results else "void"
        variadic: Any = attribute(op, "var_callee_type")
        if callee is not None:
            name = callee.root_reference.data
            function = symbol(name)
            if variadic is None:
                self.module.declare(name, result, [ir_type(o.type) for o in operands])
        else:
            function = self.value(operands.pop(0))
        type = ir_type(variadic) if variadic is not None else result
        text = f"call{_flags(op)} {type} {function}({', '.join(self.typed(o) for o in operands)})"
        if op.results:
            self.define(op, text)
        else:
            self.put(text, op)

    def _call_intrinsic(self, op: Operation) -> None:
        name: Any = attribute(op, "intrin")
        self.invoke(op, name.data, [self.typed(o) for o in op.operands])

    def invoke(self, op: Operation, name: str, arguments: Sequence[str]) -> None:
        """Write a call of `name`, declared after its arguments; an unused void result is dropped."""
        result = ir_type(op.results[0].type) if op.results else "void"
        function = self.module.declare(name, result, map(parameter_type, arguments))
        text = f"call{_flags(op)} {result} {function}({', '.join(arguments)})"
        if op.results:
            self.define(op, text)
        else:
            self.put(text, op)

    def _nvvm(self, op: Operation) -> None:
        call = nvvm_call(op, [self.typed(o) for o in op.operands])
        if call is None:
            raise Untranslatable(f"{op_name(op)} is not supported in kernels that are run", op)
        self.invoke(op, *call)

    def _inline_asm(self, op: Operation) -> None:
        text: Any = attribute(op, "asm_string")
        constraints: Any = attribute(op, "constraints")
        effects = " sideeffect" if attribute(op, "has_side_effects") is not None else ""
        result = ir_type(op.results[0].type) if op.results else "void"
        quoted = c_string(text.data.encode())[1:]
        call = (
            f"call {result} asm{effects} {quoted}, {c_string(constraints.data.encode())[1:]}"
            f"({', '.join(self.typed(o) for o in op.operands)})"
        )
        if op.results:
            self.define(op, call)
        else:
            self.put(call, op)

    def _execute(self, op: Operation) -> None:
        """Run an async.execute body in place."""
        blocks = list(op.regions[0].blocks)
        if len(blocks) != 1:
            raise Untranslatable("async.execute with several blocks", op)
        for inner in blocks[0].ops:
            self._operation(inner)

    def _launch(self, op: Operation) -> None:
        """A launch as mlir-translate expands it: module, function, parameter array, runtime call."""
        sizes = int_list(op, "operandSegmentSizes")
        groups: list[list[SSAValue]] = []
        start = 0
        for size in sizes:
            groups.append(list(op.operands)[start : start + size])
            start += size
        dependencies, grid, block, cluster = groups[0], groups[1:4], groups[4:7], groups[7:10]
        shared, arguments = groups[10], groups[11]
        stream_object = groups[12] if len(groups) > 12 else []
        if dependencies or len(op.results):
            raise Untranslatable("gpu.launch_func still has async tokens", op)
        kernel: Any = attribute(op, "kernel")
        container = kernel.root_reference.data
        entry = kernel.nested_references.data[-1].data
        handle = self._module_handle(op, container)
        name = self.module.string(f"{container}_{entry}_name", entry)
        function = self._runtime(op, "ptr", "mgpuModuleGetFunction", [handle, f"ptr {name}"])
        parameters = self._parameters(op, arguments)
        own_stream = not stream_object
        stream = (
            self._runtime(op, "ptr", "mgpuStreamCreate", [])
            if own_stream
            else f"ptr {self.value(stream_object[0])}"
        )
        dims = [self._as_i64(d[0]) for d in (*grid, *block)]
        memory = self._as_i32(shared[0]) if shared else "i32 0"
        tail = [memory, stream, f"ptr {parameters}", "ptr null", f"i64 {len(arguments)}"]
        if all(cluster):
            dims = [self._as_i64(d[0]) for d in cluster] + dims
            self._runtime(op, "void", "mgpuLaunchClusterKernel", [function, *dims, *tail])
        else:
            self._runtime(op, "void", "mgpuLaunchKernel", [function, *dims, *tail])
        if own_stream:
            self._runtime(op, "void", "mgpuStreamSynchronize", [stream])
            self._runtime(op, "void", "mgpuStreamDestroy", [stream])
        if self.module.sizes is not None:
            self._runtime(op, "void", "mgpuModuleUnload", [handle])

    def _module_handle(self, op: Operation, container: str) -> str:
        if self.module.sizes is not None:
            blob, size = symbol(f"{container}_binary"), self.module.sizes.get(container, 0)
            return self._runtime(op, "ptr", "mgpuModuleLoad", [f"ptr {blob}", f"i64 {size}"])
        name = self.fresh()
        self.put(f"{name} = load ptr, ptr {symbol(f'{container}_module')}")
        return f"ptr {name}"

    def _parameters(self, op: Operation, arguments: Sequence[SSAValue]) -> str:
        """Fill an array of pointers to the arguments, as cuLaunchKernel takes it."""
        array = self.fresh()
        self.slots.append(Line(f"  {array} = alloca ptr, i64 {max(len(arguments), 1)}"))
        for index, argument in enumerate(arguments):
            slot, place = self.fresh(), self.fresh()
            self.slots.append(Line(f"  {slot} = alloca {ir_type(argument.type)}"))
            self.put(f"store {self.typed(argument)}, ptr {slot}")
            self.put(f"{place} = getelementptr ptr, ptr {array}, i64 {index}")
            self.put(f"store ptr {slot}, ptr {place}")
        return array

    def _runtime(self, op: Operation, result: str, name: str, arguments: Sequence[str]) -> str:
        function = self.module.declare(name, result, map(parameter_type, arguments))
        call = f"call {result} {function}({', '.join(arguments)})"
        if result == "void":
            self.put(call, op)
            return ""
        name = self.fresh()
        self.put(f"{name} = {call}", op)
        return f"{result} {name}"

    def _as_i64(self, value: SSAValue) -> str:
        type = ir_type(value.type)
        if type == "i64":
            return self.typed(value)
        name = self.fresh()
        self.put(f"{name} = sext {self.typed(value)} to i64")
        return f"i64 {name}"

    def _as_i32(self, value: SSAValue) -> str:
        if ir_type(value.type) == "i32":
            return self.typed(value)
        name = self.fresh()
        self.put(f"{name} = trunc {self.typed(value)} to i32")
        return f"i32 {name}"


_SILENT = frozenset(
    {
        "llvm.mlir.constant",
        "llvm.mlir.zero",
        "llvm.mlir.null",
        "llvm.mlir.undef",
        "llvm.mlir.poison",
        "llvm.mlir.none",
        "llvm.mlir.addressof",
        "builtin.unrealized_conversion_cast",
        "async.await",
        "async.yield",
        "llvm.intr.assume",
        "llvm.intr.dbg.declare",
        "llvm.intr.dbg.value",
    }
)

_HANDLERS: dict[str, Callable[[_Body, Operation], None]] = {
    "llvm.fneg": _Body._fneg,
    "llvm.icmp": _Body._icmp,
    "llvm.fcmp": _Body._fcmp,
    "llvm.select": _Body._select,
    "llvm.freeze": _Body._freeze,
    "llvm.alloca": _Body._alloca,
    "llvm.load": _Body._load,
    "llvm.store": _Body._store,
    "llvm.getelementptr": _Body._element_pointer,
    "llvm.atomicrmw": _Body._atomic,
    "llvm.cmpxchg": _Body._exchange,
    "llvm.fence": _Body._fence,
    "llvm.extractvalue": _Body._extract,
    "llvm.insertvalue": _Body._insert,
    "llvm.extractelement": _Body._extract_element,
    "llvm.insertelement": _Body._insert_element,
    "llvm.shufflevector": _Body._shuffle_vector,
    "llvm.br": _Body._branch,
    "llvm.cond_br": _Body._conditional_branch,
    "llvm.switch": _Body._switch,
    "llvm.return": _Body._return,
    "llvm.unreachable": _Body._unreachable,
    "llvm.call": _Body._call,
    "llvm.call_intrinsic": _Body._call_intrinsic,
    "llvm.inline_asm": _Body._inline_asm,
    "async.execute": _Body._execute,
    "gpu.launch_func": _Body._launch,
}


def _reconciled(value: OpResult) -> SSAValue:
    """Return the value of the same type that a chain of casts began with."""
    current: SSAValue = value
    while isinstance(current, OpResult) and op_name(current.op) == "builtin.unrealized_conversion_cast":
        if len(current.op.operands) != 1:
            break
        current = current.op.operands[0]
        if current.type == value.type:
            return current
    sources = ", ".join(str(operand.type) for operand in value.op.operands)
    raise Untranslatable(f"a cast from {sources} to {value.type} is left", value.op)


def _structor(function: str, priority: int) -> str:
    return f"{{ i32, ptr, ptr }} {{ i32 {priority}, ptr {function}, ptr null }}"


def _linkage(op: Operation) -> str:
    found: Any = attribute(op, "linkage")
    word = str(getattr(found, "data", "external"))
    return "" if word == "external" else f"{word} "


def _sized_string(value: builtin.StringAttr, type: Attribute) -> str:
    size: Any = getattr(type, "size", None)
    data = value.data.encode("utf-8")
    return c_string(data.ljust(size.data, b"\0")) if size is not None else c_string(data)


def _constant_region(block: Block, module: _Module) -> str:
    """Fold a global's initializer region: constants put together by insertvalue."""
    last = block.last_op
    if last is None or not last.operands:
        return "zeroinitializer"
    body = _Body(module)
    value = last.operands[0]
    if isinstance(value, OpResult) and op_name(value.op) == "llvm.insertvalue":
        return _folded(value, body)
    return body.value(value)


def _folded(value: SSAValue, body: _Body) -> str:
    parts: dict[tuple[int, ...], SSAValue] = {}
    current = value
    while isinstance(current, OpResult) and op_name(current.op) == "llvm.insertvalue":
        container, inserted = current.op.operands
        parts.setdefault(tuple(int_list(current.op, "position")), inserted)
        current = container

    def build(type: Any, path: tuple[int, ...]) -> str:
        if path in parts:
            return body.value(parts[path])
        if type.name == "llvm.struct":
            fields = [f"{ir_type(t)} {build(t, (*path, i))}" for i, t in enumerate(type.types.data)]
            return "{ " + ", ".join(fields) + " }"
        if type.name == "llvm.array":
            fields = [f"{ir_type(type.type)} {build(type.type, (*path, i))}" for i in range(type.size.data)]
            return "[ " + ", ".join(fields) + " ]"
        return "undef"

    return build(value.type, ())


def _flags(op: Operation) -> str:
    words: list[str] = []
    overflow: Any = attribute(op, "overflowFlags")
    if isinstance(overflow, builtin.IntegerAttr):
        bits: int = overflow.value.data  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
        words += [w for bit, w in ((1, "nsw"), (2, "nuw")) if bits & bit]
    elif overflow is not None:
        words += [w for w in ("nsw", "nuw") if w in str(overflow)]
    for name, word in (("isExact", "exact"), ("isDisjoint", "disjoint"), ("nonNeg", "nneg")):
        if attribute(op, name) is not None:
            words.append(word)
    fast = attribute(op, "fastmathFlags")
    if fast is not None:
        words += _fast_math(fast)
    return "".join(f" {w}" for w in words)


@lru_cache(maxsize=256)
def _fast_math(flags: Attribute) -> Sequence[str]:
    text = str(flags)
    inside = text[text.index("<") + 1 : text.rindex(">")].replace('"', "") if "<" in text else "none"
    return [w.strip() for w in inside.split(",") if w.strip() not in ("none", "")]


def _wrap_flags(op: Operation) -> str:
    flags: Any = attribute(op, "noWrapFlags")
    if isinstance(flags, builtin.IntegerAttr):
        bits: int = flags.value.data  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
        text = "inbounds " if bits & 1 else "nusw " if bits & 2 else ""
        return text + ("nuw " if bits & 4 else "")
    if flags is not None:
        return "".join(f"{w} " for w in ("inbounds", "nusw", "nuw") if w in str(flags))
    return "inbounds " if attribute(op, "inbounds") is not None else ""


def _alignment(op: Operation) -> str:
    value: Any = attribute(op, "alignment")
    return f", align {value.value.data}" if value is not None and value.value.data else ""


def _choice(op: Operation, name: str, table: Sequence[str]) -> str:
    value: Any = attribute(op, name)
    return table[int(value.value.data)]


def _ordering(op: Operation, name: str) -> str:
    value: Any = attribute(op, name)
    word = ORDERINGS[int(value.value.data)] if value is not None else ""
    return f" {word}" if word else ""


def _scope(op: Operation) -> str:
    scope: Any = attribute(op, "syncscope")
    return f' syncscope("{scope.data}")' if scope is not None and scope.data else ""
