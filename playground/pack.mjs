// Writes the Python files of the page, compiled by the Python that will run them: the server as one archive,
// build/gpuasync.tar.gz, and the standard library, build/python_stdlib.zip. (Pyodide ships sources; compiling them
// takes half of its start-up time.) Every module of the server is imported here, which proves that none needs a feature
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
const python = await loadPyodide();
python.mountNodeFS("/libs", join(here, "build/libs"));
python.FS.writeFile("/stdlib.zip", await readFile(join(here, "node_modules/pyodide/python_stdlib.zip")));
const [server, stdlib] = python.runPython(`
import ast, importlib, importlib._bootstrap_external as external, io, sys, tarfile, zipfile
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
    """A .pyc without docstrings, an eighth of the archive. A class has one letter instead: a dataclass without any
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
    code = compile(ast.fix_missing_locations(tree), name, "exec", dont_inherit=True, optimize=0)
    return bytes(external._code_to_hash_pyc(code, importlib.util.source_hash(source), False))

def name_of(path):
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)

sys.path.insert(0, str(ROOT))
sys.dont_write_bytecode = True
files = [path for path in sorted(ROOT.rglob("*")) if path.is_file() and "__pycache__" not in path.parts]
files = [path for path in files if not path.relative_to(ROOT).as_posix().startswith(NEVER)]
for path in files:
    if path.suffix == ".py" and path.is_relative_to(ROOT / "gpuasync_lsp"):
        importlib.import_module(name_of(path))

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
            data, name = compiled(data, name), name + "c"
        info = tarfile.TarInfo(name)
        info.size = len(data)
        archive.addfile(info, io.BytesIO(data))

imported = [name for name in sys.modules if name.replace(".", "/").startswith(NO_STDLIB)]
assert not imported, imported
stdlib = io.BytesIO()
with zipfile.ZipFile("/stdlib.zip") as source, zipfile.ZipFile(stdlib, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as target:
    for name in source.namelist():
        if name.startswith(NO_STDLIB):
            continue
        data = source.read(name)
        if name.endswith(".py"):
            data, name = compiled(data, name), name + "c"
        target.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)
buffer.getvalue(), stdlib.getvalue()
`).toJs();
await writeFile(join(here, "build/gpuasync.tar.gz"), gzipSync(server, { level: 9 }));
await writeFile(join(here, "build/python_stdlib.zip"), stdlib);
