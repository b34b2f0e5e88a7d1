// Builds ../dist/playground: `node build.mjs`, after bundle.py, facts.py and pack.mjs have written build/ (see the Makefile).
import { build } from "esbuild";
import { createHash } from "node:crypto";
import { cp, mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { basename, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const here = fileURLToPath(new URL(".", import.meta.url));
const out = join(here, "../dist/playground");
const pyodide = ["pyodide.asm.mjs", "pyodide.asm.wasm"];

await rm(out, { recursive: true, force: true });
await mkdir(join(out, "pyodide"), { recursive: true });
await cp(join(here, "static"), out, { recursive: true });
await cp(join(here, "../vscode-extension/media/webview.css"), join(out, "webview.css"));
await cp(join(here, "../vscode-extension/media/icon.svg"), join(out, "icon.svg"));
for (const name of pyodide) {
  await cp(join(here, "node_modules/pyodide", name), join(out, "pyodide", name));
}
const packed = ["pyodide/python_stdlib.zip", "memory.bin", "server.bin", "files.bin"];
for (const name of packed) {
  await cp(join(here, "build", basename(name)), join(out, name));
}
const shared = {
  bundle: true,
  minify: true,
  format: "esm",
  target: "es2022",
  platform: "browser",
  outdir: out,
  nodePaths: [join(here, "node_modules")],
  legalComments: "none", // licences.txt has them
  metafile: true,
  logLevel: "warning",
};
const pages = await build({
  ...shared,
  entryPoints: [join(here, "src/boot.ts"), join(here, "src/page.ts"), join(here, "src/streams.ts")],
  define: { FACTS: await readFile(join(here, "build/facts.json"), "utf8") },
});
const python = createHash("sha256");
for (const name of [...pyodide.map((name) => `pyodide/${name}`), ...packed]) {
  python.update(await readFile(join(out, name)));
}
const MEMORY = JSON.stringify(`gpuasync-playground-memory-${python.digest("hex").slice(0, 16)}`);
const lock = JSON.parse(await readFile(join(here, "node_modules/pyodide/pyodide-lock.json"), "utf8"));
const worker = await build({
  ...shared,
  entryPoints: [join(here, "src/worker.ts"), join(here, "src/keeper.ts")],
  external: ["node:*"],
  define: { MEMORY, LOCK: JSON.stringify({ ...lock, packages: {} }) },
});
await writeFile(join(out, "licences.txt"), await licences([pages, worker]));

/** Returns the licences of this project, of the packages in the bundles, and of those in the server's archive. */
async function licences(bundles) {
  const inputs = bundles.flatMap(({ metafile }) => Object.keys(metafile.inputs));
  const found = new Set(inputs.map((path) => /node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0]).filter(Boolean));
  const parts = [];
  const add = async (title, folder, recursive = false) => {
    const all = await readdir(folder, { recursive });
    const own = all.filter((name) => /(?:^|\/)(?:licen[cs]e|notice)[^/]*\.?\w*$/i.test(name) && !/licenses$/.test(name));
    const texts = await Promise.all(own.map((name) => readFile(join(folder, name), "utf8")));
    parts.push([`== ${title}`, ...texts].join("\n\n"));
  };
  await add("gpuasync-lsp", join(here, ".."));
  for (const name of [...found].sort()) {
    const { name: title, version, license } = JSON.parse(await readFile(join(here, name, "package.json"), "utf8"));
    await add(`${title} ${version}, ${license}`, join(here, name));
  }
  parts.push("== CPython, which Pyodide brings, PSF-2.0 (https://docs.python.org/3/license.html)");
  for (const name of (await readdir(join(here, "build/libs"))).sort()) {
    if (name.endsWith(".dist-info") && !name.startsWith("gpuasync")) {
      await add(name.slice(0, -".dist-info".length), join(here, "build/libs", name), true);
    }
  }
  return parts.join("\n\n\n");
}

async function* files(folder) {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      yield* files(path);
    } else {
      yield path;
    }
  }
}

const hash = createHash("sha256");
const names = [];
let size = 0;
for await (const path of files(out)) {
  const content = await readFile(path);
  hash.update(relative(out, path)).update(content);
  names.push(relative(out, path));
  size += gzipSync(content, { level: 9 }).length;
}
names.sort();
await build({
  ...shared,
  format: "iife",
  entryPoints: [join(here, "src/sw.ts")],
  define: {
    FILES: JSON.stringify(["./", ...names]),
    BUILD: JSON.stringify(hash.digest("hex").slice(0, 16)),
    MEMORY,
  },
});
size += gzipSync(await readFile(join(out, "sw.js"))).length;
await stat(join(out, "index.html"));
console.log(`dist/playground: ${names.length + 1} files, ${(size / 1e6).toFixed(2)} MB compressed (gzip)`);
