// Acts in VS Code as a user would, and fails if something else happens than expected.
//
//   node vscode.mjs STEP      the steps are at the end of the file, the environment is set by workbench.py
import { strict as assert } from "node:assert";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";

const require = createRequire(`${process.env.NODE_PATH}/`);
const { chromium } = require("playwright-core");
const { GPUASYNC_URL: url, GPUASYNC_WORKSPACE: workspace, GPUASYNC_SHOTS: shots } = process.env;

const browser = await chromium.launch({
  executablePath: process.env.GPUASYNC_CHROMIUM,
  headless: true,
  args: [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
  ],
});
const page = await (await browser.newContext({ viewport: { width: 1400, height: 800 } })).newPage();
page.setDefaultTimeout(30_000);

// ---- what a user does ---------------------------------------------------------------------------------------

const shot = (name) => page.screenshot({ path: `${shots}/vscode-${name}.png` });
const editor = (index = 0) => page.locator(".editor-instance .view-lines").nth(index);
const line = (text, index = 0) => editor(index).locator(".view-line", { hasText: text }).first();
const plain = (text) => text.replaceAll("\u00a0", " ").replaceAll(/[\u200b-\u200f\u202a-\u202e]/g, "");

/** Drags the border of the side bar, so that what is in it can be read in pictures. */
async function widerSideBar() {
  await page.mouse.move(350, 400);
  await page.mouse.down();
  await page.mouse.move(620, 400, { steps: 5 });
  await page.mouse.up();
}

async function open(file) {
  await page.goto(url);
  await page.locator(".monaco-workbench").waitFor({ timeout: 60_000 });
  await openAlso(file);
}

/** Opens one more file of the folder. */
async function openAlso(file) {
  await page
    .locator(".explorer-folders-view .monaco-list-row", { hasText: file })
    .dblclick({ timeout: 60_000 });
  await page.locator(".tab.active", { hasText: file }).waitFor();
  await line(/module|func/).waitFor();
}

async function openUntrusted() {
  await page.goto(url);
  await page.locator(".monaco-workbench").waitFor({ timeout: 60_000 });
  await page.locator(".statusbar-item", { hasText: "Restricted Mode" }).waitFor();
  await page
    .locator(".explorer-folders-view .monaco-list-row", {
      hasText: "refused_copy",
    })
    .dblclick();
}

/** How many colours the text of a line has, inlay hints apart. */
async function colours(text) {
  const spans = line(text).locator("span[class^=mtk]");
  const classes = await spans.evaluateAll((all) => all.map((span) => span.className));
  return new Set(classes.filter((name) => /^mtk\d+$/.test(name))).size;
}

/** The colours of the wavy lines in an editor's text that are no problems'. */
async function waves(part) {
  const spans = part.locator(".view-lines span[class*='TextEditorDecorationType']");
  return spans.evaluateAll((all) =>
    all
      .map((span) => getComputedStyle(span))
      .filter((style) => style.textDecorationStyle === "wavy")
      .map((style) => style.textDecorationColor),
  );
}

/** Opens the program that LLVM refuses, and waits for the server's verdict. */
async function openRefused() {
  await open("refused_copy.mlir");
  await page.locator(".squiggly-error").first().waitFor({ timeout: 60_000 });
}

async function rows(text) {
  await page.keyboard.press("F1");
  const input = page.locator(".quick-input-widget input[type=text], .quick-input-widget .input").first();
  await input.waitFor();
  await input.fill(`>${text}`);
  return page.locator(".quick-input-list .monaco-list-row");
}

/** Runs a command by its name. The palette lists what is there when it opens: open it until the command is. */
async function command(text) {
  await until(text, async () => {
    const found = (await rows(text)).filter({ hasText: text }).first();
    const there = await found.waitFor({ timeout: 2000 }).then(
      () => true,
      () => false,
    );
    await (there ? found.click() : page.keyboard.press("Escape"));
    return there;
  });
}

/** Sets the settings of the folder. */
function configure(settings) {
  mkdirSync(`${workspace}/.vscode`, { recursive: true });
  writeFileSync(`${workspace}/.vscode/settings.json`, JSON.stringify(settings));
}

/** Chooses from the list that is open, of which only what is in sight is there. */
async function pick(text) {
  const row = page.locator(".quick-input-list .monaco-list-row", { hasText: text }).first();
  await page.locator(".quick-input-list .monaco-list-row").first().waitFor();
  if (!(await row.isVisible())) {
    await page.locator(".quick-input-widget input").first().fill(text);
  }
  await row.click();
}

/** Puts the cursor on a line of the focused editor. */
async function goTo(number, column = 1) {
  await page.keyboard.press("Control+G");
  const input = page.locator(".quick-input-widget input").first();
  await input.waitFor();
  await input.fill(`:${number}:${column}`);
  await page.keyboard.press("Enter");
  await page.locator(".quick-input-widget").waitFor({ state: "hidden" });
}

/** The menu's entry; the menu says what there is when it opens, so it is opened until the entry is there. */
async function codeAction(title) {
  const action = page.locator(".action-widget .monaco-list-row", { hasText: title }).first();
  await until(`a code action ${title}`, async () => {
    await page.keyboard.press("Control+Period");
    return action.waitFor({ timeout: 2000 }).then(
      () => true,
      () => false,
    );
  });
  return action;
}

/** Clicks a lens until there is what it leads to: lenses that are made anew at that moment miss a click. */
async function lens(title, effect) {
  await until(`what ${title} leads to`, async () => {
    await page.locator(".codelens-decoration a", { hasText: title }).first().click();
    return effect.waitFor({ timeout: 5000 }).then(
      () => true,
      () => false,
    );
  });
}

/** Types on a new line `number`, and looks at what is offered. */
async function suggested(number, text, offered, name) {
  await command("View: Focus Active Editor Group");
  await goTo(number - 1, 1);
  await page.keyboard.press("End");
  await page.keyboard.press("Enter");
  await page.keyboard.type(text);
  const row = page.locator(".suggest-widget .monaco-list-row", { hasText: offered }).first();
  await until(`${offered} is offered`, async () => {
    // Typing has opened the list, or will; the keys would close it again.
    const there = await row.waitFor({ timeout: 2000 }).then(
      () => true,
      () => false,
    );
    if (!there) await page.keyboard.press("Control+Space");
    return there;
  });
  await shot(name);
  await page.keyboard.press("Escape");
}

/** Opens the hover of what stands at a place. */
async function described(number, column, text, name) {
  await command("View: Focus Active Editor Group");
  await goTo(number, column);
  await command("Show or Focus Hover");
  await page.locator(".monaco-hover:visible", { hasText: text }).first().waitFor();
  await shot(name);
  await page.keyboard.press("Escape");
}

async function noErrors() {
  await page.locator(".squiggly-error").first().waitFor({ state: "detached" });
}

async function fix() {
  await line("gpu.memcpy").click();
  await goTo(7, 30);
  await (await codeAction(/depend/i)).click();
  await noErrors();
}

async function until(what, condition) {
  for (const end = Date.now() + 30_000; Date.now() < end; await page.waitForTimeout(100)) {
    if (await condition()) return;
  }
  throw new Error(`timeout: ${what}`);
}

