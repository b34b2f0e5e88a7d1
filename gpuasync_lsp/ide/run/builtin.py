"""An emulated mlir-opt: runs this package's passes, and rejects text that mlir-opt may print differently."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from xdsl.dialects.builtin import ModuleOp, UnregisteredOp

from gpuasync_lsp.ide.document.state import FileState, file_state
from gpuasync_lsp.ide.document.targets import SettingsResolver
from gpuasync_lsp.ide.runlines.options import NotKnown, Options, mlir_opt_options
from gpuasync_lsp.ide.runlines.results import BUILT_IN
from gpuasync_lsp.ide.runlines.substitution import Paths
from gpuasync_lsp.ide.runlines.unsupported import Unsupported
from gpuasync_lsp.ide.runlines.verifying import Error, differences, expectations, has_notes, in_order
from gpuasync_lsp.lowering import Pipeline, PipelineError, parse_pipeline, run_pipeline
from gpuasync_lsp.lowering.pipeline.pipeline import PIPELINES
from gpuasync_lsp.processes import Ended
from gpuasync_lsp.syntax import Chunk, SourceLoc, module_of
from gpuasync_lsp.syntax.opaque import OpaqueOp
from gpuasync_lsp.syntax.printer import print_module
from gpuasync_lsp.text import LineIndex
from gpuasync_lsp.text.files import MOST_OF_SOURCE, NotReadable, read_text

_ALIASED = re.compile(r"\baffine_(?:map|set)<|#llvm\.|#sparse_tensor\.|#tbaa|\bloc\(|\bdense_resource<")
"""Matches attributes that only mlir-opt, not this package, prints as aliases before the module."""
_GENERIC = re.compile(r'"([a-z_]\w*\.[\w.]+)"\(')
_PRINTED = frozenset(
    ["arith", "async", "builtin", "cf", "func", "gpu", "llvm", "memref", "nvvm", "rocdl", "scf"]
)
"""Dialects that this package prints exactly as mlir-opt does, which the comparison of passes tests."""
_SPARSE = re.compile(r"gpu\.(?:create|destroy|sp|sd|set)")
_APART = frozenset([*PIPELINES, "ptxas-cmd-options", "convert-nvvm-to-llvm", "gpu-module-to-binary"])
"""Passes that are not emulated: named pipelines, and passes that are only partly implemented."""
_TO_LLVM = re.compile(r"(?<![\w-])convert-to-llvm")
"""Matches convert-to-llvm, which from LLVM 18 on includes convert-nvvm-to-llvm."""
_OF_DIALECTS = re.compile(r"[#!](?!(?:gpu|async)\.|llvm\.ptr\b)[a-z_]\w*\.|!llvm<|\bloc\(|complex<")
"""Matches attributes and types whose verifiers are not all implemented here."""
_UNVERIFIED = re.compile(r"\btest\.|\bdistinct\[|\bsparse<|\bdense_resource<|\bdense<\"0x")
"""Matches attributes and ops that only mlir-opt verifies: the test dialect, rare attributes."""
_FOLDED = re.compile(
    r"\bllvm\.(?:icmp|getelementptr|bitcast|addrspacecast|inttoptr|ptrtoint|sitofp|uitofp|[sz]ext|trunc|or|shl|f\w+)\b"
)
"""Matches ops that only mlir-opt's canonicalize folds, not this package's."""
_SEPARATOR = "// -----\n"


@dataclass(frozen=True, slots=True)
class BuiltIn:
    """The passes of this package, for the LLVM version of a file."""

    resolver: SettingsResolver
    path: Path | None
    """The path of the test, which may not exist yet; settings are read from its folder."""

    @property
    def name(self) -> str:
        """The name of this engine to show to the user."""
        return BUILT_IN

    @property
    def words(self) -> frozenset[str]:
        """The program name that this engine replaces: `mlir-opt`."""
        return frozenset({"mlir-opt"})

    def run(
        self,
        arguments: Sequence[str],
        given: bytes,
        paths: Paths,
        merged: bool,
        stopped: Callable[[], bool],
    ) -> Ended:
        """Return the output that mlir-opt would print. Raises Unsupported if it may print something else."""
        try:
            options = mlir_opt_options(arguments)
            pipeline = parse_pipeline(options.pipeline)
            if apart := next((word for word in _APART if word in options.pipeline), None):
                raise NotKnown(f"their {apart} differs from mlir-opt's")
        except (NotKnown, PipelineError) as error:
            raise Unsupported(f"the built-in passes: {error}") from error
        text = _source(options, given, paths)
        state = file_state(LineIndex(text), self.path, self.resolver)
        if len(state.source.chunks) > 1 and not options.split:
            raise Unsupported("the built-in passes: several parts without --split-input-file")
        printed: list[str] = []
        messages: list[str] = []
        for chunk in state.source.chunks:
            if stopped():
                raise InterruptedError(4, "stopped")
            errors, shown = _part(state, chunk, pipeline, options)
            if options.verifies:
                messages += _differences(state, chunk, options, errors)
            elif errors:
                raise Unsupported(f"the built-in passes: {errors[0].text.partition(chr(10))[0]}")
            if not errors:
                printed.append(shown)
        shown = "" if options.discards else _SEPARATOR.join(f"{each}\n" for each in printed)
        name = options.source if options.source not in ("", "-") else "<stdin>"
        stderr = "".join(f"{name}:{message}\n" for message in messages).encode()
        whole = shown.encode()
        return Ended(int(bool(messages)), stderr + whole if merged else whole, b"" if merged else stderr)


def _part(state: FileState, chunk: Chunk, pipeline: Pipeline, options: Options) -> tuple[list[Error], str]:
    """Return the errors of a part of the file, and the printed result without errors. Raises Unsupported."""
    here = [each for each in state.rejections if chunk.span.start <= each.span.start <= chunk.span.end]
    refused = in_order(here, chunk)
    if refused:
        return [
            Error(state.lines.position(each.span.start)[0], each.message, has_notes(each)) for each in refused
        ], ""
    module = module_of(chunk)
    _check_ops(module, options.unregistered)
    if chunk.metadata and not options.discards:
        raise Unsupported("the built-in passes: they do not print file metadata")
    if "canonicalize" in options.pipeline and (
        folded := _FOLDED.search(state.text[chunk.span.start : chunk.span.end])
    ):
        raise Unsupported(f"the built-in passes: their canonicalize does not fold {folded[0]}")
    done = run_pipeline(module, pipeline, state.profile.version)
    if done.diagnostics or (done.error is not None and not isinstance(done.error.location, SourceLoc)):
        raise Unsupported(f"the built-in passes: {done.first_message}")
    if done.error is not None and isinstance(done.error.location, SourceLoc):
        return [Error(state.lines.position(done.error.location.span.start)[0], done.error.text)], ""
    _check_ops(done.module, options.unregistered)
    if _TO_LLVM.search(options.pipeline) and (left := _nvvm(done.module)):
        raise Unsupported(f"the built-in convert-to-llvm may not print the same assembly for {left}")
    return [], _checked(print_module(done.module), state.text)


def _differences(state: FileState, chunk: Chunk, options: Options, errors: Sequence[Error]) -> Iterator[str]:
    """Yield the differences that `--verify-diagnostics` reports for a file's part. Raises Unsupported."""
    if chunk.metadata:
        raise Unsupported("the built-in passes: they do not report errors in file metadata")
    first, last = (state.lines.position(offset)[0] for offset in (chunk.span.start, chunk.span.end))
    wanted = expectations(state.lines, first, last)
    if not errors and (rare := _UNVERIFIED.search(state.text, *chunk.span)):
        raise Unsupported(f"the built-in passes: they may not report all errors of {rare[0]}")
    has_others = _OF_DIALECTS.search(state.text, chunk.span.start, chunk.span.end) is not None
    is_known = not has_others
    if errors and is_known:
        try:
            _check_ops(module_of(chunk), options.unregistered)
        except Unsupported:
            is_known = False
    for line, text in differences(wanted, errors, is_known, not has_others, bool(options.pipeline)):
        if options.verifies == "all" or not text.startswith("unexpected"):
            indent = state.lines.line_text(line)
            yield f"{line + 1}:{len(indent) - len(indent.lstrip()) + 1}: error: {text}"


