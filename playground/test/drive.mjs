// Uses dist/playground in Chromium as a new user would, and ends with "passed" or an error. With a folder as argument,
// it writes screenshots there.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { deflateRawSync } from "node:zlib";
import { browser, serve } from "./serve.mjs";

const pictures = process.argv[2];
const SLOW = { timeout: 300_000 }; // for a busy machine
const served = await serve();
const chromium = await browser();
const axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const steps = [];

async function step(name, act) {
  steps.push(name);
  await act();
  console.log(`ok ${name}`);
}

async function picture(page, name) {
  if (pictures) {
    await page.screenshot({ path: `${pictures}/${name}.png` });
  }
}

const status = (page, text) => page.locator("#status").filter({ hasText: text }).waitFor(SLOW);
const lowered = (page, text) => page.locator("#lowered .cm-line").filter({ hasText: text }).first().waitFor(SLOW);
const program = (page) => page.evaluate(() => playground.view.state.doc.toString());
const put = (page, text) =>
  page.evaluate((insert) => {
    const { view } = playground;
    view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert }, selection: { anchor: 0 } });
  }, text);

/** Asserts that axe finds no serious problem in the page and its frames. */
async function accessible(page) {
  for (const frame of page.frames()) {
    await frame.addScriptTag({ content: axe }).catch(() => frame.evaluate(axe));
    const found = await frame.evaluate(() => globalThis.axe.run({ resultTypes: ["violations"] }));
    const serious = found.violations.filter(({ impact }) => impact === "serious" || impact === "critical");
    assert.deepEqual(
      serious.map(({ id, nodes }) => [id, nodes.map(({ html, failureSummary }) => [html.slice(0, 200), failureSummary])]),
      [],
      frame.url(),
    );
  }
}

/** Opens a page that fails the test if it logs an error or requests anything from another host. */
async function open(context, fragment = "") {
  const page = await context.newPage();
  const strays = [];
  page.on("request", (request) => {
    if (!request.url().startsWith(served.address) && !/^(blob|data):/.test(request.url())) {
      strays.push(request.url());
    }
  });
  page.on("pageerror", (error) => strays.push(String(error)));
  page.on("dialog", (dialog) => {
    strays.push(`dialog ${dialog.message()}`);
    void dialog.dismiss();
  });
  await page.goto(served.address + fragment, SLOW);
  return { page, strays };
}

const fragment = (value) => `#v1/${deflateRawSync(JSON.stringify(value)).toString("base64url")}`;

