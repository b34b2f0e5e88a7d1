"""Lowering of the vector dialect, one line per fact."""

from __future__ import annotations

from typing import Literal

from gpuasync_lsp.releases.fact import Fact, by_release, fact

VectorStep = Literal["constant", "stays", "intrinsic"]
FullMasks = Literal["none", "made", "all"]


class Vectors:
    """Lowering of the vector dialect."""

    converts_slices = fact(until=19)
    """Slices and vector.fma of several dimensions are converted to llvm."""

    broadcasts_scalars = fact(since=22)
    """gpu-to-llvm converts vector.broadcast of a scalar."""

    repeats_by_broadcasts = fact(since=22)
    """convert-vector-to-scf repeats a scalar by vector.broadcast; by vector.splat before."""

    extracts_at_values = fact(since=20)
    """convert-vector-to-scf takes and puts elements by vector.extract and vector.insert; by their like for
    elements before; of 20 no build is at hand."""

    full_masks_fold: Fact[FullMasks] = by_release({16: "none", 18: "made", 19: "all"})
    """Masks of transfers that leave nothing out and go by folding: `none` (17), those of
    vector.constant_mask (`made`, 18), constants as well (`all`, 19)."""

    constant_masks_fold = fact(since=21)
    """vector.constant_mask folds to a constant if all elements or none are set."""

    unit_transposes_fold = fact(since=21)
    """vector.transpose that moves only dimensions of size 1, and keeps the type, folds."""

    unit_transfers_are_plain = fact(since=23)
    """A one-element transfer is simplified to the default map."""

    positions_fold = fact(since=21)
    """A position of vector.extract and vector.insert that is a constant becomes static by folding."""

    reads_scalars_as_vectors = fact(since=21)
    """convert-vector-to-scf reads what a vector only repeats as a vector without dimensions; by memref.load
    before."""

    transposes_masks = fact(since=18, unprobed="hidden")
    """convert-vector-to-scf adds the vector's new dimensions to the mask of a write, too."""

    prints_vectors_by_loops = fact(since=18)
    """convert-vector-to-scf unrolls vector.print."""

    vector_step: Fact[VectorStep] = by_release({16: "constant", 20: "stays", 23: "intrinsic"})
    """What vector.step of known length becomes: a `constant` (19), nothing (`stays`, 22), or an `intrinsic`
    (24)."""

    step_intrinsic = by_release({16: "llvm.intr.experimental.stepvector", 20: "llvm.intr.stepvector"})
    """The intrinsic that vector.step of scalable length becomes."""

    unrolls_bitcasts = fact(since=19)
    """convert-vector-to-llvm unrolls vector.bitcast of several dimensions."""

    shape_casts_by_slices = fact(since=21)
    """convert-vector-to-llvm lowers vector.shape_cast by slices of the largest size that both shapes have in
    common; element by element before."""

    casts_scalable_shapes = fact(since=18)
    """convert-vector-to-llvm lowers vector.shape_cast of scalable vectors."""

    contracts_rows_once = fact(since=21, unprobed="order")
    """convert-vector-to-llvm extracts each column of a contraction once; once per row before."""

    unrolls_elements = fact(since=22)
    """convert-vector-to-llvm takes vector.from_elements and to_elements of several dimensions apart, and
    puts rows that are gathered into poison."""

    predicates_reductions = fact(since=17)
    """vector.mask of a vector.reduction becomes a reduction of LLVM's vp intrinsics."""

    knows_scalable_sizes = fact(since=19)
    """Predicated reductions and vectors of pointers are as long as scalable vectors."""

    reassociates_by_flag = fact(until=17)
    """The intrinsics of sums and products of floats have `reassoc`, no flags."""

    single_lanes_alone = fact(since=22)
    """A scalar broadcast to a vector of one element is inserted, without a shuffle."""

    loads_single_elements = fact(until=19)
    """convert-vector-to-llvm reads and writes vectors of one element by memref.load and store."""

    vector_constants_fold = fact(since=21)
    """Parts of constant vectors fold (vector.extract, insert, extract_strided_slice), extractions see
    through shuffles, and insertions skip those to the same place."""

    shuffles_lose_poison = fact(since=23)
    """vector.shuffle uses the index -1 for poison elements."""

    bounds_masks = fact(since=23)
    """The bound in the comparison for a mask is clamped to the largest i32."""

    gathers_rows = fact(until=20)
    """vector.gather of several dimensions is converted row by row."""

    builtin_vectors_of_pointers = fact(since=21)
    """A vector of pointers is `vector<4x!llvm.ptr>`; before, `!llvm.vec<4 x ptr>`."""

    mask_sizes_are_arrays = fact(since=20)
    """`mask_dim_sizes` of vector.constant_mask is an `array<i64>`, not an array of attributes."""

    unbounded_masked_transfers_stay = fact(since=19, until=19)
    """convert-vector-to-llvm leaves a transfer under vector.mask that may leave its memory. The others put a
    second op under the mask, and fail."""

    masked_transfers_stay = fact(since=19)
    """gpu-to-llvm leaves transfers under vector.mask; before, their result fails in the verifier."""

    extrema_have_new_names = fact(since=18)
    """The float extrema are arith.maximumf, minimumf, maxnumf and minnumf; before, arith.maxf and minf."""

    scalable_parts_are_kept = fact(since=18)
    """convert-vector-to-scf keeps which dimensions of a part of a vector are scalable."""
