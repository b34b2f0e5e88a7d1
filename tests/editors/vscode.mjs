// Acts in VS Code as a user would, and fails if something else happens than expected.
//
// workbench.py starts this, and sets the environment. Each line of the input is a test as JSON: its `steps`, which are at
// the end of the file, the folder `source` with its files, and `values`. After its output comes a line `DONE`.
//
// All steps share one window, since opening one takes longer than most steps: between them it is cleared, and its folder
// gets the files of the test. A step that fails ends this program.
import { strict as assert } from "node:assert";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, relative } from "node:path";
import { createInterface } from "node:readline/promises";

const require = createRequire(`${process.env.NODE_PATH}/`);
const { chromium } = require("playwright-core");
const { GPUASYNC_URL: url, GPUASYNC_WORKSPACE: workspace, GPUASYNC_SHOTS: shots } = process.env;
/** The paths and texts of the present test. */
let values = {};

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
const viewport = { width: 1400, height: 800 };
const page = await (await browser.newContext({ viewport })).newPage();
page.setDefaultTimeout(240_000);

// ---- what a user does ---------------------------------------------------------------------------------------

async function shot(name) {
  if (!shots) return;
  const tip = page.locator(".workbench-hover-container:visible");
  if (await tip.count()) {
    await page.mouse.move(25, 450); // where no tool tip is: one would cover a title
    await gone(tip);
  }
  await page.screenshot({ path: `${shots}/vscode-${name}.png` });
}
const THEMES = {
  light: ["Default Light Modern", ".monaco-workbench.vs"],
  dark: ["Default Dark Modern", ".monaco-workbench.vs-dark"],
  contrast: ["Default High Contrast", ".monaco-workbench.hc-black"],
};

/** Takes a picture in each of the themes; where no pictures are taken, it does nothing. */
async function pictures(name, ...themes) {
  for (const theme of shots ? themes : []) {
    configure({ "workbench.colorTheme": THEMES[theme][0] });
    await page.locator(THEMES[theme][1]).waitFor();
    await shot(`${name}-${theme}`);
  }
}
const editor = (index = 0) => page.locator(".editor-instance .view-lines").nth(index);
const line = (text, index = 0) => editor(index).locator(".view-line", { hasText: text }).first();
const plain = (text) => text.replaceAll("\u00a0", " ").replaceAll(/[\u200b-\u200f\u202a-\u202e]/g, "");

/** Waits until a condition holds. */
async function until(what, condition, limit = 120_000) {
  for (const end = Date.now() + limit; Date.now() < end; await page.waitForTimeout(100)) {
    if (await condition()) return;
  }
  throw new Error(`timeout: ${what}`);
}

/** What a promise gives, and false where it waited in vain. */
const inTime = (promise) =>
  promise.then(
    (value) => value ?? true,
    (error) => {
      if (error.name !== "TimeoutError") throw error;
      return false;
    },
  );

const appears = (locator, timeout = 5000) => inTime(locator.first().waitFor({ timeout }));
const gone = (locator, timeout = 5000) => inTime(locator.first().waitFor({ state: "hidden", timeout }));

/**
 * Acts until there is what that leads to: a part that is drawn anew at that moment misses a click, and a hover or
 * a list goes away when something else changes. The actions are such that doing them twice does no harm.
 */
async function act(what, action, effect) {
  const isThere = effect instanceof Function ? effect : () => appears(effect);
  await until(what, async () => isThere(await inTime(action())), 300_000);
}

const click = (locator, effect) =>
  act(`what ${locator} leads to`, () => locator.first().click({ timeout: 5000 }), effect);

/** Drags a border from one place to another, in pixels from the left. */
async function dragBorder(from, to) {
  await page.mouse.move(from, 400);
  await page.mouse.down();
  await page.mouse.move(to, 400, { steps: 5 });
  await page.mouse.up();
  await page.mouse.move(25, 450);
}

/** Makes room in the side bar, so that what is in it can be read in pictures. */
const widerSideBar = () => shots && dragBorder(350, 620);
/** Makes room beside the source, where the side bar is hidden. */
const narrowerSource = () => dragBorder(724, 440);

const explorer = page.locator(".explorer-folders-view");
/** The side bar makes room. */
const hideSideBar = () =>
  act(
    "no side bar",
    () => page.keyboard.press("Control+B"),
    () => gone(explorer),
  );
const showSideBar = () => act("a side bar", () => page.keyboard.press("Control+B"), explorer);

/** Opens the folder, and a file in it: in a new window, or in the one of the step before. */
async function open(file) {
  await openFolder();
  await openAlso(file);
}

async function openFolder() {
  if (new URL(page.url()).searchParams.has("folder")) return;
  const isFirst = page.url() === "about:blank";
  await page.goto(url, { waitUntil: "commit", timeout: 600_000 });
  await page.locator(".monaco-workbench").waitFor();
  if (isFirst) return;
  // VS Code opens again what was open when the folder was last shown.
  await explorer.locator(".monaco-list-row").first().waitFor();
  await clear();
}

/** Closes what the step before has left open, without saving it. */
async function clear() {
  await page.setViewportSize(viewport);
  const [tabs, dirty] = [page.locator(".tab"), page.locator(".tab.dirty")];
  while (await dirty.count()) {
    const left = await tabs.count();
    await command("View: Revert and Close Editor", async () => (await tabs.count()) < left);
  }
  if (await tabs.count()) await command("View: Close All Editors", () => gone(tabs));
  const panel = page.locator(".part.panel:visible");
  if (await panel.count()) await command("View: Hide Panel", () => gone(panel));
  const toasts = page.locator(".notification-toast");
  if (await toasts.count()) await command("Notifications: Clear All Notifications");
  if (!(await explorer.isVisible())) await command("File: Focus on Files Explorer", explorer);
}

/** Gives the folder the files of `source`, and no others. */
function fill(source) {
  const files = (folder) =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((each) => !each.isDirectory())
      .map((each) => relative(folder, join(each.parentPath, each.name)));
  const wanted = files(source);
  for (const name of existsSync(workspace) ? readdirSync(workspace) : []) {
    const isWanted = wanted.some((each) => each === name || each.startsWith(`${name}/`));
    if (!isWanted) rmSync(join(workspace, name), { recursive: true });
  }
  for (const name of wanted) {
    const [from, to] = [join(source, name), join(workspace, name)];
    if (!existsSync(to) || !readFileSync(to).equals(readFileSync(from))) cpSync(from, to);
  }
}

/** Opens one more file of the folder. */
async function openAlso(file) {
  const row = explorer.locator(".monaco-list-row", { hasText: file });
  await row.waitFor();
  await act(
    `${file} in a tab`,
    () => row.dblclick({ timeout: 5000 }),
    page.locator(".tab.active", { hasText: file }),
  );
  await line(/module|func/).waitFor();
}

async function openUntrusted() {
  await page.goto(url, { waitUntil: "commit", timeout: 600_000 });
  await page.locator(".monaco-workbench").waitFor();
  await page.locator(".statusbar-item", { hasText: "Restricted Mode" }).waitFor();
  await openAlso("refused_copy.mlir");
}

/** How many colors the text of a line has, inlay hints apart. */
async function colors(text) {
  const spans = line(text).locator("span[class^=mtk]");
  const classes = await spans.evaluateAll((all) => all.map((span) => span.className));
  return new Set(classes.filter((name) => /^mtk\d+$/.test(name))).size;
}

/** The colors of the wavy lines in an editor's text that are no problems'. */
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
  await page.locator(".squiggly-error").first().waitFor();
}

const prompt = page.locator(".quick-input-widget:visible");

async function rows(text) {
  const input = prompt.locator("input[type=text], .input").first();
  await act("the palette", () => page.keyboard.press("F1"), input);
  await input.fill(`>${text}`);
  return page.locator(".quick-input-list .monaco-list-row");
}

/**
 * Runs a command by its name, again and again until there is its effect where that is named. It may take a while: a
 * command that is run twice does its work twice.
 */
async function command(text, effect = (isRun) => isRun) {
  const run = async () => {
    // The palette lists what there is when it opens: it is opened until the command is there.
    const found = (await rows(text)).filter({ hasText: text }).first();
    await found.click({ timeout: 2000 }).catch(async (error) => {
      await page.keyboard.press("Escape");
      throw error;
    });
    await found.waitFor({ state: "hidden", timeout: 5000 });
  };
  await act(text, run, effect instanceof Function ? effect : () => appears(effect, 20_000));
}

async function reload() {
  const loaded = page.waitForEvent("load");
  const row = (await rows("Developer: Reload Window")).filter({ hasText: "Reload Window" }).first();
  await row.click();
  await loaded;
  await page.locator(".monaco-workbench").waitFor();
}

/** Sets the settings of the folder. */
function configure(settings) {
  mkdirSync(`${workspace}/.vscode`, { recursive: true });
  writeFileSync(`${workspace}/.vscode/settings.json`, JSON.stringify(settings));
}

const choice = (text) => page.locator(".quick-input-list .monaco-list-row", { hasText: text });

/** Chooses from the list that is open, of which only what is in sight is there. */
async function pick(text, effect) {
  const choose = async () => {
    const row = choice(text).first();
    if (!(await appears(row, 2000))) await prompt.locator("input").first().fill(text, { timeout: 5000 });
    await row.click({ timeout: 5000 });
  };
  await act(`what ${text} leads to`, choose, effect); // the list is gone once a row of it was taken
}

const cursorAt = (number, column) =>
  page.locator("#status\\.editor\\.selection", { hasText: `Ln ${number}, ${column ? `Col ${column}` : ""}` });

/** Puts the cursor on a line of the focused editor. */
async function goTo(number, column = 1) {
  const go = async () => {
    await page.keyboard.press("Control+G");
    await prompt.locator("input").first().fill(`:${number}:${column}`, { timeout: 5000 });
    await page.keyboard.press("Enter");
    await prompt.waitFor({ state: "hidden", timeout: 5000 });
  };
  await act(`the cursor at ${number}:${column}`, go, cursorAt(number, column));
}

/** Gives the focus to an editor, with the cursor on the line of that text. */
async function focusOn(text, index = 0) {
  const group = page.locator(".editor-instance:has(.view-lines)").nth(index);
  await click(line(text, index), group.locator(".monaco-editor.focused"));
}

const entry = (title) => page.locator(".action-widget .monaco-list-row", { hasText: title }).first();

async function openMenu() {
  await page.keyboard.press("Escape");
  await page.keyboard.press("Control+Period");
}

/** The menu says what there is when it opens, so it is opened until the entry is there. */
const codeAction = (title) => act(`a code action ${title}`, openMenu, entry(title));

/** Chooses an entry of the menu; it may be gone once it has its effect. */
async function chooseAction(title, effect) {
  const choose = async () => {
    await openMenu();
    await entry(title).click({ timeout: 5000 });
  };
  await act(`what ${title} leads to`, choose, effect);
}

const lens = (title, effect) => click(page.locator(".codelens-decoration a", { hasText: title }), effect);

/** Types on a new line `number`, and looks at what is offered. */
async function suggested(number, text, offered, name) {
  await command("View: Focus Active Editor Group");
  await goTo(number - 1, 1);
  await page.keyboard.press("End");
  await page.keyboard.press("Enter");
  await cursorAt(number).waitFor();
  await page.keyboard.type(text);
  const row = page.locator(".suggest-widget .monaco-list-row", { hasText: offered });
  // Typing has opened the list, or will; where it does not, the keys do, but not over a list that is open.
  if (!(await appears(row))) {
    await act(
      `${offered} is offered`,
      async () => {
        await page.keyboard.press("Escape");
        await page.keyboard.press("Control+Space");
      },
      row,
    );
  }
  await shot(name);
  await page.keyboard.press("Escape");
}

/** The hover of what stands at a place. */
async function described(number, column, text, name) {
  await command("View: Focus Active Editor Group");
  await goTo(number, column);
  const hover = page.locator(".monaco-hover:visible", { hasText: text }).first();
  await act(
    `a hover with ${text}`,
    async () => {
      await page.keyboard.press("Escape");
      await page.keyboard.press("Control+K");
      await page.keyboard.press("Control+I");
    },
    hover,
  );
  await shot(name);
  await page.keyboard.press("Escape");
}

