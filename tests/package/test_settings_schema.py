"""The JSON Schema of gpuasync.toml is current, and accepts the same files as the settings reader."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft7Validator

from gpuasync_lsp.ide.document.settings import FILE_KEYS, KEYS, from_mapping
from gpuasync_lsp.processes import Origin
from tests.support.tools import ROOT, missing
from tools import settings_schema

EXAMPLES = [
    block
    for page in ("docs/configuration.md", "docs/guides/ci.md")
    for block in re.findall(r"^```toml\n(.*?)^```$", (ROOT / page).read_text(), re.M | re.S)
    if not block.startswith(("mlir-opt", "[project"))
]
INVALID: list[dict[str, Any]] = [
    {"llvm": 3},
    {"llvm": "twenty"},
    {"selekt": ["ALL"]},
    {"select": "ALL"},
    {"select": ["no-such-rule"]},
    {"severity": {"GA101": "loud"}},
    {"severity": ["GA101"]},
    {"pipeline": 3},
    {"mlir-opt": "mlir-opt"},
    {"baseline": ""},
    {"exclude": [1]},
    {"per-file": {"legacy/**": {"baseline": "known.json"}}},
    {"per-file": {"legacy/**": {"llvm": 3}}},
    {"per-file": ["legacy/**"]},
]


def problems(values: dict[str, Any]) -> list[str]:
    """Return the keys that the settings reader reports."""
    found: list[str] = []
    from_mapping(values, lambda key, _: found.append(key), Origin.WORKSPACE_FILE, ROOT)
    return found


def errors(values: dict[str, Any]) -> list[str]:
    validator = Draft7Validator(settings_schema.schema())
    return [error.message for error in validator.iter_errors(values)]  # pyright: ignore[reportUnknownMemberType]


def test_the_file_is_current() -> None:
    assert settings_schema.PAGE.read_text() == settings_schema.text(), "run `make docs`"


def test_it_has_the_keys_that_are_read() -> None:
    assert settings_schema.schema()["properties"].keys() == KEYS.keys() | FILE_KEYS.keys()


def test_the_schema_itself_is_valid() -> None:
    Draft7Validator.check_schema(settings_schema.schema())


@pytest.mark.parametrize("text", EXAMPLES)
def test_documented_examples_are_valid(text: str) -> None:
    values = tomllib.loads(text)
    assert problems(values) == []
    assert errors(values) == []


@pytest.mark.parametrize("values", INVALID, ids=json.dumps)
def test_both_reject_what_is_invalid(values: dict[str, Any]) -> None:
    assert problems(values)
    assert errors(values)


def _taplo(folder: Path, name: str, schema: Path, text: str) -> int:
    program = Path(sys.executable).with_name("taplo")
    if not program.exists():
        missing("taplo is not installed (make .venv/developed)")
    (folder / name).write_text(text)
    done = subprocess.run(
        [program, "lint", "--schema", schema.as_uri(), name],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode


def test_taplo_reads_it(tmp_path: Path) -> None:
    schema = settings_schema.PAGE
    assert _taplo(tmp_path, "gpuasync.toml", schema, EXAMPLES[0]) == 0
    assert _taplo(tmp_path, "gpuasync.toml", schema, 'selekt = ["ALL"]\n') != 0


def test_taplo_reads_the_table_of_a_pyproject(tmp_path: Path) -> None:
    entry = json.loads((ROOT / "packaging" / "schemastore-pyproject.json").read_text())
    entry["gpuasync-lsp"]["$ref"] = settings_schema.PAGE.as_uri()
    tool = {"properties": {"tool": {"properties": entry}}}
    schema = tmp_path / "pyproject.schema.json"
    schema.write_text(json.dumps(tool))
    assert _taplo(tmp_path, "pyproject.toml", schema, "[tool.gpuasync-lsp]\nllvm = 22\n") == 0
    assert _taplo(tmp_path, "pyproject.toml", schema, "[tool.gpuasync-lsp]\nllvm = 3\n") != 0
