"""Translates nvvm ops that need newer chips to intrinsics: clusters, mbarriers, fences, bulk copies.

Names and arguments are those of mlir-translate 22. The CPU runtime supports those that only synchronize
or signal (`synchronization.py`); for any other, it reports an error that names the op.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import islice

from xdsl.ir import Attribute, Operation

from gpuasync_lsp.lowering.llvm_ir.intrinsics import keyword
from gpuasync_lsp.lowering.llvm_ir.reading import attribute, int_list
from gpuasync_lsp.syntax.kinds import is_integer_attr, number_of

Call = tuple[str, Sequence[str]]
Operands = Sequence[str]


def newer_call(op: Operation, name: str, operands: Operands) -> Call | None:
    """Return the intrinsic's name and typed arguments for `op`, named `name`; None if unsupported."""
    write = _CALLS.get(name)
    made = write(op, operands) if write is not None else None
    return (f"llvm.nvvm.{made[0]}", made[1]) if made is not None else None


def _fixed(name: str) -> Callable[[Operation, Operands], Call]:
    return lambda op, operands: (name, operands)


def _cluster(name: str) -> Callable[[Operation, Operands], Call]:
    return lambda op, operands: (f"barrier.cluster.{name}{'.aligned' * _is_set(op, 'aligned')}", [])


def _in_memory(name: str) -> Callable[[Operation, Operands], Call]:
    """Return the translation of an mbarrier op; the intrinsic's name contains the pointer's address space."""
    return lambda op, operands: (f"{name}{'.noinc' * _is_set(op, 'noinc')}{_shared(operands[0])}", operands)


def _shared(pointer: str) -> str:
    return ".shared" if pointer.startswith("ptr addrspace(3)") else ""


def _wait_group(op: Operation, operands: Operands) -> Call:
    return f"cp.async.bulk.wait.group{'.read' * _is_set(op, 'read')}", [f"i32 {_integer(op, 'group')}"]


def _dependent_grids(op: Operation, operands: Operands) -> Call:
    return f"griddepcontrol.{keyword(op, 'kind').replace('_', '.')}", []


def _registers(op: Operation, operands: Operands) -> Call:
    action = {"increase": "inc", "decrease": "dec"}[keyword(op, "action")]
    return f"setmaxnreg.{action}.sync.aligned.u32", [f"i32 {_integer(op, 'regCount')}"]


def _fence_proxy(op: Operation, operands: Operands) -> Call:
    kind = keyword(op, "kind").replace("async_", "async.").removesuffix(".shared")
    space = f".shared_{keyword(op, 'space')}" if attribute(op, "space") is not None else ""
    return f"fence.proxy.{kind}{space}", []


def _fence_tensor_map(order: str) -> Callable[[Operation, Operands], Call]:
    return lambda op, operands: (
        f"fence.proxy.tensormap_generic.{order}.{keyword(op, 'scope')}",
        operands,
    )


def _restricted(prefix: str) -> Callable[[Operation, Operands], Call | None]:
    spaces = {"acquire": "cluster", "release": "cta"}

    def write(op: Operation, operands: Operands) -> Call | None:
        order = keyword(op, "order")
        if order not in spaces:
            return None
        return f"fence.{prefix}{order}.sync_restrict.space.{spaces[order]}.scope.cluster", []

    return write


def _prefetch(op: Operation, operands: Operands) -> Call | None:
    if attribute(op, "tensormap") is None or len(operands) != 1 or not operands[0].startswith("ptr %"):
        return None
    return "prefetch.tensormap.p0", operands


def _map_address(op: Operation, operands: Operands) -> Call:
    return f"mapa{'.shared.cluster' if _shared(operands[0]) else ''}", operands


def _fill(op: Operation, operands: Operands) -> Call:
    shared = ".shared.cta" if _shared(operands[0]) else ""
    initial = _integer(op, "initVal") if attribute(op, "initVal") is not None else 0
    return f"st.bulk{shared}", [*operands, f"i64 {initial}"]


def _event(op: Operation, operands: Operands) -> Call | None:
    if attribute(op, "maskedEventId") is None:
        return None
    return "pm.event.mask", [f"i16 {_integer(op, 'maskedEventId')}"]


def _launch_control(op: Operation, operands: Operands) -> Call:
    return f"clusterlaunchcontrol.try_cancel.async{'.multicast' * _is_set(op, 'multicast')}.shared", operands


def _bulk_to_shared(op: Operation, operands: Operands) -> Call:
    (target, source, barrier, size), mask, hint = _groups(op, operands, (4, -1, -1))
    # The intrinsic's barrier argument precedes the source.
    fixed = [target, barrier, source, size]
    if _shared(target):
        return "cp.async.bulk.global.to.shared.cta", [*fixed, *_optional(hint)]
    return "cp.async.bulk.global.to.shared.cluster", [*fixed, *_with_mask(mask, hint)]


