"""`inline`: replaces calls with the bodies of functions, and erases private functions without calls.

Source: mlir/lib/Transforms/Utils/Inliner.cpp. Callees are visited first; each function is canonicalized
before its calls are visited, up to four times. A body is not inlined if it contains an op of a dialect
without an inliner interface.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.dialects.builtin import ModuleOp, UnregisteredOp
from xdsl.ir import Block, Operation, SSAValue

from gpuasync_lsp.lowering.conversion.edits import block_of, region_of, replace
from gpuasync_lsp.lowering.conversion.errors import OwnLimit
from gpuasync_lsp.lowering.conversion.single_blocks import verify_single_blocks
from gpuasync_lsp.lowering.passes.canonicalize import canonicalize
from gpuasync_lsp.lowering.passes.inline_alias_scopes import FreshNumbers, scope_inlined
from gpuasync_lsp.lowering.passes.inline_llvm import (
    adapt_inlined,
    definition_of,
    inlined_arguments,
    may_inline_function,
    may_inline_op,
    reject_unknown,
)
from gpuasync_lsp.lowering.passes.symbol_dce import mentions
from gpuasync_lsp.releases import NEWEST, PROFILES, Profile
from gpuasync_lsp.syntax.dialects import cf, func, gpu, llvm
from gpuasync_lsp.syntax.opaque import OpaqueOp, written_name
from gpuasync_lsp.text.effort import spend

_ROUNDS = 4
_MANY_BLOCKS = frozenset({"func.func", "llvm.func", "scf.execute_region"})
"""Ops whose regions may have several blocks."""
_TAKES_NONE = frozenset({"async", "gpu", "omp", "vector"})
"""Dialects with ops that are inlined, but never into a region of an op of the same dialect.

Measured in LLVM 16, 19 and 22."""
_AFFINE_ACCESSES = frozenset({"affine.load", "affine.store", "affine.vector_load", "affine.vector_store"})

Function = func.FuncOp | llvm.LLVMFuncOp | gpu.GPUFuncOp
Call = func.CallOp | llvm.CallOp
Functions = Mapping[str, Function]


def inline(root: Operation, profile: Profile) -> None:
    """Inline calls to functions in the module `root` and in the modules inside it, in place.

    Raises PassError if the release creates several blocks in a single-block region, if an op of an
    unknown dialect may be a symbol table, and at a call that this tool cannot inline or that makes
    mlir-opt crash."""
    fresh = FreshNumbers(root)
    for table in [op for op in root.walk() if isinstance(op, ModuleOp | gpu.GPUModuleOp)]:
        _inline_in(table, profile, fresh)
    verify_single_blocks(root, profile)


def _inline_in(table: Operation, profile: Profile, fresh: FreshNumbers) -> None:
    functions: dict[str, Function] = {op.sym_name.data: op for op in _ops(table) if isinstance(op, Function)}
    callees = {name: _called(op, functions) for name, op in functions.items()}
    recursive = {name for name in functions if name in callees[name]}
    in_cycles = {name for name in functions if name in _reached(name, callees)} - recursive
    uses = {op: {path[0] for path in mentions(op)} for op in _ops(table)}
    """Maps each op to the symbols that it references; dead functions are erased only at the end."""

    def is_private(function: Function) -> bool:
        visibility = function.sym_visibility
        return visibility is not None and visibility.data == "private"

    def is_dead(name: str) -> bool:
        """Return whether a function is private, has a body, and is referenced by no other op."""
        function = functions[name]
        if not is_private(function) or not _has_body(function):
            return False
        spend(len(uses))
        return not any(name in names for op, names in uses.items() if op is not function)

    def is_last_use(name: str) -> bool:
        """Return whether a function is private and has only one reference from live ops."""
        if not is_private(functions[name]):
            return False
        spend(len(uses))
        users = [op for op, names in uses.items() if name in names and op not in dead]
        return sum(path[0] == name for op in users for path in mentions(op)) == 1

    dead: set[Operation] = set()
    for name in _callees_first(callees):
        function = functions[name]
        is_skipped = isinstance(function, gpu.GPUFuncOp) and not profile.inline_canonicalizes_kernels
        if is_skipped or not _has_body(function):
            continue
        if is_dead(name):
            dead.add(function)
            continue
        for _ in range(_ROUNDS):
            canonicalize(function, profile)
            inlined: dict[str, None] = {}
            for call in _calls(function):
                callee = functions.get(_callee(call))
                if callee is None or not _is_inlined(call, callee, recursive, profile):
                    continue
                called = callee.sym_name.data
                if isinstance(call, llvm.CallOp) and isinstance(callee, llvm.LLVMFuncOp):
                    is_last = profile.inline_keeps_last_use and is_last_use(called)
                    if not may_inline_function(call, callee, is_last, profile.version):
                        continue
                    reject_unknown(call, callee, profile.version)
                if called in in_cycles and profile.inline_skips_cycles and name in _reached(called, callees):
                    continue
                if called in in_cycles:
                    words = "this tool does not inline functions that call each other, as mlir-opt does"
                    raise OwnLimit(call, f"{words}: @{called}")
                _expand(call, callee, profile, fresh)
                inlined[called] = None
            uses[function] = {path[0] for path in mentions(function)}
            dead |= {functions[callee] for callee in inlined if is_dead(callee)}
            if not inlined:
                break
    for function in dead:
        function.detach()
        function.erase(safe_erase=False)


def _calls(function: Function) -> list[Call]:
    """Return the calls inside `function` in mlir-opt's order, beginning with the last block."""
    calls: list[Call] = []
    work = list(function.body.blocks)
    while work:
        for op in work.pop().ops:
            spend()
            if isinstance(op, Call):
                calls.append(op)
            else:
                work += [block for region in op.regions for block in region.blocks]
    return calls


