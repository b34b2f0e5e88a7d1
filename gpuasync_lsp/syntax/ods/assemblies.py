"""Assembly formats for ops whose assembly MLIR implements in C++, by op name.

Each describes the assembly of the newest release, and also accepts older spellings. Quoted arguments of
directives are keywords; the directives are in `custom/`.
"""

from __future__ import annotations

_PREFETCH = (
    '`,` custom<Choice>($isWrite, "read", "write", "write", "rw specifier") `,` '
    "`locality` `<` $localityHint `>` `,` "
    'custom<Choice>($isDataCache, "data", "instr", "data", "cache type") attr-dict `:` type($memref)'
)
_MAP = "custom<AppliedMap>($map) attr-dict"
_SUBSCRIPTS = "$memref `` custom<Subscripts>($map, $indices)"
_NON_NEGATIVE_CAST = '$in custom<Word>("nneg", $nonNeg) attr-dict `:` type($in) `to` type($out)'
_ATOMIC = "(`atomic` (`syncscope` `(` $syncscope^ `)`)? $ordering^)?"
_GROUP = "(`invariant_group` $invariantGroup^)?"
_LLVM_INTEGERS = "$lhs `,` $rhs custom<Overflow>($overflowFlags) attr-dict `:` type($res)"
_LLVM_COMPARISON = "custom<QuotedCase>($predicate) $lhs `,` $rhs attr-dict `:` type($lhs)"
_PACKED = (
    "(`outer_dims_perm` `=` $outer_dims_perm^)? `inner_dims_pos` `=` $inner_dims_pos `inner_tiles` `=` "
    "custom<DynamicIndexList>($inner_tiles, $static_inner_tiles) `into` $dest attr-dict "
    "`:` type($source) `->` custom<Destination>(type($dest), type($result))"
)
_ON_ONE_LANE = (
    "`(` $laneid `)` `` `[` $warp_size `]` (`args` `(` $args^ `:` type($args) `)`)? "
    'custom<ResultTypes>(type($results), "all") $warpRegion attr-dict'
)

