"""Programs that mlir-opt's parser or verifier rejects: every command reports the same message."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.commands.test_cli import gpuasync

KERNELS = "gpu.module @kernels { gpu.func @k() kernel { gpu.return } }\n"
LAUNCH = "gpu.launch_func {} blocks in (%n, %n, %n) threads in (%n, %n, %n)\n  return"

REFUSED = {
    "a line that does not parse": "module {\nfunc.func @main() {\n  gpu.wait asink\n  return\n}\n}\n",
    "a value that nothing defines": "func.func @main() {\n  gpu.wait [%nowhere]\n  return\n}\n",
    "a name defined twice": "func.func @main() {\n  return\n}\nfunc.func @main() {\n  return\n}\n",
    "no terminator": "func.func @main() {\n  gpu.wait\n}\n",
    "a use that is not dominated": (
        "func.func @main() {\n  gpu.wait [%t]\n  %t = gpu.wait async\n  return\n}\n"
    ),
    "element types that differ": (
        "func.func @main(%a: memref<4xf32>, %b: memref<4xi8>) {\n"
        "  gpu.memcpy %a, %b : memref<4xf32>, memref<4xi8>\n  return\n}\n"
    ),
    **{
        f"a launch of {symbol}": (
            "module attributes {gpu.container_module} {\n"
            f"{KERNELS}func.func @main(%n: index) {{\n  {LAUNCH.format(symbol)}\n}}\n}}\n"
        )
        for symbol in ("@kernels", "@nothing", "@kernels::@nothing", "@kernels::@k::@x", "@nothing::@k")
    },
    "a launch outside of a container": (
        f"module {{\n{KERNELS}func.func @main(%n: index) {{\n  {LAUNCH.format('@kernels::@k')}\n}}\n}}\n"
    ),
    "a function marked as a container": (
        "func.func @main() attributes {gpu.container_module} {\n  return\n}\n"
    ),
    "a container that is marked by a value": (
        "module attributes {gpu.container_module = true} {\n"
        f"{KERNELS}func.func @main(%n: index) {{\n  {LAUNCH.format('@kernels::@k')}\n}}\n}}\n"
    ),
}


@pytest.mark.parametrize("what", REFUSED)
@pytest.mark.parametrize("version", ["16", "19", "22", "24"])
def test_all_commands_refuse_it(what: str, version: str, tmp_path: Path) -> None:
    (tmp_path / "f.mlir").write_text(REFUSED[what])
    checked = gpuasync("check", "f.mlir", "--llvm", version, "--output-format", "json", cwd=tmp_path)
    said = [each["message"].partition("\n")[0] for each in json.loads(checked.stdout)["findings"]]
    for command in ("lower", "streams", "run"):
        done = gpuasync(command, "f.mlir", "--llvm", version, cwd=tmp_path)
        assert done.returncode == 1, (command, done)
        assert done.stdout == ""
        assert any(f"error: {each}" in done.stderr for each in said), (command, done.stderr, said)
        assert "Traceback" not in done.stderr


def test_what_settings_silence_is_refused_as_well(tmp_path: Path) -> None:
    (tmp_path / "f.mlir").write_text("// gpuasync: ignore-file\n" + REFUSED["no terminator"])
    assert gpuasync("check", "f.mlir", cwd=tmp_path).returncode == 0
    assert gpuasync("lower", "f.mlir", cwd=tmp_path).returncode == 1


@pytest.mark.parametrize(
    "words",
    [("lower",), ("streams",), ("run",), ("passes",), ("reduce", "--finding", "GA203")],
    ids=lambda words: words[0],
)
def test_a_mistake_in_the_configuration_ends_it(words: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "f.mlir").write_text("func.func @main() {\n  return\n}\n")
    (tmp_path / "gpuasync.toml").write_text("llvm = 3\nmlir-opt = 1\n")
    done = gpuasync(words[0], "f.mlir", *words[1:], cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    said = done.stderr.splitlines()
    assert len(said) == 2
    assert all(line.startswith("gpuasync-lsp: error: ") and "gpuasync.toml" in line for line in said)


def test_parts_without_an_error_are_lowered(tmp_path: Path) -> None:
    wrong = "func.func @b() {\n  call @nothing() : () -> ()\n  return\n}\n"
    parts = ["func.func @a() {\n  return\n}\n", wrong, "func.func @c() {\n  return\n}\n"]
    (tmp_path / "parts.mlir").write_text("// -----\n".join(parts))
    done = gpuasync("lower", "--llvm", "22", "parts.mlir", cwd=tmp_path)
    assert done.returncode == 1
    first, second, third = done.stdout.split("// -----\n")
    assert ("@a" in first, second, "@c" in third) == (True, "", True)
    (tmp_path / "wrong.mlir").write_text(wrong)
    assert gpuasync("lower", "--llvm", "22", "wrong.mlir", cwd=tmp_path).stdout == ""
