// Measures dist/playground in Chromium: `npm run measure -- [runs]`. Prints medians in milliseconds, for this machine
// and for a simulated laptop: half as fast, with a network of 40 Mbit/s and 20 ms.
import { cpus, loadavg } from "node:os";
import { browser, serve } from "./serve.mjs";

const RUNS = Number(process.argv[2] ?? 3);
const LAPTOP = { share: 0.5, network: { bytesPerSecond: 5e6, latency: 20 } };
const PERIOD = 20;

const chromium = await browser();

function median(values) {
  const sorted = [...values].sort((one, other) => one - other);
  return Math.round(sorted[Math.floor(sorted.length / 2)]);
}

/** Runs the pages and their workers for a share of the time only: DevTools' throttling does not slow workers. */
async function slowDown(share) {
  const session = await chromium.newBrowserCDPSession();
  let renderers = [];
  let isOver = false;
  const signal = (name) => {
    for (const pid of renderers) {
      try {
        process.kill(pid, name);
      } catch (error) {
        if (error.code !== "ESRCH") {
          throw error;
        }
      }
    }
  };
  const sleep = (time) => new Promise((resolve) => setTimeout(resolve, time));
  const done = (async () => {
    while (!isOver) {
      const { processInfo } = await session.send("SystemInfo.getProcessInfo");
      renderers = processInfo.filter(({ type }) => type === "renderer").map(({ id }) => id);
      for (let at = 0; at < 5; at += 1) {
        signal("SIGSTOP");
        await sleep(PERIOD * (1 - share));
        signal("SIGCONT");
        await sleep(PERIOD * share);
      }
    }
  })();
  return async () => {
    isOver = true;
    await done;
  };
}

async function visit(context, address) {
  const page = await context.newPage();
  await page.goto(address);
  await page.waitForFunction(() => performance.getEntriesByName("analyzed").length > 0, null, { timeout: 300_000 });
  const times = await page.evaluate(() => {
    const at = (name) => performance.getEntriesByName(name)[0].startTime;
    return { paint: at("first-contentful-paint"), usable: at("usable"), analyzed: at("analyzed") };
  });
  return { page, times };
}

/** Returns the milliseconds from a keystroke to the diagnostics of the new text, in a program of 200 lines. */
async function typing(page) {
  return page.evaluate(async () => {
    const { view } = playground;
    const functions = Array.from({ length: 20 }, (_, at) => {
      const sums = Array.from({ length: 5 }, (_, n) => `  %d${n} = arith.addi %c, %c : index`);
      const body = ["  %t = gpu.wait async", "  gpu.wait [%t]", "  %c = arith.constant 0 : index", ...sums];
      return [`func.func @f${at}() {`, ...body, "  return", "}", ""].join("\n");
    });
    const analyzed = () => new Promise((resolve) => document.addEventListener("analyzed", resolve, { once: true }));
    let done = analyzed();
    view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: functions.join("") } });
    await done;
    const lines = view.state.doc.lines;
    const times = [];
    for (let at = 0; at < 15; at += 1) {
      await new Promise((resolve) => setTimeout(resolve, 400));
      const line = view.state.doc.line(5 + 10 * at);
      done = analyzed();
      const begun = performance.now();
      view.dispatch({ changes: { from: line.to, insert: " " } });
      await done;
      times.push(performance.now() - begun);
    }
    return { lines, times };
  });
}

for (const [name, limits] of [["this machine", {}], ["a laptop", LAPTOP]]) {
  const served = await serve({ isCompressed: true, ...limits.network });
  const speedUp = limits.share === undefined ? () => undefined : await slowDown(limits.share);
  const cold = [];
  const warm = [];
  const keys = [];
  let lines;
  for (let run = 0; run < RUNS; run += 1) {
    const context = await chromium.newContext();
    const first = await visit(context, served.address);
    cold.push(first.times);
    await first.page.evaluate(() => navigator.serviceWorker.ready);
    await first.page.waitForFunction(() => performance.getEntriesByName("kept").length > 0, null, { timeout: 300_000 });
    await first.page.close();
    const second = await visit(context, served.address);
    warm.push(second.times);
    const typed = await typing(second.page);
    keys.push(...typed.times);
    lines = typed.lines;
    await context.close();
  }
  await speedUp();
  served.stop();
  const all = (visits, what) => median(visits.map((times) => times[what]));
  console.log(`${name} (${cpus()[0].model}, ${cpus().length} cores, load ${loadavg()[0].toFixed(1)}), ${RUNS} runs`);
  for (const [kind, visits] of [["cold", cold], ["warm", warm]]) {
    console.log(`  ${kind}: first paint ${all(visits, "paint")}, editor ${all(visits, "usable")}, diagnostics ${all(visits, "analyzed")}`);
  }
  console.log(`  a key to diagnostics, ${lines} lines: median ${median(keys)}, worst ${Math.round(Math.max(...keys))}`);
}
await chromium.close();
