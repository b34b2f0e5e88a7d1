"""Settings: their sources, precedence, and messages about mistakes."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from gpuasync_lsp.ide.document.checker import Checker
from gpuasync_lsp.ide.document.config_files import ConfigFile, user_config, user_config_path
from gpuasync_lsp.ide.document.path_patterns import PathPatterns
from gpuasync_lsp.ide.document.settings import Settings, SettingsError, from_mapping, llvm_version, rule_words
from gpuasync_lsp.ide.document.targets import (
    Resolved,
    SettingsResolver,
    Target,
    comment_target,
    installed_version,
)
from gpuasync_lsp.processes import Command, Origin
from gpuasync_lsp.releases import DEFAULT, NEWEST, SPAN
from gpuasync_lsp.text import Severity
from tests.support.tools import ROOT


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A temporary home folder, so that the developer's own settings have no effect."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("APPDATA", str(tmp_path / "home"))
    return tmp_path / "home" / "gpuasync-lsp"


def fake_mlir_opt(folder: Path, output: str) -> Command:
    """Return a command that prints `output` for `--version` and appends a line to `asked` on each call."""
    script = folder / "fake_mlir_opt.py"
    script.write_text(f"open({str(folder / 'asked')!r}, 'a').write('x')\nprint({output!r})\n")
    return Command((sys.executable, str(script)), Origin.USER_FILE)


def target(folder: Path, text: str = "", **settings: object) -> Target:
    override = Settings(**settings)  # type: ignore[arg-type]
    return SettingsResolver(override, user_config()).resolve(folder / "a.mlir", text).target


class TestTarget:
    def test_without_anything_it_is_the_newest(self, tmp_path: Path) -> None:
        assert target(tmp_path) == Target(DEFAULT, "newest release")

    def test_each_source_wins_over_the_next(self, tmp_path: Path, home: Path) -> None:
        home.mkdir(parents=True)
        python, script = fake_mlir_opt(tmp_path, "LLVM version 17.0.6").words
        (home / "config.toml").write_text(f"mlir-opt = ['{python}', '{script}']\n")
        assert target(tmp_path) == Target(17, python)
        (home / "config.toml").write_text(f"llvm = 18\nmlir-opt = ['{python}', '{script}']\n")
        assert target(tmp_path).version == 18
        (tmp_path / "pyproject.toml").write_text("[tool.gpuasync-lsp]\nllvm = 19\n")
        assert target(tmp_path) == Target(19, str(tmp_path / "pyproject.toml"))
        (tmp_path / "gpuasync.toml").write_text("llvm = '20.1.8'\n")
        assert target(tmp_path) == Target(20, str(tmp_path / "gpuasync.toml"))
        assert target(tmp_path, llvm=21) == Target(21, "setting")
        assert target(tmp_path, "\n  // gpuasync: llvm=22\n", llvm=21) == Target(22, "comment on line 2")

    def test_the_nearest_folder_wins(self, tmp_path: Path) -> None:
        inner = tmp_path / "a" / "b"
        inner.mkdir(parents=True)
        (tmp_path / "gpuasync.toml").write_text("llvm = 16\n")
        assert target(inner).version == 16
        (tmp_path / "a" / "pyproject.toml").write_text("[project]\nname = 'gpuasync-lsp'\n")
        assert target(inner).version == 16, "a pyproject.toml without our table does not count"
        (tmp_path / "a" / "gpuasync.toml").write_text("llvm = 19\n")
        assert target(inner).version == 19

    def test_a_changed_file_is_read_again(self, tmp_path: Path) -> None:
        config = tmp_path / "gpuasync.toml"
        resolver = SettingsResolver()
        config.write_text("llvm = 16\n")
        assert resolver.resolve(tmp_path / "a.mlir", "").target.version == 16
        config.write_text("llvm =  19\n")
        assert resolver.resolve(tmp_path / "a.mlir", "").target.version == 19
        config.unlink()
        assert resolver.resolve(tmp_path / "a.mlir", "").target.version == DEFAULT

    def test_mlir_opt_is_asked_once(self, tmp_path: Path) -> None:
        command = fake_mlir_opt(tmp_path, "Debian LLVM version 19.1.7\n  Optimized build.")
        assert [installed_version(command) for _ in range(3)] == [19] * 3
        assert (tmp_path / "asked").read_text() == "x"

    @pytest.mark.parametrize("output", ["", "clang 3"])
    def test_what_is_no_mlir_opt_is_reported(self, tmp_path: Path, output: str) -> None:
        resolver = SettingsResolver(Settings(mlir_opt=fake_mlir_opt(tmp_path, output)))
        for _ in range(2):
            resolved = resolver.resolve(None, "")
            assert resolved.target.version == DEFAULT
            assert "does not name an LLVM version" in str(resolved.problems[0])
        assert (tmp_path / "asked").read_text() == "x"

    def test_a_missing_mlir_opt_is_reported(self) -> None:
        resolved = SettingsResolver(
            Settings(mlir_opt=Command(("/nowhere/mlir-opt",), Origin.USER_FILE))
        ).resolve(None, "")
        assert "/nowhere/mlir-opt" in str(resolved.problems[0])

    def test_an_unknown_version_in_a_comment_is_reported_with_its_line(self, tmp_path: Path) -> None:
        path = tmp_path / "a.mlir"
        text = "// gpuasync: ignore[GA501]\n// gpuasync: llvm=99\n"
        resolved = SettingsResolver().resolve(path, text)
        assert (
            str(resolved.problems[0]) == f"{path}:2: unknown LLVM release '99'; known releases: {SPAN}, main"
        )
        assert resolved.target.version == DEFAULT

    def test_other_comments_name_no_target(self) -> None:
        assert comment_target("// gpuasync: ignore[GA501]") is None
        assert comment_target("// llvm=22") is None


@pytest.mark.parametrize("value", [22, "22", "22.1.8"])
def test_spellings_of_a_version(value: object) -> None:
    assert llvm_version(value) == 22


def test_main_is_the_newest_version() -> None:
    assert llvm_version("main") == NEWEST
    assert comment_target("// gpuasync: llvm=main") == Target(NEWEST, "comment on line 1")


@pytest.mark.parametrize("value", [15, 99, "", "new", 22.5, True, None, [], "-22"])
def test_unknown_versions(value: object) -> None:
    with pytest.raises(SettingsError, match=f"known releases: {SPAN}, main"):
        llvm_version(value)


def level(code: str = "GA501", name: str = "serialized-fork", **settings: object) -> Severity | None:
    """Return the severity of a rule in a checker with these settings."""
    resolved = Resolved(Settings(**settings), Target(22, ""))  # type: ignore[arg-type]
    return Checker(resolved).config.level(code, name, Severity.INFORMATION)


class TestLevel:
    def test_default(self) -> None:
        assert level() is Severity.INFORMATION

    @pytest.mark.parametrize("word", ["GA501", "ga5", "GA", "ALL", "serialized-fork"])
    def test_selected(self, word: str) -> None:
        assert level(select=(word,)) is Severity.INFORMATION
        assert level(ignore=(word,)) is None
        assert level(severity={word: Severity.ERROR}) is Severity.ERROR
        assert level(severity={word: "off"}) is None

    def test_not_selected(self) -> None:
        assert level(select=("GA1", "GA502")) is None
        assert level(select=()) is None

    def test_the_longer_word_wins(self) -> None:
        assert level(select=("GA501",), ignore=("GA5",)) is Severity.INFORMATION
        assert level(select=("GA5",), ignore=("GA501",)) is None
        assert level(select=("GA501",), ignore=("GA501",)) is None
        assert level(severity={"GA501": Severity.HINT, "GA5": Severity.ERROR}) is Severity.HINT

    def test_a_syntax_error_is_reported_unless_it_is_ignored(self) -> None:
        assert level("GA001", "syntax-error", select=("GA1",)) is Severity.INFORMATION
        assert level("GA001", "syntax-error", ignore=("GA001",)) is None


class TestMapping:
    def read(
        self, values: dict[str, object], origin: Origin = Origin.USER_FILE
    ) -> tuple[Settings, dict[str, str]]:
        mistakes: dict[str, str] = {}
        return from_mapping(values, mistakes.__setitem__, origin), mistakes

    def test_everything(self) -> None:
        settings, mistakes = self.read(
            {
                "llvm": 22,
                "select": ["ALL"],
                "ignore": ["GA5", "unawaited-token"],
                "severity": {"GA402": "error", "GA1": "off"},
                "pipeline": ["--gpu-async-region", "gpu-to-llvm"],
                "mlir-opt": "mlir-opt-22",
            }
        )
        assert not mistakes
        assert settings == Settings(
            22,
            ("ALL",),
            ("GA5", "unawaited-token"),
            {"GA402": Severity.ERROR, "GA1": "off"},
            ("func.func(gpu-async-region)", "gpu-to-llvm"),
            Command(("mlir-opt-22",), Origin.USER_FILE),
        )

    def test_nothing_is_lost_by_a_mistake(self) -> None:
        settings, mistakes = self.read(
            {
                "llvm": 3,
                "selekt": [],
                "select": ["GA101", "GA999"],
                "ignore": "GA5",
                "severity": {"GA401": "loud", "GA402": "hint"},
                "mlir-opt": [],
            }
        )
        assert settings == Settings(select=("GA101",), severity={"GA402": Severity.HINT})
        assert mistakes["selekt"] == "unknown setting 'selekt'; did you mean 'select'?"
        assert mistakes["select"].startswith("there is no rule 'GA999'")
        assert set(mistakes) == {"llvm", "selekt", "select", "ignore", "GA401", "mlir-opt"}

    def test_an_editor_says_null_for_what_is_not_set(self) -> None:
        assert self.read({"llvm": None, "select": None}) == (Settings(), {})

    def test_a_workspace_names_no_program(self) -> None:
        for origin in (Origin.WORKSPACE_FILE, Origin.CLIENT_SETTINGS):
            for spelt in ("mlir-opt", "mlirOpt"):
                settings, mistakes = self.read({spelt: "./evil"}, origin)
                assert settings == Settings()
                assert "cannot specify a program" in mistakes[spelt]

    def test_the_setting_of_a_program_has_one_spelling(self) -> None:
        settings, mistakes = self.read({"mlirOpt": "/bin/mlir-opt"})
        assert settings == Settings()
        assert "is spelled 'mlir-opt'" in mistakes["mlirOpt"]


def test_an_unknown_rule_is_named_with_what_was_meant() -> None:
    with pytest.raises(SettingsError, match="did you mean 'too-many-dependencies'"):
        rule_words(["too-many-dependancies"])


class TestFiles:
    def problems(self, folder: Path, name: str, text: str) -> list[str]:
        (folder / name).write_text(text)
        resolved = SettingsResolver().resolve(folder / "a.mlir", "")
        return [str(p).removeprefix(f"{folder}/") for p in resolved.problems]

    def test_a_mistake_has_its_line(self, tmp_path: Path) -> None:
        text = "# comment\nllvm = 22\nfancy = 1\n[severity]\nGA401 = 'error'\nGA402 = 'loud'\n"
        first, second = self.problems(tmp_path, "gpuasync.toml", text)
        assert first.startswith("gpuasync.toml:3: unknown setting 'fancy'")
        assert second.startswith("gpuasync.toml:6: severity of 'GA402'")

    def test_the_line_is_looked_for_in_our_table(self, tmp_path: Path) -> None:
        text = "[tool.other]\nllvm = 1\n[tool.gpuasync-lsp]\nllvm = 1\n"
        (problem,) = self.problems(tmp_path, "pyproject.toml", text)
        assert problem.startswith("pyproject.toml:4: unknown LLVM release")

    def test_broken_toml_has_its_line(self, tmp_path: Path) -> None:
        (problem,) = self.problems(tmp_path, "gpuasync.toml", "llvm = 22\nselect = [\n  oops\n")
        assert problem.startswith("gpuasync.toml:3: not valid TOML")

    def test_a_file_that_is_not_text_is_reported(self, tmp_path: Path) -> None:
        (tmp_path / "gpuasync.toml").write_bytes(b"\xff\xfe")
        resolved = SettingsResolver().resolve(tmp_path / "a.mlir", "")
        assert "cannot be read" in str(resolved.problems[0])

    def test_a_workspace_file_cannot_name_a_program(self, tmp_path: Path) -> None:
        python, script = fake_mlir_opt(tmp_path, "LLVM version 17.0.6").words
        (problem,) = self.problems(
            tmp_path, "gpuasync.toml", f"llvm = 22\nmlir-opt = ['{python}', '{script}']\n"
        )
        assert problem.startswith("gpuasync.toml:2: a workspace's file cannot specify a program")
        assert not (tmp_path / "asked").exists()

    def test_the_user_fills_in_what_the_workspace_does_not_say(self, tmp_path: Path, home: Path) -> None:
        home.mkdir(parents=True)
        (home / "config.toml").write_text("ignore = ['GA5']\nselect = ['GA1']\n[severity]\nGA101 = 'hint'\n")
        (tmp_path / "gpuasync.toml").write_text("select = ['GA2']\n[severity]\nGA201 = 'hint'\n")
        settings = SettingsResolver(None, user_config()).resolve(tmp_path / "a.mlir", "").settings
        assert settings.select == ("GA2",)
        assert settings.ignore == ("GA5",)
        assert settings.severity == {"GA101": Severity.HINT, "GA201": Severity.HINT}

    def test_without_a_file_the_user_says_nothing(self) -> None:
        assert user_config() == ConfigFile(user_config().path)


def test_the_documented_configuration_is_understood(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "configuration.md").read_text("utf-8")
    workspace, own = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)
    (tmp_path / "gpuasync.toml").write_text(workspace)
    resolved = SettingsResolver().resolve(tmp_path / "a.mlir", "")
    assert resolved.problems == ()
    assert resolved.target.version == 22
    user_config_path().parent.mkdir(parents=True)
    user_config_path().write_text(own)
    assert user_config().problems == ()
    assert user_config().settings.mlir_opt == Command(("mlir-opt-22",), Origin.USER_FILE)


class TestInheritance:
    def test_a_nested_file_inherits_what_it_does_not_set(self, tmp_path: Path) -> None:
        (tmp_path / "sub").mkdir()
        (tmp_path / "gpuasync.toml").write_text('llvm = 19\nignore = ["GA5"]\n[severity]\nGA101 = "hint"\n')
        (tmp_path / "sub" / "gpuasync.toml").write_text('ignore = ["GA4"]\n[severity]\nGA102 = "hint"\n')
        resolved = SettingsResolver().resolve(tmp_path / "sub" / "a.mlir", "")
        assert resolved.target.version == 19
        assert resolved.target.origin == str(tmp_path / "gpuasync.toml")
        assert resolved.settings.ignore == ("GA4",)
        assert set(resolved.settings.severity) == {"GA101", "GA102"}

    def test_a_file_extends_another(self, tmp_path: Path) -> None:
        (tmp_path / "sub").mkdir()
        (tmp_path / "gpuasync.toml").write_text("llvm = 19\n")
        (tmp_path / "base.toml").write_text('llvm = 20\nignore = ["GA5"]\n')
        (tmp_path / "sub" / "gpuasync.toml").write_text('extend = "../base.toml"\n')
        resolved = SettingsResolver().resolve(tmp_path / "sub" / "a.mlir", "")
        assert (resolved.target.version, resolved.settings.ignore) == (20, ("GA5",))

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ('extend = "gpuasync.toml"', ""),
            ('llvm = 22\nextend = "nowhere.toml"', "2: 'extend': there is no configuration at"),
            ('extend = "../secret.toml"', "1: 'extend': "),
            ("extend = 3", "1: 'extend' must be the path of a file"),
        ],
    )
    def test_what_cannot_be_extended_is_said_and_nothing_is_quoted(
        self, tmp_path: Path, text: str, message: str
    ) -> None:
        (tmp_path / "work").mkdir()
        (tmp_path / "secret.toml").write_text('password = "hunter2"\n')
        (tmp_path / "work" / "gpuasync.toml").write_text(f"{text}\n")
        problems = SettingsResolver().resolve(tmp_path / "work" / "a.mlir", "").problems
        assert [message in str(each) for each in problems] == [True] * bool(message)
        assert not any("password" in str(each) for each in problems)

    def test_files_that_extend_each_other_end(self, tmp_path: Path) -> None:
        (tmp_path / "gpuasync.toml").write_text('extend = "b.toml"\n')
        (tmp_path / "b.toml").write_text('extend = "gpuasync.toml"\nllvm = 18\n')
        assert SettingsResolver().resolve(tmp_path / "a.mlir", "").target.version == 18


class TestPerFile:
    TEXT = """\
