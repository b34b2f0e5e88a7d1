/** Starts the interpreter with the server's files, from a memory snapshot: that of the build, or that of an earlier visit. */
import { loadPyodide, type PyodideInterface } from "pyodide";

/** The parts of Emscripten and Pyodide used here that their public types lack. */
interface Files {
  mkdirTree: (path: string) => void;
  writeFile: (path: string, content: Uint8Array, options: { canOwn: boolean }) => void;
}
interface Machine {
  API: { restoreSnapshot: (memory: Uint8Array) => unknown };
  HEAP8: Int8Array;
  growMemory: (size: number) => unknown;
}
type Options = NonNullable<Parameters<typeof loadPyodide>[0]>;
export interface Python extends PyodideInterface {
  makeMemorySnapshot: () => Uint8Array<ArrayBuffer>;
}

/** The name of the cache for this build's memory snapshot, and a list of no packages for Pyodide; defined by the build. */
declare const MEMORY: string;
declare const LOCK: NonNullable<Options["lockFileContents"]>;

const base = new URL(".", import.meta.url).href;
const KEY = `${base}memory`;

// Chromium may abort the stream if two pages load the same file. Pyodide only logs that, and waits forever.
const instantiate = WebAssembly.instantiateStreaming.bind(WebAssembly);

/** Starts Python, from the snapshot `kept` of an earlier visit if there is one; rejects if a file cannot be loaded. */
export function startPython(kept: Promise<Uint8Array> | undefined, options: Options = {}): Promise<Python> {
  return new Promise((resolve, reject) => {
    let loadFiles = (): void => undefined;
    // The server's files are loaded only now, while the interpreter starts: earlier they would compete for bandwidth.
    const begun = new Promise<void>((loaded) => (loadFiles = loaded));
    // The snapshot of an earlier visit has the modules.
    const files = begun.then(() => Promise.all([unpacked("files.bin"), kept ? undefined : unpacked("server.bin")]));
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
    load(kept ?? unpacked("memory.bin"), options, files).then(resolve, reject);
  });
}

async function load(
  memory: Promise<Uint8Array>,
  options: Options,
  files: Promise<[Uint8Array, Uint8Array | undefined]>,
): Promise<Python> {
  const python = (await loadPyodide({
    indexURL: new URL("pyodide/", base).href,
    lockFileContents: LOCK,
    stdout: () => undefined,
    stderr: (text) => {
      console.warn(text);
    },
    ...options,
    ...startFrom(memory),
  })) as Python;
  const { FS } = python as unknown as { FS: Files };
  const [archive, modules] = await files;
  writeFiles(FS, archive);
  if (modules) {
    FS.writeFile("/server.bin", modules, { canOwn: true });
    python.runPython('load("/server.bin")');
  }
  return python;
}

/** Returns options that start from a snapshot; it may still be loading while the interpreter is compiled. */
function startFrom(memory: Promise<Uint8Array>): Options {
  type Create = NonNullable<Options["createPyodideModule"]>;
  const createPyodideModule: Create = async (settings) => {
    const { default: create } = (await import(`${base}pyodide/pyodide.asm.mjs`)) as { default: Create };
    const [made, snapshot] = await Promise.all([create(settings), memory]);
    const { API, HEAP8, growMemory } = made as unknown as Machine;
    // Pyodide copies a snapshot into its memory without enlarging it.
    if (HEAP8.length < snapshot.length) {
      growMemory(snapshot.length);
    }
    const { restoreSnapshot } = API;
    API.restoreSnapshot = () => restoreSnapshot(snapshot);
    return made;
  };
  return { _loadSnapshot: new Uint8Array(), createPyodideModule };
}

/** Loads a compressed file. Its name does not say so: some servers declare such a file as compressed in transfer. */
async function unpacked(name: string): Promise<Uint8Array> {
  const { body, ok, statusText } = await fetch(new URL(name, base));
  if (!ok || !body) {
    throw new Error(`the language server could not be loaded: ${statusText}`);
  }
  return new Uint8Array(await new Response(body.pipeThrough(new DecompressionStream("gzip"))).arrayBuffer());
}

/** Writes the files of a tar archive (USTAR): for each a header of 512 bytes, then the content, padded to a multiple. */
function writeFiles(FS: Files, archive: Uint8Array): void {
  const text = (from: number, to: number): string =>
    new TextDecoder().decode(archive.subarray(from, to)).replace(/\0.*$/s, "");
  const made = new Set<string>();
  for (let at = 0; archive[at]; ) {
    const prefix = text(at + 345, at + 500);
    const path = `/server/${prefix ? `${prefix}/` : ""}${text(at, at + 100)}`;
    const folder = path.slice(0, path.lastIndexOf("/"));
    const size = parseInt(text(at + 124, at + 136), 8);
    const begin = at + 512;
    if (!made.has(folder)) {
      FS.mkdirTree(folder);
      made.add(folder);
    }
    FS.writeFile(path, archive.slice(begin, begin + size), { canOwn: true });
    at = begin + Math.ceil(size / 512) * 512;
  }
}

/** Returns the memory snapshot of an earlier visit; undefined if the browser has none or blocks storage. */
export async function keptMemory(): Promise<Response | undefined> {
  try {
    return await (await caches.open(MEMORY)).match(KEY);
  } catch (reason) {
    console.info(reason); // for example in a frame of another site
    return undefined;
  }
}

export async function keepMemory(memory: Uint8Array<ArrayBuffer>): Promise<void> {
  await (await caches.open(MEMORY)).put(KEY, new Response(memory));
}

export async function forgetMemory(): Promise<void> {
  await caches.delete(MEMORY);
}