async function saved(pattern) {
  await page.keyboard.press("Control+S");
  await until(`${pattern} on disk`, () =>
    pattern.test(readFileSync(`${workspace}/refused_copy.mlir`, "utf8")),
  );
}

const status = page.locator("#gpuasync\\.gpuasync-lsp\\.gpuasync\\.target");

/** Waits until the status item no longer warns that no server runs. */
async function ready() {
  await until("a running server", async () => (await status.locator(".codicon-warning").count()) === 0);
}

/** An array of 32-bit floats as NumPy saves it: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html */
function npy(shape, values) {
  const about = `{'descr': '<f4', 'fortran_order': False, 'shape': (${shape.join(", ")},), }`;
  const header = about.padEnd(117) + "\n"; // the data begins at a multiple of 64
  const length = Buffer.from([header.length, 0]);
  const data = Buffer.from(Float32Array.from(values).buffer);
  return Buffer.concat([Buffer.from("\x93NUMPY\x01\x00", "latin1"), length, Buffer.from(header), data]);
}

/** The newest panel; a walkthrough has one of its own. */
const webview = () => page.frameLocator("iframe.webview.ready").last().frameLocator("#active-frame");
/** What the page of a run says of its end. */
const outcome = (text) => webview().locator("h2.outcome", { hasText: text });

/** Fills in the form of a run: what each field is called, and its value. */
async function fillIn(values) {
  for (const [label, value] of Object.entries(values)) {
    const field = webview().getByLabel(label, { exact: true });
    await field.waitFor();
    const isList = await field.evaluate((element) => element.tagName === "SELECT");
    await (isList ? field.selectOption(value) : field.fill(value));
  }
}

const runButton = () => webview().locator("button", { hasText: /^Run$/ });

/** The brightness of a colour that the page computes for an element of a webview: 0 is black, 1 white. */
async function brightness(locator, property) {
  const colour = await locator.evaluate((element, name) => getComputedStyle(element)[name], property);
  const [red, green, blue] = colour.match(/[\d.]+/g).map(Number);
  return (red + green + blue) / (3 * 255);
}

