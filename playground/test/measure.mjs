// Measures dist/playground in Chromium: `npm run measure -- [runs]`. Prints medians in milliseconds, once as fast as this
// machine is and once with its processor slowed down and its network limited, as on a laptop.
import { cpus, loadavg } from "node:os";
import { browser, serve } from "./serve.mjs";

const RUNS = Number(process.argv[2] ?? 3);
/** A laptop: DevTools' "mid-tier" slows a workstation down by four; 40 Mbit/s and 20 ms to the server. */
const LAPTOP = { rate: 2, network: { offline: false, latency: 20, downloadThroughput: 5e6, uploadThroughput: 1e6 } };

const served = await serve();
const chromium = await browser();

function median(values) {
  const sorted = [...values].sort((one, other) => one - other);
  return Math.round(sorted[Math.floor(sorted.length / 2)]);
}

const mark = (page, name) => page.evaluate((wanted) => performance.getEntriesByName(wanted)[0]?.startTime, name);

async function visit(context, limits) {
  const page = await context.newPage();
  if (limits) {
    const session = await context.newCDPSession(page);
    await session.send("Emulation.setCPUThrottlingRate", { rate: limits.rate });
    await session.send("Network.enable");
    await session.send("Network.emulateNetworkConditions", limits.network);
    // The worker is a target of its own.
    session.on("Target.attachedToTarget", () => undefined);
  }
  await page.goto(served.address);
  await page.waitForFunction(() => performance.getEntriesByName("analysed").length > 0, null, { timeout: 300_000 });
  const paint = await page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? 0);
  return { page, times: { paint, usable: await mark(page, "usable"), analysed: await mark(page, "analysed") } };
}

/** Milliseconds from a key to the diagnostics of the text with it, in a program of 200 lines. */
async function typing(page) {
  return page.evaluate(async () => {
    const { view } = playground;
    const body = "  %t = gpu.wait async\n  gpu.wait [%t]\n";
    const functions = Array.from({ length: 20 }, (_, at) => `func.func @f${at}() {\n${body.replaceAll("%t", `%t${at}`).repeat(1)}${"  %c = arith.constant 0 : index\n".replace("%c", `%c${at}`)}${Array.from({ length: 5 }, (_, n) => `  %d${n} = arith.addi %c${at}, %c${at} : index\n`).join("")}  return\n}\n`);
    const analysed = () => new Promise((resolve) => document.addEventListener("analysed", resolve, { once: true }));
    let done = analysed();
    view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: functions.join("") } });
    await done;
    const lines = view.state.doc.lines;
    const times = [];
    for (let at = 0; at < 15; at += 1) {
      await new Promise((resolve) => setTimeout(resolve, 400));
      const line = view.state.doc.line(5 + 10 * at);
      done = analysed();
      const begun = performance.now();
      view.dispatch({ changes: { from: line.to, insert: " " } });
      await done;
      times.push(performance.now() - begun);
    }
    times.sort((one, other) => one - other);
    return { lines, times };
  });
}

for (const [name, limits] of [["this machine", undefined], ["a laptop", LAPTOP]]) {
  const cold = [];
  const warm = [];
  let keys;
  for (let run = 0; run < RUNS; run += 1) {
    const context = await chromium.newContext();
    const first = await visit(context, limits);
    cold.push(first.times);
    await first.page.evaluate(() => navigator.serviceWorker.ready);
    await first.page.close();
    const second = await visit(context, limits);
    warm.push(second.times);
    keys = await typing(second.page);
    await context.close();
  }
  const all = (visits, what) => median(visits.map((times) => times[what]));
  console.log(`${name} (${cpus()[0].model}, ${cpus().length} cores, load ${loadavg()[0].toFixed(1)}), ${RUNS} runs`);
  for (const [kind, visits] of [["cold", cold], ["warm", warm]]) {
    console.log(`  ${kind}: first paint ${all(visits, "paint")}, editor ${all(visits, "usable")}, diagnostics ${all(visits, "analysed")}`);
  }
  console.log(`  a key to diagnostics, ${keys.lines} lines: median ${median(keys.times)}, worst ${Math.round(keys.times.at(-1))}`);
}
await chromium.close();
served.stop();
