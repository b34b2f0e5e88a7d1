"""The layer of regions and blocks: scopes of names, labels, and checks at the end of a region."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from xdsl.ir import Block, Operation, Region
from xdsl.parser import Parser
from xdsl.utils.exceptions import ParseError
from xdsl.utils.lexer import Span as LexerSpan
from xdsl.utils.mlir_lexer import MLIRTokenKind

from gpuasync_lsp.syntax.extent import Extent, closing_braces
from gpuasync_lsp.syntax.parser.problem import NOT_CLOSED
from gpuasync_lsp.syntax.parser.values import ValueParser
from gpuasync_lsp.text import Span


class ReadRegion(NamedTuple):
    """A parsed region of an op that may still fail to parse."""

    region: Region
    end: int
    """The offset after its closing brace."""
    depth: int
    created: tuple[int, int]
    defined: tuple[int, int]
    problems: tuple[int, int]
    """The problems in the region: a range of the parser's list, as are `created` and `defined`."""


MAX_NESTING = 1_000
"""The maximum nesting depth: deeper regions are rejected, since Python's stack would overflow."""


class RegionParser(ValueParser):
    """Parses regions and their blocks; `_parse_block_body` parses the ops of a block."""

    def _start(self) -> None:
        super()._start()
        self.blocks = {}
        self.forward_block_references = defaultdict(list)
        self._isolated = False
        """Whether the next region is isolated from the enclosing names."""
        self._depth = 0
        self._created: list[Operation] = []
        self._read_regions: list[tuple[int, ReadRegion]] = []
        """The parsed regions without arguments, each with the offset of its brace, ordered by their
        ends."""
        self._met_braces: set[int] = set()
        """The offsets of the opening braces of all regions parsed so far."""
        self._braces: dict[int, int] | None = None

    def _parse_block_body(self, block: Block) -> None:
        raise NotImplementedError

    @contextmanager
    def _scope(self) -> Generator[None]:
        values, blocks, forward = self.ssa_values, self.blocks, self.forward_block_references
        references, isolated, names = self.forward_ssa_references, self._isolated, self._names_in_scope
        first_uses = self._first_uses
        if isolated:
            self.ssa_values, self.forward_ssa_references, self._first_uses = {}, {}, {}
        self._names_in_scope = []
        self.blocks, self.forward_block_references = {}, defaultdict(list)
        self._isolated = False
        self._depth += 1
        try:
            yield
            if isolated:
                self._close_values()
        finally:
            if isolated:
                self.ssa_values, self.forward_ssa_references = values, references
                self._first_uses = first_uses
            else:
                for name in self._names_in_scope:
                    del values[name]
            self._names_in_scope = names
            self.blocks, self.forward_block_references = blocks, forward
            self._isolated = isolated
            self._depth -= 1

    def parse_optional_region(self, arguments: Iterable[Parser.Argument] | None = None) -> Region | None:
        """Parse `{ ... }` if present; report missing parts in it as problems."""
        if self._kind() != MLIRTokenKind.L_BRACE:
            return None
        opening = self._current_token.span
        region = Region()
        if self._depth > MAX_NESTING:
            self._problem("GA001", Span(opening.start, opening.end), "regions are nested too deeply")
            self._seek(self._after_brace(opening.start))
            return region
        self._met_braces.add(opening.start)
        self._consume_token()
        outer_uses = self._uses
        created, defined, problems = len(self._created), len(self._defined), len(self.problems)
        with self._scope():
            named = list(arguments) if arguments is not None else None
            if named is not None and (named or self._kind() != MLIRTokenKind.CARET_IDENT):
                region.add_block(self._parse_entry_block(named))
            elif self._kind() not in (MLIRTokenKind.CARET_IDENT, MLIRTokenKind.R_BRACE):
                block = Block()
                self._parse_block_body(block)
                region.add_block(block)
            while self.parse_optional_punctuation("}") is None:
                if self._kind() == MLIRTokenKind.EOF:
                    self._problem("GA001", Span(opening.start, opening.end), NOT_CLOSED)
                    break
                if self._kind() != MLIRTokenKind.CARET_IDENT:
                    self._unexpected_token()
                    continue
                region.add_block(self._parse_block())
            self._close_blocks()
        self._uses = outer_uses
        if not named:
            ranges = (
                (created, len(self._created)), (defined, len(self._defined)), (problems, len(self.problems))
            )  # fmt: skip
            read = ReadRegion(region, self.lexer_end, self._depth + 1, *ranges)
            self._read_regions.append((opening.start, read))
        return region

    def _after_brace(self, brace: int) -> int:
        """Return the offset after the brace that closes the brace at `brace`, or the end of the text."""
        if self._braces is None:
            self._braces = closing_braces(self.text)
        return self._braces.get(brace, len(self.text) - 1) + 1

    def _parse_entry_block(self, arguments: Sequence[Parser.Argument]) -> Block:
        block = Block(arg_types=[argument.type for argument in arguments])
        for value, argument in zip(block.args, arguments, strict=True):
            again = f"region entry argument '{argument.name.text}' is already in use"
            self._register_ssa_definition(argument.name.text[1:], (value,), argument.name, again)
            if argument.location is not None:
                value.location = argument.location
        if self._kind() == MLIRTokenKind.CARET_IDENT:
            span = self._current_token.span
            self._problem(
                "GA001", Span(span.start, span.end), "invalid block name in region with named arguments"
            )
            self._seek(Extent.of_line(self.text, span.end))
        self._parse_block_body(block)
        return block

    def _parse_block(self) -> Block:
        token = self._consume_token()
        name, span = token.text[1:], Span(token.span.start, token.span.end)
        block, defined = self.blocks.get(name, (None, None))
        if block is None:
            block = Block()
        elif defined is not None:
            first = (Span(defined.start, defined.end), "previously defined here")
            self._problem("GA002", span, f"redefinition of block '^{name}'", first)
            block = Block()
        else:
            self.forward_block_references.pop(name, None)
        self.blocks[name] = (block, token.span)
        self.spans.blocks[block] = span
        try:
            self._parse_optional_block_arg_list(block)
            self.parse_punctuation(":", " after block name")
        except ParseError as error:
            self._note(error)
            self._seek(Extent.of_line(self.text, self.lexer_end))
        self._parse_block_body(block)
        return block

    def _get_block_from_name(self, block_name: LexerSpan[str]) -> Block:
        name = block_name.text[1:]
        if name not in self.blocks:
            self.forward_block_references[name].append(block_name)
            self.blocks[name] = (Block(), None)
        elif self.blocks[name][1] is None:
            self.forward_block_references[name].append(block_name)
        block = self.blocks[name][0]
        self.spans.mention_block(block, Span(block_name.start, block_name.end))
        return block

    def parse_optional_successor(self) -> Block | None:
        """Parse the block name of a successor, `^name`, if present."""
        token = self._current_token
        if token.kind != MLIRTokenKind.CARET_IDENT:
            return None
        self._consume_token()
        return self._get_block_from_name(token.span)

    def _close_blocks(self) -> None:
        for references in self.forward_block_references.values():
            for span in references:
                self._problem("GA002", Span(span.start, span.end), "reference to an undefined block")
