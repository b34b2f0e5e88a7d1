"""Expands `vector.print` of a vector: prints brackets, elements and commas, as convert-vector-to-scf does."""

from __future__ import annotations

from gpuasync_lsp.lowering.passes.expand_vectors.elements import Builder, Expansion, Index, Results, shape_of
from gpuasync_lsp.syntax.dialects import vector
from gpuasync_lsp.syntax.ods.by_table import TableOp


def _print(op: TableOp, build: Builder) -> Results:
    if op.source is None or not shape_of(op.source):
        return None
    shape = shape_of(op.source)

    def mark(word: str) -> None:
        attribute = vector.PrintPunctuationAttr(word)
        build.add(vector.PrintOp.create(properties={"punctuation": attribute}))

    def show(index: Index) -> None:
        if len(index) == len(shape):
            nothing = vector.PrintPunctuationAttr("no_punctuation")
            value = build.take(op.source, index)
            build.add(vector.PrintOp.create(operands=[value], properties={"punctuation": nothing}))
            return
        mark("open")
        for at in range(shape[len(index)]):
            if at:
                mark("comma")
            show((*index, at))
        mark("close")

    show(())
    mark(op.punctuation.data)
    return []


EXPANSIONS: dict[str, Expansion] = {"vector.print": _print}
