"""`inline` for the llvm dialect: checks whether a call is inlined, and adapts the callee's stack memory.

Source: mlir/lib/Dialect/LLVMIR/Transforms/InlinerInterfaceImpl.cpp; measured in all releases.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import ArrayAttr, IntegerAttr, StringAttr
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.traits import IsolatedFromAbove

from gpuasync_lsp.lowering.conversion.errors import OwnLimit, PassError
from gpuasync_lsp.lowering.conversion.greedy import CONSTANTS
from gpuasync_lsp.lowering.conversion.types import PTR
from gpuasync_lsp.lowering.passes.inline_byval import pass_by_value
from gpuasync_lsp.releases import Profile, profile
from gpuasync_lsp.syntax.dialects import llvm
from gpuasync_lsp.syntax.dialects.assembly import i64_attr
from gpuasync_lsp.syntax.kinds import is_array, is_integer_attr
from gpuasync_lsp.syntax.ods.operation import op_classes
from gpuasync_lsp.syntax.ods.table import Variant, entry
from gpuasync_lsp.syntax.opaque import written_name

_ATTRIBUTES_THAT_FORBID = ("noduplicate", "presplitcoroutine", "returns_twice", "strictfp")
_PASSED_ON = (*_ATTRIBUTES_THAT_FORBID, "noinline", "optnone")
"""Attributes in `passthrough` that prevent inlining; two of them became separate attributes in LLVM 19."""
_NEVER_INLINED = frozenset({"llvm.intr.vastart", "llvm.blocktag"})
_METADATA = ("access_groups", "alias_scopes", "noalias_scopes", "tbaa")
_LIFETIMES = ("llvm.intr.lifetime.start", "llvm.intr.lifetime.end")
_ALLOCATION_SCOPES = frozenset(
    {"affine.for", "affine.parallel", "async.execute", "gpu.launch", "memref.alloca_scope", "scf.for"}
    | {"scf.forall", "scf.parallel"}
)
"""Ops that, in addition to functions, free stack memory at their end (`AutomaticAllocationScope`)."""


def may_inline_op(op: Operation, version: int) -> bool:
    """Return whether LLVM `version` inlines functions whose body contains the llvm-dialect op `op`."""
    name = written_name(op)
    if name in _NEVER_INLINED:
        return False
    facts = profile(version)
    if facts.inlines_most_llvm_ops:
        return True
    variant = definition_of(op, version)
    if variant is not None and "NoMemoryEffect" in variant.traits:
        return True
    takes_metadata = facts.inlines_llvm_metadata or not any(op.get_attr_or_prop(each) for each in _METADATA)
    return name in facts.inlined_llvm_ops and takes_metadata


def may_inline_function(call: llvm.CallOp, callee: llvm.LLVMFuncOp, is_last_use: bool, version: int) -> bool:
    """Return whether LLVM `version` inlines `call`; with `is_last_use`, it is the callee's only use.

    Through LLVM 19 the last use of a private function is not inlined, because the body would be moved
    instead of copied."""
    facts = profile(version)
    if is_last_use and facts.inline_keeps_last_use:
        return False
    if callee.function_type.is_variadic or callee.personality is not None:
        return False
    if facts.inline_asks_no_inline and callee.get_attr_or_prop("no_inline") is not None:
        return False
    if facts.inline_asks_calls and call.get_attr_or_prop("no_inline") is not None:
        return False
    passed_on = callee.passthrough.data if callee.passthrough is not None else ()
    if facts.inline_refuses_attributes:
        others = (callee.arg_attrs, callee.res_attrs, callee.passthrough, call.branch_weights)
        return not any(others) and callee.get_attr_or_prop("garbageCollector") is None
    forbidden = _ATTRIBUTES_THAT_FORBID if facts.inline_asks_no_inline else _PASSED_ON
    if any(isinstance(each, StringAttr) and each.data in forbidden for each in passed_on):
        return False
    return not _has_argument_attribute(callee, "llvm.inalloca")


def reject_unknown(call: llvm.CallOp, callee: llvm.LLVMFuncOp, version: int) -> None:
    """Raise PassError at a call that this tool cannot inline, or that makes mlir-opt crash."""
    for op in callee.walk():
        annotation = op.get_attr_or_prop("loop_annotation")
        if annotation is not None and "Loc" in str(annotation):
            _reject(call, callee, f"with loop locations ({op.name})")
    first, *others = callee.body.blocks
    last = first.last_op
    returns = others or last is None or isinstance(last, llvm.ReturnOp)
    if not returns and last is not None and profile(version).inline_crashes_without_return:
        words = f"@{callee.sym_name.data} ends with {last.name}, not with llvm.return"
        raise PassError(call, f"mlir-opt {version} crashes here: {words}")


def _reject(call: llvm.CallOp, callee: llvm.LLVMFuncOp, what: str) -> None:
    words = f"this tool does not inline calls of llvm functions {what}, as mlir-opt does"
    raise OwnLimit(call, f"{words}: @{callee.sym_name.data}")


def _has_argument_attribute(callee: llvm.LLVMFuncOp, name: str) -> bool:
    return callee.arg_attrs is not None and any(name in each.data for each in callee.arg_attrs.data)


def inlined_arguments(call: llvm.CallOp, callee: llvm.LLVMFuncOp, version: int) -> list[SSAValue]:
    """Return the values that replace the arguments of `callee`, with copies for `byval` arguments."""
    values = list(call.args)
    if callee.arg_attrs is None:
        return values
    pairs = zip(values, callee.arg_attrs.data, strict=True)
    return [pass_by_value(call, callee, value, attributes, version) for value, attributes in pairs]


def adapt_inlined(call: llvm.CallOp, blocks: Sequence[Block], profile: Profile) -> None:
    """Adapt inlined blocks to the caller's stack, and to the access groups of `call`.

    `blocks` is the copy of the callee's body that replaces `call`."""
    _adapt_stack(call, blocks, profile.version)
    groups = _array(call, "access_groups")
    if groups is None:
        return
    for op in (op for block in blocks for op in block.ops):
        variant = definition_of(op, profile.version)
        if variant is not None and "access_groups" in variant.attributes:
            own = _array(op, "access_groups")
            both = groups if own is None else ArrayAttr([*own.data, *groups.data])
            op.properties["access_groups"] = both


