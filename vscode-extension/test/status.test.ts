import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { registerStatus } from "../src/status";
import { uriOf } from "../src/previewUri";
import type { Server } from "../src/server";
import { EventEmitter, folderSettings, handlers, messages, offered, picks, settings } from "./vscode";
import { Uri, window, workspace, workspaceSettings } from "./vscode";

const none = new EventEmitter<undefined>().event;
const server = {
  isRunning: true,
  onAnalyzed: none,
  onRunning: none,
  identifier: (uri: Uri) => ({ uri: uri.toString() }),
  request: async () => Promise.resolve({ llvm: 23, origin: "the newest" }),
} as unknown as Server;
const document = { uri: Uri.file("/workspace/a.mlir"), languageId: "mlir", getText: () => "" };
const LLVM = "gpuasync.llvm";

/** Chooses a release and where to write it; returns the values of the folder, the workspace and the user. */
async function choose(release: string, place: string): Promise<unknown[]> {
  picks.splice(0, 2, release, place);
  await handlers.get("gpuasync.chooseVersion")?.();
  return [folderSettings, workspaceSettings, settings].map((store) => store.get(LLVM));
}
const place = (label: string): string | undefined => {
  const found = offered.find((each) => each.label === label);
  return found && `${found.description ?? ""}; ${found.detail ?? ""}`;
};

beforeEach(() => {
  [folderSettings, workspaceSettings, settings].forEach((store) => {
    store.clear();
  });
  messages.length = 0;
  workspace.workspaceFile = Uri.file("/both.code-workspace");
  workspace.textDocuments = [document];
  window.activeTextEditor = { document };
  registerStatus(server);
});

test("where the folder's own setting decides, it is offered, told, and written", async () => {
  folderSettings.set(LLVM, 19);
  workspaceSettings.set(LLVM, 20);
  assert.deepEqual(await choose("LLVM 22", "This folder of the workspace"), [22, 20, undefined]);
  const own = "its .vscode/settings.json, LLVM 19 now; overrides the setting of the workspace";
  assert.equal(place("This folder of the workspace"), own);
  assert.match(place("This workspace") ?? "", /the workspace file, LLVM 20 now/);
  assert.match(place("This folder") ?? "", /gpuasync\.toml; .*overridden by the setting gpuasync\.llvm/);
});

test("where the folder has no setting of its own, the workspace's is written", async () => {
  assert.deepEqual(await choose("LLVM 22", "This workspace"), [undefined, 22, undefined]);
  assert.equal(place("This folder of the workspace"), undefined);
  assert.doesNotMatch(place("This folder") ?? "", /overridden/);
  assert.deepEqual(await choose("As the file specifies", "This workspace"), [
    undefined,
    undefined,
    undefined,
  ]);
  assert.deepEqual(await choose("LLVM 21", "All my files"), [undefined, undefined, 21]);
});

test("a single folder has no settings other than the workspace's", async () => {
  workspace.workspaceFile = undefined;
  folderSettings.set(LLVM, 19);
  await choose("LLVM 22", "nowhere");
  assert.equal(place("This folder of the workspace"), undefined);
  assert.match(place("This workspace") ?? "", /^\.vscode\/settings\.json/);
});

test("from a preview, the release of its source is chosen; without a file, the command says so", async () => {
  const preview = Uri.parse(uriOf({ source: document.uri.toString() }).toString());
  window.activeTextEditor = { document: { uri: preview, languageId: "mlir" } };
  assert.deepEqual(await choose("LLVM 22", "All my files"), [undefined, undefined, 22]);
  // Git's side of a difference is not a file that the server knows.
  window.activeTextEditor = { document: { uri: Uri.parse("git:/workspace/a.mlir?ref"), languageId: "mlir" } };
  await choose("LLVM 20", "All my files");
  assert.deepEqual(messages, ["Open an MLIR file first."]);
});
