"""The layer of ops, parsed with their class, with the ODS tables, or as opaque. An op with an error does
not affect others."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

from xdsl.dialects.builtin import UnregisteredOp
from xdsl.ir import Block, Operation
from xdsl.irdl import IRDLOperation
from xdsl.traits import IsolatedFromAbove
from xdsl.utils.exceptions import ParseError, VerifyException
from xdsl.utils.lexer import Span as LexerSpan
from xdsl.utils.mlir_lexer import MLIRTokenKind

from gpuasync_lsp.stack import set_stack_size
from gpuasync_lsp.syntax.default_dialects import complaint, default_dialect
from gpuasync_lsp.syntax.extent import Extent, OpText
from gpuasync_lsp.syntax.irdl_rules import is_from_irdl
from gpuasync_lsp.syntax.lexer import FastSpan, FastToken
from gpuasync_lsp.syntax.ods.by_table import ByTable
from gpuasync_lsp.syntax.ods.generic import structural_faults
from gpuasync_lsp.syntax.ods.operation import (
    OdsOperation,
    is_spelled_differently,
    note_unnamed,
    op_class,
    understood_in_some,
    with_assembly,
)
from gpuasync_lsp.syntax.ods.rules import groups_operands, in_all_releases, required_attributes
from gpuasync_lsp.syntax.ods.table import entry, meant_of_users
from gpuasync_lsp.syntax.parser.alike import AlikeParser
from gpuasync_lsp.syntax.parser.file_metadata import parse_file_metadata
from gpuasync_lsp.syntax.parser.opaque_ops import Salvaged
from gpuasync_lsp.syntax.parser.problem import DEFECT, NESTED, TRIPPED, Defective, Problem, Unsupported
from gpuasync_lsp.syntax.parser.wording import in_words_of_mlir
from gpuasync_lsp.syntax.spans import OpSpans
from gpuasync_lsp.syntax.structure import fault, kept_as_text, lack, missing_segments
from gpuasync_lsp.text import Span
from gpuasync_lsp.text.defects import contained, defect
from gpuasync_lsp.text.effort import spend

CORE_DIALECTS = frozenset({"builtin", "gpu", "async", "func", "arith", "memref", "scf", "cf", "index"})
"""Dialects whose ops are all known, for every release: any other op with their prefix is an error."""

READ_IN_FULL = CORE_DIALECTS | {
    "affine", "bufferization", "complex", "linalg", "llvm", "math", "nvgpu", "nvvm", "rocdl", "tensor", "ub",
    "vector", "xevm",
}  # fmt: skip
"""Dialects whose known ops have fully supported assemblies: text that fails to parse is an error.

In other dialects the cause may be a limitation of this tool, so it is not reported."""

set_stack_size()

_BEHIND_OPS = (
    MLIRTokenKind.R_BRACE,
    MLIRTokenKind.CARET_IDENT,
    MLIRTokenKind.EOF,
    MLIRTokenKind.HASH_IDENT,
    MLIRTokenKind.EXCLAMATION_IDENT,
    MLIRTokenKind.FILE_METADATA_BEGIN,
)
"""Tokens that can follow an op, in addition to another op."""

_STEPS_OF_OP = 20
"""The cost of parsing an op, in the unit of `text/effort.py`."""
_ERRORS = (ParseError, NotImplementedError, VerifyException, RecursionError)
"""Exceptions of parsers that report an error in the text rather than a defect of this tool."""


_OURS = "gpuasync_lsp."
"""The package of the op classes that match MLIR's definitions exactly."""


class _Kind(NamedTuple):
    """Properties of an op class that the parser needs for each op."""

    dialect: str
    default: str | None
    """The dialect whose prefix may be omitted for ops in the op's regions."""
    is_isolated: bool


@lru_cache(maxsize=4_096)
def _kind_of(op_type: type[Operation]) -> _Kind:
    is_isolated = op_type.has_trait(IsolatedFromAbove)
    return _Kind(op_type.dialect_name(), default_dialect(op_type.name), is_isolated)


