/** Chooses the language server: the setting, the selected Python environment if its version fits, the bundled one. */
import * as path from "node:path";
import * as vscode from "vscode";
import { findPython, isProgram, output, ownText, selectedPython, windows } from "./python";

const program = windows ? "gpuasync-lsp.exe" : "gpuasync-lsp";

export interface Found {
  command: string;
  args: string[];
  /** Where it was found, as a person would say it. */
  where: string;
  kind: "setting" | "environment" | "bundled";
}

/** The version that the server should have. */
export function ownVersion(context: vscode.ExtensionContext): string {
  return (context.extension.packageJSON as { version: string }).version;
}

/**
 * The server to start. Throws a sentence for the user if there is none: the setting names nothing, or the server inside
 * this extension finds no Python. An untrusted workspace's Python environment is not looked at.
 */
export async function findServer(
  context: vscode.ExtensionContext,
  log: vscode.LogOutputChannel,
): Promise<Found> {
  const configured = ownText("serverPath");
  if (configured) {
    if (!path.isAbsolute(configured) || !(await isProgram(configured))) {
      throw new Error(`The setting gpuasync.serverPath names no program: ${configured}`);
    }
    return {
      command: configured,
      args: ["--stdio"],
      where: "the setting gpuasync.serverPath",
      kind: "setting",
    };
  }
  const selected = await inEnvironment(context, log);
  if (selected) {
    return {
      command: selected,
      args: ["--stdio"],
      where: "the selected Python environment",
      kind: "environment",
    };
  }
  const python = await findPython(context, log);
  const start = path.join(context.extensionPath, "bundled", "start.py");
  return {
    command: python.program,
    // -I: neither the workspace, which it starts in, nor PYTHONPATH has a say in what is imported.
    args: ["-I", start, "--stdio"],
    where: `this extension, with Python of ${python.where}`,
    kind: "bundled",
  };
}

async function inEnvironment(
  context: vscode.ExtensionContext,
  log: vscode.LogOutputChannel,
): Promise<string | undefined> {
  const python = await selectedPython(log);
  if (!python) {
    return undefined;
  }
  // On Windows an environment of venv has its programs beside python.exe, conda and plain Python have them in Scripts.
  const folder = path.dirname(python);
  const places = windows ? [folder, path.join(folder, "Scripts")] : [folder];
  const candidates = places.map((place) => path.join(place, program));
  const found = await Promise.all(candidates.map(isProgram));
  const candidate = candidates.find((_, number) => found[number]);
  if (!candidate) {
    return undefined;
  }
  const said = (await output(candidate, ["--version"]))?.trim();
  if (said === `gpuasync-lsp ${ownVersion(context)}`) {
    return candidate;
  }
  log.info(`${candidate} is ${said ?? "broken"}, this extension ${ownVersion(context)}: it is not used`);
  return undefined;
}
