"""The layer of tokens: the position of the parser, jumps, and errors."""

from __future__ import annotations

from xdsl.ir import Attribute
from xdsl.parser import Parser
from xdsl.parser.generic_parser import ParserState
from xdsl.utils.exceptions import ParseError
from xdsl.utils.lexer import Input
from xdsl.utils.mlir_lexer import MLIRTokenKind, PunctuationSpelling

from gpuasync_lsp.syntax.alias_sizes import AliasSizes
from gpuasync_lsp.syntax.attributes import AttributeSyntax
from gpuasync_lsp.syntax.extent import Extent
from gpuasync_lsp.syntax.lexer import FastLexer, FastToken
from gpuasync_lsp.syntax.parser.problem import Problem
from gpuasync_lsp.syntax.parser.wording import KEYWORD, in_words_of_mlir
from gpuasync_lsp.syntax.shared_context import SharedContext
from gpuasync_lsp.text import Span


class TokenParser(AttributeSyntax):
    """Lexes one file and collects its problems."""

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
        self.problems: list[Problem] = []
        self.defects: list[Problem] = []
        """Problems that report defects of this tool, stored separately from the errors in the text."""
        lexer = FastLexer(Input(text, "input"))
        lexer.pos = len(text)
        super(Parser, self).__init__(ParserState(lexer), ctx)
        self._shared = ctx
        ctx.trim()
        if aliases:
            self.attribute_aliases = dict(aliases)
        self._seek(0)
        self._start()

    def _start(self) -> None:
        """Create the state of this layer of the parser, after that of the layers below."""

    def _kind(self) -> MLIRTokenKind:
        return self._parser_state.current_token.kind

    @property
    def _token(self) -> FastToken:
        return self._parser_state.current_token  # pyright: ignore[reportReturnType]

    @property
    def pos(self) -> int:
        """The offset of the next token."""
        return self._parser_state.current_token.start  # pyright: ignore

    @property
    def lexer_end(self) -> int:
        """The offset after the last consumed token."""
        return self._fast_lexer().previous_end

    def _fast_lexer(self) -> FastLexer:
        lexer = self.lexer
        assert isinstance(lexer, FastLexer)
        return lexer

    def _seek(self, position: int) -> None:
        """Move the lexer to `position` and read a token there."""
        self.lexer.pos = position
        self._parser_state.current_token = self.lexer.lex()

    def take_token(self) -> FastToken:
        """Consume the next token, of any kind, and return it."""
        token = self._token
        self._parser_state.current_token = self.lexer.lex()
        return token

    def _unexpected_token(self) -> None:
        span = self._current_token.span
        message = self._fast_lexer().error_at(span.start) or "expected operation name in quotes"
        self._seek(Extent.of_line(self.text, span.end))
        self._problem("GA001", Span(span.start, span.end), message)

    def parse_optional_punctuation(self, punctuation: PunctuationSpelling) -> PunctuationSpelling | None:
        """Parse a punctuation token if present. xDSL's method is slower: it looks up the token kind by
        name."""
        state = self._parser_state
        if state.current_token.text != punctuation:
            return None
        state.current_token = state.lexer.lex()
        return punctuation

    def parse_punctuation(
        self, punctuation: PunctuationSpelling, context_msg: str = ""
    ) -> PunctuationSpelling:
        """Parse a punctuation token. Raises xdsl's ParseError at any other token."""
        if self.parse_optional_punctuation(punctuation) is None:
            self.raise_error(f"expected '{punctuation}'{context_msg}")
        return punctuation

    def parse_optional_keyword(self, keyword: str) -> str | None:
        """Parse a keyword if present. xDSL's method is slower: it makes five calls even for a missing one."""
        state = self._parser_state
        token = state.current_token
        if token.text != keyword or token.kind is not MLIRTokenKind.BARE_IDENT:
            return None
        state.current_token = state.lexer.lex()
        return keyword

    def _problem(self, code: str, span: Span, message: str, *related: tuple[Span, str]) -> None:
        self.problems.append(Problem(code, span, message, related))

    def _note(self, error: ParseError, op_name: str = "") -> None:
        start, end = error.span.start, error.span.end
        if (
            not KEYWORD.match(error.msg)
            and start == self._parser_state.current_token.span.start
            and "\n" in self.text[self.lexer_end : start]
        ):
            # Like MLIR's emitWrongTokenError, report a missing token at the end of the previous line.
            start, end = self.lexer_end - 1, self.lexer_end
        if end <= start:
            end = min(start + 1, len(self.text))
        message = self._fast_lexer().error_at(error.span.start) or in_words_of_mlir(error.msg)
        if op_name and message.startswith("invalid kind of type"):
            message = f"custom op '{op_name}' {message}"
        self._problem("GA001", Span(min(start, end), end), message)
