"""mlir-opt by the passes of this package, for who has none: as far as these go and print the same."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from xdsl.dialects.builtin import ModuleOp, UnregisteredOp

from gpuasync_lsp.ide.document.state import file_state
from gpuasync_lsp.ide.document.targets import SettingsResolver
from gpuasync_lsp.ide.runlines.options import NotKnown, Options, mlir_opt_options
from gpuasync_lsp.ide.runlines.results import BUILT_IN
from gpuasync_lsp.ide.runlines.substitution import Paths
from gpuasync_lsp.ide.runlines.unsupported import Unsupported
from gpuasync_lsp.lowering import PipelineError, parse_pipeline, run_pipeline
from gpuasync_lsp.lowering.pipeline.pipeline import PIPELINES
from gpuasync_lsp.processes import Ended
from gpuasync_lsp.syntax import module_of
from gpuasync_lsp.syntax.opaque import OpaqueOp
from gpuasync_lsp.syntax.printer import print_module
from gpuasync_lsp.text import LineIndex
from gpuasync_lsp.text.files import MOST_OF_SOURCE, NotReadable, read_text

_ALIASED = re.compile(r"\baffine_(?:map|set)<|#llvm\.|#sparse_tensor\.|#tbaa|\bloc\(|\bdense_resource<")
"""What mlir-opt prints with names of its own in front of the module, which this package does not."""
_GENERIC = re.compile(r'"([a-z_]\w*\.[\w.]+)"\(')
_PRINTED = frozenset(
    ["arith", "async", "builtin", "cf", "func", "gpu", "llvm", "memref", "nvvm", "rocdl", "scf"]
)
"""Dialects whose ops are printed as mlir-opt prints them, which the comparison of passes holds."""
_SPARSE = re.compile(r"gpu\.(?:create|destroy|sp|sd|set)")
_APART = frozenset([*PIPELINES, "ptxas-cmd-options"])
"""Named pipelines, of which some passes are left out here, and an option that shows but is not there."""
_SEPARATOR = "\n// -----\n"


@dataclass(frozen=True, slots=True)
class BuiltIn:
    """The passes of this package, for the LLVM version that a file is meant for."""

    resolver: SettingsResolver
    path: Path | None
    """Where the test is, or would be: its folder has the settings."""

    @property
    def name(self) -> str:
        """What the user calls it."""
        return BUILT_IN

    @property
    def words(self) -> frozenset[str]:
        """`mlir-opt` alone."""
        return frozenset({"mlir-opt"})

    def run(
        self,
        arguments: Sequence[str],
        given: bytes,
        paths: Paths,
        merged: bool,
        stopped: Callable[[], bool],
    ) -> Ended:
        """Print what mlir-opt prints. Raises Unsupported where that is not known to be the same."""
        try:
            options = mlir_opt_options(arguments)
            pipeline = parse_pipeline(options.pipeline)
            if apart := next((word for word in _APART if word in options.pipeline), None):
                raise NotKnown(f"they have no {apart} as mlir-opt has it")
        except (NotKnown, PipelineError) as error:
            raise Unsupported(f"the built-in passes: {error}") from error
        text = _source(options, given, paths)
        state = file_state(LineIndex(text), self.path, self.resolver)
        if len(state.source.chunks) > 1 and not options.split:
            raise Unsupported("the built-in passes: several parts without --split-input-file")
        for refusal in state.refusals:
            raise Unsupported(f"the built-in passes: {refusal.message.partition(chr(10))[0]}")
        printed: list[str] = []
        for chunk in state.source.chunks:
            if stopped():
                raise InterruptedError(4, "stopped")
            module = module_of(chunk)
            _check_ops(module, options.unregistered)
            done = run_pipeline(module, pipeline, state.profile.version)
            if done.first_message:
                raise Unsupported(f"the built-in passes: {done.first_message}")
            _check_ops(done.module, options.unregistered)
            printed.append(_checked(print_module(done.module), text))
        shown = "" if options.discards else _SEPARATOR.join(f"{each}\n" for each in printed)
        return Ended(0, shown.encode(), b"")


def _check_ops(module: ModuleOp, unregistered: bool) -> None:
    """Raise Unsupported for an op whose text is not known to be that of mlir-opt."""
    for op in module.walk():
        if isinstance(op, OpaqueOp):
            raise Unsupported("the built-in passes: an op that is not known here")
        if isinstance(op, UnregisteredOp):
            if not unregistered:
                raise Unsupported(f"the built-in passes: {op.op_name.data} is not registered")
            continue
        dialect = op.name.partition(".")[0]
        if dialect not in _PRINTED or _SPARSE.match(op.name):
            raise Unsupported(f"the built-in passes: {op.name} is not compared with what mlir-opt prints")


def _source(options: Options, given: bytes, paths: Paths) -> str:
    if options.source in ("", "-"):
        return given.decode(errors="replace")
    try:
        return read_text(Path(os.path.join(paths.temporary, options.source)), MOST_OF_SOURCE)
    except NotReadable as error:
        raise Unsupported(f"cannot read {options.source}: {error}") from error


def _checked(printed: str, text: str) -> str:
    """Return printed IR, if mlir-opt prints it the same way. Raises Unsupported."""
    found = _ALIASED.search(printed)
    if found is not None:
        raise Unsupported(f"the built-in passes: mlir-opt gives {found[0].rstrip('<(')} a name, they do not")
    for op in _GENERIC.finditer(printed):
        if f'"{op[1]}"' not in text:
            raise Unsupported(f"the built-in passes: they do not print {op[1]} as mlir-opt does")
    return printed
