"""A launch whose sizes the driver rejects, or that differ from those that the kernel declares.

## What happens
cuLaunchKernel returns CUDA_ERROR_INVALID_VALUE (CUDA_ERROR_INVALID_CLUSTER_SIZE for clusters) and no thread
runs. The runtime wrapper prints the error, and the program continues without the kernel's results. A kernel
with `known_block_size` or `known_grid_size` is compiled for that size only: launched with a different size it
may compute wrong results, and if the size became `nvvm.maxntid` the driver rejects more threads.

A `known_block_size`, `known_grid_size` or `known_cluster_size` that is not an `array<i32: ...>`, such as
`[64, 1, 1]`, is silently ignored: the kernel is compiled for any size.

Every size has to be at least 1. The upper limits are those of CUDA: 1,024 threads in a block and 64 in its z
dimension, 2,147,483,647 blocks in x and 65,535 in y and z, and the shared memory of the chip that the kernel
targets.

## What it does not report
- A size that is neither a constant nor computed from constants.
- A launch that is unreachable.
- The limits of grids, clusters and shared memory, if the kernel's module has a target or an op of ROCDL, XeVM
  or SPIR-V; for XeVM and SPIR-V, also the sizes that the kernel declares.
- Shared memory from 48 KiB up to 227 KiB, if neither the module nor the pipeline names the chip.
- The declarations of a kernel in a gpu.binary.

## Example
```mlir
%one = arith.constant 1 : index
%many = arith.constant 2048 : index
gpu.launch_func @kernels::@k blocks in (%one, %one, %one) threads in (%many, %one, %one)
```
Use instead:
```mlir
%one = arith.constant 1 : index
%blocks = arith.constant 2 : index
%threads = arith.constant 1024 : index
gpu.launch_func @kernels::@k blocks in (%blocks, %one, %one) threads in (%threads, %one, %one)
```
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod

from xdsl.ir import Operation, SSAValue

from gpuasync_lsp.analysis.model.context import KernelInfo
from gpuasync_lsp.analysis.model.function import AsyncFunction
from gpuasync_lsp.analysis.model.launch_limits import (
    MOST_SHARED,
    MOST_THREADS,
    USUAL_SHARED,
    Declared,
    attached_targets,
    ignored_sizes,
    workgroup_bytes,
)
from gpuasync_lsp.analysis.model.memory.linear import Integers
from gpuasync_lsp.analysis.model.symbols import kernel_symbol
from gpuasync_lsp.analysis.rule import Draft, Rule, Unit
from gpuasync_lsp.analysis.wording import op_span
from gpuasync_lsp.releases import Profile
from gpuasync_lsp.syntax.dialects.gpu import LaunchFuncOp, LaunchOp
from gpuasync_lsp.syntax.printer import attribute_text
from gpuasync_lsp.text import Related, Severity, Span

_MOST_IN_Z = 64
_MOST_BLOCKS = (2**31 - 1, 65535, 65535)
_MOST_IN_CLUSTER, _MOST_WITH_OPT_IN = 8, 16
"""The maximum number of blocks per cluster on every device, and for a launch that opts in to more."""
_OPT_IN = "nonPortableClusterSize"
_FAILS = "the launch fails with CUDA_ERROR_INVALID_VALUE and no thread runs"

Known = tuple[int | None, ...]


def check(function: AsyncFunction) -> Iterator[Draft]:
    """Find launches with constant sizes that the driver or the kernel rejects."""
    numbers = Integers()
    sound: set[object] = set()
    """Keys (`_like`) of launches without problems, since most launches repeat an earlier one."""
    for info in function.launches:
        op = info.op
        if not isinstance(op, LaunchFuncOp | LaunchOp) or (function.analyzed and not function.is_reached(op)):
            continue
        like = _like(op) if isinstance(op, LaunchFuncOp) else op
        if like not in sound:
            found = [*_Launch(function, op, numbers).problems()]
            if not found:
                sound.add(like)
            yield from found


def check_unit(unit: Unit) -> Iterator[Draft]:
    """Find size attributes of kernels in a form that passes ignore."""
    for op in unit.ops("gpu.func"):
        for name in ignored_sizes(op) if op in unit.item.spans.ops else ():
            words = f"{unit.profile.label} silently ignores `{name}`: it is {_as_written(op, name)}."
            example = f"{unit.profile.known_sizes_prefix}{name} = array<i32: 64, 1, 1>"
            yield Draft(
                unit.item.spans.name(op),
                f"{words}\nWrite a dense array of three i32, such as `{example}`.",
                severity=Severity.WARNING,
            )


def _as_written(op: Operation, name: str) -> str:
    return attribute_text(op.properties.get(name) or op.attributes[name])


def _like(op: LaunchFuncOp) -> object:
    """Return a key of all values that decide whether a launch has a problem."""
    sizes = op.grid_size, op.block_size, op.cluster_size
    dynamic, opt_in = op.dynamic_shared_memory_size, op.get_attr_or_prop(_OPT_IN)
    return kernel_symbol(op), *(each and tuple(each) for each in sizes), dynamic, opt_in is not None


class _Launch:
    """One launch, with its constant sizes."""

    def __init__(self, function: AsyncFunction, op: LaunchFuncOp | LaunchOp, numbers: Integers) -> None:
        def known(values: Sequence[SSAValue]) -> Known:
            found = [numbers.read(value) for value in values]
            return tuple(None if each.terms else each.constant for each in found)

        self.function, self.op = function, op
        self.grid, self.block = known(op.grid_size), known(op.block_size)
        self.cluster: Known | None = None if op.cluster_size is None else known(op.cluster_size)
        dynamic = op.dynamic_shared_memory_size
        self.dynamic = 0 if dynamic is None else known((dynamic,))[0]
        self.kernel: KernelInfo | None = None
        self.declared = Declared()
        symbol = kernel_symbol(op) if isinstance(op, LaunchFuncOp) else None
        if symbol is not None and (kernel := function.context.kernels.get(symbol)) is not None:
            self.kernel, self.declared = kernel, kernel.declared
        elif isinstance(op, LaunchOp):
            arguments = op.body.blocks[0].args if op.body.blocks else ()
            first = 12 if op.cluster_size is None else 18
            count = 0 if op.workgroup_attributions is None else op.workgroup_attributions.value.data
            shared = workgroup_bytes(argument.type for argument in arguments[first : first + count])
            self.declared = Declared(shared=shared)
        attached = attached_targets(function.context.pipeline)
        self.targets = attached or self.declared.targets
        kinds = {target.kind for target in self.targets}
        self.for_cuda = not function.context.for_spirv and kinds <= {"nvvm"}

    def problems(self) -> Iterator[Draft]:
        """Yield the errors of the launch, except those that a previous error implies."""
        found = list(self._without_threads())
        if not found:
            found = [*self._limits(), *self._shared()]
            if not found and not self._is_for("xevm", "spirv"):
                found = [*self._other_block(), *self._other_grid(), *self._clusters()]
        yield from found

    def _without_threads(self) -> Iterator[Draft]:
        for name, sizes, values in (
            ("grid", self.grid, self.op.grid_size),
            ("block", self.block, self.op.block_size),
            ("cluster", self.cluster or (), self.op.cluster_size or ()),
        ):
            for axis, size, value in zip("xyz", sizes, values, strict=False):
                if size is not None and size < 1:
                    yield self._at(
                        value,
                        f"The {name}'s {axis} size is {size}: {_FAILS}.\nUse a size of at least 1, or skip "
                        "the launch if there is no work.",
                    )
                    return
        if self.dynamic is not None and self.dynamic < 0:
            yield self._at(
                self.op.dynamic_shared_memory_size,
                f"The dynamic shared memory is {self.dynamic} bytes: {_FAILS}.\nUse a size of at least 0.",
            )

    def _limits(self) -> Iterator[Draft]:
        threads = prod(size for size in self.block if size is not None)
        if threads > MOST_THREADS and not self._is_for("xevm", "spirv"):
            sizes = [
                (size, value)
                for size, value in zip(self.block, self.op.block_size, strict=True)
                if size is not None
            ]
            largest = max(sizes, key=lambda each: each[0])[1]
            yield self._at(
                largest,
                f"A block has {threads:,} threads, but the limit is {MOST_THREADS:,}: {_FAILS}.\n"
                "Use smaller blocks, and more of them.",
            )
        elif (z := self.block[2]) is not None and z > _MOST_IN_Z and self.for_cuda:
            yield self._at(
                self.op.block_size_z,
                f"The block's z size is {z}, but the limit is {_MOST_IN_Z}: {_FAILS}.\n"
                f"Use x for the dimension with more than {_MOST_IN_Z} threads.",
            )
        for axis, size, value, most in zip("xyz", self.grid, self.op.grid_size, _MOST_BLOCKS, strict=True):
            if size is not None and size > most and self.for_cuda:
                yield self._at(
                    value,
                    f"The grid's {axis} size is {size:,}, but the limit is {most:,}: {_FAILS}.\n"
                    + (
                        f"Use x for the largest dimension, which takes {_MOST_BLOCKS[0]:,} blocks."
                        if axis != "x"
                        else "Let each thread do more, or launch several times."
                    ),
                )

    def _shared(self) -> Iterator[Draft]:
        static, dynamic = self.declared.shared, self.dynamic or 0
        if not self.for_cuda:
            return
        if static > USUAL_SHARED:
            message = (
                f"The kernel uses {static:,} bytes of static workgroup memory, but ptxas accepts at most "
                f"{USUAL_SHARED:,}: the module does not load and no thread runs.\nUse "
                "gpu.dynamic_shared_memory for larger buffers."
            )
            yield self._at(None, message)
            return
        total = static + dynamic
        limits = [target.shared for target in self.targets if target.kind == "nvvm"]
        most = max((MOST_SHARED if each is None else each for each in limits), default=MOST_SHARED)
        if dynamic and total > most:
            chips = [target.chip for target in self.targets if target.chip]
            is_of_chip = chips and most < MOST_SHARED
            limit = f"{chips[0]} allows at most" if is_of_chip else "no CUDA chip allows more than"
            limit += f" {most:,}"
        elif dynamic and total > USUAL_SHARED and not self.function.profile.launch_asks_for_shared:
            limit = (
                f"the limit is {USUAL_SHARED:,} unless the launch opts in to more, which "
                f"{self.function.profile.label}'s mgpuLaunchKernel does not"
            )
        else:
            return
        also = f", {static:,} of them static" if static else ""
        yield self._at(
            self.op.dynamic_shared_memory_size,
            f"A block takes {total:,} bytes of shared memory{also}, but {limit}: "
            f"{_FAILS}.\nUse smaller tiles.",
        )

    def _other_block(self) -> Iterator[Draft]:
        declared, prefix = self.declared, self.function.profile.known_sizes_prefix
        block = tuple(size for size in self.block if size is not None)
        if len(block) < len(self.block):
            return
        required, most = declared.first("nvvm.reqntid"), declared.first("nvvm.maxntid")
        known = declared.known("block", prefix)
        if required is not None and required[1] != block:
            yield self._differs("block", block, *required, rejected=self.for_cuda)
        elif most is not None and prod(block) > prod(most[1]):
            yield self._differs("block", block, *most, rejected=self.for_cuda)
        elif known is not None and known[1] != block:
            is_rejected = prod(block) > prod(known[1]) and not prefix and self.for_cuda
            yield self._differs("block", block, *known, rejected=is_rejected)

    def _other_grid(self) -> Iterator[Draft]:
        known = self.declared.known("grid", self.function.profile.known_sizes_prefix)
        grid = tuple(size for size in self.grid if size is not None)
        if known is not None and len(grid) == len(self.grid) and known[1] != grid:
            yield self._differs("grid", grid, *known, rejected=False)

    def _clusters(self) -> Iterator[Draft]:
        cluster, prefix = self.cluster, self.function.profile.known_sizes_prefix
        declared = self.declared.first("nvvm.cluster_dim") or self.declared.known("cluster", prefix)
        if not self.for_cuda or (cluster is None and declared is None):
            return
        rejected = "the launch fails with CUDA_ERROR_INVALID_CLUSTER_SIZE and no thread runs"
        chips = [target.chip for target in self.targets]
        if self.targets and not any(target.has_clusters for target in self.targets):
            message = f"{chips[0]} does not support clusters, which need sm_90: the launch fails.\n"
            yield self._at(
                None, f"{message}Compile the kernel for sm_90 or later, or launch without clusters."
            )
            return
        sizes = cluster if cluster is not None else declared[1] if declared is not None else ()
        if declared is not None and cluster is not None and None not in cluster and declared[1] != cluster:
            given = tuple(size for size in cluster if size is not None)
            yield self._differs("cluster", given, *declared, rejected=True)
            return
        blocks = prod(size for size in sizes if size is not None)
        opts_in = self.op.get_attr_or_prop(_OPT_IN) is not None
        most = _MOST_WITH_OPT_IN if opts_in else _MOST_IN_CLUSTER
        if blocks > most:
            message = f"A cluster has {blocks} blocks, but the limit is {most}: {rejected}.\n"
            yield self._at(self._first(self.op.cluster_size), f"{message}Use smaller clusters.")
        for axis, size, grid, value in zip("xyz", sizes, self.grid, self.op.grid_size, strict=False):
            if size and grid is not None and grid % size:
                message = (
                    f"The grid's {axis} size, {grid}, is not a multiple of the cluster's, {size}: {rejected}."
                )
                yield self._at(value, f"{message}\nRound the grid up to a multiple of the cluster's size.")

    def _differs(
        self, what: str, given: Sequence[int], name: str, declared: Sequence[int], *, rejected: bool
    ) -> Draft:
        values = {"grid": self.op.grid_size, "block": self.op.block_size, "cluster": self.op.cluster_size}[
            what
        ]
        place = next((v for v, a, b in zip(values or (), given, declared, strict=False) if a != b), None)
        words = "at most " if name == "nvvm.maxntid" else ""
        return self._at(
            place,
            f"The {what} is {_sizes(given)}, and the kernel declares {words}{_sizes(declared)} in `{name}`: "
            f"{_FAILS if rejected else _COMPILED_FOR}.\n"
            f"Launch it with the declared sizes, or correct `{name}`.",
            severe=rejected,
        )

    def _first(self, values: Sequence[SSAValue] | None) -> SSAValue | None:
        return values[0] if values else None

    def _at(self, value: SSAValue | None, message: str, *, severe: bool = True) -> Draft:
        """Return a finding at the operand `value` of the launch, or at the op's name if there is none."""
        spans, op = self.function.spans, self.op
        number = next((n for n, each in enumerate(op.operands) if each is value), None)
        span: Span | None = None if number is None else spans.operand(op, number)
        related: tuple[Related, ...] = ()
        if self.kernel is not None:
            related = (Related(self.kernel.span, "the kernel is here", f"@{self.kernel.container}"),)
        return Draft(
            span or op_span(self.function, op),
            message,
            related,
            severity=None if severe else Severity.WARNING,
        )

    def _is_for(self, *kinds: str) -> bool:
        for_spirv = self.function.context.for_spirv and "spirv" in kinds
        return for_spirv or any(target.kind in kinds for target in self.targets)


_COMPILED_FOR = "the kernel is compiled for the declared size and may compute wrong results"


def _sizes(sizes: Sequence[int]) -> str:
    return f"({', '.join(map(str, sizes))})"


def versions(profile: Profile) -> str:
    """Describe how much dynamic shared memory a launch gets."""
    limit = "what the chip has" if profile.launch_asks_for_shared else "48 KiB, static memory included"
    return f"dynamic shared memory of a launch: up to {limit}"


RULE = Rule("GA601", "launch-configuration", Severity.ERROR, check, check_unit, versions=versions)