def _callee(call: Call) -> str:
    return call.callee.root_reference.data if call.callee is not None else ""


def _ops(root: Operation) -> Sequence[Operation]:
    return [op for region in root.regions for block in region.blocks for op in block.ops]


def _has_body(function: Function) -> bool:
    return bool(function.body.blocks)


def _called(function: Function, functions: Functions) -> list[str]:
    names = (_callee(op) for op in function.walk() if isinstance(op, Call))
    return [name for name in dict.fromkeys(names) if name in functions]


def _reached(name: str, callees: Mapping[str, Sequence[str]]) -> set[str]:
    work, seen = list(callees[name]), set[str]()
    while work:
        spend()
        here = work.pop()
        if here not in seen:
            seen.add(here)
            work += callees[here]
    return seen


def _callees_first(callees: Mapping[str, Sequence[str]]) -> list[str]:
    order: dict[str, None] = {}
    entered: set[str] = set()
    for start in callees:
        work = [start]
        while work:
            name = work[-1]
            more = [each for each in callees[name] if each not in entered] if name not in order else []
            entered.add(name)
            if more:
                work.append(more[0])
                continue
            order.setdefault(name)
            work.pop()
    return list(order)


def _is_inlined(call: Call, callee: Function, recursive: set[str], profile: Profile) -> bool:
    """Return whether the generic rules allow inlining `call`; its dialect may have additional rules."""
    parent = call.parent_op()
    if not _has_body(callee) or callee.sym_name.data in recursive or isinstance(callee, gpu.GPUFuncOp):
        return False
    if isinstance(call, func.CallOp):
        if call.no_inline is not None or not isinstance(callee, func.FuncOp) or callee.no_inline is not None:
            return False
    elif not isinstance(callee, llvm.LLVMFuncOp):
        return False
    if parent is None or _dialect(parent) in _TAKES_NONE:
        return False
    if _dialect(parent) == "affine" and not _may_stand_in_affine(callee, profile.version):
        return False
    if isinstance(parent, UnregisteredOp) and _dialect(parent) not in PROFILES[NEWEST].inlined_dialects:
        return False
    anywhere = profile.inlines_blocks_anywhere or parent.name in _MANY_BLOCKS
    if len(callee.body.blocks) > 1 and not anywhere:
        return False
    return all(_may_inline_op(op, profile) for op in callee.walk() if op is not callee)


def _may_stand_in_affine(callee: Function, version: int) -> bool:
    """Return whether the body of `callee` may be inlined into an affine op.

    The body must be one block of affine accesses and ops without effects (`AffineInlinerInterface`)."""
    first, *others = callee.body.blocks
    return not others and all(
        op.name in _AFFINE_ACCESSES
        or ((definition := definition_of(op, version)) is not None and "NoMemoryEffect" in definition.traits)
        for op in first.ops
    )


def _may_inline_op(op: Operation, profile: Profile) -> bool:
    dialect = _dialect(op)
    if dialect == "llvm":
        return may_inline_op(op, profile.version)
    return dialect in profile.inlined_dialects


def _dialect(op: Operation) -> str:
    # An op with unparsed text is copied verbatim, unless it has regions or successors.
    is_text = isinstance(op, OpaqueOp) and not (op.is_error or op.regions or op.successors)
    name = written_name(op) if is_text or isinstance(op, UnregisteredOp) else op.name
    return name.partition(".")[0]


def _expand(call: Call, callee: Function, profile: Profile, fresh: FreshNumbers) -> None:
    """Replace `call` with a copy of the body of `callee`."""
    block = block_of(call)
    copy = callee.body.clone()
    first, *others = list(copy.blocks)
    if isinstance(call, llvm.CallOp):
        assert isinstance(callee, llvm.LLVMFuncOp)
        if profile.inline_makes_alias_scopes:
            scope_inlined(call, callee, [first, *others], fresh, profile.version)
        arguments = inlined_arguments(call, callee, profile.version)
    else:
        arguments = list(call.arguments)
    for argument, value in zip(list(first.args), arguments, strict=True):
        argument.replace_all_uses_with(value)
    if isinstance(call, llvm.CallOp):
        adapt_inlined(call, [first, *others], profile)
    if not others and isinstance(first.last_op, _RETURNS):
        results: Sequence[SSAValue] = list(first.last_op.operands)
        _drop(first.last_op)
        _move(first, block, call)
    else:
        behind = block.split_before(call, arg_types=[result.type for result in call.results])
        results = list(behind.args)
        region = region_of(block)
        for each in (first, *others):
            last = each.last_op
            if isinstance(last, _RETURNS):
                branch = _branch(last, behind)
                branch.location = last.location
                each.insert_op_before(branch, last)
                _drop(last)
        _move(first, block, None)
        for each in others:
            copy.detach_block(each)
            region.insert_block_before(each, behind)
    replace(call, results)


_RETURNS = (func.ReturnOp, llvm.ReturnOp)


def _branch(last: Operation, target: Block) -> Operation:
    if isinstance(last, llvm.ReturnOp):
        return llvm.BrOp.create(operands=last.operands, successors=[target])
    return cf.BranchOp(target, *last.operands)


def _drop(op: Operation) -> None:
    op.detach()
    op.drop_all_references()


def _move(source: Block, target: Block, before: Operation | None) -> None:
    for op in list(source.ops):
        op.detach()
        if before is None:
            target.add_op(op)
        else:
            target.insert_op_before(op, before)
