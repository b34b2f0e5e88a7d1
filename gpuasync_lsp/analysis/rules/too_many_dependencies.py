"""A gpu op with more async dependencies than gpu-to-llvm can lower.

## What happens
An op runs on the stream of its dependency. gpu.memcpy, gpu.memset and the sparse ops take exactly one
dependency in every release, gpu.alloc and gpu.dealloc exactly one through LLVM 22 and at most one since LLVM
23, and gpu.launch_func at most one through LLVM 22. With more, LLVM 16 and 17 fail; later releases silently
leave the op unlowered with exit status 0, and mlir-translate is the first tool to report an error.

Several tokens often belong to one stream, because an op's token is on the stream of its dependency: in that
case depending on the last of them is enough. Tokens of different streams must be joined by `gpu.wait async`,
which creates a new stream. The joined streams are destroyed only if a token of each is an operand of a
blocking gpu.wait.

## What it does not report
- An unused op that the release erases before it converts anything.
- Dependencies of gpu.wait, which may have any number of them.

## Example
```mlir
%0 = gpu.wait async
%1, %2 = gpu.alloc async [%0] () : memref<4xf32>
%5, %6 = gpu.alloc async [%0] () : memref<4xf32>
%7 = gpu.memcpy async [%2, %6] %1, %5 : memref<4xf32>, memref<4xf32>
gpu.wait [%7]
```
Use instead:
```mlir
%0 = gpu.wait async
%1, %2 = gpu.alloc async [%0] () : memref<4xf32>
%5, %6 = gpu.alloc async [%0] () : memref<4xf32>
%7 = gpu.memcpy async [%6] %1, %5 : memref<4xf32>, memref<4xf32>
gpu.wait [%7]
```
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.ir import Block, Operation, SSAValue

from gpuasync_lsp.analysis.model.function import AsyncFunction, AsyncOp
from gpuasync_lsp.analysis.repairs.dependencies import can_join, dominates, join, needed, runs_once_for
from gpuasync_lsp.analysis.repairs.edits import Editor
from gpuasync_lsp.analysis.rule import Draft, Rule
from gpuasync_lsp.analysis.wording import defined_at, deps_span, fate_when_outlined, listing, rejected
from gpuasync_lsp.releases import Profile
from gpuasync_lsp.text import Edit, Fix, Safety, Severity


def check(function: AsyncFunction) -> Iterator[Draft]:
    """Find ops that are rejected because of the number of their dependencies."""
    profile = function.profile
    for op, _ in rejected(function, "GA101"):
        keep = needed(function, op.deps)
        limit = "may have at most one" if _takes_none(op, profile) else "must have exactly one"
        message = f"{fate_when_outlined(op.name, profile)}: it has {len(op.deps)} dependencies and {limit}."
        yield Draft(
            deps_span(function, op.op),
            f"{message}\n{_advice(function, op, len(keep))}",
            tuple(
                place
                for dep in dict.fromkeys(op.deps)
                for place in defined_at(function, dep, f"{function.span_name(dep)} is defined here")
            ),
            tuple(_fixes(function, op)),
        )


def _takes_none(op: AsyncOp, profile: Profile) -> bool:
    if op.name in ("gpu.launch", "gpu.launch_func"):
        return True
    return op.name in ("gpu.alloc", "gpu.dealloc") and not profile.alloc_needs_one_dependency


def _advice(function: AsyncFunction, op: AsyncOp, kept: int) -> str:
    if kept == 1:
        keep = function.span_name(needed(function, op.deps)[0])
        return f"They are on the same stream: depending on {keep} is enough."
    handles = len({function.tokens[dep] for dep in op.deps})
    passed = next((dep for dep in op.deps if function.tokens[dep].is_passed_stream), None)
    if passed is not None:
        name = function.span_name(passed)
        lost = f"`gpu.wait async` would treat the stream {name} as an event"
        return f"They are on {handles} streams. {lost}: join them before it is passed on."
    return f"They are on {handles} streams: join them with `gpu.wait async` and depend on its token."


def _fixes(function: AsyncFunction, op: AsyncOp) -> Iterator[Fix]:
    keep = needed(function, op.deps)
    names = [function.span_name(dep) for dep in keep]
    if len(keep) == 1:
        editor = Editor(function)
        if editor.dependencies(op.op, names):
            yield Fix(f"Depend on {names[0]} only", Safety.SAFE, editor.done())
        return
    if not all(can_join(function, dep) for dep in keep):
        return
    # A join destroys each token's event, of which there is only one, recorded at the token's definition.
    made = [dep.owner if isinstance(dep.owner, Block) else dep.owner.parent for dep in keep]
    if not all(runs_once_for(block, op.op) for block in made):
        return
    editor = Editor(function)
    joined = join(function, editor, op, keep)
    if editor.dependencies(op.op, [joined]):
        title = f"Join {listing(names)} into a new stream with `gpu.wait async`"
        yield Fix(title, Safety.SAFE, editor.done())
    yield from _one_stream(function, op, keep)


def _one_stream(function: AsyncFunction, op: AsyncOp, keep: Sequence[SSAValue]) -> Iterator[Fix]:
    """Yield the fix that makes the second producer, if alone on a new stream, depend on the first."""
    if len(keep) != 2:
        return
    first, second = keep
    producer = function.by_op.get(second.owner) if isinstance(second.owner, Operation) else None
    stream = function.tokens[second]
    if producer is None or len(producer.deps) != 1 or producer.name == "gpu.wait":
        return
    begin = producer.deps[0]
    creator = function.by_op.get(begin.owner) if isinstance(begin.owner, Operation) else None
    alone = len(list(begin.uses)) == 1 and not stream.waits and not stream.goes_on and not stream.joins
    if creator is None or creator.name != "gpu.wait" or creator.deps or not alone:
        return
    place = function.spans.operand(producer.op, 0)
    if place is None or function.tokens[first].waits or not dominates(function, first, producer.op):
        return
    editor = Editor(function)
    editor.remove(creator.op)
    editor.edits.append(Edit(place, function.span_name(first)))
    name = function.span_name(second)
    if editor.dependencies(op.op, [name]):
        title = f"Put {name} on the stream of {function.span_name(first)}"
        yield Fix(title, Safety.UNSAFE, editor.done(), "the two producers no longer run concurrently")


def versions(profile: Profile) -> str:
    """Describe how many dependencies the release rejects."""
    alloc = "exactly 1" if profile.alloc_needs_one_dependency else "at most 1"
    launch = "at most 1" if profile.launch_max_dependencies == 1 else "any number"
    how = "an error" if profile.rejects_loudly else "silently left unlowered (exit status 0)"
    return f"memcpy, memset take exactly 1; alloc, dealloc {alloc}; launch_func {launch}; else {how}"


RULE = Rule("GA101", "too-many-dependencies", Severity.ERROR, check, versions=versions)
