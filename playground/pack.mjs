// Writes build/gpuasync.tar.gz: the server's Python files as one archive, compiled by the Python that will read them.
// Every module of the server is imported on the way, so none needs what a browser lacks.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { loadPyodide } from "pyodide";

const here = fileURLToPath(new URL(".", import.meta.url));
const python = await loadPyodide();
python.mountNodeFS("/libs", join(here, "build/libs"));
const packed = python.runPython(`
import importlib, io, py_compile, sys, tarfile
from pathlib import Path

ROOT = Path("/libs")
NEVER = ("gpuasync_lsp/exec/worker/", "gpuasync_lsp/commands/", "gpuasync_lsp/cli.py", "gpuasync_lsp/__main__.py",
         "gpuasync_lsp/pytest_plugin.py", "gpuasync_lsp/analysis/docs.py", "pygls/cli")
"""What no browser has a use for."""
IF_IMPORTED = ("xdsl/dialects/", "xdsl/transforms/", "xdsl/backend/", "xdsl/frontend/", "xdsl/interpreters/",
               "xdsl/interactive/", "xdsl/jit/", "xdsl/tools/", "xdsl/xdsl_opt_main.py")
"""Of these there are only the modules that the server imports."""

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
            mode = py_compile.PycInvalidationMode.UNCHECKED_HASH
            py_compile.compile(str(path), "/tmp/one.pyc", dfile=name, doraise=True, optimize=0, invalidation_mode=mode)
            data, name = Path("/tmp/one.pyc").read_bytes(), name + "c"
        info = tarfile.TarInfo(name)
        info.size = len(data)
        archive.addfile(info, io.BytesIO(data))
buffer.getvalue()
`);
await writeFile(join(here, "build/gpuasync.tar.gz"), gzipSync(packed.toJs(), { level: 9 }));
