// Checks dist/site, with one page of the rules, for accessibility (axe: serious and critical) and width: wide and light, and
// as a dark phone.
import { readFile, readdir } from "node:fs/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import { browser } from "./serve.mjs";

const SITE = fileURLToPath(new URL("../../dist/site/", import.meta.url));
const axe = await readFile(new URL("../node_modules/axe-core/axe.min.js", import.meta.url), "utf8");
const names = (await readdir(SITE, { recursive: true })).filter((name) => name.endsWith(".html") && !/^playground|GA(?!101)/.test(name));
const chromium = await browser();
const faults = [];
for (const [colorScheme, width] of [["light", 1280], ["dark", 390]]) {
  const context = await chromium.newContext({ viewport: { width, height: 850 }, colorScheme, bypassCSP: true });
  const page = await context.newPage();
  for (const name of names) {
    await page.goto(pathToFileURL(SITE + name).href);
    await page.evaluate(axe);
    const { violations } = await page.evaluate(() => globalThis.axe.run());
    for (const { impact, id, nodes } of violations.filter((each) => ["serious", "critical"].includes(each.impact))) {
      faults.push(`${name} (${colorScheme}, ${width}): ${impact} ${id}: ${nodes[0].target} ${nodes[0].failureSummary}`);
    }
    const excess = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    if (excess > 0) {
      faults.push(`${name} (${colorScheme}, ${width}): ${excess} pixels too wide`);
    }
  }
  await context.close();
}
await chromium.close();
console.log(faults.join("\n"));
console.log(`${names.length} pages, ${faults.length} faults`);
process.exit(faults.length ? 1 : 0);
