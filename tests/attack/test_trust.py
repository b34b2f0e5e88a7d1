"""Only the user's own settings can name programs, and in an untrusted folder none is started."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from gpuasync_lsp import processes
from gpuasync_lsp.lsp.configuration import Configuration
from gpuasync_lsp.processes import Command, NotAllowed, Origin
from tests.attack.wire import Wire

TEXT = "func.func @main() { return }\n"
KERNEL = """\
gpu.module @k {
  gpu.func @f() kernel { gpu.return }
}
"""


class Trap:
    """A program that creates a file when it is started."""

    def __init__(self, folder: Path) -> None:
        self.sprung = folder / "sprung"
        self.words = [sys.executable, "-c", f"open({str(self.sprung)!r}, 'w'); print('LLVM version 19.1.0')"]


@pytest.fixture
def trap(tmp_path: Path) -> Trap:
    return Trap(tmp_path)


def spellings(trap: Trap) -> list[dict[str, Any]]:
    """Return the forms in which a repository's settings may arrive, with registered and unknown keys."""
    return [
        {"trusted": True, "mlir-opt": trap.words},
        {"trusted": True, "mlirOpt": trap.words},
        {"trusted": True, "mlirOPT": trap.words},
        {"trusted": True, "mlir_opt": trap.words},
        {"trusted": True, "run": {"command": trap.words}},
        {"gpuasync": {"trusted": True, "mlir-opt": trap.words, "mlirOpt": trap.words}},
        {"trusted": True, "gpuasync": {"trusted": True, "mlirOpt": trap.words}},
    ]


def pulled(client: Wire, answers: list[dict[str, Any]], settings: dict[str, Any]) -> None:
    """Make the server fetch `settings`, and wait until it has."""
    answers[:] = [settings]
    client.tell("workspace/didChangeConfiguration", {"settings": None})
    client.until(lambda m: m.get("method") == "workspace/configuration")


@pytest.mark.parametrize("how", ["pulled", "pushed"])
def test_settings_of_a_repository_start_nothing(tmp_path: Path, trap: Trap, how: str) -> None:
    """VS Code forwards unknown keys of `.vscode/settings.json`, Emacs those of `.dir-locals.el`."""
    pulls = {"workspace": {"configuration": how == "pulled"}}
    hostile = spellings(trap)[:1]
    with Wire(
        tmp_path, {"workspace/configuration": lambda p: hostile * len(p["items"])}, start=False
    ) as client:
        client.start(initializationOptions={"trusted": False}, capabilities=pulls, rootUri=tmp_path.as_uri())
        uri = (tmp_path / "a.mlir").as_uri()
        client.diagnosed(TEXT, uri)
        name = {"textDocument": {"uri": uri}}
        for settings in spellings(trap):
            if how == "pushed":
                client.tell("workspace/didChangeConfiguration", {"settings": settings})
            else:
                pulled(client, hostile, settings)
            assert client.ask("gpuasync/target", name)["result"]["origin"] == "newest release"
            assert "error" in client.ask("gpuasync/lowering", {**name, "engine": "mlir-opt"})
            assert "not trusted" in client.answer(client.run(uri))["error"]["message"]
    assert not trap.sprung.exists()


def test_nor_do_they_in_a_trusted_folder(tmp_path: Path, trap: Trap) -> None:
    """Even in a trusted folder, a repository cannot choose the programs that are started."""
    pulls = {"workspace": {"configuration": True}}
    hostile = spellings(trap)[:1]
    with Wire(
        tmp_path, {"workspace/configuration": lambda p: hostile * len(p["items"])}, start=False
    ) as client:
        client.start(initializationOptions={"trusted": True}, capabilities=pulls, rootUri=tmp_path.as_uri())
        uri = (tmp_path / "a.mlir").as_uri()
        client.diagnosed(TEXT, uri)
        for settings in spellings(trap):
            pulled(client, hostile, settings)
            target = client.ask("gpuasync/target", {"textDocument": {"uri": uri}})
            assert target["result"]["origin"] == "newest release"
            assert client.answer(client.run(uri))["result"]["outcome"] == "ok"
    assert not trap.sprung.exists()


@pytest.mark.parametrize(
    "options",
    [
        {"trusted": False},
        {"gpuasync": {"trusted": False}, "trusted": True},
        *(
            pytest.param(options, marks=pytest.mark.slow)
            for options in (
                {"trusted": "no"},
                {"trusted": None},
                {"trusted": 0},
                {"gpuasync": {"trusted": True}, "trusted": False},
                {"llvm": 22, "gpuasync": {"trusted": True}, "trusted": False},
            )
        ),
    ],
    ids=str,
)
def test_nothing_at_all_is_started_without_trust(tmp_path: Path, trap: Trap, options: dict[str, Any]) -> None:
    """Neither our own worker nor the mlir-opt in the user's own file (for its version) is started."""
    own = tmp_path / "home" / "gpuasync-lsp" / "config.toml"
    own.parent.mkdir(parents=True)
    words = ", ".join(f'"""{word}"""' for word in trap.words)
    own.write_text(f"mlir-opt = [{words}]\n")
    environment = {"XDG_CONFIG_HOME": str(tmp_path / "home")}
    with Wire(tmp_path, environment=environment, start=False) as client:
        client.start(initializationOptions=options, rootUri=tmp_path.as_uri())
        uri = (tmp_path / "a.mlir").as_uri()
        client.diagnosed(KERNEL, uri)
        name = {"textDocument": {"uri": uri}}
        assert client.ask("gpuasync/target", name)["result"]["origin"] != trap.words[0]
        ptx = client.ask("gpuasync/lowering", {**name, "stage": "ptx"})["result"]
        assert "not trusted" in str(ptx["notes"])
        assert "not trusted" in str(client.ask("gpuasync/lowering", {**name, "engine": "mlir-opt"}))
        assert "not trusted" in str(client.answer(client.run(uri)))
        assert client.children() == []
    assert not trap.sprung.exists()


