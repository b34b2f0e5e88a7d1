"""Spellings of ops with handwritten classes that only some releases accept.

A handwritten class parses the spellings of all releases; this module finds spellings in an op's text
that a release rejects. `ods` handles ops without a class.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from gpuasync_lsp.releases import is_in
from gpuasync_lsp.text.lazy_pattern import lazy_pattern

_MOST = 4_000
"""Maximum number of characters of an op that are inspected: the relevant text precedes its regions."""


class _Word(NamedTuple):
    pattern: re.Pattern[str]
    """Matches the op's text, beginning with the name."""
    reason: str
    since: int = 0
    before: int = 0
    """The first release that no longer accepts the spelling; 0 if all later ones do."""


_CLUSTER = lazy_pattern(r"gpu\.subgroup_reduce[^:]*?\bcluster\(")
_NAMED = lazy_pattern(r"gpu\.launch\b[^{]*?\) (?:module|function)\(@")
_WEIGHTS = lazy_pattern(r"cf\.cond_br\s+%[^\s,]+\s+weights\b")
_BOUND = lazy_pattern(r"gpu\.\w+ (?:[xyz] )?upper_bound\b")
_CLUSTERS = lazy_pattern(r"gpu\.launch\b[^{]*?\bclusters\(")
_FENCE = lazy_pattern(r"gpu\.barrier\s+memfence\b")
_KINDS_OF_16 = lazy_pattern(r"gpu\.all_reduce\s+(?:max|min)\b")
_KINDS_OF_18 = lazy_pattern(r"gpu\.(?:all|subgroup)_reduce\s+(?:max|min)(?:f|imumf|si|ui)\b")
_FLOAT_KINDS_OF_18 = lazy_pattern(r"gpu\.(?:all|subgroup)_reduce\s+(?:maxf|minf)\b")
_KINDS_OF_19 = lazy_pattern(r"gpu\.(?:all|subgroup)_reduce\s+(?:max|min)numf\b")
_VECTOR_KINDS_OF_16 = lazy_pattern(r"vector\.reduction\s+<(?:max|min)f>")
_VECTOR_KINDS_OF_18 = lazy_pattern(r"vector\.reduction\s+<(?:max|min)imumf>")
_VECTOR_KINDS_OF_19 = lazy_pattern(r"vector\.reduction\s+<(?:max|min)numf>")
_WITH_FROM = lazy_pattern(r"vector\.extract\s+%[^:\n]*:[^\n]*? from ")
_WITHOUT_FROM = lazy_pattern(r"vector\.extract\s+%[^:\n]*:\s*vector<[^<>\n]*>\s*(?:\n|loc\b|//)")
_WRAPPING = lazy_pattern(r"llvm\.getelementptr (?:inbounds ?\| ?)?n(?:us|u)w\b")
_OVERFLOW = lazy_pattern(r"\w+\.\w+ %[^:\n]*? overflow<")
_DISJOINT = lazy_pattern(r"llvm\.or disjoint\b")
_EXACT = lazy_pattern(r"llvm\.\w+ exact\b")
_NON_NEGATIVE = lazy_pattern(r"llvm\.\w+ nneg\b")
_ROUNDING = lazy_pattern(r"arith\.truncf %[\w#.$-]+ (?:to_nearest|downward|upward|toward)\w*")
_COMPLEX_FAST = lazy_pattern(r"complex\.\w+ [^:\n]*? fastmath<")
_STATIC_BASIS = lazy_pattern(r"affine\.delinearize_index %[^(\n]*\(\s*[0-9]")
_OUTPUT_SHAPE = lazy_pattern(r"(?:memref|tensor)\.expand_shape %[^:\n]*? output_shape ")
_NO_OUTPUT_SHAPE = lazy_pattern(r"(?:memref|tensor)\.expand_shape %[\w#.$-]+ \[[\[\]0-9, ]*\] : ")
_REDUCED_OF_18 = lazy_pattern(r"scf\.reduce\(%[\w#.$-]+\)")
_REDUCED_OF_19 = lazy_pattern(r"scf\.reduce\(%[\w#.$-]+(?:, %[\w#.$-]+)* : ")
_TO_TENSOR_OF_19 = lazy_pattern(r"bufferization\.to_tensor %[^:\n]*:\s*memref<[^<>\n]*>\s*(?:\n|loc\b|//)")
_TO_TENSOR_OF_20 = lazy_pattern(r"bufferization\.to_tensor %[^:\n]*:[^\n]*? to ")
_UNSIGNED = lazy_pattern(r"scf\.for unsigned\b")
_NO_INLINE = lazy_pattern(r"scf\.execute_region\b[^{\n]*? no_inline\b")
_ROTATE_BY_NUMBERS = lazy_pattern(r"gpu\.rotate %[\w#.$-]+, [0-9]")
_ROTATE_BY_VALUES = lazy_pattern(r"gpu\.rotate %[\w#.$-]+, %")
_ATOMICS_OF_16 = lazy_pattern(r"memref\.atomic_rmw (?:max|min)f\b")
_ATOMICS_OF_18 = lazy_pattern(r"memref\.atomic_rmw (?:max|min)(?:num|imum)f\b")
_ATOMIC_XOR = lazy_pattern(r"memref\.atomic_rmw xori\b")
_TARGETS = lazy_pattern(r'gpu\.module\s+@(?:[\w$.-]+|"[^"\n]*")\s*\[')
_INDEXING_MAPS = lazy_pattern(r"linalg\.\w+ indexing_maps\b")
_LIFETIME_OF_21 = lazy_pattern(r"llvm\.intr\.lifetime\.\w+ [0-9]")
_LIFETIME_OF_22 = lazy_pattern(r"llvm\.intr\.lifetime\.\w+ %")
_ASSUMED = lazy_pattern(r"llvm\.intr\.assume\b")
_OF_CALLS = lazy_pattern(r"llvm\.call [^\n]*\{llvm\.")
_VARIADIC = lazy_pattern(r"llvm\.call [^\n(]*\([^\n)]*\) vararg\(")
_INTRINSIC = r'llvm\.call_intrinsic "[^"\n]*"\([^)\n]*\) '
_DICTIONARY_IN_FRONT = lazy_pattern(_INTRINSIC + r"\{")
_DICTIONARY_BEHIND = lazy_pattern(_INTRINSIC + r": [^\n>]*-> [^\n{]*\{(?!llvm\.)")
_BUNDLES = lazy_pattern(_INTRINSIC + r"\[")
_OF_INTRINSICS = lazy_pattern(r"llvm\.call_intrinsic [^\n]*\{llvm\.")
_RECIPROCAL_OF_23 = lazy_pattern(r"nvgpu\.rcp %[\w#.$-]+ \{[^}]*\bapprox =")

