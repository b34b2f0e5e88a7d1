"""`check` in a project with existing findings: exit status, suppressions, baselines, excludes, cache."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from shutil import which

import pytest

from gpuasync_lsp.ide.document import finding_cache
from tests.commands.test_cli import BROKEN, SOUND, gpuasync
from tests.support.tools import ROOT, missing

SELECT = ("--select", "GA101")
INFORMATION = ROOT / "examples" / "sound" / "leaking_join.mlir"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A repository with a broken file, a file that git ignores, and a third-party file."""
    for name in ("a.mlir", "ignored/b.mlir", "third_party/c.mlir", "build/d.mlir", ".hidden/e.mlir"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(BROKEN)
    (tmp_path / ".git").mkdir()
    (tmp_path / ".gitignore").write_text("/ignored/\n")
    return tmp_path


def files(*arguments: str, cwd: Path, **environment: str) -> list[str]:
    done = gpuasync("check", *SELECT, "--output-format", "json", *arguments, cwd=cwd, **environment)
    return [finding["file"] for finding in json.loads(done.stdout)["findings"]]


class TestStatus:
    @pytest.mark.parametrize(
        ("level", "status"), [("error", 0), ("warning", 0), ("information", 1), ("hint", 1)]
    )
    def test_the_level_decides(self, tmp_path: Path, level: str, status: int) -> None:
        (tmp_path / "a.mlir").write_text(INFORMATION.read_text())
        done = gpuasync("check", "--fail-on", level, cwd=tmp_path)
        assert "information[GA504]" in done.stdout
        assert done.returncode == status

    def test_sound_examples_pass(self) -> None:
        done = gpuasync("check", "--no-cache", "examples/sound", cwd=ROOT)
        assert (done.returncode, done.stderr) == (0, "")

    def test_a_broken_setting_fails_whatever_is_asked(self, project: Path) -> None:
        (project / "gpuasync.toml").write_text("lvm = 22\n")
        done = gpuasync("check", "--exit-zero", "--output-format", "sarif", cwd=project)
        assert done.returncode == 2
        (invocation,) = json.loads(done.stdout)["runs"][0]["invocations"]
        assert "unknown setting 'lvm'" in invocation["toolConfigurationNotifications"][0]["message"]["text"]

    def test_all_outputs_are_complete_where_a_file_cannot_be_read(self, project: Path) -> None:
        (project / "bad.mlir").write_bytes(b"\xff")
        done = gpuasync("check", *SELECT, "--exit-zero", "--output-format", "github", cwd=project)
        assert done.returncode == 0
        assert "::error file=bad.mlir,line=1::bad.mlir is not UTF-8" in done.stdout
        assert "::error file=a.mlir" in done.stdout


class TestIgnores:
    def test_are_added_with_a_reason_and_count(self, project: Path) -> None:
        done = gpuasync("check", *SELECT, "--add-ignore", "--reason", "older than the check", cwd=project)
        assert (done.returncode, done.stderr) == (0, "Added 2 ignores in 2 files.\n")
        lines = (project / "a.mlir").read_text().splitlines()
        (line,) = (line for line in lines if "gpuasync" in line)
        assert line.endswith("// é  // gpuasync: ignore[GA101] -- older than the check")
        assert gpuasync("check", *SELECT, cwd=project).returncode == 0

    def test_join_the_comment_that_is_there(self, tmp_path: Path) -> None:
        (tmp_path / "a.mlir").write_text(BROKEN.replace("// é", "// gpuasync: ignore[GA402] -- why"))
        gpuasync("check", *SELECT, "--add-ignore", cwd=tmp_path)
        assert "// gpuasync: ignore[GA402, GA101] -- why\n" in (tmp_path / "a.mlir").read_text()

    def test_stand_above_a_line_that_is_a_comment(self, tmp_path: Path) -> None:
        (tmp_path / "a.mlir").write_text("  // gpuasync: ignore[GA1O1]\r\n")
        done = gpuasync("check", "--add-ignore", "-q", cwd=tmp_path)
        assert done.returncode == 0
        text = (tmp_path / "a.mlir").read_bytes()
        assert text == b"  // gpuasync: ignore[GA009]\r\n  // gpuasync: ignore[GA1O1]\r\n"

    def test_can_be_looked_at_first(self, project: Path) -> None:
        before = (project / "a.mlir").read_text()
        done = gpuasync("check", *SELECT, "--add-ignore", "--diff", cwd=project)
        assert "+  %c = gpu.memcpy" in done.stdout
        assert (project / "a.mlir").read_text() == before

    def test_those_that_are_unused_go(self, tmp_path: Path) -> None:
        (tmp_path / "a.mlir").write_text(SOUND.replace("// é", "// gpuasync: ignore[GA101]"))
        done = gpuasync("check", cwd=tmp_path)
        assert done.returncode == 0
        assert "information[GA010] unused-suppression: No GA101 is found on line 6" in done.stdout
        gpuasync("check", "--fix", cwd=tmp_path)
        assert (tmp_path / "a.mlir").read_text() == SOUND.replace("  // é", "")


class TestBaseline:
    def test_what_is_known_is_left_out_while_lines_move(self, project: Path) -> None:
        done = gpuasync("check", *SELECT, "--baseline", "known.json", "--write-baseline", cwd=project)
        assert (done.returncode, done.stdout) == (0, "")
        assert done.stderr.startswith("Wrote 2 findings to ")
        known = json.loads((project / "known.json").read_text())
        assert list(known["findings"]) == ["a.mlir", "third_party/c.mlir"]
        (project / "gpuasync.toml").write_text('baseline = "known.json"\n')
        moved = "// a new line\n" + BROKEN.replace("  %c =", "      %c =")
        (project / "a.mlir").write_text(moved)
        done = gpuasync("check", *SELECT, cwd=project)
        assert done.returncode == 0
        assert "2 known findings are left out" in done.stderr
        (project / "a.mlir").write_text(moved + BROKEN.replace("@copy", "@other"))
        done = gpuasync("check", *SELECT, cwd=project)
        assert done.returncode == 1
        assert done.stdout.count("error[GA101]") == 1

    def test_what_is_known_is_not_repaired(self, project: Path) -> None:
        gpuasync("check", "--baseline", "known.json", "--write-baseline", cwd=project)
        done = gpuasync("check", "--fix", "--baseline", "known.json", cwd=project)
        assert done.returncode == 0
        assert (project / "a.mlir").read_text() == BROKEN

    def test_what_is_gone_is_told_and_forgotten(self, project: Path) -> None:
        baseline = ("--baseline", "known.json")
        gpuasync("check", *SELECT, *baseline, "--write-baseline", cwd=project)
        (project / "a.mlir").write_text(SOUND)
        done = gpuasync("check", *SELECT, *baseline, cwd=project)
        assert "note: 1 known finding is no longer present" in done.stderr
        gpuasync("check", *SELECT, *baseline, "--write-baseline", "a.mlir", cwd=project)
        assert list(json.loads((project / "known.json").read_text())["findings"]) == ["third_party/c.mlir"]

    @pytest.mark.parametrize(
        "text",
        [
            None,
            "{",
            "[]",
            '{"version": 2}',
            '{"version": 1, "findings": {"a.mlir": [{"rule": 1}]}}',
            "[" * 9999,
        ],
    )
    def test_one_that_cannot_be_read_is_an_error(self, project: Path, text: str | None) -> None:
        if text is not None:
            (project / "known.json").write_text(text)
        done = gpuasync("check", "--baseline", "known.json", cwd=project)
        assert done.returncode == 2
        assert "cannot read the baseline" in done.stderr
        assert "known.json" in done.stderr

    def test_one_that_cannot_be_read_is_in_the_report(self, project: Path) -> None:
        done = gpuasync("check", "--baseline", "known.json", "--output-format", "sarif", cwd=project)
        assert done.returncode == 2
        (run,) = json.loads(done.stdout)["runs"]
        (told,) = run["invocations"][0]["toolConfigurationNotifications"]
        assert "known.json" in told["message"]["text"]

    def test_a_configured_one_is_made_where_there_is_none(self, project: Path) -> None:
        """Also if the findings of the files are cached."""
        assert gpuasync("check", *SELECT, cwd=project).returncode == 1
        (project / "gpuasync.toml").write_text('baseline = "known.json"\n')
        for _ in range(2):
            assert gpuasync("check", *SELECT, "--write-baseline", cwd=project).returncode == 0
        assert gpuasync("check", *SELECT, cwd=project).returncode == 0

    def test_one_that_cannot_be_written_is_an_error(self, project: Path) -> None:
        done = gpuasync("check", "--baseline", "no/such/folder.json", "--write-baseline", cwd=project)
        assert done.returncode == 2
        assert "cannot write" in done.stderr
        assert "internal error" not in done.stderr

    def test_it_has_a_name(self, project: Path) -> None:
        done = gpuasync("check", "--write-baseline", cwd=project)
        assert done.returncode == 2
        assert "specify the file with --baseline" in done.stderr


class TestWhichFiles:
    def test_git_and_custom_leave_out(self, project: Path) -> None:
        assert files(cwd=project) == ["a.mlir", "third_party/c.mlir"]
        assert files("--extend-exclude", "third_party/", cwd=project) == ["a.mlir"]
        assert files("--exclude", "a.mlir", cwd=project) == [
            ".hidden/e.mlir", "build/d.mlir", "third_party/c.mlir",
        ]  # fmt: skip

    def test_who_is_named_is_checked_unless_forced(self, project: Path) -> None:
        named = ["ignored/b.mlir", "build/d.mlir", ".hidden/e.mlir", "third_party/c.mlir", "a.mlir"]
        assert files(*named, cwd=project) == named
        (project / "gpuasync.toml").write_text('extend-exclude = ["third_party"]\n')
        assert files("--force-exclude", *named, cwd=project) == ["a.mlir"]
        assert files("ignored", cwd=project) == ["ignored/b.mlir"]
        assert files("--force-exclude", "ignored", cwd=project) == []

    def test_a_list(self, project: Path) -> None:
        (project / "list").write_text("a.mlir\n\nbuild/d.mlir\n")
        assert files("@list", cwd=project) == ["a.mlir", "build/d.mlir"]
        (project / "@here.mlir").write_text(BROKEN)
        assert files("@here.mlir", cwd=project) == ["@here.mlir"]
        done = gpuasync("check", "@nothing", cwd=project)
        assert done.returncode == 2
        assert "cannot read the list nothing" in done.stderr

    def test_standard_input_has_a_name(self, project: Path) -> None:
        (project / "gpuasync.toml").write_text('[per-file."third_party/"]\nllvm = 19\n')
        named = ("--stdin-filename", "third_party/new.mlir", "-")
        done = gpuasync("check", *SELECT, "--output-format", "json", *named, cwd=project, stdin=BROKEN)
        (finding,) = json.loads(done.stdout)["findings"]
        assert (finding["file"], finding["llvm"]) == ("third_party/new.mlir", 19)
        forced = ("--fix", "--force-exclude", "--stdin-filename", "build/new.mlir", "-")
        done = gpuasync("check", *forced, cwd=project, stdin=BROKEN)
        assert (done.returncode, done.stdout) == (0, BROKEN)


class TestOutput:
    def test_to_a_file(self, project: Path) -> None:
        done = gpuasync("check", *SELECT, "--output", "out.json", "--output-format", "json", cwd=project)
        assert (done.returncode, done.stdout) == (1, "")
        assert json.loads((project / "out.json").read_text())["findings"]
        assert gpuasync("check", "--output", "no/such/out", cwd=project).returncode == 2

    def test_quiet_and_statistics(self, project: Path) -> None:
        assert gpuasync("check", *SELECT, "-q", "--statistics", cwd=project).stdout == (
            "2  GA101  error        too-many-dependencies\n"
        )
        assert gpuasync("check", "-q", "--select", "GA201", cwd=project).stdout == ""

    @pytest.mark.parametrize("name", ["a.mlir", "b c.mlir", 'q"u\\o.mlir', "é\t.mlir"])
    def test_git_takes_the_diff(self, tmp_path: Path, name: str) -> None:
        if which("git") is None:
            missing("git is not installed")
        (tmp_path / "sub").mkdir()
        (tmp_path / "sub" / name).write_text(BROKEN)
        git = ["git", "-c", "core.autocrlf=false"]
        subprocess.run([*git, "init", "--quiet"], cwd=tmp_path, check=True)
        for path in ("sub", str(tmp_path / "sub")):
            diff = gpuasync("check", *SELECT, "--diff", path, cwd=tmp_path).stdout
            subprocess.run([*git, "apply", "--check"], input=diff.encode(), cwd=tmp_path, check=True)
        subprocess.run([*git, "apply"], input=diff.encode(), cwd=tmp_path, check=True)
        assert gpuasync("check", *SELECT, cwd=tmp_path).returncode == 0

    @pytest.mark.parametrize(
        "arguments",
        [
            ["--add-ignore", "--fix"], ["--write-baseline", "--diff"], ["--reason", "x"], ["--watch", "-"],
            ["--statistics", "--output-format", "json"], ["--stdin-filename", "x", "."],
            ["--add-ignore", "--reason", "a // b"],
        ],
    )  # fmt: skip
    def test_what_does_not_go_together(self, project: Path, arguments: list[str]) -> None:
        done = gpuasync("check", *arguments, cwd=project)
        assert done.returncode == 2
        assert "usage: gpuasync-lsp check" in done.stderr


class TestCache:
    def test_the_second_run_checks_nothing_and_says_the_same(
        self, project: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        from gpuasync_lsp.commands import check_file

        first = gpuasync("check", cwd=project)
        checked: list[str] = []
        real = check_file.check_in_time

        def counted(checker: object, text: str) -> object:
            checked.append(text)
            return real(checker, text)  # type: ignore[arg-type]

        monkeypatch.setattr(check_file, "check_in_time", counted)
        assert gpuasync("check", cwd=project) == first
        assert not checked
        (project / "a.mlir").write_text(SOUND)
        assert gpuasync("check", cwd=project).stdout != first.stdout
        assert checked == [SOUND]
        gpuasync("check", "--llvm", "19", cwd=project)
        assert len(checked) == 3, "for another release all is another"
        gpuasync("check", "--llvm", "19", "--no-cache", cwd=project)
        assert len(checked) == 5

    def test_another_version_of_the_package_knows_nothing(
        self, project: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        from gpuasync_lsp.commands import check_file

        gpuasync("check", cwd=project)
        monkeypatch.setattr(check_file, "package_stamp", lambda: "another")
        monkeypatch.setattr(check_file, "check_in_time", lambda checker, text: ((), None))
        assert "Nothing found in 2 files" in gpuasync("check", cwd=project).stdout

    @pytest.mark.parametrize("content", [b"", b"no database", None])
    def test_a_broken_one_is_made_again(self, project: Path, content: bytes | None) -> None:
        first = gpuasync("check", cwd=project)
        path = project / ".home" / "gpuasync-lsp" / "check.sqlite"
        if content is None:
            path.unlink()
            path.mkdir()
        else:
            path.write_bytes(content)
        assert gpuasync("check", cwd=project) == first

    def test_it_is_bounded(self, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(finding_cache, "MOST_BYTES", 3_000)
        for number in range(8):
            (project / "a.mlir").write_text(BROKEN.replace("@copy", f"@copy{number}"))
            gpuasync("check", cwd=project)
        import sqlite3

        opened = sqlite3.connect(project / ".home" / "gpuasync-lsp" / "check.sqlite")
        (size,) = opened.execute("SELECT sum(length(findings)) FROM found").fetchone()
        opened.close()
        assert 0 < size <= 3_000


class TestWatch:
    def test_checks_again_after_a_change(
        self, project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        watchfiles = pytest.importorskip("watchfiles")

        def watch(*roots: Path, watch_filter: object) -> object:
            (project / "a.mlir").write_text(SOUND)
            yield {(watchfiles.Change.modified, str(project / "a.mlir"))}
            raise KeyboardInterrupt

        monkeypatch.setattr(watchfiles, "watch", watch)
        done = gpuasync("check", *SELECT, "--watch", "--extend-exclude", "third_party", cwd=project)
        assert done.returncode == 130
        assert [line for line in done.stdout.splitlines() if line.startswith(("Found", "Nothing"))] == [
            "Found 1 error in 1 file (LLVM 23); 1 fixable with --fix.",
            "Nothing found in 1 file (LLVM 23).",
        ]
