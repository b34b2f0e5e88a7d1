"""A tolerant MLIR parser on top of xDSL's: it records where everything stands and survives every error.

xDSL stops at the first ParseError and keeps no source ranges. Here an op that cannot be read becomes an
`OpaqueOp` with the results, operands, blocks and regions that its text shows, the error becomes a `Problem`,
and parsing goes on behind it.
"""

from __future__ import annotations

import re
import struct
import sys
from collections import defaultdict
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple, TypeVar, cast

from xdsl.dialects.builtin import (
    AffineMapAttr,
    IntegerAttr,
    MemRefType,
    NoneAttr,
    StridedLayoutAttr,
    UnregisteredAttr,
    UnregisteredOp,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue, TypeAttribute
from xdsl.ir.affine import AffineMap
from xdsl.irdl import IRDLOperation
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.parser.core import ForwardDeclaredValue
from xdsl.parser.generic_parser import ParserState
from xdsl.traits import IsolatedFromAbove
from xdsl.utils.exceptions import ParseError, VerifyException
from xdsl.utils.lexer import Input
from xdsl.utils.lexer import Span as LexerSpan
from xdsl.utils.mlir_lexer import MLIRTokenKind, PunctuationSpelling

from gpuasync_lsp.syntax.alias_sizes import AliasSizes
from gpuasync_lsp.syntax.attributes import AttributeSyntax
from gpuasync_lsp.syntax.default_dialects import complaint, default_dialect
from gpuasync_lsp.syntax.extent import Extent, OpText, closing_brace, region_follows
from gpuasync_lsp.syntax.irdl_rules import is_from_irdl
from gpuasync_lsp.syntax.lexer import FastLexer, FastSpan, FastToken
from gpuasync_lsp.syntax.ods.generic import structural_faults
from gpuasync_lsp.syntax.ods.operation import OdsOperation, op_class, with_assembly
from gpuasync_lsp.syntax.ods.rules import groups_operands, in_all_releases, required_attributes
from gpuasync_lsp.syntax.ods.table import Variant, entry
from gpuasync_lsp.syntax.opaque import (
    ARGUMENT,
    OPERAND,
    REGION,
    SUCCESSOR,
    UNKNOWN,
    OpaqueOp,
    UnknownType,
)
from gpuasync_lsp.syntax.shared_context import SharedContext
from gpuasync_lsp.syntax.spans import OpSpans, SpanTable, ValueSpan
from gpuasync_lsp.syntax.structure import fault, kept_as_text, lack, missing_segments
from gpuasync_lsp.text import Span

A = TypeVar("A", bound=Attribute)

CORE_DIALECTS = frozenset({"builtin", "gpu", "async", "func", "arith", "memref", "scf", "cf", "index"})
"""The dialects all of whose ops are known, of every release: here an op that is not is an error."""

READ_IN_FULL = CORE_DIALECTS | {
    "affine", "bufferization", "complex", "linalg", "llvm", "math", "nvgpu", "nvvm", "rocdl", "tensor", "ub",
    "vector", "xevm",
}  # fmt: skip
"""The dialects whose known ops are known with all of their assembly: what cannot be read is an error of the
text. Elsewhere it may be our ignorance, and stays silent."""

# A region costs six Python calls; compilers print nests of a few hundred.
sys.setrecursionlimit(max(sys.getrecursionlimit(), 20_000))

_BEHIND_OPS = (
    MLIRTokenKind.R_BRACE,
    MLIRTokenKind.CARET_IDENT,
    MLIRTokenKind.EOF,
    MLIRTokenKind.HASH_IDENT,
    MLIRTokenKind.EXCLAMATION_IDENT,
    MLIRTokenKind.FILE_METADATA_BEGIN,
)
"""What can follow an op, beside another one."""

MAX_NESTING = 1_000
"""Regions deeper than this are refused with an error, before Python's stack ends."""

_LABELLED = re.compile(r"\{\s*(?://[^\n]*\n\s*)*\^")
"""A region that names its first block, and with that its arguments."""
_OURS = "gpuasync_lsp."
"""Where the classes are whose definitions are MLIR's to the letter."""

_TRIPPED = (
    VerifyException,
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    RecursionError,
    TypeError,
    ValueError,
    struct.error,
)
"""What op and attribute classes raise when the text is not what they expect: it costs this op only."""


class _Unsupported(ParseError):
    """Text that may be right and that xDSL does not read."""

    lacking: Mapping[Variant, str] = {}
    """What some releases say of it."""


class Problem(NamedTuple):
    """An error of the text: a rule's code, where, and what is wrong in MLIR's words."""

    code: str
    span: Span
    message: str
    related: tuple[tuple[Span, str], ...] = ()


class _Operand(UnresolvedOperand):
    """An operand that knows where its `#1` ends, and makes xDSL's span of its name when that is asked for."""

    def __init__(self, input: Input[str], start: int, name: str, index: int, end: int) -> None:  # pyright: ignore[reportMissingSuperCall]
        self._input = input
        self.name = name
        self.place = Span(start, end)
        self.index = index

    @property
    def operand_name(self) -> str:
        """The name without `%`."""
        return self.name

    @property
    def span(self) -> LexerSpan[str]:  # pyright: ignore[reportIncompatibleVariableOverride]
        """The place of the name with `%`, without `#1`."""
        start = self.place.start
        return FastSpan(start, start + 1 + len(self.name), self._input)


class _Use(NamedTuple):
    span: Span
    value: SSAValue


class TolerantParser(AttributeSyntax):
    """Parses one text into ops, spans and problems. It raises nothing but what a caller's bug would raise."""

    statement_tokens = (MLIRTokenKind.PERCENT_IDENT, MLIRTokenKind.BARE_IDENT, MLIRTokenKind.STRING_LIT)

    def __init__(
        self,
        ctx: SharedContext,
        text: str,
        aliases: dict[str, Attribute] | None = None,
        alias_sizes: AliasSizes | None = None,
    ) -> None:
        self.text = text
        self.alias_sizes = alias_sizes or AliasSizes()
        self.mentioned_locations = []
        self.spans = SpanTable(text)
        self.problems: list[Problem] = []
        self._uses: list[_Use] = []
        self._mismatched: list[_Use] | None = None
        """The uses of the op that has an operand of a wrong type."""
        self._created: list[Operation] = []
        self._defined: list[SSAValue] = []
        self._isolated = False
        self._depth = 0
        self._failed: dict[int, ParseError] = {}
        self._by_table: set[int] = set()
        """Where ops stand that are read by the table of MLIR's ops, not by their own class."""
        self._names_in_scope: list[str] = []
        self._first_uses: dict[tuple[str, int], tuple[Span, Attribute]] = {}
        self._settled: list[ForwardDeclaredValue] = []
        lexer = FastLexer(Input(text, "input"))
        lexer.pos = len(text)
        super(Parser, self).__init__(ParserState(lexer), ctx)
        self._shared = ctx
        ctx.trim()
        self._types = ctx.types
        self._symbols = ctx.symbols
        self._op_types = ctx.op_types
        self.ssa_values = {}
        self.blocks = {}
        self.forward_block_references = defaultdict(list)
        self.forward_ssa_references = {}
        if aliases:
            self.attribute_aliases = dict(aliases)
        self._defaults: list[str | None] = ["builtin"]
        """Whose prefix may be left out, for each op that is open; the last counts."""
        self._seek(0)

    # ------------------------------------------------------------------ whole texts

    def parse_ops(self) -> list[Operation]:
        """Parse the whole text as a list of ops; alias definitions among them are remembered."""
        block = Block()
        while True:
            self._parse_block_body(block)
            kind = self._current_token.kind
            if kind == MLIRTokenKind.EOF:
                break
            if kind in (MLIRTokenKind.HASH_IDENT, MLIRTokenKind.EXCLAMATION_IDENT):
                self._try(self._parse_alias_def)
            elif kind == MLIRTokenKind.FILE_METADATA_BEGIN:
                self._skip_metadata()
            else:
                self._unexpected_token()
        self._close_values()
        self._unlink()
        self._close_locations()
        ops = list(block.ops)
        for op in ops:
            op.detach()
        return ops

    def _close_locations(self) -> None:
        for name, start in self.mentioned_locations:
            if name not in self.attribute_aliases and "." not in name:
                span = Span(start, start + len(name))
                self._problem("GA001", span, "operation location alias was never defined")
        self.mentioned_locations = []

    def _try(self, parse: Callable[[], object]) -> None:
        start = self.pos
        try:
            parse()
        except (ParseError, NotImplementedError, *_TRIPPED) as error:
            span = FastSpan(start, self.lexer_end, self.lexer.input)
            deep = "this is nested too deeply" if isinstance(error, RecursionError) else ""
            said = deep or str(error) or repr(error)
            self._note(error if isinstance(error, ParseError) else ParseError(span, said))
            self._seek(Extent.of_line(self.text, max(start, self.lexer_end)))

    def _kind(self) -> MLIRTokenKind:
        return self._parser_state.current_token.kind

    @property
    def lexer_end(self) -> int:
        """Where the last consumed token ends."""
        return self._fast_lexer().previous_end

    def _fast_lexer(self) -> FastLexer:
        lexer = self.lexer
        assert isinstance(lexer, FastLexer)
        return lexer

    def _skip_metadata(self) -> None:
        end = self.text.find("#-}", self.pos)
        if end < 0:
            self._problem(
                "GA001", Span(self.pos, self.pos + 3), "expected '#-}' at the end of the file metadata"
            )
            end = len(self.text)
        self._seek(min(end + 3, len(self.text)))

    def _unexpected_token(self) -> None:
        span = self._current_token.span
        message = self._fast_lexer().error_at(span.start) or "expected operation name in quotes"
        self._problem("GA001", Span(span.start, span.end), message)
        self._seek(Extent.of_line(self.text, span.end))

    def _seek(self, position: int) -> None:
        """Continue at `position`."""
        self.lexer.pos = position
        self._parser_state.current_token = self.lexer.lex()

    # ------------------------------------------------------------------ problems

    def _problem(self, code: str, span: Span, message: str, *related: tuple[Span, str]) -> None:
        self.problems.append(Problem(code, span, message, related))

    def _note(self, error: ParseError, op_name: str = "") -> None:
        start, end = error.span.start, error.span.end
        if (
            not _KEYWORD.match(error.msg)
            and start == self._parser_state.current_token.span.start
            and "\n" in self.text[self.lexer_end : start]
        ):
            # What is missing is missing at the end of the line before, as MLIR's emitWrongTokenError has it.
            start, end = self.lexer_end - 1, self.lexer_end
        if end <= start:
            end = min(start + 1, len(self.text))
        message = self._fast_lexer().error_at(error.span.start) or in_words_of_mlir(error.msg)
        if op_name and message.startswith("invalid kind of type"):
            message = f"custom op '{op_name}' {message}"
        self._problem("GA001", Span(min(start, end), end), message)

    # ------------------------------------------------------------------ ops

    def _parse_block_body(self, block: Block) -> None:
        while True:
            kind = self._current_token.kind
            if kind in self.statement_tokens:
                block.add_op(self._parse_op_or_opaque())
            elif (
                kind in (MLIRTokenKind.R_BRACE, MLIRTokenKind.CARET_IDENT, MLIRTokenKind.EOF)
                or self._depth == 0
            ):
                return
            else:
                self._unexpected_token()

    def _parse_op_or_opaque(self) -> Operation:
        start = self.pos
        failure = self._failed.get(start)
        header = None
        if failure is None:
            op = self._try_op(start)
            if op is not None and self._ends_here():
                return op
            header = OpText.read(self.text, start)
            op = self._retried_by_table(header, op)
            if op is not None:
                return op
            failure = self._failed[start]
        header = header or OpText.read(self.text, start)
        ours = (
            header.dialect in READ_IN_FULL
            or not header.is_dotted
            or self._is_generic(header)
            or with_assembly(header.name) is not None
        )
        is_error = ours and not isinstance(failure, _Unsupported)
        if is_error:
            self._note(failure, header.name)
        op = self._read_opaque(header, is_error=is_error)
        if isinstance(failure, _Unsupported):
            op.lacking = failure.lacking
        return op

    def _ends_here(self) -> bool:
        """Tell whether what stands here can follow an op."""
        kind = self._kind()
        return kind in self.statement_tokens or kind in _BEHIND_OPS

    def _retried_by_table(self, header: OpText, op: Operation | None) -> Operation | None:
        """Return the op at `header` as the table of MLIR's ops reads it, if its own class cannot.

        A class knows one spelling, the table those of all releases. `op` is what the class made of the text;
        it stays where the table is no better.
        """
        start = header.start
        # Those of the core dialects know the spellings of all releases.
        kind = with_assembly(header.name) if header.dialect not in CORE_DIALECTS else None
        own = None if kind is None or self._is_generic(header) else self._op_type(header.name)
        if own is None or issubclass(own, OdsOperation) or start in self._by_table:
            return op
        failure = self._failed.pop(start, None)
        if op is not None:
            if op.regions or op.successors:
                return op
            self._forget(op)
        self._by_table.add(start)
        self._seek(start)
        again = self._try_op(start)
        if again is not None and (op is None or self._ends_here()):
            return again
        self._by_table.discard(start)
        self._failed.pop(start, None)
        if failure is not None:
            self._failed[start] = failure
            return None
        if again is not None:
            self._forget(again)
        self._seek(start)
        return self._try_op(start)

    def _forget(self, op: Operation) -> None:
        """Undo what reading `op`, the last one, has left behind."""
        self._created.remove(op)
        self.spans.ops.pop(op, None)
        for result in op.results:
            place = self.spans.values.pop(result, None)
            name = "" if place is None else place.name[1:].partition("#")[0]
            if result in self.ssa_values.get(name, ()):
                del self.ssa_values[name]
                self._names_in_scope.remove(name)
        gone = set(op.results)
        self._defined[-len(gone) :] = [each for each in self._defined[-len(gone) :] if each not in gone]
        op.drop_all_references()

    def _try_op(self, start: int) -> Operation | None:
        """Parse the op at `start`; where that fails, remember why and forget what it has left behind."""
        problems, created, defined = len(self.problems), len(self._created), len(self._defined)
        stack, uses = len(self._parser_state.dialect_stack), self._uses
        depth, isolated, defaults = self._depth, self._isolated, len(self._defaults)
        try:
            return self.parse_operation()
        except ParseError as error:
            failure = error
        except NotImplementedError as error:
            # xDSL knows that it cannot read this (semi-affine maps, say): no fault of the text.
            failure = _Unsupported(FastSpan(start, self.lexer_end, self.lexer.input), str(error))
        except VerifyException as error:
            failure = ParseError(FastSpan(start, self.lexer_end, self.lexer.input), str(error))
        except _TRIPPED as error:
            # A class of ours or xDSL's that did not expect this: that says nothing of the text.
            failure = _Unsupported(FastSpan(start, self.lexer_end, self.lexer.input), repr(error))
        # Reading the op as opaque meets its regions again, and in them what failed before.
        self._failed[start] = failure
        self._uses, self._depth, self._isolated = uses, depth, isolated
        del self._parser_state.dialect_stack[stack:]
        del self._defaults[defaults:]
        for op in self._created[created:]:
            op.drop_all_references()
            self.spans.ops.pop(op, None)
        for value in self._defined[defined:]:
            self.spans.values.pop(value, None)
        del self._created[created:]
        del self._defined[defined:]
        del self.problems[problems:]
        return None

    def _is_generic(self, header: OpText) -> bool:
        return self.text.startswith('"', header.name_span.start)

    def parse_operation(self) -> Operation:
        """Parse one op and record its spans.

        Raises xdsl's ParseError; `_parse_block_body` turns it into a problem.
        """
        state = self._parser_state
        start = self.pos
        outer_uses, self._uses = self._uses, []
        results = self._parse_op_result_list()
        name_token = self._token
        name_span = Span(name_token.start, name_token.start + len(name_token.text))
        if name_token.kind == MLIRTokenKind.BARE_IDENT:
            op_type = self._op_type(name_token.text)
            if start in self._by_table:
                op_type = with_assembly(name_token.text) or op_type
            if op_type is None:
                self._uses = outer_uses
                return self._read_unknown(start)
            self._consume_token()
            outer_isolated, self._isolated = self._isolated, op_type.has_trait(IsolatedFromAbove)
            self._check_prefix(name_token.text, op_type.name, name_span)
            state.dialect_stack.append(op_type.dialect_name())
            self._defaults.append(default_dialect(op_type.name))
            op = op_type.parse(self)
            self._defaults.pop()
            state.dialect_stack.pop()
            self._isolated = outer_isolated
            if not results and op.results and op.results[-1].type.name == "gpu.async.token":
                message = f"custom op '{op.name}' needs to be named when marked 'async'"
                self._problem("GA001", name_span, message)
            if state.current_token.text == "loc" and (location := self.parse_optional_location()) is not None:
                op.location = location
        elif name_token.kind == MLIRTokenKind.STRING_LIT:
            name = self.parse_str_literal()
            if not name:
                self.raise_error("empty operation name is invalid", name_token.span)
            # In quotes a name says its dialect: `"terminator"` is nobody's op.
            op_type = self._registered(name) if "." in name else None
            op_type = op_type or op_class(name) or self._unregistered(name)
            outer_isolated = self._isolated
            self._isolated = not issubclass(op_type, UnregisteredOp) and op_type.has_trait(IsolatedFromAbove)
            state.dialect_stack.append(op_type.dialect_name())
            op = self._parse_generic_operation(op_type)
            state.dialect_stack.pop()
            self._isolated = outer_isolated
            if isinstance(op, IRDLOperation):
                self._check_structure(op, name_token.span)
        else:
            self.raise_error("expected operation name in quotes")
        self._created.append(op)
        if results and not op.results:
            self.raise_error("cannot name an operation with no results", results[0][0])
        self._record(op, Span(start, self.lexer_end), name_span)
        self._uses = outer_uses
        if op.regions:
            self._record_implicit_terminators(op)
        if results:
            self._bind(op, results)
        return op

    def _check_prefix(self, written: str, name: str, span: Span) -> None:
        """Complain of an op that is `written` without the prefix of its dialect where another is left out."""
        default = self._defaults[-1]
        if "." in written or default is None or name == f"{default}.{written}":
            return
        self._problem("GA001", span, complaint(written, default))

    def _check_structure(self, op: IRDLOperation, span: LexerSpan[Any]) -> None:
        """Refuse an op in generic form that lacks what every op of its name has."""
        if op.dialect_name() in CORE_DIALECTS and type(op).__module__.startswith(_OURS):
            if (wrong := fault(op)) is not None:
                self.raise_error(wrong, span)
        elif not is_from_irdl(op):
            if groups_operands(op.name) and (wrong := missing_segments(op)) is not None:
                self.raise_error(wrong, span)
            if (wrong := lack(op)) is not None:
                for name in required_attributes(op.name):
                    if name not in op.properties and name not in op.attributes:
                        self.raise_error(f"'{op.name}' op requires attribute '{name}'", span)
                lacking = structural_faults(op)
                if (said := in_all_releases(op, lacking)) is not None:
                    self.raise_error(said, span)
                # Another release may have it so, or the definition be another than MLIR's.
                failure = _Unsupported(span, wrong)
                failure.lacking = lacking
                raise failure
        if (name := kept_as_text(op)) is not None:
            raise _Unsupported(span, f"'{op.name}' op attribute '{name}' is not known")

    def _record(self, op: Operation, whole: Span, name: Span) -> None:
        uses, operands = self._uses, op.operands
        if [use.value for use in uses] == [*operands]:
            spans: tuple[Span | None, ...] = tuple([use.span for use in uses])
        else:
            rest = list(uses)
            spans = tuple(_claim(rest, value) for value in operands)
        self.spans.ops[op] = OpSpans(whole, name, spans)

    def _record_implicit_terminators(self, op: Operation) -> None:
        """A terminator that the text leaves out stands where the op ends."""
        end = self.spans.ops[op].whole.end
        for region in op.regions:
            for block in region.blocks:
                last = block.last_op
                if last is not None and last not in self.spans.ops:
                    self.spans.ops[last] = OpSpans(
                        Span(end, end), Span(end, end), (None,) * len(last.operands)
                    )

    def _bind(self, op: Operation, results: Sequence[tuple[LexerSpan[str], int]]) -> None:
        wanted, got = sum(count for _, count in results), len(op.results)
        if wanted != got:
            first = results[0][0]
            message = f"operation defines {got} result{'s' * (got != 1)} but was provided {wanted} to bind"
            self._problem("GA001", Span(first.start, first.end), message)
        at = 0
        for span, count in results:
            values = list(op.results[at : at + count])
            at += count
            if len(values) < count:
                # The names stay usable: a value that is bound to nothing would be an error at every use.
                missing = _undefined([UNKNOWN] * (count - len(values)))
                values += missing.results
            self._register_ssa_definition(span.text[1:], values, span)

    def _op_type(self, name: str) -> type[Operation] | None:
        # A bare name that is wrong where it stands is most often that of an op of the function around it.
        stack = self._parser_state.dialect_stack
        dialects = stack if self._defaults[-1] != "" else [d for d in stack if d != "func"] + ["func"]
        key = (name, "" if "." in name else ".".join(dialects))
        try:
            return self._op_types[key]
        except KeyError:
            # Asked for a bare name, xDSL's context would remember it as an unregistered op for good.
            names = [name] if "." in name else [f"{dialect}.{name}" for dialect in reversed(dialects)]
            op_type = next(filter(None, map(self._registered, names)), None)
            op_type = op_type or next(filter(None, map(with_assembly, names)), None)
            self._op_types[key] = op_type
            return op_type

    def _registered(self, name: str) -> type[Operation] | None:
        found = self.ctx.get_optional_op(name)
        return None if found is None or issubclass(found, UnregisteredOp) else found

    def _unregistered(self, name: str) -> type[Operation]:
        found = self.ctx.get_optional_op(name)
        assert found is not None, "the context allows unregistered ops"
        return found

    def _parse_op_result_list(self) -> list[tuple[LexerSpan[str], int]]:
        token = self._parser_state.current_token
        if token.kind != MLIRTokenKind.PERCENT_IDENT:
            return []
        self._parser_state.current_token = self.lexer.lex()
        if self._parser_state.current_token.kind == MLIRTokenKind.EQUAL:
            self._parser_state.current_token = self.lexer.lex()
            return [(token.span, 1)]
        results = [(token.span, self._parse_result_count())]
        while self.parse_optional_punctuation(",") is not None:
            token = self._parse_token(MLIRTokenKind.PERCENT_IDENT, "expected valid ssa identifier")
            results.append((token.span, self._parse_result_count()))
        if self._current_token.kind != MLIRTokenKind.EQUAL:
            self.raise_error("expected '=' after SSA name")
        self._consume_token()
        return results

    def _parse_result_count(self) -> int:
        if self.parse_optional_punctuation(":") is None:
            return 1
        token = self._parse_token(MLIRTokenKind.INTEGER_LIT, "expected integer number of results")
        count = token.kind.get_int_value(token.span)
        if not 0 < count < 10_000:
            self.raise_error("expected named operation to have at least 1 result", token.span)
        return count

    # ------------------------------------------------------------------ opaque ops

    def _read_unknown(self, start: int) -> Operation:
        """Read an op in custom assembly that no dialect of ours defines."""
        header = OpText.read(self.text, start)
        default = self._defaults[-1]
        is_error = (
            header.dialect in CORE_DIALECTS and entry(header.name) is None
            if header.is_dotted
            else default is not None
        )
        if is_error and not self._is_said_on_this_line(header.name_span.start):
            said = f"custom op '{header.name}' is unknown"
            if not header.is_dotted and default is not None:
                said = complaint(header.name, default)
            self._problem("GA001", header.name_span, said)
        return self._read_opaque(header, is_error=is_error)

    def _is_said_on_this_line(self, position: int) -> bool:
        """Tell whether an error stands in front of `position`: then this is the rest of a slip."""
        start = self.text.rfind("\n", 0, position) + 1
        return bool(self.problems) and start <= self.problems[-1].span.start < position

    def _read_opaque(self, header: OpText, *, is_error: bool) -> OpaqueOp:
        """Read the op at `header` for what its text shows, and continue behind it."""
        outer_uses, self._uses = self._uses, []
        default = self._parser_state.dialect_stack[-1]
        operands: list[SSAValue] = []
        successors: list[Block] = []
        regions: list[Region] = []
        has_region = False
        pending: list[tuple[Span, str, int]] = []
        cuts: list[tuple[Span, str]] = []
        numbers: dict[str, int] = {}
        met = last_region = 0
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
                has_region = True
                arguments = self._region_arguments(pending[met:])
                met = len(pending)
                self._seek(span.start)
                state = self._isolated
                self._isolated = False
                self._parser_state.dialect_stack.append(inner)
                self._defaults.append(default_dialect(header.name))
                regions.append(self._parse_opaque_region(arguments))
                self._defaults.pop()
                entry = regions[-1].first_block
                # A region with a label of its own has other arguments than those in front of it.
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
                _Operand(self.lexer.input, span.start, name, index, span.end), UNKNOWN
            )
            operands.append(value)
        self._seek(end)
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

    def _template(self, span: Span, cuts: list[tuple[Span, str]]) -> str:
        """Return the text in `span` with marks in the place of what is printed anew."""
        parts: list[str] = []
        at = span.start
        for cut, mark in sorted(cuts):
            parts += (self.spell_out_aliases(self.text[at : cut.start]), mark)
            at = cut.end
        return "".join((*parts, self.spell_out_aliases(self.text[at : span.end])))

    def _region_arguments(self, pending: list[tuple[Span, str, int]]) -> list[tuple[str, Span]]:
        """Names in front of a region that nothing defines are its own arguments (`%i = %lo to ...`)."""
        found: dict[str, Span] = {}
        for span, name, _ in pending:
            if name not in self.ssa_values and name not in self.forward_ssa_references:
                found.setdefault(name, span)
        return list(found.items())

    def _parse_opaque_region(self, arguments: list[tuple[str, Span]]) -> Region:
        if not arguments or _LABELLED.match(self.text, self.pos):
            return self.parse_region()
        named = [
            self.Argument(FastSpan(span.start, span.end, self.lexer.input), UNKNOWN) for _, span in arguments
        ]
        return self.parse_region(named)

    def _opaque_result_types(self, arrow: int | None, end: int, count: int) -> Sequence[Attribute]:
        """Read the types behind `->`; a text that is not plainly `count` types leaves them unknown."""
        if arrow is None or count == 0:
            return [UNKNOWN] * count
        parser = TolerantParser(self._shared, self.text[arrow:end], self.attribute_aliases)
        try:
            if parser._current_token.kind == MLIRTokenKind.L_PAREN:
                types = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_type)
            else:
                types = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
        except (ParseError, *_TRIPPED):
            return [UNKNOWN] * count
        return types if len(types) == count else [UNKNOWN] * count

    # ------------------------------------------------------------------ tokens

    def parse_optional_punctuation(self, punctuation: PunctuationSpelling) -> PunctuationSpelling | None:
        """Parse a punctuation if it stands here; xDSL's own finds its kind by name at each call."""
        state = self._parser_state
        if state.current_token.text != punctuation:
            return None
        state.current_token = state.lexer.lex()
        return punctuation

    def parse_punctuation(
        self, punctuation: PunctuationSpelling, context_msg: str = ""
    ) -> PunctuationSpelling:
        """Parse a punctuation.

        Raises xdsl's ParseError where another token stands.
        """
        if self.parse_optional_punctuation(punctuation) is None:
            self.raise_error(f"expected '{punctuation}'{context_msg}")
        return punctuation

    @property
    def _token(self) -> FastToken:
        return self._parser_state.current_token  # pyright: ignore[reportReturnType]

    @property
    def pos(self) -> int:
        """Where the next token begins."""
        return self._parser_state.current_token.start  # pyright: ignore

    # ------------------------------------------------------------------ attributes and types

    def parse_optional_attribute(self) -> Attribute | None:
        """Parse an attribute if one stands here; references of symbols are made once."""
        if self._token.kind != MLIRTokenKind.AT_IDENT:
            return super().parse_optional_attribute()
        return self._once(_PLAIN_SYMBOL, self._symbols, super().parse_optional_attribute)

    def parse_optional_type(self) -> TypeAttribute | None:
        """Parse a type if one stands here; texts of types without aliases are parsed once."""
        return self._once(_SIMPLE_TYPE, self._types, super().parse_optional_type)

    def _once(self, pattern: re.Pattern[str], known: dict[str, A], parse: Callable[[], A | None]) -> A | None:
        """Do what `parse` does; where text that matches `pattern` is in `known`, take what it gave then."""
        match = pattern.match(self.text, self.pos)
        if match is None or (pattern is _PLAIN_SYMBOL and _COLON.match(self.text, match.end())):
            return parse()
        found = known.get(match[0])
        if found is not None:
            self.lexer.pos = match.end()
            self._parser_state.current_token = self.lexer.lex()
            return found
        found = parse()
        if found is not None and self.lexer_end == match.end():
            known[match[0]] = found
        return found

    def _parse_memref_attrs(self) -> Any:
        start = self.pos
        found: Any = super()._parse_memref_attrs()
        if not isinstance(found, MemRefType):
            return found
        # MLIR's MemRefType does not keep what says nothing: an identity layout, memory space 0.
        memref = cast(MemRefType[Attribute], found)
        layout, space = memref.layout, memref.memory_space
        rank = len(memref.get_shape())
        if isinstance(layout, AffineMapAttr) and layout.data.num_dims != rank:
            words = f"memref layout mismatch between rank and affine map: {rank} != {layout.data.num_dims}"
            self.raise_error(words, start)
        if isinstance(layout, StridedLayoutAttr) and len(layout.strides) != rank:
            self.raise_error("expected the number of strides to match the rank", start)
        if (
            isinstance(layout, AffineMapAttr)
            and layout.data.results == AffineMap.identity(len(memref.get_shape())).results
        ):
            layout = NoneAttr()
        if space == _DEFAULT_SPACE:
            space = NoneAttr()
        return MemRefType(memref.element_type, memref.shape, layout, space)

    # ------------------------------------------------------------------ values

    def parse_optional_unresolved_operand(self) -> UnresolvedOperand | None:
        """Parse `%name` or `%name#1` if one stands here."""
        token = self._token
        if token.kind != MLIRTokenKind.PERCENT_IDENT:
            return None
        next_token = self._parser_state.current_token = self.lexer.lex()
        start, name = token.start, token.text[1:]
        index, end = 0, start + 1 + len(name)
        if next_token.kind == MLIRTokenKind.HASH_IDENT and next_token.text[1:].isdecimal():
            index, end = int(next_token.text[1:]), next_token.span.end
            self._parser_state.current_token = self.lexer.lex()
        return _Operand(self.lexer.input, start, name, index, end)

    def parse_unresolved_operand(self, msg: str = "expected SSA operand") -> UnresolvedOperand:
        """Parse `%name` or `%name#1`.

        Raises xdsl's ParseError with MLIR's words where no operand stands.
        """
        return super().parse_unresolved_operand(msg)

    def resolve_operand(self, operand: UnresolvedOperand, type: Attribute) -> SSAValue:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Return the value of `operand`; a use with another type is a problem, not the end of the op."""
        name, index = operand.operand_name, operand.index
        span = operand.place if isinstance(operand, _Operand) else Span(operand.span.start, operand.span.end)
        values = self.ssa_values.get(name)
        if values is None:
            references = self.forward_ssa_references.setdefault(name, {})
            value: SSAValue | None = references.get(index)
            if value is None:
                value = references[index] = ForwardDeclaredValue(type)
                self._first_uses[name, index] = (span, type)
            elif isinstance(value.type, UnknownType):
                value._type = type  # pyright: ignore[reportPrivateUsage]
        elif index < len(values):
            value = values[index]
        else:
            self._problem("GA001", span, "reference to invalid result number")
            value = values[0]
        if value.type != type and not isinstance(type, UnknownType):
            if isinstance(value.type, UnknownType):
                used_as = self.spans.used_as.setdefault(value, type)
                if used_as != type:
                    self.spans.used_as[value] = UNKNOWN
            elif not _may_be_one(value.type, type):
                self._type_mismatch(span, value, type, name)
        self._uses.append(_Use(span, value))
        return value

    def _type_mismatch(self, span: Span, value: SSAValue, type: Attribute, name: str) -> None:
        if self._mismatched is self._uses:
            return  # once per op, as in MLIR
        self._mismatched = self._uses
        place = self.spans.result(value)
        related = () if place is None else ((place, "prior use here"),)
        message = f"use of value '%{name}' expects different type than prior uses: '{type}' vs '{value.type}'"
        self._problem("GA001", span, message, *related)

    def _register_ssa_definition(
        self, name: str, values: Sequence[SSAValue], span: LexerSpan[str], again: str | None = None
    ) -> None:
        place = Span(span.start, span.end)
        known = self.ssa_values.get(name)
        if known is not None:
            first = self.spans.result(known[0])
            related = () if first is None else ((first, "previously defined here"),)
            self._problem("GA002", place, again or f"redefinition of SSA value '%{name}'", *related)
        else:
            self.ssa_values[name] = tuple(values)
            self._names_in_scope.append(name)
        table = self.spans.values
        self._defined += values
        if len(values) == 1:
            table[values[0]] = ValueSpan(place, "%" + name)
        else:
            for index, value in enumerate(values):
                table[value] = ValueSpan(place, f"%{name}#{index}")
        references = self.forward_ssa_references.pop(name, None)
        if references:
            self._settle(name, references, values, place)
        if SSAValue.is_valid_name(name):
            for value in values:
                value.name_hint = name

    def _settle(
        self,
        name: str,
        references: dict[int, ForwardDeclaredValue],
        values: Sequence[SSAValue],
        place: Span,
    ) -> None:
        """Give the uses that came before the definition their value."""
        for index, reference in references.items():
            if not reference.uses:
                # The op that uses it is being parsed: this defines a name in its region, not outside.
                self.forward_ssa_references.setdefault(name, {})[index] = reference
                continue
            span, _ = self._first_uses[name, index]
            if index >= len(values):
                self._problem("GA001", span, "reference to invalid result number")
                index = 0
            value = values[index]
            unknown = isinstance(reference.type, UnknownType) or isinstance(value.type, UnknownType)
            if not unknown and reference.type != value.type:
                message = f"definition of SSA value '%{name}#{index}' has type '{value.type}'"
                earlier = (span, f"previously used here with type '{reference.type}'")
                self._problem("GA001", place, message, earlier)
            reference.replace_all_uses_with(value)
            self._settled.append(reference)

    def _unlink(self) -> None:
        """Refuse ops with an operand that was only defined in their own region, behind a use before them.

        MLIR's parser gives the definition to the earlier use alone; then its verifier says this.
        """
        for reference in self._settled:
            users = [use.operation for use in reference.uses]
            if users:
                reference.replace_all_uses_with(_undefined([reference.type]).results[0])
            for op in users:
                place = self.spans.ops.get(op)
                if place is not None:
                    self._problem("GA001", place.name, "operation's operand is unlinked")

    def _close_values(self) -> None:
        """Report the names of this scope that nothing defined; their uses get a value of no definition."""
        for name, references in self.forward_ssa_references.items():
            for index, reference in references.items():
                span, _ = self._first_uses[name, index]
                if reference.uses:
                    self._problem("GA002", span, f"use of undeclared SSA value name '%{name}'")
                stand_in = _undefined([reference.type])
                reference.replace_all_uses_with(stand_in.results[0])
                self.spans.values[stand_in.results[0]] = ValueSpan(span, "%" + name)
        self.forward_ssa_references = {}

    # ------------------------------------------------------------------ regions and blocks

    @contextmanager
    def _scope(self) -> Generator[None]:
        values, blocks, forward = self.ssa_values, self.blocks, self.forward_block_references
        references, isolated, names = self.forward_ssa_references, self._isolated, self._names_in_scope
        if isolated:
            self.ssa_values, self.forward_ssa_references = {}, {}
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
            else:
                for name in self._names_in_scope:
                    del values[name]
            self._names_in_scope = names
            self.blocks, self.forward_block_references = blocks, forward
            self._isolated = isolated
            self._depth -= 1

    def parse_optional_region(self, arguments: Iterable[Parser.Argument] | None = None) -> Region | None:
        """Parse `{ ... }` if it stands here; what is missing inside becomes a problem."""
        if self._kind() != MLIRTokenKind.L_BRACE:
            return None
        opening = self._current_token.span
        region = Region()
        if self._depth > MAX_NESTING:
            self._problem("GA001", Span(opening.start, opening.end), "regions are nested too deeply")
            self._seek(closing_brace(self.text, opening.start) + 1)
            return region
        self._consume_token()
        outer_uses = self._uses
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
                    self._problem(
                        "GA001", Span(opening.start, opening.end), "this region is not closed: expected '}'"
                    )
                    break
                if self._kind() != MLIRTokenKind.CARET_IDENT:
                    self._unexpected_token()
                    continue
                region.add_block(self._parse_block())
            self._close_blocks()
        self._uses = outer_uses
        return region

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
        """Parse `^name` if it stands here."""
        token = self._current_token
        if token.kind != MLIRTokenKind.CARET_IDENT:
            return None
        self._consume_token()
        return self._get_block_from_name(token.span)

    def _close_blocks(self) -> None:
        for references in self.forward_block_references.values():
            for span in references:
                self._problem("GA002", Span(span.start, span.end), "reference to an undefined block")


def in_words_of_mlir(message: str) -> str:
    """Return what MLIR says where xDSL says `message`; other messages stay."""
    if message.startswith("Unexpected attribute "):
        return "invalid kind of type specified"
    kind = _KIND.match(message)
    if kind is not None:
        return f"invalid kind of type specified: expected builtin.{kind[2]}, but found '{kind[1]}'"
    for pattern, words in _PATTERNS:
        if (match := pattern.fullmatch(message)) is not None:
            return match.expand(words)
    return _WORDS.get(message) or _EXPECTED.sub(r"expected \1", message)


_WORDS = {
    "": "syntax error",
    "attribute expected": "expected attribute value",
    "type expected": "expected non-function type",
    "Expected an operand.": "expected SSA operand",
    "successor expected": "expected block name",
    "expect symbol name": "expected valid '@'-identifier for symbol name",
    "Expected region!": "expected '{' to begin a region",
}
_PATTERNS = (
    (re.compile(r"re-declaration of alias '#(.*)'"), r"redefinition of attribute alias id '\1'"),
    (re.compile(r"re-declaration of alias '!(.*)'"), r"redefinition of type alias id '\1'"),
    (re.compile(r"undefined symbol alias '[#!](.*)'"), r"undefined symbol alias id '\1'"),
    (
        re.compile(r"Duplicate key '([^']*)' in dictionary attribute"),
        r"duplicate key '\1' in dictionary attribute",
    ),
    (re.compile(r"expected (\d+) operand types but had (\d+)"), r"expected \2 operand types but had \1"),
)
_KIND = re.compile(r"(.+) should be of base attribute (index|memref|vector|tensor)$")
_KEYWORD = re.compile(r"(custom op '[^']+' expected|Expected) '[a-z]+'")
"""Of a keyword, MLIR says where it looked for it; of punctuation, where it should stand."""
_EXPECTED = re.compile(r"^(?:Expected (?=\S)|('[^']+') expected\b)")


def _undefined(types: Sequence[Attribute]) -> OpaqueOp:
    """Return an op outside the text that stands for the missing definition of values."""
    return OpaqueOp.read("", "", operands=(), result_types=types, successors=(), regions=(), is_error=True)


def _claim(uses: list[_Use], value: SSAValue) -> Span | None:
    for position, use in enumerate(uses):
        if use.value is value:
            del uses[position]
            return use.span
    return None


_DEFAULT_SPACE: Attribute = IntegerAttr(0, 64)
_PLAIN_SYMBOL = re.compile(r"@[a-zA-Z_][a-zA-Z0-9_$.]*(?:::@[a-zA-Z_][a-zA-Z0-9_$.]*)*")
_COLON = re.compile(r"[ \t\n\r]*:")


def _may_be_one(left: Attribute, right: Attribute) -> bool:
    """Tell whether two types that are kept as text may be one: one may say what the other leaves out."""
    return (
        isinstance(left, UnregisteredAttr)
        and isinstance(right, UnregisteredAttr)
        and left.attr_name == right.attr_name
    )


_SIMPLE_TYPE = re.compile(
    r"!gpu\.async\.token\b|index\b|[if][0-9]+\b|!llvm\.ptr(?![<\w.$])|(?:memref|vector|tensor)<[^<>#!]*(?:<[^<>#!]*>[^<>#!]*)*>"
)
