/** The playground: an editor, the language server in a worker, and its reports. */
import { acceptCompletion, closeBrackets, closeBracketsKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { bracketMatching } from "@codemirror/language";
import { lintKeymap, nextDiagnostic, previousDiagnostic } from "@codemirror/lint";
import {
  findReferencesKeymap,
  formatDocument,
  formatKeymap,
  hoverTooltips,
  jumpToDefinitionKeymap,
  LSPClient,
  renameKeymap,
  serverCompletion,
  signatureHelp,
} from "@codemirror/lsp-client";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { Compartment, EditorState } from "@codemirror/state";
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
} from "@codemirror/view";
import DOMPurify from "dompurify";
import type * as lsp from "vscode-languageserver-protocol";
import { connect } from "./connection";
import { decorate, decorations } from "./decorations";
import { messageOf, ours, type Problem, Program, rangeOf, severity, shownIn, URI } from "./document";
import { Explain } from "./explain";
import { BadLink, fromFragment, toFragment } from "./link";
import { link, linked, Lowering } from "./lowering";
import { looks } from "./mlir";
import { download, Picture } from "./picture";
import { button, byId, element, facts, MOST, reasonOf, type Shown, type Tab, TABS } from "./shared";
import { startWorker } from "./workers";

const THEMES = ["", "light", "dark"] as const;
const THEME_NAMES = { "": "as the system", light: "light", dark: "dark" };

const isEmbedded = new URLSearchParams(location.search).has("embed");
document.documentElement.classList.toggle("embed", isEmbedded);

// Links to the documentation open in a new tab, so that this page and the typed text remain.
DOMPurify.addHook("afterSanitizeAttributes", (node) => {
  if (node instanceof HTMLAnchorElement) {
    node.target = "_blank";
    node.rel = "noopener noreferrer";
  }
});

const status = byId("status");
const llvm = byId<HTMLSelectElement>("llvm");
const examples = byId<HTMLSelectElement>("examples");
const fixAll = byId<HTMLButtonElement>("fix-all");
const formatting = byId<HTMLButtonElement>("format");
const dialog = byId<HTMLDialogElement>("fixes");

let tab: Tab = "lowering";
let program: Program | undefined;
let lowering: Lowering | undefined;
let picture: Picture | undefined;
let explain: Explain | undefined;
let isReady = false;

const server = new Compartment();

const view = new EditorView({
  parent: byId("editor"),
  state: EditorState.create({
    doc: "",
    extensions: [
      looks,
      lineNumbers(),
      highlightActiveLineGutter(),
      highlightActiveLine(),
      history(),
      drawSelection(),
      bracketMatching(),
      closeBrackets(),
      highlightSelectionMatches(),
      search({ top: true }),
      linked,
      decorations,
      EditorView.contentAttributes.of({ "aria-label": "Program in MLIR", tabindex: "0" }),
      keymap.of([
        {
          key: "Mod-.",
          run: () => {
            void offerFixes();
            return true;
          },
        },
        { key: "F8", run: nextDiagnostic },
        { key: "Shift-F8", run: previousDiagnostic },
        { key: "Tab", run: acceptCompletion },
        ...closeBracketsKeymap,
        ...defaultKeymap,
        ...searchKeymap,
        ...historyKeymap,
        ...lintKeymap,
      ]),
      EditorState.changeFilter.of((change) => {
        const isTaken = change.newDoc.length <= MOST;
        if (!isTaken) {
          refuse(`Programs of up to ${MOST / 1000} kB are analyzed here; the command line takes larger ones.`);
        }
        return isTaken;
      }),
      EditorView.updateListener.of((update) => {
        if (update.docChanged) {
          aged();
        }
        if (update.selectionSet) {
          const line = update.state.doc.lineAt(update.state.selection.main.head).number - 1;
          lowering?.mark(line);
          link(view, [], false);
          followCursor(line);
        }
      }),
      server.of([]),
    ],
  }),
});

let shownLine = -1;

/** Shows the streams of the function that contains the cursor. */
function followCursor(line: number): void {
  if (line !== shownLine && tab === "streams") {
    void picture?.refresh(true);
  }
  shownLine = line;
}

function say(text: string, failed = false): void {
  status.textContent = text;
  status.classList.toggle("failed", failed);
}

/** Shows the reason for rejecting an input until the next change; an empty string clears it. */
function refuse(text: string): void {
  const refusal = byId("refusal");
  refusal.textContent = text;
  refusal.hidden = text === "";
}

