// Writes the Python files of the page, compiled by the Python that will run them. build/memory.bin is the memory of an
// interpreter that has imported the libraries that the first check needs. The rest is imported in the browser: the server's
// modules from build/server.bin, and the rest of the standard library from build/python_stdlib.zip. build/files.bin is an
// archive of the server's other files. Every module of the server is imported here, which proves that none needs a feature
// that browsers lack.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { loadPyodide } from "pyodide";

process.on("uncaughtException", ({ message }) => {
  console.error(message); // only the message: Pyodide's source is a single line of a megabyte
  process.exit(1);
});
const here = fileURLToPath(new URL(".", import.meta.url));
const env = { PYTHONNODEBUGRANGES: "1" }; // no columns in the code, a tenth of it
const python = await loadPyodide({ env });
python.mountNodeFS("/libs", join(here, "build/libs"));
python.FS.writeFile("/stdlib.zip", await readFile(join(here, "node_modules/pyodide/python_stdlib.zip")));
const { examples } = JSON.parse(await readFile(join(here, "build/facts.json"), "utf8"));
python.globals.set("example", examples[0].text);
const parts = await python.runPythonAsync(`
import _sre, ast, asyncio, builtins, dataclasses, importlib, importlib._bootstrap_external as external, io, json, marshal
import re, sys, tarfile, zipfile
from pathlib import Path

ROOT = Path("/libs")
NEVER = ("gpuasync_lsp/exec/worker/", "gpuasync_lsp/commands/", "gpuasync_lsp/cli.py", "gpuasync_lsp/__main__.py",
         "gpuasync_lsp/pytest_plugin.py", "gpuasync_lsp/analysis/docs.py", "pygls/cli")
"""What no browser has a use for."""
IF_IMPORTED = ("xdsl/dialects/", "xdsl/transforms/", "xdsl/backend/", "xdsl/frontend/", "xdsl/interpreters/",
               "xdsl/interactive/", "xdsl/jit/", "xdsl/tools/", "xdsl/xdsl_opt_main.py")
"""Of these there are only the modules that the server imports."""

NO_STDLIB = ("_pyio", "_pyrepl", "bdb", "cProfile", "curses", "dbm", "doctest", "email/mime", "encodings/cp1", "encodings/cp8",
             "encodings/iso8859", "encodings/mac", "ensurepip", "ftplib", "http/cookiejar", "http/server", "idlelib", "imaplib", "lib2to3",
             "mailbox", "modulefinder", "multiprocessing", "optparse", "pdb", "pickletools", "plistlib", "poplib", "profile",
             "pstats", "pydoc", "smtplib", "socketserver", "sqlite3", "statistics", "timeit", "tkinter", "trace.", "turtle",
             "unittest", "venv", "wsgiref", "xml", "zoneinfo")
"""Of the standard library, what the server does not import."""

SHOWN = "gpuasync_lsp/analysis/rules/"
"""The modules whose docstrings the server shows."""

def compiled(source, name):
    """Code without docstrings, an eighth of the archive. A class has one letter instead: a dataclass without any
    writes its signature into one, which takes a tenth of the start."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        is_class = isinstance(node, ast.ClassDef)
        if is_class or isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            has_docstring = ast.get_docstring(node, clean=False) is not None
            if has_docstring:
                del node.body[0]
            if is_class and (has_docstring or node.decorator_list):
                node.body.insert(0, ast.Expr(ast.Constant("-")))
            elif not node.body:
                node.body.append(ast.Pass())
    if ast.get_docstring(tree, clean=False) is not None and not name.startswith(SHOWN):
        del tree.body[0]
    return compile(ast.fix_missing_locations(tree), name, "exec", dont_inherit=True, optimize=0)

def module_of(name):
    return name.removesuffix(".py").removesuffix("/__init__").replace("/", ".")

def name_of(path):
    return module_of(path.relative_to(ROOT).as_posix())

texts = set()
patterns = {}

def execute(text, *scopes):
    texts.add(text)
    exec(text, *scopes)

def compile_text(text, *rest, **named):
    if isinstance(text, str) and rest[1:] == ("exec",) and not named:
        texts.add(text)
    return standard(text, *rest, **named)

def compile_pattern(pattern, flags=0):
    def compile_parts(text, all_flags, code, groups, names, indices):
        code = [int(each) for each in code]  # of a subclass, which marshal does not write
        patterns[pattern, int(flags)] = text, int(all_flags), code, groups, dict(names), indices
        return standard_parts(text, all_flags, code, groups, names, indices)

    _sre.compile = compile_parts
    return standard_pattern(pattern, flags)

dataclasses.exec = execute
standard, builtins.compile = compile, compile_text
standard_parts = _sre.compile
standard_pattern, re._compiler.compile = re._compiler.compile, compile_pattern

sys.path.insert(0, str(ROOT))
sys.dont_write_bytecode = True
files = [path for path in sorted(ROOT.rglob("*")) if path.is_file() and "__pycache__" not in path.parts]
files = [path for path in files if not path.relative_to(ROOT).as_posix().startswith(NEVER)]
from gpuasync_lsp.server import Messages

posted = []
session = Messages(posted.append)
DOCUMENT = {"uri": "file:///example.mlir", "languageId": "mlir", "version": 1, "text": example}
for message in (
    {"id": 0, "method": "initialize", "params": {"processId": None, "rootUri": None, "capabilities": {}}},
    {"method": "initialized", "params": {}},
    {"method": "textDocument/didOpen", "params": {"textDocument": DOCUMENT}},
):
    session.receive(json.dumps({"jsonrpc": "2.0", **message}))
while not any("publishDiagnostics" in message for message in posted):
    await asyncio.sleep(0.1)
needed = list(sys.modules)
for path in files:
    if path.suffix == ".py" and path.is_relative_to(ROOT / "gpuasync_lsp"):
        importlib.import_module(name_of(path))
dataclasses.exec, builtins.compile = exec, standard
_sre.compile, re._compiler.compile = standard_parts, standard_pattern

modules = {}
buffer = io.BytesIO()
with tarfile.open(fileobj=buffer, mode="w", format=tarfile.USTAR_FORMAT) as archive:
    for path in files:
        name = path.relative_to(ROOT).as_posix()
        if ".dist-info/" in name and not name.endswith("/METADATA"):
            continue
        if name.startswith(IF_IMPORTED) and name_of(path) not in sys.modules:
            continue
        data = path.read_bytes()
        if path.suffix == ".py":
            modules[name_of(path)] = marshal.dumps(compiled(data, name)), path.stem == "__init__"
            continue
        info = tarfile.TarInfo(name)
        info.size = len(data)
        archive.addfile(info, io.BytesIO(data))

for name in list(modules):
    while name := name.rpartition(".")[0]:
        modules.setdefault(name, (marshal.dumps(compile("", name, "exec")), True))  # a folder without an __init__.py

kept = [name for name in needed if name not in modules and name != "__main__"]
imported = [name for name in sys.modules if name.replace(".", "/").startswith(NO_STDLIB)]
assert not imported, imported
PACKED = {"mode": "w", "compression": zipfile.ZIP_DEFLATED, "compresslevel": 9}
stdlib, rest = io.BytesIO(), io.BytesIO()
with zipfile.ZipFile("/stdlib.zip") as source, zipfile.ZipFile(stdlib, **PACKED) as whole, zipfile.ZipFile(rest, **PACKED) as later:
    for name in source.namelist():
        if name.startswith(NO_STDLIB):
            continue
        data = source.read(name)
        targets = [whole] if name.endswith(".py") and module_of(name) in kept else [whole, later]
        if name.endswith(".py"):
            code = compiled(data, name)
            data, name = bytes(external._code_to_hash_pyc(code, importlib.util.source_hash(data), False)), name + "c"
        for target in targets:
            target.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)
generated = {text: compile(text, "<generated>", "exec", dont_inherit=True) for text in sorted(texts)}
known = {key: marshal.dumps(parts) for key, parts in (generated | patterns).items()}
marshal.dumps((modules, known)), buffer.getvalue(), stdlib.getvalue(), rest.getvalue(), json.dumps(kept)
`);
const [server, archive, stdlib, rest, kept] = parts.toJs();

// From compiled files, since compiling leaves traces in the memory.
const stdLibURL = join(here, "build/stdlib.zip");
await writeFile(stdLibURL, stdlib);
const started = await loadPyodide({ env, stdLibURL, _makeSnapshot: true });
started.FS.writeFile("/rest.zip", rest);
started.globals.set("kept", kept);
started.runPython(await readFile(join(here, "start.py"), "utf8"));
started.runPython(`
import gc, importlib, json
for name in json.loads(kept):
    importlib.import_module(name)
# The directory of this file is part of the memory.
os.replace("/rest.zip", next(path for path in sys.path if path.endswith(".zip")))
importlib.invalidate_caches()
gc.collect()
`);
const packed = { "server.bin": server, "files.bin": archive, "memory.bin": started.makeMemorySnapshot() };
for (const [name, content] of Object.entries(packed)) {
  await writeFile(join(here, "build", name), gzipSync(content, { level: 9 }));
}
await writeFile(join(here, "build/python_stdlib.zip"), rest);