const noErrors = () => gone(page.locator(".squiggly-error"));

async function fix() {
  await focusOn("gpu.memcpy");
  await goTo(7, 30);
  await chooseAction(/depend/i, noErrors);
}

async function saved(pattern) {
  const onDisk = () => pattern.test(readFileSync(`${workspace}/refused_copy.mlir`, "utf8"));
  await act(`${pattern} on disk`, () => page.keyboard.press("Control+S"), onDisk);
}

const status = page.locator("#gpuasync\\.gpuasync-lsp\\.gpuasync\\.target");

/** What the status item says on the side of LLVM's own extension. */
async function saidOfLlvm(text) {
  const said = status.locator("a");
  await until(text, async () => (await said.getAttribute("aria-label"))?.includes(text));
}

/** Waits for a server that answers about the active file; the window then knows the extension's defaults, too. */
const ready = () => status.filter({ hasText: "LLVM" }).waitFor();

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
/** Starts the run whose form is there; it ends in this. */
const start = (effect) =>
  act(
    "a run",
    () => runButton().click({ timeout: 5000 }),
    () => appears(effect, 60_000),
  );

/** Runs the function of the cursor with these arguments. */
async function run(values, effect) {
  await command("GPU Async: Run on CPU", webview().getByLabel(Object.keys(values)[0], { exact: true }));
  await fillIn(values);
  await start(effect);
}

/** The first array that the function of the cursor takes; its form is open. */
async function firstArgument() {
  const array = webview().locator("code").first();
  await command("GPU Async: Run on CPU", array);
  return (await array.innerText()).split(" ")[0];
}

/** Draws each of so many streams, alike or not. */
const unfold = (count) =>
  act(
    "each stream",
    () => webview().getByLabel("Fold alike").uncheck({ timeout: 5000 }),
    async () => {
      const lanes = await webview()
        .locator(".head")
        .evaluateAll((all) => all.map((each) => each.dataset.lane));
      return new Set(lanes).size >= count;
    },
  );