llvm = 22
ignore = ["GA5"]
[per-file."legacy/"]
llvm = 19
ignore = ["GA101"]
[per-file."*_test.mlir"]
severity = {GA201 = "hint"}
"""

    @pytest.mark.parametrize(
        ("name", "version", "ignore", "severity"),
        [
            ("a.mlir", 22, ("GA5",), {}),
            ("legacy/deep/a.mlir", 19, ("GA5", "GA101"), {}),
            ("legacy/a_test.mlir", 19, ("GA5", "GA101"), {"GA201": Severity.HINT}),
            ("other/a_test.mlir", 22, ("GA5",), {"GA201": Severity.HINT}),
        ],
    )
    def test_a_pattern_decides(
        self, tmp_path: Path, name: str, version: int, ignore: tuple[str, ...], severity: dict[str, Severity]
    ) -> None:
        (tmp_path / "gpuasync.toml").write_text(self.TEXT)
        resolved = SettingsResolver().resolve(tmp_path / name, "")
        assert not resolved.problems
        assert resolved.target.version == version
        assert (resolved.settings.ignore, resolved.settings.severity) == (ignore, severity)

    def test_mistakes_are_told(self, tmp_path: Path) -> None:
        (tmp_path / "gpuasync.toml").write_text('[per-file."a"]\nexclude = []\nllvm = 3\n')
        problems = SettingsResolver().resolve(tmp_path / "a.mlir", "").problems
        assert [each.line for each in problems] == [2, 3]
        assert "'exclude' cannot be set per file" in problems[0].message


@pytest.mark.parametrize(
    ("pattern", "path", "expected"),
    [
        ("a", "x/a", True), ("/a", "x/a", None), ("a/b", "x/a/b", None), ("**/a/b", "x/a/b", True),
        ("a/**", "a/x/y", True), ("a/**", "a", None), ("a/**/b", "a/b", True), ("*.mlir", "x/q.mlir", True),
        ("a?", "ab", True), ("[ab]", "b", True), ("[^a]", "b", True), ("!a", "a", False),
        ("# a", "# a", None),
        (r"\#a", "#a", True), ("a ", "a", True), (r"a\ ", "a ", True), ("a/", "a", None), ("", "a", None),
        ("*a*a*a*a*a*a*a*a*a*a*b", "a" * 250, None), ("**/" * 200 + "b", "a/" * 200 + "a", None),
    ],
)  # fmt: skip
def test_patterns_are_those_of_git(tmp_path: Path, pattern: str, path: str, expected: bool | None) -> None:
    assert PathPatterns(tmp_path, (pattern,)).matches(tmp_path / path) is expected
