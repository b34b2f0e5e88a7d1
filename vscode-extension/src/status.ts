/** The status item: the LLVM release that the file targets, and the device of runs. */
import * as vscode from "vscode";
import { isOutdated, shown } from "./errors";
import { activeDocument, currentDocument, opened } from "./active";
import { onShares, shares } from "./coexist";
import { checkWorkspace } from "./folderCheck";
import * as protocol from "./protocol";
import { pickOne, type Choice } from "./pick";
import { previewed } from "./previewUri";
import type { Server } from "./server";
import { commentEdit, commentedVersion, withVersion } from "./releaseText";
import { pickVersion, versionName } from "./versions";

export function registerStatus(server: Server): vscode.Disposable {
  const item = vscode.window.createStatusBarItem("gpuasync.target", vscode.StatusBarAlignment.Right, 90);
  item.name = "GPU Async: target LLVM version";
  const update = (): void => void show(item, server);
  update();
  return vscode.Disposable.from(
    item,
    server.onRunning(update),
    server.onAnalyzed(update),
    onShares(update),
    vscode.window.onDidChangeActiveTextEditor(update),
    vscode.window.tabGroups.onDidChangeTabs(update),
    vscode.window.tabGroups.onDidChangeTabGroups(update),
    vscode.workspace.onDidChangeConfiguration(update),
    vscode.commands.registerCommand("gpuasync.chooseVersion", () => shown(() => chooseVersion(server))),
    vscode.commands.registerCommand("gpuasync.checkWorkspace", () => shown(toggleWorkspaceCheck)),
  );
}

async function show(item: vscode.StatusBarItem, server: Server): Promise<void> {
  const document = currentDocument();
  if (!document) {
    item.hide();
    return;
  }
  if (!server.isRunning && server.isStarting) {
    item.text = "$(loading~spin) GPU Async";
    item.command = "gpuasync.showLog";
    item.tooltip = "The GPU Async language server is starting.";
    item.show();
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
    const of = previewed(document.uri);
    const { llvm, origin, pipeline } = await target(server, of?.source ?? document.uri);
    if (document !== currentDocument()) {
      return; // A newer request for another editor is in progress.
    }
    const device = vscode.workspace
      .getConfiguration("gpuasync", of?.source ?? document)
      .get("device", "auto");
    const own = of?.llvm !== undefined && of.llvm !== llvm ? `This preview: LLVM ${of.llvm}\n` : "";
    item.text = `LLVM ${of?.llvm ?? llvm}${of ? " $(open-preview)" : ""}`;
    item.command = of ? "gpuasync.choosePreviewVersion" : "gpuasync.chooseVersion";
    const click = of ? "Click to preview another release" : "Click to choose another release";
    item.tooltip = `${own}Target LLVM release: ${llvm} (${origin})\n${passes(pipeline)}Device: ${device}\n${shares(document)}${click}`;
    item.show();
  } catch (error) {
    // The server may not know the document yet; its first analysis repeats the request.
    if (!isOutdated(error)) {
      server.log.debug(`no target for ${document.uri.toString()}: ${String(error)}`);
    }
  }
}

/** Returns which passes previews show, and their origin. */
function passes(pipeline: protocol.OwnPipeline | undefined): string {
  if (!pipeline) {
    return "";
  }
  const said = pipeline.text ? `Pipeline: ${pipeline.text} (${pipeline.origin})\n` : "";
  return `${said}${pipeline.unused ? `${pipeline.unused}\n` : ""}`;
}

function target(server: Server, uri: vscode.Uri): Promise<protocol.Target> {
  return server.request(protocol.target, { textDocument: server.identifier(uri) });
}

/** Asks for the release and its scope: this file, its folder, or the workspace. */
async function chooseVersion(server: Server): Promise<void> {
  const active = activeDocument();
  const of = previewed(active.uri);
  const document = of ? await opened(of.source) : active;
  const { llvm: current, origin } = await target(server, document.uri);
  const llvm = await pickVersion(`Which LLVM release does this target? Now ${current} (${origin})`, current);
  if (llvm === undefined) {
    return;
  }
  const place = await pickPlace(document, llvm);
  if (place) {
    await place.write();
  }
}

interface Place {
  write(): Promise<unknown>;
}