try {
  const context = await chromium.newContext({
    viewport: { width: 1280, height: 800 },
    colorScheme: "light",
    bypassCSP: false,
  });
  const { page, strays } = await open(context);

  await step("the editor is there before the server", async () => {
    await page.locator("#editor .cm-line").filter({ hasText: "func.func @duplicate" }).waitFor(SLOW);
    assert.ok((await page.locator("#editor .cm-line span").count()) > 10, "no colors");
  });
  await step("a problem is found and explained", async () => {
    await status(page, "1 problem (1 error)");
    await lowered(page, "llvm.func @duplicate");
    await page.locator("#editor .cm-inlay").first().waitFor(SLOW);
    await picture(page, "light");
    await page.getByRole("button", { name: "GA101", exact: true }).click();
    await page.getByRole("heading", { name: "GA101 too-many-dependencies" }).waitFor(SLOW);
    await picture(page, "explain");
    await accessible(page);
  });
  await step("a fix is applied, and undone", async () => {
    await page.getByRole("button", { name: "Depend on %back_ready only" }).click();
    await status(page, "No problems found");
    assert.match(await program(page), /gpu\.memcpy async \[%back_ready\]/);
    await page.locator("#editor .cm-content").focus();
    await page.keyboard.press("Control+z");
    await status(page, "1 problem");
  });
  await step("the keyboard alone is enough", async () => {
    await page.locator("#editor .cm-content").focus();
    await page.keyboard.press("F8");
    await page.keyboard.press("Control+.");
    await page.getByRole("dialog").getByRole("button", { name: "Depend on" }).waitFor(SLOW);
    await picture(page, "fixes");
    await accessible(page);
    await page.keyboard.press("Enter");
    await status(page, "No problems found");
    await page.keyboard.press("Escape");
    await page.keyboard.press("Tab");
    assert.notEqual(await page.evaluate(() => document.activeElement?.closest("#editor")?.id), "editor");
  });
  await step("all is fixed at once", async () => {
    await page.locator("#examples").selectOption({ label: "destroyed twice (broken)" });
    await status(page, "problem");
    await page.getByRole("button", { name: "Fix all" }).click();
    await status(page, "No problems found");
  });
  await step("the release and the stage are those that are picked", async () => {
    await page.locator("#examples").selectOption({ label: "two dependencies (broken)" });
    await status(page, "1 problem");
    await page.locator("#llvm").selectOption("16");
    await page.locator("#list").filter({ hasText: "LLVM 16" }).waitFor(SLOW);
    await page.getByRole("tab", { name: "Lowering" }).click();
    await page.locator("#stage").selectOption("gpu-async-region");
    await lowered(page, "func.func @duplicate");
    await page.locator("#stage").selectOption("");
    await page.locator("#llvm").selectOption("22");
    await page.locator("#list").filter({ hasText: "LLVM 22" }).waitFor(SLOW);
    await lowered(page, "llvm.func @duplicate");
  });
  await step("lines of both sides belong together", async () => {
    await page.locator("#editor .cm-line").filter({ hasText: "gpu.alloc async" }).first().click();
    await page.locator("#lowered .cm-linked").first().waitFor(SLOW);
    await page.locator("#lowered .cm-line").filter({ hasText: "@mgpuStreamCreate" }).last().click();
    await page.locator("#editor .cm-linked").first().waitFor(SLOW);
  });
  await step("hover, completion and formatting answer", async () => {
    const [x, y] = await page.evaluate(() => {
      const { view } = playground;
      const { left, top } = view.coordsAtPos(view.state.doc.toString().indexOf("gpu.wait async") + 5);
      return [left + 1, top + 5];
    });
    await page.mouse.move(x, y + 200);
    await page.mouse.move(x, y);
    await page.locator(".cm-tooltip-hover, .cm-lsp-hover-tooltip").first().waitFor(SLOW);
    await picture(page, "hover");
    await page.mouse.move(x, y + 400);
    await put(page, "func.func @f() {\n    %t = gpu.wait async\n  gpu.wait [%t]\n  return\n}\n");
    await status(page, "No problems found");
    await page.getByRole("button", { name: "Format" }).click();
    await page.waitForFunction(() => playground.view.state.doc.line(2).text === "  %t = gpu.wait async", null, SLOW);
    await page.evaluate(() => {
      const { view } = playground;
      view.dispatch({ selection: { anchor: view.state.doc.line(3).to - 2 } });
      view.focus();
    });
    await page.keyboard.press("Control+Space");
    await page.locator(".cm-tooltip-autocomplete").waitFor(SLOW);
    await page.keyboard.press("Escape");
  });
  await step("the streams are drawn, and lead to the source", async () => {
    await page.locator("#examples").selectOption({ label: "leaking join (broken)" });
    await status(page, "problem");
    await page.getByRole("tab", { name: "Streams" }).click();
    const frame = page.frameLocator("#streams iframe");
    await frame.locator("svg.gpuasync-streams [data-line]").first().waitFor(SLOW);
    await picture(page, "streams");
    await accessible(page);
    await frame.locator("svg.gpuasync-streams .op[data-line]").last().click();
    await page.locator("#editor .cm-linked").first().waitFor(SLOW);
  });
  await step("running says how", async () => {
    await page.getByRole("tab", { name: "Run" }).click();
    await page.getByText("gpuasync-lsp run --device cpu program.mlir").waitFor(SLOW);
    await accessible(page);
  });
  await step("a link holds the program", async () => {
    const text = "// é 漢 🚀 <b>&amp;\nfunc.func @linked() {\n\treturn\n}\n";
    await put(page, text);
    await page.locator("#llvm").selectOption("18");
    await page.getByRole("tab", { name: "Lowering" }).click();
    await page.locator("#stage").selectOption("gpu-async-region");
    await page.getByRole("button", { name: "Copy link" }).click();
    await page.waitForFunction(() => location.hash.startsWith("#v1/"), null, SLOW);
    const { page: other, strays: none } = await open(context, new URL(page.url()).hash);
    await lowered(other, "func.func @linked");
    assert.equal(await program(other), text);
    assert.equal(await other.locator("#llvm").inputValue(), "18");
    assert.equal(await other.locator("#stage").inputValue(), "gpu-async-region");
    assert.equal(await other.locator("#examples").inputValue(), "");
    assert.deepEqual(none, []);
    await other.close();
    await page.locator("#stage").selectOption("");
    await page.locator("#llvm").selectOption("0");
  });
  await step("links to examples and rules open them, also embedded", async () => {
    const rule = await open(context, "?embed#GA201");
    await rule.page.locator("#editor .cm-line").filter({ hasText: "GA201" }).waitFor(SLOW);
    await rule.page.locator("#list").filter({ hasText: "GA201" }).waitFor(SLOW);
    assert.equal(await rule.page.locator("header h1").isVisible(), false);
    await rule.page.waitForFunction(() => document.querySelector("#whole").href.includes("#v1/"), null, SLOW);
    await picture(rule.page, "embed");
    assert.deepEqual(rule.strays, []);
    // Open another link in the same page: to a rule about old releases.
    await rule.page.evaluate(() => (location.hash = "#GA112"));
    await rule.page.locator("#list").filter({ hasText: "GA112" }).waitFor(SLOW);
    assert.equal(await rule.page.locator("#llvm").inputValue(), "16");
    await rule.page.close();
  });
  await step("the list of rules leads to pages, and they to examples", async () => {
    await page.getByRole("tab", { name: "Explain" }).click();
    await page.getByRole("button", { name: "All rules" }).click();
    await accessible(page);
    await page.getByRole("button", { name: "GA201 stream-destroyed-twice" }).click();
    await page.getByRole("heading", { name: "GA201" }).waitFor(SLOW);
    await page.getByRole("button", { name: "Open the example" }).click();
    await page.locator("#list").filter({ hasText: "GA201" }).waitFor(SLOW);
    assert.equal(new URL(page.url()).hash, "#GA201");
  });
  await step("what is too large is not taken", async () => {
    const before = await program(page);
    await put(page, "// x\n".repeat(100_000));
    await page.locator("#refusal").filter({ hasText: "the command line takes larger ones" }).waitFor(SLOW);
    assert.equal(await program(page), before);
  });
  await step("a hostile link does nothing", async () => {
    const script = '<img src=x onerror="alert(1)"><script>alert(2)</script>';
    const symbol = `@"${script.replaceAll('"', "\\22")}`;
    const name = `func.func ${symbol}"(%x: memref<4xf32>) {\n  %t = gpu.wait async\n  func.call ${symbol}."() : () -> ()\n  gpu.wait [%t]\n  return\n}\n`;
    const { page: victim, strays: none } = await open(context, "#v1/!!!!");
    await victim.locator("#refusal").filter({ hasText: "damaged" }).waitFor(SLOW);
    await victim.locator("#editor .cm-line").filter({ hasText: "@duplicate" }).waitFor(SLOW);
    for (const [bad, said] of [
      [`#v1/${"A".repeat(500_000)}`, "too long"],
      ["#v1/AAAA", "damaged"],
      [fragment(["x".repeat(30_000_000), 0, "", "lowering"]), "too large"],
      [fragment({ text: script }), "no program"],
      ["#constructor", "neither an example nor a rule"],
      [fragment([script, 0, script, "lowering"]), "no program"],
      [`#${encodeURIComponent(script)}`, "neither an example nor a rule"],
    ]) {
      await victim.evaluate((hash) => (location.hash = hash), bad);
      await victim.locator("#refusal").filter({ hasText: said }).waitFor(SLOW);
      assert.match(await program(victim), /@duplicate/);
    }
    await victim.evaluate((hash) => (location.hash = hash), fragment([name, 0, "", "streams"]));
    await victim.locator("#list li").filter({ hasText: "<img" }).first().waitFor(SLOW);
    await victim.frameLocator("#streams iframe").locator("body").waitFor(SLOW);
    await victim.locator("#editor .cm-line").filter({ hasText: "func.func" }).hover();
    await victim.waitForTimeout(1000);
    // CodeMirror inserts an image of its own next to a hint.
    assert.equal(await victim.locator("img:not(.cm-widgetBuffer), #editor script, #problems script").count(), 0);
    assert.deepEqual(none, []);
    await victim.close();
  });
  await step("neither the page nor the worker reaches another host", async () => {
    const attempt = async () => {
      const violation = new Promise((resolve) =>
        self.addEventListener("securitypolicyviolation", (event) => resolve(event.blockedURI), { once: true }),
      );
      try {
        await fetch("https://example.org/");
        return "reached";
      } catch {
        return await violation;
      }
    };
    assert.match(await page.evaluate(attempt), /^https:\/\/example\.org/);
    const [worker] = page.workers();
    assert.match(await worker.evaluate(attempt), /^https:\/\/example\.org/);
  });
  assert.deepEqual(strays, []);
  await step("a program that cannot be analyzed leaves the page alive", async () => {
    const deep = `func.func @f(%c: i1) {\n${"scf.if %c {\n".repeat(1500)}${"}\n".repeat(1500)}return\n}\n`;
    await put(page, deep);
    await page.locator("#status").filter({ hasText: /problem|stopped/ }).waitFor(SLOW);
    await page.waitForFunction(() => document.querySelector("#status").textContent !== "", null, SLOW);
  });
  await step("the second visit needs no network", async () => {
    await page.evaluate(() => navigator.serviceWorker.ready);
    await page.waitForFunction(() => performance.getEntriesByName("kept").length > 0, null, SLOW);
    served.stop();
    const again = await context.newPage();
    await again.goto(served.address, SLOW);
    await status(again, "1 problem");
    assert.equal(await again.locator("#list li").count(), 1);
    await again.close();
  });
  await step("a damaged memory of an earlier visit is replaced", async () => {
    const again = await context.newPage();
    const memory = async (content) => {
      const name = (await caches.keys()).find((each) => each.includes("memory"));
      const cache = await caches.open(name);
      const [key] = await cache.keys();
      if (content) {
        await cache.put(key, new Response(content));
      }
      return key ? (await (await cache.match(key)).arrayBuffer()).byteLength : 0;
    };
    assert.ok((await page.evaluate(memory)) > 20_000_000);
    await page.evaluate(memory, "damaged");
    await again.goto(served.address, SLOW);
    await status(again, "1 problem");
    await again.waitForFunction(() => performance.getEntriesByName("kept").length > 0, null, SLOW);
    assert.ok((await page.evaluate(memory)) > 20_000_000);
    await again.close();
  });
  await context.close();

  const after = await serve();
  served.address = after.address;
  await step("dark, and as wide as a phone", async () => {
    const phone = await chromium.newContext({ viewport: { width: 390, height: 844 }, colorScheme: "dark", hasTouch: true });
    const { page: small, strays: none } = await open(phone);
    await status(small, "1 problem");
    await lowered(small, "llvm.func @duplicate");
    await picture(small, "phone");
    assert.ok((await small.evaluate(() => document.documentElement.scrollWidth)) <= 390, "it scrolls sideways");
    await accessible(small);
    await small.getByRole("tab", { name: "Explain" }).click();
    await accessible(small);
    await small.getByRole("tab", { name: "Run" }).click();
    await accessible(small);
    await small.getByRole("tab", { name: "Streams" }).click();
    await small.frameLocator("#streams iframe").locator("svg.gpuasync-streams").first().waitFor(SLOW);
    await small.locator("#streams").scrollIntoViewIfNeeded();
    await accessible(small);
    await picture(small, "phone-streams");
    await small.setViewportSize({ width: 1280, height: 800 });
    await picture(small, "dark-streams");
    await small.getByRole("tab", { name: "Lowering" }).click();
    await lowered(small, "llvm.func @duplicate");
    await picture(small, "dark");
    assert.deepEqual(none, []);
    await phone.close();
  });
  after.stop();
  console.log("passed");
} catch (error) {
  console.log(`failed: ${steps.at(-1)}`);
  console.log(String(error.stack).slice(0, 2000)); // the stack may quote a link of a megabyte
  process.exitCode = 1;
} finally {
  served.stop();
  await chromium.close();
}
