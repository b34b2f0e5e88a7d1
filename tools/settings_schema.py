"""Writes docs/schemas/gpuasync.schema.json, the JSON Schema of gpuasync.toml, from the settings.

    python -m tools.settings_schema

`[tool.gpuasync-lsp]` of a pyproject.toml has the same keys. Descriptions are the docstrings of `Settings`.
"""

from __future__ import annotations

import ast
import inspect
import json
from pathlib import Path
from typing import Any

from gpuasync_lsp.analysis import RULES
from gpuasync_lsp.ide.document.settings import FILE_KEYS, LEVELS, MOST_WORDS, Settings
from gpuasync_lsp.releases import RELEASES

PAGE = Path(__file__).resolve().parents[1] / "docs" / "schemas" / "gpuasync.schema.json"

_RULE = {
    "anyOf": [
        {"enum": ["ALL", *(rule.code for rule in RULES), *(rule.name for rule in RULES)]},
        {"pattern": "^GA[0-9]{0,3}$", "description": "A prefix of codes, such as GA5."},
    ]
}
_LLVM = {
    "anyOf": [
        {"enum": [*(release.version for release in RELEASES), "main"]},
        {"type": "string", "pattern": r"^[0-9]+(\.[0-9]+)*$"},
    ]
}


def _list(items: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": items, "maxItems": MOST_WORDS}


_TYPES: dict[str, dict[str, Any]] = {
    "llvm": _LLVM,
    "select": _list({"$ref": "#/definitions/rule"}),
    "ignore": _list({"$ref": "#/definitions/rule"}),
    "severity": {
        "type": "object",
        "propertyNames": {"$ref": "#/definitions/rule"},
        "additionalProperties": {"enum": list(LEVELS)},
        "maxProperties": MOST_WORDS,
    },
    "pipeline": {
        "anyOf": [_list({"type": "string", "minLength": 1}), {"type": "string"}],
    },
    "dialects": _list({"type": "string", "minLength": 1}),
    "exclude": _list({"type": "string"}),
    "extend-exclude": _list({"type": "string"}),
    "baseline": {"type": "string", "minLength": 1},
    "extend": {"type": "string", "minLength": 1},
    "per-file": {
        "type": "object",
        "additionalProperties": {"$ref": "#/definitions/some-files"},
        "maxProperties": MOST_WORDS,
    },
}


def schema() -> dict[str, Any]:
    """Return the JSON Schema of a workspace's configuration file."""
    about = _descriptions()
    keys = {key: {"description": about[key], **kind} for key, kind in _TYPES.items()}
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "gpuasync-lsp",
        "description": "Configuration of gpuasync-lsp: gpuasync.toml, or its table in pyproject.toml.",
        "type": "object",
        "additionalProperties": False,
        "properties": keys,
        "definitions": {
            "rule": _RULE,
            "some-files": {
                "type": "object",
                "additionalProperties": False,
                "properties": {key: kind for key, kind in keys.items() if key not in FILE_KEYS},
            },
        },
    }


def _descriptions() -> dict[str, str]:
    """Return the docstring of each field of `Settings` by its TOML key."""
    body = ast.parse(inspect.getsource(Settings)).body[0]
    assert isinstance(body, ast.ClassDef)
    found: dict[str, str] = {}
    for field, doc in zip(body.body, body.body[1:], strict=False):
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name):
            assert isinstance(doc, ast.Expr), field.target.id
            assert isinstance(doc.value, ast.Constant), field.target.id
            found[field.target.id.replace("_", "-")] = " ".join(str(doc.value.value).split())
    return found


def text() -> str:
    """Return the text of the schema file."""
    return json.dumps(schema(), indent=2) + "\n"


if __name__ == "__main__":
    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text(text(), encoding="utf-8")
