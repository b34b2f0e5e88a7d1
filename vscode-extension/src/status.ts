/** The status item: the LLVM release that the file is meant for, and where programs run. */
import * as vscode from "vscode";
import * as protocol from "./protocol";
import { isOutdated, shown, type Server } from "./server";
import { pickVersion } from "./versions";

/** The comment that outranks every setting. */
const COMMENT = /^(\s*\/\/\s*gpuasync:.*?\bllvm\s*=\s*)(\d+)/m;

export function registerStatus(server: Server): vscode.Disposable {
  const item = vscode.window.createStatusBarItem("gpuasync.target", vscode.StatusBarAlignment.Right, 90);
  item.name = "GPU Async: target LLVM version";
  const update = (): void => void show(item, server);
  update();
  return vscode.Disposable.from(
    item,
    server.onRunning(update),
    server.onAnalysed(update),
    vscode.window.onDidChangeActiveTextEditor(update),
    vscode.workspace.onDidChangeConfiguration(update),
    vscode.commands.registerCommand("gpuasync.chooseVersion", () => shown(() => chooseVersion(server))),
    vscode.commands.registerCommand("gpuasync.checkWorkspace", () => shown(toggleWorkspaceCheck)),
  );
}

async function show(item: vscode.StatusBarItem, server: Server): Promise<void> {
  const document = activeDocument();
  if (!document) {
    item.hide();
    return;
  }
  if (!server.isRunning) {
    item.text = "$(warning) GPU Async";
    item.command = "gpuasync.restart";
    item.tooltip = "The GPU Async language server is not running. Click to start it.";
    item.show();
    return;
  }
  try {
    const { llvm, origin } = await target(server, document);
    if (document !== activeDocument()) {
      return; // another editor's answer is on its way
    }
    const device = vscode.workspace.getConfiguration("gpuasync", document).get("device", "auto");
    item.text = `LLVM ${llvm}`;
    item.command = "gpuasync.chooseVersion";
    item.tooltip = `Target LLVM release: ${llvm} (${origin})\nDevice: ${device}\nClick to choose another release`;
    item.show();
  } catch (error) {
    // Before the server has heard of the document; its first analysis asks again.
    if (!isOutdated(error)) {
      server.log.debug(`no target for ${document.uri.toString()}: ${String(error)}`);
    }
  }
}

/** What the active editor shows, if the server knows it. */
function activeDocument(): vscode.TextDocument | undefined {
  const document = vscode.window.activeTextEditor?.document;
  const known = document?.languageId === "mlir" && ["file", "untitled"].includes(document.uri.scheme);
  return known ? document : undefined;
}

function target(server: Server, document: vscode.TextDocument): Promise<protocol.Target> {
  return server.request(protocol.target, { textDocument: server.identifier(document.uri) });
}

/** Changes the comment where there is one, since it outranks the setting; else the setting. */
async function chooseVersion(server: Server): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  const document = activeDocument();
  if (!editor || !document) {
    return;
  }
  const { llvm: current } = await target(server, document);
  const llvm = await pickVersion("Which LLVM release is this meant for?", current);
  if (llvm === undefined) {
    return;
  }
  const comment = COMMENT.exec(document.getText());
  if (comment?.[1] !== undefined && comment[2] !== undefined && llvm !== null) {
    const start = comment.index + comment[1].length;
    const place = (offset: number): vscode.Position => document.positionAt(offset);
    const range = new vscode.Range(place(start), place(start + comment[2].length));
    await editor.edit((edit) => {
      edit.replace(range, String(llvm));
    });
    return;
  }
  const inWorkspace = vscode.workspace.workspaceFolders !== undefined;
  const configuration = vscode.workspace.getConfiguration("gpuasync", document);
  await configuration.update("llvm", llvm ?? undefined, !inWorkspace);
}

/** Ask for the problems of every file, or of open ones only: what is not set now. */
async function toggleWorkspaceCheck(): Promise<void> {
  const settings = vscode.workspace.getConfiguration("gpuasync");
  const target = vscode.workspace.workspaceFolders
    ? vscode.ConfigurationTarget.Workspace
    : vscode.ConfigurationTarget.Global;
  await settings.update("checkWorkspace", !settings.get("checkWorkspace", false), target);
}
