"""Programs that once caused a Python exception in an analysis or a request."""

from __future__ import annotations

import ctypes
from pathlib import Path

import pytest

from gpuasync_lsp.cli import main
from gpuasync_lsp.exec.worker.cpu.kernels.printf import MOST, formatted
from gpuasync_lsp.ide.document.targets import Target, comment_target
from gpuasync_lsp.ide.features.lenses import lenses
from tests.attack.test_time import repeated, within
from tests.attack.wire import URI, Wire
from tests.support.hostile import choices
from tests.support.marks import state_of
from tests.support.texts import texts_beside
from tests.support.tools import mlir_opt

TEXTS = texts_beside(__file__)

WAITS_TWICE = "func.func @twice() {\n  %t = gpu.wait async\n  gpu.wait [%t]\n  gpu.wait [%t]\n  return\n}\n"


def test_lenses_of_a_module_of_several_blocks() -> None:
    state = state_of('"builtin.module"() ({\n  func.func @f() {\n    return\n  }\n^bb1:\n}) : () -> ()\n')
    list(lenses(state))


def test_an_operand_that_is_defined_within_its_op() -> None:
    """A use before it has taken the definition: to mlir-opt the operand is unlinked."""
    text = """func.func @f() {
  "u.a"(%x) : (!async.token) -> ()
  %t = async.execute [%x] {
    %x = async.execute {
      async.yield
    }
    async.yield
  }
  return
}
"""
    (problem,) = state_of(text).source.problems()
    assert problem.span.of(text) == "async.execute"
    assert problem.message in mlir_opt(22)(text, "--allow-unregistered-dialect").err


def test_a_comment_that_begins_again_and_again() -> None:
    with within(2):
        assert comment_target(repeated("// gpuasync: ")) is None
        assert comment_target(repeated("// gpuasync: llvm ")) is None
    assert comment_target("// gpuasync: // gpuasync: llvm=19") == Target(19, "comment on line 1")


FLAT = TEXTS["FLAT"]


