/** Chooses the language server: the setting, the selected Python environment if its version fits, the bundled one. */
import * as path from "node:path";
import * as vscode from "vscode";
import { findPython, isProgram, output, ownText, selectedPythons, windows } from "./python";

const program = windows ? "gpuasync-lsp.exe" : "gpuasync-lsp";

export interface Found {
  command: string;
  args: string[];
  /** The server's origin, as a phrase for the user. */
  where: string;
  kind: "setting" | "environment" | "bundled";
}

/** Returns the version of this extension, which the server should have. */
export function ownVersion(context: vscode.ExtensionContext): string {
  return (context.extension.packageJSON as { version: string }).version;
}

/**
 * Returns the server to start. Ignores the Python environment of an untrusted workspace.
 *
 * Throws an error with a message for the user if the setting names no server, or no Python is found for the bundled
 * one.
 */
export async function findServer(
  context: vscode.ExtensionContext,
  log: vscode.LogOutputChannel,
): Promise<Found> {
  const configured = ownText("serverPath");
  if (configured) {
    if (!path.isAbsolute(configured) || !isProgram(configured)) {
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
  return {
    command: python.program,
    args: bundled(context.extensionPath),
    where: `this extension, with Python of ${python.where}`,
    kind: "bundled",
  };
}

/** Returns the arguments with which a Python starts the bundled server. */
export function bundled(extensionPath: string): string[] {
  // -I: imports depend neither on the workspace, in which the process may start, nor on PYTHONPATH.
  return ["-I", path.join(extensionPath, "bundled", "start.py"), "--stdio"];
}

async function inEnvironment(
  context: vscode.ExtensionContext,
  log: vscode.LogOutputChannel,
): Promise<string | undefined> {
  for (const python of await selectedPythons(log)) {
    // On Windows, the programs of a venv are next to python.exe; those of conda and plain Python are in
    // Scripts.
    const folder = path.dirname(python);
    const places = windows ? [folder, path.join(folder, "Scripts")] : [folder];
    const candidate = places.map((place) => path.join(place, program)).find(isProgram);
    const said = candidate && (await output(candidate, ["--version"]))?.trim();
    if (said === `gpuasync-lsp ${ownVersion(context)}`) {
      return candidate;
    }
    if (candidate) {
      log.info(`${candidate} is ${said ?? "broken"}, this extension ${ownVersion(context)}: it is not used`);
    }
  }
  return undefined;
}
