"""Plans the programs and arguments of a RUN line before any program runs.

A RUN line comes from a workspace. It can call mlir-opt, FileCheck, `not` and `count`, and nothing else; the
program for mlir-opt comes from the user's own settings. Options of mlir-opt are rejected if they load code,
start programs or write files outside the test's temporary folder (`_REFUSED`), and so are paths outside the
test's folder.
"""

from __future__ import annotations

import os
import re
import stat
from dataclasses import dataclass
from enum import Enum

from gpuasync_lsp.ide.runlines.script import RunLine
from gpuasync_lsp.ide.runlines.shell import Call, Redirection, parse
from gpuasync_lsp.ide.runlines.substitution import Paths, substituted
from gpuasync_lsp.ide.runlines.unsupported import Unsupported


class Tool(Enum):
    """A program that a RUN line may call."""

    MLIR_OPT = "mlir-opt"
    FILECHECK = "FileCheck"
    COUNT = "count"


@dataclass(frozen=True, slots=True)
class Stage:
    """A call of a program."""

    tool: Tool
    arguments: tuple[str, ...]
    redirections: tuple[Redirection, ...]
    negated: bool = False
    """Whether an odd number of `not` precedes the call."""
    crashes: bool = False
    """Whether `not --crash` precedes the call, which means that a signal must end the program."""


@dataclass(frozen=True, slots=True)
class Stages:
    """Calls connected by `|`; `after` is the preceding operator: `&&`, `||`, `;`, or nothing."""

    stages: tuple[Stage, ...]
    after: str


_REFUSED = (
    "plugin",  # Loads code.
    "reproducer",  # Writes files; --run-reproducer runs unnamed passes.
    "tree-dir",
    "actions-to",
    "output-file",  # --info-output-file
    "-files-to",  # Other compilers' --dump-executable-files-to and similar options.
    "save-temps",
    "time-trace",
    "view-op-graph",  # Opens a viewer.
)
"""Substrings of options that load code, start programs or write files; `--load` is rejected separately."""
_TOOLKIT = re.compile(r"\btoolkit\b")
"""Matches an option of gpu-module-to-binary that names the folder of the ptxas to start."""
_WRITES = re.compile(r"\bfilename\b")
"""Matches an option of snapshot-op-locations that names a file to write."""
_PATHS = re.compile(r"[\s,={}()\[\]'\"]+")
"""Matches the characters that separate paths from the rest of a value."""
_FILECHECK_VALUES = frozenset(["check-prefix", "check-prefixes", "comment-prefixes", "input-file", "D"])
_FILECHECK_FLAGS = frozenset(
    ["allow-empty", "enable-var-scope", "match-full-lines", "strict-whitespace", "reject-empty-vars"]
)
_FILECHECK_SILENT = frozenset(
    ["dump-input", "dump-input-context", "dump-input-filter", "color", "v", "vv", "allow-unused-prefixes"]
)
"""Options of FileCheck that affect only its output, or how it treats unused prefixes, and are ignored."""
_SILENT_VALUES = frozenset(["dump-input", "dump-input-context", "dump-input-filter"])


def plan(run: RunLine, paths: Paths, names: frozenset[str]) -> tuple[Stages, ...]:
    """Return the plan of a RUN line. `names` are the program names that mean the user's mlir-opt.

    Raises Unsupported, which names a program that this tool does not start.
    """
    return tuple(
        Stages(tuple(_stage(call, paths, names) for call in pipeline.calls), pipeline.after)
        for pipeline in parse(substituted(run.command, run.definitions))
    )


def _stage(call: Call, paths: Paths, names: frozenset[str]) -> Stage:
    words = [paths.filled(word) for word in call.words]
    negated = crashes = False
    while words and words[0] == "not":
        del words[0]
        negated = not negated
        if words and words[0] == "--crash":
            del words[0]
            crashes = True
    if not words:
        raise Unsupported("`not` without a program")
    program, *arguments = words
    redirections = tuple(
        Redirection(each.operator, each.descriptor, _redirected(each, paths)) for each in call.redirections
    )
    if program in names:
        _check_mlir_opt(arguments, paths)
        return Stage(Tool.MLIR_OPT, tuple(arguments), redirections, negated, crashes)
    if program in ("FileCheck", "filecheck"):
        return Stage(Tool.FILECHECK, _filecheck_arguments(arguments, paths), redirections, negated, crashes)
    if program == "count" and len(arguments) == 1 and arguments[0].isdecimal() and len(arguments[0]) < 10:
        return Stage(Tool.COUNT, tuple(arguments), redirections, negated, crashes)
    raise Unsupported(f"uses {program[:100]}")