/** Fails on what axe-core finds serious in the panel. */
async function accessible() {
  const source = readFileSync(process.env.GPUASYNC_AXE, "utf8");
  const found = await webview()
    .locator("body")
    .evaluate(async (body, script) => {
      if (!window.axe) new Function(script)();
      const { violations } = await window.axe.run(body.ownerDocument, { resultTypes: ["violations"] });
      return violations
        .filter(({ impact }) => impact === "serious" || impact === "critical")
        .map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.slice(0, 3).map(({ html }) => html.slice(0, 200))}`);
    }, source);
  assert.deepEqual(found, []);
}

/** A function of so many streams, no two of them alike. */
function manyStreams(count) {
  const ops = Array.from({ length: count }, (_, stream) => {
    const sets = Array.from(
      { length: stream + 1 },
      (_, at) => `  %t${stream}_${at + 1} = gpu.memset async [%t${stream}_${at}] %a, %c : memref<8xf32>, f32`,
    );
    return [`  %t${stream}_0 = gpu.wait async`, ...sets, `  gpu.wait [%t${stream}_${stream + 1}]`].join("\n");
  });
  return `func.func @many(%a: memref<8xf32>, %c: f32) {\n${ops.join("\n")}\n  return\n}\n`;
}

/** A function of so many streams, each with so many ops between its creation and the wait for it. */
function manyOps(streams, ops) {
  const numbers = [...Array(streams).keys()];
  const body = numbers.flatMap((n) => [
    `  %s${n}_0 = gpu.wait async`,
    ...[...Array(ops - 2).keys()].map(
      (at) => `  %s${n}_${at + 1} = gpu.memset async [%s${n}_${at}] %a, %c : memref<8xf32>, f32`,
    ),
  ]);
  const waits = numbers.map((n) => `  gpu.wait [%s${n}_${ops - 2}]`);
  return `func.func @many(%a: memref<8xf32>, %c: f32) {\n${[...body, ...waits].join("\n")}\n  return\n}\n`;
}

/** A function that creates so many streams and copies on each; the host waits for each. */
function agreeing(count) {
  const numbers = [...Array(count).keys()];
  const all = (text) => numbers.map((n) => text.replaceAll("N", n)).join("\n");
  return `func.func @main(%h: memref<64xf32>) {
${all("  %tN = gpu.wait async\n  %dN, %uN = gpu.alloc async [%tN] () : memref<64xf32>\n  %vN = gpu.memcpy async [%uN] %dN, %h : memref<64xf32>, memref<64xf32>")}
${all("  %wN = gpu.dealloc async [%vN] %dN : memref<64xf32>\n  gpu.wait [%wN]")}
  return
}
`;
}

/** The programs that the server runs at the moment. */
function running() {
  const tasks = `/proc/${readFileSync(process.env.GPUASYNC_PID_FILE, "utf8").trim()}/task`;
  const children = readdirSync(tasks).map((task) => readFileSync(`${tasks}/${task}/children`, "utf8"));
  // The server's watchdog is a child, too, of the server's own name.
  return children
    .join(" ")
    .split(/\s+/)
    .filter((pid) => pid && readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("gpuasync_lsp.exec.worker"))
    .join(" ");
}

const cursorAt = (number) => page.locator("#status\\.editor\\.selection", { hasText: `Ln ${number},` });

// ---- the steps ----------------------------------------------------------------------------------------------

const steps = {
  async diagnostics() {
    await openRefused();
    await command("Problems: Focus on Problems View");
    const problem = page.locator(".markers-panel .monaco-list-row", { hasText: "GA101" }).first();
    await problem.waitFor();
    const text = plain(await problem.innerText());
    assert.match(text, /gpuasync/);
    assert.match(text, /Ln 7/);
    await problem.dblclick();
    await line("gpu.memcpy").locator("span", { hasText: "memcpy" }).last().hover();
    await shot("diagnostic");
    // The code leads to the rule's page.
    await problem.locator("a", { hasText: "GA101" }).click();
    await page.locator(".tab", { hasText: "GA101.md" }).waitFor();
    await line("too-many-dependencies").waitFor();
  },

  /** The server is found; where, the caller knows. */
  /** Nobody described one of the file's dialects; it has three errors and three leaking streams. */
  async "three-errors"() {
    await open("three_errors.mlir");
    await command("Problems: Focus on Problems View");
    const counts = page.locator("#status\\.problems");
    await until("three errors and three warnings", async () => {
      return (
        plain(await counts.innerText())
          .trim()
          .split(/\s+/)
          .join() === "3,3"
      );
    });
    for (const code of ["GA002", "GA401", "GA402"]) {
      await page.locator(".markers-panel .monaco-list-row", { hasText: code }).first().waitFor();
    }
    await shot("unknown-dialect");
  },

  /** A dialect of the user's own, from its dump: an error, completion, hover, and the way to its definition. */
  async "own-dialect"() {
    await open("systolic_wrong.mlir");
    await command("Problems: Focus on Problems View");
    await page
      .locator(".markers-panel .monaco-list-row", { hasText: "operand #0 must be 64-bit signless integer" })
      .first()
      .waitFor();
    await described(6, 15, /Sets the stride of the following/, "own-dialect-hover");
    await suggested(4, "systolic.tile", "tile_matmul", "own-dialect-completion");
  },

  /** Dialects of MLIR that are known by their definitions alone. */
  async "other-dialects"() {
    await open("other_dialects.mlir");
    await command("Problems: Focus on Problems View");
    for (const [said, where] of [
      [/expects different type|invalid kind of type/, "Ln 4"],
      [/nvvm.mbarrier.init.*operand #1 must be 32-bit/, "Ln 8"],
      [/omp.threadprivate.*operand #0 must be/, "Ln 12"],
    ]) {
      const row = page.locator(".markers-panel .monaco-list-row", { hasText: said }).first();
      await row.waitFor();
      assert.ok(plain(await row.innerText()).includes(where));
    }
    await described(4, 20, /transform.structured.vectorize/, "transform-hover");
    await described(8, 15, /nvvm.mbarrier.init/, "nvvm-hover");
    await described(12, 16, /omp.threadprivate/, "omp-hover");
    // From below, so that the lines above stay where they are.
    await suggested(14, "omp.taskg", "taskgroup", "omp-completion");
    await suggested(10, "nvvm.mbarrier.ar", "mbarrier.arrive", "nvvm-completion");
    await suggested(5, "transform.structured.til", "tile_using_for", "transform-completion");
  },

  async found() {
    await openRefused();
  },

  async "quick-fix"() {
    await openRefused();
    await line("gpu.memcpy").click();
    await goTo(7, 30);
    const action = await codeAction(/depend/i);
    await shot("quick-fix");
    await action.click();
    await noErrors();
    await saved(/gpu\.memcpy async \[%t2\] %a, %b/);
  },

  async "fix-all"() {
    await openRefused();
    await line("gpu.memcpy").click();
    await command("Fix All");
    await noErrors();
    await saved(/gpu\.memcpy async \[%t2\] %a, %b/);
  },

  async hover() {
    await openRefused();
    await line("gpu.alloc").click();
    await goTo(6, 16);
    await command("Show or Focus Hover");
    const hover = page.locator(".monaco-hover:visible", { hasText: /mgpuMemAlloc|stream/ }).first();
    await hover.waitFor();
    await hover.evaluate((element) => {
      const concerns = ({ effect }) => effect.target.contains(element) || element.contains(effect.target);
      return Promise.all(
        document
          .getAnimations()
          .filter(concerns)
          .map((animation) => animation.finished),
      );
    });
    await shot("hover");
  },

  async "inlay-hints"() {
    await openRefused();
    await line("stream 0").waitFor();
    await shot("inlay-hints");
  },

  /** Colours by what a word means: tokens are marked as such, and what leaks is, too. */
  async colours() {
    await openRefused();
    await line("gpu.alloc").click();
    await goTo(5, 9); // in %t1
    await command("Developer: Inspect Editor Tokens and Scopes");
    const inspected = page.locator(".token-inspect-widget");
    await inspected
      .locator("tr", { hasText: "semantic token type" })
      .filter({ hasText: "variable" })
      .waitFor();
    await inspected.locator("tr", { hasText: "modifiers" }).filter({ hasText: "async" }).waitFor();
  },

  async completion() {
    await openRefused();
    await line("gpu.wait [").click();
    await page.keyboard.press("End");
    await page.keyboard.press("Enter");
    await page.keyboard.type("%t9 = gpu.memc");
    await page.keyboard.press("Control+Space");
    const suggestion = page.locator(".suggest-widget .monaco-list-row", { hasText: "memcpy" }).first();
    await suggestion.waitFor();
    await shot("completion");
  },

  async rename() {
    await openRefused();
    await line("gpu.wait async").click();
    await goTo(4, 7);
    await page.keyboard.press("F2");
    const input = page.locator(".rename-input");
    await input.waitFor();
    await input.fill("start");
    await page.keyboard.press("Enter");
    await saved(/%start = gpu\.wait async\n.*\[%start\]/);
  },

  async preview() {
    await openRefused();
    await fix();
    await command("GPU Async: Preview Lowering to the Side");
    await line("mgpuMemcpy", 1).waitFor();

    // The cursor's line is highlighted on the other side.
    await line("gpu.memcpy").click();
    await page.locator(".editor-instance").nth(1).locator(".view-overlays .cdr").first().waitFor();
    // Lines that belong together have a background of one colour.
    const bands = (index) =>
      page
        .locator(".editor-instance")
        .nth(index)
        .locator(".view-overlays .cdr")
        .evaluateAll((all) => all.map((each) => getComputedStyle(each).backgroundColor));
    await until("bands on both sides", async () => {
      const [left, right] = [new Set(await bands(0)), new Set(await bands(1))];
      return left.size > 3 && [...left].filter((each) => right.has(each)).length > 3;
    });
    await shot("preview");

    // A click in the preview leads back.
    await line("mgpuMemFree", 1).click();
    await page.locator(".editor-instance").nth(0).locator(".view-overlays .cdr").first().waitFor();

    // It follows an edit.
    await line("@main").click();
    await goTo(2, 18);
    await page.keyboard.type("_live");
    await line("@main_live", 1).waitFor();
  },

  /** What a preview teaches: findings at their lowered lines, a colour for each stream, what may be folded. */
  async "preview-explained"() {
    await openRefused();
    await command("GPU Async: Preview Lowering to the Side");
    await line("mgpuStreamCreate", 1).waitFor();
    // What the lowering only declares is folded; the finding of the source stands at the op that stays.
    const preview = page.locator(".editor-instance").nth(1);
    await line("mgpuStreamCreate", 1).click();
    await page.keyboard.press("Control+End");
    await preview.locator(".inline-folded").first().waitFor();
    // In the preview alone: the panel of problems counts what is in sources.
    let refused;
    await until("a finding in the preview", async () => ([refused] = await waves(preview)) && refused);
    await page.locator(".markers-panel, .statusbar-item[aria-label*='Errors: 1']").first().waitFor();
    await fix();
    // A warning is left, in another colour: what is copied was never written.
    await until("no error in the preview", async () => !(await waves(preview)).includes(refused));
    await line("gpu.memcpy").click();
    await command("GPU Async: Explain the Preview");
    await page.keyboard.press("Control+B"); // the side bar makes room for the comments
    await line("// on stream 0", 1).waitFor();
    // What runs on the stream has its colour, and nothing else has.
    const colour = (text, name) =>
      line(text, 1)
        .locator("span span", { hasText: name })
        .last()
        .evaluate((span) => getComputedStyle(span).color, undefined, {
          timeout: 5000,
        });
    const coloured = async () => {
      let stream = "";
      await until("a colour", async () => {
        stream = await colour("@mgpuMemcpy(", "@mgpuMemcpy");
        return stream !== "" && (await colour("@mgpuMemFree(", "@mgpuMemFree")) === stream;
      });
      assert.notEqual(await colour("llvm.extractvalue", "extractvalue"), stream);
      return stream;
    };
    const dark = await coloured();
    await shot("explained");
    configure({ "workbench.colorTheme": "Default Light Modern" });
    await page.locator(".monaco-workbench.vs").waitFor();
    await shot("explained-light");
    await until("another colour on light paper", async () => (await coloured()) !== dark);
  },

  async "preview-compare"() {
    await openRefused();
    await command("GPU Async: Compare the Lowering Before and After Fixes");
    await pick("Safe fixes");
    await page.locator(".tab", { hasText: "before ↔ after safe fixes" }).waitFor();
    // Another number of a value is no difference.
    await page.locator(".monaco-diff-editor .line-insert").first().waitFor();
    const same = page.locator(".monaco-diff-editor .modified-in-monaco-diff-editor .view-line");
    assert.match(plain(await same.nth(4).innerText()), /%3 = llvm\.mlir\.constant/);
    await shot("compare-fixes");
    await openAlso("refused_copy.mlir");
    await command("GPU Async: Compare Two Stages of the Lowering");
    await pick("source");
    await page.locator(".quick-input-title", { hasText: "with the stage" }).waitFor();
    await pick("gpu-async-region");
    await page.locator(".tab", { hasText: "source ↔ gpu-async-region" }).waitFor();
  },

  /** The user's own mlir-opt, which prints what this tool does. */
  async engine() {
    await open("two_streams.mlir");
    await command("GPU Async: Compare the Lowering with Your mlir-opt");
    await page
      .locator(".notification-toast", {
        hasText: "No difference to mlir-opt of LLVM 22",
      })
      .waitFor();
    await line("@pipeline").click();
    await command("GPU Async: Preview by Your mlir-opt");
    await page.locator(".tab", { hasText: "mlir-opt" }).waitFor();
    await line("@mgpuMemcpy(", 1).waitFor();
    // Its debug locations link the lines.
    await line("gpu.memcpy").click();
    await page.locator(".editor-instance").nth(1).locator(".view-overlays .cdr").first().waitFor();
  },

  /** An mlir-opt that prints something else: the two are side by side, and there is a report to copy. */
  async "engine-differs"() {
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await open("two_streams.mlir");
    await command("GPU Async: Compare the Lowering with Your mlir-opt");
    const said = page.locator(".notification-toast", {
      hasText: "a mistake of GPU Async",
    });
    await page.locator(".tab", { hasText: "mlir-opt ↔ GPU Async" }).waitFor();
    await page.locator(".monaco-diff-editor .line-insert").first().waitFor();
    await shot("engine-differs");
    await said.locator(".monaco-button", { hasText: "Copy Report" }).click();
    await until("the report", async () =>
      /^The two differ\. .*```diff.*@pipeline/s.test(
        await page.evaluate(() => navigator.clipboard.readText()),
      ),
    );
  },

  async "preview-pickers"() {
    await openRefused();
    await fix();
    await command("GPU Async: Preview for Another LLVM Version");
    await pick("LLVM 19");
    await page.locator(".tab", { hasText: "LLVM 19" }).waitFor();
    await line("@mgpuMemcpy(", 1).waitFor(); // the preview is where the cursor is
    await line("gpu.memcpy").click();
    await command("GPU Async: Preview Another Stage");
    await pick("gpu-async-region");
    await page.locator(".tab", { hasText: "gpu-async-region" }).waitFor();
    await line("gpu.memcpy async", 1).waitFor();
  },

  /** The bar above a preview says what it shows, changes that preview only, and leads to what stopped. */
  async "preview-header"() {
    await openRefused();
    await page.keyboard.press("Control+B"); // the side bar makes room
    await line("module").click(); // the preview shows what belongs to the cursor
    await command("GPU Async: Preview Lowering to the Side");
    const bar = (text, index) =>
      page
        .locator(".editor-instance")
        .nth(index)
        .locator(".codelens-decoration a, .codelens-decoration span", { hasText: text });
    const click = async (text, index, effect) =>
      until(`what ${text} leads to`, async () => {
        await bar(text, index).first().click();
        return effect.waitFor({ timeout: 5000 }).then(
          () => true,
          () => false,
        );
      });
    await bar("line 7: gpu.memcpy stays", 1).first().waitFor();
    await page.mouse.move(700, 780); // no tool tip in the picture
    await page.locator(".workbench-hover-container").waitFor({ state: "detached" });
    await shot("preview-header");
    const editor = page.locator(".monaco-editor-background").first();
    for (const [name, theme, isThere] of [
      ["light", "Default Light Modern", (value) => value > 0.9],
      ["contrast", "Default High Contrast", (value) => value < 0.05],
      ["dark", "Default Dark Modern", (value) => value > 0.05 && value < 0.3],
    ]) {
      configure({ "workbench.colorTheme": theme });
      await until(`a theme: ${name}`, async () => isThere(await brightness(editor, "backgroundColor")));
      await shot(`preview-${name}`);
    }
    await click("line 7", 1, cursorAt(7));
    await line("module").click(); // and the preview is at its beginning again
    // The list marks what is shown, and describes the others.
    const row = (text) => page.locator(".quick-input-list .monaco-list-row", { hasText: text });
    await click("lowered", 1, row("lowered"));
    await page.locator(".quick-input-list .monaco-list-row.focused .codicon-check").waitFor();
    await page.locator(".quick-input-widget input").first().fill("gpu-async-region");
    await row("blocking waits before effects").waitFor();
    await shot("preview-stages");
    await pick("gpu-async-region");
    await bar("gpu-async-region", 1).first().waitFor();
    // Side by side, each keeps its own release.
    await line("gpu.wait async", 1).click();
    await command("View: Split Editor Right");
    await click("LLVM 24", 2, row("LLVM 19"));
    await pick("LLVM 19");
    await bar("LLVM 19", 2).first().waitFor();
    await bar("LLVM 24", 1).first().waitFor();
    // From there to any comparison.
    await click("compare with", 2, row("LLVM 16"));
    await pick("LLVM 16");
    await page.locator(".tab", { hasText: "LLVM 19 ↔ LLVM 16" }).waitFor();
  },

  /** Scrolling one side scrolls the other. */
  async "preview-scroll"() {
    const part = (n) =>
      `func.func @f${n}() {\n${"  %t = gpu.wait async\n  gpu.wait [%t]\n".replaceAll("%t", `%t${n}`)}  return\n}\n`;
    writeFileSync(`${workspace}/long.mlir`, Array.from({ length: 60 }, (_, n) => part(n)).join("\n"));
    await open("long.mlir");
    await command("GPU Async: Preview Lowering to the Side");
    await line("@f0", 1).waitFor();
    await line("@f0").click();
    for (let times = 0; times < 6; times++) {
      await page.keyboard.press("Alt+PageDown"); // scrolls, and leaves the cursor where it is
    }
    await line("@f0").waitFor({ state: "detached" });
    await line(/@f[2-5]\d\(/, 1).waitFor();
    await line(/@f[2-5]\d\(/, 1).click();
    for (let times = 0; times < 20; times++) {
      await page.keyboard.press("Alt+PageUp");
    }
    await line("@f0").waitFor();
  },

  async diff() {
    await openRefused();
    await fix();
    await command("GPU Async: Compare the Lowering of Two LLVM Versions");
    await pick("LLVM 24");
    await page.locator(".quick-input-title", { hasText: "with that of" }).waitFor();
    await pick("LLVM 19");
    await page.locator(".monaco-diff-editor .line-insert").first().waitFor();
    await shot("diff");
  },

  async passes() {
    await open("passes.mlir");
    await command("GPU Async: Show What Each Pass of This Dump Did");
    const pass = (text) => page.locator(".pane-body .monaco-list-row", { hasText: text });
    await pass("-1 stream").first().waitFor();
    await pass("begins: This gpu.wait destroys the stream of %0 twice").waitFor();
    await widerSideBar();
    await pass("-1 stream").first().click();
    await page.locator(".monaco-diff-editor .line-delete").first().waitFor();
    await shot("passes");
    // What is analysed meanwhile draws the view anew, and the first row then has the focus.
    const focused = page.locator(".pane-body .monaco-list-row.focused", { hasText: "-1 stream" });
    while ((await focused.count()) === 0) {
      for (const key of ["End", "ArrowUp", "ArrowUp", "ArrowUp"]) {
        await page.keyboard.press(key);
      }
    }
    await page.keyboard.press("Enter");
    const removed = page.locator(".monaco-diff-editor .line-delete");
    await removed.first().waitFor();
    await page
      .locator(".monaco-diff-editor .view-line", {
        hasText: "gpu.wait async [%",
      })
      .first()
      .waitFor();
    await shot("pass-difference");
  },

  /** Of 50,000 lines, the pass that made one stream of two is what the view shows at once. */
  async "passes-large"() {
    await open("large_dump.mlir");
    await command("GPU Async: Show What Each Pass of This Dump Did");
    const asked = Date.now();
    const row = (text) => page.locator(".pane-body .monaco-list-row", { hasText: text });
    // Nobody has scrolled: passes without a change stand above and below.
    await row("-1 stream").first().waitFor({ timeout: 60_000 });
    await row("begins: This gpu.wait destroys the stream of %0 twice").first().waitFor();
    console.log(`passes after ${Date.now() - asked} ms`);
    await widerSideBar();
    await row("-1 stream").first().click();
    const removed = page.locator(".monaco-diff-editor .line-delete");
    await removed.first().waitFor({ timeout: 60_000 });
    await page
      .locator(".monaco-diff-editor .view-line", { hasText: "gpu.wait async [%" })
      .first()
      .waitFor();
    await shot("passes-large");
  },

  async streams() {
    await open("two_streams.mlir");
    await command("GPU Async: Show Streams");
    const copy = webview().locator("[data-line='4']").first();
    await copy.waitFor();
    await page.keyboard.press("Control+B"); // the side bar makes room for the picture
    await page.locator(".explorer-folders-view").waitFor({ state: "hidden" });
    await shot("streams");
    await copy.click();
    // The side bar that went away has the picture drawn anew: a click in that moment is lost.
    const arrived = cursorAt(5);
    await arrived.waitFor({ timeout: 5_000 }).catch(() => copy.click());
    await arrived.waitFor();
    // Text is as large as the editor's at least, and the op of the cursor is marked.
    // The label is looked up by what measures it: the click draws anew, and a label of the old
    // picture, held from outside, has no font size.
    const height = await webview()
      .locator(".view")
      .evaluate((view) => {
        const text = view.querySelector(".box text");
        return text.getScreenCTM().a * parseFloat(getComputedStyle(text).fontSize);
      });
    assert.ok(height >= 13.9, `text of ${height} px`);
    await webview().locator(".box.current[data-line='4']").first().waitFor();
    // Of what is under the pointer, other streams are dimmed; what is looked for is marked.
    await webview().locator(".head[data-lane='1']").first().hover();
    await webview().locator(".box.dimmed").first().waitFor();
    await webview().locator("input[type=search]").fill("memcpy");
    await webview().locator(".box.hit").first().waitFor();
    await webview().locator("[role=status]", { hasText: "1 of" }).waitFor();
    await webview().locator("input[type=search]").fill("");
    // The same by keyboard.
    await webview().locator("[data-line='2']").first().focus();
    await page.keyboard.press("Enter");
    await cursorAt(3).waitFor();
    // It follows an edit.
    await line("@pipeline").click();
    await command("Replace"); // the widget of the editor
    await page.keyboard.type("@pipeline");
    await page.keyboard.press("Tab");
    await page.keyboard.type("@renamed");
    await page.keyboard.press("Control+Alt+Enter");
    await webview().locator("text", { hasText: "@renamed" }).first().waitFor();
    // It follows the theme.
    const [body, text] = [webview().locator("body"), webview().locator("svg text").first()];
    assert.ok((await brightness(body, "backgroundColor")) < 0.3);
    assert.ok((await brightness(text, "fill")) > 0.6);
    configure({ "workbench.colorTheme": "Default Light Modern" });
    await until("a light picture", async () => (await brightness(body, "backgroundColor")) > 0.9);
    assert.ok((await brightness(text, "fill")) < 0.5);
    await shot("streams-light");
    await accessible();
    configure({ "workbench.colorTheme": "Default High Contrast" });
    await until("a picture of high contrast", async () => (await brightness(body, "backgroundColor")) < 0.05);
    await shot("streams-contrast");
    await accessible();
    // The same with more streams than colours, and with more than a screen takes.
    for (const count of [6, 20]) {
      writeFileSync(`${workspace}/streams${count}.mlir`, manyStreams(count));
      await page.keyboard.press("Control+B");
      await openAlso(`streams${count}.mlir`);
      await page.keyboard.press("Control+B");
      await command("GPU Async: Show Streams");
      await webview().locator(`.head[data-lane='${count - 1}']`).first().waitFor();
      await accessible();
      await shot(`streams-${count}`);
    }
  },

  async run() {
    await open("doubling.mlir");
    await lens("Run on CPU", webview().locator("h1"));
    await outcome("ok").waitFor({ timeout: 60_000 });
    await webview().locator("pre", { hasText: "84" }).first().waitFor();
    await shot("run");
  },

  /** Streams have one number and one colour: in hints, the picture, and a run and its timeline, in all themes. */
  async "streams-agree"() {
    writeFileSync(`${workspace}/agree.mlir`, agreeing(7));
    await open("agree.mlir");
    await line("stream 6").waitFor(); // the hint at the last stream
    await command("GPU Async: Show Streams");
    await webview().getByLabel("Fold alike").uncheck();
    await webview().locator(".head[data-lane='7']").first().waitFor();
    const colour = (locator, property) =>
      locator.evaluate((element, name) => getComputedStyle(element)[name], property);
    const heads = [];
    for (const number of Array(7).keys()) {
      const head = webview().locator(`.head[data-lane='${number + 1}']`).first();
      assert.match(plain(await head.textContent()), new RegExp(`stream ${number}\\b`));
      heads.push(await colour(head.locator("rect").first(), "fill"));
    }
    await line("gpu.wait async").click();
    await command("GPU Async: Run on CPU");
    await fillIn({ "Contents of %h": "iota" });
    await runButton().click();
    await outcome("ok").waitFor({ timeout: 60_000 });
    const lanes = await webview().locator("svg text.lane").allTextContents();
    assert.equal(lanes.indexOf("stream 6"), lanes.indexOf("stream 0") + 6); // in the order of their numbers
    const axis = async () => webview().locator("svg text.mark").allTextContents();
    const marks = await axis();
    assert.ok(marks.length >= 2 && marks.every((mark) => /^[\d.]+ (µs|ms|s)$/.test(mark)), marks.join());
    const bars = webview().locator("svg .bar");
    for (const number of Array(7).keys()) {
      assert.ok(lanes.includes(`stream ${number}`), lanes.join());
      const bar = bars.and(webview().locator(`.lane${number % 6}`)).first().locator("rect").first();
      assert.equal(await colour(bar, "fill"), heads[number], `stream ${number}`);
    }
    await webview().locator("svg text.mark").first().scrollIntoViewIfNeeded();
    // Of the wait for a stream an arrow leads from its last op; words say the same.
    const wait = bars.and(webview().getByLabel(/^wait for stream 6 on host/)).first();
    await wait.focus();
    await webview().locator(".arrow").first().waitFor();
    await webview().locator(".timeline [role=status]", { hasText: /; after copy on stream 6/ }).waitFor();
    await shot("timeline-order");
    // Zoomed by keyboard, the axis has finer marks, and what had the focus keeps it.
    for (let turn = 0; turn < 4; turn++) await page.keyboard.press("+");
    await until("a finer axis", async () => String(await axis()) !== String(marks));
    assert.equal(await wait.evaluate((bar) => bar === document.activeElement), true);
    await page.keyboard.press("0");
    await until("the whole axis", async () => String(await axis()) === String(marks));
    await webview().locator("button", { hasText: "Open in Perfetto" }).click();
    await page.locator(".quick-input-widget").waitFor();
    await page.keyboard.press("Enter");
    await page.locator(".notification-toast", { hasText: "Saved main.trace.json" }).waitFor();
    const trace = JSON.parse(readFileSync(`${workspace}/main.trace.json`, "utf8")).traceEvents;
    assert.ok(trace.some(({ ph, name }) => ph === "X" && name === "wait for stream 6"));
    assert.ok(trace.some(({ ph }) => ph === "s"));
    for (const [name, theme] of [
      ["light", "Default Light Modern"],
      ["contrast", "Default High Contrast"],
    ]) {
      const before = await colour(bars.locator("rect").first(), "fill");
      configure({ "workbench.colorTheme": theme });
      await until("another colour", async () => (await colour(bars.locator("rect").first(), "fill")) !== before);
      await shot(`timeline-7-${name}`);
      await accessible();
    }
  },

  /** Zooming and moving a large picture touches no part of it but the one that holds all others. */
  async "streams-zoom"() {
    writeFileSync(`${workspace}/many.mlir`, manyOps(30, 7));
    await open("many.mlir");
    await command("GPU Async: Show Streams");
    await webview().getByLabel("Fold alike").uncheck();
    await webview().locator(".head[data-lane='30']").first().waitFor();
    await page.keyboard.press("Control+B");
    const view = webview().locator(".view");
    const box = await view.boundingBox();
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    /** Turns the wheel as often as that; how many parts were changed meanwhile. */
    const turn = async (times, wheel) => {
      await view.evaluate((element) => {
        const state = { changed: 0 };
        window.measured = state;
        const svg = element.querySelector("svg");
        state.observer = new MutationObserver((all) => {
          state.changed += all.filter(({ target }) => target !== svg).length;
        });
        state.observer.observe(svg, { attributes: true, childList: true, subtree: true });
      });
      for (let turn = 0; turn < times; turn++) {
        await wheel(turn);
      }
      return view.evaluate(() => {
        window.measured.observer.disconnect();
        return { changed: window.measured.changed };
      });
    };
    await page.keyboard.down("Control");
    const zoomed = await turn(40, (turn) => page.mouse.wheel(0, turn % 20 < 10 ? -60 : 60));
    await page.keyboard.up("Control");
    const moved = await turn(40, (turn) => page.mouse.wheel(0, turn % 20 < 10 ? 60 : -60));
    // One part, which holds all the others, is moved, and at most once a turn.
    assert.ok(zoomed.changed > 0 && zoomed.changed <= 40, JSON.stringify(zoomed));
    assert.ok(moved.changed > 0 && moved.changed <= 40, JSON.stringify(moved));
    await shot("streams-30");
    // The map of the whole leads anywhere.
    const map = await webview().locator(".minimap").boundingBox();
    const far = async () => Number(await webview().locator(".minimap .frame").getAttribute("y"));
    const before = await far();
    await page.mouse.click(map.x + map.width - 8, map.y + map.height - 8);
    await until("the end of the picture", async () => (await far()) > before + 1000);
  },

  /** Closing all editors is no error, and takes their problems away. */
  async "close-all"() {
    await openRefused();
    await openAlso("two_streams.mlir");
    const problems = page.locator("#status\\.problems");
    const counted = async () => plain(await problems.innerText()).match(/\d+/g).map(Number);
    await until("problems", async () => (await counted())[0] > 0);
    await command("View: Close All Editors");
    await page.locator(".tab").first().waitFor({ state: "detached" });
    await until("no problems", async () => (await counted()).every((count) => count === 0));
    await page.waitForTimeout(3000); // a complaint, or a problem, would come late
    assert.deepEqual(new Set(await counted()), new Set([0]));
    assert.equal(await page.locator(".notification-toast").count(), 0);
  },

  /** Lines typed key by key, where the editor indents and whoever types corrects that, are what is there afterwards. */
  async typing() {
    const typed = JSON.parse(process.env.GPUASYNC_TYPED);
    await page.goto(url);
    await page.locator(".monaco-workbench").waitFor({ timeout: 60_000 });
    for (const { name, lines } of typed) {
      writeFileSync(`${workspace}/${name}`, "// module\n");
      await openAlso(name);
      await ready();
      // A file without indentation has that of MLIR.
      await page.locator("#status\\.editor\\.indentation", { hasText: "Spaces: 2" }).waitFor();
      await line("// module").click();
      await page.keyboard.press("Control+End");
      let before = "";
      for (const text of lines) {
        if (before) await page.keyboard.press("Enter");
        const width = (each) => each.length - each.trimStart().length;
        const given = width(before) + (/[{(]$/.test(before) ? 2 : 0);
        for (let more = given; more < width(text); more++) await page.keyboard.press("Space");
        for (let less = given; less > width(text); less -= 2) await page.keyboard.press("Backspace");
        await page.keyboard.type(text.trim(), { delay: 10 });
        before = text;
      }
      await page.keyboard.press("Control+S");
      const found = () => readFileSync(`${workspace}/${name}`, "utf8").split("\n").slice(1);
      await until(`${name} on disk`, () => found().length > lines.length);
      assert.deepEqual(found().slice(0, lines.length), lines);
      // Behind it are the braces that the editor closed, and nothing else.
      assert.match(found().slice(lines.length).join(""), /^[ }]*$/);
    }
  },

  /** The RUN lines of a test: what failed is at its line, and what was printed beside the file. */
  async "run-lines"() {
    await open("lit_test.mlir");
    await lens("Run this test", page.locator(".tab", { hasText: "lit_test.mlir (test)" }));
    await line("FAIL: lit_test.mlir", 1).waitFor();
    await line("closest, line 5 of the output", 1).waitFor();
    await line("CHECK-NEXT: gpu.wait async").click();
    await command("Problems: Focus on Problems View");
    const failed = page.locator(".markers-panel .monaco-list-row", { hasText: "gpuasync test" }).first();
    await failed.filter({ hasText: "Ln 6" }).waitFor();
    await shot("run-lines");
    // The checks are written when the user says so.
    await line("CHECK-NEXT: gpu.wait async").click();
    await (await codeAction("Update the CHECK lines that fail")).click();
    await line("CHECK: gpu.wait [%[[").waitFor();
    await shot("run-lines-updated");
    await command("GPU Async: Update the CHECK Lines of This Test");
    await page.locator(".notification-toast", { hasText: "no CHECK line fails" }).waitFor();
    // A preview shows what its RUN line's passes make of it, and says so; so does the status item.
    await line("func.func @upload(").click();
    await page.keyboard.press("Control+K");
    await page.keyboard.press("V");
    await line("gpu.wait [%1]", 1).waitFor();
    await page.locator(".codelens-decoration", { hasText: "passes of the RUN line on line 1" }).waitFor();
    await line("gpu.wait [%1]", 1).click();
    await status.filter({ hasText: "LLVM 24" }).waitFor();
    await shot("run-line-preview");
  },

  /** A run that does not end is ended: neither a message nor a process is left. */
  async "run-cancelled"() {
    await open("endless.mlir");
    const cancel = webview().locator("button", { hasText: "Cancel" });
    await lens("Run on CPU", cancel);
    await until("a process", () => running() !== "");
    await webview().locator("[role=status]", { hasText: "compiling" }).waitFor();
    await shot("run-live");
    await cancel.click();
    await webview().locator("[role=status]", { hasText: "cancelled" }).waitFor();
    await until("no process", () => running() === "");
  },

  /** What a run finds is in the report, and at its lines until the file changes. */
  async "run-findings"() {
    rmSync(`${workspace}/refused_copy.mlir`); // it has problems of its own
    await open("racing_kernels.mlir");
    await command("GPU Async: Run on CPU");
    const array = await webview().locator("code").first().innerText();
    const name = array.split(" ")[0];
    await fillIn({ [`Contents of ${name}`]: "random", [`Seed of ${name}`]: "7" });
    await runButton().click();
    await outcome("findings").waitFor({ timeout: 60_000 });
    await webview()
      .locator(".finding", { hasText: "data-race" })
      .locator("a", { hasText: "line 15" })
      .waitFor();
    await webview().locator(".finding .related a", { hasText: "line 11" }).waitFor();
    await command("Problems: Focus on Problems View");
    const race = page.locator(".markers-panel .monaco-list-row", { hasText: "data-race" }).first();
    await race.filter({ hasText: "Ln 15" }).waitFor();
    const other = page.locator(".markers-panel .monaco-list-row", { hasText: "Ln 11" }).first();
    await other.waitFor();
    await shot("run-findings");
    await other.dblclick();
    await cursorAt(11).waitFor();
    await line("%u1").click(); // the list may keep the focus where it is drawn anew between two clicks
    await page.keyboard.press("End");
    await page.keyboard.type(" ");
    await race.waitFor({ state: "detached" });
  },

  /** A race inside a kernel stands at both lines, and each names both threads. */
  async "run-kernel-race"() {
    rmSync(`${workspace}/refused_copy.mlir`); // it has problems of its own
    await open("racing_threads.mlir");
    await command("GPU Async: Run on CPU");
    const array = await webview().locator("code").first().innerText();
    await fillIn({ [`Contents of ${array.split(" ")[0]}`]: "random" });
    await runButton().click();
    await outcome("findings").waitFor({ timeout: 60_000 });
    const told = webview().locator(".finding", { hasText: "reads element [31]" });
    const text = await told.innerText();
    const threads = [...text.matchAll(/thread (\(\d+, 0, 0\)) of block/g)].map((found) => found[1]);
    assert.equal(new Set(threads).size, 2, text);
    await told.locator(".related a", { hasText: "line 13" }).waitFor();
    await told.locator("a", { hasText: "line 15" }).first().waitFor();
    await command("Problems: Focus on Problems View");
    const rows = page.locator(".markers-panel .monaco-list-row");
    const reading = rows.filter({ hasText: "kernel-race" }).filter({ hasText: "reads element [31]" });
    await reading.filter({ hasText: "Ln 15" }).waitFor();
    for (const thread of threads) assert.ok(plain(await reading.innerText()).includes(`thread ${thread}`));
    const writing = rows.filter({ hasText: "thread (31, 0, 0) of block (0, 0, 0) writes it here" });
    await writing.filter({ hasText: "Ln 13" }).waitFor();
    await shot("run-kernel-race");
    await writing.dblclick();
    await cursorAt(13).waitFor();
  },

  async "run-arguments"() {
    await open("copy_argument.mlir");
    await command("GPU Async: Run on CPU");
    await fillIn({ "Contents of %from": "iota", "Contents of %to": "zeros" });
    await runButton().click();
    await webview().locator("table td", { hasText: "11" }).first().waitFor({ timeout: 60_000 });
    await webview().locator("canvas").first().waitFor();
    await shot("run-arguments");
    await accessible();
    // The timeline leads to the source.
    const copy = webview().locator("svg [data-line='4']").first();
    await copy.scrollIntoViewIfNeeded();
    await shot("timeline");
    await copy.click();
    await cursorAt(5).waitFor();
    // An array of NumPy's, and random numbers of a seed.
    writeFileSync(`${workspace}/given.npy`, npy([3, 4], [9.5, ...Array(11).fill(0)]));
    await fillIn({ "Contents of %from": "file", "Contents of %to": "random", "Seed of %to": "7" });
    await webview().locator("button", { hasText: "Browse…" }).first().click();
    await pick("given.npy");
    await until("the name of the file", async () =>
      /given\.npy$/.test(await webview().getByLabel("File of %from", { exact: true }).inputValue()),
    );
    await runButton().click();
    await webview().locator("table td", { hasText: "9.5" }).first().waitFor();
    // The results are compared with those of the run before, and with a file.
    const choice = webview().getByLabel("compare %from with", { exact: true });
    await choice.selectOption("previous");
    await webview().locator(".compared", { hasText: "12 of 12 elements differ from the previous run" }).waitFor();
    await webview().locator("td.different[title='was 0']", { hasText: "9.5" }).first().waitFor();
    await webview().locator("figcaption", { hasText: "difference: " }).first().waitFor();
    await shot("run-compared");
    await accessible();
    await choice.selectOption("file");
    await pick("given.npy");
    await webview().locator(".compared", { hasText: "Equal to given.npy in 12 elements" }).waitFor();
    await choice.selectOption("");
    await webview().locator(".compared").waitFor({ state: "detached" });
    // What was filled in is remembered: the command runs at once.
    rmSync(`${workspace}/given.npy`);
    await line("gpu.dealloc").click();
    await command("GPU Async: Run on CPU");
    await outcome("refused").waitFor();
    // Of a large array only what is seen is there, with its true indices.
    await openAlso("large_array.mlir");
    await command("GPU Async: Run on CPU");
    await fillIn({ "Contents of %from": "iota", "Size of %from": "1024" });
    await runButton().click();
    await outcome("ok").waitFor({ timeout: 60_000 });
    await webview()
      .locator(".scroll")
      .first()
      .evaluate((region) => region.scrollTo(region.scrollWidth, region.scrollHeight));
    await webview().locator("th[scope=row]", { hasText: /^1008$/ }).first().waitFor();
    await webview().locator("td", { hasText: /^1023$/ }).first().waitFor();
    const cells = await webview().locator("td").count();
    assert.ok(cells < 1024, `${cells} cells`);
    await shot("run-large");
    configure({ "workbench.colorTheme": "Default Light Modern" });
    await until(
      "a light page",
      async () => (await brightness(webview().locator("body"), "backgroundColor")) > 0.9,
    );
    await shot("run-large-light");
    await accessible();
  },

  async status() {
    await openRefused();
    await status.filter({ hasText: "LLVM 24" }).waitFor();
    await ready();
    // What the server found in a configuration file, as soon as there is one.
    writeFileSync(`${workspace}/gpuasync.toml`, "llvm = 22\n");
    await status.filter({ hasText: "LLVM 22" }).waitFor();
    await status.click();
    await pick("LLVM 19");
    await page.locator(".quick-input-title", { hasText: "LLVM 19 holds for" }).waitFor();
    await shot("version-place");
    await pick("This workspace");
    await status.filter({ hasText: "LLVM 19" }).waitFor();
    await until("the setting", () =>
      /"gpuasync.llvm": 19/.test(readFileSync(`${workspace}/.vscode/settings.json`, "utf8")),
    );
    await status.click();
    await pick("As the file says");
    await pick("This workspace");
    await status.filter({ hasText: "LLVM 22" }).waitFor();
    await status.click();
    await pick("LLVM 20");
    await pick("This folder");
    await status.filter({ hasText: "LLVM 20" }).waitFor();
    assert.equal(readFileSync(`${workspace}/gpuasync.toml`, "utf8"), "llvm = 20\n");
    await status.click();
    await pick("LLVM 21");
    await pick("This file");
    await line("// gpuasync: llvm=21").waitFor();
    await status.filter({ hasText: "LLVM 21" }).waitFor();
  },

  async crash() {
    await openRefused();
    const pid = () => Number(readFileSync(process.env.GPUASYNC_PID_FILE, "utf8"));
    const first = pid();
    process.kill(first, "SIGKILL");
    await until("a new server", () => pid() !== first);
    await ready();
    await fix(); // the new server knows the document
    const second = pid();
    await command("GPU Async: Restart the Language Server");
    await until("another server", () => pid() !== second);
    await ready();
    await line("gpu.memcpy").click();
    await page.keyboard.press("Control+Z");
    await page.locator(".squiggly-error").first().waitFor();
    await command("GPU Async: Show the Log");
    await page.locator(".part.panel .view-line", { hasText: "starting" }).first().waitFor();
  },

  /** Every step of the walkthrough does what it says, from its link, and is ticked off. */
  async walkthrough() {
    await open("two_streams.mlir");
    await page.keyboard.press("Control+B"); // the side bar makes room
    await command("Welcome: Open Walkthrough");
    await pick("Asynchronous GPU code in MLIR");
    const part = (id) => page.locator(`[data-step-id$="#start#${id}"]`);
    const done = (id) => part(id).locator(".codicon-getting-started-step-checked").waitFor();
    const follow = async (id) => {
      await part(id).locator(".step-title").click();
      await part(id).locator(".step-description-container a").click();
    };
    await done("install"); // a server runs
    await follow("open");
    await page.locator(".squiggly-error").first().waitFor({ timeout: 60_000 });
    await done("open");
    await shot("walkthrough");
    await line("gpu.memcpy").click();
    await goTo(14, 30);
    await (await codeAction(/depend/i)).click();
    await done("fix");
    await follow("preview");
    await line("mgpuStreamCreate", 1).waitFor();
    await done("preview");
    await follow("streams");
    await webview().locator("[data-line='13']").first().waitFor();
    await done("streams");
    await follow("run");
    await outcome("ok on cpu").waitFor({ timeout: 60_000 });
    await done("run");
  },

  async untrusted() {
    await openUntrusted();
    // Diagnosis works, with the server from PATH ...
    await page.locator(".squiggly-error").first().waitFor({ timeout: 60_000 });
    // ... and nothing that runs is offered.
    const found = await rows("GPU Async:");
    await found.filter({ hasText: "Preview Lowering to the Side" }).first().waitFor();
    assert.equal(await found.filter({ hasText: "Run on" }).count(), 0);
    assert.equal(await found.filter({ hasText: "Install the Language Server" }).count(), 0);
    await shot("untrusted");
  },

  /** The server inside the extension diagnoses, with any Python. */
  async "untrusted-bundled"() {
    await openUntrusted();
    await page.locator(".squiggly-error").first().waitFor({ timeout: 60_000 });
  },

  /** The first run offers to install what it lacks; then it goes on. */
  async "bundled-run"() {
    await open("doubling.mlir");
    const offer = page.locator(".monaco-dialog-box", {
      hasText: "llvmlite and NumPy",
    });
    await lens("Run on CPU", offer);
    await shot("install");
    await offer.locator(".monaco-button", { hasText: "Install and Run" }).click();
    await outcome("ok").waitFor({ timeout: 240_000 });
    await webview().locator("pre", { hasText: "84" }).first().waitFor();
  },

  async "wrong-setting"() {
    const choose = (program) => {
      const file = `${process.env.GPUASYNC_SETTINGS}/settings.json`;
      writeFileSync(file, JSON.stringify({ "gpuasync.serverPath": program }));
    };
    await open("refused_copy.mlir");
    const toast = (text) => page.locator(".notification-toast", { hasText: text });
    await toast("serverPath names no program").waitFor();
    assert.equal(await page.locator(".notification-toast").count(), 1);
    choose(process.env.GPUASYNC_OLD);
    await page.locator(".squiggly-error").first().waitFor({ timeout: 60_000 });
    await toast("gpuasync-lsp is 0.0.1, this extension").waitFor();
    await shot("versions");
    // The server of this extension in its place: the setting is the machine's, where a user changes it by hand.
    choose(undefined);
    await until("a running server", async () => (await status.locator(".codicon-warning").count()) === 0);
  },

  async "beside-llvm"() {
    await openRefused();
    assert.equal(await colours("gpu.memcpy"), 1, "the grammar is not LLVM's");
    await line("gpu.memcpy").click();
    await goTo(7, 30); // on %t1
    await command("Go to Definition");
    await page
      .locator(".monaco-editor-overlaymessage", {
        hasText: "No definition found",
      })
      .waitFor();
    await fix();
  },

  async "no-python"() {
    await open("refused_copy.mlir");
    await page.locator(".notification-toast", { hasText: "needs Python 3.11 or later" }).waitFor();
    // Highlighting works without the server: a line is made of differently coloured parts.
    assert.ok((await colours("gpu.memcpy")) >= 4);
    await shot("no-python");
  },
};

const step = process.argv[2];
try {
  assert.ok(steps[step], `no step ${step}`);
  await steps[step]();
  const complaints = page.locator(".notification-toast:has(.codicon-error)");
  assert.deepEqual(await complaints.allInnerTexts(), []);
  console.log(`PASS ${step}`);
} catch (error) {
  await page.screenshot({ path: process.env.GPUASYNC_FAILURE });
  console.log(`FAIL ${step}: ${error.stack}\nscreenshot: ${process.env.GPUASYNC_FAILURE}`);
  process.exitCode = 1;
}
await browser.close();
