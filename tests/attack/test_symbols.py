"""Symbols that need quotes, in every op that uses symbols."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest

from gpuasync_lsp.cli import main
from gpuasync_lsp.exec.prepare import NotRunnable, prepare
from gpuasync_lsp.ide.features.completion import completions
from tests.attack.wire import URI, Wire
from tests.support.marks import at_cursor

needs_llvmlite = pytest.mark.skipif(not find_spec("llvmlite"), reason="llvmlite is not installed")

NAMES = ["my func", "0", "a-b", "a::b", "@a", "é", " ", "%", "//", "a{", "a)"]
"""Symbol names that must be quoted."""


def text(name: str) -> str:
    return f'func.func @"{name}"() -> i32 {{\n  %c = arith.constant 42 : i32\n  return %c : i32\n}}\n'


@needs_llvmlite
@pytest.mark.parametrize("name", [*NAMES, "a\\22b", "a\\5Cb"])
def test_they_run(tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    file = tmp_path / "a.mlir"
    file.write_text(text(name) + "func.func @other() { return }\n")
    plain = name.replace("\\22", '"').replace("\\5C", "\\")
    assert main(["run", "--device", "cpu", "--entry", plain, str(file)]) == 0
    assert "42" in capsys.readouterr().out


@pytest.mark.parametrize("entry", ["my func", '"my func"', '@"my func"', "@other", "other"])
def test_an_entry_may_be_written_as_in_the_file(entry: str) -> None:
    program = prepare(text("my func") + "func.func @other() { return }\n", 22, entry).program
    assert program.entry == ("other" if "other" in entry else '"my func"')


def test_what_can_be_run_is_said_as_it_is_written() -> None:
    with pytest.raises(
        NotRunnable, match=r'there is no function @"no such"; functions that can be run: @"my func"'
    ):
        prepare(text("my func"), 22, "no such")


@needs_llvmlite
def test_the_lens_of_one_runs_it() -> None:
    with Wire() as wire:
        wire.diagnosed(text("my func"))
        found = wire.ask("textDocument/codeLens", {"textDocument": {"uri": URI}})["result"]
        run = next(lens["command"] for lens in found if lens["command"]["title"] == "Run on CPU")
        params = {"command": run["command"], "arguments": run["arguments"]}
        assert wire.ask("workspace/executeCommand", params)["result"]["outcome"] == "ok"


@pytest.mark.parametrize("typed", ["@<|>", '@"<|>', '@"<|>"', '@"my<|>', '@"my fu<|>"'])
def test_they_are_completed_with_quotes(typed: str) -> None:
    state, offset = at_cursor(
        text("my func") + f"func.func @f() {{\n  %0 = func.call {typed}() : () -> i32\n}}\n"
    )
    found = next(c for c in completions(state, offset) if "my func" in c.text)
    assert state.text[: found.span.start] + found.text + state.text[found.span.end :] == (
        text("my func") + 'func.func @f() {\n  %0 = func.call @"my func"() : () -> i32\n}\n'
    )


def test_so_is_a_kernel_in_a_module() -> None:
    kernels = 'gpu.module @"my kernels" {\n  gpu.func @"a b"() kernel { gpu.return }\n}\n'
    for typed in ("@", '@"my k', '@"my kernels"::@', '@"my kernels"::@"a'):
        state, offset = at_cursor(kernels + f"func.func @f() {{\n  gpu.launch_func {typed}<|>\n}}\n")
        texts = {c.text: c.span.of(state.text) for c in completions(state, offset)}
        assert texts['@"my kernels"::@"a b"'] == typed