def _array(op: Operation, name: str) -> ArrayAttr[Attribute] | None:
    found = op.get_attr_or_prop(name)
    return found if is_array(found) else None


def _adapt_stack(call: llvm.CallOp, blocks: Sequence[Block], version: int) -> None:
    """Move the first block's allocas of constant size to the caller's entry block, with lifetime markers.

    For other allocas, save and restore the stack."""
    entry_block = _entry_of_caller(call)
    if entry_block is None:
        return
    first = blocks[0]
    moved: list[tuple[llvm.AllocaOp, IntegerAttr, bool]] = []
    is_dynamic = False
    for op in first.ops:
        if isinstance(op, llvm.AllocaOp):
            size = _constant(op.array_size)
            if size is None:
                is_dynamic = True
            else:
                moved.append((op, size, size.value.data != 0 and not _has_lifetime(op.res)))
    others = (op for block in blocks[1:] for op in block.ops if isinstance(op, llvm.AllocaOp))
    is_dynamic = is_dynamic or any(_constant(op.array_size) is None for op in others)
    stack: SSAValue | None = None
    if is_dynamic:
        save = llvm.StackSaveOp.create(result_types=[PTR])
        save.location = call.location
        assert first.first_op is not None
        first.insert_op_before(save, first.first_op)
        stack = save.results[0]
    anchor = entry_block.first_op
    assert anchor is not None
    for alloca, size, has_lifetime in moved:
        constant = llvm.ConstantOp.create(properties={"value": size}, result_types=[alloca.array_size.type])
        constant.location = alloca.location
        if has_lifetime:
            first.insert_op_before(_lifetime(_LIFETIMES[0], alloca, size, version), alloca)
        alloca.detach()
        entry_block.insert_ops_before([constant, alloca], anchor)
        alloca.operands[0] = constant.results[0]
    for last in (block.last_op for block in blocks):
        if not isinstance(last, llvm.ReturnOp) or last.parent is None:
            continue
        ending: list[Operation] = []
        if stack is not None:
            ending.append(llvm.StackRestoreOp.create(operands=[stack]))
            ending[0].location = call.location
        ending += [
            _lifetime(_LIFETIMES[1], op, size, version) for op, size, has_lifetime in moved if has_lifetime
        ]
        for op in ending:
            last.parent.insert_op_before(op, last)


def _lifetime(name: str, alloca: llvm.AllocaOp, size: IntegerAttr, version: int) -> Operation:
    # Through LLVM 21 the size is the number of elements, although LLVM expects the number of bytes.
    has_size = profile(version).lifetimes_have_sizes
    kind = op_classes(name)[0 if has_size else -1]
    properties: dict[str, Attribute] = {"size": i64_attr(size.value.data)} if has_size else {}
    op = kind.create(operands=[alloca.res], properties=properties)
    op.location = alloca.location
    return op


def _entry_of_caller(call: Operation) -> Block | None:
    """Return the entry block of the op whose stack the call uses; None if there is none."""
    here: Operation = call
    while (parent := here.parent_op()) is not None:
        is_unknown = entry(parent.name) is None
        if is_unknown or parent.name in _ALLOCATION_SCOPES or parent.has_trait(IsolatedFromAbove):
            region = here.parent_region()
            return None if region is None else region.blocks.first
        here = parent
    return None


def _constant(value: SSAValue) -> IntegerAttr | None:
    op = value.owner
    if not isinstance(op, Operation) or op.name not in CONSTANTS:
        return None
    found = op.get_attr_or_prop("value")
    return found if is_integer_attr(found) else None


def _has_lifetime(pointer: SSAValue) -> bool:
    work = [use.operation for use in pointer.uses]
    while work:
        op = work.pop()
        if op.name in _LIFETIMES:
            return True
        if op.name == "llvm.bitcast":
            work += [use.operation for use in op.results[0].uses]
    return False


def definition_of(op: Operation, version: int) -> Variant | None:
    """Return the definition of `op` in LLVM `version` or the nearest recorded release; None if unknown."""
    found = entry(op.name)
    if found is None:
        return None
    # For an op added or removed between two recorded releases, use the definition of the release that has it.
    return (found.around(version) or found.variants[:1])[-1]
