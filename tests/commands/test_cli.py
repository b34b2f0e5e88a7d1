"""The command line: arguments, standard output, standard error, exit status and files."""

from __future__ import annotations

import io
import json
import os
import re
import stat
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from shutil import which
from typing import Any

import pytest

from gpuasync_lsp.cli import main
from gpuasync_lsp.releases import DEFAULT, SPAN
from tests.support.tools import ROOT, missing, mlir_opt

BROKEN = """\
func.func @copy(%n: index, %input: memref<?xf32>) {
  %s = gpu.wait async
  %a, %at = gpu.alloc async [%s] (%n) : memref<?xf32>
  %f = gpu.memcpy async [%at] %a, %input : memref<?xf32>, memref<?xf32>
  %b, %bt = gpu.alloc async [%s] (%n) : memref<?xf32>
  %c = gpu.memcpy async [%f, %bt] %b, %a : memref<?xf32>, memref<?xf32>  // é
  %d = gpu.dealloc async [%c] %a : memref<?xf32>
  %e = gpu.dealloc async [%d] %b : memref<?xf32>
  gpu.wait [%e]
  return
}
"""
SOUND = BROKEN.replace("[%f, %bt]", "[%bt]").replace(
    "alloc async [%s] (%n) : memref<?xf32>\n  %c", "alloc async [%f] (%n) : memref<?xf32>\n  %c"
)
SELECT = ("--select", "GA101")


@dataclass(frozen=True)
class Result:
    """The exit status and output of a command."""

    returncode: int
    stdout: str
    stderr: str