_KERNELS = lazy_pattern(r"gpu\.binary\b[^{]*?\bkernels = ")

_OF_IDS = (_Word(_BOUND, "an id has no `upper_bound`", since=19),)
_OF_REDUCTIONS = (
    _Word(_KINDS_OF_16, "the kinds `max` and `min` have a suffix: si, ui, imumf or numf", before=18),
    _Word(_KINDS_OF_18, "the kinds are `max` and `min`", since=18),
    _Word(_FLOAT_KINDS_OF_18, "the kinds are `maxnumf` and `minnumf`", before=19),
    _Word(_KINDS_OF_19, "there are no `maxnumf` and `minnumf` yet", since=19),
)
_OF_INTEGERS = (_Word(_OVERFLOW, "it has no `overflow<...>`", since=19),)
_OF_INTEGERS_OF_21 = (_Word(_OVERFLOW, "it has no `overflow<...>`", since=21),)
_OF_LLVM_INTEGERS = (_Word(_OVERFLOW, "it has no `overflow<...>`", since=18),)
_OF_EXACT = (_Word(_EXACT, "it has no `exact`", since=20),)
_OF_LIFETIMES = (
    _Word(_LIFETIME_OF_21, "no size precedes the pointer", before=22),
    _Word(_LIFETIME_OF_22, "a size precedes the pointer", since=22),
)
_OF_BATCHES = (_Word(_INDEXING_MAPS, "it has no `indexing_maps`", since=21),)
_OF_EXPANSIONS = (
    _Word(_OUTPUT_SHAPE, "it has no `output_shape`", since=19),
    _Word(_NO_OUTPUT_SHAPE, "it requires an `output_shape`", before=19),
)
_OF_COMPLEX = (_Word(_COMPLEX_FAST, "it has no `fastmath<...>`", since=18),)
_WORDS: dict[str, tuple[_Word, ...]] = {
    "gpu.module": (_Word(_TARGETS, "a module has no targets", since=18),),
    "gpu.binary": (_Word(_KERNELS, "an object has no `kernels`", since=20),),
    "gpu.subgroup_reduce": (_Word(_CLUSTER, "a reduction has no `cluster(...)`", since=20), *_OF_REDUCTIONS),
    "gpu.all_reduce": _OF_REDUCTIONS,
    "gpu.launch": (
        _Word(_NAMED, "a launch has no `module(...)` and no `function(...)`", since=22),
        _Word(_CLUSTERS, "a launch has no `clusters(...)`", since=19),
    ),
    "gpu.barrier": (_Word(_FENCE, "a barrier has no `memfence`", since=23),),
    "gpu.lane_id": _OF_IDS,
    "vector.reduction": (
        _Word(_VECTOR_KINDS_OF_16, "the kinds are `maxnumf` and `minnumf`", before=19),
        _Word(_VECTOR_KINDS_OF_18, "there are no `maximumf` and `minimumf` yet", since=18),
        _Word(_VECTOR_KINDS_OF_19, "there are no `maxnumf` and `minnumf` yet", since=19),
    ),
    "vector.extract": (
        _Word(_WITHOUT_FROM, "the extracted type comes before `from` and the type of the vector", before=18),
        _Word(_WITH_FROM, "only the type of the vector is specified", since=18),
    ),
    "arith.addi": _OF_INTEGERS,
    "arith.subi": _OF_INTEGERS,
    "arith.muli": _OF_INTEGERS,
    "arith.shli": _OF_INTEGERS,
    "arith.truncf": (_Word(_ROUNDING, "it has no rounding mode", since=19),),
    "arith.trunci": _OF_INTEGERS_OF_21,
    "linalg.matmul": (_Word(_INDEXING_MAPS, "it has no `indexing_maps`", since=20),),
    "linalg.batch_matmul": _OF_BATCHES,
    "linalg.batch_reduce_matmul": _OF_BATCHES,
    "llvm.getelementptr": (_Word(_WRAPPING, "its only flag is `inbounds`", since=21),),
    "llvm.call_intrinsic": (
        _Word(_DICTIONARY_IN_FRONT, "its attributes follow its types", since=21),
        _Word(_DICTIONARY_BEHIND, "its attributes precede its types", before=21),
        _Word(_BUNDLES, "it has no bundles of operands", since=20),
        _Word(_OF_INTRINSICS, "arguments have no attributes", since=21),
    ),
    "llvm.call": (
        _Word(_OF_CALLS, "arguments have no attributes", since=21),
        _Word(_VARIADIC, "it has no `vararg(...)`", since=18),
    ),
    "llvm.intr.assume": (_Word(_ASSUMED, "it has no custom assembly form", since=20),),
    "llvm.intr.lifetime.start": _OF_LIFETIMES,
    "llvm.intr.lifetime.end": _OF_LIFETIMES,
    "llvm.add": _OF_LLVM_INTEGERS,
    "llvm.sub": _OF_LLVM_INTEGERS,
    "llvm.mul": _OF_LLVM_INTEGERS,
    "llvm.shl": _OF_LLVM_INTEGERS,
    "llvm.or": (_Word(_DISJOINT, "it has no `disjoint`", since=20),),
    "llvm.udiv": _OF_EXACT,
    "llvm.sdiv": _OF_EXACT,
    "llvm.lshr": _OF_EXACT,
    "llvm.ashr": _OF_EXACT,
    "llvm.zext": (_Word(_NON_NEGATIVE, "it has no `nneg`", since=20),),
    "llvm.uitofp": (_Word(_NON_NEGATIVE, "it has no `nneg`", since=20),),
    "complex.add": _OF_COMPLEX,
    "complex.sub": _OF_COMPLEX,
    "complex.mul": _OF_COMPLEX,
    "complex.div": _OF_COMPLEX,
    "complex.abs": _OF_COMPLEX,
    "complex.exp": _OF_COMPLEX,
    "affine.delinearize_index": (_Word(_STATIC_BASIS, "the elements of a basis are values", since=20),),
    "nvgpu.rcp": (_Word(_RECIPROCAL_OF_23, "its attributes are `rounding = approx, ftz`", since=23),),
    "memref.assume_alignment": (),
    "memref.expand_shape": _OF_EXPANSIONS,
    "tensor.expand_shape": _OF_EXPANSIONS,
    "bufferization.to_tensor": (
        _Word(_TO_TENSOR_OF_19, "the type of the tensor follows `to`", before=20),
        _Word(_TO_TENSOR_OF_20, "only the type of the memref is specified", since=20),
    ),
    "scf.reduce": (
        _Word(_REDUCED_OF_18, "the types of the reduced values are inside the parentheses", before=19),
        _Word(_REDUCED_OF_19, "it reduces one value, whose type follows the parentheses", since=19),
    ),
    "scf.for": (_Word(_UNSIGNED, "a loop is never `unsigned`", since=22),),
    "scf.execute_region": (_Word(_NO_INLINE, "a region is never `no_inline`", since=22),),
    "gpu.rotate": (
        _Word(_ROTATE_BY_NUMBERS, "offset and width are values", since=22),
        _Word(_ROTATE_BY_VALUES, "offset and width are numbers", before=22),
    ),
    "memref.atomic_rmw": (
        _Word(_ATOMICS_OF_16, "the kinds are `maxnumf`, `minnumf`, `maximumf` and `minimumf`", before=18),
        _Word(_ATOMICS_OF_18, "the kinds are `maxf` and `minf`", since=18),
        _Word(_ATOMIC_XOR, "it has no kind `xori`", since=22),
    ),
    "cf.cond_br": (_Word(_WEIGHTS, "a branch has no `weights(...)`", since=21),),
    "gpu.thread_id": _OF_IDS,
    "gpu.block_id": _OF_IDS,
    "gpu.block_dim": _OF_IDS,
    "gpu.grid_dim": _OF_IDS,
    "gpu.global_id": _OF_IDS,
}


def may_be_rejected(name: str) -> bool:
    """Return whether a release may reject a spelling of the op `name`."""
    return name in _WORDS


def unread(name: str, text: str, start: int, version: int) -> str:
    """Return the reason why LLVM `version` rejects the spelling of an op; empty if it accepts it.

    The op's name is `name`, and begins at offset `start` of `text`.
    """
    for word in _WORDS.get(name, ()):
        if not is_in(version, word.since, word.before) and word.pattern.match(text, start, start + _MOST):
            return word.reason
    return ""
