"""Programs on which a pass of mlir-opt crashes, per release; the crash is reported instead of a result.

Every entry was measured with the mlir-opt of each release that it names (and LLVM 24's gpu-to-llvm).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass

from xdsl.dialects.builtin import FunctionType, TensorType, TupleType
from xdsl.ir import Attribute, Operation

from gpuasync_lsp.releases.fact import Releases
from gpuasync_lsp.syntax.dialects.async_dialect import TokenType, ValueType
from gpuasync_lsp.syntax.printer import attribute_text

OUTLINING = "gpu-kernel-outlining"
SEGMENTATION_FAULT, ABORT = "segmentation fault", "abort"


@dataclass(frozen=True)
class Crash:
    """A known crash: passes, releases, and the ops that cause it."""

    passes: Collection[str]
    releases: Releases
    signal: str
    reason: str
    """The reason as a clause: what the pass does not support."""
    advice: str
    ops: Callable[[Operation, Collection[str]], Iterator[Operation]]
    """Yields the ops at which the pass crashes, given the op it runs on and the names of all passes in the
    pipeline."""

    @property
    def words(self) -> str:
        """The message for the user."""
        return f"mlir-opt crashes here ({self.signal}): {self.reason}"


def known_crash(
    root: Operation, name: str, pipeline: Collection[str], version: int
) -> tuple[Operation, Crash] | None:
    """Return the op in `root` at which the pass `name` of LLVM `version` crashes, and the cause; None if
    none does.

    `pipeline` contains the names of all passes in the pipeline."""
    for crash in CRASHES:
        if name in crash.passes and version in crash.releases:
            for op in crash.ops(root, pipeline):
                return op, crash
    return None


def rejected_launch(root: Operation, name: str, version: int) -> tuple[Operation, str] | None:
    """Return a nested launch that the outlining pass `name` rejects, and the message; None if it rejects
    none."""
    if name == OUTLINING and version in _NESTED_LAUNCH_FAILS:
        for op in _launch_in_launch(root, ()):
            return op, _NESTED_LAUNCH.format(attribute_text(op.properties["kernel"]))
    return None


def _with_c_interface(root: Operation, pipeline: Collection[str]) -> Iterator[Operation]:
    for op in root.walk():
        if op.name == "func.func" and "llvm.emit_c_interface" in op.attributes:
            kind = op.properties.get("function_type")
            types = (*kind.inputs, *kind.outputs) if isinstance(kind, FunctionType) else ()
            if any(isinstance(each, TokenType | ValueType) for each in types):
                yield op


def _of_unconverted_value(root: Operation, pipeline: Collection[str]) -> Iterator[Operation]:
    for op in root.walk():
        if op.name == "async.execute" and any(_is_unconverted(result.type) for result in op.results):
            yield op


def _is_unconverted(kind: Attribute) -> bool:
    return isinstance(kind, ValueType) and isinstance(kind.value_type, TensorType | TupleType)


def _launch_in_launch(root: Operation, pipeline: Collection[str]) -> Iterator[Operation]:
    for op in root.walk():
        if op.name == "gpu.launch":
            yield from (inner for inner in op.walk() if inner.name == "gpu.launch_func")


def _global_id(root: Operation, pipeline: Collection[str]) -> Iterator[Operation]:
    if not _LOAD_NO_INDEX.issuperset(pipeline):
        return
    whole = root
    while (around := whole.parent_op()) is not None:
        whole = around
    if not any(op.name.startswith("index.") for op in whole.walk()):
        yield from (op for op in root.walk() if op.name == "gpu.global_id")


_LOAD_NO_INDEX = frozenset(
    {
        *("gpu-to-llvm", "gpu-kernel-outlining", "nvvm-attach-target", "convert-scf-to-cf", "canonicalize"),
        *("convert-index-to-llvm", "lower-affine", "convert-to-llvm", "expand-strided-metadata"),
        "convert-gpu-to-nvvm",
    }
)
"""Passes that do not load the index dialect and thus do not prevent the crash; measured in LLVM 19 and 21."""

_NESTED_LAUNCH_FAILS = Releases(23)
_NESTED_LAUNCH = (
    "nested symbol reference '{}' cannot be resolved inside the outlined kernel module; gpu-kernel-outlining "
    "does not support cross-module symbol references inside gpu.launch bodies"
)
"""LLVM 23's error for input on which LLVM 22 crashes; LLVM 16 and 19-21 refer to a missing kernel."""

CRASHES = (
    Crash(
        {"gpu-to-llvm"},
        Releases(),
        SEGMENTATION_FAULT,
        "it cannot create a C interface (`llvm.emit_c_interface`) for a function with async types in "
        "its signature",
        "Await the value before it crosses the function, or lower async first (async-to-async-runtime).",
        _with_c_interface,
    ),
    Crash(
        {"gpu-to-llvm"},
        Releases(),
        SEGMENTATION_FAULT,
        "it has no LLVM type for the value that this async.execute yields",
        "Bufferize first: a memref can be yielded, a tensor or a tuple cannot.",
        _of_unconverted_value,
    ),
    *(
        Crash(
            {OUTLINING},
            releases,
            SEGMENTATION_FAULT,
            "it clones the symbols that a gpu.launch references, but does not find `@module::@kernel`",
            "Launch from the host: after outlining a kernel cannot launch another kernel.",
            _launch_in_launch,
        )
        for releases in (Releases(17, 18), Releases(22, 22))
    ),
    Crash(
        {"convert-gpu-to-nvvm"},
        Releases(17, 21),
        ABORT,
        'it converts gpu.global_id to "index.mul", but the index dialect is not loaded',
        "Write block_id * block_dim + thread_id, or run convert-vector-to-scf too, which loads that dialect.",
        _global_id,
    ),
)
