"""Verifier messages of LLVM 21 and older that differ from LLVM 22's, as reported by mlir-opt 19 and 21."""

from __future__ import annotations

import re

from xdsl.ir import Operation, Region

from gpuasync_lsp.releases import profile
from gpuasync_lsp.releases.table import KNOWN
from gpuasync_lsp.text.lazy_pattern import lazy_pattern

_EDGE = lazy_pattern(
    r"('[\w.]+' op) along control flow edge from (?:parent|Operation ([\w.]+)) "
    r"to (parent|Region #[0-9]+): (.*)"
)
_COUNT = lazy_pattern(
    r"region branch point has ([0-9]+) operands, but region successor needs ([0-9]+) inputs"
)
_TYPE = lazy_pattern(
    r"successor operand type #([0-9]+) ('.*') should match successor input type #[0-9]+ (.*)"
)
_SIZES = lazy_pattern(
    r"('(?:gpu|memref)\.alloca?' op) incorrect number of dynamic sizes, has [0-9]+, expected [0-9]+"
)
_RANK = lazy_pattern(
    r"('linalg\.\w+' op) expected operand #([0-9]+) rank \(([0-9]+)\) "
    r"to match the result rank of indexing_map \(([0-9]+)\)"
)


def older_words(op: Operation, message: str) -> tuple[tuple[int, str], ...]:
    """Return the older releases and their message for `op`, given LLVM 22's message; empty if they are
    equal."""
    words = _older_words(op, message)
    return tuple((each, words) for each in _OLDER) if words else ()


_OLDER = tuple(each for each in KNOWN if not profile(each).says_current_words)


def _older_words(op: Operation, message: str) -> str:
    if (edge := _EDGE.fullmatch(message)) is not None:
        return _of_edge(op, edge)
    if (sizes := _SIZES.fullmatch(message)) is not None:
        return f"{sizes[1]} dimension operand count does not equal memref dynamic dimension count"
    if (rank := _RANK.fullmatch(message)) is not None:
        words = f"expected operand rank ({rank[3]}) to match the result rank of indexing_map #{rank[2]}"
        return f"{rank[1]} {words} ({rank[4]})"
    return ""


def _of_edge(op: Operation, edge: re.Match[str]) -> str:
    """Return an error about a control-flow edge in the older wording, which names a region instead of its
    terminator."""
    what, end_op, end, wrong = edge.groups()
    count, type = _COUNT.fullmatch(wrong), _TYPE.fullmatch(wrong)
    source = "parent operands"
    if end_op is not None:
        at = next(
            (
                number
                for number, region in enumerate(op.regions)
                if _ends(region, end_op, None if count is None else int(count[1]), type)
            ),
            None,
        )
        if at is None:
            return ""
        source = f"Region #{at}"
    edge_words = f"control flow edge from {source} to {'parent results' if end == 'parent' else end}"
    if count is not None:
        counts = f"source has {count[1]} operands, but target successor needs {count[2]}"
        return f"{what} region {edge_words}: {counts}"
    if type is None:
        return ""
    number, given, wanted = type.groups()
    return (
        f"{what} along {edge_words}: source type #{number} {given} should match input type #{number} {wanted}"
    )


def _ends(region: Region, name: str, count: int | None, type: re.Match[str] | None) -> bool:
    """Return whether an error about forwarded values concerns the terminator `name` of this region."""
    block = region.blocks.last
    last = None if block is None else block.last_op
    handed = 0 if last is None else len(last.operands)
    if last is None or last.name != name:
        return False
    if count is not None:
        return handed - (name == "scf.condition") == count
    if type is None:
        return False
    at = int(type[1]) + (name == "scf.condition")
    return at < handed and f"'{last.operands[at].type}'" == type[2]
