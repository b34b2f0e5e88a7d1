"""How ops are written whose assembly MLIR has in C++, in the language of its declarative formats.

From the documentation of the dialects, https://mlir.llvm.org/docs/Dialects/. `custom<Names>` is a list of
new values, `custom<Params>` one of `%new: type`, `custom<Assigned>($x)` one of `%new = %x`, `custom<Types>`
one of types, `custom<Affine>($x)` an expression of `%x`, `custom<Any>` whatever is in the brackets around it.
This is for people who type: nothing is parsed or printed by it.
"""

from __future__ import annotations

import re

from gpuasync_lsp.syntax.ods.table import entry

_FUNCTION = "(`private`)? (`public`)? (`nested`)? $sym_name `(` custom<Params> `)` (`->` custom<Types>)?"
_DICTIONARY = "(`attributes` custom<Dictionary>)?"
_STRUCTURED = (
    "attr-dict (`ins` `(` $inputs `:` custom<Types> `)`)? (`outs` `(` $outputs `:` custom<Types> `)`)? "
    "(`permutation` `=` custom<Any>)? (`dimensions` `=` custom<Any>)? (`->` custom<Types>)?"
)
_AFFINE = "`[` custom<Affine>($indices) `]`"
_BUFFER = "`[` $indices `]`"

_FORMATS = {
    "affine.for": "custom<Names> `=` custom<Affine> `to` custom<Affine> (`step` custom<Any>)? "
    "(`iter_args` `(` custom<Assigned>($inits) `)` `->` `(` custom<Types> `)`)? $region",
    "affine.if": "custom<Any> $thenRegion (`else` $elseRegion)?",
    "affine.load": f"$memref {_AFFINE} attr-dict `:` type($memref)",
    "affine.parallel": "`(` custom<Names> `)` `=` custom<Any> `to` custom<Any> (`step` custom<Any>)? $region",
    "affine.store": f"$value `,` $memref {_AFFINE} attr-dict `:` type($memref)",
    "affine.vector_load": f"$memref {_AFFINE} attr-dict `:` type($memref) `,` type($result)",
    "affine.vector_store": f"$value `,` $memref {_AFFINE} attr-dict `:` type($memref) `,` type($value)",
    "arith.select": "$condition `,` $true_value `,` $false_value attr-dict `:` "
    "(type($condition) `,`)? type($result)",
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
    "llvm.fcmp": "custom<Any> $lhs `,` $rhs attr-dict `:` type($lhs)",
    "llvm.func": f"(`internal`)? (`external`)? (`private`)? {_FUNCTION} {_DICTIONARY} $body",
    "llvm.icmp": "custom<Any> $lhs `,` $rhs attr-dict `:` type($lhs)",
    "llvm.mlir.global": "(`internal`)? (`external`)? (`private`)? (`constant`)? $sym_name "
    "`(` custom<Any> `)` attr-dict (`:` custom<Types>)?",
    "memref.alloca_scope": "(`->` custom<Types>)? $bodyRegion",
    "memref.atomic_rmw": f"$kind $value `,` $memref {_BUFFER} attr-dict `:` `(` type($value) `,` "
    "type($memref) `)` `->` type($result)",
    "memref.expand_shape": "$src $reassociation `output_shape` "
    "custom<DynamicIndexList>($output_shape, $static_output_shape) attr-dict `:` type($src) `into` "
    "type($result)",
    "memref.generic_atomic_rmw": f"$memref {_BUFFER} `:` type($memref) $atomic_body attr-dict",
    "memref.prefetch": f"$memref {_BUFFER} `,` custom<Any> attr-dict `:` type($memref)",
    "memref.transpose": "$in custom<Any> attr-dict `:` type($in) `to` type($result)",
    "scf.execute_region": "(`->` custom<Types>)? (`no_inline`)? $region",
    "scf.for": "(`unsigned`)? custom<Names> `=` $lowerBound `to` $upperBound `step` $step "
    "(`iter_args` `(` custom<Assigned>($initArgs) `)` `->` `(` custom<Types> `)`)? (`:` type($lowerBound))? "
    "$region attr-dict",
    "scf.forall": "`(` custom<Names> `)` (`=` `(` custom<Any> `)` `to` `(` custom<Any> `)` `step` `(` "
    "custom<Any> `)`)? (`in` `(` $dynamicUpperBound `)`)? (`shared_outs` `(` custom<Assigned>($outputs) `)` "
    "`->` `(` custom<Types> `)`)? $region attr-dict",
    "scf.if": "$condition (`->` `(` custom<Types> `)`)? $thenRegion (`else` $elseRegion)?",
    "scf.parallel": "`(` custom<Names> `)` `=` `(` $lowerBound `)` `to` `(` $upperBound `)` `step` `(` $step "
    "`)` (`init` `(` $initVals `)`)? (`->` custom<Types>)? $region attr-dict",
    "scf.reduce": "(`(` $operands `:` type($operands) `)`)? $reductions attr-dict",
    "scf.while": "(`(` custom<Assigned>($inits) `)`)? `:` custom<Signature> $before `do` $after "
    f"{_DICTIONARY}",
    "vector.contract": "custom<Dictionary> $lhs `,` $rhs `,` $acc attr-dict `:` type($lhs) `,` type($rhs) "
    "`into` type($acc)",
    "vector.mask": "$mask (`,` $passthru)? $maskRegion attr-dict `:` type($mask) (`->` custom<Types>)?",
    "vector.outerproduct": "$lhs `,` $rhs (`,` $acc)? attr-dict `:` type($lhs) `,` type($rhs)",
    "vector.transfer_read": "$base `[` $indices `]` `,` $padding (`,` $mask)? attr-dict `:` type($base) `,` "
    "type($vector)",
    "vector.transfer_write": "$valueToStore `,` $base `[` $indices `]` (`,` $mask)? attr-dict `:` "
    "type($valueToStore) `,` type($base)",
}
_OTHERWISE = {
    "linalg": _STRUCTURED,
}

_DEFAULT_DIALECTS = ("func", "builtin")
"""Whose ops may be written without the name of the dialect."""


def full_name(name: str) -> str:
    """Return the name of an op with its dialect: `return` is `func.return` in a function."""
    if "." in name or '"' in name:
        return name
    return next((full for d in _DEFAULT_DIALECTS if entry(full := f"{d}.{name}") is not None), name)


def typed_format(name: str, of_table: str) -> str:
    """Return the format of an op for those who type it; empty where it is not known.

    `of_table` is what the tables say, which may have directives of ours that tell nothing to a reader.
    """
    text = _FORMATS.get(name) or of_table or _OTHERWISE.get(name.partition(".")[0], "")
    # The language wants arguments.
    return re.sub(r"(custom<\w+>)(?!\()", r"\1($any)", text)
