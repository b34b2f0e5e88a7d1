"""`inline`: calls of functions become their bodies; what is private and is called no more goes.

Source: mlir/lib/Transforms/Utils/Inliner.cpp. Callees come first; each function is canonicalized before its
calls are looked at, up to four times. Bodies with ops of dialects that say nothing of inlining stay called.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue

from gpuasync_lsp.lowering.conversion.errors import PassError
from gpuasync_lsp.lowering.conversion.single_blocks import verify_single_blocks
from gpuasync_lsp.lowering.passes.canonicalize import canonicalize
from gpuasync_lsp.lowering.passes.symbol_dce import mentions
from gpuasync_lsp.profiles import Profile
from gpuasync_lsp.syntax.dialects import cf, func, gpu, llvm
from gpuasync_lsp.text.effort import spend

_ROUNDS = 4
NEVER = 1_000
_INLINED = {
    **dict.fromkeys(
        ("affine", "arith", "bufferization", "cf", "func", "gpu", "linalg", "math", "memref", "scf"), 16
    ),
    "shape": 16,
    "tensor": 16,
    "tosa": 18,
    "ub": 18,
    "vector": 18,
    "complex": 19,
    "nvvm": 20,
    "amdgpu": 22,
    "builtin": 22,
    "index": 22,
    "rocdl": 22,
}
"""Dialects whose ops may be inlined, with the first release in which they may. Measured in 16 to 23."""
_MANY_BLOCKS = frozenset({"func.func", "scf.execute_region"})
"""Ops whose regions may have several blocks."""
_TAKES_NONE = frozenset({"async", "gpu", "omp", "vector"})
"""Dialects that have ops inlined, but never into a region of their own ops. Measured in 16, 19 and 22."""

Functions = Mapping[str, func.FuncOp]


def inline(root: Operation, profile: Profile) -> None:
    """Inline calls of the functions of `root`, a module, in place.

    Raises PassError where a release puts blocks where only one may be, where an op of an unknown dialect may
    be a symbol table, and at a call of a function of the llvm dialect, which mlir-opt inlines and this does
    not."""
    for table in root.walk():
        if isinstance(table, ModuleOp | gpu.GPUModuleOp):
            _refuse_llvm_calls(table)
    functions = {op.sym_name.data: op for op in _ops(root) if isinstance(op, func.FuncOp)}
    callees = {name: _called(op, functions) for name, op in functions.items()}
    recursive = {name for name in functions if name in _reached(name, callees)}
    uses = {op: {path[0] for path in mentions(op)} for op in _ops(root)}
    """Per op: what it mentions. What is dead is erased last, and mentions to the end."""

    def is_dead(name: str) -> bool:
        """Tell whether a function is private, has a body, and nothing else mentions it."""
        function = functions[name]
        visibility = function.sym_visibility
        if visibility is None or visibility.data != "private" or not _has_body(function):
            return False
        spend(len(uses))
        return not any(name in names for op, names in uses.items() if op is not function)

    dead: set[str] = set()
    for name in _callees_first(callees):
        function = functions[name]
        if not _has_body(function):
            continue
        if is_dead(name):
            dead.add(name)
            continue
        for _ in range(_ROUNDS):
            canonicalize(function, profile)
            calls = [op for op in function.walk() if isinstance(op, func.CallOp)]
            wanted = [op for op in calls if _is_inlined(op, functions, recursive, profile)]
            names = dict.fromkeys(op.callee.root_reference.data for op in wanted)
            for call in wanted:
                _expand(call, functions[call.callee.root_reference.data])
            uses[function] = {path[0] for path in mentions(function)}
            dead |= {callee for callee in names if is_dead(callee)}
            if not wanted:
                break
    for name in dead:
        functions[name].detach()
        functions[name].erase(safe_erase=False)
    verify_single_blocks(root, profile)


def _refuse_llvm_calls(table: Operation) -> None:
    functions = {op.sym_name.data: op for op in _ops(table) if isinstance(op, llvm.LLVMFuncOp)}
    if not functions:
        return
    calls = {op: [each for each in op.walk() if isinstance(each, llvm.CallOp)] for op in _ops(table)}
    callees = {
        name: [called for call in calls[op] if (called := _callee(call)) in functions]
        for name, op in functions.items()
    }
    for call in (call for found in calls.values() for call in found):
        name = _callee(call)
        function = functions.get(name)
        if function is None or not function.body.blocks or "no_inline" in call.attributes | call.properties:
            continue
        if function.function_type.is_variadic or any(function.get_attr_or_prop(each) for each in _KEPT):
            continue
        if name not in _reached(name, callees):
            raise PassError(
                call, f"this tool does not inline calls of llvm functions, as mlir-opt does: @{name}"
            )


def _callee(call: llvm.CallOp) -> str:
    return call.callee.root_reference.data if call.callee is not None else ""


_KEPT = ("no_inline", "optimize_none", "personality")
"""The attributes of an llvm.func that is not inlined."""


def _ops(root: Operation) -> Sequence[Operation]:
    return [op for region in root.regions for block in region.blocks for op in block.ops]


def _has_body(function: func.FuncOp) -> bool:
    return bool(function.body.blocks)


def _called(function: func.FuncOp, functions: Functions) -> list[str]:
    names = (op.callee.root_reference.data for op in function.walk() if isinstance(op, func.CallOp))
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


def _is_inlined(call: func.CallOp, functions: Functions, recursive: set[str], profile: Profile) -> bool:
    name = call.callee.root_reference.data
    callee, parent = functions.get(name), call.parent_op()
    if callee is None or not _has_body(callee) or name in recursive or call.no_inline is not None:
        return False
    if callee.no_inline is not None or parent is None or _dialect(parent) in _TAKES_NONE:
        return False
    anywhere = profile.inlines_blocks_anywhere or parent.name in _MANY_BLOCKS
    if len(callee.body.blocks) > 1 and not anywhere:
        return False
    ends = [block.last_op for block in callee.body.blocks]
    if not any(isinstance(op, func.ReturnOp) for op in ends):
        return False
    dialects = {_dialect(op) for op in callee.walk() if op is not callee}
    return all(_INLINED.get(dialect, NEVER) <= profile.version for dialect in dialects)


def _dialect(op: Operation) -> str:
    return op.name.partition(".")[0]


def _expand(call: func.CallOp, callee: func.FuncOp) -> None:
    """Put a copy of the body of `callee` in the place of `call`."""
    block = call.parent
    assert block is not None
    copy = callee.body.clone()
    first, *others = list(copy.blocks)
    for argument, value in zip(list(first.args), call.arguments, strict=True):
        argument.replace_all_uses_with(value)
    if not others:
        last = first.last_op
        assert last is not None
        results: Sequence[SSAValue] = list(last.operands)
        last.detach()
        last.drop_all_references()
        _move(first, block, call)
    else:
        behind = block.split_before(call, arg_types=[result.type for result in call.results])
        results = list(behind.args)
        region = block.parent
        assert region is not None
        for each in (first, *others):
            last = each.last_op
            if isinstance(last, func.ReturnOp):
                branch = cf.BranchOp(behind, *last.operands)
                branch.location = last.location
                each.insert_op_before(branch, last)
                last.detach()
                last.drop_all_references()
        _move(first, block, None)
        for each in others:
            copy.detach_block(each)
            region.insert_block_before(each, behind)
    for result, value in zip(call.results, results, strict=True):
        result.replace_all_uses_with(value)
    call.detach()
    call.erase()


def _move(source: Block, target: Block, before: Operation | None) -> None:
    for op in list(source.ops):
        op.detach()
        if before is None:
            target.add_op(op)
        else:
            target.insert_op_before(op, before)