ASSEMBLIES = {
    "affine.apply": _MAP,
    "affine.for": (
        "custom<Variable>($region, $inits) `=` "
        'custom<AffineBound>("max", $lowerBoundMap, $lowerBoundOperands) `to` '
        'custom<AffineBound>("min", $upperBoundMap, $upperBoundOperands) custom<Step>($step) '
        'custom<Assignments>("iter_args", $region, $inits, type($results)) custom<Body>($region) attr-dict'
    ),
    "affine.if": (
        'custom<AppliedMap>("set", $condition) custom<ResultTypes>(type($results)) '
        "custom<Body>($thenRegion) (`else` custom<Body>($elseRegion)^)? attr-dict"
    ),
    "affine.linearize_index": (
        'custom<Word>("disjoint", $disjoint) ` ` `[` $multi_index `]` `by` '
        'custom<DynamicIndexList>($dynamic_basis, $static_basis, "::mlir::AsmParser::Delimiter::Paren") '
        "attr-dict `:` type($linear_index)"
    ),
    "affine.load": f"{_SUBSCRIPTS} attr-dict `:` type($memref)",
    "affine.max": _MAP,
    "affine.min": _MAP,
    "affine.parallel": (
        "custom<Variables>($region) `=` "
        'custom<ParallelBounds>("max", $lowerBoundsMap, $lowerBoundsGroups, $mapOperands) `to` '
        'custom<ParallelBounds>("min", $upperBoundsMap, $upperBoundsGroups, $mapOperands) '
        'custom<Steps>($steps) custom<Reductions>($reductions) custom<ResultTypes>(type($results), "all") '
        "custom<Body>($region) attr-dict"
    ),
    "affine.prefetch": f"{_SUBSCRIPTS} {_PREFETCH}",
    "affine.store": f"$value `,` {_SUBSCRIPTS} attr-dict `:` type($memref)",
    "affine.vector_load": f"{_SUBSCRIPTS} attr-dict `:` type($memref) `,` type($result)",
    "affine.vector_store": f"$value `,` {_SUBSCRIPTS} attr-dict `:` type($memref) `,` type($value)",
    "arith.extui": _NON_NEGATIVE_CAST,
    "arith.index_castui": _NON_NEGATIVE_CAST,
    "arith.select": (
        "$condition `,` $true_value `,` $false_value attr-dict `:` "
        "custom<ConditionType>(type($condition), type($result))"
    ),
    "arith.uitofp": _NON_NEGATIVE_CAST,
    "async.await": "$operand `:` type($operand) attr-dict",
    "gpu.warp_execute_on_lane_0": _ON_ONE_LANE,
    "linalg.pack": f"$source (`padding_value` `(` $padding_value^ `:` type($padding_value) `)`)? {_PACKED}",
    "linalg.unpack": f"$source {_PACKED}",
    "llvm.add": _LLVM_INTEGERS,
    "llvm.call_intrinsic": (
        "$intrin `(` $args `)` custom<Bundles>($op_bundle_operands, $op_bundle_tags) attr-dict `:` "
        "custom<CallTypes>(type($args), type($results), $arg_attrs, $res_attrs)"
    ),
    "llvm.fcmp": _LLVM_COMPARISON,
    "llvm.icmp": _LLVM_COMPARISON,
    "llvm.load": (
        f"(`volatile` $volatile_^)? $addr {_ATOMIC} (`invariant` $invariant^)? {_GROUP} "
        "(`dereferenceable` `` $dereferenceable^)? attr-dict `:` custom<Loaded>(type($addr), type($res))"
    ),
    "llvm.mul": _LLVM_INTEGERS,
    "llvm.shl": _LLVM_INTEGERS,
    "llvm.store": (
        f"(`volatile` $volatile_^)? $value `,` $addr {_ATOMIC} {_GROUP} attr-dict `:` "
        "custom<Stored>(type($addr), type($value))"
    ),
    "llvm.sub": _LLVM_INTEGERS,
    "llvm.trunc": "$arg custom<Overflow>($overflowFlags) attr-dict `:` type($arg) `to` type($res)",
    "memref.alloca_scope": (
        '` ` custom<ResultTypes>(type($results), "all") custom<Body>($bodyRegion) attr-dict'
    ),
    "memref.atomic_rmw": (
        "custom<AtomicKind>($kind) $value `,` $memref `[` $indices `]` attr-dict `:` "
        "`(` type($value) `,` type($memref) `)` `->` type($result)"
    ),
    "memref.expand_shape": (
        "$src $reassociation custom<OutputShape>($output_shape, $static_output_shape) attr-dict "
        "`:` type($src) `into` type($result)"
    ),
    "memref.generic_atomic_rmw": "$memref `[` $indices `]` `:` type($memref) $atomic_body attr-dict",
    "memref.prefetch": f"$memref `[` $indices `]` {_PREFETCH}",
    "memref.transpose": "$in custom<Permutation>($permutation) attr-dict `:` type($in) `to` type(results)",
    "scf.execute_region": ("custom<ResultTypes>(type(results)) (`no_inline` $no_inline^)? $region attr-dict"),
    "scf.for": (
        "(`unsigned` $unsignedCmp^)? custom<Variable>($region, $initArgs) `=` $lowerBound `to` $upperBound "
        '`step` $step custom<Assignments>("iter_args", $region, $initArgs, type($results)) '
        "custom<VariableType>(type($lowerBound)) custom<Body>($region) attr-dict"
    ),
    "scf.forall": (
        "custom<Variables>($region, $outputs) custom<ForallBounds>($dynamicLowerBound, $dynamicUpperBound, "
        "$dynamicStep, $staticLowerBound, $staticUpperBound, $staticStep) "
        'custom<Assignments>("shared_outs", $region, $outputs, type($results)) '
        "custom<Body>($region) attr-dict"
    ),
    "scf.forall.in_parallel": 'custom<Body>($region, "all") attr-dict',
    "scf.if": (
        '$condition custom<ResultTypes>(type($results), "all") custom<Body>($thenRegion) '
        "(`else` custom<Body>($elseRegion)^)? attr-dict"
    ),
    "scf.parallel": (
        "custom<Variables>($region) `=` custom<Bounds>($lowerBound) `to` custom<Bounds>($upperBound) "
        "`step` custom<Bounds>($step) custom<Inits>($initVals, type($results)) "
        'custom<Body>($region, "whole") attr-dict'
    ),
    "scf.reduce": "custom<Reduced>($operands) $reductions attr-dict",
    "scf.while": (
        'custom<While>($before, $inits, type($results)) custom<Body>($before, "whole") `do` $after '
        "attr-dict-with-keyword"
    ),
    "vector.contract": (
        'custom<Trait>("vector.iterator_type", $indexing_maps, $iterator_types, $kind) '
        "$lhs `,` $rhs `,` $acc attr-dict `:` custom<TwoTypes>($lhs, $rhs) `into` type(results)"
    ),
    "vector.mask": (
        "$mask (`,` $passthru^)? custom<MaskedOp>($maskRegion) attr-dict `:` type($mask) "
        "custom<ResultTypes>(type($results))"
    ),
    "vector.outerproduct": "$lhs `,` $rhs (`,` $acc^)? attr-dict `:` type($lhs) `,` type($rhs)",
    "vector.transfer_read": (
        "$base `[` $indices `]` `,` $padding (`,` $mask^)? attr-dict `:` type($base) `,` type($vector)"
    ),
    "vector.transfer_write": (
        "$valueToStore `,` $base `[` $indices `]` (`,` $mask^)? attr-dict `:` "
        "type($valueToStore) `,` type($base)"
    ),
    "vector.warp_execute_on_lane_0": _ON_ONE_LANE,
}
