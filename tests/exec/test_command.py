"""`gpuasync-lsp run` on the command line: every option, exit status and message."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.exec.harness import FIXTURES
from tests.support.command import gpuasync
from tests.support.texts import texts_beside

TEXTS = texts_beside(__file__)

np = pytest.importorskip("numpy")
pytest.importorskip("llvmlite")

SCALE = TEXTS["SCALE"]


@pytest.fixture
def scale(tmp_path: Path) -> Path:
    file = tmp_path / "scale.mlir"
    file.write_text(SCALE)
    return file


def command(file: Path | str, *options: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    folder = file.parent if isinstance(file, Path) else None
    return gpuasync("run", str(file), *options, stdin=stdin, cwd=folder, timeout=60)


def on_cpu(file: Path | str, *options: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    return command(file, "--device", "cpu", *options, stdin=stdin)


def test_arrays_go_in_and_out_as_npy(scale: Path) -> None:
    given = np.arange(12, dtype=np.float32).reshape(3, 4)
    np.save(scale.with_name("in.npy"), given)
    done = on_cpu(scale, "--entry", "scale", "--arg", "x=in.npy", "--arg", "n=-2", "--save", "out")
    assert done.returncode == 0, done.stderr
    assert "result 0 : i32\n  -2\n" in done.stdout
    assert "%x : memref<?x4xf32> (changed), saved as out/x.npy" in done.stdout
    np.testing.assert_array_equal(np.load(scale.with_name("out") / "x.npy"), given * -2)


@pytest.mark.slow
def test_extents_and_numbers_of_arguments(scale: Path) -> None:
    done = on_cpu(scale, "--entry", "scale", "--arg", "0=ones@2", "--arg", "1=3")
    assert "[[3. 3. 3. 3.]\n   [3. 3. 3. 3.]]" in done.stdout
    assert on_cpu(scale, "--entry", "scale", "--arg", "x=ones@2x4").returncode == 0
    same = [on_cpu(scale, "--entry", "scale", "--arg", "x=random:7@2").stdout.splitlines()[3] for _ in "ab"]
    assert same[0] == same[1]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("argument", "message"),
    [
        ("x=ones@2x3", "argument %x: @2x3 does not fit memref<?x4xf32>"),
        ("x=ones@twoxfour", "argument %x: @twoxfour does not fit memref<?x4xf32>"),
        ("x=random:dice", "argument %x: expected a number as the seed, not 'dice'"),
        ("x=nothing.npy", "argument %x: cannot read nothing.npy: No such file or directory"),
        ("x=junk.npy", "argument %x: expected an array saved by NumPy, not 'junk.npy'"),
        ("x=flat.npy", "argument %x: flat.npy holds 5 elements, but memref<?x4xf32> is expected"),
        ("n=many", "argument %n: expected a value of type i32, not 'many'"),
        ("q=1", "@scale has no argument q (it has: %x, %n)"),
        ("n", "expected NAME=VALUE, not 'n'"),
        ("n=99999999999", "argument %n: expected a value of type i32, not 99999999999"),
        ("n=1e300", "argument %n: expected a value of type i32, not '1e300'"),
    ],
)
def test_an_argument_that_cannot_be_made_is_refused(scale: Path, argument: str, message: str) -> None:
    scale.with_name("junk.npy").write_text("hello")
    np.save(scale.with_name("flat.npy"), np.zeros(5))
    done = on_cpu(scale, "--entry", "scale", "--arg", argument)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.slow
def test_options_that_mean_nothing_are_refused(scale: Path) -> None:
    for words, said in {
        "--schedules 0": "expected a number of orders of at least 1, not '0'",
        "--timeout 0": "expected a positive time in seconds, not '0'",
        "--timeout soon": "expected a positive time in seconds, not 'soon'",
        "--timeline t.foo": "expected a name that ends with .json or .svg, not 't.foo'",
        "--arg x=ones --arg 0=zeros": "argument %x is given 2 times",
    }.items():
        done = on_cpu(scale, "--entry", "scale", *words.split())
        assert (done.returncode, done.stdout) == (2, "")
        assert said in done.stderr


def test_what_cannot_run_says_why(scale: Path) -> None:
    done = on_cpu(scale)
    assert (done.returncode, done.stdout) == (2, "")
    assert "scale.mlir: error: there is no @main: specify the function to run" in done.stderr
    assert "@scale, @twice" in done.stderr
    missing = on_cpu(scale, "--entry", "h")
    assert "there is no function @h; functions that can be run: @scale, @twice" in missing.stderr
    tensor = on_cpu("-", stdin="func.func @f(%a: tensor<4xf32>) {\n  return\n}\n")
    assert ":1: error: @f cannot be run: argument %a has type tensor<4xf32>" in tensor.stderr
    assert "there is no function with a body to run" in on_cpu("-", stdin="module {}").stderr
    broken = on_cpu("-", stdin="func.func @main() {\n  gpu.nonsense\n  return\n}\n")
    assert broken.returncode == 1
    assert ":2: error: " in broken.stderr
    assert on_cpu(scale.with_name("nowhere.mlir")).returncode == 2


def test_json_is_the_whole_report(scale: Path) -> None:
    options = ("--entry", "twice", "--arg", "n=21", "--output-format", "json")
    report = json.loads(on_cpu(scale, *options).stdout)
    assert (report["outcome"], report["device"], report["values"][0]["preview"]) == ("ok", "cpu", "42")


def test_a_profile_a_trace_and_a_picture(scale: Path) -> None:
    common = ("--entry", "scale", "--arg", "x=ones@8", "--sync", "--profile")
    done = on_cpu(scale, *common, "--timeline", "t.json")
    assert "kernel @scale_kernel::@scale_kernel" in done.stdout
    assert "wait (--sync)" in done.stdout
    assert "overlap between streams: 0.0 us" in done.stdout
    events = json.loads(scale.with_name("t.json").read_text())["traceEvents"]
    kernel = next(e for e in events if e["name"].startswith("kernel"))
    assert (kernel["ph"], kernel["args"]["line"]) == ("X", 8)
    on_cpu(scale, *common, "--timeline", "t.svg")
    assert scale.with_name("t.svg").read_text().startswith("<svg ")


def test_a_file_that_cannot_be_written_is_told_and_the_run_shown(scale: Path) -> None:
    scale.with_name("file").write_text("")
    for options, message in (
        (("--save", "file/x"), "cannot save %x in file/x: Not a directory"),
        (("--timeline", "file/t.svg"), "cannot write file/t.svg: Not a directory"),
    ):
        done = on_cpu(scale, "--entry", "scale", "--arg", "x=ones@2", *options)
        assert done.returncode == 1
        assert message in done.stdout + done.stderr
        assert "%x : memref<?x4xf32> (changed)" in done.stdout
        assert "Traceback" not in done.stderr


@pytest.mark.slow
def test_findings_schedules_and_seeds() -> None:
    file = FIXTURES / "async_yield.mlir"
    done = on_cpu(file, "--llvm", "22", "--schedules", "10")
    assert done.returncode == 1
    assert done.stdout.count("Unranked Memref") == 1
    assert "what it prints depends on the order in which streams run: [42, 42] as late as" in done.stdout
    order = done.stdout.split("(order ")[1].split(";")[0]
    assert "[84,  84]" in on_cpu(file, "--llvm", "22", "--order", order).stdout
    assert "expected late, early" in on_cpu(file, "--order", "held").stderr
    assert on_cpu(file, "--llvm", "24", "--schedules", "10").returncode == 0


def test_the_time_limit() -> None:
    text = "func.func @main() {\n  cf.br ^again\n^again:\n  cf.br ^again\n}\n"
    done = on_cpu("-", "--timeout", "0.5", stdin=text)
    assert done.returncode == 1
    assert "timed out" in done.stdout
    assert "stopped after 0.5 s, the time limit" in done.stdout


def test_a_worker_behind_a_command(scale: Path) -> None:
    """`env` replaces ssh or srun: it starts the command that follows."""
    folder = Path(sys.executable).parent
    worker = f"env PATH={folder}:/usr/bin:/bin"
    done = on_cpu(scale, "--entry", "twice", "--arg", "n=4", "--worker", worker)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "result 0 : i32\n  8\n" in done.stdout
    missing = on_cpu(scale, "--entry", "twice", "--worker", "no-such-command -x")
    assert missing.returncode == 2
    assert "cannot start no-such-command" in missing.stderr


def test_without_a_gpu_one_sentence_says_what_to_do(scale: Path) -> None:
    done = command(scale, "--entry", "twice", "--device", "cuda")
    if done.returncode != 2:
        pytest.skip("this machine has a GPU")
    (sentence,) = done.stderr.splitlines()
    assert "run on the device cpu, or start the worker on a machine that has a GPU" in sentence
    assert command(scale, "--entry", "twice").returncode == 0, "auto takes the CPU"