def _redirected(redirection: Redirection, paths: Paths) -> str:
    target = paths.filled(redirection.target)
    if redirection.operator == ">&" and target in ("1", "2") and redirection.descriptor in (1, 2):
        return target
    if redirection.operator == "<":
        if redirection.descriptor not in (None, 0):
            raise Unsupported(f"uses {redirection.descriptor}<")
        check_readable(target, paths)
        return target
    if redirection.descriptor not in (None, 1, 2) or (
        redirection.descriptor is not None and redirection.operator in (">&", "&>")
    ):
        raise Unsupported(f"uses {redirection.descriptor}{redirection.operator}{target[:100]}")
    if not _may_be_written(target, paths):
        raise Unsupported(f"writes {target[:200]}, which is not a %t file")
    return target


def _may_be_written(path: str, paths: Paths) -> bool:
    return path == os.devnull or _is_below(os.path.join(paths.temporary, path), paths.temporary)


def _is_below(path: str, folder: str) -> bool:
    # Links need not be resolved: only mlir-opt could create a link in the temporary folder, and it does not.
    return os.path.normpath(path).startswith(os.path.join(os.path.normpath(folder), ""))


def check_readable(path: str, paths: Paths) -> None:
    """Raise Unsupported for a pipe or a device, which might block, and for a file outside the test's folder,
    after following links.

    A failed test shows the file's contents, so other files must not be read."""
    if path in (paths.source, os.devnull):
        return
    try:
        real = os.path.realpath(os.path.join(paths.temporary, path))
        folders = [os.path.realpath(folder) for folder in (paths.temporary, paths.folder)]
    except ValueError:
        return  # Opening the file will report the error.
    if not any(_is_below(real, folder) for folder in folders):
        raise Unsupported(f"reads {path[:200]}, which is outside the folder of the test")
    try:
        mode = os.stat(os.path.join(paths.temporary, path)).st_mode
    except (OSError, ValueError):
        return  # Opening the file will report the error.
    if not stat.S_ISREG(mode):
        raise Unsupported(f"reads {path[:200]}, which is not a regular file")


def _check_mlir_opt(arguments: list[str], paths: Paths) -> None:
    """Raise Unsupported if mlir-opt would do more than read and print."""
    before = ""
    for argument in arguments:
        if argument.startswith("@"):
            raise Unsupported(f"reads options from {argument[1:][:200]}")
        if _TOOLKIT.search(argument) is not None:
            raise Unsupported("uses a toolkit, whose programs would be started")
        is_option = argument.startswith("-") and argument != "-"
        name, has_value, value = argument.lstrip("-").partition("=") if is_option else ("", "", argument)
        refused = next((part for part in _REFUSED if part in f"-{name.lower().replace('_', '-')}"), None)
        if refused is not None or name == "load":
            raise Unsupported(f"uses --{name[:100]}, which loads, starts or writes something")
        output = value if name == "o" else argument if before == "o" else None
        if output is not None and (has_value or before == "o"):
            if output != "-" and not _may_be_written(output, paths):
                raise Unsupported(f"writes {output[:200]}, which is not a %t file")
        elif not is_option:
            check_readable(argument, paths)
        _check_paths(value, _WRITES.search(argument) is not None, paths)
        before = "" if has_value or not is_option else name


def _check_paths(value: str, writes: bool, paths: Paths) -> None:
    # The path of the test's folder may contain blanks, so replace it before splitting the rest of the value.
    for word in _PATHS.split(value if writes else value.replace(paths.folder, ".")):
        _check_path(word, writes, paths)


def _check_path(word: str, writes: bool, paths: Paths) -> None:
    """Raise Unsupported for a path outside the temporary folder; reading the test's folder is allowed,
    too."""
    if not (os.path.isabs(word) or ".." in word.split("/")) or word == os.devnull:
        return
    whole = os.path.normpath(os.path.join(paths.temporary, word))
    folders = (paths.temporary,) if writes else (paths.temporary, paths.folder)
    if not any(whole == folder or _is_below(whole, folder) for folder in folders):
        raise Unsupported(f"uses {word[:200]}, which is outside the folder of the test")


def _filecheck_arguments(arguments: list[str], paths: Paths) -> tuple[str, ...]:
    """Return the arguments for the package `filecheck`. Raises Unsupported for arguments that it lacks."""
    kept: list[str] = []
    rest = list(arguments)
    while rest:
        argument = rest.pop(0)
        if not argument.startswith("-") or argument == "-":
            check_readable(argument, paths)
            kept.append(argument)
            continue
        name, has_value, value = argument.lstrip("-").partition("=")
        if name.startswith("D") and has_value and not name.startswith("D#"):
            kept.append(f"-{name}={value}")
        elif name in _FILECHECK_FLAGS and not has_value:
            kept.append(f"--{name}")
        elif name in _FILECHECK_VALUES - {"D"} or name in _FILECHECK_SILENT:
            if not has_value and (name in _FILECHECK_VALUES or name in _SILENT_VALUES):
                if not rest:
                    raise Unsupported(f"FileCheck --{name} without a value")
                value = rest.pop(0)
            if name == "input-file" and value != "-":
                check_readable(value, paths)
            if name in _FILECHECK_VALUES:
                kept.append(f"--{name}={value}")
        else:
            raise Unsupported(f"uses FileCheck {argument[:100]}, which filecheck does not support")
    return tuple(kept)
