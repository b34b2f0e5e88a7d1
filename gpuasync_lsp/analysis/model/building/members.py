"""Determines the tokens that may flow into each opaque handle, from the function, its callers and callees."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from xdsl.ir import Block, BlockArgument, Operation, OpResult, SSAValue

from gpuasync_lsp.analysis.model.building.tokens import Tokens, execute_operand, yields_streams
from gpuasync_lsp.analysis.model.function import Handle, Kind
from gpuasync_lsp.analysis.model.passing import branch_pairs, region_arguments, region_values
from gpuasync_lsp.analysis.model.reaching import reaching
from gpuasync_lsp.analysis.model.symbols import arguments_of, callee_of
from gpuasync_lsp.analysis.model.terms import Origin
from gpuasync_lsp.syntax.dialects.gpu import AsyncTokenType


def fill_members(tokens: Tokens, columns: Mapping[SSAValue, Sequence[SSAValue]]) -> None:
    """Set the `sources` and `members` of the opaque handles.

    `columns` maps each block argument that block merging adds to the values that flow into it."""
    flows = _Flows(tokens, columns)
    sources: dict[Handle, tuple[Handle | Origin, ...]] = {}
    for handle in tokens.function.handles:  # `flows.into` may append further handles.
        if handle.kind is Kind.OPAQUE:
            sources[handle] = tuple(flows.into(handle.value))
    found = reaching(
        {handle: [_leaf(s) for s in given if not _is_opaque(s)] for handle, given in sources.items()},
        {
            handle: [s for s in given if isinstance(s, Handle) and _is_opaque(s)]
            for handle, given in sources.items()
        },
    )
    for handle, given in sources.items():
        handle.members = frozenset(found[handle] or {Origin.UNKNOWN})
        handle.sources = given


def _is_opaque(source: Handle | Origin) -> bool:
    return isinstance(source, Handle) and source.kind is Kind.OPAQUE


def _leaf(source: Handle | Origin) -> Handle | Origin:
    return Origin.UNKNOWN if isinstance(source, Handle) and source.kind is Kind.LEFT else source


class _Flows:
    """Finds the tokens that flow directly into a token."""

    def __init__(self, tokens: Tokens, columns: Mapping[SSAValue, Sequence[SSAValue]]) -> None:
        self.function = tokens.function
        self.handle = tokens.handle
        self.columns = columns

    def into(self, value: SSAValue) -> Iterator[Handle | Origin]:
        owner = value.owner
        if value in self.columns:
            yield from map(self.handle, self.columns[value])
        elif isinstance(owner, Block):
            yield from self._into_argument(owner, value)
        elif owner.name == "async.await":
            yield self._content(owner.operands[0])
        elif owner.name == "arith.select":
            yield from map(self.handle, owner.operands[1:])
        elif (callee := callee_of(owner)) is not None:
            yield self._returned(owner, callee, _number(value))
        elif owner.name == "builtin.unrealized_conversion_cast":
            is_pointer = owner.operands and owner.operands[0].type.name == "llvm.ptr"
            yield Origin.STREAM if is_pointer else Origin.UNKNOWN
        elif owner.regions:
            yield from self._any_of(list(region_values(owner, _number(value))))
        else:
            yield Origin.UNKNOWN

    def _into_argument(self, block: Block, value: SSAValue) -> Iterator[Handle | Origin]:
        parent = block.parent_op()
        region = block.parent
        number = _number(value)
        if region is None or parent is None:
            yield Origin.UNKNOWN
        elif parent is self.function.op and block is region.blocks[0]:
            passed = self.function.context.passed.get(self.function.name, {})
            yield from passed.get(number, {Origin.UNKNOWN})
        elif block is not region.blocks[0] or parent.name == "scf.execute_region":
            last_ops = (other.last_op for other in region.blocks)
            branches = (op for op in last_ops if op is not None and op.successors)
            yield from self._any_of(
                [given for op in branches for given, argument in branch_pairs(op) if argument is value]
            )
        elif parent.name == "async.execute":
            passed = execute_operand(parent, value)
            yield self._content(passed) if passed is not None else Origin.UNKNOWN
        else:
            yield from self._any_of(list(region_arguments(parent, region, number)))

    def _any_of(self, given: Sequence[SSAValue]) -> Iterator[Handle | Origin]:
        yield from map(self.handle, given)
        if not given:
            yield Origin.UNKNOWN

    def _content(self, value: SSAValue) -> Handle | Origin:
        """Return the token that an `!async.value` contains."""
        owner = value.owner
        if not isinstance(owner, Operation) or owner.name != "async.execute":
            return Origin.EVENT
        number = _number(value) - 1
        last = owner.regions[0].blocks[-1].last_op if owner.regions and owner.regions[0].blocks else None
        if last is None or last.name != "async.yield" or number >= len(last.operands):
            return Origin.EVENT
        return self.handle(last.operands[number]) if yields_streams(self.function) else Origin.EVENT

    def _returned(self, call: Operation, callee: str, number: int) -> Handle | Origin:
        info = self.function.context.functions.get(callee)
        token = info.returns[number] if info is not None and number < len(info.returns) else Origin.UNKNOWN
        if isinstance(token, Origin):
            return token
        given = arguments_of(call)
        if token < len(given) and isinstance(given[token].type, AsyncTokenType):
            return self.handle(given[token])
        return Origin.UNKNOWN


def _number(value: SSAValue) -> int:
    return value.index if isinstance(value, OpResult | BlockArgument) else -1