/** The brightness of a color that the page computes for an element of a webview: 0 is black, 1 white. */
async function brightness(locator, property) {
  const color = await locator.evaluate((element, name) => getComputedStyle(element)[name], property);
  const [red, green, blue] = color.match(/[\d.]+/g).map(Number);
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
        .map(
          ({ id, help, nodes }) =>
            `${id}: ${help}: ${nodes.slice(0, 3).map(({ html }) => html.slice(0, 200))}`,
        );
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

/** A function of so many streams with so many ops on each, joins, a loop, and streams that are never waited for. */
function compactStreams(streams, ops) {
  const numbers = [...Array(streams).keys()];
  const lines = numbers.map((n) => `  %s${n}_0 = gpu.wait async`);
  for (const at of Array(ops).keys()) {
    for (const n of numbers) {
      let from = `%s${n}_${at}`;
      if (at > 0 && n % 5 === 3) {
        lines.push(`  %j${n}_${at} = gpu.wait async [${from}, %s${n - 1}_${at}]`);
        from = `%j${n}_${at}`;
      }
      lines.push(`  %s${n}_${at + 1} = gpu.memset async [${from}] %a, %c : memref<8xf32>, f32`);
    }
  }
  lines.push(
    "  scf.for %i = %c0 to %n step %c1 {",
    "    %x = gpu.wait async",
    "    %y = gpu.memcpy async [%x] %a, %b : memref<8xf32>, memref<8xf32>",
    "    gpu.wait [%y]",
    "  }",
    ...numbers.slice(2).map((n) => `  gpu.wait [%s${n}_${ops}]`),
  );
  const head = "func.func @many(%a: memref<8xf32>, %b: memref<8xf32>, %c: f32, %n: index) {";
  const constants = "  %c0 = arith.constant 0 : index\n  %c1 = arith.constant 1 : index";
  return `${head}\n${constants}\n${lines.join("\n")}\n  return\n}\n`;
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

// ---- the steps ----------------------------------------------------------------------------------------------

const steps = {
  async diagnostics() {
    await openRefused();
    await hideSideBar(); // it makes room for the message
    await command("Problems: Focus on Problems View", page.locator(".markers-panel:visible"));
    const problem = page.locator(".markers-panel .monaco-list-row", { hasText: "GA101" }).first();
    await problem.waitFor();
    const text = plain(await problem.innerText());
    assert.match(text, /gpuasync/);
    assert.match(text, /Ln 7/);
    await problem.dblclick();
    await page.mouse.move(25, 450); // a tool tip would cover the code
    await shot("diagnostic");
    // The code leads to the rule's page, rendered.
    await click(problem.locator("a", { hasText: "GA101" }), page.locator(".tab", { hasText: "GA101.md" }));
    await webview().locator("h1", { hasText: "too-many-dependencies" }).waitFor();
    await shot("rule");
  },

  /** The page of a rule is reached by keys, from the finding at the cursor, and left by keys. */
  async "rule-keys"() {
    await openRefused();
    const hover = page.locator(".monaco-hover:visible", { hasText: "GA101" }).first();
    const show = async () => {
      await page.keyboard.press("Control+K");
      await page.keyboard.press("Control+I");
    };
    const code = page.locator(".monaco-hover a:focus", { hasText: "GA101" });
    const toCode = async () => {
      await page.keyboard.press("Escape");
      // Where the hover that had the focus is drawn anew, nothing has it.
      await focusOn("gpu.memcpy");
      await goTo(7, 30);
      await show();
      await hover.waitFor({ timeout: 5000 });
      await show(); // a second time goes into it
      await page.locator(".monaco-hover:focus").waitFor({ timeout: 5000 });
      // How many parts come before it, VS Code decides.
      for (let tabs = 0; tabs < 8 && !(await code.count()); tabs++) await page.keyboard.press("Tab");
    };
    const rule = page.locator(".tab.active", { hasText: "GA101.md" });
    // A hover that is drawn anew, as more of it arrives, takes the focus away.
    const follow = async () => {
      if (await rule.count()) return;
      await toCode();
      if (await code.count()) await code.press("Enter", { timeout: 1000 });
    };
    await act("the page of the rule", follow, rule);
    await webview().locator("h1", { hasText: "too-many-dependencies" }).waitFor();
    const back = page.locator(".tab.active", { hasText: "refused_copy.mlir" });
    await act("the source", () => page.keyboard.press("Control+PageUp"), back);
  },

  /** Nobody described one of the file's dialects; it has three errors and three leaking streams. */
  async "three-errors"() {
    await open("three_errors.mlir");
    await command("Problems: Focus on Problems View", page.locator(".markers-panel:visible"));
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

  /** Dialects of the user's own, from their dumps: an error, completion, hover, and the way to a definition. */
  async "own-dialect"() {
    await open("systolic_wrong.mlir");
    await command("Problems: Focus on Problems View", page.locator(".markers-panel:visible"));
    await page
      .locator(".markers-panel .monaco-list-row", { hasText: "operand #0 must be 64-bit signless integer" })
      .first()
      .waitFor();
    await described(6, 15, /Sets the stride of the following/, "own-dialect-hover");
    // The line of its definition, `def Systolic_ConfigStOp`.
    await goTo(6, 15);
    await act("the definition", () => page.keyboard.press("F12"), cursorAt(36));
    await page.locator(".tab.active", { hasText: "systolic.td" }).waitFor();
    await shot("own-dialect-definition");
    await openAlso("systolic_wrong.mlir");
    await suggested(4, "systolic.tile", "tile_matmul", "own-dialect-completion");

    await openAlso("mine_wrong.mlir");
    const wrong = page.locator(".markers-panel .monaco-list-row", {
      hasText: "'mine.add' op operand #0 must be",
    });
    await wrong.first().waitFor();
    await described(5, 15, /Loads a tile/, "second-dialect-hover");
    await suggested(5, "mine.lo", "load_tile", "second-dialect-completion");
  },

  /**
   * The first file of a new window, for benchmarks: from the click that opens it to its text, to the squiggle of an
   * extension that does nothing else, and to ours.
   */
  async "first-squiggle"() {
    await openFolder();
    const row = explorer.locator(".monaco-list-row", { hasText: "refused_copy.mlir" });
    await row.waitFor();
    await page.waitForTimeout(2000); // as a user would who looks for the file
    const begun = performance.now();
    await row.dblclick();
    const shown = [line("gpu.memcpy"), page.locator(".squiggly-info"), page.locator(".squiggly-error")];
    const passed = async (locator) => {
      await locator.first().waitFor();
      return Math.round(performance.now() - begun);
    };
    const [text, trivial, ours] = await Promise.all(shown.map(passed));
    console.log(
      `text ${text} ms, trivial extension ${trivial} ms, squiggle ${ours} ms, of that ours ${ours - trivial} ms`,
    );
  },

  async "quick-fix"() {
    await openRefused();
    await focusOn("gpu.memcpy");
    await goTo(7, 30);
    await codeAction(/depend/i);
    await shot("quick-fix");
    await chooseAction(/depend/i, noErrors);
    await saved(/gpu\.memcpy async \[%t2\] %a, %b/);
  },

  async "fix-all"() {
    await openRefused();
    await focusOn("gpu.memcpy");
    await command("Fix All", noErrors);
    await saved(/gpu\.memcpy async \[%t2\] %a, %b/);
  },

  /** All files of the folder are checked when asked for; the progress of that ends it, and then nothing is left. */
  async "check-folder"() {
    rmSync(`${workspace}/refused_copy.mlir`); // it has problems of its own
    const text = Array.from({ length: 20 }, (_, at) => manyOps(6, 6).replace("@many", `@many${at}`)).join("");
    mkdirSync(`${workspace}/more`);
    for (let at = 0; at < 150; at++) writeFileSync(`${workspace}/more/many_${at}.mlir`, `${text}// ${at}\n`);
    await open("two_streams.mlir");
    await ready();
    await command("GPU Async: Toggle Checking All Files of the Workspace");
    const bar = page.locator(".notification-toast", {
      hasText: /Checking all files of the workspace: \d+ files/,
    });
    await bar.waitFor();
    await shot("check-folder");
    await click(bar.locator(".monaco-button", { hasText: "Cancel" }), () => gone(bar));
    const setting = () => readFileSync(`${workspace}/.vscode/settings.json`, "utf8");
    await until("the setting", () => /"gpuasync.checkWorkspace": false/.test(setting()));
    await command("Problems: Focus on Problems View", page.locator(".markers-panel:visible"));
    await gone(page.locator(".markers-panel .monaco-list-row", { hasText: /many_\d+/ }), 30_000);
  },

  async hover() {
    await openRefused();
    await described(9, 17, /mgpuMemFree.*stream 0/, "hover"); // far down, where it covers no title
  },

  async "inlay-hints"() {
    await openRefused();
    await line("stream 0").waitFor();
    await shot("inlay-hints");
  },

  /** Colors by what a word means: tokens are marked as such, and what leaks is, too. */
  async colors() {
    await openRefused();
    await focusOn("gpu.alloc");
    await goTo(5, 9); // in %t1
    const inspected = page.locator(".token-inspect-widget");
    await command("Developer: Inspect Editor Tokens and Scopes", inspected);
    await inspected
      .locator("tr", { hasText: "semantic token type" })
      .filter({ hasText: "variable" })
      .waitFor();
    await inspected.locator("tr", { hasText: "modifiers" }).filter({ hasText: "async" }).waitFor();
  },

  async completion() {
    await openRefused();
    await suggested(11, "%t9 = gpu.mem", "memcpy", "completion");
  },

  /** A brace that closes goes to its column when it is typed, by the server alone; nothing else is added. */
  async "on-type"() {
    const text = "func.func @f(%c: i1) {\n  scf.if %c {\n    gpu.wait\n        \n  return\n}\n";
    writeFileSync(`${workspace}/brace.mlir`, text);
    configure({ "editor.autoIndent": "none" });
    await open("brace.mlir");
    await ready();
    await focusOn("gpu.wait");
    await goTo(4, 9);
    await page.keyboard.type("}");
    await cursorAt(4, 4).waitFor();
    // In a remark, less than is no bracket.
    await page.keyboard.type(" // a < b");
    const isThere = () => readFileSync(`${workspace}/brace.mlir`, "utf8").includes("\n  } // a < b\n");
    await act("the remark on disk", () => page.keyboard.press("Control+S"), isThere);
  },

  async rename() {
    await openRefused();
    await focusOn("gpu.wait async");
    await goTo(4, 7);
    const input = page.locator(".rename-input");
    await act("a field for the name", () => page.keyboard.press("F2"), input);
    await input.fill("start");
    await page.keyboard.press("Enter");
    await saved(/%start = gpu\.wait async\n.*\[%start\]/);
  },

  async preview() {
    await openRefused();
    await fix();
    await hideSideBar(); // it makes room for the preview
    await command("GPU Async: Preview Lowering to the Side", line("mgpuMemcpy", 1));

    // The cursor's line is highlighted on the other side.
    const highlighted = (index) => page.locator(".editor-instance").nth(index).locator(".view-overlays .cdr");
    await click(line("gpu.memcpy"), highlighted(1));
    // Lines that belong together have a background of one color.
    const bands = (index) =>
      highlighted(index).evaluateAll((all) => all.map((each) => getComputedStyle(each).backgroundColor));
    await until("bands on both sides", async () => {
      const [left, right] = [new Set(await bands(0)), new Set(await bands(1))];
      return left.size > 3 && [...left].filter((each) => right.has(each)).length > 3;
    });
    await shot("preview");

    // A click in the preview leads back.
    await click(line("mgpuMemFree", 1), highlighted(0));

    // It follows an edit.
    await focusOn("@main");
    await goTo(2, 18);
    await page.keyboard.type("_live");
    await line("@main_live", 1).waitFor();
  },

  /** A preview has the newest text: edited while it opens, edited while nobody sees it, of another release. */
  async "preview-current"() {
    await openRefused();
    await hideSideBar();
    await focusOn("@main");
    await goTo(2, 18);
    await command("GPU Async: Preview Lowering to the Side");
    await page.keyboard.type("_opening");
    await line("@main_opening", 1).waitFor();
    await command("GPU Async: Show Streams", webview().locator("svg text"));
    await focusOn("@main_opening");
    await goTo(2, 26);
    await page.keyboard.type("_hidden");
    await webview().locator("svg text", { hasText: "@main_opening_hidden" }).first().waitFor();
    const tab = page.locator(".tab", { hasText: "refused_copy (lowered)" });
    await click(tab, line("@main_opening_hidden", 1));
    writeFileSync(`${workspace}/gpuasync.toml`, "llvm = 22\n");
    const bar = page.locator(".editor-instance").nth(1).locator(".codelens-decoration a");
    await bar.filter({ hasText: "LLVM 22" }).first().waitFor();
    // Scrolled away, the bar is in the status line still.
    await focusOn("gpu.wait [%t5]");
    await gone(bar.first());
    const item = page.locator("#gpuasync\\.gpuasync-lsp\\.gpuasync\\.preview");
    await click(item.filter({ hasText: "LLVM 22, lowered" }), choice("explain"));
    await shot("preview-item");
    await pick("explain", item.filter({ hasText: "LLVM 22, lowered, explained" }));
  },

  /** What a preview teaches: findings at their lowered lines, a color for each stream, what may be folded. */
  async "preview-explained"() {
    await openRefused();
    await command("GPU Async: Preview Lowering to the Side", line("mgpuStreamCreate", 1));
    // What the lowering only declares can be folded; the finding of the source stands at the op that stays.
    const preview = page.locator(".editor-instance").nth(1);
    await focusOn("mgpuStreamCreate", 1);
    const folded = async () => {
      await page.keyboard.press("Control+End");
      return appears(preview.locator(".inline-folded"));
    };
    // A preview is folded when it is first opened; afterwards VS Code brings back what was folded when it was closed.
    if (!(await folded())) await command("Fold Unlowered Code in the Preview", folded);
    // In the preview alone: the panel of problems counts what is in sources.
    let refused;
    await until("a finding in the preview", async () => ([refused] = await waves(preview)) && refused);
    await page.locator(".markers-panel, .statusbar-item[aria-label*='Errors: 1']").first().waitFor();
    await fix();
    // A warning is left, in another color: what is copied was never written.
    await until("no error in the preview", async () => !(await waves(preview)).includes(refused));
    await focusOn("gpu.memcpy");
    await hideSideBar(); // it makes room for the comments
    await narrowerSource();
    await command("GPU Async: Toggle Explanations in the Preview", line("// on stream 0", 1));
    // What runs on the stream has its color, and nothing else has.
    const color = (text, name) =>
      line(text, 1)
        .locator("span span", { hasText: name })
        .last()
        .evaluate((span) => getComputedStyle(span).color, undefined, {
          timeout: 5000,
        });
    const colored = async () => {
      let stream = "";
      await until("a color", async () => {
        stream = await color("@mgpuMemcpy(", "@mgpuMemcpy");
        return stream !== "" && (await color("@mgpuMemFree(", "@mgpuMemFree")) === stream;
      });
      assert.notEqual(await color("llvm.return", "return"), stream);
      return stream;
    };
    const dark = await colored();
    await shot("explained");
    configure({ "workbench.colorTheme": "Default Light Modern" });
    await page.locator(".monaco-workbench.vs").waitFor();
    await shot("explained-light");
    await until("another color on light paper", async () => (await colored()) !== dark);
  },

  async "preview-compare"() {
    await openRefused();
    await command("GPU Async: Compare the Lowering Before and After Fixes", choice("Safe fixes"));
    await pick("Safe fixes", page.locator(".tab", { hasText: "before ↔ after safe fixes" }));
    // Another number of a value is no difference.
    await page.locator(".monaco-diff-editor .line-insert").first().waitFor();
    const same = page.locator(".monaco-diff-editor .modified-in-monaco-diff-editor .view-line");
    const texts = async () => (await same.allInnerTexts()).map(plain);
    // Both sides have a line for each memref.
    await until("a folded descriptor", async () => (await texts()).some((each) => / = memref\(%/.test(each)));
    assert.ok((await texts()).every((each) => !each.includes("insertvalue")));
    // The error is on the left alone; a warning is left on both sides.
    const side = (name) => waves(page.locator(`.${name}-in-monaco-diff-editor`));
    let refused;
    await until("the error", async () => ([refused] = await side("original")) && refused);
    await until("no error on the right", async () => !(await side("modified")).includes(refused));
    await shot("compare-fixes");
    await openAlso("refused_copy.mlir");
    await command("GPU Async: Compare Two Stages of the Lowering", choice("source"));
    await pick("source", page.locator(".quick-input-title", { hasText: "with the stage" }));
    await pick("gpu-async-region", page.locator(".tab", { hasText: "source ↔ gpu-async-region" }));
    await openAlso("refused_copy.mlir");
    await command("GPU Async: Compare the Lowering of Two LLVM Releases", choice("LLVM 24"));
    await pick("LLVM 24", page.locator(".quick-input-title", { hasText: "with that of" }));
    await pick("LLVM 19", page.locator(".tab", { hasText: "LLVM 24 ↔ LLVM 19" }));
    await page.locator(".monaco-diff-editor .line-insert:visible").first().waitFor();
    await shot("diff");
  },

  /** The user's own mlir-opt, which prints what this tool does. */
  async engine() {
    await open("two_streams.mlir");
    const same = page.locator(".notification-toast", { hasText: "No difference from mlir-opt of LLVM 22" });
    await command("GPU Async: Compare the Lowering with Your mlir-opt", same);
    await focusOn("@pipeline");
    await command(
      "GPU Async: Toggle Preview by Your mlir-opt or GPU Async",
      page.locator(".tab", { hasText: "mlir-opt" }),
    );
    await line("@mgpuMemAlloc(", 1).waitFor(); // the copy's call is out of view
    // Its debug locations link the lines.
    const linked = page.locator(".editor-instance").nth(1).locator(".view-overlays .cdr");
    await click(line("gpu.memcpy"), linked);
  },

  /** An mlir-opt that prints something else: the two are side by side, and there is a report to copy. */
  async "engine-differs"() {
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await open("two_streams.mlir");
    const said = page.locator(".notification-toast", { hasText: "a bug in GPU Async" });
    const tab = page.locator(".tab", { hasText: "mlir-opt ↔ GPU Async" });
    const compare = () => command("GPU Async: Compare the Lowering with Your mlir-opt", said);
    await act("a difference", compare, tab); // the server with the other mlir-opt may still be starting
    await page.locator(".monaco-diff-editor .line-insert").first().waitFor();
    await shot("engine-differs");
    // The message goes away after some seconds.
    const copy = async () => {
      if (!(await said.count())) await compare();
      await said.locator(".monaco-button", { hasText: "Copy Report" }).click({ timeout: 5000 });
    };
    const copied = async () => page.evaluate(() => navigator.clipboard.readText());
    await act("the report", copy, async () => /^The two differ\. .*```diff.*@pipeline/s.test(await copied()));
  },

  /** The bar above a preview says what it shows, changes that preview only, and leads to what stopped. */
  async "preview-header"() {
    await openRefused();
    await hideSideBar();
    await focusOn("module"); // the preview shows what belongs to the cursor
    await command("GPU Async: Preview Lowering to the Side", line("module", 1));
    const bar = (text, index) =>
      page
        .locator(".editor-instance")
        .nth(index)
        .locator(".codelens-decoration a, .codelens-decoration span", { hasText: text });
    await bar("line 7: gpu.memcpy", 1).first().waitFor();
    await shot("preview-header");
    // Half a window shows all of the bar, and all that is said below it.
    const edge = await page.locator(".editor-instance").nth(1).boundingBox();
    for (const part of await bar(/./, 1).all()) {
      const box = await part.boundingBox();
      assert.ok(box.x + box.width <= edge.x + edge.width, `${await part.innerText()} is cut off`);
    }
    await pictures("preview", "light", "contrast", "dark");
    await click(bar("line 7", 1), cursorAt(7));
    await focusOn("module"); // and the preview is at its beginning again
    // The list marks what is shown, and describes the others.
    await click(bar("lowered", 1), choice("lowered"));
    await page.locator(".quick-input-list .monaco-list-row.focused .codicon-check").waitFor();
    await page.locator(".quick-input-widget input").first().fill("gpu-async-region");
    await choice("blocking waits before effects").waitFor();
    await shot("preview-stages");
    await pick("gpu-async-region", bar("gpu-async-region", 1));
    // Side by side, each keeps its own release.
    await focusOn("gpu.wait async", 1);
    await command("View: Split Editor Right", bar("LLVM 23", 2));
    await click(bar("LLVM 23", 2), choice("LLVM 19"));
    await pick("LLVM 19", bar("LLVM 19", 2));
    await bar("LLVM 23", 1).first().waitFor();
    // From there to any comparison.
    await click(bar("compare…", 2), choice("LLVM 16"));
    await pick("LLVM 16", page.locator(".tab", { hasText: "LLVM 19 ↔ LLVM 16" }));
  },

  /** Descriptors are one line each until one click shows every op; links, comparisons and colors go along. */
  async "preview-folded"() {
    await open("two_streams.mlir");
    await hideSideBar();
    await focusOn("@pipeline");
    await command("GPU Async: Preview Lowering to the Side", line("= memref(%", 1));
    const bar = (text) =>
      page.locator(".editor-instance").nth(1).locator(".codelens-decoration a", { hasText: text });
    await bar(/\d+ folded/).waitFor();
    const text = () => page.locator(".editor-instance").nth(1).locator(".view-lines").innerText();
    assert.ok(!plain(await text()).includes("insertvalue"));
    await pictures("preview-folded", "light", "dark");
    // The links lead to lines that stand for several ops, and to calls whose operands are fields.
    const highlighted = (index) => page.locator(".editor-instance").nth(index).locator(".view-overlays .cdr");
    await click(line(/%t7.*gpu\.memcpy/), highlighted(1)); // a hint stands between
    await line(/@mgpuMemcpy\(%\d+\[aligned\],\s%\d+\[aligned\],/, 1).waitFor();
    await click(line("@mgpuMemAlloc(", 1), highlighted(0));
    // The setting holds where nobody has clicked.
    await focusOn("@pipeline");
    await click(bar(/\d+ folded/), bar("fold descriptors"));
    await line("llvm.insertvalue", 1).waitFor();
    await click(bar("fold descriptors"), bar(/\d+ folded/));
    configure({ "gpuasync.preview.foldDescriptors": false });
    await bar(/\d+ folded/).waitFor();
    await command("View: Close All Editors", () => gone(page.locator(".tab")));
    await showSideBar();
    await openAlso("two_streams.mlir");
    await command("GPU Async: Preview Lowering to the Side", line("llvm.insertvalue", 1));
  },

  /** All that the bar above a preview has is reached by keys, and the focus stays in the preview. */
  async "preview-keys"() {
    await openRefused();
    await focusOn("module");
    await command("GPU Async: Preview Lowering to the Side", line("module", 1));
    await page.keyboard.press("Control+2");
    const focused = page.locator(".editor-group-container.active .monaco-editor.focused");
    const tab = (text) => page.locator(".editor-group-container.active .tab.active", { hasText: text });
    const list = async (text) => {
      const open = async () => {
        await page.keyboard.press("Control+K");
        await page.keyboard.press("V");
      };
      await act("the list", open, choice("line 7: gpu.memcpy"));
      await prompt.locator("input").first().fill(text);
      await page.locator(".quick-input-list .monaco-list-row.focused", { hasText: text }).waitFor();
      await shot(`preview-keys-${text.split(" ")[0]}`);
      await page.keyboard.press("Enter");
    };
    await list("explain");
    await tab("explained").waitFor();
    await focused.waitFor();
    await list("lowered");
    await page.locator(".quick-input-title", { hasText: "Preview which stage" }).waitFor();
    await page.keyboard.type("gpu-async-region");
    await choice("blocking waits before effects").waitFor();
    await page.keyboard.press("Enter");
    await tab("gpu-async-region").waitFor();
    await focused.waitFor();
  },

  /** A launch in place and a kernel with memrefs are lowered, for 22 and 24 side by side, each its own. */
  async "preview-kernels"() {
    await page.setViewportSize({ width: 2000, height: 1100 });
    await open("two_kernels.mlir");
    await hideSideBar();
    await focusOn("module attributes");
    const bar = (text, index) =>
      page
        .locator(".editor-instance")
        .nth(index)
        .locator(".codelens-decoration a, .codelens-decoration span", { hasText: text });
    await command("GPU Async: Preview for Another LLVM Release", choice("LLVM 22"));
    await pick("LLVM 22", bar("LLVM 22", 1));
    await page.keyboard.press("Control+2");
    await command("View: Split Editor Right", bar("LLVM 22", 2));
    await click(bar("LLVM 22", 2), choice("LLVM 24"));
    await pick("LLVM 24", bar("LLVM 24", 2));
    await bar("LLVM 22", 1).first().waitFor();
    // Both kernels are lowered in both, and nothing stopped.
    for (const index of [1, 2]) {
      await line("llvm.func @in_place(%arg0: !llvm.ptr", index).waitFor();
      assert.equal(await bar("stays", index).count(), 0);
      await page.keyboard.press(`Control+${index + 1}`);
      await command("Unfold All", line("llvm.func @scale(%arg0: !llvm.ptr", index));
      await line("llvm.func @in_place_kernel(%arg0: !llvm.ptr", index).waitFor();
    }
    await pictures("preview-kernels", "light", "dark");
    // Where the two releases differ: 22 hands on the stream itself, 24 an event of it.
    await page.keyboard.press("Control+1");
    await goTo(41);
    await line("async.yield", 1).waitFor();
    await line("mgpuEventRecord(", 2).waitFor();
    await shot("preview-kernels-differ");
    // Both follow an edit, and each keeps its release.
    await goTo(37, 14);
    await page.keyboard.type("all_");
    for (const [index, release] of [
      [1, "LLVM 22"],
      [2, "LLVM 24"],
    ]) {
      await line("@all_copied", index).waitFor();
      await page.locator(".tab", { hasText: release }).first().waitFor();
    }
  },

  /** Scrolling one side scrolls the other. */
  async "preview-scroll"() {
    const part = (n) =>
      `func.func @f${n}() {\n${"  %t = gpu.wait async\n  gpu.wait [%t]\n".replaceAll("%t", `%t${n}`)}  return\n}\n`;
    writeFileSync(`${workspace}/long.mlir`, Array.from({ length: 60 }, (_, n) => part(n)).join("\n"));
    await open("long.mlir");
    await command("GPU Async: Preview Lowering to the Side", line("@f0", 1));
    await focusOn("@f0");
    /** The keys scroll, and leave the cursor where it is. */
    const scroll = (key, effect) =>
      act(
        key,
        () => page.keyboard.press(`Alt+${key}`),
        async () => appears(effect, 1000),
      );
    await scroll("PageDown", line(/@f[2-5]\d\(/));
    await gone(line("@f0"));
    await line(/@f[2-5]\d\(/, 1).waitFor();
    await focusOn(/@f[2-5]\d\(/, 1);
    await scroll("PageUp", line("@f0"));
  },

  /** Of a large file what is in sight is lowered first; it stays where it stands when the rest comes. */
  async "preview-in-parts"() {
    const part = (n) =>
      `func.func @f${n}(%a: memref<8xf32>, %c: f32) {\n  %t0 = gpu.wait async\n  %t1 = gpu.memset async [%t0] %a, %c : memref<8xf32>, f32\n  gpu.wait [%t1]\n  return\n}\n`;
    writeFileSync(`${workspace}/parts.mlir`, Array.from({ length: 500 }, (_, n) => part(n)).join("\n"));
    await open("parts.mlir");
    await focusOn("@f0");
    await goTo(300 * 7 + 1);
    // Every frame is looked at: where the function stands in it, and on which line.
    await page.evaluate(() => {
      const watched = (window.watched = { places: [], goesOn: true });
      const look = () => {
        const preview = document.querySelectorAll(".editor-instance:has(.view-lines)")[1];
        const lines = [...(preview?.querySelectorAll(".view-line") ?? [])];
        const found = lines.find(({ textContent }) => textContent.includes("@f300("));
        const numbers = [...(preview?.querySelectorAll(".margin-view-overlays > div") ?? [])];
        const number = numbers.find(({ style }) => found && style.top === found.style.top);
        if (number?.textContent)
          watched.places.push([Number(number.textContent), Math.round(found.getBoundingClientRect().top)]);
        if (watched.goesOn) requestAnimationFrame(look);
      };
      look();
    });
    await command("GPU Async: Preview Lowering to the Side", line("@f300(", 1));
    const places = () => page.evaluate(() => window.watched.places);
    await until("the rest of the preview", async () => (await places()).at(-1)?.[0] > 3000);
    await page.evaluate(() => (window.watched.goesOn = false));
    const [early, late] = [(each) => each[0] < 1000, (each) => each[0] > 3000];
    const seen = await places();
    assert.ok(seen.some(early), `no part came first: ${JSON.stringify(seen.at(0))}`);
    const [before, after] = [seen.findLast(early)[1], seen.find(late)[1]];
    assert.ok(Math.abs(before - after) < 19, `the function jumps from ${before} to ${after}`); // a line's height
    // The rest is there, and the links lead into it.
    await focusOn("@f300(");
    await goTo(2 * 7 + 1);
    await line("@f2(", 1).waitFor();
    assert.equal(await line("not lowered yet", 1).count(), 0);
  },

  /** While a preview takes a new text, nothing of it has a color that stood elsewhere in the old one. */
  async "preview-recolored"() {
    const part = (n) =>
      `func.func @f${n}(%a: memref<8xf32>, %c: f32) {\n  %t0 = gpu.wait async\n  %t1 = gpu.memset async [%t0] %a, %c : memref<8xf32>, f32\n  gpu.wait [%t1]\n  return\n}\n`;
    writeFileSync(`${workspace}/large.mlir`, Array.from({ length: 200 }, (_, n) => part(n)).join("\n"));
    await open("large.mlir");
    await command("GPU Async: Preview Lowering to the Side", line("%6 = llvm.call @mgpuStreamCreate", 1));
    const colored = (text) =>
      line(text, 1).locator("span[class*='TextEditorDecorationType']", { hasText: "%" });
    await colored("mgpuStreamDestroy").waitFor();
    await focusOn("@f0");
    await goTo(1);
    await page.keyboard.press("End");
    // Names of streams are the only bold words; every frame is looked at.
    await page.evaluate(() => {
      const watched = (window.watched = { wrong: new Set(), goesOn: true });
      const look = () => {
        const preview = document.querySelectorAll(".editor-instance .view-lines")[1];
        for (const span of preview?.querySelectorAll("span[class*='TextEditorDecorationType']") ?? []) {
          const isName = /^(%\d+|@mgpu\w+)$/.test(span.textContent);
          if (!isName && getComputedStyle(span).fontWeight === "700") watched.wrong.add(span.textContent);
        }
        if (watched.goesOn) requestAnimationFrame(look);
      };
      look();
    });
    // A function that cannot be read stands at the end as it is, so that all behind it moves.
    for (let time = 0; time < 2; time++) {
      await page.keyboard.insertText("\n%k =");
      await line("llvm.func @f0(", 1).waitFor({ state: "hidden" });
      for (const key of ["Control+Shift+K", "ArrowUp", "End"]) await page.keyboard.press(key);
      await line("llvm.func @f0(", 1).waitFor();
    }
    await colored("mgpuStreamDestroy").waitFor();
    // The cursor's function stays in view of a text of this size, whatever changes in it.
    await goTo(701, 16);
    await page.keyboard.type("_");
    await line("@f100_(", 1).waitFor();
    // What comes into view far below has its colors, too.
    await page.keyboard.press("Control+2");
    await act("the end", () => page.keyboard.press("Control+End"), line("@f199(", 1));
    await colored("mgpuStreamDestroy").waitFor();
    const wrong = await page.evaluate(() => {
      window.watched.goesOn = false;
      return [...window.watched.wrong].slice(0, 10);
    });
    assert.deepEqual(wrong, []);
  },

  async passes() {
    await open("passes.mlir");
    const pass = (text) => page.locator(".pane-body .monaco-list-row", { hasText: text });
    await command("GPU Async: Show What Each Pass of This Dump Did", pass("-1 stream"));
    await pass("begins: This gpu.wait destroys the stream of %0 twice").waitFor();
    await widerSideBar();
    const removed = page.locator(".monaco-diff-editor .line-delete");
    await click(pass("-1 stream"), removed);
    await shot("passes");
    // By keyboard the same. What is analyzed meanwhile draws the view anew, and the first row then has the focus.
    await command("View: Close Editor", () => gone(removed));
    await command("Focus on Passes View", page.locator(".pane-body .monaco-list:focus"));
    const focused = page.locator(".pane-body .monaco-list-row.focused", { hasText: "-1 stream" });
    const up = async () => {
      await page.keyboard.press("End");
      for (let left = 8; left > 0 && (await focused.count()) === 0; left--)
        await page.keyboard.press("ArrowUp");
    };
    await act("the pass in focus", up, async () => (await focused.count()) > 0);
    await act("the difference", () => page.keyboard.press("Enter"), removed);
    await page
      .locator(".monaco-diff-editor .view-line", {
        hasText: "gpu.wait async [%",
      })
      .first()
      .waitFor();
    await shot("pass-difference");
  },

  /** Of 20,000 lines, the pass that made one stream of two is what the view shows at once. */
  async "passes-large"() {
    await open("large_dump.mlir");
    const row = (text) => page.locator(".pane-body .monaco-list-row", { hasText: text });
    const asked = Date.now();
    await command("GPU Async: Show What Each Pass of This Dump Did");
    // Nobody has scrolled: passes without a change stand above and below.
    await row("-1 stream").first().waitFor();
    await row("begins: This gpu.wait destroys the stream of %0 twice").first().waitFor();
    console.log(`passes after ${Date.now() - asked} ms`);
    await widerSideBar();
    const removed = page.locator(".monaco-diff-editor .line-delete");
    await click(row("-1 stream"), removed);
    await page.locator(".monaco-diff-editor .view-line", { hasText: "gpu.wait async [%" }).first().waitFor();
    await shot("passes-large");
  },

  async streams() {
    await open("two_streams.mlir");
    const copy = webview().locator("[data-line='4']");
    await command("GPU Async: Show Streams", copy);
    // In what the side bar leaves, the toolbar has a line for what is shown, and one for how.
    const tops = await webview()
      .locator(".group")
      .last()
      .evaluate((group) => [...group.children].map((each) => each.getBoundingClientRect()));
    assert.ok(tops.every(({ top, bottom }) => top < tops[0].bottom && bottom > tops[0].top));
    await hideSideBar(); // it makes room for the picture
    await narrowerSource();
    await shot("streams");
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
    await click(copy, cursorAt(5));
    // Text is as large as the editor's at least, and the op of the cursor is marked.
    // The label is looked up by what measures it: the click draws anew, and a label of the old
    // picture, held from outside, has no font size.
    const height = await webview()
      .locator(".view")
      .evaluate((view) => {
        const text = view.querySelector(".op text.code");
        return text.getScreenCTM().a * parseFloat(getComputedStyle(text).fontSize);
      });
    assert.ok(height >= 13.9, `text of ${height} px`);
    await webview().locator(".op.current[data-line='4']").first().waitFor();
    // The line of the op under the pointer is marked in the source, and no longer once the pointer has left.
    const marked = page.locator(".view-overlays .cdr[class*='TextEditorDecorationType']");
    await act("a marked line", () => copy.hover({ timeout: 5000 }), marked);
    await act(
      "no marked line",
      () => webview().locator("input[type=search]").hover({ timeout: 5000 }),
      () => gone(marked),
    );
    // Of what is under the pointer, other streams are dimmed; what is looked for is marked.
    const head = webview().locator(".head[data-lane='1']").first();
    await act("a stream in sight", () => head.hover({ timeout: 5000 }), webview().locator(".op.dimmed"));
    await webview().locator("input[type=search]").fill("memcpy");
    await webview().locator(".op.hit").first().waitFor();
    await status.filter({ hasText: "LLVM 23" }).waitFor(); // with the focus in the picture, it is of the source
    await webview().locator("[role=status]", { hasText: "1 of" }).waitFor();
    await webview().locator("input[type=search]").fill("");
    // The same by keyboard.
    const wait = webview().locator("[data-line='2']").first();
    await act("the wait", () => wait.press("Enter", { timeout: 5000 }), cursorAt(3));
    // Arrows lead from op to op along a stream, and Escape back to the source.
    await page.locator(".monaco-editor.focused").waitFor(); // Enter has led there
    await act("the wait in focus", () => wait.focus({ timeout: 5000 }), webview().locator(":focus"));
    const lines = [];
    for (const key of ["ArrowDown", "ArrowDown", "ArrowUp"]) {
      await page.keyboard.press(key);
      lines.push(await webview().locator(":focus").getAttribute("data-line"));
    }
    assert.equal(lines[0], lines[2]);
    assert.equal(new Set(lines).size, 2);
    await page.keyboard.press("Escape");
    await page.locator(".monaco-editor.focused").waitFor();
    // It follows an edit.
    await focusOn("@pipeline");
    await goTo(2, 22); // behind the function's name
    await page.keyboard.type("_renamed");
    await webview().locator("text", { hasText: "@pipeline_renamed" }).first().waitFor();
    // While it cannot be read its picture stays.
    await page.keyboard.press("ArrowRight");
    await page.keyboard.type("x");
    const kept = webview().locator(".note", { hasText: "cannot be parsed now" });
    await kept.waitFor();
    await webview().locator("text", { hasText: "@pipeline_renamed" }).first().waitFor();
    await page.keyboard.press("Backspace");
    await gone(kept);
    // The same with more streams than colors, and with more than a screen takes.
    for (const count of shots ? [6, 20] : [20]) {
      writeFileSync(`${workspace}/streams${count}.mlir`, manyStreams(count));
      await showSideBar();
      await openAlso(`streams${count}.mlir`);
      await hideSideBar();
      await command("GPU Async: Show Streams", webview().locator(`.head[data-lane='${count - 1}']`));
      await accessible();
      await shot(`streams-${count}`);
    }
  },

  async run() {
    await open("doubling.mlir");
    await lens("Run on CPU", webview().locator("h1"));
    await outcome("ok").waitFor();
    await webview().locator("pre", { hasText: "84" }).first().waitFor();
    await shot("run");
  },

  /** Streams have one number and one color: in hints, the picture, and a run and its timeline, in all themes. */
  async "streams-agree"() {
    writeFileSync(`${workspace}/agree.mlir`, agreeing(7));
    await open("agree.mlir");
    await line("stream 6").waitFor(); // the hint at the last stream
    await command("GPU Async: Show Streams", webview().locator("svg text"));
    await unfold(7);
    const color = (locator, property) =>
      locator.evaluate((element, name) => getComputedStyle(element)[name], property);
    const heads = [];
    for (const number of Array(7).keys()) {
      const head = webview()
        .locator(`.head[data-lane='${number + 1}']`)
        .first();
      assert.match(await head.getAttribute("aria-label"), new RegExp(`^stream ${number}\\b`));
      heads.push(await color(head.locator("rect").first(), "fill"));
    }
    await focusOn("@main");
    await run({ "Contents of %h": "iota" }, outcome("ok"));
    const lanes = await webview().locator("svg text.lane").allTextContents();
    assert.equal(lanes.indexOf("stream 6"), lanes.indexOf("stream 0") + 6); // in the order of their numbers
    const axis = async () => webview().locator("svg text.mark").allTextContents();
    const marks = await axis();
    assert.ok(marks.length >= 2 && marks.every((mark) => /^[\d.]+ (µs|ms|s)$/.test(mark)), marks.join());
    const bars = webview().locator("svg .bar");
    for (const number of Array(7).keys()) {
      assert.ok(lanes.includes(`stream ${number}`), lanes.join());
      const bar = bars
        .and(webview().locator(`.lane${number % 6}`))
        .first()
        .locator("rect")
        .first();
      assert.equal(await color(bar, "fill"), heads[number], `stream ${number}`);
    }
    await webview().locator("svg text.mark").first().scrollIntoViewIfNeeded();
    // Of the wait for a stream an arrow leads from its last op; words say the same.
    const waits = bars.locator("rect").and(webview().getByLabel(/^wait for stream \d on host/));
    const wait = waits.first(); // of those in a pixel one is drawn
    await act("the arrow", () => wait.focus({ timeout: 5000 }), webview().locator(".arrow"));
    await webview()
      .locator(".timeline [role=status]", { hasText: /; after copy on stream \d/ })
      .waitFor();
    await shot("timeline-order");
    // Zoomed by keyboard, the axis has finer marks, and what had the focus keeps it.
    await act(
      "a finer axis",
      () => page.keyboard.press("+"),
      async () => String(await axis()) !== String(marks),
    );
    assert.equal(await wait.evaluate((bar) => bar === document.activeElement), true);
    await page.keyboard.press("0");
    await until("the whole axis", async () => String(await axis()) === String(marks));
    await click(webview().locator("button", { hasText: "Open in Perfetto" }), prompt);
    const told = page.locator(".notification-toast", { hasText: "Saved main.trace.json" });
    await act("the trace", () => page.keyboard.press("Enter"), told);
    const trace = JSON.parse(readFileSync(`${workspace}/main.trace.json`, "utf8")).traceEvents;
    assert.ok(trace.some(({ ph, name }) => ph === "X" && name === "wait for stream 6"));
    assert.ok(trace.some(({ ph }) => ph === "s"));
    for (const [name, theme] of [
      ["light", "Default Light Modern"],
      ["contrast", "Default High Contrast"],
    ]) {
      const before = await color(bars.locator("rect").first(), "fill");
      configure({ "workbench.colorTheme": theme });
      await until(
        "another color",
        async () => (await color(bars.locator("rect").first(), "fill")) !== before,
      );
      await shot(`timeline-7-${name}`);
      await accessible();
    }
  },

  /** 36 streams and 120 ops as lines, in half a window; they scroll with the source, and boxes come when zoomed in. */
  async "streams-compact"() {
    await page.setViewportSize({ width: 1600, height: 900 });
    writeFileSync(`${workspace}/many.mlir`, compactStreams(36, 3));
    await open("many.mlir");
    await hideSideBar();
    await command("GPU Async: Show Streams", webview().locator("svg text"));
    await unfold(36);
    const op = webview().locator(".op");
    assert.ok((await op.count()) >= 120, `${await op.count()} ops`);
    const [panel, lane, text] = await Promise.all([
      webview().locator(".view").boundingBox(),
      webview().locator(".head[data-lane='36']").first().boundingBox(),
      webview().locator(".op text.code").first().boundingBox(),
    ]);
    assert.ok(lane.x + lane.width < text.x, "lanes are left of the text");
    assert.ok(text.x + text.width <= panel.x + panel.width, "the text is in the panel");
    const lines = () => op.evaluateAll((all) => all.map((each) => Number(each.dataset.line)));
    const order = await lines();
    assert.deepEqual(
      order,
      [...order].sort((a, b) => a - b),
      "in the order of the source",
    );
    await shot("streams-compact");
    // What is at the top of the source is at the top of the picture.
    await focusOn("func.func @many");
    await goTo(90);
    await until("line 90 in sight", async () => {
      const place = await webview().locator(".op[data-line='89']").boundingBox();
      return place.y >= panel.y && place.y + place.height <= panel.y + panel.height;
    });
    // All of it is seen at once, and normal again.
    await click(webview().getByRole("button", { name: "Fit (0)" }), async () => {
      const svg = await webview().locator(".view > svg").boundingBox();
      return svg.height <= panel.height + 2;
    });
    await click(webview().getByRole("button", { name: /^1:1/ }), async () => {
      const svg = await webview().locator(".view > svg").boundingBox();
      return svg.height > panel.height;
    });
    // Nothing covers a line: the map of the whole stands beside the picture.
    const map = await webview().locator(".minimap").boundingBox();
    const seen = await webview().locator(".view").boundingBox();
    assert.ok(seen.x + seen.width <= map.x + 1);
    const boxes = webview().locator(".box");
    await act(
      "boxes",
      () => webview().getByRole("button", { name: "Zoom in (+)" }).click({ timeout: 5000 }),
      async () => (await boxes.count()) > 0,
    );
    await act(
      "lines",
      () => webview().getByRole("button", { name: "Zoom out (-)" }).click({ timeout: 5000 }),
      async () => (await op.count()) > 0,
    );
    for (const [name, theme] of [
      ["light", "Default Light Modern"],
      ["contrast", "Default High Contrast"],
    ]) {
      const body = webview().locator("body");
      configure({ "workbench.colorTheme": theme });
      await until(`a theme: ${name}`, async () => {
        const light = await brightness(body, "backgroundColor");
        return name === "light" ? light > 0.9 : light < 0.05;
      });
      await shot(`streams-compact-${name}`);
      await accessible();
    }
  },

  /** By keys alone: everywhere in a large picture, zoomed around what has the focus, and from file to file. */
  async "streams-keys"() {
    const keys = page.keyboard;
    writeFileSync(`${workspace}/many.mlir`, compactStreams(36, 3));
    await open("many.mlir");
    await command("GPU Async: Show Streams", webview().locator("svg text"));
    await unfold(36);
    const isBoxes = webview().getByLabel("Boxes"); // as the step before has left it
    await act("lines", () => isBoxes.uncheck({ timeout: 5000 }), webview().locator(".op"));
    const view = webview().locator(".view");
    const focused = view.locator(".op:focus, .box:focus");
    const at = async () => Number(await focused.getAttribute("data-line"));
    const isSeen = async () => {
      const [inner, outer] = [await focused.boundingBox(), await view.boundingBox()];
      // While boxes come in place of lines, nothing has the focus.
      return inner && inner.x < outer.x + outer.width && inner.y + inner.height <= outer.y + outer.height + 2;
    };
    const toOps = async () => {
      await keys.press("Control+2");
      for (let tabs = 0; tabs < 20 && !(await focused.count()); tabs++) await keys.press("Tab");
    };
    await act("an op", toOps, async () => (await focused.count()) > 0);
    // Tab leads into the picture, and out of it again; arrows lead from op to op.
    assert.equal(await view.locator("[tabindex='0']").count(), 1);
    const first = await at();
    await keys.press("End");
    await until("the last op", async () => (await at()) > first + 100 && (await isSeen()));
    const last = await at();
    await keys.press("PageUp");
    await until("a page up", async () => (await at()) < last - 5 && (await isSeen()));
    await keys.press("Home");
    await until("the first op", async () => (await at()) === first);
    // In a line of the compact picture, the right arrow leads to what is found there, and to its fixes.
    const fixes = view.locator(".fix:focus");
    const right = async () => {
      for (let left = 4; left > 0 && !(await fixes.count()); left--) await keys.press("ArrowRight");
    };
    await act("a link to fixes", right, async () => (await fixes.count()) > 0);
    await keys.press("End");
    // What has the focus keeps it, and stays in sight.
    for (let times = 0; times < 9; times++) {
      await keys.press("+");
      await until("the op in sight", async () => (await focused.count()) > 0 && isSeen());
    }
    await view.locator(".box:focus").waitFor();
    assert.equal(await at(), last);
    const frame = await webview().locator(".minimap .frame").boundingBox();
    assert.ok(frame.width >= 8 && frame.height >= 8, JSON.stringify(frame));
    // All of it is never painted at the size that it had: that would take long.
    const scale = await view.evaluate((element) => {
      document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "0", bubbles: true }));
      return Number(/scale\((.*)\)/.exec(element.querySelector("svg").style.transform)[1]);
    });
    assert.ok(scale >= 0.5, String(scale));
    await keys.press("1");
    await until("the op in sight", isSeen);
    await shot("streams-keys");
    // What is found is reached from the field.
    await keys.press("/");
    await webview().locator("input[type=search]:focus").waitFor();
    await keys.type("memcpy");
    await webview().locator("[role=status]", { hasText: "1 of" }).waitFor();
    await keys.press("ArrowDown");
    await view.locator(".hit.now:focus").waitFor();
    // It follows the active file unless it is locked.
    const shows = (name) => webview().locator("svg text", { hasText: name }).first().waitFor();
    await keys.press("Escape");
    await page.locator(".monaco-editor.focused").waitFor(); // a file opens where the focus is
    await openAlso("two_streams.mlir");
    await shows("@pipeline");
    const tab = page.locator(".tab", { hasText: "Streams: two_streams.mlir (locked)" });
    await command("GPU Async: Toggle Locking of the Streams", tab);
    await openAlso("doubling.mlir");
    await ready();
    await tab.waitFor();
    await shows("@pipeline");
    await command(
      "GPU Async: Toggle Locking of the Streams",
      page.locator(".tab", { hasText: /: doubling/ }),
    );
    await shows("@main");
  },

  /** Zooming and moving a large picture touches no part of it but the one that holds all others. */
  async "streams-zoom"() {
    writeFileSync(`${workspace}/zoomed.mlir`, manyOps(30, 7));
    await open("zoomed.mlir");
    await command("GPU Async: Show Streams", webview().locator("svg text"));
    await unfold(30);
    await hideSideBar();
    const boxed = webview().locator(".box").first();
    await act("boxes", () => webview().getByLabel("Boxes").check({ timeout: 5000 }), boxed);
    const view = webview().locator(".view");
    const box = await view.boundingBox();
    // Beside the ops: what the pointer rests on is followed, and with it others are dimmed.
    await page.mouse.move(box.x + 12, box.y + box.height / 2);
    /** Turns the wheel as often as that; how often the picture was moved, and how many parts were changed. */
    const turn = async (times, wheel) => {
      await view.evaluate((element) => {
        const state = { changed: 0, moved: 0 };
        window.measured = state;
        const svg = element.querySelector("svg");
        state.observer = new MutationObserver((all) => {
          for (const { target } of all) state[target === svg ? "moved" : "changed"]++;
        });
        state.observer.observe(svg, { attributes: true, childList: true, subtree: true });
      });
      for (let turn = 0; turn < times; turn++) {
        await wheel(turn);
      }
      return view.evaluate(() => {
        window.measured.observer.disconnect();
        const { changed, moved } = window.measured;
        return { changed, moved };
      });
    };
    await page.keyboard.down("Control");
    const zoomed = await turn(12, (turn) => page.mouse.wheel(0, turn < 6 ? -60 : 60));
    await page.keyboard.up("Control");
    const moved = await turn(12, (turn) => page.mouse.wheel(0, turn < 6 ? 60 : -60));
    // The picture is moved as it was painted: no part of it changes, though hundreds of races are drawn.
    assert.ok((await webview().locator(".race").count()) > 100);
    for (const done of [zoomed, moved]) {
      assert.ok(done.moved > 0 && done.changed === 0, JSON.stringify(done));
    }
    // Once the zoom rests it is painted at that scale.
    await page.keyboard.down("Control");
    await page.mouse.wheel(0, -300);
    await page.keyboard.up("Control");
    const stretched = () => view.evaluate((element) => element.querySelector("svg").style.transform);
    await until("a sharp picture", async () => /scale\(1\)/.test(await stretched()));
    await act(
      "all of it",
      () => webview().getByRole("button", { name: "Fit (0)" }).click({ timeout: 5000 }),
      async () => /scale\(1\)/.test(await stretched()),
    );
    // All of it: its lower right corner is in the panel.
    const panel = await view.boundingBox();
    const fitted = await view.locator("svg").first().boundingBox();
    assert.ok(fitted.x + fitted.width <= panel.x + panel.width + 2 && fitted.height <= panel.height + 2);
    await shot("streams-30");
    await page.keyboard.press("1"); // text as large as the editor's
    await webview().locator(".minimap:visible").waitFor();
    // Of so many races those of the op that has the focus are shown.
    const seen = webview().locator(".race:visible");
    await until("no race in sight", async () => (await seen.count()) === 0);
    const racing = webview().locator(".box:has(.sign)").first();
    await act("its races", () => racing.focus({ timeout: 5000 }), seen);
    const itsLine = await racing.getAttribute("data-line");
    const between = await seen.evaluateAll((all) => all.map((race) => race.dataset.between.split(" ")));
    assert.ok(between.length < 100 && between.every((lines) => lines.includes(itsLine)), String(between));
    // The map of the whole leads anywhere.
    const map = await webview().locator(".minimap").boundingBox();
    const far = async () => (await webview().locator(".minimap .frame").boundingBox()).y;
    const before = await far();
    await act(
      "the end of the picture",
      () => page.mouse.click(map.x + map.width - 8, map.y + map.height - 8),
      async () => (await far()) > before + 20,
    );
    // The heads of the streams that go on there are in sight.
    await webview().locator(".heads .head:visible", { hasText: "stream 29" }).waitFor();
    await accessible(); // of what is out of sight as well
    await shot("streams-heads");
  },

  /** Closing all editors is no error, and takes their problems away. */
  async "close-all"() {
    await openRefused();
    await openAlso("two_streams.mlir");
    const problems = page.locator("#status\\.problems");
    const errors = async () => Number(/\d+/.exec(plain(await problems.innerText()))[0]);
    await until("problems", async () => (await errors()) > 0);
    await command("View: Close All Editors", () => gone(page.locator(".tab")));
    await until("no problems", async () => (await errors()) === 0);
    // Once the server has answered about another file, a complaint, or a problem, would be there.
    await openAlso("doubling.mlir");
    await page.locator(".codelens-decoration").first().waitFor();
    assert.equal(await errors(), 0);
    assert.equal(await page.locator(".notification-toast").count(), 0);
  },

  /** Lines typed key by key, where the editor indents and whoever types corrects that, are what is there afterwards. */
  async typing() {
    const lines = values.typed;
    writeFileSync(`${workspace}/typed.mlir`, "// module\n");
    await open("two_streams.mlir");
    await ready();
    await openAlso("typed.mlir");
    // A file without indentation has that of MLIR.
    await page.locator("#status\\.editor\\.indentation", { hasText: "Spaces: 2" }).waitFor();
    await focusOn("// module");
    await page.keyboard.press("Control+End");
    let before = "";
    for (const text of lines) {
      if (before) await page.keyboard.press("Enter");
      const width = (each) => each.length - each.trimStart().length;
      const given = width(before) + (/[{(]$/.test(before) ? 2 : 0);
      for (let more = given; more < width(text); more++) await page.keyboard.press("Space");
      for (let less = given; less > width(text); less -= 2) await page.keyboard.press("Backspace");
      await page.keyboard.type(text.trim());
      before = text;
    }
    await page.keyboard.press("Control+S");
    const found = () => readFileSync(`${workspace}/typed.mlir`, "utf8").split("\n").slice(1);
    await until("the text on disk", () => found().length > lines.length);
    assert.deepEqual(found().slice(0, lines.length), lines);
    // Behind it are the braces that the editor closed, and nothing else.
    assert.match(found().slice(lines.length).join(""), /^[ }]*$/);
  },

  /** The RUN lines of a test: what failed is at its line, and what was printed beside the file. */
  async "run-lines"() {
    await open("lit_test.mlir");
    await lens("Run this test", page.locator(".tab", { hasText: "lit_test.mlir (test)" }));
    await line("FAIL: lit_test.mlir", 1).waitFor();
    await line("closest, line 5 of the output", 1).waitFor();
    await focusOn("CHECK-NEXT: gpu.wait async");
    const failed = page.locator(".markers-panel .monaco-list-row", { hasText: "gpuasync test" }).first();
    await command("Problems: Focus on Problems View", failed);
    await failed.filter({ hasText: "Ln 6" }).waitFor();
    await shot("run-lines");
    // The checks are written when the user says so.
    await focusOn("CHECK-NEXT: gpu.wait async");
    await chooseAction("Update the failing CHECK lines", line("CHECK: gpu.wait [%[["));
    await shot("run-lines-updated");
    const nothing = page.locator(".notification-toast", { hasText: "no CHECK line fails" });
    await command("GPU Async: Update the CHECK Lines of This Test", nothing);
    // A preview shows what its RUN line's passes make of it, and says so; so does the status item.
    await focusOn("func.func @upload(");
    const preview = async () => {
      await page.keyboard.press("Control+K");
      await page.keyboard.press("V");
    };
    await act("a preview", preview, line("gpu.wait [%1]", 1));
    await page.locator(".codelens-decoration", { hasText: "passes of the RUN line on line 1" }).waitFor();
    await click(line("gpu.wait [%1]", 1), status.filter({ hasText: "LLVM 23" }));
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
    await act(
      "the end of the run",
      () => cancel.click({ timeout: 5000 }),
      webview().locator("[role=status]", { hasText: "cancelled" }),
    );
    await until("no process", () => running() === "");
  },

  /** The host waits for a kernel that never ends: it is said for which stream, and what runs there. */
  async "run-waiting"() {
    await open("long_kernel.mlir");
    const cancel = webview().locator("button", { hasText: "Cancel" });
    const said = (text) => webview().locator("[role=status]", { hasText: text });
    await lens("Run on CPU", cancel);
    await said("waiting for stream 2, line 13: running on stream 2, line 9").waitFor();
    await act("the end of the run", () => cancel.click({ timeout: 5000 }), said("cancelled"));
    await until("no process", () => running() === "");
  },

  /** What a run finds is in the report, and at its lines until the file changes. */
  async "run-findings"() {
    rmSync(`${workspace}/refused_copy.mlir`); // it has problems of its own
    await open("racing_kernels.mlir");
    await page.locator(".codelens-decoration").first().waitFor();
    const name = await firstArgument();
    await run({ [`Contents of ${name}`]: "random", [`Seed of ${name}`]: "7" }, outcome("ok, 1 warning"));
    await webview()
      .locator(".finding", { hasText: "data-race" })
      .locator("a", { hasText: "line 15" })
      .waitFor();
    await webview().locator(".finding .related a", { hasText: "line 11" }).waitFor();
    await command("Problems: Focus on Problems View", page.locator(".markers-panel:visible"));
    // A rule says so of the same line: there is one entry.
    const races = page.locator(".markers-panel .monaco-list-row", { hasText: "Ln 15" });
    await races.filter({ hasText: "GA301" }).first().waitFor();
    const other = page.locator(".markers-panel .monaco-list-row", { hasText: "Ln 11" }).first();
    await other.waitFor();
    assert.equal(await races.count(), 1);
    await shot("run-findings");
    await act("line 11", () => other.dblclick({ timeout: 5000 }), cursorAt(11));
  },

  /** A race inside a kernel stands at both lines, and each names both threads. */
  async "run-kernel-race"() {
    rmSync(`${workspace}/refused_copy.mlir`); // it has problems of its own
    await open("racing_threads.mlir");
    await run({ [`Contents of ${await firstArgument()}`]: "random" }, outcome("findings"));
    const told = webview().locator(".finding", { hasText: "reads element [31]" });
    const text = await told.innerText();
    const threads = [...text.matchAll(/thread (\(\d+, 0, 0\)) of block/g)].map((found) => found[1]);
    assert.equal(new Set(threads).size, 2, text);
    await told.locator(".related a", { hasText: "line 13" }).waitFor();
    await told.locator("a", { hasText: "line 15" }).first().waitFor();
    await command("Problems: Focus on Problems View", page.locator(".markers-panel:visible"));
    const rows = page.locator(".markers-panel .monaco-list-row");
    const writing = rows.filter({ hasText: "kernel-race" }).filter({ hasText: "writes element [32]" });
    await writing.filter({ hasText: "Ln 13" }).waitFor();
    for (const thread of threads) assert.ok(plain(await writing.innerText()).includes(`thread ${thread}`));
    const reading = rows.filter({ hasText: "thread (31, 0, 0) of block (0, 0, 0) reads it here" });
    await reading.filter({ hasText: "Ln 15" }).first().waitFor();
    await shot("run-kernel-race");
    await act("line 15", () => reading.first().dblclick({ timeout: 5000 }), cursorAt(15));
    await page.keyboard.press("End");
    await act(
      "no race in another text",
      () => page.keyboard.type(" "),
      () => gone(writing),
    );
  },

  async "run-arguments"() {
    await open("copy_argument.mlir");
    await hideSideBar(); // it makes room for the page
    await page.locator(".codelens-decoration").first().waitFor();
    const cell = (text) => webview().locator("table td", { hasText: text });
    // By keyboard alone: the form has the focus when it asks, and Run keeps it.
    const focused = (what) => webview().locator(`${what}:focus`).waitFor();
    await command("GPU Async: Run on CPU", webview().locator("select[aria-label='Contents of %from']:focus"));
    await page.keyboard.press("Tab");
    await focused("select[aria-label='Contents of %to']");
    await page.keyboard.type("zeros");
    await page.keyboard.press("Tab");
    await focused("select[aria-label='Device']");
    await page.keyboard.press("Tab");
    await focused("button[name='run']");
    await page.keyboard.press("Enter");
    await cell("11").first().waitFor();
    await focused("button[name='run']");
    await webview().locator("canvas").first().waitFor();
    await shot("run-arguments");
    await accessible();
    // The timeline leads to the source.
    const copy = webview().locator("svg [data-line='4']").first();
    await copy.scrollIntoViewIfNeeded();
    await shot("timeline");
    await click(copy, cursorAt(5));
    // An array of NumPy's, and random numbers of a seed.
    writeFileSync(`${workspace}/given.npy`, npy([3, 4], [9.5, ...Array(11).fill(0)]));
    await fillIn({ "Contents of %from": "file", "Contents of %to": "random", "Seed of %to": "7" });
    const browse = webview().locator("button", { hasText: "Browse…" });
    await click(browse, choice("given.npy"));
    await page.keyboard.press("Escape");
    await webview().locator("button[aria-label='Browse… for the file of %from']:focus").waitFor();
    await click(browse, choice("given.npy"));
    await pick("given.npy", async () =>
      /given\.npy$/.test(await webview().getByLabel("File of %from", { exact: true }).inputValue()),
    );
    await start(cell("9.5"));
    // The results are compared with those of the run before, and with a file.
    const compare = (other, effect) => {
      const list = webview().getByLabel("compare %from with", { exact: true });
      return act(`a comparison: ${other}`, () => list.selectOption(other, { timeout: 5000 }), effect);
    };
    const compared = webview().locator(".compared");
    await compare("previous", compared.filter({ hasText: "12 of 12 elements differ from the previous run" }));
    await webview().locator("td.different[title='was 0']", { hasText: "9.5" }).first().waitFor();
    await webview().locator("figcaption", { hasText: "difference: " }).first().scrollIntoViewIfNeeded();
    await shot("run-compared");
    await accessible();
    await compare("file", choice("given.npy"));
    await pick("given.npy", compared.filter({ hasText: "Equal to given.npy in 12 elements" }));
    await compare("", () => gone(compared));
    // What was filled in is remembered: the command runs at once.
    rmSync(`${workspace}/given.npy`);
    await focusOn("gpu.dealloc");
    await command("GPU Async: Run on CPU", outcome("refused"));
    // Of a large array only what is seen is there, with its true indices.
    await showSideBar();
    await openAlso("large_array.mlir");
    await run({ "Contents of %from": "iota", "Size of %from": "1024" }, outcome("ok"));
    await webview()
      .locator(".scroll")
      .first()
      .evaluate((region) => region.scrollTo(region.scrollWidth, region.scrollHeight));
    await webview()
      .locator("th[scope=row]", { hasText: /^1008$/ })
      .first()
      .waitFor();
    await webview()
      .locator("td", { hasText: /^1023$/ })
      .first()
      .waitFor();
    const cells = await webview().locator("td").count();
    assert.ok(cells < 1024, `${cells} cells`);
    // A column is as wide as its numbers need.
    const { width } = await webview()
      .locator("td", { hasText: /^1023$/ })
      .boundingBox();
    assert.ok(width < 60, `${width} pixels`);
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
    await status.filter({ hasText: "LLVM 23" }).waitFor();
    await ready();
    // What the server found in a configuration file, as soon as there is one.
    writeFileSync(`${workspace}/gpuasync.toml`, "llvm = 22\n");
    await status.filter({ hasText: "LLVM 22" }).waitFor();
    const holds = page.locator(".quick-input-title", { hasText: "for …" });
    await click(status, choice("LLVM"));
    await pick("LLVM 19", holds.filter({ hasText: "LLVM 19" }));
    await shot("version-place");
    await pick("This workspace", status.filter({ hasText: "LLVM 19" }));
    await until("the setting", () =>
      /"gpuasync.llvm": 19/.test(readFileSync(`${workspace}/.vscode/settings.json`, "utf8")),
    );
    await click(status, choice("LLVM"));
    await pick("As the file specifies", holds);
    await pick("This workspace", status.filter({ hasText: "LLVM 22" }));
    await click(status, choice("LLVM"));
    await pick("LLVM 20", holds);
    await pick("This folder", status.filter({ hasText: "LLVM 20" }));
    assert.equal(readFileSync(`${workspace}/gpuasync.toml`, "utf8"), "llvm = 20\n");
    await click(status, choice("LLVM"));
    await pick("LLVM 21", holds);
    await pick("This file", line("// gpuasync: llvm=21"));
    await status.filter({ hasText: "LLVM 21" }).waitFor();
  },

  async crash() {
    await openRefused();
    // Whatever starts spins; only what does not run warns.
    await status.evaluate((item) => {
      window.icons = new Set();
      const look = () => {
        for (const icon of item.parentElement.querySelectorAll(".codicon")) window.icons.add(icon.className);
      };
      new MutationObserver(look).observe(item.parentElement, {
        childList: true,
        subtree: true,
        attributes: true,
      });
    });
    const pid = () => Number(readFileSync(process.env.GPUASYNC_PID_FILE, "utf8"));
    const first = pid();
    process.kill(first, "SIGKILL");
    await until("a new server", () => pid() !== first);
    await ready();
    await fix(); // the new server knows the document
    const second = pid();
    process.kill(second, "SIGSTOP"); // a server that hangs does not delay the next one for long
    await command("GPU Async: Restart the Language Server");
    await until("another server", () => pid() !== second);
    await ready();
    const icons = await page.evaluate(() => [...window.icons].join(" "));
    assert.match(icons, /codicon-loading/);
    assert.doesNotMatch(icons, /codicon-warning/);
    await focusOn("gpu.memcpy");
    await act("the error", () => page.keyboard.press("Control+Z"), page.locator(".squiggly-error"));
    const log = page.locator(".part.panel .view-line", { hasText: "starting" });
    await command("GPU Async: Show the Log", log);
  },

  /** Preview, streams and run are there after a reload; after a rename all are of the file as it is called now. */
  async "reload-rename"() {
    await open("copy_argument.mlir");
    await run({ "Contents of %from": "ones", "Contents of %to": "zeros" }, outcome("ok"));
    await focusOn("func.func");
    await openAlso("two_streams.mlir");
    await hideSideBar();
    await command("GPU Async: Preview Lowering to the Side", line("= memref(%", 1));
    const streams = () => page.locator(".tab", { hasText: "Streams: " });
    await command("GPU Async: Show Streams", webview().locator("svg text"));
    await act(
      "boxes",
      () => webview().getByLabel("Boxes").check({ timeout: 5000 }),
      webview().locator(".box"),
    );
    await reload();
    await webview().locator(".box").first().waitFor(); // as it was
    await click(
      page.locator(".tab", { hasText: "Run: " }),
      webview().locator(".state", { hasText: "reloaded" }),
    );
    assert.equal(await webview().getByLabel("Contents of %from", { exact: true }).inputValue(), "ones");
    await start(outcome("ok"));
    await command("View: Close Editor", () => gone(page.locator(".tab", { hasText: "Run: " })));
    await click(page.locator(".tab", { hasText: "(lowered)" }), line("= memref(%", 1));
    await ready();
    await focusOn("@pipeline");
    await showSideBar();
    const row = (name) => explorer.locator(".monaco-list-row", { hasText: name });
    const input = explorer.locator("input");
    await click(row("two_streams.mlir"), page.locator(".tab.active", { hasText: "two_streams.mlir" }));
    await act("a field for the name", () => row("two_streams.mlir").press("F2", { timeout: 5000 }), input);
    await input.fill("other.mlir");
    await page.keyboard.press("Enter");
    await page.locator(".tab", { hasText: "other (lowered)" }).waitFor();
    await streams().filter({ hasText: "other.mlir" }).waitFor();
    await gone(page.locator(".tab", { hasText: "two_streams" }));
    await focusOn("@pipeline");
    await goTo(2, 22);
    await page.keyboard.type("_renamed");
    await click(page.locator(".tab", { hasText: "(lowered)" }), line("@pipeline_renamed", 1));
    await click(streams(), webview().locator("svg text", { hasText: "@pipeline_renamed" }));
    assert.equal(await page.locator(".notification-toast").count(), 0);
  },

  /** Preview, streams, a run and passes by keys alone, in high contrast: the mouse is not touched. */
  async keyboard() {
    const keys = page.keyboard;
    const list = async (key, text) => {
      await keys.press("Escape");
      await keys.press(key);
      await prompt.locator("input").first().waitFor({ timeout: 5000 });
      await keys.insertText(text);
      await page.locator(".quick-input-list .monaco-list-row.focused").first().waitFor({ timeout: 5000 });
      await keys.press("Enter");
    };
    const run = (text, effect) => act(text, () => list("F1", text), effect);
    const openByName = (name) =>
      act(name, () => list("Control+P", name), page.locator(".tab.active", { hasText: name }));
    const chord = async (last) => {
      await keys.press("Control+K");
      await keys.press(last);
    };
    configure({ "workbench.colorTheme": "Default High Contrast" });
    await openFolder();
    await openByName("two_streams.mlir");
    await status.filter({ hasText: "LLVM" }).waitFor();
    await run("View: Focus Active Editor Group", page.locator(".monaco-editor.focused"));
    await act("the preview", () => chord("V"), line("= memref(%", 1));
    const inPreview = page.locator(".editor-group-container.active .tab.active", { hasText: "(lowered)" });
    await act("the focus in the preview", () => keys.press("Control+2"), inPreview);
    await act("its choices", () => chord("V"), choice(/folded/));
    await keys.insertText("folded");
    await keys.press("Enter");
    await page.locator(".tab", { hasText: "every op" }).waitFor();
    await shot("keyboard-preview");
    // Into the streams, along them, and back to a line of the source.
    await keys.press("Control+1");
    await run("GPU Async: Show Streams", webview().locator(".op"));
    const op = webview().locator(".op:focus");
    const toOps = async () => {
      await keys.press("Control+2");
      for (let tabs = 0; tabs < 20 && !(await op.count()); tabs++) await keys.press("Tab");
    };
    await act("an op in focus", toOps, async () => (await op.count()) > 0);
    await keys.press("ArrowDown");
    await shot("keyboard-streams");
    const at = Number(await op.getAttribute("data-line"));
    assert.match((await op.getAttribute("aria-label")) ?? "", /\w/);
    await keys.press("Enter");
    await cursorAt(at + 1).waitFor();
    await openByName("doubling.mlir");
    await run("GPU Async: Run on CPU", outcome("ok"));
    await shot("keyboard-run");
    // Into the page of the run and back.
    const inRun = page.locator(".editor-group-container.active .tab.active", { hasText: "Run: " });
    await act("the focus in the run", () => keys.press("Control+2"), inRun);
    const button = webview().locator("button[name='run']:focus");
    const toRun = async () => {
      for (let tabs = 0; tabs < 8 && !(await button.count()); tabs++) await keys.press("Tab");
    };
    await act("the button in focus", toRun, button);
    await keys.press("Escape");
    await page.locator(".editor-group-container.active .tab.active", { hasText: "doubling.mlir" }).waitFor();
    await page.locator(".monaco-editor.focused").waitFor();
    // The pass that made one stream of two, and its difference.
    await openByName("passes.mlir");
    const pass = page.locator(".pane-body .monaco-list-row", { hasText: "-1 stream" });
    await run("GPU Async: Show What Each Pass of This Dump Did", pass);
    await run("Focus on Passes View", page.locator(".pane-body .monaco-list:focus"));
    const focused = page.locator(".pane-body .monaco-list-row.focused", { hasText: "-1 stream" });
    const up = async () => {
      await keys.press("End");
      for (let left = 8; left > 0 && !(await focused.count()); left--) await keys.press("ArrowUp");
    };
    await act("the pass in focus", up, async () => (await focused.count()) > 0);
    await act("the difference", () => keys.press("Enter"), page.locator(".monaco-diff-editor .line-delete"));
    await shot("keyboard-passes");
  },

  /** Two windows have a server each: one that is killed and restarted disturbs the other one not. */
  async "two-windows"() {
    await openRefused();
    const pid = () => Number(readFileSync(process.env.GPUASYNC_PID_FILE, "utf8"));
    const ours = pid();
    const other = await page.context().newPage();
    other.setDefaultTimeout(240_000);
    await other.goto(url.replace(workspace, values.other), { waitUntil: "commit" });
    const theirs = other.locator(".explorer-folders-view .monaco-list-row", { hasText: "theirs.mlir" });
    await theirs.dblclick({ timeout: 240_000 });
    await other.locator(".squiggly-error").first().waitFor();
    assert.notEqual(pid(), ours);
    await page.bringToFront();
    await command("GPU Async: Restart the Language Server");
    await until("another server", () => pid() !== ours && !existsSync(`/proc/${ours}`));
    await ready();
    await fix();
    await other.bringToFront();
    await other.locator(".squiggly-error").first().waitFor();
    await other.close();
  },

  /** Each folder of a workspace has its own configuration, one of a name, and files that come and go. */
  async folders() {
    await page.goto(`${new URL(url).origin}/?workspace=${workspace}/both.code-workspace`, {
      waitUntil: "commit",
    });
    await page.locator(".monaco-workbench").waitFor();
    const openByName = async (name, folder) => {
      await page.keyboard.press("Escape");
      await act(
        `${name} of ${folder}`,
        async () => {
          await page.keyboard.press("Control+P");
          await prompt.locator("input").first().fill(`${folder}/${name}`, { timeout: 5000 });
          await choice(name).first().click({ timeout: 5000 });
        },
        page.locator(".tab.active", { hasText: name }),
      );
    };
    await openByName("old.mlir", "first");
    await status.filter({ hasText: "LLVM 19" }).waitFor();
    await openByName("new.mlir", "second");
    await status.filter({ hasText: "LLVM 22" }).waitFor();
    writeFileSync(`${workspace}/second/gpuasync.toml`, "llvm = 24\n");
    await status.filter({ hasText: "LLVM 24" }).waitFor();
    await openByName("old.mlir", "first");
    await status.filter({ hasText: "LLVM 19" }).waitFor();
  },

  /** Where no setting names a server, that of the selected environment is started, also when another one is. */
  async interpreter() {
    await openRefused();
    writeFileSync(values.settings, "{}");
    await until("the server of the selected environment", () => existsSync(values.selected));
    await ready();
    assert.ok(!existsSync(values.second));
    await command("Python: Select the Other Interpreter");
    await until("the server of the other environment", () => existsSync(values.second));
    await ready();
    await fix();
  },

  /** Every step of the walkthrough does what it says, from its link, and is ticked off. */
  async walkthrough() {
    await open("two_streams.mlir");
    await hideSideBar();
    await command("Welcome: Open Walkthrough", choice("Asynchronous GPU code in MLIR"));
    await pick("Asynchronous GPU code in MLIR", page.locator(".step-title"));
    const part = (id) => page.locator(`[data-step-id$="#start#${id}"]`);
    const done = (id) => part(id).locator(".codicon-getting-started-step-checked").waitFor();
    const follow = async (id, effect) => {
      const link = part(id).locator(".step-description-container a");
      await click(part(id).locator(".step-title"), link);
      await click(link, effect);
    };
    await done("install"); // a server runs
    await follow("open", page.locator(".squiggly-error"));
    await done("open");
    await shot("walkthrough");
    await focusOn("gpu.memcpy");
    await goTo(14, 30);
    await chooseAction(/depend/i, part("fix").locator(".codicon-getting-started-step-checked"));
    await follow("preview", line("mgpuStreamCreate", 1));
    await done("preview");
    await follow("streams", webview().locator("[data-line='13']"));
    await done("streams");
    await follow("run", () => appears(outcome("ok on cpu"), 30_000));
    await done("run");
  },

  async untrusted() {
    await openUntrusted();
    // Diagnosis works, with the server inside the extension ...
    await page.locator(".squiggly-error").first().waitFor();
    // ... and nothing that runs is offered.
    const found = await rows("GPU Async:");
    await found.filter({ hasText: "Preview Lowering to the Side" }).first().waitFor();
    assert.equal(await found.filter({ hasText: "Run on" }).count(), 0);
    assert.equal(await found.filter({ hasText: "Install the Language Server" }).count(), 0);
    await shot("untrusted");
    await page.keyboard.press("Escape");
    // Above a function it is: it says why not, and leads to where that is decided.
    const toast = page.locator(".notification-toast", { hasText: "run only in trusted workspaces" });
    await lens("Run on CPU", toast);
    await shot("untrusted-run");
    await click(
      toast.locator(".monaco-button", { hasText: "Manage Trust" }),
      page.locator(".workspace-trust-editor"),
    );
  },

  /** The first run offers to install what it lacks; then it goes on. */
  async "bundled-run"() {
    await open("doubling.mlir");
    const offer = page.locator(".monaco-dialog-box", {
      hasText: "llvmlite and NumPy",
    });
    const agree = () =>
      click(offer.locator(".monaco-button", { hasText: "Install and Run" }), () => gone(offer));
    await lens("Run on CPU", offer);
    await agree();
    await page.locator(".notification-toast", { hasText: "Run `apt install python3.11-venv`" }).waitFor();
    await command("Notifications: Clear All Notifications");
    rmSync(values.lacks);
    await lens("Run on CPU", offer);
    await shot("install");
    await agree();
    await outcome("ok").waitFor({ timeout: 240_000 });
    await webview().locator("pre", { hasText: "84" }).first().waitFor();
  },

  async "wrong-settings"() {
    const choose = (program) => {
      writeFileSync(values.settings, JSON.stringify({ "gpuasync.serverPath": program }));
    };
    await open("refused_copy.mlir");
    const toast = (text) => page.locator(".notification-toast", { hasText: text });
    await toast("serverPath names no program").waitFor();
    assert.equal(await page.locator(".notification-toast").count(), 1);
    choose(undefined);
    await toast("needs Python 3.11 or later").waitFor();
    // Highlighting works without the server: a line is made of differently colored parts.
    assert.ok((await colors("gpu.memcpy")) >= 4);
    await shot("no-python");
    choose(values.old);
    await page.locator(".squiggly-error").first().waitFor();
    await toast("gpuasync-lsp is 0.0.1, this extension").waitFor();
    await shot("versions");
    choose(values.server);
    await gone(page.locator(".squiggly-error"), 120_000); // of the server before
    await page.locator(".squiggly-error").first().waitFor();
    await ready();
  },

  /** LLVM's extension without a server answers nothing: definitions and all else come from here. */
  async "beside-llvm"() {
    await openRefused();
    // What the grammar alone colors; LLVM's stand-in knows one color.
    assert.equal(await colors("module attributes"), 1, "the grammar is not LLVM's");
    await focusOn("gpu.memcpy");
    await goTo(7, 30); // on %t1
    await act("the definition", () => page.keyboard.press("F12"), cursorAt(5));
    await fix();
    await saidOfLlvm("does not answer: GPU Async answers everything");
    await suggested(11, "%t9 = gpu.mem", "memcpy", "beside-completion");
  },

  /** LLVM's server answers what both can, and of a fault that both report there is one entry. */
  async "beside-llvm-server"() {
    await reload(); // LLVM's extension takes its settings when it starts
    await openRefused();
    await focusOn("gpu.memcpy");
    await goTo(7, 30); // on %t1
    // From both there would be a list of two.
    await act("the definition", () => page.keyboard.press("F12"), cursorAt(5));
    assert.equal(await page.locator(".peekview-widget").count(), 0);
    await saidOfLlvm("LLVM's extension answers definitions");
    await fix();
    await openAlso("unknown_name.mlir");
    await command("Problems: Focus on Problems View", page.locator(".markers-panel:visible"));
    const problems = page.locator(".markers-panel .monaco-list-row", { hasText: "undeclared SSA value" });
    await until("LLVM's entry alone", async () => {
      const texts = (await problems.allInnerTexts()).map(plain);
      return texts.length === 1 && !texts[0].includes("GA00");
    });
    await shot("beside-llvm-problems");
    await suggested(4, "%t9 = gpu.mem", "memcpy", "beside-llvm-completion");
  },
};

/** Runs a step, and returns whether it passed. */
async function pass(step, source) {
  try {
    assert.ok(steps[step], `no step ${step}`);
    if (page.url() !== "about:blank") await clear();
    fill(source);
    const begun = performance.now();
    await steps[step]();
    const complaints = page.locator(".notification-toast:has(.codicon-error)");
    assert.deepEqual(await complaints.allInnerTexts(), []);
    console.log(`PASS ${step}, ${((performance.now() - begun) / 1000).toFixed(1)} s`);
    return true;
  } catch (error) {
    const path = `${process.env.GPUASYNC_FAILURES}/failed-${step}.png`;
    console.log(`FAIL ${step}: ${error.stack}\nscreenshot: ${path}`);
    await page.screenshot({ path });
    return false;
  }
}

let passed = true;
for await (const test of createInterface({ input: process.stdin })) {
  const { steps: names, source, values: given } = JSON.parse(test);
  values = given;
  for (const name of names) passed &&= await pass(name, source);
  if (!passed) break;
  console.log("DONE");
}
await browser.close();
process.exit(passed ? 0 : 1);
