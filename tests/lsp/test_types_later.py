"""lsprotocol's classes, initialized on first use: equal to the originals, and not initialized earlier."""

import json
import subprocess
import sys

import attrs
from lsprotocol import types

_FIELDS = """
import json, sys
from gpuasync_lsp.lsp.types_later import import_types
import_types()
import attrs
from lsprotocol import types
classes = {name: each for name, each in vars(types).items() if isinstance(each, type)}
from gpuasync_lsp.lsp import wiring
from gpuasync_lsp.lsp.workers import on_event_loop
wiring.make_server({}, (), (), {}, {}, on_event_loop())
begun = [name for name, each in classes.items() if isinstance(vars(each).get("__attrs_attrs__"), tuple)]
names = {name: [f.name for f in attrs.fields(each)] for name, each in classes.items() if attrs.has(each)}
range_ = types.Range(types.Position(1, character=2), types.Position(3, 4))
print(json.dumps([begun, names, repr(range_), range_ == types.Range(range_.start, range_.end)]))
"""


def test_classes_are_those_that_attrs_makes() -> None:
    done = subprocess.run([sys.executable, "-c", _FIELDS], capture_output=True, check=True, text=True)
    begun, names, text, is_equal = json.loads(done.stdout)
    theirs = {name: each for name, each in vars(types).items() if isinstance(each, type) and attrs.has(each)}
    assert names == {name: [field.name for field in attrs.fields(each)] for name, each in theirs.items()}
    assert begun == ["ServerInfo"]  # pygls creates a ServerInfo.
    assert (text, is_equal) == ("1:2-3:4", True)
