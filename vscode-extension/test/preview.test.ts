import assert from "node:assert/strict";
import { test } from "node:test";
import { registerPreview } from "../src/preview";
import { previewed, uriOf } from "../src/previewUri";
import type { Server } from "../src/server";
import { EventEmitter, events, TabInputText, Uri, window, workspace } from "./vscode";

const none = new EventEmitter<undefined>().event;
const server = { intercept: () => undefined, onRunning: none, onAnalyzed: none } as unknown as Server;
const source = Uri.file("/workspace/a.mlir");

test("a preview follows its source: a folder that is renamed, and an untitled file that is saved", async (t) => {
  registerPreview(server);
  const show = t.mock.method(window, "showTextDocument");
  t.mock.method(workspace, "openTextDocument", async (uri: Uri) =>
    Promise.resolve({ uri, languageId: "mlir" }),
  );
  const close = t.mock.method(window.tabGroups, "close");
  const follow = async (from: string, move: () => void): Promise<string | undefined> => {
    const uri = Uri.parse(uriOf({ source: from, llvm: 22 }).toString());
    const group = { viewColumn: 2 };
    window.tabGroups.all = [{ ...group, tabs: [{ input: new TabInputText(uri), group }] }];
    show.mock.resetCalls();
    close.mock.resetCalls();
    move();
    await new Promise(setImmediate);
    assert.equal(close.mock.callCount(), show.mock.callCount());
    const shown = show.mock.calls[0]?.arguments[0].uri;
    return shown && previewed(shown as never)?.source.toString();
  };
  const renamed = { oldUri: Uri.file("/workspace"), newUri: Uri.file("/elsewhere") };
  const rename = (): void => {
    events.renamed.fire({ files: [renamed] });
  };
  const saved = (text: string) => (): void => {
    window.activeTextEditor = { document: { uri: source, languageId: "mlir", getText: () => text } };
    events.closed.fire({ uri: Uri.parse("untitled:Untitled-1"), getText: () => "a b" });
  };
  assert.equal(await follow(source.toString(), rename), "file:///elsewhere/a.mlir");
  assert.equal(await follow("untitled:Untitled-1", saved("a b\n")), source.toString());
  assert.equal(await follow("untitled:Untitled-1", saved("another")), undefined);
  assert.equal(await follow("untitled:Untitled-2", saved("a b")), undefined);
});
