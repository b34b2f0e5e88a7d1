"""The release facts and tables equal those that `python -m tools.release` measures on the release's tools."""

from __future__ import annotations

import os
import shlex
from pathlib import Path

import pytest

from gpuasync_lsp.releases import DEFINED, facts
from tests.support.releases import releases
from tests.support.tools import mlir_opt
from tools.release.__main__ import DATA, main
from tools.release.bindings import read
from tools.release.probes import probes
from tools.release.tables import Tables

HEADERS = os.environ.get("MLIR_HEADERS")
"""The headers of Debian's packages, from `tools/release/headers.sh`; without them ops are not compared."""
REAL = (16, 19, 21, 22, 23)
"""The releases for which mlir-opt is a build of the release itself, with all passes."""


def test_every_probe_asks_for_a_fact_and_reads_all_its_values() -> None:
    for name, probe in probes().items():
        known = facts()[name].values()
        assert probe.values() == (set().union(*known) if probe.members else {*known}), name


def test_every_fact_has_a_probe_or_says_why_not() -> None:
    asked = probes()
    known = facts()
    assert {name for name, fact in known.items() if bool(fact.unprobed) == (name in asked)} == set()
    assert len(asked) > 9 * sum(bool(fact.unprobed) for fact in known.values())


@pytest.mark.parametrize("version", releases(*REAL))
def test_a_release_is_what_its_tools_show(version: int, capsys: pytest.CaptureFixture[str]) -> None:
    """A measurement changes no recorded fact, no option, and with headers no op."""
    arguments = [str(version), "--mlir-opt", shlex.join(mlir_opt(version).command)]
    if HEADERS is not None:
        folders = [f"{HEADERS}/usr/lib/llvm-{version}/include", f"{HEADERS}/usr/include/llvm-{version}"]
        arguments += ["--include", ",".join(folders)]
    status = main(arguments)
    said = capsys.readouterr().out
    assert [line for line in said.splitlines() if line.startswith("not as recorded")] == []
    assert status == 0, said


def test_a_build_that_differs_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    """The facts of 22's mlir-opt differ from those recorded for 19: reported, and nothing is written."""
    before = (DATA / "ops.zip").read_bytes()
    assert main(["19", "--mlir-opt", shlex.join(mlir_opt(22).command)]) == 1
    said = capsys.readouterr().out
    assert "not as recorded: greedy_prepass is True, recorded False" in said
    assert "not as recorded: poison_aggregates is True" in said
    assert (DATA / "ops.zip").read_bytes() == before


def test_the_tables_are_written_as_they_are_read(tmp_path: Path) -> None:
    """Removing a release and adding it again gives the same tables."""
    for name in ("ops.zip", "names.json"):
        (tmp_path / name).write_bytes((DATA / name).read_bytes())
    tables = Tables(tmp_path)
    ops = tables.ops.pop(23)
    tables.define(23, ops)
    tables.write()
    again = Tables(tmp_path)
    assert again.ops == Tables(DATA).ops
    assert again.names == Tables(DATA).names


BINDING = '''
@_ods_cext.register_operation(_Dialect)
class BarrierOp(_ods_ir.OpView):
  r"""Synchronizes work items. More of it."""
  OPERATION_NAME = "gpu.barrier"
  _ODS_REGIONS = (1, True)
  @builtins.property
  def named_barrier(self) -> _Optional[_ods_ir.Value]:
    return None if len(self.operation.operands) < 1 else self.operation.operands[0]
  @builtins.property
  def scope(self) -> _ods_ir.Attribute:
    return self.operation.attributes["scope"]
  @builtins.property
  def weak(self) -> bool:
    return "weak" in self.operation.attributes
  @builtins.property
  def values(self) -> _ods_ir.OpResultList:
    return self.operation.results
'''


def test_bindings_say_names_and_kinds(tmp_path: Path) -> None:
    (tmp_path / "_gpu_ops_gen.py").write_text(BINDING)
    (found,) = read(tmp_path).values()
    assert found.operands == (("named_barrier", "o"),)
    assert found.results == (("values", "v"),)
    assert (found.attributes, found.optional) == ({"scope", "weak"}, {"weak"})
    assert (found.regions, found.summary) == (1, "Synchronizes work items")


def test_every_release_that_is_defined_has_ops() -> None:
    assert {version for version, ops in Tables(DATA).ops.items() if len(ops) > 1_000} == {*DEFINED}
