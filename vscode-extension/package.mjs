// Makes gpuasync-lsp.vsix. The pictures of the README live in docs/screenshots; a copy goes along, since a .vsix
// cannot look outside itself.
import { createVSIX } from "@vscode/vsce";
import { copyFile, mkdir, readFile, writeFile } from "node:fs/promises";

const PICTURE = /\.\.\/docs\/screenshots\/([\w-]+\.png)/g;

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
  allowMissingRepository: true,
  rewriteRelativeLinks: false,
});
