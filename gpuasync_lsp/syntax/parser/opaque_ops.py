"""The layer of ops without a class: keeps their text, and parses the operands and regions in it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.utils.exceptions import ParseError
from xdsl.utils.mlir_lexer import MLIRTokenKind

from gpuasync_lsp.syntax.default_dialects import default_dialect
from gpuasync_lsp.syntax.extent import Extent, OpText, region_follows
from gpuasync_lsp.syntax.lexer import FastSpan
from gpuasync_lsp.syntax.opaque import ARGUMENT, OPERAND, REGION, SUCCESSOR, UNKNOWN, OpaqueOp
from gpuasync_lsp.syntax.parser.known_attributes import KnownAttributes
from gpuasync_lsp.syntax.parser.problem import TRIPPED, Problem
from gpuasync_lsp.syntax.parser.regions import RegionParser
from gpuasync_lsp.syntax.parser.values import Operand
from gpuasync_lsp.text import Span

_LABELED = re.compile(r"\{\s*(?://[^\n]*\n\s*)*\^")
"""Matches a region whose first block has a label, and therefore its own arguments."""


class Salvaged(NamedTuple):
    """A parsed region of an op that failed to parse, and the ops, values and problems recorded in it."""

    region: Region
    end: int
    created: list[Operation]
    defined: list[SSAValue]
    problems: list[Problem]

    def put_back(self, created: list[Operation], defined: list[SSAValue], problems: list[Problem]) -> Region:
        """Append the region's records to the parser's lists, and return the region."""
        self.region.parent = None
        created += self.created
        defined += self.defined
        problems += self.problems
        return self.region


MOST_REREAD = 50_000
TIMES_REREAD = 8
"""Limits the text reparsed in regions of failed ops: `MOST_REREAD` plus this multiple of the file's length.

