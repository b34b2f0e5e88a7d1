"""Classifies the pointer arguments of an llvm-dialect function according to their uses.

A pointer is a part of a memref's descriptor, a buffer, or a stream; its type does not show which."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr
from xdsl.ir import Attribute, BlockArgument, Operation, SSAValue, Use

from gpuasync_lsp.syntax.dialects import gpu, llvm
from gpuasync_lsp.syntax.dialects.llvm_attributes import LLVMArrayType, LLVMPointerType, LLVMStructType
from gpuasync_lsp.syntax.kinds import is_memref, is_vector, text_of
from gpuasync_lsp.syntax.symbols import symbol_text

DYNAMIC = -1
MOST_STEPS = 10_000
"""The maximum number of values that are followed from one argument."""


class Buffer(NamedTuple):
    """The element type and shape of a pointer's memory, if its uses reveal them."""

    element: Attribute | None
    shape: tuple[int, ...]


class Descriptor(NamedTuple):
    """A memref that is passed as consecutive arguments."""

    element: Attribute | None
    rank: int
    taken: int
    """The number of arguments that form the descriptor."""


def functions_by_name(module: Operation) -> dict[str, Operation]:
    """Return the functions in `module` by symbol; kernels as `@module::@kernel`."""
    found: dict[str, Operation] = {}
    for op in module.walk():
        name = op.properties.get("sym_name")
        if name is None or not op.regions:
            continue
        above = op.parent_op()
        inside = isinstance(above, gpu.GPUModuleOp)
        prefix = f"{symbol_text(above.sym_name.data)}::" if inside else ""
        found[f"{prefix}{symbol_text(text_of(name))}"] = op
    return found


def is_stream(argument: SSAValue) -> bool:
    """Return whether a value is a pointer that is used as the stream of a launch or of a runtime call."""
    return isinstance(argument.type, LLVMPointerType) and any(_takes_stream(use) for use in argument.uses)


def _takes_stream(use: Use) -> bool:
    op = use.operation
    if isinstance(op, gpu.LaunchFuncOp):
        return op.async_object is not None and op.operands[use.index] is op.async_object
    callee = str(op.callee) if isinstance(op, llvm.CallOp) else ""
    return "mgpuStream" in callee and "Create" not in callee


def descriptor_at(
    arguments: Sequence[BlockArgument], at: int, functions: Mapping[str, Operation]
) -> Descriptor | None:
    """Return the memref whose descriptor fields are the arguments from index `at`; None if there is none.

    The function inserts these arguments, in order, into a descriptor, as in the output of gpu-to-llvm."""
    struct = next((use.operation.operands[0].type for use in _insertions(arguments[at], (0,))), None)
    rank = descriptor_rank(struct)
    if rank is None or at + 3 + 2 * rank > len(arguments):
        return None
    places = [(0,), (1,), (2,), *((3, i) for i in range(rank)), *((4, i) for i in range(rank))]
    group = arguments[at : at + len(places)]
    if any(not any(_insertions(value, place)) for value, place in zip(group, places, strict=True)):
        return None
    return Descriptor(_pointee(group[1], functions), rank, len(places))


def pointed_descriptor(argument: BlockArgument, functions: Mapping[str, Operation]) -> Descriptor | None:
    """Return the memref whose descriptor is read (`taken` is 1) or written (`taken` is 0) at a pointer."""
    for use in argument.uses:
        op = use.operation
        loads = op.name == "llvm.load"
        if not loads and (op.name != "llvm.store" or use.index != 1):
            continue
        value = op.results[0] if loads else op.operands[0]
        rank = descriptor_rank(value.type)
        if rank is not None:
            element = _pointee(value, functions) if loads else element_of_result(value, functions)
            return Descriptor(element, rank, int(loads))
    return None


def element_of_result(value: SSAValue, functions: Mapping[str, Operation]) -> Attribute | None:
    """Return the element type of the memref that a descriptor, built here or in a callee, describes."""
    for _ in range(MOST_STEPS):
        op = value.owner
        if not isinstance(op, Operation):
            return None
        if op.name == "llvm.insertvalue":
            if _position(op) == (1,):
                return _pointee(op.operands[1], functions)
            value = op.operands[0]
        elif isinstance(op, llvm.CallOp) and (callee := functions.get(str(op.callee))) is not None:
            ends = [each for each in callee.walk() if each.name == "llvm.return" and each.operands]
            if not ends:
                return None
            value = ends[0].operands[0]
        else:
            return None
    return None


def buffer_of(argument: BlockArgument, functions: Mapping[str, Operation]) -> Buffer:
    """Return the element type and shape of a pointer's memory; one dynamic extent if the shape is unknown."""
    shape: tuple[int, ...] = (DYNAMIC,)
    for use in _insertions(argument, (1,)):
        rank = descriptor_rank(use.operation.operands[0].type)
        if rank is not None:
            sizes = [_inserted(use.operation, (3, axis)) for axis in range(rank)]
            if all(size is not None for size in sizes):
                shape = tuple(size for size in sizes if size is not None)
    return Buffer(_pointee(argument, functions), shape)


