import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";
import type { Disposable, ExtensionContext, LogOutputChannel } from "vscode";
import { RunPanel, type Asked } from "../src/runPanel";
import type { Server } from "../src/server";
import { registerStreams } from "../src/streams";
import { isRunWish, isStreamsWish } from "../src/wishes";
import {
  EventEmitter,
  events,
  handlers,
  log,
  messages,
  panels,
  Uri,
  warnings,
  window,
  workspace,
} from "./vscode";

const context = { extensionUri: Uri.file("/extension") } as unknown as ExtensionContext;
const [analyzed, running] = [new EventEmitter<Uri>(), new EventEmitter<boolean>()];
/** The URIs that the server was asked about. */
const asked: string[] = [];
const server = {
  log,
  intercept: () => undefined,
  identifier: (uri: Uri) => ({ uri: uri.toString() }),
  onAnalyzed: analyzed.event,
  onRunning: running.event,
  request: async (_: unknown, { textDocument }: { textDocument: { uri: string } }) => {
    asked.push(textDocument.uri);
    return Promise.resolve({ text: "<svg/>", functions: ["f"], shown: ["f"] });
  },
} as unknown as Server;
const source = Uri.file("/workspace/a.mlir");
const settle = async (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const saved = (text: string): typeof window.activeTextEditor => ({
  document: { uri: source, languageId: "mlir", getText: () => text },
});

let streams: Disposable;

/** Opens the streams of a document; returns their panel. */
async function open(uri: Uri): Promise<(typeof panels)[0]> {
  window.activeTextEditor = { document: { uri, languageId: "mlir" } };
  await handlers.get("gpuasync.showStreams")?.();
  const [panel] = panels;
  assert.ok(panel);
  asked.length = 0;
  return panel;
}

/** Waits until changes have had their effect. */
async function pause(): Promise<void> {
  mock.timers.tick(1000);
  await settle();
}

beforeEach(() => {
  mock.timers.enable({ apis: ["setTimeout"] });
  panels.length = warnings.length = messages.length = 0;
  workspace.textDocuments = [];
  streams = registerStreams(context, server);
});

afterEach(() => {
  streams.dispose();
  mock.timers.reset();
});

test("streams are asked for again when another release applies, and by a server that was restarted", async () => {
  await open(source);
  analyzed.fire(Uri.file("/workspace/other.mlir"));
  await pause();
  assert.deepEqual(asked, []);
  analyzed.fire(source);
  await pause();
  assert.deepEqual(asked.splice(0), [source.toString()]);
  running.fire(false);
  await pause();
  assert.deepEqual(asked, []);
  running.fire(true);
  await pause();
  assert.deepEqual(asked, [source.toString()]);
});

test("streams follow a file that is renamed, and a folder", async () => {
  const panel = await open(source);
  const other = Uri.file("/workspace/b.mlir");
  events.renamed.fire({ files: [{ oldUri: source, newUri: other }] });
  await pause();
  assert.deepEqual([panel.title, ...asked.splice(0)], ["Streams: b.mlir", other.toString()]);
  events.renamed.fire({ files: [{ oldUri: Uri.file("/workspace"), newUri: Uri.file("/elsewhere") }] });
  await pause();
  assert.deepEqual(asked, ["file:///elsewhere/b.mlir"]);
});

test("streams follow the active file, but no preview and no other text, unless they are locked", async () => {
  const panel = await open(source);
  const activate = async (uri: Uri, languageId = "mlir"): Promise<void> => {
    window.activeTextEditor = { document: { uri, languageId } };
    events.activated.fire(window.activeTextEditor);
    await pause();
  };
  await activate(Uri.file("/workspace/notes.txt"), "plaintext");
  await activate(Uri.from({ scheme: "gpuasync-lowering", path: "/b.mlir" }));
  events.activated.fire(undefined);
  await pause();
  assert.deepEqual([panel.title, ...asked.splice(0)], ["Streams: a.mlir"]);
  const other = Uri.file("/workspace/b.mlir");
  await activate(other);
  assert.deepEqual([panel.title, ...asked.splice(0)], ["Streams: b.mlir", other.toString()]);
  const lock = async (): Promise<void> => {
    await handlers.get("gpuasync.lockStreams")?.();
    asked.length = 0;
  };
  await lock();
  await activate(source);
  assert.deepEqual([panel.title, ...asked.splice(0)], ["Streams: b.mlir (locked)"]);
  await lock();
  assert.equal(panel.title, "Streams: a.mlir");
});

test("streams of an untitled file follow it to where it is saved, and are closed with it", async () => {
  const untitled = Uri.from({ scheme: "untitled", path: "Untitled-1" });
  const panel = await open(untitled);
  window.activeTextEditor = saved("a  b\n");
  events.closed.fire({ uri: untitled, getText: () => "a b" });
  await pause();
  assert.deepEqual([panel.title, ...asked], ["Streams: a.mlir", source.toString()]);
  await open(untitled);
  window.activeTextEditor = saved("another file");
  events.closed.fire({ uri: untitled, getText: () => "a b" });
  assert.ok(panel.isDisposed);
});

test("a malformed message of a page is dropped and logged, one of ours is heeded", async () => {
  const panel = await open(source);
  const malformed = [
    null,
    [],
    7,
    "x",
    {},
    { line: -1 },
    { line: "1" },
    { leave: false },
    { fold: 1 },
    { name: null },
  ];
  for (const message of [...malformed, { line: 1, name: "f" }, { save: "x", kind: "exe" }, { hover: 0.5 }]) {
    panel.says(message);
  }
  await settle();
  assert.deepEqual([warnings.length, asked.length, messages.length], [malformed.length + 3, 0, 0]);
  assert.equal(warnings[1], "malformed message of the page streams: []");
  panel.says({ save: "x".repeat(1000) });
  await settle();
  assert.equal(warnings.splice(0).at(-1)?.length, 300);
  panel.says({ fold: false });
  panel.says({ hover: null });
  await settle();
  assert.deepEqual([asked.length, warnings], [1, []]);
});

test("each kind of message has one form", () => {
  for (const wish of [
    { ready: true },
    { name: "f" },
    { hover: 3 },
    { hover: null },
    { save: "", kind: "svg" },
  ]) {
    assert.ok(isStreamsWish(wish), JSON.stringify(wish));
  }
  const run = { device: "cpu", args: { a: "iota" } };
  for (const wish of [{ run }, { compare: "a", with: "" }, { browse: "a", args: {} }, { trace: true }]) {
    assert.ok(isRunWish(wish), JSON.stringify(wish));
  }
  for (const wish of [
    { run: { ...run, device: "tpu" } },
    { run: { ...run, args: { a: 1 } } },
    { run: null },
  ]) {
    assert.ok(!isRunWish(wish), JSON.stringify(wish));
  }
});

test("a run of an untitled file follows it to where it is saved; a click never opens an empty one", async (t) => {
  const open = t.mock.method(workspace, "openTextDocument");
  const run = t.mock.fn<(asked: Asked) => void>();
  const panel = new RunPanel(context, log as unknown as LogOutputChannel, { run, cancel: () => undefined });
  const untitled = Uri.from({ scheme: "untitled", path: "Untitled-1" });
  panel.show({
    uri: untitled,
    entry: { name: "f", line: 0, arguments: [] },
    device: "cpu",
    args: {},
  } as never);
  window.activeTextEditor = undefined;
  events.closed.fire({ uri: untitled, getText: () => "" });
  panels[0]?.says({ line: 1 });
  await settle();
  assert.deepEqual([messages.splice(0), open.mock.callCount()], [["Untitled-1 has been closed."], 0]);
  window.activeTextEditor = saved("a b");
  events.closed.fire({ uri: untitled, getText: () => "a b" });
  panels[0]?.says({ run: { device: "cpu", args: {} } });
  await settle();
  assert.equal(run.mock.calls[0]?.arguments[0].uri, source);
});

test("what goes wrong for a message of a run's page is told, as for a command", async () => {
  const failed = { run: () => assert.fail("no such function"), cancel: () => undefined };
  const panel = new RunPanel(context, log as unknown as LogOutputChannel, failed);
  panel.show({
    uri: source,
    entry: { name: "f", line: 0, arguments: [] },
    device: "cpu",
    args: {},
  } as unknown as Asked);
  panels[0]?.says({ run: { device: "cpu", args: {} } });
  await settle();
  assert.deepEqual(messages, ["No such function."]);
});