function toLine(line: number): void {
  const { doc } = view.state;
  const { from } = doc.line(Math.min(line, doc.lines - 1) + 1);
  view.dispatch({ selection: { anchor: from }, effects: EditorView.scrollIntoView(from, { y: "center" }) });
  link(view, [line], false);
}

/* The server. */

function start(stage: string): void {
  const connection = connect();
  connection.onStep = (step) => {
    say(`${step} The first visit loads 13 MB; later ones work offline.`);
  };
  connection.onFailure = (reason) => {
    connection.close();
    failed(reason);
  };
  const client = new LSPClient({
    timeout: 600_000,
    sanitizeHTML: (html) => DOMPurify.sanitize(html, { FORBID_TAGS: ["style", "img", "form", "input"] }),
    initializationOptions: settings(),
    extensions: [
      serverCompletion(),
      hoverTooltips(),
      signatureHelp(),
      keymap.of([...formatKeymap, ...renameKeymap, ...jumpToDefinitionKeymap, ...findReferencesKeymap]),
      ours(() => program),
      { editorExtension: EditorView.updateListener.of(synchronize) },
    ],
  });
  program = new Program(client, view, { analyzed, fixable });
  lowering = new Lowering(program, stage, () => Number(llvm.value), toLine, remember);
  picture = new Picture(program, toLine, () => void offerFixes(), () => theme);
  explain = new Explain(program, (code) => {
    const example = named(code);
    if (example) {
      show(example);
      replaceFragment(`#${code}`);
    }
  });
  choose(tab);
  client.connect(connection);
  view.dispatch({ effects: server.reconfigure(client.plugin(URI, "mlir")) });
}

let timer: ReturnType<typeof setTimeout> | undefined;

/** Sends edits to the server; a burst of keystrokes is sent once. */
function synchronize({ docChanged }: { docChanged: boolean }): void {
  if (docChanged) {
    clearTimeout(timer);
    timer = setTimeout(() => {
      program?.client.sync();
    }, 20);
  }
}

function failed(reason: string): void {
  view.dispatch({ effects: server.reconfigure([]) });
  fixAll.disabled = formatting.disabled = true;
  say(`The language server has stopped: ${reason} `, true);
  status.append(
    button("Start it again", () => {
      location.reload();
    }),
  );
}

/** Settings, besides a release, with which a rule reports its example. */
let extra: object = {};

function settings(): object {
  return { llvm: Number(llvm.value) || facts.newest, ...extra };
}

function configure(): void {
  program?.client.sync(); // Before the text is replaced, since otherwise the old text would be analyzed again.
  program?.client.notification("workspace/didChangeConfiguration", { settings: { gpuasync: settings() } });
  remember();
}

/** Marks all results as outdated after a change of the text. */
function aged(): void {
  lowering?.age();
  showExample();
  refuse("");
  remember();
}

function analyzed(problems: Problem[]): void {
  if (!isReady) {
    isReady = true;
    performance.mark("analyzed");
    fixAll.disabled = formatting.disabled = false;
    keep();
  }
  list(problems);
  document.dispatchEvent(new CustomEvent("analyzed", { detail: { problems: problems.length } }));
  void refresh();
}

/** Caches the page for visits without a network. Called late, when the browser already has the files. */
function keep(): void {
  if ("serviceWorker" in navigator && window.isSecureContext && !isEmbedded) {
    navigator.serviceWorker.register("sw.js").catch((error: unknown) => {
      console.warn(error);
    });
    const { worker, end } = startWorker("keeper.js");
    worker.addEventListener("message", () => {
      performance.mark("kept");
      end();
    });
    worker.postMessage(facts.examples[0]?.text ?? "");
  }
}

function fixable(problems: Problem[]): void {
  list(problems);
}

async function refresh(): Promise<void> {
  if (program) {
    await decorate(program);
    await Promise.all([tab === "lowering" && lowering?.refresh(), tab === "streams" && picture?.refresh(false)]);
  }
}

/* Problems. */

function list(problems: Problem[]): void {
  const errors = problems.filter((problem) => severity(problem.diagnostic) === "error").length;
  const count = problems.length === 1 ? "1 problem" : `${problems.length} problems`;
  const of = errors === 0 ? "" : ` (${errors} ${errors === 1 ? "error" : "errors"})`;
  say(problems.length === 0 ? "No problems found." : `${count}${of}.`);
  const sorted = [...problems].sort((one, other) => rank(one) - rank(other));
  byId("list").replaceChildren(...sorted.map(item));
}

