/** The language server: Python in this worker, which takes messages of LSP and posts its own. */
import { loadPyodide, type PyodideInterface } from "pyodide";
import type { WorkerEvent } from "./shared";

/** What is used of Emscripten's file system, whose types Pyodide does not bring. */
interface Files {
  mkdirTree: (path: string) => void;
  writeFile: (path: string, content: Uint8Array, options: { canOwn: boolean }) => void;
}

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

// Chromium may abort the stream where two pages load the same file. Pyodide only logs that, and waits forever.
const instantiate = WebAssembly.instantiateStreaming.bind(WebAssembly);
WebAssembly.instantiateStreaming = async (source, imports) => {
  try {
    return await instantiate(source, imports);
  } catch (reason) {
    console.info(reason);
  }
  try {
    const again = await fetch(new URL("pyodide/pyodide.asm.wasm", base));
    return await WebAssembly.instantiate(await again.arrayBuffer(), imports);
  } catch (error) {
    fail(error);
    throw error;
  }
};

/** The files of the archive: unpacked here while Python starts, and by the browser's own code. */
async function serverFiles(): Promise<{ name: string; content: Uint8Array }[]> {
  const { body, ok, statusText } = await fetch(new URL("server.bin", base));
  if (!ok || !body) {
    throw new Error(`the language server could not be loaded: ${statusText}`);
  }
  const archive = new Uint8Array(await new Response(body.pipeThrough(new DecompressionStream("gzip"))).arrayBuffer());
  const text = (from: number, to: number): string =>
    new TextDecoder().decode(archive.subarray(from, to)).replace(/\0.*$/s, "");
  const files: { name: string; content: Uint8Array }[] = [];
  // A tar archive (USTAR): a header of 512 bytes, and the content, filled up to a multiple of 512.
  for (let at = 0; archive[at]; ) {
    const folder = text(at + 345, at + 500);
    const name = text(at, at + 100);
    const size = parseInt(text(at + 124, at + 136), 8);
    const begin = at + 512;
    files.push({ name: folder ? `${folder}/${name}` : name, content: archive.slice(begin, begin + size) });
    at = begin + Math.ceil(size / 512) * 512;
  }
  return files;
}

async function start(): Promise<void> {
  tell({ step: "Loading Python…" });
  const files = serverFiles();
  const python: PyodideInterface = await loadPyodide({
    indexURL: new URL("pyodide/", base).href,
    stdout: () => undefined,
    stderr: (text) => {
      console.warn(text);
    },
  });
  tell({ step: "Loading the language server…" });
  const { FS } = python as unknown as { FS: Files };
  const made = new Set<string>();
  for (const { name, content } of await files) {
    const path = `/server/${name}`;
    const folder = path.slice(0, path.lastIndexOf("/"));
    if (!made.has(folder)) {
      FS.mkdirTree(folder);
      made.add(folder);
    }
    FS.writeFile(path, content, { canOwn: true });
  }
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
}

start().catch(fail);
