"""RUN lines come from the workspace: none starts another program, writes elsewhere, or runs forever."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pytest

from gpuasync_lsp.ide.runlines import matching, running
from gpuasync_lsp.ide.runlines.closest import closest
from gpuasync_lsp.ide.runlines.results import Verdict
from gpuasync_lsp.ide.runlines.running import OwnMlirOpt, run_test
from gpuasync_lsp.ide.runlines.script import read_script
from gpuasync_lsp.ide.runlines.substitution import substituted
from gpuasync_lsp.ide.runlines.unsupported import Unsupported
from gpuasync_lsp.processes import Command, Origin
from gpuasync_lsp.text import LineIndex

ECHO = Command(
    (sys.executable, "-c", "import sys, os; print(os.getcwd(), sys.argv[1:])"), Origin.COMMAND_LINE
)
"""A substitute for mlir-opt that prints its arguments."""


def run(command: str, folder: Path, program: Command = ECHO, rest: str = "") -> tuple[Verdict, str]:
    """Run a RUN line of a test in `folder`; return its verdict and its output or problem."""
    text = f"// RUN: {command}\n{rest}"
    file = folder / "a.mlir"
    file.write_text(text)
    result = run_test(LineIndex(text), "a.mlir", file, OwnMlirOpt(program))
    return result.verdict, (
        result.runs[0].unsupported or result.runs[0].output
    ) if result.runs else result.reason


@pytest.mark.parametrize(
    "command",
    [
        "FileCheck %s --input-file={secret}",
        "FileCheck %s --input-file ../{secret}",
        "FileCheck %s < {secret}",
        "FileCheck {secret} < %s",
        "FileCheck %s --input-file=%S/link",
        "mlir-opt %S/link | FileCheck %s",
        "count 1 < %S/link",
    ],
)
def test_no_file_of_another_folder_is_read(command: str, tmp_path: Path) -> None:
    secret, folder = tmp_path / "secret", tmp_path / "folder"
    secret.write_text("hunter2\n")
    folder.mkdir()
    (folder / "link").symlink_to(secret)
    verdict, said = run(command.format(secret=secret), folder, rest="// CHECK: nothing\n")
    assert verdict is Verdict.UNSUPPORTED
    assert "outside the folder of the test" in said
    assert "hunter2" not in said


@pytest.mark.parametrize(
    "command",
    [
        "touch {victim}",
        "mlir-opt %s ; touch {victim}",
        "mlir-opt %s && touch {victim}",
        "mlir-opt %s | tee {victim}",
        "mlir-opt %s & touch {victim}",
        "mlir-opt %s > {victim}",
        "mlir-opt %s >> {victim}",
        "mlir-opt %s 2> {victim}",
        "mlir-opt %s &> {victim}",
        "mlir-opt %s > ../../../../../..{victim}",
        "mlir-opt %s > %t/../../victim",
        "mlir-opt %s -o {victim}",
        "mlir-opt %s --o={victim}",
        "mlir-opt %s -o=%S/victim",
        "mlir-opt %s `touch {victim}`",
        "mlir-opt %s $(touch {victim})",
        "mlir-opt %s ${{IFS}}",
        "mlir-opt @{victim}",
        "mlir-opt %s --load-pass-plugin={victim}",
        "mlir-opt %s -load={victim}",
        "mlir-opt %s -load {victim}",
        "mlir-opt %s --load_dialect_plugin={victim}",
        "mlir-opt %s --mlir-pass-pipeline-crash-reproducer={victim}",
        "mlir-opt %s --mlir-print-ir-tree-dir={victim}",
        "mlir-opt %s --log-actions-to={victim}",
        "mlir-opt %s --pass-pipeline='builtin.module(gpu-module-to-binary{{toolkit=%S}})'",
        "mlir-opt %s --pass-pipeline 'builtin.module(snapshot-op-locations{{filename={victim}}})'",
        "mlir-opt %s --snapshot-op-locations=filename=%S/victim",
        "mlir-opt %s --view-op-graph",
        "mlir-opt %s --run-reproducer",
        "./mlir-opt %s",
        "/bin/sh -c 'touch {victim}'",
        "not touch {victim}",
        "env touch {victim}",
        "FileCheck %s --input-file=/dev/zero",
        "FileCheck /dev/zero",
        "mlir-opt /dev/zero",
        "mlir-opt < /dev/zero",
        "%{{run}} %s",
        "perl -e 1",
    ],
)
def test_nothing_else_is_started_or_written(tmp_path: Path, command: str) -> None:
    victim = tmp_path / "victim"
    verdict, said = run(command.format(victim=victim), tmp_path)
    assert verdict is Verdict.UNSUPPORTED, said
    assert os.listdir(tmp_path) == ["a.mlir"]


def test_shell_characters_in_quotes_are_characters(tmp_path: Path) -> None:
    _, said = run("mlir-opt '; touch x' \"&& y\" '$(z)' \\| a*", tmp_path)
    assert said.endswith("['; touch x', '&& y', '$(z)', '|', 'a*']\n")


def test_a_file_with_a_hostile_name_stays_one_word(tmp_path: Path) -> None:
    folder = tmp_path / "a b;c '$(d)"
    folder.mkdir()
    _, said = run("mlir-opt %s", folder)
    assert said.count("a.mlir") == 1
    assert "$(d)" in said


def test_programs_run_where_nobody_has_put_files(tmp_path: Path) -> None:
    _, said = run("mlir-opt -x", tmp_path)
    assert "gpuasync-test-" in said.split(" ")[0]
    assert not os.path.exists(said.split(" ")[0])


def read_and_substitute(text: str) -> None:
    for each in read_script(LineIndex(text)).runs:
        substituted(each.command, each.definitions)


def test_lines_without_end_are_not_read(tmp_path: Path) -> None:
    start = time.perf_counter()
    for text in (
        "// RUN: " + "a" * 5_000_000,
        "// RUN: mlir-opt \\\n" * 200_000,
        "// RUN: mlir-opt\n" * 200_000,
        "RUN:" * 2_000_000,
        "// DEFINE: %{a} = b\n" + "// REDEFINE: %{a} = %{a} %{a}\n// RUN: %{a}\n" * 500,
    ):
        with pytest.raises(Unsupported):
            read_and_substitute(text)
    assert time.perf_counter() - start < 10


def test_definitions_that_grow_end() -> None:
    doubling = "".join(f"// DEFINE: %{{a{n + 1}}} = %{{a{n}}} %{{a{n}}}\n" for n in range(19))
    found = read_script(LineIndex(f"// DEFINE: %{{a0}} = x\n{doubling}// RUN: %{{a19}}\n"))
    with pytest.raises(Unsupported, match="65536"):
        substituted(found.runs[0].command, found.runs[0].definitions)


@pytest.mark.slow
def test_checks_that_take_for_ever_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("filecheck")
    monkeypatch.setattr(matching, "TIMEOUT", 1.5)
    printer = Command((sys.executable, "-c", "print('a' * 40)"), Origin.COMMAND_LINE)
    start = time.perf_counter()
    verdict, _ = run(
        "mlir-opt | FileCheck %s", tmp_path, printer, "// CHECK: {{(a|a)+$b}}\n// CHECK: {{(a+)+b}}\n"
    )
    assert verdict is Verdict.FAIL
    assert time.perf_counter() - start < 10


def test_output_without_end_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "MOST_OF_SOURCE", 2**20)
    printer = Command((sys.executable, "-c", "while True: print('a' * 10000)"), Origin.COMMAND_LINE)
    verdict, said = run("mlir-opt", tmp_path, printer)
    assert verdict is Verdict.UNSUPPORTED
    assert "more than 1 MiB" in said


@pytest.mark.slow
def test_a_program_that_does_not_end_is_ended_with_what_it_has_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running, "TIMEOUT", 1.0)
    left = tmp_path / "left"
    code = f"import os, time\nif os.fork() == 0: time.sleep(3); open({str(left)!r}, 'w')\ntime.sleep(60)"
    start = time.perf_counter()
    folder = tmp_path / "test"
    folder.mkdir()
    verdict, _ = run("mlir-opt", folder, Command((sys.executable, "-c", code), Origin.COMMAND_LINE))
    assert verdict is Verdict.FAIL
    assert time.perf_counter() - start < 3
    time.sleep(2.5)
    assert not left.exists()


def test_the_closest_line_of_a_huge_output_is_found_at_once() -> None:
    start = time.perf_counter()
    closest("{{" * 100_000 + "[[" * 100_000 + "a" * 1_000_000, ["ab" * 1_000_000] * 10_000)
    assert time.perf_counter() - start < 3