def test_the_users_own_program_is_started(tmp_path: Path, trap: Trap) -> None:
    """Without this, the tests above would prove nothing."""
    with Wire(tmp_path, start=False) as client:
        client.start(
            initializationOptions={"gpuasync": {"mlirOpt": trap.words}, "trusted": True},
            rootUri=tmp_path.as_uri(),
        )
        uri = (tmp_path / "a.mlir").as_uri()
        client.diagnosed(TEXT, uri)
        target = client.ask("gpuasync/target", {"textDocument": {"uri": uri}})["result"]
        assert (target["llvm"], target["origin"]) == (19, trap.words[0])
    assert trap.sprung.exists()


def test_the_users_own_command_starts_workers(tmp_path: Path, trap: Trap) -> None:
    with Wire(tmp_path, start=False) as client:
        client.start(initializationOptions={"run": {"command": trap.words}}, rootUri=tmp_path.as_uri())
        client.diagnosed(TEXT)
        client.answer(client.run())
    assert trap.sprung.exists()


def test_settings_beside_others_are_not_unwrapped() -> None:
    """`"gpuasync.gpuasync": {...}` in a repository's file arrives in this form, beside the user's
    settings."""
    configuration = Configuration()
    configuration.begin({"llvm": 19, "trusted": True, "gpuasync": {"mlirOpt": ["evil"], "llvm": 16}})
    settings = configuration.resolver_for("file:///a.mlir").override
    assert (settings.llvm, settings.mlir_opt) == (19, None)


def test_other_spellings_of_a_program_do_not_count_at_the_start_either() -> None:
    for spelt in ("mlir-opt", "mlirOPT", "mlir_opt"):
        configuration = Configuration()
        configuration.begin({spelt: ["evil"]})
        assert configuration.resolver_for("file:///a.mlir").override.mlir_opt is None


def test_what_comes_from_a_workspace_is_no_command() -> None:
    for origin in Origin:
        if origin in processes.NAMES_PROGRAMS:
            assert Command(("program",), origin).name == "program"
        else:
            with pytest.raises(NotAllowed, match="cannot specify a program"):
                Command(("program",), origin)
    assert {Origin.CLIENT_SETTINGS, Origin.WORKSPACE_FILE}.isdisjoint(processes.NAMES_PROGRAMS)


@pytest.mark.parametrize("words", [(), ("",), ("a\0b",)])
def test_an_empty_program_is_no_command(words: tuple[str, ...]) -> None:
    with pytest.raises(NotAllowed, match="empty"):
        Command(words, Origin.USER_FILE)


def program(folder: Path, name: str) -> Path:
    file = folder / name
    file.write_text("#!/bin/sh\necho run in $PWD\n")
    file.chmod(0o755)
    return file


@pytest.mark.parametrize("path", ["", ".", "bin", ":bin:."])
def test_a_program_is_not_looked_for_in_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    (tmp_path / "bin").mkdir()
    program(tmp_path, "mlir-opt-of-the-repository")
    program(tmp_path / "bin", "mlir-opt-of-the-repository")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", path)
    for origin in processes.NAMES_PROGRAMS:
        with pytest.raises(FileNotFoundError):
            processes.run(Command(("mlir-opt-of-the-repository",), origin), b"", 10)
    for origin in (Origin.USER_FILE, Origin.CLIENT_START):
        with pytest.raises(FileNotFoundError, match="absolute path"):
            processes.run(Command(("./mlir-opt-of-the-repository",), origin), b"", 10)
    typed = Command(("./mlir-opt-of-the-repository",), Origin.COMMAND_LINE)
    assert processes.run(typed, b"", 10).stdout == f"run in {tmp_path}\n".encode()


def test_a_program_of_the_settings_does_not_run_in_the_workspace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`python3 -m mlir_opt`, named by the user, would import the workspace's `mlir_opt.py`."""
    found = program(tmp_path, "tool")
    monkeypatch.chdir(tmp_path)
    assert processes.run(Command((str(found),), Origin.USER_FILE), b"", 10).stdout == b"run in /\n"


def test_once_refused_nothing_is_started(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "_refusal", [])
    processes.disable_starts("the reason")
    processes.disable_starts("another")
    for start in (lambda c: processes.run(c, b"", 1), processes.start):
        with pytest.raises(NotAllowed, match="the reason"):
            start(Command((sys.executable, "-V"), Origin.COMMAND_LINE))