def _bulk_to_global(op: Operation, operands: Operands) -> Call:
    fixed, hint, mask = _groups(op, operands, (3, -1, -1))
    name = "cp.async.bulk.shared.cta.to.global"
    return f"{name}{'.bytemask' * bool(mask)}", [*fixed, *_optional(hint), *mask]


def _bulk_to_cluster(op: Operation, operands: Operands) -> Call:
    target, source, barrier, size = operands
    return "cp.async.bulk.shared.cta.to.cluster", [target, barrier, source, size]


def _bulk_prefetch(op: Operation, operands: Operands) -> Call:
    fixed, hint = _groups(op, operands, (2, -1))
    return "cp.async.bulk.prefetch.L2", [*fixed, *_optional(hint)]


def _tensor_load(op: Operation, operands: Operands) -> Call | None:
    target, map, box, barrier, offsets, mask, hint, predicate = _groups(
        op, operands, (1, 1, -1, 1, *[-1] * 4)
    )
    if predicate:
        return None  # convert-nvvm-to-llvm lowers a predicated op to inline PTX.
    mode, extra = _mode(op, box)
    fixed = [*target, *barrier, *map, *box, *offsets]
    if _is_set(op, "isCTAOnly"):
        return f"cp.async.bulk.tensor.g2s.cta.{mode}.{extra}", [*fixed, *_optional(hint)]
    groups = {"cta_1": 1, "cta_2": 2}
    group = groups[keyword(op, "group")] if attribute(op, "group") is not None else 0
    arguments = [*fixed, *_with_mask(mask, hint), f"i32 {group}"]
    return f"cp.async.bulk.tensor.g2s.{mode}.{extra}", arguments


def _tensor_store(op: Operation, operands: Operands) -> Call | None:
    map, source, box, hint, predicate = _groups(op, operands, (1, 1, -1, -1, -1))
    mode, extra = _mode(op, box)
    if predicate:
        return None
    name = f"cp.async.bulk.tensor.s2g.{mode}.{extra}"
    return name, [*source, *map, *box, *_optional(hint)]


def _tensor_reduction(op: Operation, operands: Operands) -> Call:
    map, source, box, hint = _groups(op, operands, (1, 1, -1, -1))
    mode, extra = _mode(op, box)
    name = f"cp.async.bulk.tensor.reduce.{keyword(op, 'redKind')}.{mode}.{extra}"
    return name, [*source, *map, *box, *_optional(hint)]


def _tensor_prefetch(op: Operation, operands: Operands) -> Call | None:
    map, box, offsets, hint, predicate = _groups(op, operands, (1, -1, -1, -1, -1))
    if predicate:
        return None
    mode, extra = _mode(op, box)
    return f"cp.async.bulk.tensor.prefetch.{mode}.{extra}", [*map, *box, *offsets, *_optional(hint)]


def _mode(op: Operation, box: Operands) -> tuple[str, str]:
    """Return the mode and the rank of a tensor copy, as the names of intrinsics spell them."""
    mode = keyword(op, "mode") if attribute(op, "mode") is not None else "tile"
    if mode in ("tile_gather4", "tile_scatter4"):
        return mode.replace("_", "."), "2d"
    return mode.replace("_", "."), f"{len(box)}d"


def _groups(op: Operation, operands: Operands, shape: Sequence[int]) -> list[list[str]]:
    """Split the operands into groups; each entry of `shape` is the number of segments of `op` in a group.

    -1 is a group of one segment, which is empty if the release lacks the segment."""
    given = iter(operands)
    # An op with only one optional group has no segment sizes.
    sizes = iter(int_list(op, "operandSegmentSizes") or [1] * len(operands))
    groups: list[list[str]] = []
    for count in shape:
        wanted = sum(islice(sizes, count)) if count > 0 else next(sizes, 0)
        groups.append(list(islice(given, wanted)))
    return groups


def _optional(hint: Operands) -> list[str]:
    return [*(hint or ["i64 0"]), f"i1 {'true' if hint else 'false'}"]


def _with_mask(mask: Operands, hint: Operands) -> list[str]:
    """Return the arguments for a block mask and a cache hint, then flags for whether each is given."""
    value, given = _optional(hint)
    return [*(mask or ["i16 0"]), value, f"i1 {'true' if mask else 'false'}", given]


def _is_set(op: Operation, name: str) -> bool:
    value = attribute(op, name)
    return value.value.data != 0 if is_integer_attr(value) else value is not None


def _integer(op: Operation, name: str) -> int:
    return number_of(attribute(op, name))


