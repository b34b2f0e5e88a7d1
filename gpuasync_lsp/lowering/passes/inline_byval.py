"""Copies memory for `byval` arguments of inlined functions.

Source: `handleByValArgument` in mlir/lib/Dialect/LLVMIR/Transforms/InlinerInterfaceImpl.cpp. Measured
in LLVM 17 to 24.
"""

from __future__ import annotations

import re

from xdsl.dialects.builtin import ArrayAttr, BoolAttr, DictionaryAttr, IntegerAttr, UnregisteredAttr, i64
from xdsl.ir import Attribute, BlockArgument, Operation, SSAValue

from gpuasync_lsp.lowering.conversion.errors import OwnLimit
from gpuasync_lsp.lowering.conversion.llvm_layout import layout_of
from gpuasync_lsp.lowering.conversion.llvm_ops import table_op
from gpuasync_lsp.releases import profile
from gpuasync_lsp.syntax.dialects import llvm
from gpuasync_lsp.syntax.dialects.assembly import i64_attr

BY_VALUE = "llvm.byval"
_ALIGNMENT = "llvm.align"
_STACK = re.compile(r'(?:#dlti\.dl_entry<)?"dlti\.stack_alignment"(?:,| =) (\d+) : i\d+>?')
"""The only supported data layout entry, in the syntax of LLVM 19 and 22."""


def pass_by_value(
    call: llvm.CallOp, callee: llvm.LLVMFuncOp, value: SSAValue, attributes: DictionaryAttr, version: int
) -> SSAValue:
    """Return the value that replaces an argument of `callee`; `value` is the operand of `call`.

    `attributes` are those of the argument. If they include `byval`, the memory is copied to the caller's
    stack, unless the copy cannot be distinguished from the original. Raises PassError if the size of a
    copy is unknown or depends on a data layout."""
    type = attributes.data.get(BY_VALUE)
    if type is None:
        return value
    name = callee.sym_name.data
    stack = _stack_alignment(call)
    if stack is None:
        raise OwnLimit(
            call, f"this tool does not inline byval arguments in a module with a data layout: @{name}"
        )
    layout = layout_of(type)
    if layout is None:
        raise OwnLimit(call, f"this tool cannot determine the size of a byval argument: {type} of @{name}")
    wanted = _number(attributes.data.get(_ALIGNMENT))
    if _only_reads(callee) and (wanted <= layout.alignment or _aligned(value, wanted, stack) >= wanted):
        return value
    owner = value.owner
    block = owner if not isinstance(owner, Operation) else owner.parent
    region = None if block is None else block.parent
    entry = None if region is None else region.blocks.first
    assert entry is not None
    assert entry.first_op is not None
    assert call.parent is not None
    one = _constant(1)
    alignment = i64_attr(max(wanted, layout.alignment))
    copy = llvm.AllocaOp.create(
        operands=[one.results[0]],
        result_types=[value.type],
        properties={"elem_type": type, "alignment": alignment},
    )
    entry.insert_ops_before([one, copy], entry.first_op)
    size = _constant(layout.size)
    properties: dict[str, Attribute] = {"isVolatile": BoolAttr.from_bool(False)}
    if profile(version).byval_copies_are_aligned:
        properties["arg_attrs"] = ArrayAttr([DictionaryAttr({_ALIGNMENT: alignment})])
    moving = table_op("llvm.intr.memcpy").create(
        operands=[copy.res, value, size.results[0]], properties=properties
    )
    call.parent.insert_ops_before([size, moving], call)
    for op in (one, copy, size, moving):
        op.location = callee.location
    return copy.res


def _constant(value: int) -> Operation:
    return llvm.ConstantOp.create(properties={"value": i64_attr(value)}, result_types=[i64])


def _number(attribute: Attribute | None) -> int:
    return attribute.value.data if isinstance(attribute, IntegerAttr) else 1


def _stack_alignment(op: Operation) -> int | None:
    """Return the stack alignment in bits, 0 if it is not specified; None for an unsupported data layout."""
    here: Operation | None = op
    while here is not None:
        for name, value in (*here.attributes.items(), *here.properties.items()):
            if name.startswith(("dlti.", "llvm.data_layout")):
                found = _STACK.fullmatch(value.value.data) if isinstance(value, UnregisteredAttr) else None
                return None if found is None else int(found[1])
        here = here.parent_op()
    return 0


def _only_reads(callee: llvm.LLVMFuncOp) -> bool:
    effects = callee.get_attr_or_prop("memory_effects")
    if not isinstance(effects, UnregisteredAttr):
        return False
    words = effects.value.data.replace(" ", "").split(",")
    return "argMem=read" in words or "argMem=none" in words


def _aligned(value: SSAValue, wanted: int, stack: int) -> int:
    """Return the alignment of `value` in bytes, after raising that of an alloca to `wanted` if possible.

    That is possible if `stack`, the stack alignment in bits, is unspecified or large enough, or if the
    alloca already exceeds `stack`."""
    owner = value.owner
    if isinstance(owner, llvm.AllocaOp):
        own = _number(owner.alignment)
        if wanted > own and (stack == 0 or 8 * wanted <= stack or 8 * own > stack):
            owner.properties["alignment"] = i64_attr(wanted)
        return _number(owner.alignment)
    if isinstance(owner, llvm.AddressOfOp):
        return _alignment_of_global(owner)
    if isinstance(value, BlockArgument):
        function = value.block.parent_op()
        if isinstance(function, llvm.LLVMFuncOp) and function.arg_attrs is not None:
            attributes = function.arg_attrs.data
            if value.index < len(attributes):
                return _number(attributes[value.index].data.get(_ALIGNMENT))
    return 1


def _alignment_of_global(address: llvm.AddressOfOp) -> int:
    name = address.global_name.root_reference.data
    table = address.parent_op()
    while table is not None and table.name not in ("builtin.module", "gpu.module"):
        table = table.parent_op()
    for op in () if table is None else (op for block in table.regions[0].blocks for op in block.ops):
        if isinstance(op, llvm.GlobalOp) and op.sym_name.data == name:
            return _number(op.alignment)
    return 1
