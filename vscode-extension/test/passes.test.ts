import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import type { TextDocumentContentProvider, Uri as RealUri } from "vscode";
import { registerPasses } from "../src/passes";
import type { Server } from "../src/server";
import { events, executed, handlers, log, tree, Uri, window, workspace } from "./vscode";

const server = {
  log,
  intercept: () => undefined,
  identifier: (uri: Uri) => ({ uri: uri.toString() }),
  request: async () => Promise.resolve({ summary: "2 passes", passes: [] }),
} as unknown as Server;
const getText = (): string => "";
const isListed = (): unknown => executed.filter(([name]) => name === "setContext").at(-1)?.[2];

beforeEach(() => {
  executed.length = 0;
});

test("the list of passes is there while its dump is open, and gone with it", async () => {
  const dump = { uri: Uri.file("/workspace/dump.mlir"), languageId: "mlir" };
  window.activeTextEditor = { document: dump };
  registerPasses(server);
  await handlers.get("gpuasync.showPasses")?.();
  assert.deepEqual([isListed(), tree.message], [true, "dump.mlir: 2 passes"]);
  events.closed.fire({ uri: Uri.file("/workspace/other.mlir"), getText });
  assert.equal(isListed(), true);
  events.closed.fire({ uri: dump.uri, getText });
  assert.deepEqual([isListed(), tree.message], [false, ""]);
});

test("a difference of a dump that was never saved and is closed does not open an empty one", async (t) => {
  let provider: TextDocumentContentProvider | undefined;
  t.mock.method(
    workspace,
    "registerTextDocumentContentProvider",
    (_: string, given: TextDocumentContentProvider) => {
      provider = given;
    },
  );
  const open = t.mock.method(workspace, "openTextDocument");
  registerPasses(server);
  const query = JSON.stringify({ source: "untitled:Untitled-1", side: "before", before: 1, after: 9 });
  const uri = Uri.from({ scheme: "gpuasync-pass", path: "/before/cse.mlir", query }) as unknown as RealUri;
  await assert.rejects(
    async () => provider?.provideTextDocumentContent(uri, undefined as never),
    /Untitled-1 has been closed/,
  );
  assert.equal(open.mock.callCount(), 0);
});
