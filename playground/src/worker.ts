/** The language server: Python in this worker, which takes messages of LSP and posts its own. */
import { loadPyodide, type PyodideInterface } from "pyodide";
import type { WorkerEvent } from "./shared";

const scope = self as unknown as DedicatedWorkerGlobalScope;
const base = new URL(".", import.meta.url).href;
const waiting: string[] = [];
let receive: (message: string) => void = (message) => {
  waiting.push(message);
};

function tell(event: WorkerEvent): void {
  scope.postMessage(event);
}

scope.addEventListener("message", ({ data }: MessageEvent<string>) => {
  try {
    receive(data);
  } catch (error) {
    fail(error);
  }
});

/** Nothing can be asked of an interpreter that has ended; the page starts another one. */
function fail(error: unknown): void {
  receive = () => undefined;
  tell({ failed: error instanceof Error ? error.message.trim().split("\n").slice(-1)[0] ?? "" : String(error) });
}

async function start(): Promise<void> {
  tell({ step: "Loading Python…" });
  const packed = fetch(new URL("gpuasync.zip", base)).then((response) => response.arrayBuffer());
  const python: PyodideInterface = await loadPyodide({
    indexURL: new URL("pyodide/", base).href,
    stdout: () => undefined,
    stderr: (text) => {
      console.warn(text);
    },
  });
  tell({ step: "Loading the language server…" });
  python.unpackArchive(await packed, "zip", { extractDir: "/server" });
  const globals = python.globals as unknown as { set: (name: string, value: unknown) => void };
  globals.set("post", (message: string) => {
    scope.postMessage(message);
  });
  receive = python.runPython(`
import sys
sys.path.insert(0, "/server")
from gpuasync_lsp.server import Messages
Messages(post).receive
`) as (message: string) => void;
  for (const message of waiting.splice(0)) {
    receive(message);
  }
  tell({ ready: true });
}

start().catch(fail);
