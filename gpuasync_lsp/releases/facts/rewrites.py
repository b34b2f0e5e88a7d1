"""Behavior of canonicalize, cse, inline, and folding in conversions, one line per fact."""

from __future__ import annotations

from gpuasync_lsp.releases.fact import by_release, fact


class Rewrites:
    """Facts about canonicalize, cse, inline, and folding in conversions."""

    canonicalize_merges_blocks = fact(until=18)
    """canonicalize merges equivalent blocks by default; later releases do so only on request."""

    cse_compares_regions = fact(since=17)
    """cse treats ops with equivalent regions as equivalent."""

    finds_remainders_in_sums = fact(since=21)
    """`a + e - (e floordiv c) * c` folds to `a + e mod c`; earlier releases fold it only without `a`."""

    drops_identity_transposes = fact(since=19, until=19)
    """A greedy rewrite erases an identity linalg.transpose, even one on buffers, which is a copy."""

    copies_without_casts = fact(until=21)
    """canonicalize folds any cast of a ranked memref into memref.copy; later releases fold only a cast that
    loses static information."""

    inlines_blocks_anywhere = fact(until=17)
    """inline creates blocks even in single-block regions."""

    folds_in_place_once = fact(until=17)
    """In a conversion, an op that is folded in place is not folded again: an scf.if with a condition that
    is negated twice keeps one negation."""

    region_branch_patterns = fact(since=22)
    """canonicalize drops invariant and duplicate forwarded values of all RegionBranchOpInterface ops. Earlier
    releases have such patterns only for loops and scf.if."""

    loops_pass_once = fact(since=21)
    """canonicalize removes duplicate iter_args of scf.for."""

    newer_arith_patterns = fact(since=18)
    """canonicalize has three more patterns for arith.

    They combine the factors of two products, replace a truncated extension with a single cast, and swap the
    values of an arith.select on a negated condition."""

    runs_single_steps = fact(since=23)
    """canonicalize treats an scf.for from 0 to its own step as a loop with one iteration."""

    folds_zero_strides = fact(until=17)
    """canonicalize moves a constant stride 0 of a subview into its type; LLVM 17 crashes, and later releases
    do not fold it."""

    differences_without_flags = fact(until=21)
    """canonicalize computes the trip count of an scf.for from `%a` to `%a + 1` even if the sum may wrap.

    It never does so for scf.parallel. Later releases do for both if the sum has `nsw` (unsigned: `nuw`)."""

    newer_scf_patterns = fact(since=18)
    """canonicalize folds scf.index_switch of a constant, and drops duplicate or unused values of
    scf.while."""

    never_dead = by_release(
        {
            16: frozenset({"async.execute", "gpu.launch", "gpu.subgroup_reduce"}),
            18: frozenset({"async.execute", "gpu.launch", "gpu.subgroup_reduce"}),
            19: frozenset({"async.execute", "gpu.subgroup_reduce", "xegpu.update_nd_offset"}),
            21: frozenset({"async.execute", "gpu.subgroup_reduce", "xegpu.atomic_rmw"}),
            22: frozenset({"gpu.subgroup_reduce", "xegpu.atomic_rmw"}),
            23: frozenset({"xegpu.atomic_rmw"}),
        }
    )
    """Ops that are never erased, although their newest definition declares them and their regions free of
    side effects."""

    drops_equal_arguments = fact(since=18)
    """When the greedy rewrite merges blocks, it also drops arguments that always have the same value."""

    broadcasts_equal_elements = fact(since=22)
    """canonicalize folds vector.from_elements of equal elements to vector.broadcast; in earlier releases to
    vector.splat."""

    extends_products = fact(until=20)
    """canonicalize replaces the upper half of a product of extended values with arith.mulsi_extended or
    arith.mului_extended."""

    joins_insertions = fact(since=22)
    """canonicalize replaces vector.insert ops that cover a whole vector with vector.from_elements."""

    finds_uniform_reductions = fact(since=18)
    """canonicalize marks gpu.all_reduce and subgroup_reduce at the top level of a gpu.launch as uniform."""

    divisions_undo_products = fact(since=20)
    """A division of a product by one of its factors folds, if the product cannot overflow."""

    truncations_undo_extensions = fact(since=21)
    """arith.truncf of arith.extf folds, and canonicalize combines arith.sitofp and truncf."""

    index_casts_fold = fact(since=23)
    """Two casts to and from index fold if the first is lossless; in earlier releases every such pair folds,
    but only in `canonicalize`."""

    comparisons_of_bits_fold = fact(since=20)
    """A comparison of an i1 with true (arith.cmpi) folds to the i1."""

    remainders_are_nearest = fact(until=18)
    """arith.remf of constants folds to the IEEE remainder, whose quotient is rounded to nearest."""

    numbers_give_way_to_nans = fact(until=19)
    """arith.maxnumf of a constant and a NaN folds to the NaN."""

    converts_constants_last = fact(since=18)
    """A conversion moves a constant operand of a commutative op last; for arith.cmpi in every release."""

    folded_constants_lead = fact(until=18, unprobed="order")
    """If an op folds to a constant, canonicalize immediately moves the constant before all others.

    Constants that patterns create are moved in the order of their creation instead of in reverse order."""

    choices_of_bits_are_logic = fact(until=18)
    """canonicalize expands an arith.select of two i1 values to arith.andi, ori and xori."""

    divisions_by_itself_fold = fact(since=24)
    """`x / x`, `x % x` and `x >> x` fold to constants, and so do `0 / x`, `0 % x` and shifts of 0."""

    choices_are_extrema = fact(since=23)
    """canonicalize replaces a select between the two compared values with arith.maxsi or a similar op."""

    differences_from_zero_negate = fact(since=23)
    """canonicalize replaces `arith.subf -0.0, %x` with `arith.negf %x`."""

    floats_skip_extensions = fact(since=23)
    """canonicalize rewrites the conversion of an extended integer to float to convert the original value."""

    extracts_what_was_inserted = fact(since=21)
    """tensor.extract at constant indices folds to the value that a tensor.insert put at these indices."""

    erases_writes_of_one_buffer = fact(until=20)
    """canonicalize erases a linalg.generic that reads and writes one buffer, even if the values change."""

    reads_writes_out_of_bounds = fact(until=20)
    """canonicalize replaces an in-bounds read of a tensor with the vector written there, even if the write
    was out of bounds."""

    extensions_of_llvm_constants_fold = fact(since=18)
    """Greedy rewrites fold llvm.zext of a constant."""

    llvm_symbols_are_constants = fact(since=19)
    """llvm.mlir.addressof, llvm.mlir.undef and llvm.mlir.zero are constants (`ConstantLike`)."""

    affine_folds_negative_divisors = fact(since=19)
    """Affine expressions such as `x floordiv -1` and `5 ceildiv -2` fold."""

    affine_sums_wrap = fact(until=18)
    """Sums and products of affine constants that do not fit in 64 bits wrap; later releases do not fold
    them."""

    affine_orders_operands = fact(since=21)
    """`d1 + d0` folds to `d0 + d1`, and a term added to a sum is folded with the sum's last term."""

    affine_cancels_quotients = fact(since=23)
    """`s0 floordiv s0` folds to 1."""
