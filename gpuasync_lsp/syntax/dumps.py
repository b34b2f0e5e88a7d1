"""Users' own dialects from TableGen: the output of `llvm-tblgen --dump-json` for their `.td` files.

A dump is untrusted data: it must be a regular file of limited size, and its content is validated.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

from gpuasync_lsp.releases import DEFINED
from gpuasync_lsp.syntax.extensions import ExtensionError
from gpuasync_lsp.syntax.ods.formats import FormatError, parse_format
from gpuasync_lsp.syntax.ods.table import Dialect, mlir_dialects
from gpuasync_lsp.text.files import MOST_OF_DUMP, read_text
from gpuasync_lsp.text.plain_json import Json, is_object

if TYPE_CHECKING:
    from gpuasync_lsp.syntax.ods.records import Record

JSON_VERSION = 1
"""The version of TableGen's JSON format; it is the same in LLVM 7 to 24."""
_NAME = re.compile(r"[A-Za-z_]\w*\.[A-Za-z_][\w$.]*")


def is_dump(path: Path) -> bool:
    """Return whether a file name is that of a TableGen dump rather than an IRDL file."""
    return path.suffix.lower() == ".json"


def dumped_dialects(path: Path) -> dict[str, Dialect]:
    """Return the dialects that the dump at `path` defines, by name.

    Ops of MLIR's own dialects, which a dump may include, are omitted. Raises ExtensionError if the file
    cannot be read, is too large, is not a TableGen dump, has a different version, or defines no op.
    """
    from gpuasync_lsp.syntax.ods.records import joined

    try:
        text = read_text(path, MOST_OF_DUMP)
    except OSError as error:
        raise ExtensionError(f"{path}: cannot read this TableGen dump: {error.strerror or error}") from error
    try:
        records = json.loads(text)
    except RecursionError as error:
        raise ExtensionError(f"{path}: it is nested too deeply") from error
    except ValueError as error:
        raise ExtensionError(f"{path}: invalid JSON: {str(error)[:200]}") from error
    if not is_object(records) or "!instanceof" not in records:
        raise ExtensionError(f"{path}: this is not the output of `llvm-tblgen --dump-json`")
    version = records.get("!tablegen_json_version")
    if version != JSON_VERSION:
        raise ExtensionError(f"{path}: version {version!r:.50} of TableGen's JSON is not supported, only 1")
    try:
        ops = _ops(records)
        documents = joined({DEFINED[-1]: ops})
        dialects = {name: Dialect(document) for name, document in documents.items()}
        for name in ops:
            found = dialects[name.partition(".")[0]].get(name)
            assert found is not None
    except _Wrong as error:
        raise ExtensionError(f"{path}: {error}") from error
    except (
        ArithmeticError,
        AssertionError,
        AttributeError,
        LookupError,
        RecursionError,
        TypeError,
        ValueError,
    ) as error:
        raise ExtensionError(f"{path}: invalid TableGen records: {error!r:.200}") from error
    if not dialects:
        raise ExtensionError(f"{path}: this file defines no op of a dialect of your own")
    return dialects


class _Wrong(Exception):
    """Raised for an invalid dump; the message states the error."""


def _ops(records: Json) -> dict[str, Record]:
    from gpuasync_lsp.syntax.ods.records import ops_of_release  # imported lazily

    mlir = mlir_dialects()
    ops = {
        name: op
        for name, op in ops_of_release([records], with_prose=True).items()
        if name.partition(".")[0] not in mlir and "." in name
    }
    for name, op in ops.items():
        if _NAME.fullmatch(name) is None:
            raise _Wrong(f"{name!r:.80} is not the name of an op")
        for key in "dhlf":
            if not isinstance(op.get(key, ""), str):
                raise _Wrong(f"{name}: a field that must be a string is not one")
        for value in (*op["o"], *op["r"], *op["a"], *op["g"], *op["s"]):
            if not isinstance(value[0], str):
                raise _Wrong(f"{name}: a value without a name that is a string")
        try:
            parse_format(op.get("f", ""))
        except FormatError as error:
            raise _Wrong(f"{name}: its assembly format cannot be read: {error}") from error
    return ops
