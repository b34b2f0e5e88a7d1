// Creates gpuasync-lsp.vsix, after bundle.py has put the server into dist/libs (`make dist` does both). Pictures are
// embedded into the README: the page of an extension installed from a file shows neither relative links nor the
// extension's files.
import { createVSIX } from "@vscode/vsce";
import { access, readFile, stat, writeFile } from "node:fs/promises";
import { notices } from "./notices.mjs";

const PICTURE = /\.\.\/docs\/screenshots\/[\w-]+\.png/g;

const MOST_BYTES = 20e6;

const { version } = JSON.parse(await readFile("package.json", "utf8"));
await access(`dist/libs/gpuasync_lsp-${version}.dist-info`).catch(() => {
  throw new Error(`dist/libs lacks the server of version ${version}: run make dist in the folder above`);
});
await writeFile("dist/THIRD-PARTY-NOTICES.txt", await notices());

let readme = await readFile("README.md", "utf8");
for (const [path] of readme.matchAll(PICTURE)) {
  readme = readme.replace(path, `data:image/png;base64,${await readFile(path, "base64")}`);
}
await writeFile("dist/README.md", readme);
await createVSIX({
  packagePath: "gpuasync-lsp.vsix",
  readmePath: "dist/README.md",
  dependencies: false,
  // Searching third-party packages for secrets takes longer than all the rest; the packages are pinned by hashes.
  allowPackageAllSecrets: true,
  allowMissingRepository: true,
  rewriteRelativeLinks: false,
});
const { size } = await stat("gpuasync-lsp.vsix");
if (size > MOST_BYTES) {
  throw new Error(`gpuasync-lsp.vsix has ${size} bytes, more than ${MOST_BYTES}`);
}
