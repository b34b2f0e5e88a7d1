"""The preconditions of gpu-to-llvm's patterns for gpu ops, per release.

The patterns in `lowering/passes/gpu_to_llvm/gpu` check `PRECONDITIONS`; rules, hints, hover and fixes call
`unmet`. An async op of the gpu dialect that is not in the table has no pattern.

Sources: mlir/lib/Conversion/GPUCommon/GPUToLLVMConversion.cpp of each release, and measurements with each
release.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple, TypeAlias, cast

from xdsl.dialects.builtin import (
    AnyFloat,
    IndexType,
    IntAttr,
    MemRefType,
    StridedLayoutAttr,
    TensorType,
    UnrankedMemRefType,
)
from xdsl.ir import Attribute

from gpuasync_lsp.releases import Profile
from gpuasync_lsp.syntax.dialects.gpu import AllocOp, AsyncOpInterface, LaunchFuncOp
from gpuasync_lsp.syntax.kinds import is_integer, is_memref, memref_type
from gpuasync_lsp.syntax.memref_types import (
    AnyMemRef,
    AnyUnranked,
    is_contiguous,
    is_identity_layout,
    memory_space,
    strides_and_offset,
)
from gpuasync_lsp.syntax.opaque import UnknownType
from gpuasync_lsp.syntax.printer import attribute_text


class Unmet(NamedTuple):
    """A precondition that an op does not meet."""

    code: str
    """The rule that reports the problem."""
    reason: str
    """The problem, as the rest of a sentence about the op."""
    operand: int | None = None
    """The index of the operand with the problem; None for the whole op."""
    remark: str = ""
    """The pattern's match-failure message in the release; empty if no pattern checks the precondition."""


Precondition: TypeAlias = Callable[[AsyncOpInterface, Profile], Unmet | None]

WRONG_COUNT = "Can only convert with exactly one async dependency."
"""The pattern's message for a sync op, and for an op with several dependencies."""


def one_dependency(op: AsyncOpInterface, profile: Profile) -> Unmet | None:
    """Require `async` and exactly one dependency."""
    count = len(op.async_dependencies)
    remark = WRONG_COUNT if count != 1 else "Can convert only async version."
    if op.async_token is None:
        return _sync_with(count, remark) if count else Unmet("GA102", "it is not async", remark=remark)
    if count == 0:
        return Unmet("GA103", "it is async and has no dependency", remark=remark)
    return _too_many(count, remark) if count > 1 else None


def at_most_one_dependency(op: AsyncOpInterface, profile: Profile) -> Unmet | None:
    """Require at most one dependency (PR 191661)."""
    count = len(op.async_dependencies)
    return _too_many(count, "Can convert with at most one async dependency.") if count > 1 else None


def allocation_dependencies(op: AsyncOpInterface, profile: Profile) -> Unmet | None:
    """Check the dependencies of gpu.alloc and gpu.dealloc."""
    if isinstance(op, AllocOp) and op.host_shared is not None:
        return _host_shared(op, profile)
    return (one_dependency if profile.alloc_needs_one_dependency else at_most_one_dependency)(op, profile)


def launch_dependencies(op: AsyncOpInterface, profile: Profile) -> Unmet | None:
    """Require `async` for a launch with dependencies, and no more than the release supports (PR 188987)."""
    count, most = len(op.async_dependencies), profile.launch_max_dependencies
    if op.async_token is None and count:
        return _sync_with(count, "Cannot convert non-async op with async dependencies.")
    if most is not None and count > most:
        return _too_many(count, "Cannot convert with more than one async dependency.")
    return None


def allocated_layout(op: AsyncOpInterface, profile: Profile) -> Unmet | None:
    """Require the identity layout of the result of gpu.alloc."""
    return _identity_layout("its memref", op.results[0].type if op.results else None, None)


def source_layout(op: AsyncOpInterface, profile: Profile) -> Unmet | None:
    """Require the identity layout of the source of gpu.memcpy; its destination may have any layout."""
    at = len(op.async_dependencies) + 1
    return _identity_layout("its source", op.operands[at].type, at)