def _wgmma_wait(op: Operation, operands: Operands) -> Call:
    return "wgmma.wait_group.sync.aligned", [f"i64 {_integer(op, 'group')}"]


def _query(op: Operation, operands: Operands) -> Call:
    query = keyword(op, "query_type").replace("cta_id_", "ctaid.")
    return f"clusterlaunchcontrol.query_cancel.{query}", operands


def _rounded_at_random(narrow: Mapping[str, str]) -> Callable[[Operation, Operands], Call | None]:
    """Return the translation of a conversion of four floats to a narrow type with stochastic rounding.

    `narrow` maps MLIR types to their names in intrinsics."""

    def write(op: Operation, operands: Operands) -> Call | None:
        type: Attribute | None = attribute(op, "dstTy")
        if type is None or str(type) not in narrow:
            return None
        relu = ".relu" * _is_set(op, "relu")
        return f"f32x4.to.{narrow[str(type)]}x4.rs{relu}.satfinite", operands

    return write


_CALLS: Mapping[str, Callable[[Operation, Operands], Call | None]] = {
    "nvvm.cluster.arrive": _cluster("arrive"),
    "nvvm.cluster.arrive.relaxed": _cluster("arrive.relaxed"),
    "nvvm.cluster.wait": _cluster("wait"),
    "nvvm.clusterlaunchcontrol.query.cancel": _query,
    "nvvm.clusterlaunchcontrol.try.cancel": _launch_control,
    "nvvm.convert.f32x4.to.f4x4": _rounded_at_random({"f4E2M1FN": "e2m1"}),
    "nvvm.convert.f32x4.to.f6x4": _rounded_at_random({"f6E2M3FN": "e2m3", "f6E3M2FN": "e3m2"}),
    "nvvm.convert.f32x4.to.f8x4": _rounded_at_random({"f8E4M3FN": "e4m3", "f8E5M2": "e5m2"}),
    "nvvm.cp.async.bulk.commit.group": _fixed("cp.async.bulk.commit.group"),
    "nvvm.cp.async.bulk.global.shared.cta": _bulk_to_global,
    "nvvm.cp.async.bulk.prefetch": _bulk_prefetch,
    "nvvm.cp.async.bulk.shared.cluster.global": _bulk_to_shared,
    "nvvm.cp.async.bulk.shared.cluster.shared.cta": _bulk_to_cluster,
    "nvvm.cp.async.bulk.tensor.global.shared.cta": _tensor_store,
    "nvvm.cp.async.bulk.tensor.prefetch": _tensor_prefetch,
    "nvvm.cp.async.bulk.tensor.reduce": _tensor_reduction,
    "nvvm.cp.async.bulk.tensor.shared.cluster.global": _tensor_load,
    "nvvm.cp.async.bulk.wait_group": _wait_group,
    "nvvm.cp.async.mbarrier.arrive": _in_memory("cp.async.mbarrier.arrive"),
    "nvvm.cp.async.mbarrier.arrive.shared": _in_memory("cp.async.mbarrier.arrive"),
    "nvvm.fence.mbarrier.init": _fixed("fence.mbarrier_init.release.cluster"),
    "nvvm.fence.proxy": _fence_proxy,
    "nvvm.fence.proxy.acquire": _fence_tensor_map("acquire"),
    "nvvm.fence.proxy.release": _fence_tensor_map("release"),
    "nvvm.fence.proxy.sync_restrict": _restricted("proxy.async_generic."),
    "nvvm.fence.sync_restrict": _restricted(""),
    "nvvm.griddepcontrol": _dependent_grids,
    "nvvm.griddepcontrol.launch.dependents": _fixed("griddepcontrol.launch.dependents"),
    "nvvm.griddepcontrol.wait": _fixed("griddepcontrol.wait"),
    "nvvm.mapa": _map_address,
    "nvvm.mbarrier.init": _in_memory("mbarrier.init"),
    "nvvm.mbarrier.init.shared": _in_memory("mbarrier.init"),
    "nvvm.mbarrier.inval": _in_memory("mbarrier.inval"),
    "nvvm.mbarrier.inval.shared": _in_memory("mbarrier.inval"),
    "nvvm.nanosleep": _fixed("nanosleep"),
    "nvvm.pmevent": _event,
    "nvvm.prefetch": _prefetch,
    "nvvm.setmaxregister": _registers,
    "nvvm.st.bulk": _fill,
    "nvvm.wgmma.commit.group.sync.aligned": _fixed("wgmma.commit_group.sync.aligned"),
    "nvvm.wgmma.fence.aligned": _fixed("wgmma.fence.sync.aligned"),
    "nvvm.wgmma.wait.group.sync.aligned": _wgmma_wait,
}
