"""Translates xDSL's error messages to MLIR's."""

from __future__ import annotations

from gpuasync_lsp.text.lazy_pattern import lazy_pattern


def in_words_of_mlir(message: str) -> str:
    """Return MLIR's wording of xDSL's `message`; return other messages unchanged."""
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
    "Expected shape type.": "expected non-function type",
    "Expected an operand.": "expected SSA operand",
    "successor expected": "expected block name",
    "expect symbol name": "expected valid '@'-identifier for symbol name",
    "Expected region!": "expected '{' to begin a region",
}
_PATTERNS = (
    (lazy_pattern(r"re-declaration of alias '#(.*)'"), r"redefinition of attribute alias id '\1'"),
    (lazy_pattern(r"re-declaration of alias '!(.*)'"), r"redefinition of type alias id '\1'"),
    (lazy_pattern(r"undefined symbol alias '[#!](.*)'"), r"undefined symbol alias id '\1'"),
    (
        lazy_pattern(r"Duplicate key '([^']*)' in dictionary attribute"),
        r"duplicate key '\1' in dictionary attribute",
    ),
    (lazy_pattern(r"expected (\d+) operand types but had (\d+)"), r"expected \2 operand types but had \1"),
)
_KIND = lazy_pattern(r"(.+) should be of base attribute (index|memref|vector|tensor)$")
KEYWORD = lazy_pattern(
    r"(custom op '[^']+' expected|Expected) '[a-z]+'|expected SSA identifier$|expected type instead of SSA"
    r"|expected identifier key"
)
"""Matches errors that MLIR reports at the current token, not at the end of the preceding line."""
_EXPECTED = lazy_pattern(r"^(?:Expected (?=\S)|('[^']+') expected\b)")
