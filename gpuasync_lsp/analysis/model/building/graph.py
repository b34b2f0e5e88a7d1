"""Turns regions into a graph: nodes that contain a function's steps, and the edges between them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from xdsl.ir import Block, Operation, Region

from gpuasync_lsp.analysis.model.building.block_loops import loops_of_blocks
from gpuasync_lsp.analysis.model.building.edges import (
    ALWAYS,
    Edges,
    Way,
    When,
    outcomes,
    successors,
    switch_cases,
)
from gpuasync_lsp.analysis.model.building.steps import Steps
from gpuasync_lsp.analysis.model.computing import only_computes
from gpuasync_lsp.analysis.model.conditions import constant, is_less
from gpuasync_lsp.analysis.model.function import Action, AsyncFunction, Node, Step, Turn
from gpuasync_lsp.analysis.model.passing import LOOPS, branch_pairs
from gpuasync_lsp.analysis.model.symbols import arguments_of, callee_of
from gpuasync_lsp.syntax.dialects.assembly import integers

_NO_LOOPS = frozenset[Block]()
_NO_END = frozenset({"llvm.unreachable", "ub.unreachable"})
"""Terminators that mark unreachable code."""


class Graph:
    """Fills the nodes of one function's graph with the steps of its ops."""

    def __init__(self, function: AsyncFunction, steps: Steps, edges: Edges) -> None:
        self._function = function
        self._steps = steps
        self._edges = edges

    def fill(self) -> None:
        """Create the nodes of the function; the first one is the entry."""
        region = self._function.op.regions[0] if self._function.op.regions else None
        if region is None or not region.blocks:
            return
        entry = self._node()
        for argument in region.blocks[0].args:
            entry.steps += self._steps.defined(argument, self._function.op)
        self._region(region, entry, None)

    def row(self, ops: Iterable[Operation], node: Node) -> Node:
        """Add the steps of consecutive ops to `node`; return the node where they end."""
        for op in ops:
            self._function.node_of[op] = node
            if op not in self._function.by_op and any(region.blocks for region in op.regions):
                node = self._structured(op, node)
            else:
                # In the model, the guarded frees of a callee follow all of its other effects.
                is_call = callee_of(op) is not None
                node = self._guarded(op, node, frees=False) if is_call else node
                node.steps += self._steps.at(op)
                if is_call:
                    node = self._choose(op, self._guarded(op, node, frees=True))
            branched = op.name == "arith.select" and self._edges.is_given(op.results[0])
            if branched:
                node = self._select(op, node)
            node.steps += self._steps.behind(op, branched=branched)
        return node

    def _node(self) -> Node:
        node = Node(len(self._function.nodes))
        self._function.nodes.append(node)
        return node

    # Regions and blocks

    def _region(self, region: Region, entry: Node, leave: Way | None, repeat: Way | None = None) -> None:
        """Fill the nodes of `region`; its terminator leads to `repeat` or `leave`, or leaves the function."""
        first = region.blocks[0]
        starts = {block: entry if block is first else self._node() for block in region.blocks}
        positions = {block: number for number, block in enumerate(region.blocks)}
        loops = loops_of_blocks(region)
        if loops is None or self._function.block_loops is None:
            self._function.block_loops = None
        else:
            self._function.block_loops.update(loops)
        inside: Mapping[Block, frozenset[Block]] = loops or {}
        for block, start in starts.items():
            end = self._block(block, start)
            last = block.last_op
            if last is not None and last.successors:
                for number, (successor, when) in enumerate(successors(last, self._function.spans)):
                    if successor in starts and not when.never:
                        edge = when.edge(starts[successor], back=positions[successor] <= positions[block])
                        self._edges.give(edge, branch_pairs(last, number))
                        edge.leaves = inside.get(block, _NO_LOOPS) - inside.get(successor, _NO_LOOPS)
                        end.edges.append(edge)
            elif last is not None and last.name == "scf.condition":
                self._condition(last, end, leave, repeat)
            elif (way := repeat or leave) is not None:
                end.edges.append(self._edges.along(way, last.operands if last is not None else ()))
            elif last is not None and last.name not in _NO_END:
                end.ends = last

    def _condition(self, last: Operation, end: Node, leave: Way | None, repeat: Way | None) -> None:
        goes_on, ends = outcomes(last.operands[0], self._function.spans)
        for way, when, skips in ((leave, ends, last.parent_op()), (repeat, goes_on, None)):
            if way is not None and not when.never:
                edge = self._edges.along(way, last.operands[1:], when)
                edge.skips = skips
                end.edges.append(edge)

    def _block(self, block: Block, node: Node) -> Node:
        """Add the steps of `block` to `node`; return the node where they end."""
        for argument in block.args:
            # Not the block's first op, which may be erased while the argument remains.
            node.steps += self._steps.renewed(argument, block.parent_op())
        return self.row(block.ops, node)

    # Ops

    def _select(self, op: Operation, node: Node) -> Node:
        """Fork the path at a select; return the node where both branches join."""
        after = self._node()
        whens = outcomes(op.operands[0], self._function.spans)
        for when, value in zip(whens, op.operands[1:], strict=True):
            if not when.never:
                node.edges.append(self._edges.along(Way(after, op.results), (value,), when))
        return after

    def _guarded(self, call: Operation, node: Node, *, frees: bool) -> Node:
        """Add a branch around each guarded effect of a callee; return the node after them."""
        given = arguments_of(call)
        names = [self._function.spans.value_name(value) for value in given]
        for guard, step in self._steps.guarded(call, frees=frees):
            after = self._node()
            for test in guard:
                inside = self._node()
                when = When(test.words(given, names), test.of_caller(given))
                other = test.negated()
                if other is None:
                    otherwise = ALWAYS
                else:
                    otherwise = When(other.words(given, names), other.of_caller(given))
                if not when.never:
                    node.edges.append(when.edge(inside))
                if not otherwise.never:
                    edge = otherwise.edge(after)
                    edge.skips = call
                    node.edges.append(edge)
                node = inside
            node.steps.append(step)
            node.edges.append(ALWAYS.edge(after))
            node = after
        return node

    def _choose(self, call: Operation, node: Node) -> Node:
        """Fork the path for each operand that a callee may return; return the node where they join."""
        ways = self._edges.choices(call)
        if not ways:
            return node
        after = self._node()
        name = self._function.spans.value_name
        for given in ways:
            words = " and ".join(
                f"{name(result)} is {name(value)}"
                for result, value in zip(call.results, given, strict=True)
                if value is not result
            )
            node.edges.append(self._edges.along(Way(after, call.results), given, When(words)))
        return after

    def _structured(self, op: Operation, node: Node) -> Node:
        """Add an op with regions after `node`; return the node after it."""
        name = op.name
        if only_computes(op):
            self._function.node_of.update(dict.fromkeys(op.walk(), node))
            return node
        after = self._node()
        leave = Way(after, op.results)
        if name in ("scf.if", "affine.if"):
            self._if(op, node, leave)
        elif not all(region.blocks for region in op.regions):
            node.edges.append(ALWAYS.edge(after))
        elif name in LOOPS:
            self._loop(op, node, leave)
        elif name == "scf.while" and len(op.regions) == 2:
            self._while(op, node, leave)
        elif name == "scf.index_switch":
            cases = integers(op.properties["cases"])
            whens = switch_cases(op.operands[0], cases, self._function.spans)
            for region, when in zip(op.regions, whens, strict=False):
                self._enter(region, node, leave, when)
        elif name == "async.execute":
            self._execute(op, node, after)
        elif name in ("scf.execute_region", "memref.alloca_scope"):
            self._enter(op.regions[0], node, leave)
        else:
            # An op with regions may also access memory itself, as a linalg op does.
            node.steps += self._steps.at(op)
            self._unknown(op)
            node.edges.append(ALWAYS.edge(after))
        return after

    def _if(self, op: Operation, node: Node, leave: Way) -> None:
        if op.name == "scf.if":
            whens = outcomes(op.operands[0], self._function.spans)
        else:
            first = self._function.spans.value_name(op.operands[0]) if op.operands else "the condition"
            whens = When(f"{first} is true"), When(f"{first} is false")
        for number, when in enumerate(whens):
            if number < len(op.regions) and op.regions[number].blocks:
                self._enter(op.regions[number], node, leave, when)
            elif number == 1 and not when.never:
                node.edges.append(when.edge(leave.node))

    def _loop(self, op: Operation, node: Node, leave: Way) -> None:
        body, head = self._node(), self._node()
        arguments = op.regions[0].blocks[0].args
        carried = arguments[len(arguments) - len(op.results) :] if op.results else ()
        initial = op.operands[len(op.operands) - len(op.results) :] if op.results else ()
        for way, runs in ((Way(body, carried), True), (leave, False)):
            test = is_less(op.operands[0], op.operands[1], runs) if op.name == "scf.for" else True
            when = When("the loop runs" if runs else "the loop does not run", test)
            if not when.never:
                edge = self._edges.along(way, initial, when)
                edge.skips = None if runs else op
                edge.iteration = (op, Turn.FIRST) if runs else None
                node.edges.append(edge)
        # The operands of the body's terminator are the arguments of the next iteration, or the loop's
        # results.
        self._region(op.regions[0], body, None, repeat=Way(head))
        yielded = op.regions[0].blocks[-1].last_op
        given = yielded.operands if yielded is not None else ()
        for way, turn in ((Way(body, carried, back=True), Turn.NEXT), (leave, Turn.END)):
            if turn is Turn.NEXT and _runs_once(op):
                continue
            edge = self._edges.along(way, given)
            edge.iteration = op, turn
            head.edges.append(edge)

    def _while(self, op: Operation, node: Node, leave: Way) -> None:
        before, body = self._node(), self._node()
        test = Way(before, op.regions[0].blocks[0].args)
        run = Way(body, op.regions[1].blocks[0].args)
        node.edges.append(self._edges.along(test, op.operands))
        self._region(op.regions[0], before, leave, repeat=run)
        self._region(op.regions[1], body, None, repeat=test.again())

    def _execute(self, op: Operation, node: Node, after: Node) -> None:
        task = self._steps.tasks.number(op)
        if task is not None:
            node.steps.append(Step(Action.BEGIN_TASK, op, event=task, after=self._steps.tasks.before(op)))
        self._enter(op.regions[0], node, Way(after))
        if task is not None:
            after.steps.append(Step(Action.END_TASK, op, event=task))

    def _enter(self, region: Region, node: Node, leave: Way, when: When = ALWAYS) -> None:
        if not when.never:
            start = self._node()
            node.edges.append(when.edge(start))
            self._region(region, start, leave)

    def _unknown(self, op: Operation) -> None:
        """Mark everything that the regions of an unknown op use as escaping.

        The regions may run any number of times."""
        for inner in op.walk():
            if inner is not op:
                self._steps.escape(inner, op)


def _runs_once(loop: Operation) -> bool:
    """Return whether the bounds and step of an scf.for give exactly one iteration."""
    if loop.name != "scf.for":
        return False
    low, high, step = map(constant, loop.operands[:3])
    return low is not None and high is not None and step is not None and 0 < high - low <= step