def filled_layout(op: AsyncOpInterface, profile: Profile) -> Unmet | None:
    """Require the identity layout of the destination of gpu.memset."""
    at = len(op.async_dependencies)
    return _identity_layout("its destination", op.operands[at].type, at)


def fill_width(op: AsyncOpInterface, profile: Profile) -> Unmet | None:
    """Require a gpu.memset value of a width for which the runtime has a function."""
    at = len(op.async_dependencies) + 1
    kind = op.operands[at].type
    bits = bit_width(kind)
    if isinstance(kind, UnknownType) or (bits is not None and profile.memset_lowers(bits)):
        return None
    widths = " or ".join(map(str, sorted(profile.memset_widths)))
    remark = f"value must be a {widths} bit int or float"
    return Unmet("GA106", f"its value is {attribute_text(kind)}", at, remark)


def outlined(op: AsyncOpInterface, profile: Profile) -> Unmet:
    """Require a gpu.launch_func, since no release converts gpu.launch."""
    return Unmet("GA108", "it is not outlined")


PRECONDITIONS: Mapping[str, tuple[Precondition, ...]] = {
    "gpu.wait": (),
    "gpu.alloc": (allocated_layout, allocation_dependencies),
    "gpu.dealloc": (allocation_dependencies,),
    "gpu.memcpy": (source_layout, one_dependency),
    "gpu.memset": (filled_layout, one_dependency, fill_width),
    "gpu.launch": (outlined, launch_dependencies),
    "gpu.launch_func": (launch_dependencies,),
    "gpu.create_dn_tensor": (one_dependency,),
    "gpu.destroy_dn_tensor": (one_dependency,),
    "gpu.create_coo": (one_dependency,),
    "gpu.create_coo_aos": (one_dependency,),
    "gpu.create_csr": (one_dependency,),
    "gpu.create_csc": (one_dependency,),
    "gpu.create_bsr": (one_dependency,),
    "gpu.create_2to4_spmat": (one_dependency,),
    "gpu.destroy_sp_mat": (one_dependency,),
    "gpu.spmv_buffer_size": (one_dependency,),
    "gpu.spmv": (one_dependency,),
    "gpu.spmm_buffer_size": (one_dependency,),
    "gpu.spmm": (one_dependency,),
    "gpu.sddmm_buffer_size": (one_dependency,),
    "gpu.sddmm": (one_dependency,),
    "gpu.spgemm_create_descr": (one_dependency,),
    "gpu.spgemm_destroy_descr": (one_dependency,),
    "gpu.spgemm_work_estimation_or_compute": (one_dependency,),
    "gpu.spgemm_copy": (one_dependency,),
    "gpu.spmat_get_size": (one_dependency,),
    "gpu.set_csr_pointers": (one_dependency,),
}
"""Maps each gpu op that can have async dependencies to its preconditions, in the order of its pattern."""


def unmet(op: AsyncOpInterface, profile: Profile) -> tuple[Unmet, ...]:
    """Return the unmet preconditions of `op` in the release of `profile`, one per code; empty if it lowers.

    Besides the patterns' preconditions, these are operand types that do not convert, and lowered code that
    does not verify."""
    demanded = PRECONDITIONS.get(op.name)
    if demanded is None:
        return (Unmet("GA114", "no pattern converts it"),)
    found = [reason for check in demanded if (reason := check(op, profile)) is not None]
    for reason in _types(op, profile):
        if all(reason.code != other.code for other in found):
            found.append(reason)
    return tuple(found)


def lowers_synchronously(name: str, profile: Profile) -> bool:
    """Return whether the op called `name` lowers without `async` and without dependencies.

    A gpu.launch is outlined first, and gpu.launch_func lowers in this form in every release."""
    if name in ("gpu.alloc", "gpu.dealloc"):
        return not profile.alloc_needs_one_dependency
    return name in ("gpu.launch", "gpu.launch_func")


def bit_width(kind: Attribute) -> int | None:
    """Return the width in bits of the integer or float that `kind` converts to; None for other types."""
    if is_integer(kind):
        return kind.width.data
    if isinstance(kind, AnyFloat):
        return kind.bitwidth
    return 64 if isinstance(kind, IndexType) else None