Reparsing nests of such ops takes cubic time. Beyond the limit, further regions are skipped."""


class OpaqueOpParser(RegionParser):
    """Parses an op without a class: the results, operands, successors and regions visible in its text."""

    def _start(self) -> None:
        super()._start()
        self._salvaged: dict[int, Salvaged] = {}
        """Completed regions from the failed attempt to parse the current op, keyed by the offset of the
        brace."""
        self._rereads = MOST_REREAD + TIMES_REREAD * len(self.text)
        self._defaults: list[str | None] = ["builtin"]
        """For each open op, the dialect whose prefix ops in its regions may omit; the innermost op is
        last."""

    def _read_opaque(self, header: OpText, *, is_error: bool, skips_regions: bool = False) -> OpaqueOp:
        """Parse the op at `header` as opaque, and continue after it.

        With `skips_regions` the op gets no regions: their text remains part of the op's text."""
        outer_uses, self._uses = self._uses, []
        kept, self._salvaged = self._salvaged, {}
        default = self._parser_state.dialect_stack[-1]
        operands: list[SSAValue] = []
        successors: list[Block] = []
        regions: list[Region] = []
        has_region = False
        pending: list[tuple[Span, str, int]] = []
        cuts: list[tuple[Span, str]] = []
        numbers: dict[str, int] = {}
        last_region = 0
        inner = header.dialect if header.is_dotted else default
        extent = Extent(self.text, header.body_start, inner, default)
        while (token := extent.next()) is not None:
            text, span = token
            if text[0] == "%":
                name, _, index = text[1:].partition("#")
                pending.append((span, name, int(index or 0)))
            elif text[0] == "^":
                successors.append(self._get_block_from_name(FastSpan(*span, self.lexer.input)))
                cuts.append((span, SUCCESSOR))
            elif text == "{" and region_follows(self.text, span.start, inner):
                arguments = self._region_arguments(pending)
                has_label = _LABELED.match(self.text, span.start) is not None
                salvaged = kept.pop(span.start, None) if has_label or not arguments else None
                if salvaged is None and skips_regions:
                    extent.resume(self._after_brace(span.start))
                    continue
                has_region = True
                if salvaged is not None:
                    regions.append(salvaged.put_back(self._created, self._defined, self.problems))
                    extent.resume(salvaged.end)
                    cuts.append((Span(span.start, salvaged.end), REGION))
                    last_region = span.start
                    continue
                if span.start in self._met_braces:
                    self._rereads -= self._after_brace(span.start) - span.start
                self._seek(span.start)
                state = self._isolated
                self._isolated = False
                self._parser_state.dialect_stack.append(inner)
                self._defaults.append(default_dialect(header.name))
                regions.append(self._parse_opaque_region(arguments))
                self._defaults.pop()
                entry = regions[-1].first_block
                # A region with a label declares its own arguments; the preceding names do not.
                if entry is not None and len(entry.args) == len(arguments):
                    numbers |= {name: number for number, (name, _) in enumerate(arguments)}
                self._parser_state.dialect_stack.pop()
                self._isolated = state
                extent.resume(self.lexer_end)
                cuts.append((Span(span.start, self.lexer_end), REGION))
                last_region = span.start
        end = extent.end
        for span, name, index in pending:
            if has_region and name not in self.ssa_values:
                if name in numbers and span.start < last_region:
                    cuts.append((span, f"{ARGUMENT}{numbers[name]}{ARGUMENT}"))
                continue
            cuts.append((span, OPERAND))
            value = self.resolve_operand(
                Operand(self.lexer.input, span.start, name, index, span.end), UNKNOWN
            )
            operands.append(value)
        self._seek(end)
        self._drop_salvaged(kept)
        count = sum(n for _, n in header.results)
        op = OpaqueOp.read(
            header.name,
            self.spell_out_aliases(self.text[header.start : end]),
            template=self._template(Span(header.name_span.start, end), cuts) if regions else "",
            operands=operands,
            result_types=self._opaque_result_types(extent.arrow, end, count),
            successors=successors,
            regions=regions,
            is_error=is_error,
        )
        self._created.append(op)
        self._record(op, Span(header.start, end), header.name_span)
        self._uses = outer_uses
        at = 0
        for span, number in header.results:
            named = FastSpan(span.start, span.end, self.lexer.input)
            self._register_ssa_definition(named.text[1:], op.results[at : at + number], named)
            at += number
        return op

    def _drop_salvaged(self, salvaged: dict[int, Salvaged]) -> None:
        for each in salvaged.values():
            self._drop(each.created, each.defined)

    def _drop(self, ops: Iterable[Operation], values: Iterable[SSAValue]) -> None:
        """Remove the spans and uses of ops and values that do not become part of the parsed IR."""
        for op in ops:
            # `drop_all_references` would also visit nested ops, but these are in `ops` as well.
            op.operands, op.parent = (), None
            self.spans.ops.pop(op, None)
        for value in values:
            self.spans.values.pop(value, None)

    def _template(self, span: Span, cuts: list[tuple[Span, str]]) -> str:
        """Return the text in `span` with markers in place of the operands, successors and regions."""
        parts: list[str] = []
        at = span.start
        for cut, mark in sorted(cuts):
            parts += (self.spell_out_aliases(self.text[at : cut.start]), mark)
            at = cut.end
        return "".join((*parts, self.spell_out_aliases(self.text[at : span.end])))

    def _region_arguments(self, pending: list[tuple[Span, str, int]]) -> list[tuple[str, Span]]:
        """Return the undefined names before a region, which become its arguments (`%i = %lo to ...`).

        Later regions of the op get the arguments of its first one: `stablehlo.while(%i = %0) cond {} do
        {}`."""
        found: dict[str, Span] = {}
        for span, name, _ in pending:
            if name not in self.ssa_values and name not in self.forward_ssa_references:
                found.setdefault(name, span)
        return list(found.items())

    def _parse_opaque_region(self, arguments: list[tuple[str, Span]]) -> Region:
        if not arguments or _LABELED.match(self.text, self.pos):
            return self.parse_region()
        named = [
            self.Argument(FastSpan(span.start, span.end, self.lexer.input), UNKNOWN) for _, span in arguments
        ]
        return self.parse_region(named)

    def _opaque_result_types(self, arrow: int | None, end: int, count: int) -> Sequence[Attribute]:
        """Parse the types after `->`; if they are not exactly `count` types, all of them are unknown."""
        if arrow is None or count == 0:
            return [UNKNOWN] * count
        parser = KnownAttributes(self._shared, self.text[arrow:end], self.attribute_aliases)
        try:
            if parser._current_token.kind == MLIRTokenKind.L_PAREN:
                types = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_type)
            else:
                types = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
        except (ParseError, *TRIPPED):
            return [UNKNOWN] * count
        return types if len(types) == count else [UNKNOWN] * count
