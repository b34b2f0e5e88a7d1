// Bundles the extension into dist/: one file for VS Code, one script for each webview.
import { context } from "esbuild";
import { writeFile } from "node:fs/promises";

const minify = process.argv.includes("--minify");
const shared = { bundle: true, minify, sourcemap: !minify, logLevel: "info", metafile: true };

const builds = await Promise.all([
  context({
    ...shared,
    entryPoints: ["src/extension.ts"],
    outfile: "dist/extension.js",
    platform: "node",
    target: "node20",
    format: "cjs",
    external: ["vscode"],
  }),
  context({
    ...shared,
    entryPoints: ["src/webview/streams.ts", "src/webview/report.ts"],
    outdir: "dist/webview",
    platform: "browser",
    target: "es2022",
    format: "iife",
  }),
]);

if (process.argv.includes("--watch")) {
  await Promise.all(builds.map((build) => build.watch()));
} else {
  const inputs = [];
  for (const build of builds) {
    const { metafile } = await build.rebuild();
    inputs.push(...Object.keys(metafile.inputs));
    await build.dispose();
  }
  await writeFile("dist/inputs.json", JSON.stringify(inputs)); // notices.mjs collects the licences of these inputs
}
