"""Declarative formats for ops whose assembly MLIR implements in C++.

The source is the dialects' documentation, https://mlir.llvm.org/docs/Dialects/. `custom<Names>` is a list of
new values, `custom<Params>` a list of `%new: type`, `custom<Assigned>($x)` a list of `%new = %x`,
`custom<Types>` a list of types, `custom<Affine>($x)` an expression in `%x`, `custom<Any>` anything up to the
next unmatched closing bracket. These formats serve completion only: the parser and the printer do not use
them. Formats that are already in `syntax/ods/assemblies.py` are not repeated here.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from gpuasync_lsp.syntax.ods.formats import (
    AnyOrder,
    Directive,
    Element,
    Optional,
    Text,
    Variable,
    parse_format,
)
from gpuasync_lsp.syntax.ods.table import entry

_FUNCTION = "(`private`)? (`public`)? (`nested`)? $sym_name `(` custom<Params> `)` (`->` custom<Types>)?"
_DICTIONARY = "(`attributes` custom<Dictionary>)?"
_STRUCTURED = (
    "attr-dict (`ins` `(` $inputs `:` custom<Types> `)`)? (`outs` `(` $outputs `:` custom<Types> `)`)? "
    "(`permutation` `=` custom<Any>)? (`dimensions` `=` custom<Any>)? (`->` custom<Types>)?"
)
_AFFINE = "`[` custom<Affine>($indices) `]`"

_FORMATS = {
    "async.execute": "(`[` $dependencies `]`)? (`(` custom<Any> `)`)? (`->` custom<Types>)? "
    f"{_DICTIONARY} $bodyRegion",
    "async.func": f"{_FUNCTION} {_DICTIONARY} $body",
    "builtin.module": f"($sym_name)? {_DICTIONARY} $bodyRegion",
    "func.func": f"{_FUNCTION} {_DICTIONARY} $body",
    "gpu.func": "$sym_name `(` custom<Params> `)` (`->` custom<Types>)? "
    "(`workgroup` `(` custom<Params> `)`)? "
    f"(`private` `(` custom<Params> `)`)? (`kernel`)? {_DICTIONARY} $body",
    "gpu.launch": "custom<AsyncDependencies>(type($asyncToken), $asyncDependencies) "
    "(`clusters` `(` custom<Names> `)` `in` `(` custom<Assigned>($clusterSizeX) `)`)? "
    "`blocks` `(` custom<Names> `)` `in` `(` custom<Assigned>($gridSizeX) `)` "
    "`threads` `(` custom<Names> `)` `in` `(` custom<Assigned>($blockSizeX) `)` "
    "(`dynamic_shared_memory_size` $dynamicSharedMemorySize)? (`workgroup` `(` custom<Params> `)`)? "
    "(`private` `(` custom<Params> `)`)? $body",
    "linalg.generic": "custom<Dictionary> (`ins` `(` $inputs `:` custom<Types> `)`)? "
    "(`outs` `(` $outputs `:` custom<Types> `)`)? (`attrs` `=` custom<Dictionary>)? $region "
    "(`->` custom<Types>)?",
    "linalg.yield": "($values `:` custom<Types>)?",
    "llvm.alloca": "(`inalloca`)? $arraySize `x` custom<Types> attr-dict `:` custom<Types>",
    "llvm.call": "$callee `(` $callee_operands `)` attr-dict `:` functional-type(operands, results)",
    "llvm.func": f"(`internal`)? (`external`)? (`private`)? {_FUNCTION} {_DICTIONARY} $body",
    "llvm.mlir.global": "(`internal`)? (`external`)? (`private`)? (`constant`)? $sym_name "
    "`(` custom<Any> `)` attr-dict (`:` custom<Types>)?",
}
_OTHERWISE = {
    "linalg": _STRUCTURED,
}

_DEFAULT_DIALECTS = ("func", "builtin")
"""Dialects whose prefix may be omitted from op names."""


def full_name(name: str) -> str:
    """Return the name of an op with its dialect: `return` is `func.return` in a function."""
    if "." in name or '"' in name:
        return name
    return next((full for d in _DEFAULT_DIALECTS if entry(full := f"{d}.{name}") is not None), name)


_DIRECTIVES = {
    "AffineBound": "custom<Affine>($1)",
    "AppliedMap": "custom<Any>",
    "Assignments": "(`{0}` `(` custom<Assigned>($1) `)` `->` `(` custom<Types> `)`)?",
    "AtomicKind": "$0",
    "Body": "$0",
    "Bounds": "`(` $0 `)`",
    "Choice": "(`{0}`)? (`{1}`)?",
    "ConditionType": "(type($0) `,`)? type($1)",
    "ForallBounds": "(`=` `(` custom<Any> `)` `to` `(` custom<Any> `)` `step` `(` custom<Any> `)`)? "
    "(`in` `(` $1 `)`)?",
    "Inits": "(`init` `(` $0 `)`)?",
    "MaskedOp": "$0",
    "OutputShape": "`output_shape` custom<DynamicIndexList>($0, $1)",
    "ParallelBounds": "custom<Affine>($2)",
    "Permutation": "custom<Any>",
    "Reduced": "(`(` $0 `:` type($0) `)`)?",
    "Reductions": "(`reduce` `(` custom<Any> `)`)?",
    "ResultTypes": "(`->` custom<Types>)?",
    "Step": "(`step` custom<Any>)?",
    "Steps": "(`step` custom<Any>)?",
    "Subscripts": "`[` custom<Affine>($1) `]`",
    "Trait": "custom<Dictionary>",
    "TwoTypes": "type($0) `,` type($1)",
    "Variable": "custom<Names>",
    "VariableType": "(`:` type($0))?",
    "Variables": "`(` custom<Names> `)`",
    "While": "(`(` custom<Assigned>($1) `)`)? `:` custom<Signature>",
}
"""The replacement for each custom directive in `syntax/ods/assemblies.py`; `$0` is an operand, `{0}` a
word."""


def typed_elements(name: str, of_table: str) -> tuple[Element, ...]:
    """Return the format of an op for completion; empty if unknown.

    `of_table` is the format in the ODS tables, whose custom directives are replaced. Raises FormatError.
    """
    text = _FORMATS.get(name) or of_table or _OTHERWISE.get(name.partition(".")[0], "")
    return _typed(_parsed(text)) if text else ()


def _parsed(text: str) -> tuple[Element, ...]:
    # `custom` without arguments is a syntax error in a format, so add a dummy.
    return parse_format(re.sub(r"(custom<\w+>)(?!\()", r"\1($any)", text))


def _typed(elements: Sequence[Element]) -> tuple[Element, ...]:
    found: list[Element] = []
    for element in elements:
        match element:
            case Optional():
                then, otherwise = _typed(element.then), _typed(element.otherwise)
                found.append(Optional(then, otherwise, element.anchor))
            case AnyOrder():
                found.append(AnyOrder(tuple(map(_typed, element.clauses))))
            case Directive() if element.name == "custom" and element.function in _DIRECTIVES:
                found += _typed(_parsed(_filled(_DIRECTIVES[element.function], element.arguments)))
            case _:
                found.append(element)
    return tuple(found)


def _filled(template: str, arguments: Sequence[Element]) -> str:
    """Return `template`, a directive's replacement, with its operands and words filled in.

    Operands inside `type(...)` are numbered after all other operands."""
    types = [each.arguments[0] for each in arguments if isinstance(each, Directive) and each.arguments]
    names = [each.name for each in (*arguments, *types) if isinstance(each, Variable)]
    words = [each.text for each in arguments if isinstance(each, Text)]
    text = template.format(*words)
    return re.sub(r"\$(\d)", lambda match: f"${names[int(match[1])]}", text)