def gpuasync(*arguments: str, cwd: Path, stdin: str | bytes = b"", **environment: str) -> Result:
    """Run the program in this process, in the folder `cwd`, without the developer's own settings."""
    home = str(cwd / ".home")
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", newline="") for _ in range(2))
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(cwd)
        for name in ("NO_COLOR", "FORCE_COLOR"):
            patch.delenv(name, raising=False)
        own = {"XDG_CONFIG_HOME": home, "APPDATA": home, "XDG_CACHE_HOME": home, "LOCALAPPDATA": home}
        for name, value in {**own, **environment}.items():
            patch.setenv(name, value)
        given = stdin.encode() if isinstance(stdin, str) else stdin
        patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(given), "utf-8"))
        patch.setattr(sys, "stdout", out)
        patch.setattr(sys, "stderr", err)
        try:
            code = main(arguments)
        except SystemExit as exit:
            code = exit.code if isinstance(exit.code, int) else 0
    texts: list[str] = []
    for stream in (out, err):
        stream.flush()
        assert isinstance(stream.buffer, io.BytesIO)
        texts.append(stream.buffer.getvalue().decode())
    return Result(code, *texts)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a broken and a correct file."""
    (tmp_path / "sub" / "deep").mkdir(parents=True)
    (tmp_path / "broken.mlir").write_text(BROKEN)
    (tmp_path / "sub" / "deep" / "sound.mlir").write_text(SOUND)
    return tmp_path


def findings(*arguments: str, cwd: Path, stdin: str = "") -> list[dict[str, Any]]:
    done = gpuasync("check", "--output-format", "json", *arguments, cwd=cwd, stdin=stdin)
    assert done.returncode in (0, 1), done.stderr
    return json.loads(done.stdout)["findings"]


class TestMain:
    def test_version(self, tmp_path: Path) -> None:
        from gpuasync_lsp import __version__

        assert gpuasync("--version", cwd=tmp_path).stdout == f"gpuasync-lsp {__version__}\n"

    @pytest.mark.parametrize("command", [[], ["check"], ["lower"], ["explain"]])
    def test_help(self, tmp_path: Path, command: list[str]) -> None:
        done = gpuasync(*command, "--help", cwd=tmp_path)
        assert done.returncode == 0
        assert done.stdout.startswith("usage: gpuasync-lsp")

    def test_nothing_to_do_is_unusable(self, tmp_path: Path) -> None:
        done = gpuasync(cwd=tmp_path)
        assert (done.returncode, done.stdout) == (2, "")
        assert "usage:" in done.stderr

    def test_a_command_shows_its_own_usage_at_an_unknown_option(self, tmp_path: Path) -> None:
        done = gpuasync("run", "--engine", "cpu", "x.mlir", cwd=tmp_path)
        assert done.returncode == 2
        assert done.stderr.startswith("usage: gpuasync-lsp run")
        assert "gpuasync-lsp run: error: unrecognized arguments: --engine x.mlir" in done.stderr

    @pytest.mark.parametrize("address", ["localhost", ":1", "host:99999", "host:x"])
    def test_an_address_needs_host_and_port(self, tmp_path: Path, address: str) -> None:
        done = gpuasync("--tcp", address, cwd=tmp_path)
        assert done.returncode == 2
        assert "is not HOST:PORT" in done.stderr

    def test_the_entry_point_is_installed(self) -> None:
        program = Path(sys.executable).parent / "gpuasync-lsp"
        if not program.exists():
            pytest.skip("the package is not installed in this environment")
        done = subprocess.run([program, "--version"], capture_output=True, text=True, check=True)
        assert done.stdout.startswith("gpuasync-lsp ")

    def test_a_reader_that_goes_away_is_no_traceback(self, folder: Path) -> None:
        command = [sys.executable, "-m", "gpuasync_lsp", "explain", "--all"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=folder) as process:
            assert process.stdout is not None
            process.stdout.close()
            _, error = process.communicate(timeout=60)
        assert b"Traceback" not in error


class TestCheck:
    def test_nothing_found(self, folder: Path) -> None:
        done = gpuasync("check", *SELECT, "sub", cwd=folder)
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout == f"Nothing found in 1 file (LLVM {DEFAULT}).\n"

    def test_findings(self, folder: Path) -> None:
        done = gpuasync("check", *SELECT, "broken.mlir", cwd=folder)
        assert done.returncode == 1
        lines = done.stdout.splitlines()
        assert lines[0].startswith("error[GA101] too-many-dependencies: ")
        assert any("--> broken.mlir:6:" in line for line in lines)
        source = next(i for i, line in enumerate(lines) if line.startswith("6 | "))
        assert lines[source + 1].index("^") == lines[source].index("[%f, %bt]")
        assert any("= fix: " in line and "(--fix)" in line for line in lines)
        assert lines[-1] == f"Found 1 error in 1 file (LLVM {DEFAULT}); 1 fixable with --fix."
        assert "\x1b" not in done.stdout

    def test_exit_zero(self, folder: Path) -> None:
        assert gpuasync("check", *SELECT, "--exit-zero", ".", cwd=folder).returncode == 0

    def test_folders_are_searched(self, folder: Path) -> None:
        (folder / ".hidden").mkdir()
        (folder / ".hidden" / "a.mlir").write_text(BROKEN)
        (folder / "a.txt").write_text(BROKEN)
        (folder / "sub" / "deep" / "sound.mlir").write_text(BROKEN)
        found = findings(*SELECT, cwd=folder)
        assert [f["file"] for f in found] == ["broken.mlir", "sub/deep/sound.mlir"]
        assert len(findings(*SELECT, ".", "broken.mlir", cwd=folder)) == 2, "each file once"

    def test_standard_input(self, tmp_path: Path) -> None:
        (finding,) = findings(*SELECT, "-", cwd=tmp_path, stdin=BROKEN)
        assert finding["file"] == "<stdin>"

    def test_json(self, folder: Path) -> None:
        (finding,) = findings(*SELECT, "--llvm", "22", "broken.mlir", cwd=folder)
        assert list(finding) == [
            "file", "code", "name", "severity", "message", "llvm", "start", "end", "related", "fixes",
            "function", "fingerprint", "loc",
        ]  # fmt: skip
        assert finding["code"] == "GA101"
        assert finding["llvm"] == 22
        assert finding["start"] == {"line": 6, "column": 25}
        assert finding["end"] == {"line": 6, "column": 34}
        assert finding["related"]
        fix = finding["fixes"][0]
        assert fix["safety"] == "safe"
        assert all(set(edit) == {"start", "end", "text"} for edit in fix["edits"])

    def test_sarif_and_github(self, folder: Path) -> None:
        sarif = json.loads(gpuasync("check", *SELECT, "--output-format", "sarif", cwd=folder).stdout)
        assert [r["ruleId"] for r in sarif["runs"][0]["results"]] == ["GA101"]
        github = gpuasync("check", *SELECT, "--output-format", "github", cwd=folder).stdout
        assert github.startswith("::error file=broken.mlir,line=6,endLine=6,col=25,endColumn=34,title=GA101")

    def test_colors_on_request(self, folder: Path) -> None:
        assert "\x1b[1;31merror[GA101]" in gpuasync("check", *SELECT, cwd=folder, FORCE_COLOR="1").stdout

    def test_select_and_ignore(self, folder: Path) -> None:
        assert not findings("--select", "GA2,GA402", "broken.mlir", cwd=folder)
        assert not findings("--select", "GA1", "--ignore", "too-many-dependencies", "broken.mlir", cwd=folder)
        assert findings("--select", "GA101", "--ignore", "GA1", "broken.mlir", cwd=folder)

    def test_comments_and_configuration_count(self, folder: Path) -> None:
        (folder / "gpuasync.toml").write_text("llvm = 19\nselect = ['GA101']\n[severity]\nGA101 = 'hint'\n")
        (finding,) = findings("broken.mlir", cwd=folder)
        assert (finding["llvm"], finding["severity"]) == (19, "hint")
        (folder / "broken.mlir").write_text("// gpuasync: llvm=16\n" + BROKEN)
        assert findings("--llvm", "22", "broken.mlir", cwd=folder)[0]["llvm"] == 16
        assert findings("-", cwd=folder, stdin=BROKEN)[0]["llvm"] == 19
        (folder / "broken.mlir").write_text(BROKEN.replace("// é", "// gpuasync: ignore[GA101]"))
        assert not findings("broken.mlir", cwd=folder)


class TestUnusable:
    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (["--llvm", "12", "."], f"unknown LLVM release '12'; known releases: {SPAN}, main"),
            (["--select", "GA999", "."], "there is no rule 'GA999'"),
            (["--ignore", "too-many-dependancies", "."], "did you mean 'too-many-dependencies'?"),
            (["missing.mlir"], "cannot read missing.mlir: No such file"),
            (["latin.mlir"], "latin.mlir is not UTF-8: byte 3"),
            (["--diff", "--output-format", "json", "."], "--diff cannot be combined"),
            (["--output-format", "xml"], "invalid choice: 'xml'"),
        ],
    )
    def test_is_said_clearly(self, folder: Path, arguments: list[str], message: str) -> None:
        (folder / "empty").mkdir()
        (folder / "latin.mlir").write_bytes(b"// \xe9\n")
        done = gpuasync("check", *arguments, cwd=folder)
        assert done.returncode == 2
        assert message in done.stderr
        assert "Traceback" not in done.stderr

    @pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root reads everything")
    def test_a_file_that_may_not_be_read(self, folder: Path) -> None:
        (folder / "broken.mlir").chmod(0)
        assert "cannot read broken.mlir: Permission denied" in gpuasync("check", cwd=folder).stderr

    def test_a_folder_that_may_not_be_read(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        scandir = os.scandir

        def refuse(path: str) -> object:
            if os.path.basename(path) == "deep":
                raise PermissionError(13, "Permission denied", path)
            return scandir(path)

        monkeypatch.setattr(os, "scandir", refuse)
        done = gpuasync("check", *SELECT, ".", cwd=folder)
        assert done.returncode == 2
        assert "cannot read sub/deep: Permission denied" in done.stderr.replace("./", "")
        assert "error[GA101]" in done.stdout

    def test_the_rest_is_checked_all_the_same(self, folder: Path) -> None:
        done = gpuasync("check", *SELECT, "missing.mlir", "broken.mlir", cwd=folder)
        assert done.returncode == 2
        assert "error[GA101]" in done.stdout
        done = gpuasync("check", *SELECT, "missing.mlir", "broken.mlir", "--exit-zero", cwd=folder)
        assert done.returncode == 0
        assert "cannot read missing.mlir" in done.stderr

    def test_a_mistake_in_the_configuration_is_said_once(self, folder: Path) -> None:
        (folder / "gpuasync.toml").write_text("select = ['GA101']\nlvm = 22\n")
        done = gpuasync("check", ".", cwd=folder)
        assert done.returncode == 2
        assert done.stderr.count("gpuasync.toml:2: unknown setting 'lvm'; did you mean 'llvm'?") == 1
        assert "error[GA101]" in done.stdout


class TestFix:
    def test_repairs_the_file(self, folder: Path) -> None:
        done = gpuasync("check", *SELECT, "--fix", "broken.mlir", cwd=folder)
        assert done.returncode == 0, done.stdout
        assert (folder / "broken.mlir").read_text() == BROKEN.replace("[%f, %bt]", "[%bt]")
        assert done.stderr == "Applied 1 fix in 1 file.\n"

    def test_leaves_a_sound_file_alone(self, folder: Path) -> None:
        path = folder / "sub" / "deep" / "sound.mlir"
        before = path.stat()
        assert gpuasync("check", *SELECT, "--fix", str(path), cwd=folder).returncode == 0
        assert (path.stat().st_mtime_ns, path.stat().st_ino) == (before.st_mtime_ns, before.st_ino)

    def test_a_diff_writes_nothing(self, folder: Path) -> None:
        done = gpuasync("check", *SELECT, "--diff", cwd=folder)
        assert done.returncode == 1
        assert (folder / "broken.mlir").read_text() == BROKEN
        lines = done.stdout.splitlines()
        assert lines[:2] == ["--- a/broken.mlir", "+++ b/broken.mlir"]
        assert [
            line[:1] for line in lines if "[%f, %bt]" in line or "%c = gpu.memcpy async [%bt]" in line
        ] == ["-", "+"]

    def test_a_diff_can_be_applied(self, folder: Path) -> None:
        if which("patch") is None:
            missing("patch is not installed (Debian: patch)")
        diff = gpuasync("check", *SELECT, "--diff", "broken.mlir", cwd=folder).stdout
        subprocess.run(["patch", "-s", "-p1"], input=diff, text=True, cwd=folder, check=True)
        assert gpuasync("check", *SELECT, "broken.mlir", cwd=folder).returncode == 0

    def test_a_diff_keeps_line_ends_and_breaks_lines_as_patch_does(self, folder: Path) -> None:
        text = BROKEN.replace("// é", "// \f\u2028").replace("\n", "\r\n")
        (folder / "broken.mlir").write_bytes(text.encode())
        diff = gpuasync("check", *SELECT, "--diff", "broken.mlir", cwd=folder).stdout
        lines = diff.split("\n")[3:-1]
        assert all(line.endswith("\r") for line in lines)
        assert [line[:1] for line in lines] == [" "] * 3 + ["-", "+"] + [" "] * 3

    def test_keeps_line_ends_byte_order_mark_and_mode(self, folder: Path) -> None:
        path = folder / "broken.mlir"
        path.write_bytes(b"\xef\xbb\xbf" + BROKEN.replace("\n", "\r\n").encode())
        path.chmod(0o640)
        assert gpuasync("check", *SELECT, "--fix", cwd=folder).returncode == 0
        expected = BROKEN.replace("[%f, %bt]", "[%bt]").replace("\n", "\r\n")
        assert path.read_bytes() == b"\xef\xbb\xbf" + expected.encode()
        assert stat.S_IMODE(path.stat().st_mode) == 0o640

    def test_new_lines_end_as_the_others_do(self, folder: Path) -> None:
        text = BROKEN.replace(
            "  %b, %bt = gpu.alloc async [%s]", "  %t = gpu.wait async\n  %b, %bt = gpu.alloc async [%t]"
        )
        path = folder / "broken.mlir"
        path.write_bytes(text.replace("\n", "\r\n").encode())
        gpuasync("check", *SELECT, "--unsafe-fixes", cwd=folder)
        fixed = path.read_bytes()
        assert fixed.count(b"\r\n") == fixed.count(b"\n") > text.count("\n")

    def test_a_link_stays_a_link(self, folder: Path) -> None:
        (folder / "link.mlir").symlink_to("broken.mlir")
        assert gpuasync("check", *SELECT, "--fix", "link.mlir", cwd=folder).returncode == 0
        assert (folder / "link.mlir").is_symlink()
        assert "[%f, %bt]" not in (folder / "broken.mlir").read_text()

    def test_standard_input_comes_out_repaired(self, tmp_path: Path) -> None:
        done = gpuasync("check", *SELECT, "--fix", "-", cwd=tmp_path, stdin=BROKEN)
        assert done.returncode == 0
        assert done.stdout == BROKEN.replace("[%f, %bt]", "[%bt]")
        assert "Nothing found" in done.stderr

    def test_repairing_twice_changes_nothing_more(self, folder: Path) -> None:
        gpuasync("check", "--unsafe-fixes", cwd=folder)
        once = (folder / "broken.mlir").read_text()
        gpuasync("check", "--unsafe-fixes", cwd=folder)
        assert (folder / "broken.mlir").read_text() == once


class TestLower:
    def test_prints_runtime_calls(self, folder: Path) -> None:
        done = gpuasync("lower", "--llvm", "22", "sub/deep/sound.mlir", cwd=folder)
        assert (done.returncode, done.stderr) == (0, "")
        assert "llvm.call @mgpuStreamCreate" in done.stdout
        assert "gpu.memcpy" not in done.stdout

    def test_says_what_is_left_behind(self, folder: Path) -> None:
        done = gpuasync("lower", "--llvm", "22", "broken.mlir", cwd=folder)
        assert done.returncode == 0
        assert "gpu.memcpy async" in done.stdout
        assert "broken.mlir:6:8: note: " in done.stderr

    def test_fails_where_that_version_fails(self, folder: Path) -> None:
        done = gpuasync("lower", "--llvm", "16", "broken.mlir", cwd=folder)
        assert done.returncode == 1
        message = "error: failed to legalize operation 'gpu.memcpy' that was explicitly marked illegal"
        assert f"broken.mlir:6:8: {message}" in done.stderr

    def test_standard_input(self, tmp_path: Path) -> None:
        done = gpuasync("lower", "-", cwd=tmp_path, stdin=SOUND)
        assert done.returncode == 0
        assert "mgpuStreamCreate" in done.stdout

    def test_a_syntax_error_is_an_error(self, tmp_path: Path) -> None:
        done = gpuasync("lower", "-", cwd=tmp_path, stdin="func.func @f( {\n")
        assert done.returncode == 1
        assert "<stdin>:1:" in done.stderr

    @pytest.mark.parametrize("arguments", [["missing.mlir"], ["broken.mlir", "--llvm", "3"], []])
    def test_unusable(self, folder: Path, arguments: list[str]) -> None:
        done = gpuasync("lower", *arguments, cwd=folder)
        assert (done.returncode, done.stdout) == (2, "")
        assert "Traceback" not in done.stderr

    def test_an_unknown_stage_names_those_there_are(self, folder: Path) -> None:
        done = gpuasync("lower", "--stage", "nonsense", "broken.mlir", cwd=folder)
        assert done.returncode == 2
        assert "gpu-to-llvm" in done.stderr


class TestExplain:
    @pytest.mark.parametrize("rule", ["GA101", "ga101", "too-many-dependencies"])
    def test_one_rule(self, tmp_path: Path, rule: str) -> None:
        done = gpuasync("explain", rule, cwd=tmp_path)
        assert done.returncode == 0
        assert "GA101" in done.stdout
        assert "too-many-dependencies" in done.stdout

    def test_all(self, tmp_path: Path) -> None:
        from gpuasync_lsp.analysis import RULES

        out = gpuasync("explain", "--all", cwd=tmp_path).stdout
        assert all(rule.code in out for rule in RULES)

    @pytest.mark.parametrize(("rule", "message"), [("GA999", "there is no rule"), ("GA1", "several rules")])
    def test_no_such_rule(self, tmp_path: Path, rule: str, message: str) -> None:
        done = gpuasync("explain", rule, cwd=tmp_path)
        assert done.returncode == 2
        assert message in done.stderr


def test_passes_tells_what_each_pass_of_a_dump_did(tmp_path: Path) -> None:
    header = "// -----// IR Dump After {0} ({0}) //----- //\n"
    text = header.format("a") + SOUND + "\n" + header.format("b") + BROKEN
    (tmp_path / "dump.txt").write_text(text)
    done = gpuasync("passes", "--llvm", "22", "dump.txt", cwd=tmp_path)
    assert done.returncode == 0
    assert "begins GA101 too-many-dependencies at dump.txt:20:" in done.stdout
    assert done.stdout.endswith("2 passes, 1 with changes; 1 finding begins, 0 end (LLVM 22).\n")
    done = gpuasync("passes", "-", "--llvm", "22", "--output-format", "json", cwd=tmp_path, stdin=text)
    one, other = json.loads(done.stdout)
    assert (one["pass"], one["line"], one["changed"]) == ("a", 1, None)
    assert (other["pass"], other["line"], other["changed"], other["scope"]) == (
        "b",
        14,
        True,
        "func.func @copy",
    )
    check = gpuasync("check", "--llvm", "22", "--output-format", "json", "-", cwd=tmp_path, stdin=BROKEN)
    (expected,) = (each for each in json.loads(check.stdout)["findings"] if each["code"] == "GA101")
    (found,) = other["begin"]
    assert {**found, "start": 0, "end": 0, "related": 0, "fixes": 0} == {
        **{key: expected[key] for key in found}, "start": 0, "end": 0, "related": 0, "fixes": 0
    }  # fmt: skip
    assert found["start"] == {"line": expected["start"]["line"] + 14, "column": expected["start"]["column"]}
    done = gpuasync(
        "passes", "-", cwd=tmp_path, stdin=header.format("a Failed").replace("(a Failed)", "(a)") + SOUND
    )
    assert done.returncode == 1
    assert "failed" in done.stdout


def test_passes_names_the_first_pass_with_a_finding() -> None:
    dump = str(ROOT / "examples" / "dumps" / "two_streams.txt")
    done = gpuasync("passes", "--llvm", "22", dump, "--finding", "stream-destroyed-twice", cwd=ROOT)
    said = "GA201 first occurs after canonicalize on builtin.module, line 60 (LLVM 22).\n"
    assert (done.returncode, done.stdout.endswith(said)) == (0, True)
    words = ("passes", "--llvm", "22", dump, "--output-format", "json", "--finding")
    done = gpuasync(*words, "GA201", cwd=ROOT)
    assert [row["line"] for row in json.loads(done.stdout) if row.get("first")] == [60]
    assert gpuasync(*words, "GA101", cwd=ROOT).returncode == 1
    assert gpuasync(*words, "GA999", cwd=ROOT).returncode == 2


def test_passes_does_not_drown_in_what_was_there_before(tmp_path: Path) -> None:
    leaks = "  %t = gpu.wait async\n  %u = gpu.wait async\n  gpu.wait [%u, %u]\n".replace("%", "%{0}")
    body = "".join(leaks.format(letter) for letter in "abcdefghijklmno")
    dump = f"// -----// IR Dump After A (a) //----- //\nfunc.func @f() {{\n{body}  return\n}}\n"
    lines = gpuasync("passes", "-", cwd=tmp_path, stdin=dump).stdout.splitlines()
    assert sum("already there: GA" in line for line in lines) == 10
    assert re.fullmatch(r"already there: \d+ more", lines[11].strip())
    lines = gpuasync("passes", "-", "--finding", "GA201", cwd=tmp_path, stdin=dump).stdout.splitlines()
    assert all("GA201" in line for line in lines if "already there: GA" in line)


def test_passes_of_the_folder_of_a_dump(tmp_path: Path) -> None:
    """The folder of `--mlir-print-ir-tree-dir` gives the same result as a dump in one text."""
    words = (
        "--pass-pipeline=builtin.module(canonicalize,func.func(cse,gpu-async-region),canonicalize,gpu-to-llvm)",
        "--mlir-print-ir-after-all",
        "--mlir-disable-threading",
    )
    tool, tree = mlir_opt(22), tmp_path / "tree"
    tool(SOUND, *words, f"--mlir-print-ir-tree-dir={tree}")
    found: list[list[dict[str, object]]] = []
    for argument, stdin in ((str(tree), ""), ("-", tool(SOUND, *words).err)):
        done = gpuasync(
            "passes", argument, "--llvm", "22", "--output-format", "json", cwd=tmp_path, stdin=stdin
        )
        found.append([{**row, "line": 0, "begin": 0, "end": 0} for row in json.loads(done.stdout)])
    assert found[0] == found[1]
    assert [row["pass"] for row in found[0]][-1] == "gpu-to-llvm"
    done = gpuasync("passes", str(tree), "--dump", "whole.txt", cwd=tmp_path)
    assert done.returncode == 0
    assert (tmp_path / "whole.txt").read_text().count("IR Dump After") == len(found[0])
    assert gpuasync("passes", ".", cwd=tmp_path / "tree" / "builtin_module_no-symbol-name").returncode == 0
    assert gpuasync("passes", "/proc/self/fd", cwd=tmp_path).returncode == 2


@pytest.mark.parametrize(
    "written",
    [
        '"builtin.module(func.func(gpu-async-region),gpu-to-llvm{use-bare-pointers-for-host=1})"',
        '["func.func(gpu-async-region)", "gpu-to-llvm{use-bare-pointers-for-host=1}"]',
        '["--gpu-async-region", "gpu-to-llvm{use-bare-pointers-for-host=1}"]',
        '"gpu-async-region,gpu-to-llvm{use-bare-pointers-for-host=1}"',
    ],
)
def test_a_pipeline_in_a_configuration_is_that_of_the_command_line(tmp_path: Path, written: str) -> None:
    (tmp_path / "gpuasync.toml").write_text(f"pipeline = {written}\n")
    (tmp_path / "f.mlir").write_text(SOUND)
    configured = gpuasync("lower", "f.mlir", "--llvm", "22", cwd=tmp_path)
    (tmp_path / "gpuasync.toml").unlink()
    said = gpuasync(
        *("lower", "f.mlir", "--llvm", "22", "--pipeline"),
        "builtin.module(func.func(gpu-async-region),gpu-to-llvm{use-bare-pointers-for-host=1})",
        cwd=tmp_path,
    )
    assert (configured.returncode, configured.stdout) == (said.returncode, said.stdout)
    assert "llvm.func" in said.stdout


def test_passes_of_numbered_files(tmp_path: Path) -> None:
    """Files without headers are named after their passes, in the natural order of their names."""
    for name, text in (
        ("origin.mlir", SOUND),
        ("pass2-first_pass.mlir", SOUND.replace("%bt]", "%f]")),
        ("pass10-second-pass.mlir", SOUND),
    ):
        (tmp_path / "numbered").mkdir(exist_ok=True)
        (tmp_path / "numbered" / name).write_text(f"module {{\n{text}}}\n")
    done = gpuasync("passes", "numbered", "--output-format", "json", cwd=tmp_path)
    rows = json.loads(done.stdout)
    assert [row["pass"] for row in rows] == ["input", "first-pass", "second-pass"]
    assert [row["changed"] for row in rows] == [None, True, True]
    (tmp_path / "numbered" / "other.mlir").write_text(SOUND)
    assert gpuasync("passes", "numbered", cwd=tmp_path).returncode == 2


def test_passes_of_what_is_no_dump(tmp_path: Path) -> None:
    done = gpuasync("passes", "-", cwd=tmp_path, stdin=SOUND)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("gpuasync-lsp: error: <stdin> is not an IR dump: ")
    assert gpuasync("passes", "gone", cwd=tmp_path).returncode == 2


@pytest.mark.parametrize("real", [False, True], ids=["builtin", "mlir-opt"])
def test_passes_runs_a_pipeline(tmp_path: Path, real: bool) -> None:
    if real and which("mlir-opt-16") is None:
        missing("mlir-opt-16 is not installed")
    (tmp_path / "f.mlir").write_text(SOUND.replace("async [%bt]", "async [%f, %bt]"))
    words = [
        "passes",
        "f.mlir",
        "--llvm",
        "16",
        "--pipeline",
        "canonicalize,gpu-to-llvm",
        "--dump",
        "out.txt",
    ]
    words += ["--mlir-opt", "mlir-opt-16"] if real else []
    done = gpuasync(*words, "--output-format", "json", cwd=tmp_path)
    assert done.returncode == 1
    assert "error: failed to legalize operation 'gpu.memcpy'" in done.stderr.replace(
        "f.mlir: <stdin>:5:8: ", ""
    )
    first, canonicalize, failed = json.loads(done.stdout)
    assert (first["pass"], canonicalize["pass"], failed["pass"]) == ("input", "canonicalize", "gpu-to-llvm")
    assert (canonicalize["failed"], failed["failed"]) == (False, True)
    (finding,) = (each for each in first["begin"] if each["code"] == "GA101")
    line = (tmp_path / "out.txt").read_text().splitlines()[finding["start"]["line"] - 1]
    assert "gpu.memcpy async [" in line
    if real:
        again = subprocess.run(
            ["mlir-opt-16"],  # LLVM 16 always runs a reproducer.
            input=failed["reproducer"],
            capture_output=True,
            text=True,
            check=False,
        )
        assert "failed to legalize operation 'gpu.memcpy'" in again.stderr


@pytest.mark.skipif(os.name != "posix", reason="the program is a shell script")
def test_a_pass_that_crashes_is_told_with_its_reproducer(tmp_path: Path) -> None:
    program = tmp_path / "mlir-opt"
    text = "// -----// IR Dump Before {0} ({0}) //----- //\nmodule {{\n}}\n"
    said = text.format("good") + text.format("good").replace("Before", "After") + text.format("bad")
    (tmp_path / "said").write_text(said)
    program.write_text(f"#!/bin/sh\ncat {tmp_path}/said >&2\nkill -SEGV $$\n")
    program.chmod(0o755)
    done = gpuasync(
        "passes", "-", "--llvm", "22", "--pipeline", "good,bad{x=1}", "--mlir-opt", str(program), cwd=tmp_path
    )
    assert done.returncode == 1
    assert f"bad    builtin.module  failed: {program} crashed (status -11)" in done.stdout
    assert 'pipeline: "builtin.module(bad{x=1})"' in done.stdout
    assert done.stdout.count("failed") == 1


def test_passes_refuses_what_it_cannot_run(tmp_path: Path) -> None:
    (tmp_path / "f.mlir").write_text(SOUND)
    for words, said in (
        (("--pipeline", "no-such-pass"), "no release of LLVM has a pass 'no-such-pass'"),
        (("--pipeline", "--no-such-pass"), "no release of LLVM has a pass 'no-such-pass'"),
        (("--pipeline", "--engine", "mlir-opt"), "expected one argument"),
        (("--pipeline", "cse("), "expected ')'"),
        (("--pipeline", "cse", "--engine", "mlir-opt"), "specify your mlir-opt"),
        (("--pipeline", "cse", "--mlir-opt", "/no/such/program"), "/no/such/program"),
        (("--dump", "x"), "require --pipeline"),
    ):
        done = gpuasync("passes", "f.mlir", "--llvm", "22", *words, cwd=tmp_path)
        assert (done.returncode, done.stdout) == (2, "")
        assert said in done.stderr


def test_reduce_writes_what_is_left_and_a_report(tmp_path: Path) -> None:
    file = str(ROOT / "examples" / "broken" / "destroyed_twice.mlir")
    words = ("reduce", file, "--llvm", "22", "--finding", "stream-destroyed-twice")
    done = gpuasync(*words, "--output", "out.mlir", "--report", "report.md", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, "")
    text = (tmp_path / "out.mlir").read_text()
    assert len(text.splitlines()) == 5
    assert text in (tmp_path / "report.md").read_text()
    assert gpuasync("reduce", file, "--finding", "GA401", cwd=tmp_path).returncode == 1
    assert gpuasync("reduce", file, "--mlir-opt-crash", cwd=tmp_path).returncode == 2
    assert gpuasync("reduce", file, cwd=tmp_path).returncode == 2
