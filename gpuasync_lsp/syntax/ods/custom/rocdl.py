"""The cache policy of rocdl memory accesses in LLVM 23: a number, or keywords of a chip family.

Source: `parseCachePolicy` in ROCDLDialect.cpp, and mlir-opt 23.1.4.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from xdsl.dialects.builtin import IntegerAttr, i32
from xdsl.parser import Parser

from gpuasync_lsp.syntax.dialects.assembly import raise_error
from gpuasync_lsp.syntax.ods.custom.parts import Written, names
from gpuasync_lsp.syntax.ods.formats import Element
from gpuasync_lsp.syntax.ods.parts import Parts
from gpuasync_lsp.syntax.printer import attribute_text

_FAMILIES = {
    "pre_gfx12": ("pre-gfx12 buffer", "none glc slc dlc swz scc all volatile"),
    "gfx942": ("gfx942 buffer", "none sc0 nt swz sc1 volatile"),
    "gfx12": (
        "gfx12",
        "none nt ht lu nt_rt rt_nt nt_ht nt_wb scope_se scope_dev scope_sys nv swz scal volatile",
    ),
    "gfx12_atomic": ("gfx12 atomic", "none return nt cascade scope_se scope_dev scope_sys nv volatile"),
}
"""Maps a family to its name in error messages and to its keywords."""
_POLICY = re.compile(r"#rocdl(?:\.(\w+)_cache_policy<|<(\w+)_cache_policy )([^>]*)>")


def read_cache_policy(parser: Parser, parts: Parts, arguments: Sequence[Element]) -> None:
    """Parse a cache policy: `7`, or `gfx12<nt|scope_se>`."""
    (name,) = names(arguments)
    number = parser.parse_optional_integer(allow_boolean=False)
    if number is not None:
        parts.properties[name] = IntegerAttr(number, i32)
        return
    family = parser.parse_optional_keyword_in(_FAMILIES)
    if family is None:
        listed = "', '".join(_FAMILIES)
        words = f"expected cache policy family '{listed}', or a 32-bit integer"
        raise_error(parser, parts.variant.name, words, parser.pos)
    label, words = _FAMILIES[family]
    with parser.in_angle_brackets():
        start, bits = parser.pos, [parser.parse_identifier()]
        while parser.parse_optional_punctuation("|") is not None:
            bits.append(parser.parse_identifier())
    for bit in bits:
        if bit not in words.split():
            listed = ", ".join(words.split())
            message = f"expected one of [{listed}] for {label} cache policy bits, got: {bit}"
            raise_error(parser, parts.variant.name, message, start)
    text = f"#rocdl.{family}_cache_policy<{'|'.join(bits)}>"
    parts.properties[name] = Parser(parser.ctx, text).parse_attribute()


def write_cache_policy(written: Written, arguments: Sequence[Element]) -> None:
    """Print a cache policy: a number, or keywords of a chip family."""
    policy = written.op.properties[names(arguments)[0]]
    if isinstance(policy, IntegerAttr):
        written.printer.print_string(str(policy.value.data))
        return
    text = attribute_text(policy)
    match = _POLICY.fullmatch(text)
    written.printer.print_string(f"{match[1] or match[2]}<{match[3]}>" if match else text)
