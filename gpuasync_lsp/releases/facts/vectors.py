"""Lowering of the vector dialect, one line per fact."""

from __future__ import annotations

from typing import Literal

from gpuasync_lsp.releases.fact import Fact, by_release, fact

VectorStep = Literal["constant", "stays", "intrinsic"]
FullMasks = Literal["none", "made", "all"]


class Vectors:
    """Facts about the lowering of the vector dialect."""

    converts_slices = fact(until=19)
    """gpu-to-llvm converts extract_strided_slice, insert_strided_slice, and vector.fma of rank 2 or more."""

    broadcasts_scalars = fact(since=22)
    """gpu-to-llvm converts vector.broadcast of a scalar."""

    repeats_by_broadcasts = fact(since=22)
    """convert-vector-to-scf repeats a scalar with vector.broadcast; in earlier releases with vector.splat."""

    extracts_at_values = fact(since=20)
    """convert-vector-to-scf emits vector.extract and vector.insert; in earlier releases
    vector.extractelement and vector.insertelement. LLVM 20 has not been measured."""

    full_masks_fold: Fact[FullMasks] = by_release({16: "none", 18: "made", 19: "all"})
    """The all-true masks that folding removes from transfers: no masks (`none`), those from
    vector.constant_mask (`made`), or also constants (`all`)."""

    constant_masks_fold = fact(since=21)
    """vector.constant_mask folds to a constant if all elements or none are set."""

    unit_transposes_fold = fact(since=21)
    """vector.transpose folds if it moves only dimensions of size 1 and keeps the type."""

    unit_transfers_are_plain = fact(since=23)
    """Folding gives a transfer of one element the default permutation map."""

    positions_fold = fact(since=21)
    """Folding makes a constant position of vector.extract and vector.insert static."""

    reads_scalars_as_vectors = fact(since=21)
    """convert-vector-to-scf reads the scalar of a broadcasting transfer as a vector of rank 0.

    Earlier releases emit memref.load."""

    transposes_masks = fact(since=18, unprobed="hidden")
    """convert-vector-to-scf also adds the vector's new dimensions to the mask of a write."""

    prints_vectors_by_loops = fact(since=18)
    """convert-vector-to-scf unrolls vector.print."""

    vector_step: Fact[VectorStep] = by_release({16: "constant", 20: "stays", 23: "intrinsic"})
    """The op to which vector.step of known length lowers: a `constant`, an `intrinsic`, or none (`stays`)."""

    step_intrinsic = by_release({16: "llvm.intr.experimental.stepvector", 20: "llvm.intr.stepvector"})
    """The intrinsic to which vector.step of scalable length lowers."""

    unrolls_bitcasts = fact(since=19)
    """convert-vector-to-llvm unrolls vector.bitcast of several dimensions."""

    shape_casts_by_slices = fact(since=21)
    """convert-vector-to-llvm lowers vector.shape_cast using the largest slices that both shapes have in
    common; earlier releases proceed element by element."""

    casts_scalable_shapes = fact(since=18)
    """convert-vector-to-llvm lowers vector.shape_cast of scalable vectors."""

    contracts_rows_once = fact(since=21, unprobed="order")
    """convert-vector-to-llvm extracts each column of a contraction once; in older releases, once per row."""

    unrolls_elements = fact(since=22)
    """convert-vector-to-llvm unrolls vector.from_elements and to_elements of several dimensions.

    It combines rows by inserting them into poison."""

    predicates_reductions = fact(since=17)
    """vector.mask of a vector.reduction lowers to an intrinsic llvm.intr.vp.reduce."""

    knows_scalable_sizes = fact(since=19)
    """Predicated reductions and vectors of pointers respect that a vector is scalable."""

    reassociates_by_flag = fact(until=17)
    """The intrinsics for sums and products of floats have the attribute `reassoc` instead of fast-math
    flags."""

    single_lanes_alone = fact(since=22)
    """A scalar is broadcast to a vector of one element by an insertion, without a shuffle."""

    loads_single_elements = fact(until=19)
    """convert-vector-to-llvm reads and writes one-element vectors with memref.load and memref.store."""

    vector_constants_fold = fact(since=21)
    """vector.extract, insert and extract_strided_slice of constant vectors fold. Extractions also fold
    through shuffles, and through later insertions at other positions."""

    shape_casts_of_constants_fold = fact(since=22)
    """vector.shape_cast of any constant folds; in LLVM 21 only if all elements are equal."""

    shuffles_lose_poison = fact(since=23)
    """Folding replaces the indices in a vector.shuffle that select from a poison operand with -1."""

    bounds_masks = fact(since=23)
    """The bound with which the indices of a mask are compared is clamped to the maximum i32."""

    gathers_rows = fact(until=20)
    """vector.gather of several dimensions is converted row by row."""

    builtin_vectors_of_pointers = fact(since=21)
    """A vector of pointers is `vector<4x!llvm.ptr>`; in earlier releases it is `!llvm.vec<4 x ptr>`."""

    mask_sizes_are_arrays = fact(since=20)
    """`mask_dim_sizes` of vector.constant_mask is an `array<i64>`, not an array of attributes."""

    unbounded_masked_transfers_stay = fact(since=19, until=19)
    """convert-vector-to-llvm does not lower a transfer under vector.mask that may be out of bounds. Other
    releases put a second op into the vector.mask, and fail."""

    masked_transfers_stay = fact(since=19)
    """gpu-to-llvm leaves transfers under vector.mask unlowered; earlier releases lower them, and the verifier
    rejects the result."""

    extrema_have_new_names = fact(since=18)
    """The float extrema are arith.maximumf, minimumf, maxnumf and minnumf; in earlier releases arith.maxf
    and minf."""

    scalable_parts_are_kept = fact(since=18)
    """convert-vector-to-scf keeps dimensions scalable when it splits a vector."""
