// Prints the results of tests/playground/results.py for the examples, as JSON, from the playground's Python in Node.
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { loadPyodide } from "pyodide";

const root = fileURLToPath(new URL("../../", import.meta.url));
const python = await loadPyodide({
  stdLibURL: `${root}dist/playground/pyodide/python_stdlib.zip`,
  stdout: () => undefined,
});
const archive = await readFile(`${root}dist/playground/server.bin`);
python.unpackArchive(new Uint8Array(archive), "gztar", { extractDir: "/server" });
python.mountNodeFS("/repository", root);
let text;
try {
  text = python.runPython(`
import json, sys
sys.path.insert(0, "/server")
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
