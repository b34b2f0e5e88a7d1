// The licences of third-party code in the .vsix: npm packages that esbuild put into the scripts, and Python packages in
// dist/libs. A package without a licence text fails the build.
import { readdir, readFile } from "node:fs/promises";

const OWN = "gpuasync_lsp";
const LICENCE = /^(licen[cs]e|notice|copying|thirdpartynotices)/i;

/** Returns the licence texts by package. */
export async function notices() {
  const all = [...(await npmPackages()), ...(await pythonPackages())];
  const parts = all.map(({ name, version, texts }) => {
    if (texts.length === 0) {
      throw new Error(`${name} ${version} goes along without the text of its licence`);
    }
    return [`${name} ${version}`, "=".repeat(name.length + version.length + 1), "", ...texts].join("\n");
  });
  return `Third-party software in this extension\n\n\n${parts.join("\n\n\n")}\n`;
}

async function npmPackages() {
  const inputs = JSON.parse(await readFile("dist/inputs.json", "utf8"));
  const folders = new Set(
    inputs.flatMap((input) => input.match(/^.*node_modules\/(?:@[^/]+\/)?[^/]+/)?.[0] ?? []),
  );
  return Promise.all(
    [...folders].sort().map(async (folder) => {
      const { name, version } = JSON.parse(await readFile(`${folder}/package.json`, "utf8"));
      return { name, version, texts: await licences(folder) };
    }),
  );
}

async function pythonPackages() {
  const found = (await readdir("dist/libs")).flatMap((name) => /^(.+)-(.+)\.dist-info$/.exec(name) ?? []);
  const packages = [];
  for (let at = 0; at < found.length; at += 3) {
    const [folder, name, version] = found.slice(at, at + 3);
    // Some wheels lack their licence; these texts are from the packages' sources.
    const given = await readFile(`bundled/licences/${name}.txt`, "utf8").catch(() => undefined);
    const texts = given ? [given] : await licences(`dist/libs/${folder}/licenses`);
    packages.push({ name, version, texts });
  }
  return packages.filter(({ name }) => name !== OWN);
}

async function licences(folder) {
  const names = (await readdir(folder)).filter((name) => LICENCE.test(name));
  return Promise.all(names.sort().map((name) => readFile(`${folder}/${name}`, "utf8")));
}
