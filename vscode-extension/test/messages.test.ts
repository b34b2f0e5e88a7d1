import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import type { TextDocument } from "vscode";
import { activeDocument, opened } from "../src/active";
import { dumpLens } from "../src/dumpLens";
import { needMlirOpt, opensSetting, sentence, shown } from "../src/errors";
import { SCHEME, targetAt, uriOf } from "../src/previewUri";
import { DIFFERENCES, VERSIONS } from "../src/versions";
import { env, executed, messages, settings, Uri, window, workspace } from "./vscode";

beforeEach(() => {
  messages.length = executed.length = 0;
  settings.clear();
  workspace.isTrusted = true;
});

test("a message of the server is shown as a sentence", () => {
  assert.equal(sentence("no stage 'x': it has no RUN line"), "No stage 'x': it has no RUN line.");
  assert.equal(sentence("gpu.wait: cannot run it"), "gpu.wait: cannot run it.");
  assert.equal(sentence("mlir-opt is missing"), "mlir-opt is missing.");
  assert.equal(sentence("Is it there?"), "Is it there?");
});

test("where a setting or trust is missing, the message has a button that leads there", async () => {
  await shown(() => Promise.resolve().then(needMlirOpt));
  assert.deepEqual(messages.splice(0), ["Set gpuasync.mlirOpt to the path of your mlir-opt first."]);
  await new Promise(setImmediate);
  assert.deepEqual(executed, [["workbench.action.openSettings", "gpuasync.mlirOpt"]]);
  env.remoteName = "ssh-remote";
  assert.deepEqual(opensSetting("a"), ["workbench.action.openRemoteSettings", { query: "a" }]);
  env.remoteName = undefined;
  settings.set("gpuasync.mlirOpt", "/usr/bin/mlir-opt");
  await shown(() => Promise.resolve().then(needMlirOpt));
  assert.deepEqual(messages, []);
});

test("a source that was deleted is named, without the scheme and details", async () => {
  await shown(async () => {
    await opened(Uri.file("/workspace/a/gone.mlir") as never);
  });
  assert.deepEqual(messages, ["a/gone.mlir cannot be read: was it moved or deleted?"]);
});

test("the Output panel is no editor: commands apply to the only visible file", () => {
  const source = { uri: Uri.file("/workspace/a.mlir"), languageId: "mlir" };
  window.visibleTextEditors = [{ document: source }];
  window.activeTextEditor = { document: { uri: Uri.parse("output:log"), languageId: "log" } };
  assert.equal(activeDocument(), source);
  window.activeTextEditor = { document: { uri: Uri.file("/workspace/b.txt"), languageId: "plaintext" } };
  assert.throws(activeDocument, /Open an MLIR file first/);
});

test("a dump that VS Code takes for plain text has a link to its passes", () => {
  const lens = (first: string): string | undefined =>
    dumpLens({ lineAt: () => ({ text: first, range: 0 }) } as unknown as TextDocument)[0]?.command?.command;
  assert.equal(lens("// -----// IR Dump After CSE (cse) //----- //"), "gpuasync.showPasses");
  assert.equal(lens("12:30:01 // -----// IR Dump Before CSE (cse) //----- //"), "gpuasync.showPasses");
  assert.equal(lens("a shopping list"), undefined);
});

test("a preview chosen from a comparison has its own names, and a tab of moderate width", () => {
  const options = "use-bare-pointers-for-host intersperse-sizes-for-kernels";
  const compared = uriOf({ source: "file:///a/b.mlir", llvm: 24, options, like: { llvm: 22 } });
  assert.equal(compared.scheme, SCHEME);
  assert.deepEqual(targetAt(compared), { source: "file:///a/b.mlir", llvm: 24, options });
  assert.equal(compared.path, "/b (lowered, LLVM 24, 2 options).mlir");
});

test("each release in a list says how it differs", () => {
  assert.equal(new Set(Object.values(DIFFERENCES)).size, VERSIONS.length);
});
