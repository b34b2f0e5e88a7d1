/** Starts the interpreter with the server's files: from scratch, or from the memory snapshot of an earlier visit. */
import { loadPyodide, type PyodideInterface } from "pyodide";

/** The parts of Emscripten and Pyodide used here that their public types lack. */
interface Files {
  mkdirTree: (path: string) => void;
  writeFile: (path: string, content: Uint8Array, options: { canOwn: boolean }) => void;
}
interface Machine {
  HEAP8: Int8Array;
  growMemory: (size: number) => unknown;
}
/** A file of the server's archive. */
interface File {
  name: string;
  content: Uint8Array;
}
type Options = NonNullable<Parameters<typeof loadPyodide>[0]>;
export interface Python extends PyodideInterface {
  makeMemorySnapshot: () => Uint8Array<ArrayBuffer>;
}

/** The name of the cache for this build's memory snapshot; defined by the build. */
declare const MEMORY: string;

const base = new URL(".", import.meta.url).href;
const KEY = `${base}memory`;

// Chromium may abort the stream if two pages load the same file. Pyodide only logs that, and waits forever.
const instantiate = WebAssembly.instantiateStreaming.bind(WebAssembly);

/** Starts Python, from the snapshot `memory` if there is one; rejects if a file cannot be loaded. */
export function startPython(memory: Uint8Array | undefined, options: Options = {}): Promise<Python> {
  return new Promise((resolve, reject) => {
    let loadFiles = (): void => undefined;
    // The server's files are loaded only now, while the interpreter starts: earlier they would compete for bandwidth.
    const files = new Promise<void>((loaded) => (loadFiles = loaded)).then(serverFiles);
    files.catch(reject);
    WebAssembly.instantiateStreaming = async (source, imports) => {
      try {
        return await instantiate(source, imports);
      } catch (reason) {
        console.info(reason);
      } finally {
        loadFiles();
      }
      try {
        const again = await fetch(new URL("pyodide/pyodide.asm.wasm", base));
        return await WebAssembly.instantiate(await again.arrayBuffer(), imports);
      } catch (error) {
        reject(error instanceof Error ? error : new Error(String(error)));
        throw error;
      }
    };
    load(memory, options, files).then(resolve, reject);
  });
}

async function load(memory: Uint8Array | undefined, options: Options, files: Promise<File[]>): Promise<Python> {
  const python = (await loadPyodide({
    indexURL: new URL("pyodide/", base).href,
    stdout: () => undefined,
    stderr: (text) => {
      console.warn(text);
    },
    ...options,
    ...(memory && { _loadSnapshot: memory, createPyodideModule: await largeEnough(memory.length) }),
  })) as Python;
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
  python.runPython(`
import sys
if "/server" not in sys.path:
    sys.path.insert(0, "/server")
from gpuasync_lsp.server import Messages
`);
  return python;
}

/**
 * Returns a creator of Pyodide's module with at least `size` bytes of memory: Pyodide copies a snapshot into this
 * memory without enlarging it.
 */
async function largeEnough(size: number): Promise<NonNullable<Options["createPyodideModule"]>> {
  type Create = NonNullable<Options["createPyodideModule"]>;
  const { default: create } = (await import(`${base}pyodide/pyodide.asm.mjs`)) as { default: Create };
  return async (settings) => {
    const machine = await create(settings);
    const { HEAP8, growMemory } = machine as unknown as Machine;
    if (HEAP8.length < size) {
      growMemory(size);
    }
    return machine;
  };
}

/** Loads and unpacks the server's archive, with the browser's own decompression, while Python starts. */
async function serverFiles(): Promise<File[]> {
  const { body, ok, statusText } = await fetch(new URL("server.bin", base));
  if (!ok || !body) {
    throw new Error(`the language server could not be loaded: ${statusText}`);
  }
  const archive = new Uint8Array(await new Response(body.pipeThrough(new DecompressionStream("gzip"))).arrayBuffer());
  const text = (from: number, to: number): string =>
    new TextDecoder().decode(archive.subarray(from, to)).replace(/\0.*$/s, "");
  const files: File[] = [];
  // A tar archive (USTAR): a header of 512 bytes, then the content, padded to a multiple of 512.
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

/** Returns the memory snapshot of an earlier visit; undefined if the browser has none or blocks storage. */
export async function keptMemory(): Promise<Uint8Array | undefined> {
  try {
    const found = await (await caches.open(MEMORY)).match(KEY);
    return found && new Uint8Array(await found.arrayBuffer());
  } catch (reason) {
    console.info(reason); // For example in a frame of another site.
    return undefined;
  }
}

export async function keepMemory(memory: Uint8Array<ArrayBuffer>): Promise<void> {
  await (await caches.open(MEMORY)).put(KEY, new Response(memory));
}

export async function forgetMemory(): Promise<void> {
  await caches.delete(MEMORY);
}