/** Sorts errors first; problems of the same severity stay in text order. */
function rank({ diagnostic }: Problem): number {
  return ["error", "warning", "info", "hint"].indexOf(severity(diagnostic));
}

function item({ diagnostic, actions }: Problem): HTMLLIElement {
  const made = element("li");
  const kind = severity(diagnostic);
  const name = { error: "error", warning: "warning", info: "information", hint: "hint" }[kind];
  const code = String(diagnostic.code ?? "");
  const words = button(messageOf(diagnostic), () => {
    const { line } = diagnostic.range.start;
    toLine(line);
    view.focus();
  });
  words.className = "words";
  made.append(element("span", `${name} at line ${diagnostic.range.start.line + 1}`, `sign ${name}`));
  if (/^GA\d+$/.test(code)) {
    const page = button(code, () => void showRule(code));
    page.title = `Explain ${code}`;
    page.className = "code";
    made.append(page);
  }
  made.append(words, ...actions.map((action) => button(action.title, () => void apply(action))));
  return made;
}

async function apply(action: lsp.CodeAction): Promise<void> {
  try {
    await program?.apply(action);
  } catch (error) {
    say(`${action.title}: ${reasonOf(error)}`, true);
  }
}

async function showRule(code: string): Promise<void> {
  choose("explain");
  await explain?.show(code);
}

/** Offers the code actions at the cursor or for the selection in a dialog. */
async function offerFixes(): Promise<void> {
  if (!program) {
    return;
  }
  const { doc, selection } = view.state;
  const line = doc.lineAt(selection.main.head);
  const at = selection.main.empty ? { from: line.from, to: line.to } : selection.main;
  const actions = await program.actions(rangeOf(doc, at.from, at.to));
  const buttons = actions.map((action) =>
    button(action.title, () => {
      dialog.close();
      void apply(action);
    }),
  );
  dialog.replaceChildren(
    element("p", buttons.length > 0 ? `At line ${line.number}:` : "Nothing can be fixed here."),
    ...buttons,
    button("Close (Esc)", () => {
      dialog.close();
    }),
  );
  dialog.showModal();
}

dialog.addEventListener("close", () => {
  view.focus();
});

fixAll.addEventListener("click", () => {
  void (async () => {
    const { doc } = view.state;
    const [action] = (await program?.actions(rangeOf(doc, 0, doc.length), "source.fixAll")) ?? [];
    if (action) {
      await apply(action);
    } else {
      say("No fix is guaranteed to preserve the meaning of the program. Each problem lists its other fixes.");
    }
  })();
});
formatting.addEventListener("click", () => {
  formatDocument(view);
});

/* Tabs. */

function choose(wanted: Tab): void {
  tab = wanted;
  for (const name of TABS) {
    const own = byId<HTMLButtonElement>(`tab-${name}`);
    own.setAttribute("aria-selected", String(name === wanted));
    own.tabIndex = name === wanted ? 0 : -1;
    byId(name).hidden = name !== wanted;
  }
  if (wanted === "streams") {
    picture?.open();
    void picture?.refresh(true);
  } else if (wanted === "lowering" && isReady) {
    void lowering?.refresh();
  }
  remember();
}

for (const [at, name] of TABS.entries()) {
  const own = byId(`tab-${name}`);
  own.addEventListener("click", () => {
    choose(name);
  });
  own.addEventListener("keydown", ({ key }) => {
    const step = key === "ArrowRight" ? 1 : key === "ArrowLeft" ? -1 : 0;
    const next = TABS[(at + step + TABS.length) % TABS.length];
    if (step !== 0 && next) {
      choose(next);
      byId(`tab-${next}`).focus();
    }
  });
}

/* Programs: examples, links, files. */

interface Wanted {
  text: string;
  /** The LLVM release; 0 for the newest. */
  llvm: number;
  settings?: object;
}

function show({ text, llvm: release, settings = {} }: Wanted): void {
  llvm.value = facts.releases.includes(release) ? String(release) : "0";
  extra = settings;
  view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text }, selection: { anchor: 0 } });
  view.scrollDOM.scrollTo(0, 0);
  configure();
}

function shown(): Shown {
  return { text: view.state.doc.toString(), llvm: Number(llvm.value), stage: lowering?.stage ?? "", tab };
}

/** Updates the link from an embedded page to the whole page. */
function remember(): void {
  if (isEmbedded) {
    clearTimeout(remembering);
    remembering = setTimeout(() => {
      void toFragment(shown()).then((fragment) => {
        byId<HTMLAnchorElement>("whole").href = `.${fragment}`;
      });
    }, 200);
  }
}
let remembering: ReturnType<typeof setTimeout> | undefined;

