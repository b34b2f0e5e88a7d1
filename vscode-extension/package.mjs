// Makes gpuasync-lsp.vsix, after bundle.py has put the server into dist/libs (`make dist` does both). The pictures of the README live in docs/screenshots; a copy goes along, since a .vsix
// cannot look outside itself.
import { createVSIX } from "@vscode/vsce";
import { access, copyFile, mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { notices } from "./notices.mjs";

const PICTURE = /\.\.\/docs\/screenshots\/([\w-]+\.png)/g;

const MOST_BYTES = 8e6;

const { version } = JSON.parse(await readFile("package.json", "utf8"));
await access(`dist/libs/gpuasync_lsp-${version}.dist-info`).catch(() => {
  throw new Error(`dist/libs lacks the server of version ${version}: run make dist in the folder above`);
});
await writeFile("dist/THIRD-PARTY-NOTICES.txt", await notices());

const readme = await readFile("README.md", "utf8");
await mkdir("dist/screenshots", { recursive: true });
for (const [path, name] of readme.matchAll(PICTURE)) {
  await copyFile(path, `dist/screenshots/${name}`);
}
await writeFile("dist/README.md", readme.replace(PICTURE, "dist/screenshots/$1"));
await createVSIX({
  packagePath: "gpuasync-lsp.vsix",
  readmePath: "dist/README.md",
  dependencies: false,
  // To look for secrets in others' packages, which are known by their hashes, takes longer than all the rest.
  allowPackageAllSecrets: true,
  allowMissingRepository: true,
  rewriteRelativeLinks: false,
});
const { size } = await stat("gpuasync-lsp.vsix");
if (size > MOST_BYTES) {
  throw new Error(`gpuasync-lsp.vsix has ${size} bytes, more than ${MOST_BYTES}`);
}