class TolerantParser(AlikeParser):
    """Parses one file into ops, spans and problems. An exception means a wrong call, not an error in the
    file."""

    statement_tokens = (MLIRTokenKind.PERCENT_IDENT, MLIRTokenKind.BARE_IDENT, MLIRTokenKind.STRING_LIT)

    def _start(self) -> None:
        super()._start()
        self._failed: dict[int, ParseError] = {}
        """The errors of ops that failed to parse, keyed by the op's offset."""
        self._by_table: set[int] = set()
        """The offsets of ops that are parsed with the ODS tables instead of their own class."""
        self._op_types = self._shared.op_types

    def parse_ops(self) -> list[Operation]:
        """Parse the whole file as a list of ops, and record its alias definitions."""
        block = Block()
        while True:
            self._parse_block_body(block)
            kind = self._current_token.kind
            if kind == MLIRTokenKind.EOF:
                break
            if kind in (MLIRTokenKind.HASH_IDENT, MLIRTokenKind.EXCLAMATION_IDENT):
                self._try(self._parse_alias_def)
            elif kind == MLIRTokenKind.FILE_METADATA_BEGIN:
                self._parse_metadata()
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
        except (ParseError, NotImplementedError, *TRIPPED) as error:
            span = FastSpan(start, self.lexer_end, self.lexer.input)
            message = NESTED if isinstance(error, RecursionError) else str(error) or repr(error)
            self._note(error if isinstance(error, ParseError) else ParseError(span, message))
            self._seek(Extent.of_line(self.text, max(start, self.lexer_end)))

    def _parse_metadata(self) -> None:
        end = self.text.find("#-}", self.pos)
        try:
            parse_file_metadata(self)
        except ParseError as error:
            self._note(error)
            self._seek(len(self.text) if end < 0 else end + 3)

    def _parse_block_body(self, block: Block) -> None:
        state = self._parser_state
        while True:
            kind = state.current_token.kind
            if kind in self.statement_tokens:
                spend(_STEPS_OF_OP)
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
            written, problems = self._written(start), len(self.problems)
            if written is not None and (op := self._read_alike(start, written)) is not None:
                return op
            op = self._try_op(start)
            if op is not None and self._ends_here():
                if written is not None and len(self.problems) == problems:
                    self._remember_alike(op, written)
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
        is_error = ours and not isinstance(failure, Unsupported)
        variants = understood_in_some(header.name) if is_error and self._is_of_table(header.name) else ()
        if variants and not self._is_generic(header):
            # The text may be valid in another release, which implements this assembly in C++.
            words = in_words_of_mlir(failure.msg)
            failure = Unsupported(failure.span, words)
            failure.lacking = dict.fromkeys(variants, words)
            is_error = False
        if is_error:
            self._note(failure, header.name)
        # Treat the op and its results as unknown, as after a syntax error.
        is_error = is_error or isinstance(failure, Defective)
        op = self._read_opaque(header, is_error=is_error, skips_regions=self._rereads < 0)
        if isinstance(failure, Unsupported):
            op.lacking = failure.lacking
        return op

    def _is_of_table(self, name: str) -> bool:
        """Return whether the only class of an op is the one created from the ODS tables."""
        kind = self._op_type(name)
        return kind is not None and issubclass(kind, OdsOperation)

    def _ends_here(self) -> bool:
        kind = self._kind()
        return kind in self.statement_tokens or kind in _BEHIND_OPS

    def _retried_by_table(self, header: OpText, op: Operation | None) -> Operation | None:
        """Parse the op at `header` with the ODS tables if its own class failed.

        A class supports the spelling of one release, the ODS tables support those of all. `op` is the
        result of the class, which is returned if the ODS tables fail as well.
        """
        start = header.start
        # The classes of the core dialects support the spellings of all releases.
        kind = with_assembly(header.name) if header.dialect not in CORE_DIALECTS else None
        own = None if kind is None or self._is_generic(header) else self._op_type(header.name)
        if own is None or issubclass(own, OdsOperation) or start in self._by_table:
            return op
        if issubclass(own, ByTable) and not is_spelled_differently(header.name):
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
        """Undo the effects of parsing `op`, which must be the last parsed op."""
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
        """Parse the op at `start`; on failure record the error, undo the effects and return None."""
        problems, created, defined = len(self.problems), len(self._created), len(self._defined)
        stack, uses = len(self._parser_state.dialect_stack), self._uses
        depth, isolated, defaults = self._depth, self._isolated, len(self._defaults)
        defects = len(self.defects)
        try:
            read = contained("the parser of an op", self.parse_operation, lambda _, error: error, *_ERRORS)
            if isinstance(read, Operation):
                return read
            # An exception caused by a bug in an op class or in xDSL does not mean that the text is wrong.
            failure = Defective(FastSpan(start, self.lexer_end, self.lexer.input), str(read))
            del self.defects[defects:]
            header = OpText.read(self.text, start)
            self.defects.append(
                Problem(DEFECT, header.name_span, defect(f"the parser of '{header.name}'", read))
            )
        except ParseError as error:
            failure = error
        except NotImplementedError as error:
            # A limitation of xDSL (such as semi-affine maps) is not an error in the text.
            failure = Unsupported(FastSpan(start, self.lexer_end, self.lexer.input), str(error))
        except VerifyException as error:
            failure = ParseError(FastSpan(start, self.lexer_end, self.lexer.input), str(error))
        except RecursionError:
            failure = ParseError(FastSpan(start, self.lexer_end, self.lexer.input), NESTED)
        # Parsing the op as opaque parses its regions again, which finds the recorded failures in them.
        self._failed[start] = failure
        self._uses, self._depth, self._isolated = uses, depth, isolated
        del self._parser_state.dialect_stack[stack:]
        del self._defaults[defaults:]
        self._salvage(start, created, defined)
        del self._created[created:]
        del self._defined[defined:]
        del self.problems[problems:]
        return None

    def _salvage(self, start: int, created: int, defined: int) -> None:
        """Store the completed regions of the failed op at `start`, and undo its other effects."""
        self._drop_salvaged(self._salvaged)
        self._salvaged = {}
        ops, values = dict.fromkeys(self._created[created:]), dict.fromkeys(self._defined[defined:])
        while self._read_regions and self._read_regions[-1][0] >= start:
            brace, read = self._read_regions.pop()
            if read.depth != self._depth + 1:
                continue
            kept = Salvaged(
                read.region,
                read.end,
                self._created[slice(*read.created)],
                self._defined[slice(*read.defined)],
                self.problems[slice(*read.problems)],
            )
            self._salvaged[brace] = kept
            for op in kept.created:
                del ops[op]
            for value in kept.defined:
                del values[value]
        self._drop(ops, values)

    def _is_generic(self, header: OpText) -> bool:
        return self.text.startswith('"', header.name_span.start)

    def parse_operation(self) -> Operation:
        """Parse one op and record its spans.

        Raises xdsl's ParseError, which `_parse_block_body` converts to a problem.
        """
        state = self._parser_state
        start = self.pos
        outer_uses, self._uses = self._uses, []
        results = self._parse_op_result_list()
        name_token = self._token
        name_span = Span(name_token.start, name_token.start + len(name_token.text))
        if name_token.kind is MLIRTokenKind.BARE_IDENT:
            op_type = self._op_type(name_token.text)
            if start in self._by_table:
                op_type = with_assembly(name_token.text) or op_type
            if op_type is None:
                self._uses = outer_uses
                return self._read_unknown(start)
            state.current_token = state.lexer.lex()
            kind = _kind_of(op_type)
            outer_isolated, self._isolated = self._isolated, kind.is_isolated
            self._check_prefix(name_token.text, op_type.name, name_span)
            state.dialect_stack.append(kind.dialect)
            self._defaults.append(kind.default)
            op = op_type.parse(self)
            self._defaults.pop()
            state.dialect_stack.pop()
            self._isolated = outer_isolated
            if not results and op.results and op.results[-1].type.name == "gpu.async.token":
                message = f"custom op '{op.name}' needs to be named when marked 'async'"
                self._problem("GA001", name_span, message)
            if not results and op.results:
                note_unnamed(op)
            if state.current_token.text == "loc" and (location := self.parse_optional_location()) is not None:
                op.location = location
        elif name_token.kind == MLIRTokenKind.STRING_LIT:
            name = self.parse_str_literal()
            if not name:
                self.raise_error("empty operation name is invalid", name_token.span)
            # A quoted name includes its dialect, so `"terminator"` is an undefined op.
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
            self.raise_error("cannot name an operation with no results", results[0][0].span)
        wanted, got = sum(count for _, count in results), len(op.results)
        if results and wanted != got:
            message = f"operation defines {got} result{'s' * (got != 1)} but was provided {wanted} to bind"
            self.raise_error(message, results[0][0].span)
        self._record(op, Span(start, self.lexer_end), name_span)
        self._uses = outer_uses
        if op.regions:
            self._record_implicit_terminators(op)
        if results:
            self._bind(op, results)
        return op

    def _check_prefix(self, written: str, name: str, span: Span) -> None:
        """Report the unprefixed op name `written` if the default dialect is not the dialect of `name`."""
        default = self._defaults[-1]
        if "." in written or default is None or name == f"{default}.{written}":
            return
        self._problem("GA001", span, complaint(written, default))

    def _check_structure(self, op: IRDLOperation, span: LexerSpan[str]) -> None:
        """Reject an op in generic form that lacks a required operand, attribute, result or region."""
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
                if (message := in_all_releases(op, lacking)) is not None:
                    self.raise_error(message, span)
                # The op may be valid in another release, or our definition may differ from MLIR's.
                failure = Unsupported(span, wrong)
                failure.lacking = lacking
                raise failure
        if (name := kept_as_text(op)) is not None:
            raise Unsupported(span, f"'{op.name}' op attribute '{name}' is not recognized")

    def _record_implicit_terminators(self, op: Operation) -> None:
        """Record the end of `op` as the position of its omitted terminators."""
        end = self.spans.ops[op].whole.end
        for region in op.regions:
            for block in region.blocks:
                last = block.last_op
                if last is not None and last not in self.spans.ops:
                    self.spans.ops[last] = OpSpans(
                        Span(end, end), Span(end, end), (None,) * len(last.operands)
                    )

    def _op_type(self, name: str) -> type[Operation] | None:
        # A bare name that the default dialect lacks usually means an op of the enclosing function's dialect.
        stack = self._parser_state.dialect_stack
        if self._defaults[-1] is None:
            stack = stack[-1:]  # An op of an unknown dialect may have its own `return`.
        dialects = stack if self._defaults[-1] != "" else [d for d in stack if d != "func"] + ["func"]
        dialects = list(dict.fromkeys(reversed(dialects)))  # Innermost first, without duplicates.
        key = (name, "" if "." in name else ".".join(dialects))
        try:
            return self._op_types[key]
        except KeyError:
            # Given a bare name, xDSL's context would register it as an unregistered op permanently.
            names = [name] if "." in name else [f"{dialect}.{name}" for dialect in dialects]
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

    def _parse_op_result_list(self) -> list[tuple[FastToken, int]]:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Parse `%a, %b:2 =` if present; return the names with their result counts."""
        state, token = self._parser_state, self._token
        if token.kind is not MLIRTokenKind.PERCENT_IDENT:
            return []
        state.current_token = following = state.lexer.lex()
        if following.kind is MLIRTokenKind.EQUAL:
            state.current_token = state.lexer.lex()
            return [(token, 1)]
        results = [(token, self._parse_result_count())]
        while self.parse_optional_punctuation(",") is not None:
            token = self._token
            if token.kind is not MLIRTokenKind.PERCENT_IDENT:
                self.raise_error("expected valid ssa identifier", token.span)
            self._consume_token()
            results.append((token, self._parse_result_count()))
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

    def _read_unknown(self, start: int) -> Operation:
        """Parse an op in custom assembly that no known dialect defines, and report it if its dialect is
        known."""
        header = OpText.read(self.text, start)
        default = self._defaults[-1]
        is_error = (
            header.dialect in CORE_DIALECTS and entry(header.name) is None
            if header.is_dotted
            else default is not None
        )
        meant = meant_of_users(header.name) if header.is_dotted else None
        is_error = is_error or meant is not None
        if is_error and not self._has_error_on_line(header.name_span.start):
            message = f"custom op '{header.name}' is unknown"
            if meant is not None:
                message += f" (did you mean '{meant}'?)"
            if not header.is_dotted and default is not None:
                message = complaint(header.name, default)
            self._problem("GA001", header.name_span, message)
        return self._read_opaque(header, is_error=is_error)

    def _has_error_on_line(self, position: int) -> bool:
        """Return whether an error precedes `position` on its line: later errors on the line are
        consequences."""
        start = self.text.rfind("\n", 0, position) + 1
        return bool(self.problems) and start <= self.problems[-1].span.start < position
