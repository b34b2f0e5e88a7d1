"""A function for unit tests of the model: its ops, and its values by name."""

from __future__ import annotations

from xdsl.ir import Operation, SSAValue

from gpuasync_lsp.analysis import AsyncFunction, file_contexts
from gpuasync_lsp.analysis.model.building.merging import Merging
from gpuasync_lsp.analysis.model.building.operands import Operands
from gpuasync_lsp.analysis.model.building.streamed import register
from gpuasync_lsp.analysis.model.building.tokens import Tokens
from gpuasync_lsp.analysis.model.building.values import Values
from gpuasync_lsp.releases import profile
from gpuasync_lsp.syntax.source import parse_source

ARGUMENTS = "%m: memref<4xf32>, %f: f32, %c: i1, %n: index, %e: !gpu.async.token"
TOKEN = "!gpu.async.token"


class Sample:
    """`func.func @main` with the ops of `body`, for one LLVM version, before the model is built."""

    def __init__(self, body: str, version: int = 22, arguments: str = ARGUMENTS) -> None:
        text = f"func.func @main({arguments}) {{\n{body}\nreturn\n}}\n"
        chunk = parse_source(text).chunks[0]
        ((placed, context),) = file_contexts(chunk)
        (op,) = placed.item.ops
        self.function = AsyncFunction(op, "main", placed.item.spans, profile(version), context)
        self.ops = [inner for inner in op.walk() if inner is not op]
        self.function.order = {inner: number for number, inner in enumerate(self.ops)}

    def __getitem__(self, name: str) -> SSAValue:
        """Return the value with a name; the last one if the name occurs in several regions."""
        return self._values()[name]

    def op(self, name: str) -> Operation:
        """Return the only op called `name`."""
        (found,) = (op for op in self.ops if op.name == name)
        return found

    def values(self) -> Values:
        """Return which values are equal after lowering by this version, including convert-scf-to-cf."""
        greedy = self.function.profile.greedy_prepass
        return Values(self.ops, Merging(), greedy=greedy, structured=True)

    def tokens(self) -> Tokens:
        """Return the mapping of tokens to handles, with the ops that have streams registered."""
        values = self.values()
        register(self.function, Operands(Merging(), values), frozenset())
        return Tokens(self.function, values)

    def _values(self) -> dict[str, SSAValue]:
        found: dict[str, SSAValue] = {}
        for op in (self.function.op, *self.ops):
            arguments = [a for region in op.regions for block in region.blocks for a in block.args]
            found |= {self.function.span_name(value): value for value in (*arguments, *op.results)}
        return found
