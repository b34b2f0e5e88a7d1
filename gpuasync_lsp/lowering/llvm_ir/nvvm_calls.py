"""Translates nvvm ops that need newer chips to intrinsics: clusters, mbarriers, fences, bulk copies.

Names and arguments are those of mlir-translate 22, and, for ops that only older releases have, of those.
The CPU runtime supports those that only synchronize or signal (`synchronization.py`); for any other, it
reports an error that names the op.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import islice

from xdsl.ir import Operation

from gpuasync_lsp.lowering.llvm_ir.intrinsics import Call, Made, keyword, parameter_type
from gpuasync_lsp.lowering.llvm_ir.nvvm_matrices import CALLS
from gpuasync_lsp.lowering.llvm_ir.reading import attribute, int_list
from gpuasync_lsp.syntax.checks.view import NotKnown, View
from gpuasync_lsp.syntax.kinds import is_integer_attr, number_of

Operands = Sequence[str]


def newer_call(op: Operation, name: str, operands: Operands) -> Call | None:
    """Return the call of an intrinsic for `op`, named `name`; None if unsupported."""
    try:
        if name in CALLS:
            made = CALLS[name](View(op), operands)
        else:
            write = _CALLS.get(name)
            made = write(op, operands) if write is not None else None
    except NotKnown:
        return None
    return made._replace(name=f"llvm.nvvm.{made.name}") if made is not None else None


def _fixed(name: str) -> Callable[[Operation, Operands], Call]:
    return lambda op, operands: Call(name, operands)


def _cluster(name: str) -> Callable[[Operation, Operands], Call]:
    return lambda op, operands: Call(f"barrier.cluster.{name}{'.aligned' * _is_set(op, 'aligned')}", [])


def _in_memory(name: str) -> Callable[[Operation, Operands], Call]:
    """Return the translation of an mbarrier op; the intrinsic's name contains the pointer's address space."""
    return lambda op, operands: Call(
        f"{name}{'.noinc' * _is_set(op, 'noinc')}{_shared(operands[0])}", operands
    )


def _shared(pointer: str) -> str:
    return ".shared" if pointer.startswith("ptr addrspace(3)") else ""


def _wait_group(op: Operation, operands: Operands) -> Call:
    return Call(f"cp.async.bulk.wait.group{'.read' * _is_set(op, 'read')}", [f"i32 {_integer(op, 'group')}"])


def _dependent_grids(op: Operation, operands: Operands) -> Call:
    return Call(f"griddepcontrol.{keyword(op, 'kind').replace('_', '.')}", [])


def _registers(op: Operation, operands: Operands) -> Call:
    action = {"increase": "inc", "decrease": "dec"}[keyword(op, "action")]
    return Call(f"setmaxnreg.{action}.sync.aligned.u32", [f"i32 {_integer(op, 'regCount')}"])


def _fence_proxy(op: Operation, operands: Operands) -> Call:
    kind = keyword(op, "kind").replace("async_", "async.").removesuffix(".shared")
    space = f".shared_{keyword(op, 'space')}" if attribute(op, "space") is not None else ""
    return Call(f"fence.proxy.{kind}{space}", [])


def _fence_tensor_map(order: str) -> Callable[[Operation, Operands], Call]:
    return lambda op, operands: Call(
        f"fence.proxy.tensormap_generic.{order}.{keyword(op, 'scope')}",
        operands,
    )


def _restricted(prefix: str) -> Callable[[Operation, Operands], Call | None]:
    spaces = {"acquire": "cluster", "release": "cta"}

    def write(op: Operation, operands: Operands) -> Call | None:
        order = keyword(op, "order")
        if order not in spaces:
            return None
        return Call(f"fence.{prefix}{order}.sync_restrict.space.{spaces[order]}.scope.cluster", [])

    return write


def _prefetch(op: Operation, operands: Operands) -> Call | None:
    address, *predicate = operands
    if predicate:
        return None
    if attribute(op, "tensormap") is not None:
        if attribute(op, "in_param_space") is not None:
            parameter = "ptr addrspace(101)"
            return Call(
                "prefetch.tensormap.p101", [Made(f"addrspacecast {address} to {parameter}", parameter)]
            )
        return Call(f"prefetch.tensormap.p{4 if address.startswith('ptr addrspace(4)') else 0}", operands)
    if attribute(op, "uniform") is not None:
        return Call("prefetchu.L1", operands)
    spaces = {"ptr addrspace(1)": "global.", "ptr addrspace(5)": "local."}
    space = spaces.get(parameter_type(address), "")
    evicted = ""
    if attribute(op, "evictPriority") is not None:
        evicted = "." + keyword(op, "evictPriority").replace("_", ".")
    return Call(f"prefetch.{space}{keyword(op, 'cacheLevel')}{evicted}", operands)


def _map_address(op: Operation, operands: Operands) -> Call:
    return Call(f"mapa{'.shared.cluster' if _shared(operands[0]) else ''}", operands)


def _fill(op: Operation, operands: Operands) -> Call:
    shared = ".shared.cta" if _shared(operands[0]) else ""
    initial = _integer(op, "initVal") if attribute(op, "initVal") is not None else 0
    return Call(f"st.bulk{shared}", [*operands, f"i64 {initial}"])


def _event(op: Operation, operands: Operands) -> Call | None:
    if attribute(op, "maskedEventId") is None:
        return None
    return Call("pm.event.mask", [f"i16 {_integer(op, 'maskedEventId')}"])


def _launch_control(op: Operation, operands: Operands) -> Call:
    return Call(
        f"clusterlaunchcontrol.try_cancel.async{'.multicast' * _is_set(op, 'multicast')}.shared", operands
    )


def _bulk_to_shared(op: Operation, operands: Operands) -> Call:
    (target, source, barrier, size), mask, hint = _groups(op, operands, (4, -1, -1))
    # The intrinsic's barrier argument precedes the source.
    fixed = [target, barrier, source, size]
    if _shared(target):
        return Call("cp.async.bulk.global.to.shared.cta", [*fixed, *_optional(hint)])
    return Call("cp.async.bulk.global.to.shared.cluster", [*fixed, *_with_mask(mask, hint)])


def _bulk_to_global(op: Operation, operands: Operands) -> Call:
    fixed, hint, mask = _groups(op, operands, (3, -1, -1))
    name = "cp.async.bulk.shared.cta.to.global"
    return Call(f"{name}{'.bytemask' * bool(mask)}", [*fixed, *_optional(hint), *mask])


def _bulk_to_cluster(op: Operation, operands: Operands) -> Call:
    target, source, barrier, size = operands
    return Call("cp.async.bulk.shared.cta.to.cluster", [target, barrier, source, size])


def _bulk_prefetch(op: Operation, operands: Operands) -> Call:
    fixed, hint = _groups(op, operands, (2, -1))
    return Call("cp.async.bulk.prefetch.L2", [*fixed, *_optional(hint)])


def _tensor_load(op: Operation, operands: Operands) -> Call | None:
    target, map, box, barrier, offsets, mask, hint, predicate = _groups(
        op, operands, (1, 1, -1, 1, *[-1] * 4)
    )
    if predicate:
        return None  # convert-nvvm-to-llvm lowers a predicated op to inline PTX.
    mode, extra = _mode(op, box)
    fixed = [*target, *barrier, *map, *box, *offsets]
    if _is_set(op, "isCTAOnly"):
        return Call(f"cp.async.bulk.tensor.g2s.cta.{mode}.{extra}", [*fixed, *_optional(hint)])
    groups = {"cta_1": 1, "cta_2": 2}
    group = groups[keyword(op, "group")] if attribute(op, "group") is not None else 0
    arguments = [*fixed, *_with_mask(mask, hint), f"i32 {group}"]
    return Call(f"cp.async.bulk.tensor.g2s.{mode}.{extra}", arguments)


def _tensor_store(op: Operation, operands: Operands) -> Call | None:
    map, source, box, hint, predicate = _groups(op, operands, (1, 1, -1, -1, -1))
    mode, extra = _mode(op, box)
    if predicate:
        return None
    name = f"cp.async.bulk.tensor.s2g.{mode}.{extra}"
    return Call(name, [*source, *map, *box, *_optional(hint)])


def _tensor_reduction(op: Operation, operands: Operands) -> Call:
    map, source, box, hint = _groups(op, operands, (1, 1, -1, -1))
    mode, extra = _mode(op, box)
    name = f"cp.async.bulk.tensor.reduce.{keyword(op, 'redKind')}.{mode}.{extra}"
    return Call(name, [*source, *map, *box, *_optional(hint)])


def _tensor_prefetch(op: Operation, operands: Operands) -> Call | None:
    map, box, offsets, hint, predicate = _groups(op, operands, (1, -1, -1, -1, -1))
    if predicate:
        return None
    mode, extra = _mode(op, box)
    return Call(f"cp.async.bulk.tensor.prefetch.{mode}.{extra}", [*map, *box, *offsets, *_optional(hint)])


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
    return Call("wgmma.wait_group.sync.aligned", [f"i64 {_integer(op, 'group')}"])


def _query(op: Operation, operands: Operands) -> Call:
    query = keyword(op, "query_type").replace("cta_id_", "ctaid.")
    return Call(f"clusterlaunchcontrol.query_cancel.{query}", operands)


def _barrier(action: str) -> Callable[[Operation, Operands], Call]:
    """Return the translation of an arrival, an expected or completed transaction, or a test of a phase.

    Arrivals without a count or order have an older intrinsic. An mbarrier of a different block has no
    state, so that nothing is returned."""

    def write(op: Operation, operands: Operands) -> Call:
        address, *rest = operands
        remote = address.startswith("ptr addrspace(7)")
        scope = "cluster" if keyword(op, "scope") == "cluster" else "cta"
        order = ".relaxed" * _is_set(op, "relaxed")
        type = "" if remote or action in ("expect.tx", "complete.tx") else "i64"
        if address.startswith("ptr %"):
            address = Made(f"addrspacecast {address} to ptr addrspace(3)", "ptr addrspace(3)")
        if action == "arrive" and not (rest or remote or order or scope == "cluster"):
            return Call("mbarrier.arrive.shared", [address], type)
        if action in ("arrive", "arrive.drop") and not rest:
            rest = ["i32 1"]
        name = f"mbarrier.{action}"
        if "wait" in action:
            type = "i1"
            name += ".parity" * rest[0].startswith("i32 ") + ".tl" * (len(rest) == 2)
        return Call(
            f"{name}{order}.scope.{scope}.space.{'cluster' if remote else 'cta'}", [address, *rest], type
        )

    return write


def _elect(op: Operation, operands: Operands) -> Call:
    return Call("elect.sync", operands or ["i32 -1"], "{ i32, i1 }")


def _permute(op: Operation, operands: Operands) -> Call:
    mode = keyword(op, "mode")
    return Call(f"prmt{'' if mode == 'default' else f'.{mode}'}", operands)


_CALLS: Mapping[str, Callable[[Operation, Operands], Call | None]] = {
    "nvvm.cluster.arrive": _cluster("arrive"),
    "nvvm.cluster.arrive.relaxed": _cluster("arrive.relaxed"),
    "nvvm.cluster.wait": _cluster("wait"),
    "nvvm.clusterlaunchcontrol.query.cancel": _query,
    "nvvm.clusterlaunchcontrol.try.cancel": _launch_control,
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
    "nvvm.elect.sync": _elect,
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
    "nvvm.mbarrier.arrive": _barrier("arrive"),
    "nvvm.mbarrier.arrive.expect_tx": _barrier("arrive.expect.tx"),
    "nvvm.mbarrier.arrive.nocomplete": _in_memory("mbarrier.arrive.noComplete"),
    "nvvm.mbarrier.arrive.nocomplete.shared": _in_memory("mbarrier.arrive.noComplete"),
    "nvvm.mbarrier.arrive.shared": _in_memory("mbarrier.arrive"),
    "nvvm.mbarrier.arrive_drop": _barrier("arrive.drop"),
    "nvvm.mbarrier.arrive_drop.expect_tx": _barrier("arrive.drop.expect.tx"),
    "nvvm.mbarrier.arrive_drop.nocomplete": _in_memory("mbarrier.arrive.drop.noComplete"),
    "nvvm.mbarrier.complete_tx": _barrier("complete.tx"),
    "nvvm.mbarrier.expect_tx": _barrier("expect.tx"),
    "nvvm.mbarrier.init": _in_memory("mbarrier.init"),
    "nvvm.mbarrier.init.shared": _in_memory("mbarrier.init"),
    "nvvm.mbarrier.inval": _in_memory("mbarrier.inval"),
    "nvvm.mbarrier.inval.shared": _in_memory("mbarrier.inval"),
    "nvvm.mbarrier.test.wait": _barrier("test.wait"),
    "nvvm.mbarrier.test.wait.shared": _in_memory("mbarrier.test.wait"),
    "nvvm.mbarrier.try_wait": _barrier("try.wait"),
    "nvvm.nanosleep": _fixed("nanosleep"),
    "nvvm.pmevent": _event,
    "nvvm.prefetch": _prefetch,
    "nvvm.prmt": _permute,
    "nvvm.setmaxregister": _registers,
    "nvvm.st.bulk": _fill,
    "nvvm.wgmma.commit.group.sync.aligned": _fixed("wgmma.commit_group.sync.aligned"),
    "nvvm.wgmma.fence.aligned": _fixed("wgmma.fence.sync.aligned"),
    "nvvm.wgmma.wait.group.sync.aligned": _wgmma_wait,
}