def _insertions(value: SSAValue, position: tuple[int, ...]) -> Iterator[Use]:
    """Yield the uses that insert `value` into a struct at `position`."""
    for use in value.uses:
        if (
            use.operation.name == "llvm.insertvalue"
            and use.index == 1
            and _position(use.operation) == position
        ):
            yield use


def _position(op: Operation) -> tuple[int, ...]:
    position = op.properties.get("position")
    return tuple(map(int, position.iter_values())) if isinstance(position, DenseArrayBase) else ()


def _inserted(op: Operation, position: tuple[int, ...]) -> int | None:
    """Return the constant inserted at `position` into a struct; None if unknown.

    `op` is the first llvm.insertvalue that builds the struct."""
    for _ in range(MOST_STEPS):
        users = [use.operation for use in op.results[0].uses if use.operation.name == "llvm.insertvalue"]
        if not users:
            return None
        op = users[0]
        if _position(op) == position:
            owner = op.operands[1].owner
            value = owner.properties.get("value") if isinstance(owner, Operation) else None
            return value.value.data if isinstance(value, IntegerAttr) else None
    return None


def descriptor_rank(type: Attribute | None) -> int | None:
    """Return the rank of a memref, given the struct type of its descriptor; None for other types."""
    if not isinstance(type, LLVMStructType):
        return None
    fields = type.types.data
    if len(fields) not in (3, 5) or not all(isinstance(each, LLVMPointerType) for each in fields[:2]):
        return None
    if len(fields) == 3:
        return 0
    return fields[3].size.data if isinstance(fields[3], LLVMArrayType) and fields[3] == fields[4] else None


def _pointee(argument: SSAValue, functions: Mapping[str, Operation]) -> Attribute | None:
    """Return the type of the elements that the function, kernels and callees access through a pointer."""
    seen: set[SSAValue] = set()
    pending = [argument]
    bytes_only: Attribute | None = None
    while pending and len(seen) < MOST_STEPS:
        value = pending.pop()
        if value in seen:
            continue
        seen.add(value)
        for use in value.uses:
            op = use.operation
            found = _accessed(op, use.index)
            if found is not None and str(found) != "i8":
                return found
            bytes_only = bytes_only or found
            pending += _same_memory(op, use.index, functions)
    return bytes_only


def _accessed(op: Operation, operand: int) -> Attribute | None:
    """Return the element type that an op accesses through one of its operands; None if it does not."""
    if op.name == "llvm.load":
        return _scalar(op.results[0].type)
    if op.name == "llvm.store":
        return _scalar(op.operands[0].type) if operand == 1 else None
    if isinstance(op, llvm.GEPOp):
        return _scalar(op.elem_type) if op.elem_type is not None and operand == 0 else None
    if op.name == "builtin.unrealized_conversion_cast" and is_memref(type := op.results[0].type):
        return type.element_type
    return None


def _scalar(type: Attribute) -> Attribute | None:
    """Return the scalar type of a vector or array, or the type itself; None for pointers and structs."""
    if isinstance(type, LLVMArrayType):
        return _scalar(type.type)
    if is_vector(type):
        return _scalar(type.element_type)
    return None if isinstance(type, LLVMPointerType | LLVMStructType) else type


def _same_memory(op: Operation, operand: int, functions: Mapping[str, Operation]) -> Iterator[SSAValue]:
    """Yield the values through which later ops access the memory of an operand of `op`.

    They are results of `op`, or arguments of the kernel or function that it calls."""
    if op.name in ("llvm.getelementptr", "llvm.addrspacecast", "llvm.bitcast", "llvm.insertvalue"):
        if op.name != "llvm.insertvalue" or operand != 1 or _position(op) in ((0,), (1,)):
            yield op.results[0]
        return
    if op.name in ("llvm.extractvalue", "builtin.unrealized_conversion_cast"):
        yield from op.results
        return
    if isinstance(op, llvm.CallOp) and str(op.callee) == "@mgpuMemcpy" and operand < 2:
        yield op.operands[1 - operand]
        return
    callee: Operation | None = None
    if isinstance(op, gpu.LaunchFuncOp):
        callee = functions.get(str(op.kernel))
        operand -= len(op.operands) - len(op.kernel_operands) - (op.async_object is not None)
    elif isinstance(op, llvm.CallOp) and op.callee is not None:
        callee = functions.get(str(op.callee))
    if callee is not None and callee.regions[0].blocks:
        arguments = callee.regions[0].blocks[0].args
        if 0 <= operand < len(arguments):
            yield arguments[operand]
