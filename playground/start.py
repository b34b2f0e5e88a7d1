"""Imports the server from what pack.mjs has compiled; part of the memory with which the page's worker starts.

To find and read a file for each module, and to compile the texts that dataclasses generate, would take almost
half of the time of the imports.
"""

import _sre
import builtins
import dataclasses
import marshal
import os
import re
import sys
from importlib.machinery import ModuleSpec
from types import SimpleNamespace

import __main__

MODULES = {}
"""Compiled modules by name, each with whether it is a package."""

COMPILED = {}
"""Their patterns, and the texts that dataclasses and attrs generate for their classes, compiled."""


class Finder:
    """A finder and loader of the modules."""

    def find_spec(self, name, path=None, target=None):
        if name not in MODULES:
            return None
        folder = f"/server/{name.replace('.', '/')}"
        _, is_package = MODULES[name]
        origin = f"{folder}/__init__.py" if is_package else f"{folder}.py"
        spec = ModuleSpec(name, self, origin=origin, is_package=is_package)
        spec.has_location = True
        if is_package:
            spec.submodule_search_locations.append(folder)
        return spec

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        code, _ = MODULES[module.__name__]
        exec(marshal.loads(code), vars(module))

    def get_resource_reader(self, name):
        from importlib.resources.readers import FileReader

        return FileReader(SimpleNamespace(path=f"/server/{name.replace('.', '/')}/__init__.py"))


def execute(text, *scopes):
    known = COMPILED.get(text)
    exec(marshal.loads(known) if known else text, *scopes)


def compile_text(text, *rest, **named):
    known = COMPILED.get(text) if isinstance(text, str) and rest[1:] == ("exec",) and not named else None
    return marshal.loads(known) if known else standard(text, *rest, **named)


def compile_pattern(pattern, flags=0):
    known = COMPILED.get((pattern, flags))
    return _sre.compile(*marshal.loads(known)) if known else standard_pattern(pattern, flags)


sys.meta_path.insert(0, Finder())
sys.path.append("/server")
dataclasses.exec = execute
standard, builtins.compile = compile, compile_text
standard_pattern, re._compiler.compile = re._compiler.compile, compile_pattern


def session():
    """Return the function that receives the messages of a new session.

    A session may outlive its last use, so it must not reference JavaScript objects, which a memory snapshot
    cannot contain.
    """
    from gpuasync_lsp.server import Messages

    return Messages(lambda message: __main__.post(message)).receive


def load(path):
    """Take the modules and the compiled texts in a file, which is removed, and start a session."""
    global receive
    with open(path, "rb") as file:
        modules, compiled = marshal.load(file)
    os.remove(path)
    MODULES.update(modules)
    COMPILED.update(compiled)
    receive = session()
