"""Programs and environments that once crashed a command or the server."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from gpuasync_lsp import processes
from gpuasync_lsp.analysis import check_source
from gpuasync_lsp.exec.client import Run
from gpuasync_lsp.ide.document.config_files import user_config_path
from gpuasync_lsp.ide.document.options import EditorOptions
from gpuasync_lsp.ide.features.inlay_hints import inlay_hints
from gpuasync_lsp.lowering import parse_pipeline, run_pipeline
from gpuasync_lsp.lsp import tcp
from gpuasync_lsp.syntax import parse_source
from gpuasync_lsp.syntax.printer import print_module
from gpuasync_lsp.syntax.provenance import module_of
from gpuasync_lsp.text import Span, apply_edits
from tests.attack.test_time import within
from tests.support.command import gpuasync
from tests.support.marks import state_of

SIGNATURE = (
    "%i: index, %m: memref<?xindex>, %v: memref<?xf64>, "
    "%e: !gpu.sparse.spmat_handle, %d: !gpu.sparse.dntensor_handle"
)
SPARSE = (
    "gpu.create_dn_tensor %v, %i : index into memref<?xf64>",
    "gpu.create_coo %i, %i, %i, %m, %m, %v : memref<?xindex>, memref<?xindex>, memref<?xf64>",
    "gpu.create_csr %i, %i, %i, %m, %m, %v : memref<?xindex>, memref<?xindex>, memref<?xf64>",
    "gpu.create_2to4_spmat {PRUNE_AND_CHECK} %i, %i, %v : memref<?xf64>",
    "gpu.spmv_buffer_size %e, %d, %d into f64",
    "gpu.spmm_buffer_size %e, %d, %d : index into f64",
    "gpu.sddmm_buffer_size %d, %d, %e into f64",
    "gpu.spgemm_create_descr",
    "gpu.spmat_get_size %e",
)


@pytest.mark.parametrize("op", SPARSE, ids=lambda op: op.split()[0])
@pytest.mark.parametrize("rest", ["", "  %c = arith.constant 1 : index\n"], ids=["alone", "with a ="])
def test_sparse_ops_without_names(op: str, rest: str) -> None:
    text = f"func.func @f({SIGNATURE}) {{\n  {op}\n{rest}  return\n}}\n"
    (finding,) = [each for each in check_source(text) if each.code == "GA102"]
    fixed = apply_edits(text, finding.fixes[0].edits)
    assert parse_source(fixed).problems() == []
    assert "GA102" not in {each.code for each in check_source(fixed)}
    assert "%token = gpu." in fixed


def test_an_empty_block_of_an_atomic_op() -> None:
    text = (
        "func.func @f(%s: memref<f32>) {\n  %t = gpu.wait async\n"
        "  %8 = memref.generic_atomic_rmw %s[] : memref<f32> {\n  ^bb0(%a: f32):\n  }\n  return\n}\n"
    )
    found = {each.code: each.message for each in check_source(text)}
    assert found["GA003"] == "'memref.generic_atomic_rmw' op expects a non-empty block"
    assert "GA401" in found
    assert "GA011" not in found


@pytest.mark.parametrize("size", ["[64, 1, 1]", "array<i64: 64, 1, 1>", "64 : i32"])
def test_known_sizes_of_another_kind(size: str) -> None:
    """mlir-opt 16 keeps such an attribute; 19 to 24 drop it when they parse the op."""
    text = (
        "gpu.module @m {\n  gpu.func @k(%a: memref<?xindex>) kernel "
        f"attributes {{known_block_size = {size}}} {{\n"
        "    %i = gpu.thread_id x\n    memref.store %i, %a[%i] : memref<?xindex>\n    gpu.return\n  }\n}\n"
    )
    chunk = parse_source(text).chunks[0]
    for version in (16, 19, 22, 24):
        pipeline = parse_pipeline("gpu.module(convert-gpu-to-nvvm)")
        lowered = run_pipeline(module_of(chunk), pipeline, version)
        assert lowered.error is None
        assert ("known_block_size" in print_module(lowered.module)) == (version < 19)


def test_hints_of_a_state_that_knows_the_outline_only() -> None:
    """As while a large dump is opened again: its items are there, and nothing of what is around them."""
    text = "func.func @f() {\n  %t = gpu.wait async\n  gpu.wait [%t]\n  return\n}\n"
    outline = replace(state_of(text), chunk_contexts=())
    assert [*inlay_hints(outline, Span(0, len(text)), EditorOptions())] == []


NESTS = {
    "unclosed generic ops": ('"a"() ({\n', ""),
    "generic ops without a type": ('"a"() ({\n', "}\n"),
    "unclosed loops": ("scf.for %i = %a to %b step %c {\n", ""),
    "loops with a tail": ("scf.if %c {\n", "} foo\n"),
    "types": ("llvm.func @f(!llvm.struct<(struct<(\n", ""),
}


@pytest.mark.parametrize("kind", NESTS)
def test_nests_are_read_in_linear_time(kind: str) -> None:
    before, after = NESTS[kind]
    with within(20):
        assert parse_source(before * 400 + after * 400).problems()


@pytest.mark.skipif(sys.platform == "win32", reason="stacks of the main thread")
@pytest.mark.parametrize("text", ["tuple<", "!llvm.struct<(", "scf.if %c {\n"])
def test_a_small_stack(text: str, tmp_path: Path) -> None:
    (tmp_path / "deep.mlir").write_text("func.func @f(%c: i1, %a: " + text * 900 + ") {\n return\n}\n")
    script = f"ulimit -s 512; exec {sys.executable} -m gpuasync_lsp check --exit-zero deep.mlir"
    done = subprocess.run(["bash", "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-500:]
    assert "Found" in done.stdout


def test_a_relative_folder_of_settings_is_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", "relative")
    monkeypatch.setenv("APPDATA", "relative")
    path = user_config_path()
    assert path is not None
    assert path.is_absolute()
    monkeypatch.setenv("HOME", "here")
    monkeypatch.setenv("USERPROFILE", "here")
    assert user_config_path() is None


@pytest.mark.skipif(sys.platform == "win32", reason="links")
@pytest.mark.parametrize("command", [["check", "--fix"], ["format"], ["check"]], ids=" ".join)
def test_links_that_lead_out_are_skipped(command: list[str], tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    outside = tmp_path / "outside.mlir"
    outside.write_text("func.func @f( ) {\n      return secret\n}\n")
    (folder / "a.mlir").symlink_to(outside)
    (folder / "b.mlir").symlink_to(folder / "c.mlir")
    (folder / "c.mlir").write_text("func.func @f() {\n  return\n}\n")
    done = gpuasync(*command, str(folder))
    assert "a.mlir is skipped: it links to a location outside" in done.stderr
    assert "secret" not in done.stdout + done.stderr
    assert outside.read_text() == "func.func @f( ) {\n      return secret\n}\n"


@pytest.mark.parametrize("name", ["//host/share/x", "\\\\host\\share\\x", "/etc/passwd", "C:\\x"])
def test_no_file_is_asked_for_where_nothing_is_trusted(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "_refusal", ["a test"])
    assert not processes.may_ask_for(name)
    assert processes.may_ask_for("below/x")
    monkeypatch.setattr(processes, "_refusal", [])
    assert processes.may_ask_for(name) == (not name.startswith(("//", "\\\\")))


@pytest.mark.parametrize("name", ["../../out", "%/etc/x", "a\nb", "%", "%0#1"])
def test_a_report_names_no_file_elsewhere(name: str, tmp_path: Path) -> None:
    class Saving(Run):
        def __init__(self) -> None:
            from gpuasync_lsp.exec.program import RunOptions

            self._options = RunOptions(save=str(tmp_path / "saved"))

    path = Path(Saving()._save(name, b"x"))  # pyright: ignore[reportPrivateUsage]
    assert path.resolve().parent == (tmp_path / "saved").resolve()


@pytest.mark.skipif(sys.platform == "win32", reason="pipes")
@pytest.mark.parametrize(
    "command", ["check", "lower", "streams", "passes --pipeline cse", "test", "explain GA101"]
)
def test_a_closed_pipe_ends_quietly(command: str, tmp_path: Path) -> None:
    body = "".join(f"  %t{number} = gpu.wait async\n" for number in range(2000))
    text = f"// RUN: mlir-opt %s | FileCheck %s\nfunc.func @f() {{\n{body}  return\n}}\n"
    (tmp_path / "a.mlir").write_text(text)
    file = "" if "explain" in command else "a.mlir"
    read, write = os.pipe()
    os.close(read)
    words = [sys.executable, "-m", "gpuasync_lsp", *command.split(), *file.split()]
    done = subprocess.run(words, cwd=tmp_path, stdout=write, stderr=subprocess.PIPE, text=True, check=False)
    os.close(write)
    assert done.returncode in (141, 1 if command == "test" else 141)
    assert "cannot write" not in done.stderr
    assert "Traceback" not in done.stderr


def test_a_stalled_connection_delays_no_client(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tcp, "HEAD_TIME", 1e6)
    listener = tcp.listen("127.0.0.1", 0)
    address = listener.getsockname()
    stalled = [socket.create_connection(address) for _ in range(5)]
    stalled[0].sendall(b"Content-")
    found: list[bytes] = []
    thread = threading.Thread(target=lambda: found.append(tcp.accept(listener)[1]))
    thread.start()
    client = socket.create_connection(address)
    client.sendall(b"Content-Length: 2\r\n\r\n{}")
    thread.join()
    assert found == [b"Content-Length: 2\r\n\r\n{}"]
    for each in (*stalled, client):
        each.close()