def has_identity_layout(kind: Attribute) -> bool:
    """Return whether `kind` is a memref with the identity layout, or not a memref."""
    return not is_memref(kind) or is_identity_layout(kind)


def is_layout_ignored(kind: Attribute) -> bool:
    """Return whether a gpu.memcpy into a memref of this type ignores its layout.

    The copy writes contiguous bytes from the descriptor's aligned pointer, for any layout."""
    return not has_identity_layout(kind) and not is_contiguous(memref_type(kind))


def _sync_with(count: int, remark: str) -> Unmet:
    dependencies = "1 dependency" if count == 1 else f"{count} dependencies"
    return Unmet("GA104", f"it has {dependencies} but is not async", remark=remark)


def _too_many(count: int, remark: str) -> Unmet:
    return Unmet("GA101", f"it has {count} dependencies", remark=remark)


def _host_shared(op: AllocOp, profile: Profile) -> Unmet | None:
    if profile.host_shared == "never":
        return Unmet("GA105", "it is host_shared", remark="host_shared does not lower.")
    if op.async_token is not None:
        remark = "Host Shared allocation cannot be done async"
        return Unmet("GA105", "it is host_shared and async", remark=remark)
    return at_most_one_dependency(op, profile) if profile.host_shared == "sync-at-most-one" else None


def _identity_layout(which: str, kind: Attribute | None, at: int | None) -> Unmet | None:
    if kind is None or has_identity_layout(kind):
        return None
    layout = memref_type(kind).layout
    shifted = isinstance(layout, StridedLayoutAttr) and layout.strides.data == (IntAttr(1),)
    problem = "has a layout with an offset" if shifted else "is not contiguous"
    remark = "needs a memref with the identity layout and a convertible element type"
    return Unmet("GA107", f"{which} {problem}", at, remark)


def _types(op: AsyncOpInterface, profile: Profile) -> Iterator[Unmet]:
    """Yield a problem per operand or result that does not convert, or whose lowered code does not verify."""
    first = len(op.async_dependencies)
    if isinstance(op, LaunchFuncOp):
        size = op.grid_size_x.type
        if bit_width(size) not in (None, 64):
            yield Unmet(
                "GA113",
                f"its grid and block sizes have the type {attribute_text(size)}; use `index` or i64",
                first,
            )
        before_arguments = len(op.operands) - len(op.kernel_operands) - (op.async_object is not None)
        for number, argument in enumerate(op.kernel_operands):
            yield from _type(op, profile, f"argument {number}", argument.type, before_arguments + number)
        return
    for at, operand in enumerate(op.operands[first:]):
        which = "its destination" if op.name == "gpu.memcpy" and at == 0 else "its memref"
        yield from _type(op, profile, which, operand.type, first + at)
    if op.name == "gpu.alloc" and op.results:
        yield from _type(op, profile, "its memref", op.results[0].type, -1)


def _type(
    op: AsyncOpInterface, profile: Profile, which: str, kind: Attribute, at: int | None
) -> Iterator[Unmet]:
    if isinstance(kind, TensorType):
        yield Unmet("GA113", f"{which} is a tensor", at)
    if not isinstance(kind, MemRefType | UnrankedMemRefType):
        return
    memref = cast("AnyMemRef | AnyUnranked", kind)
    if isinstance(memref, MemRefType) and strides_and_offset(memref) is None:
        yield Unmet("GA107", f"{which} has no strided form", at)
    space = memory_space(memref)
    lowers = profile.gpu_address_space_lowers if space is None else space == 0 or _in_any_space(op, profile)
    if not lowers:
        named = attribute_text(memref.memory_space) if space is None else space
        which = "its memref" if which == "its destination" else which
        yield Unmet("GA110", f"{which} is in memory space {named}", at)


def _in_any_space(op: AsyncOpInterface, profile: Profile) -> bool:
    """Return whether the lowered code of `op` verifies for memrefs in integer memory spaces other than 0."""
    if op.name == "gpu.dealloc":
        return False
    if op.name == "gpu.alloc":
        return profile.alloc_in_any_space
    return profile.copy_in_any_space or op.name not in ("gpu.memcpy", "gpu.memset")