/** Selects the name of the example in the editor, if the editor has one. */
function showExample(): void {
  const { doc } = view.state;
  const at = facts.examples.findIndex(({ text }) => text.length === doc.length && text === doc.toString());
  examples.value = at < 0 ? "" : String(at);
}

const own = element("option", "your program");
own.value = "";
examples.append(own);
for (const [at, example] of facts.examples.entries()) {
  const option = element("option", example.title);
  option.value = String(at);
  examples.append(option);
}
examples.addEventListener("change", () => {
  const example = facts.examples[Number(examples.value)];
  if (example) {
    show({ text: example.text, llvm: Number(llvm.value) });
    replaceFragment(`#${example.name}`);
  } else {
    showExample();
  }
});

for (const release of [0, ...facts.releases]) {
  const name = release > facts.newest ? `${release} (main)` : String(release);
  const option = element("option", release === 0 ? `newest (${facts.newest})` : name);
  option.value = String(release);
  llvm.append(option);
}
llvm.addEventListener("change", configure);

function replaceFragment(fragment: string): void {
  window.history.replaceState(null, "", location.pathname + location.search + fragment);
}

/** Copies a text, and says which text it was, or where to find it if the browser does not allow copying. */
async function copy(text: string, name: string, place: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    say(`${name} is copied.`);
  } catch {
    say(`${name} cannot be copied here; it is ${place}.`);
  }
}

byId("share").addEventListener("click", () => {
  void (async () => {
    replaceFragment(await toFragment(shown()));
    await copy(location.href, "The link, which contains the program itself,", "in the address bar");
  })();
});
byId("save").addEventListener("click", () => {
  download(new Blob([view.state.doc.toString()], { type: "text/plain" }), "program.mlir");
});
byId("copy-command").addEventListener("click", () => {
  void copy(byId("command").textContent, "The command", "on the left of this button");
});

/** Returns the program that a short link names by the code of a rule or the name of an example. */
function named(name: string): Wanted | undefined {
  const example = facts.examples.find((each) => each.name === name);
  return example ? { text: example.text, llvm: 0 } : Object.hasOwn(facts.rules, name) ? facts.rules[name] : undefined;
}

/** Opens the program of the link in the address bar, by default the first example; returns the stage to show. */
async function openLink(): Promise<string> {
  const { hash } = location;
  let refused = "";
  try {
    const linked = await fromFragment(hash);
    const wanted = linked ?? named(hash.slice(1));
    if (wanted) {
      show(wanted);
      choose(linked?.tab ?? "lowering");
      return linked?.stage ?? "";
    }
    refused = hash.length > 1 ? "it names neither an example nor a rule" : "";
  } catch (error) {
    refused = error instanceof BadLink ? error.message : String(error);
  }
  const [first] = facts.examples;
  if (first && view.state.doc.length === 0) {
    show({ text: first.text, llvm: 0 });
  }
  refuse(refused && `The link cannot be opened: ${refused}.`);
  return lowering?.stage ?? "";
}

window.addEventListener("hashchange", () => {
  void openLink().then((stage) => {
    if (lowering) {
      lowering.stage = stage;
    }
    void refresh();
  });
});

/* Colors. */

const themeButton = byId("theme");
let theme: (typeof THEMES)[number] = "";

function recolor(wanted: (typeof THEMES)[number]): void {
  theme = wanted;
  document.documentElement.dataset["theme"] = theme;
  themeButton.textContent = { "": "◐", light: "☀", dark: "☾" }[theme];
  themeButton.setAttribute("aria-label", `Colors: ${THEME_NAMES[theme]}`);
  themeButton.title = `Colors: ${THEME_NAMES[theme]}`;
  picture?.recolor();
}

themeButton.addEventListener("click", () => {
  const next = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? "";
  recolor(next);
  try {
    localStorage.setItem("theme", next);
  } catch {
    // In a frame of another site there is no storage: the choice applies until the page is closed.
  }
});

function storedTheme(): (typeof THEMES)[number] {
  try {
    return THEMES.find((each) => each === localStorage.getItem("theme")) ?? "";
  } catch {
    return "";
  }
}

byId("late").remove();
recolor(storedTheme());
byId("whole").hidden = !isEmbedded;
void openLink().then((stage) => {
  performance.mark("usable");
  start(stage);
});
declare global {
  /** For tests and measurements. */
  var playground: { view: EditorView; shown: () => number };
}
globalThis.playground = { view, shown: () => shownIn(view) };