/** Asks where to write a release; each choice names the file that changes, and any setting that overrides it. */
async function pickPlace(document: vscode.TextDocument, llvm: number | null): Promise<Place | undefined> {
  const commented = commentedVersion(document.getText());
  const outranked = commented !== undefined ? "overridden by the comment in this file" : "";
  const folder = vscode.workspace.getWorkspaceFolder(document.uri);
  const configuration = vscode.workspace.getConfiguration("gpuasync", document);
  const setting = (target: vscode.ConfigurationTarget): Place => ({
    write: async () => configuration.update("llvm", llvm ?? undefined, target),
  });
  const set = configuration.inspect<number>("llvm");
  const value = (number: number | undefined): string => (number === undefined ? "" : `, LLVM ${number} now`);
  const choices: Choice<Place>[] = [
    {
      label: "This file",
      description: `a comment in ${vscode.workspace.asRelativePath(document.uri)}${value(commented)}`,
      detail: "// gpuasync: llvm=… overrides every setting",
      value: { write: () => writeComment(document, llvm) },
    },
  ];
  if (folder && document.uri.scheme === "file") {
    const toml = vscode.Uri.joinPath(document.uri, "..", "gpuasync.toml");
    choices.push({
      label: "This folder",
      description: vscode.workspace.asRelativePath(toml),
      detail: [
        "applies to editors and the command line",
        ...([set?.workspaceFolderValue, set?.workspaceValue, set?.globalValue].every((of) => of === undefined)
          ? []
          : ["overridden by the setting gpuasync.llvm"]),
        outranked,
      ]
        .filter(Boolean)
        .join("; "),
      value: { write: () => writeToml(toml, llvm) },
    });
  }
  // In a single folder, its settings are those of the workspace.
  if (vscode.workspace.workspaceFile && set?.workspaceFolderValue !== undefined) {
    choices.push({
      label: "This folder of the workspace",
      description: `its .vscode/settings.json${value(set.workspaceFolderValue)}`,
      detail: ["overrides the setting of the workspace", outranked].filter(Boolean).join("; "),
      value: setting(vscode.ConfigurationTarget.WorkspaceFolder),
    });
  }
  if (folder) {
    choices.push({
      label: "This workspace",
      description: `${vscode.workspace.workspaceFile ? "the workspace file" : ".vscode/settings.json"}${value(set?.workspaceValue)}`,
      detail: ["the setting gpuasync.llvm, only in editors", outranked].filter(Boolean).join("; "),
      value: setting(vscode.ConfigurationTarget.Workspace),
    });
  }
  choices.push({
    label: "All my files",
    description: `your settings${value(set?.globalValue)}`,
    detail: ["the setting gpuasync.llvm", outranked].filter(Boolean).join("; "),
    value: setting(vscode.ConfigurationTarget.Global),
  });
  const what = llvm === null ? "Remove the choice" : `Use ${versionName(llvm)}`;
  return pickOne(`${what} for …`, choices);
}

/** Writes, replaces or removes the comment that overrides every setting. */
async function writeComment(document: vscode.TextDocument, llvm: number | null): Promise<void> {
  const edit = commentEdit(document.getText(), llvm);
  if (!edit) {
    throw new Error("No comment of this file chooses a release.");
  }
  const range = new vscode.Range(document.positionAt(edit.start), document.positionAt(edit.end));
  const change = new vscode.WorkspaceEdit();
  change.replace(document.uri, range, edit.text);
  await vscode.workspace.applyEdit(change);
}

/** Sets `llvm` in the configuration file of a folder, and keeps the rest of the file. */
async function writeToml(uri: vscode.Uri, llvm: number | null): Promise<void> {
  let text = "";
  try {
    text = new TextDecoder().decode(await vscode.workspace.fs.readFile(uri));
  } catch (error) {
    if (!(error instanceof vscode.FileSystemError) || error.code !== "FileNotFound") {
      throw error;
    }
  }
  await vscode.workspace.fs.writeFile(uri, new TextEncoder().encode(withVersion(text, llvm)));
}

/** Offers to check every file, or only open ones: the opposite of the current setting. */
async function toggleWorkspaceCheck(): Promise<void> {
  if (!vscode.workspace.workspaceFolders) {
    throw new Error("Open a folder first: this checks all files of the folder.");
  }
  const settings = vscode.workspace.getConfiguration("gpuasync");
  const isWanted = !settings.get<boolean>("checkWorkspace", false);
  await checkWorkspace(isWanted);
  const said = isWanted ? "all files of the workspace are checked" : "only open files are checked";
  vscode.window.setStatusBarMessage(`$(checklist) GPU Async: ${said}`, 5000);
}
