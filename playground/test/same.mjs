// Prints the results of tests/playground/results.py for the examples, as JSON, from the playground's Python in Node.
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { loadPyodide } from "pyodide";
import create from "pyodide/pyodide.asm.mjs";

const root = fileURLToPath(new URL("../../", import.meta.url));
const built = async (name) => gunzipSync(await readFile(`${root}dist/playground/${name}`));
const memory = await built("memory.bin");
const python = await loadPyodide({
  stdLibURL: `${root}dist/playground/pyodide/python_stdlib.zip`,
  stdout: () => undefined,
  _loadSnapshot: memory,
  async createPyodideModule(settings) {
    const made = await create(settings);
    made.growMemory(memory.length);
    return made;
  },
});
python.unpackArchive(new Uint8Array(await built("files.bin")), "tar", { extractDir: "/server" });
python.FS.writeFile("/server.bin", await built("server.bin"));
python.mountNodeFS("/repository", root);
let text;
try {
  text = python.runPython(`
import json, sys
load("/server.bin")
sys.path.append("/repository/tests/playground")
from pathlib import Path
from results import results
json.dumps(results(Path("/repository/examples")))
`);
} catch (error) {
  console.error(error.message); // only the message: Pyodide's source is a single line of a megabyte
  process.exit(1);
}
process.stdout.write(text);
