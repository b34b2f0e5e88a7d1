"""Sets the alias scopes of inlined ops: new ones for `noalias` arguments, copied ones, and the call's.

Source: `handleAliasScopes` in mlir/lib/Dialect/LLVMIR/Transforms/InlinerInterfaceImpl.cpp. Measured in
LLVM 18 to 24.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import cast

from xdsl.dialects.builtin import ArrayAttr, UnregisteredAttr, UnregisteredOp
from xdsl.ir import Attribute, Block, BlockArgument, Operation, SSAValue

from gpuasync_lsp.lowering.conversion.errors import OwnLimit
from gpuasync_lsp.lowering.conversion.greedy import branches_to, constants_of
from gpuasync_lsp.lowering.conversion.llvm_ops import table_op
from gpuasync_lsp.lowering.passes.inline_byval import BY_VALUE
from gpuasync_lsp.releases import profile
from gpuasync_lsp.syntax.dialects import llvm
from gpuasync_lsp.syntax.dialects.llvm_attributes import LLVMPointerType
from gpuasync_lsp.syntax.kinds import is_array
from gpuasync_lsp.syntax.ods.table import entry
from gpuasync_lsp.syntax.printer import print_module
from gpuasync_lsp.text.effort import spend

NO_ALIAS = "llvm.noalias"
_DECLARATION = "llvm.intr.experimental.noalias.scope.decl"
_OWN, _OTHERS = "alias_scopes", "noalias_scopes"
_DISTINCT = re.compile(r"distinct\[(\d+)\]")
_BASES = {"llvm.getelementptr": (0,), "llvm.addrspacecast": (0,), "llvm.select": (1, 2)}
"""Maps ops whose result is based on pointer operands to the indices of these operands."""
_BRANCHES = frozenset({"llvm.br", "llvm.cond_br", "llvm.switch", "cf.br", "cf.cond_br", "cf.switch"})
_Scope = UnregisteredAttr.with_name_and_type("llvm.alias_scope", False)


@dataclass
class FreshNumbers:
    """Generates numbers for distinct attributes that are unused in `root`."""

    root: Operation
    _next: int | None = field(default=None, init=False)

    def take(self) -> int:
        """Return the next unused number."""
        if self._next is None:
            numbers = _DISTINCT.finditer(print_module(self.root))
            self._next = 1 + max((int(each[1]) for each in numbers), default=-1)
        self._next += 1
        return self._next - 1


def scope_inlined(
    call: llvm.CallOp, callee: llvm.LLVMFuncOp, blocks: Sequence[Block], fresh: FreshNumbers, version: int
) -> None:
    """Set the alias scopes of the ops in `blocks`, a copy of the callee's body, and declare new scopes.

    The arguments of `blocks` are not yet replaced; declarations are inserted before `call`. Raises PassError
    for pointers that flow through ops other than branches and selects."""
    ops = [op for block in blocks for op in block.walk()]
    _copy_scopes(call, callee, ops, fresh)
    _scope_arguments(call, callee, blocks[0], ops, fresh, version)
    for name in (_OWN, _OTHERS):
        scopes = _scopes(call, name)
        if scopes:
            for op in filter(_has_scopes, ops):
                _append(op, name, scopes)


def _copy_scopes(
    call: llvm.CallOp, callee: llvm.LLVMFuncOp, ops: Sequence[Operation], fresh: FreshNumbers
) -> None:
    numbers: dict[str, int] = {}

    def copied(scope: Attribute) -> Attribute:
        text = scope.value.data if isinstance(scope, UnregisteredAttr) else ""
        if not _DISTINCT.search(text):
            raise OwnLimit(
                call, f"this tool does not copy these alias scopes: {scope} of @{callee.sym_name.data}"
            )
        return _scope(_DISTINCT.sub(lambda each: f"distinct[{number(each[1])}]", text))

    def number(old: str) -> int:
        if old not in numbers:
            numbers[old] = fresh.take()
        return numbers[old]

    for op in ops:
        if op.name == _DECLARATION:
            op.properties["scope"] = copied(op.properties["scope"])
        for name in (_OWN, _OTHERS) if _has_scopes(op) else ():
            scopes = _scopes(op, name)
            if scopes:
                op.properties[name] = ArrayAttr([copied(each) for each in scopes])


def _scope_arguments(
    call: llvm.CallOp,
    callee: llvm.LLVMFuncOp,
    first: Block,
    ops: Sequence[Operation],
    fresh: FreshNumbers,
    version: int,
) -> None:
    attributes = callee.arg_attrs.data if callee.arg_attrs is not None else ()
    unaliased = {value for value, each in zip(first.args, attributes, strict=False) if NO_ALIAS in each.data}
    if not unaliased:
        return
    name = callee.sym_name.data
    if any(BY_VALUE in each.data for each in attributes):
        raise OwnLimit(call, f"this tool does not inline noalias arguments together with byval ones: @{name}")
    if any(op.regions and not isinstance(op, UnregisteredOp) for op in ops):
        raise OwnLimit(call, f"this tool does not follow noalias arguments into regions: @{name}")
    domain = f'#llvm.alias_scope_domain<id = distinct[{fresh.take()}]<>, description = "{name}">'
    scopes: dict[SSAValue, Attribute] = {}
    for argument in _in_order(call, first):
        if argument in unaliased:
            scope = scopes[argument] = _scope(f"id = distinct[{fresh.take()}]<>, domain = {domain}")
            declaration = table_op(_DECLARATION).create(properties={"scope": scope})
            declaration.location = call.location
            assert call.parent is not None
            call.parent.insert_op_before(declaration, call)
    for op in filter(_has_scopes, ops):
        objects = _objects(_accessed(op), first, version)
        if objects is None or any(_is_unknown(each, first, version) for each in objects):
            continue
        _append(op, _OTHERS, [scope for argument, scope in scopes.items() if argument not in objects])
        aliased = (
            objects - unaliased
            if profile(version).inline_scopes_count_arguments
            else objects - set(first.args)
        )
        has_others = any(not _is_constant(each.owner, version) for each in aliased)
        if not isinstance(op, llvm.CallOp) and not has_others:
            _append(op, _OWN, [scope for argument, scope in scopes.items() if argument in objects])


def _in_order(call: llvm.CallOp, first: Block) -> list[BlockArgument]:
    """Return the callee's arguments in mlir-opt's order: grouped by operand, in reverse."""
    of_value: dict[SSAValue, list[BlockArgument]] = {}
    for value, argument in zip(call.args, first.args, strict=True):
        of_value.setdefault(value, []).insert(0, argument)
    return [argument for arguments in of_value.values() for argument in arguments]


def _accessed(op: Operation) -> list[SSAValue]:
    operands = op.args if isinstance(op, llvm.CallOp) else op.operands
    if isinstance(op, llvm.StoreOp):
        operands = operands[1:]
    elif op.name in ("llvm.atomicrmw", "llvm.cmpxchg"):
        operands = operands[:1]
    return [value for value in operands if isinstance(value.type, LLVMPointerType)]


def _objects(pointers: Sequence[SSAValue], first: Block, version: int) -> set[SSAValue] | None:
    """Return the underlying objects of `pointers`: op results, and arguments of the entry block `first`.

    Returns None if a block has an unknown predecessor; through LLVM 19, such predecessors are ignored."""
    work, seen, found = list(pointers), set[SSAValue](), set[SSAValue]()
    while work:
        spend()
        value = work.pop()
        if value in seen:
            continue
        seen.add(value)
        owner = value.owner
        if isinstance(owner, Operation):
            bases = _BASES.get(owner.name)
            if bases is None:
                found.add(value)
            else:
                work += [owner.operands[number] for number in bases]
        elif owner is first:
            found.add(value)
        else:
            sources = _sources(cast(BlockArgument, value))
            if sources is None and profile(version).inline_scopes_count_arguments:
                return None
            work += sources or ()
    return found


def _sources(argument: BlockArgument) -> list[SSAValue] | None:
    """Return the operands that branches pass for `argument`; None if a predecessor is unknown."""
    found: list[SSAValue] = []
    region = argument.block.parent
    if region is None or argument.block is region.blocks.first:
        return None
    for branch, number in branches_to(argument.block):
        if branch.name not in _BRANCHES:
            return None
        found.append(_given(branch, number)[argument.index])
    return found


def _given(branch: Operation, number: int) -> Sequence[SSAValue]:
    """Return the operands that `branch` passes to its successor `number`."""
    if branch.name.endswith(".br"):
        return branch.operands
    behind = list(branch.operands[1:])
    sizes = [len(target.args) for target in branch.successors]
    start = sum(sizes[:number])
    return behind[start : start + sizes[number]]


def _is_unknown(value: SSAValue, first: Block, version: int) -> bool:
    owner = value.owner
    known = (llvm.AllocaOp, llvm.AddressOfOp)
    return owner is not first and not (isinstance(owner, known) or _is_constant(owner, version))


def _is_constant(owner: Operation | Block, version: int) -> bool:
    return isinstance(owner, Operation) and owner.name in constants_of(version)


def _has_scopes(op: Operation) -> bool:
    found = entry(op.name)
    return found is not None and any(_OWN in each.attributes for each in found.variants)


def _scopes(op: Operation, name: str) -> Sequence[Attribute]:
    found = op.get_attr_or_prop(name)
    return found.data if is_array(found) else ()


def _append(op: Operation, name: str, scopes: Sequence[Attribute]) -> None:
    if scopes:
        op.properties[name] = ArrayAttr([*_scopes(op, name), *scopes])


def _scope(text: str) -> Attribute:
    return _Scope("llvm.alias_scope", False, False, text)