@pytest.mark.parametrize("version", [16, 22])
@pytest.mark.parametrize("kernel", ["here", "nowhere"])
def test_a_kernel_without_its_module(
    version: int, kernel: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The kernel reference is a flat symbol: `check` and `lower` report mlir-opt's error."""
    path = tmp_path / "a.mlir"
    path.write_text(FLAT.replace("KERNEL", kernel))
    said = mlir_opt(version)(path.read_text()).err
    wanted = said.partition(" error: ")[2].partition("\n")[0]
    assert wanted.startswith("'gpu.launch_func' op ")
    for command in ("check", "lower"):
        assert main([command, "--llvm", str(version), str(path)]) == 1
        shown = capsys.readouterr()
        assert wanted in shown.out + shown.err


@pytest.mark.parametrize("names", ["(a+)+b", "(a|a)*b", "a{900}{900}", "a*a*b", "[]", "a" * 1_000])
def test_a_costly_expression_for_modules(
    names: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "a.mlir"
    path.write_text("gpu.module @" + "a" * 60 + " {\n}\n")
    with within(5):
        assert main(
            ["lower", "--pipeline", f"builtin.module(nvvm-attach-target{{module={names}}})", str(path)]
        )
    assert "option 'module'" in capsys.readouterr().err


@pytest.mark.parametrize("form", ["<{%s}>", "{%s}"])
def test_a_kernel_that_is_no_symbol(form: str, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "text.mlir"
    sizes = "array<i32: 0, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0>"
    attributes = form % f'kernel = "k", operandSegmentSizes = {sizes}'
    file.write_text(
        "module attributes {gpu.container_module} {\n  func.func @f(%c: index) {\n"
        f'    "gpu.launch_func"(%c, %c, %c, %c, %c, %c) {attributes} :'
        " (index, index, index, index, index, index) -> ()\n    return\n  }\n}\n"
    )
    for command in ("check", "lower"):
        assert main([command, "--llvm", "22", str(file)]) == 1
        assert "error" in "".join(capsys.readouterr())


@pytest.mark.slow
def test_many_modules(tmp_path: Path) -> None:
    """The cost of a module depends on its own content, not on the file's."""
    file = tmp_path / "text.mlir"
    file.write_text("".join(f"module @m{n} {{ func.func @f() {{ return }} }}\n" for n in range(4_000)))
    with within(15):
        assert main(["check", str(file)]) == 0


LOST = {
    "values": "%x{n} = arith.addi %a{n}, %b{n} : i32",
    "blocks": "cf.cond_br %c, ^u{n}, ^v{n}\n^b{n}:",
    "kernels": "gpu.launch_func @k::@u{n} blocks in (%i, %i, %i) threads in (%i, %i, %i)",
}
KNOWN = "".join(f"    gpu.func @k{n}() kernel {{ gpu.return }}\n" for n in range(1_000))


@pytest.mark.parametrize("line", LOST.values(), ids=LOST)
def test_many_names_that_nothing_defines(
    line: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As after deleting the head of a long function: each name is reported, and some get a suggestion."""
    file = tmp_path / "text.mlir"
    lines = "".join(f"    {line.format(n=n)}\n" for n in range(1_000))
    file.write_text(
        f"module attributes {{gpu.container_module}} {{\n  gpu.module @k {{\n{KNOWN}  }}\n"
        f"  func.func @f(%c: i1, %i: index) {{\n{lines}    return\n  }}\n}}\n"
    )
    with within(15):
        assert main(["check", "--llvm", "22", str(file)]) == 1
    assert int(capsys.readouterr().out.rpartition("Found ")[2].split()[0]) >= 1_000


@pytest.mark.parametrize("element", ["1", "true", "0.5", '"0x01000000"'])
def test_an_element_that_stands_for_many(element: str, tmp_path: Path) -> None:
    """A splat is not expanded: the parsed attribute is as large as the text."""
    kind = {"t": "i1", "0": "f32"}.get(element[0], "i32")
    file = tmp_path / "text.mlir"
    file.write_text(
        f"func.func @f() {{\n  %c = arith.constant dense<{element}> : tensor<99999999999x{kind}>\n"
        "  return\n}\n"
    )
    with within(3):
        assert main(["check", "--llvm", "22", str(file)]) == 0
        assert main(["lower", "--llvm", "22", str(file)]) == 0


def test_a_position_beyond_all_integers() -> None:
    """xDSL packs the position into 64 bits."""
    text = """func.func @f(%v: vector<4x4xf32>) -> vector<4xf32> {
  %0 = vector.extract %v[99999999999999999999] : vector<4xf32> from vector<4x4xf32>
  return %0 : vector<4xf32>
}
"""
    assert state_of(text).source.chunks


@pytest.mark.slow
def test_the_server_says_what_took_too_long_and_answers_meanwhile() -> None:
    with Wire() as wire:
        wire.open(choices(800) + WAITS_TWICE)
        assert wire.diagnosed(WAITS_TWICE, "file:///tmp/other.mlir")
        shown = wire.until(
            lambda m: (
                m.get("method") == "textDocument/publishDiagnostics"
                and m["params"]["uri"] == URI
                and any(each["code"] == "GA201" for each in m["params"]["diagnostics"])
            )
        )
        codes = [each["code"] for each in shown["params"]["diagnostics"]]
        assert codes == ["GA008", "GA201"]


@pytest.mark.parametrize("spec", ["%2000000000d", "%.2000000000d", f"%{'9' * 5000}d", f"%.{'9' * 5000}x"])
def test_a_printf_of_billions_of_blanks(spec: str) -> None:
    """Python rejects a width of more than 4,300 digits."""
    argument = ctypes.c_int32(7)
    with within(2):
        assert len(formatted(spec, ctypes.addressof(argument))) == MOST


def test_assembly_of_the_host(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """LLVM aborts the process on invalid assembly."""
    program = tmp_path / "assembly.mlir"
    program.write_text(
        'func.func @main() {\n  llvm.inline_asm has_side_effects "bogus", "" : () -> ()\n  return\n}\n'
    )
    assert main(["run", "--device", "cpu", str(program)]) == 2
    assert f"{program}:2: error: inline assembly on the host is not supported" in capsys.readouterr().err


VARIABLES = [f"x{number}" for number in range(2_000)]
LONG = {
    "lists of elements": f"#a = dense<{'[' * 2_000}1{']' * 2_000}> : tensor<1xi32>\n",
    "a sum of dimensions": f"#m = affine_map<({', '.join(VARIABLES)}) -> ({' + '.join(VARIABLES)})>\n",
    "a sum of symbols": f"#m = affine_map<()[{', '.join(VARIABLES)}] -> ({' + '.join(VARIABLES)})>\n",
    "locations in locations": f'#l = loc({"fused[" * 1_000}"a"{"]" * 1_000})\n',
}


@pytest.mark.parametrize("text", LONG.values(), ids=LONG)
def test_long_attributes(text: str) -> None:
    with within(2):
        assert not any("recursion" in each.message for each in state_of(text).source.problems())


def test_an_attribute_that_is_nested_too_deeply() -> None:
    text = f"#a = dense<{'[' * 20_000}1{']' * 20_000}> : tensor<1xi32>\nfunc.func @f() {{ return }}\n"
    assert [each.message for each in state_of(text).source.problems()] == ["this is nested too deeply"]


def test_an_op_that_is_wrong_of_what_an_unknown_op_makes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The op cannot be verified, since the results of the unknown op are unknown."""
    file = tmp_path / "text.mlir"
    file.write_text(
        "func.func @f(%x: f32) {\n  %m = mine.alloc() : memref<2xf32>\n"
        "  memref.store %x, %m[] : memref<2xf32>\n  return\n}\n"
    )
    main(["lower", "--llvm", "22", str(file)])
    assert "memref.store" in capsys.readouterr().out
