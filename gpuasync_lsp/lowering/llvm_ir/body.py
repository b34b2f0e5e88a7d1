"""Writes the body of a function in LLVM IR: names of values, labels, edges between blocks, and phis."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from xdsl.ir import Attribute, Block, BlockArgument, Operation, OpResult, SSAValue

from gpuasync_lsp.lowering.llvm_ir.assumptions import register_range
from gpuasync_lsp.lowering.llvm_ir.intrinsics import (
    BINARY,
    CASTS,
    SPECIAL_REGISTERS,
    UNTRANSLATED,
    intrinsic_call,
    nvvm_call,
    parameter_type,
)
from gpuasync_lsp.lowering.llvm_ir.nvvm_calls import newer_call
from gpuasync_lsp.lowering.llvm_ir.reading import attribute, flags, int_list, op_name
from gpuasync_lsp.lowering.llvm_ir.translation import Line, Translation
from gpuasync_lsp.lowering.llvm_ir.types import Untranslatable, constant, ir_type, symbol
from gpuasync_lsp.syntax.kinds import symbol_of
from gpuasync_lsp.syntax.opaque import OpaqueOp


@dataclass
class Body:
    """Writes the body of one function.

    `handlers` translates ops by name; tables translate arithmetic and intrinsics.
    """

    translation: Translation
    handlers: Mapping[str, Handler]
    module_sizes: Mapping[str, int] | None = None
    """Maps each kernel module to its size in bytes if each launch loads its module, otherwise None."""
    names: dict[SSAValue, str] = field(default_factory=dict[SSAValue, str])
    labels: dict[Block, str] = field(default_factory=dict[Block, str])
    edges: dict[Block, list[tuple[str, list[str]]]] = field(
        default_factory=dict[Block, "list[tuple[str, list[str]]]"]
    )
    lines: list[Line] = field(default_factory=list[Line])
    slots: list[Line] = field(default_factory=list[Line])
    """Allocas of the entry block: a launch in a loop must not grow the stack."""
    types: dict[SSAValue, str] = field(default_factory=dict[SSAValue, str])
    """Maps values to their LLVM types, if these differ from the MLIR types."""
    texts: dict[int, str] = field(default_factory=dict[int, str])
    """Maps the identity of each type to its text; the function's values keep the types alive."""
    label: str = ""
    counter: int = 0

    def blocks(self, blocks: Iterable[Block]) -> list[Line]:
        """Return the lines of a region with its phis, which can be written only after all edges are known."""
        blocks = list(blocks)
        places = self._emit(blocks)
        entry, *rest = self._with_phis(places)
        return [entry, *self.slots, *rest]

    def value(self, value: SSAValue) -> str:
        """Return the LLVM operand for a value: its name, a constant, or that of a forwarded value."""
        if value not in self.names:
            self.names[value] = self._forwarded(value) or self.fresh()
        return self.names[value]

    def typed(self, value: SSAValue) -> str:
        """Return the LLVM operand for a value, preceded by its type."""
        return f"{self.types.get(value) or self.type(value.type)} {self.value(value)}"

    def type(self, type: Attribute) -> str:
        """Return a type as LLVM IR, memoized by identity: comparing types costs more than writing them."""
        text = self.texts.get(id(type))
        if text is None:
            text = self.texts[id(type)] = ir_type(type)
        return text

    def fresh(self) -> str:
        """Return an unused value name."""
        self.counter += 1
        return f"%v{self.counter}"

    def put(self, text: str, op: Operation | None = None) -> None:
        """Write one instruction for `op`."""
        self.lines.append(Line("  " + text, op))

    def define(self, op: Operation, text: str) -> None:
        """Write an instruction that defines the only result of `op`."""
        self.put(f"{self.value(op.results[0])} = {text}", op)

    def _emit(self, blocks: Sequence[Block]) -> list[tuple[int, Block]]:
        places: list[tuple[int, Block]] = []
        for number, block in enumerate(blocks):
            self.label = self.label_of(block)
            self.lines.append(Line(f"{self.label}:"))
            if number:
                places.append((len(self.lines), block))
            for op in block.ops:
                self.operation(op)
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

    def label_of(self, block: Block) -> str:
        if block not in self.labels:
            self.labels[block] = f"b{len(self.labels)}"
        return self.labels[block]

    def _forwarded(self, value: SSAValue) -> str | None:
        """Return the operand for a value that needs no instruction: a constant, cast or async value.

        Returns None for all other values."""
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
                return symbol(symbol_of(attribute(op, "global_name")))
            case "builtin.unrealized_conversion_cast":
                return self.value(_reconciled(value))
            case "async.await":
                return self.value(op.operands[0])
            case "async.execute":
                if value.index == 0:
                    return None if self.translation.tells_bodies else "null"
                last = op.regions[0].blocks[-1].last_op
                if last is None:
                    raise Untranslatable("async.execute without async.yield", op)
                return self.value(last.operands[value.index - 1])
            case _:
                return None

    def operation(self, op: Operation) -> None:
        name = op_name(op)
        if name in SILENT:
            return
        if name in SPECIAL_REGISTERS:
            function = self.translation.declare(SPECIAL_REGISTERS[name], ir_type(op.results[0].type), [])
            known = register_range(op) if self.translation.assumes else ""
            self.define(op, f"call{known} {ir_type(op.results[0].type)} {function}()")
        elif (kind := BINARY.get(name)) is not None:
            left, right = op.operands
            self.define(op, f"{kind}{flags(op)} {self.typed(left)}, {self.value(right)}")
        elif (kind := CASTS.get(name)) is not None:
            # mlir-opt inserts extensions from double to double for printed doubles; LLVM rejects them.
            how = f"{kind}{flags(op)}" if op.operands[0].type != op.results[0].type else "bitcast"
            self.define(op, f"{how} {self.typed(op.operands[0])} to {ir_type(op.results[0].type)}")
        elif (handler := self.handlers.get(name)) is not None:
            if isinstance(op, OpaqueOp):
                raise Untranslatable(f"the assembly of this {name} is not supported", op)
            handler(self, op)
        elif name.startswith(UNTRANSLATED):
            raise Untranslatable(f"{name} is not translated to LLVM IR", op)
        elif name.startswith("llvm.intr."):
            self.invoke(op, *intrinsic_call(op, name, [self.typed(o) for o in op.operands]))
        elif name.startswith("nvvm."):
            self._nvvm(op)
        else:
            raise Untranslatable(f"{name} has not been converted to the llvm dialect", op)

    def invoke(self, op: Operation, name: str, arguments: Sequence[str], type: str = "") -> None:
        """Write a call to `name`, declared with the types of its arguments.

        `type` is the type of its result if that is not the op's, to which the result is then converted."""
        wanted = ir_type(op.results[0].type) if op.results else ""
        made = type or wanted or "void"
        function = self.translation.declare(name, made, map(parameter_type, arguments))
        text = f"call{flags(op)} {made} {function}({', '.join(arguments)})"
        if not wanted:
            self.put(text, op)
        elif made == wanted:
            self.define(op, text)
        else:
            value = self._computed(op, text)
            how = {"i1": "zext", "i16": "trunc" if wanted == "i8" else "bitcast"}.get(made)
            taken = f"{how} {made} {value} to {wanted}" if how else f"extractvalue {made} {value}, 1"
            self.define(op, taken)

    def _computed(self, op: Operation, text: str) -> str:
        """Write an instruction for `op`; return the value that it defines."""
        value = self.fresh()
        self.put(f"{value} = {text}", op)
        return value

    def _nvvm(self, op: Operation) -> None:
        operands = [self.typed(o) for o in op.operands]
        call = nvvm_call(op, operands) or newer_call(op, op_name(op), operands)
        if call is None:
            raise Untranslatable(f"{op_name(op)} is not supported in kernels that are executed", op)
        arguments = [
            each if isinstance(each, str) else f"{each.type} {self._computed(op, each.text)}"
            for each in call.arguments
        ]
        self.invoke(op, call.name, arguments, call.type)

    def edge(
        self,
        target: Block,
        operands: Sequence[SSAValue],
        taken: set[Block],
        pending: list[tuple[str, Block, Sequence[SSAValue]]] | None = None,
    ) -> str:
        """Return the label for a branch to `target`; a second edge to one block goes through a new block."""
        if target in taken and operands and pending is not None:
            self.counter += 1
            label = f"edge{self.counter}"
            pending.append((label, target, operands))
            return label
        known = target in taken
        taken.add(target)
        if not known:
            self.edges.setdefault(target, []).append((self.label, [self.value(o) for o in operands]))
        return self.label_of(target)

    def trampolines(self, pending: Sequence[tuple[str, Block, Sequence[SSAValue]]]) -> None:
        for label, target, operands in pending:
            self.lines.append(Line(f"{label}:"))
            self.edges.setdefault(target, []).append((label, [self.value(o) for o in operands]))
            self.put(f"br label %{self.label_of(target)}")


Handler = Callable[[Body, Operation], None]
"""Writes an op as LLVM IR."""


SILENT = frozenset(
    {
        "llvm.mlir.constant",
        "llvm.mlir.zero",
        "llvm.mlir.null",
        "llvm.mlir.undef",
        "llvm.mlir.poison",
        "llvm.mlir.none",
        "llvm.mlir.addressof",
        "builtin.unrealized_conversion_cast",
        "async.yield",
        "llvm.intr.assume",
        "llvm.intr.dbg.declare",
        "llvm.intr.dbg.value",
    }
)
"""Ops that write no instruction: hints, and constants, which are written at their uses."""


def _reconciled(value: OpResult) -> SSAValue:
    """Follow the chain of casts that defines `value` back to a value of the same type.

    Raises Untranslatable if there is none."""
    current: SSAValue = value
    while isinstance(current, OpResult) and op_name(current.op) == "builtin.unrealized_conversion_cast":
        if len(current.op.operands) != 1:
            break
        current = current.op.operands[0]
        if current.type == value.type:
            return current
    sources = ", ".join(str(operand.type) for operand in value.op.operands)
    raise Untranslatable(f"an unrealized cast from {sources} to {value.type} remains", value.op)
