"""`convert-linalg-to-loops`, `-to-parallel-loops` and `-to-affine-loops`: linalg ops on buffers become
loops.

Source: the output of each release. Ops on tensors are not converted, nor ops whose body this tool does
not implement, such as softmax and packing.
"""

from __future__ import annotations

from xdsl.ir import Operation

from gpuasync_lsp.lowering.conversion.edits import erase
from gpuasync_lsp.lowering.conversion.greedy import simplify
from gpuasync_lsp.lowering.passes.canonicalize.patterns.linalg import drop_identity_transpose
from gpuasync_lsp.lowering.passes.linalg_to_loops.forms import form_of
from gpuasync_lsp.lowering.passes.linalg_to_loops.nests import Kind, expand
from gpuasync_lsp.releases import Profile
from gpuasync_lsp.syntax.dialects import gpu, linalg, memref

__all__ = ["Kind", "convert_linalg_to_loops", "has_schedule", "linalg_to_loops_to_run"]


def convert_linalg_to_loops(root: Operation, profile: Profile, kind: Kind) -> None:
    """Convert the linalg ops inside `root` to loops of `kind` in place, like `profile`'s release."""

    def rewrite(op: Operation) -> bool:
        if isinstance(op, linalg.TransposeOp) and drop_identity_transpose(op, profile):
            return True
        form = form_of(op, profile) if op.name.startswith("linalg.") else None
        return form is not None and expand(op, form, kind, profile)

    simplify(root, profile, rewrite=rewrite)


def linalg_to_loops_to_run(module: Operation) -> None:
    """Convert the supported linalg ops of `module` to loops, in place, for execution.

    In a kernel each thread executes the whole loop. Ops inside kernels are not converted if the module has
    a schedule (`transform`), which distributes their work. Unused loads in a loop, such as the old
    values of a fill, are omitted, because they may be uninitialized."""
    scheduled = has_schedule(module)
    written = {op for op in module.walk() if isinstance(op, memref.LoadOp)}
    for op in list(module.walk()):
        if op.name.startswith("linalg.") and op.parent is not None and not (scheduled and _in_kernel(op)):
            form = form_of(op, None)
            if form is not None:
                expand(op, form, Kind.SCF)
    for op in list(module.walk()):
        if isinstance(op, memref.LoadOp) and op not in written and not op.results[0].uses:
            erase(op)


def has_schedule(module: Operation) -> bool:
    """Return whether `module` contains ops of the transform dialect."""
    return any(op.name.startswith("transform.") for op in module.walk())


def _in_kernel(op: Operation) -> bool:
    above = op.parent_op()
    while above is not None and not isinstance(above, gpu.LaunchOp | gpu.GPUModuleOp):
        above = above.parent_op()
    return above is not None