def _nvvm(module: ModuleOp) -> str:
    return next((op.name for op in module.walk() if op.name.startswith("nvvm.")), "")


def _check_ops(module: ModuleOp, unregistered: bool) -> None:
    """Raise Unsupported for an op that may be printed differently from mlir-opt."""
    for op in module.walk():
        if isinstance(op, OpaqueOp):
            raise Unsupported("the built-in passes: an unknown op")
        if isinstance(op, UnregisteredOp):
            # A build of mlir-opt with LLVM's tests registers ops of the test dialects.
            if not unregistered or op.op_name.data.startswith("test"):
                raise Unsupported(f"the built-in passes: {op.op_name.data} is not registered")
            continue
        dialect = op.name.partition(".")[0]
        if dialect not in _PRINTED or _SPARSE.match(op.name):
            raise Unsupported(f"the built-in passes: they may print {op.name} differently from mlir-opt")


def _source(options: Options, given: bytes, paths: Paths) -> str:
    if options.source in ("", "-"):
        return given.decode(errors="replace")
    try:
        return read_text(Path(os.path.join(paths.temporary, options.source)), MOST_OF_SOURCE)
    except NotReadable as error:
        raise Unsupported(f"cannot read {options.source}: {error}") from error


def _checked(printed: str, text: str) -> str:
    """Return the IR `printed` if mlir-opt prints it the same way. Raises Unsupported otherwise."""
    found = _ALIASED.search(printed)
    if found is not None:
        raise Unsupported(f"the built-in passes: only mlir-opt prints {found[0].rstrip('<(')} as an alias")
    for op in _GENERIC.finditer(printed):
        if f'"{op[1]}"' not in text:
            raise Unsupported(f"the built-in passes: they do not print {op[1]} as mlir-opt does")
    return printed
