"""Maps tokens to handles: the stream, event or unknown pointer that each token lowers to."""

from __future__ import annotations

from xdsl.ir import BlockArgument, Operation, SSAValue

from gpuasync_lsp.analysis.model.building.values import Values
from gpuasync_lsp.analysis.model.function import AsyncFunction, AsyncOp, Handle, Kind


class Tokens:
    """Creates the handles of a function's tokens, and stores them in `function`."""

    def __init__(self, function: AsyncFunction, values: Values) -> None:
        self.function = function
        self.defined_by: dict[SSAValue, list[Handle]] = {}
        """Maps a value to the opaque handles that its definition assigns."""
        self._values = values
        self._finding: set[SSAValue] = set()
        """Tokens whose handle is being computed; reaching one again means an (invalid) cycle in the
        program."""

    def handle(self, token: SSAValue) -> Handle:
        """Return the handle that `token` lowers to."""
        known = self.function.tokens
        found = known.get(token)
        if found is None:
            if token in self._finding:
                return self._opaque(token, token)
            self._finding.add(token)
            found = self._find(token)
            self._finding.discard(token)
            known[token] = found
            found.tokens.append(token)
        return found

    def _find(self, token: SSAValue) -> Handle:
        folded = self._values.resolve(token)
        if folded is not token:
            return self.handle(folded)
        owner = token.owner
        if isinstance(owner, Operation):
            info = self.function.by_op.get(owner)
            if info is not None:
                if info.handle is None:
                    info.handle = self._made_by(info, token)
                return info.handle
            if owner.name == "async.await":
                return self._awaited(owner.operands[0], token)
        elif (parent := owner.parent_op()) is not None and parent.name == "async.execute":
            passed = execute_operand(parent, token)
            if passed is not None:
                return self._awaited(passed, token)
        return self._opaque(token, token)

    def _made_by(self, info: AsyncOp, token: SSAValue) -> Handle:
        if info.name == "gpu.wait":
            return self.new(Kind.STREAM, token, info.op)
        if info.rejections:
            given = {self.handle(d) for d in info.deps}
            # The fix makes the op run on the only stream that it depends on, so later errors on that stream
            # remain.
            if len(given) == 1 and not info.erased:
                return given.pop()
            if info.name == "gpu.launch" and not info.deps:
                return self.new(Kind.STREAM, token, info.op)  # The outlined launch creates its own stream.
            return self.new(Kind.LEFT, token, info.op)
        if info.deps:
            return self.handle(info.deps[0])
        if info.name == "gpu.launch_func":
            return self.new(Kind.STREAM, token, info.op)
        return self.new(Kind.NULL, token, info.op)

    def _awaited(self, source: SSAValue, token: SSAValue) -> Handle:
        """Return the handle for the content of the `!async.value` `source`, which all of its awaits share."""
        source = self._values.resolve(source)
        known = self.function.tokens.get(source)
        if known is None:
            known = self._opaque(token, source)
            self.function.tokens[source] = known
        return known

    def _opaque(self, token: SSAValue, defined_by: SSAValue) -> Handle:
        made = self.new(Kind.OPAQUE, token, token.owner if isinstance(token.owner, Operation) else None)
        self.defined_by.setdefault(defined_by, []).append(made)
        return made

    def new(self, kind: Kind, token: SSAValue, op: Operation | None) -> Handle:
        """Create a handle and add it to the function."""
        handle = Handle(kind, token, len(self.function.handles), op)
        if kind in (Kind.STREAM, Kind.NULL, Kind.OBJECT):
            handle.members = frozenset({handle})
        self.function.handles.append(handle)
        return handle


def execute_operand(execute: Operation, argument: SSAValue) -> SSAValue | None:
    """Return the `!async.value` operand that an argument of an async.execute body unwraps."""
    block = execute.regions[0].blocks[0]
    number = argument.index if isinstance(argument, BlockArgument) and argument.block is block else -1
    values = list(execute.operands)
    at = len(values) - len(block.args) + number
    return values[at] if number >= 0 and 0 <= at < len(values) else None


def yields_streams(function: AsyncFunction) -> bool:
    """Return whether async.yield returns a stream instead of recording an event and destroying the stream."""
    return function.profile.yield_keeps_stream_with_nvvm and function.context.nvvm_loaded
