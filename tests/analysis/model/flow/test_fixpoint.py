"""The order of nodes, facts local to one node, and facts of all paths."""

from __future__ import annotations

from gpuasync_lsp.analysis.model.flow.fixpoint import follow_all_paths, order_of_nodes
from gpuasync_lsp.analysis.model.flow.mentions import by_other_names, mentioned, of_one_node
from gpuasync_lsp.analysis.model.flow.transfer import Flow
from gpuasync_lsp.analysis.model.function import Fault
from gpuasync_lsp.analysis.model.state import LIVE
from tests.analysis.model.flow.sample import built, handle

FORKED = (
    "%t = gpu.wait async\nscf.if %c {\n  %s = gpu.wait async\n  gpu.wait [%s]\n} else {\n  gpu.wait [%t]\n}"
)
LOOP = "%t = gpu.wait async\nscf.for %i = %n to %n step %n {\n  gpu.wait [%t]\n}"


def test_a_node_comes_after_those_that_lead_to_it() -> None:
    function = built(FORKED)
    order = order_of_nodes(function.nodes[0])
    assert order[function.nodes[0]] == 0
    assert all(order[node] < order[edge.target] for node in function.nodes for edge in node.edges)


def test_only_edges_that_go_back_lead_to_an_earlier_node() -> None:
    function = built(LOOP)
    order = order_of_nodes(function.nodes[0])
    back = [edge for node in function.nodes for edge in node.edges if order[edge.target] <= order[node]]
    assert back
    assert all(edge.back for edge in back)


def test_a_stream_of_one_branch_is_local_to_it() -> None:
    function = built(FORKED)
    inner, outer = handle(function, "%s"), handle(function, "%t")
    parts = {node: mentioned(function, node.steps) for node in function.nodes}
    local = of_one_node(parts, by_other_names(function))
    (node,) = (node for node, indices in local.items() if inner.index in indices)
    assert inner.op is not None
    assert node is function.node_of[inner.op]
    assert all(outer.index not in indices for indices in local.values())


def test_what_holds_on_one_path_may_hold_behind_both() -> None:
    function = built(FORKED)
    flow = Flow(function)
    follow_all_paths(flow)
    assert function.reached == set(function.nodes)
    masks = {goal.handle: mask for goal, mask in flow.notes.found.items() if goal.fault is Fault.LEAKED}
    assert not masks[handle(function, "%s")] & LIVE
    outer = masks[handle(function, "%t")]
    assert outer & LIVE
    assert outer & flow.lives.gone


def test_a_loop_destroys_what_a_round_before_did() -> None:
    function = built(LOOP)
    flow = Flow(function)
    follow_all_paths(flow)
    assert Fault.DESTROYED_TWICE in {goal.fault for goal in flow.notes.found}
