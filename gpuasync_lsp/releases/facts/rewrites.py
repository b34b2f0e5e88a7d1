"""What canonicalize, cse and folding in conversions do: a line for each fact."""

from __future__ import annotations

from gpuasync_lsp.releases.fact import by_release, fact


class Rewrites:
    """What canonicalize, cse and folding in conversions do."""

    canonicalize_merges_blocks = fact(until=18)
    """canonicalize merges blocks that do the same; later it does so only if asked."""

    cse_compares_regions = fact(since=17)
    """cse takes ops with regions for equal if these do the same."""

    finds_remainders_in_sums = fact(since=21)
    """`a + e - (e floordiv c) * c` is `a + e mod c`, not only without `a`."""

    drops_identity_transposes = fact(since=19, until=19)
    """A greedy rewrite erases linalg.transpose by the identity, on buffers as well, where it copies."""

    copies_without_casts = fact(until=21)
    """canonicalize lets memref.copy read through any cast of a ranked memref; later only through one that
    loses information."""

    inlines_blocks_anywhere = fact(until=17)
    """inline puts the blocks of a callee where only one may be, too."""

    folds_in_place_once = fact(until=17)
    """An op that is folded in place in a conversion is not folded again: scf.if of a condition that is
    negated twice."""

    region_branch_patterns = fact(since=22)
    """canonicalize treats what all ops with regions pass on alike: values that are always the same are not
    passed, nor twice. Before, only loops and scf.if have patterns of their own."""

    loops_pass_once = fact(since=21)
    """canonicalize has scf.for pass a value once that it would pass twice."""

    newer_arith_patterns = fact(since=18)
    """canonicalize puts the factors of two products together, extends what was extended and then truncated
    to a width between, and swaps the values of arith.select for a negation."""

    runs_single_steps = fact(since=23)
    """canonicalize takes an scf.for from 0 to its own step for one iteration."""

    folds_zero_strides = fact(until=17)
    """canonicalize takes a stride of a subview that is a constant 0 into its type; 17 crashes, 18 to 23
    leave it."""

    differences_without_flags = fact(until=21)
    """canonicalize counts the iterations of an scf.for from `%a` to `%a + 1` even if that sum may wrap, of an
    scf.parallel never; from 22 on, of both, with `nsw` only (unsigned: `nuw`)."""

    newer_scf_patterns = fact(since=18)
    """canonicalize folds scf.index_switch of a constant, and lets scf.while pass nothing twice or unread."""

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
    """Ops that have no effects in their newest definition, or in their regions, and stay nevertheless."""

    drops_equal_arguments = fact(since=18)
    """Where the greedy rewrite merges blocks, it also drops arguments that always carry one value."""

    broadcasts_equal_elements = fact(since=22)
    """canonicalize makes vector.broadcast of a vector.from_elements of equal elements; vector.splat
    before."""

    extends_products = fact(until=20)
    """canonicalize makes arith.mulsi_extended and mului_extended of a product of extended values whose upper
    half is taken."""

    joins_insertions = fact(since=22)
    """canonicalize makes vector.from_elements of vector.insert ops that give a whole one."""

    finds_uniform_reductions = fact(since=18)
    """canonicalize marks reductions at the top of a gpu.launch as uniform."""

    divisions_undo_products = fact(since=20)
    """A division of a product that cannot overflow by a factor folds."""

    truncations_undo_extensions = fact(since=21)
    """arith.truncf of arith.extf folds, and canonicalize makes one conversion of arith.sitofp and truncf."""

    index_casts_fold = fact(since=23)
    """Two casts to and from an index fold where the first loses nothing; before, all of them cancel, but in
    `canonicalize` alone."""

    comparisons_of_bits_fold = fact(since=20)
    """An i1 that arith.cmpi compares with true folds to itself."""

    remainders_are_nearest = fact(until=18)
    """arith.remf of constants folds to what is left of the nearest multiple."""

    numbers_give_way_to_nans = fact(until=19)
    """arith.maxnumf of a constant and a NaN folds to the NaN."""

    converts_constants_last = fact(since=18)
    """An op that is converted puts its constant operand last before; cmpi always."""

    folded_constants_lead = fact(until=18, unprobed="order")
    """canonicalize puts a constant that an op folded to before all others at once, and constants that
    patterns make before all others in their own order, not in the reverse one."""

    choices_of_bits_are_logic = fact(until=18)
    """canonicalize makes arith.andi, ori and xori of a choice between two i1."""

    divisions_by_itself_fold = fact(since=24)
    """Divisions and shifts of a value by itself fold, and so do those of 0."""

    choices_are_extrema = fact(since=23)
    """canonicalize makes arith.maxsi and its like of a choice between two compared."""

    differences_from_zero_negate = fact(since=23)
    """canonicalize makes arith.negf of arith.subf from -0.0."""

    floats_skip_extensions = fact(since=23)
    """canonicalize makes a float of an integer before that is extended."""

    extracts_what_was_inserted = fact(since=21)
    """tensor.extract at constant indices finds what tensor.insert put there."""

    erases_writes_of_one_buffer = fact(until=20)
    """canonicalize erases a linalg.generic that reads and writes one buffer, regardless of its effect."""

    reads_writes_out_of_bounds = fact(until=20)
    """canonicalize takes what was written to a tensor, within bounds or not, for what is read within
    bounds."""

    extensions_of_llvm_constants_fold = fact(since=18)
    """llvm.zext of a constant is a constant to greedy rewrites."""

    llvm_symbols_are_constants = fact(since=19)
    """llvm.mlir.addressof, llvm.mlir.undef and llvm.mlir.zero are constants (`ConstantLike`)."""

    affine_folds_negative_divisors = fact(since=19)
    """Affine expressions such as `x floordiv -1` and `5 ceildiv -2` fold."""

    affine_sums_wrap = fact(until=18)
    """Sums and products of affine constants that do not fit in 64 bits wrap; later they are not folded."""

    affine_orders_operands = fact(since=21)
    """`d1 + d0` is `d0 + d1`, and the last term of a sum is folded with the term that is added."""

    affine_cancels_quotients = fact(since=23)
    """`s0 floordiv s0` is 1."""
