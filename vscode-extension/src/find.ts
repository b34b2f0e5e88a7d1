/** Finds the `gpuasync-lsp` program: the setting, the Python environment, PATH, our own environment. */
import { constants } from "node:fs";
import { access } from "node:fs/promises";
import * as path from "node:path";
import * as vscode from "vscode";

const windows = process.platform === "win32";
const program = windows ? "gpuasync-lsp.exe" : "gpuasync-lsp";

export interface Found {
  command: string;
  /** Where it was found, as a person would say it. */
  where: string;
}

/**
 * What the user's own settings say, or undefined. A folder's file can reach a setting of the scope `machine` as well,
 * in Restricted Mode, too: by a key above it, as in `"gpuasync": {"serverPath": "..."}`.
 */
export function ownSetting(name: string): unknown {
  return vscode.workspace.getConfiguration("gpuasync").inspect(name)?.globalValue ?? undefined;
}

/** The same, of a setting that is one text; anything else counts as not said. */
export function ownText(name: string): string | undefined {
  const value = ownSetting(name);
  return typeof value === "string" ? value : undefined;
}

/** The first server there is, or undefined. An untrusted workspace's Python environment is not looked at. */
export async function findServer(context: vscode.ExtensionContext): Promise<Found | undefined> {
  const configured = ownText("serverPath");
  if (configured) {
    return { command: configured, where: "the setting gpuasync.serverPath" };
  }
  const places: [string | undefined, string][] = [
    [vscode.workspace.isTrusted ? await pythonEnvironment() : undefined, "the selected Python environment"],
    ...onPath().map((folder): [string, string] => [folder, "PATH"]),
    [binaries(privateEnvironment(context)), "the environment of this extension"],
  ];
  for (const [folder, where] of places) {
    if (folder && (await isProgram(path.join(folder, program)))) {
      return { command: path.join(folder, program), where };
    }
  }
  return undefined;
}

/** The environment that this extension installs the server into. */
export function privateEnvironment(context: vscode.ExtensionContext): string {
  return path.join(context.globalStorageUri.fsPath, "server");
}

/** The folder of an environment that holds its programs. */
export function binaries(environment: string): string {
  return path.join(environment, windows ? "Scripts" : "bin");
}

/** The part of the Python extension's interface that is used here. */
interface PythonExtension {
  environments: {
    getActiveEnvironmentPath(): { path: string };
    resolveEnvironment(path: {
      path: string;
    }): Promise<{ executable: { uri: vscode.Uri | undefined } } | undefined>;
  };
}

/** The interpreter that the user selected in the Python extension, if that is installed. */
export async function pythonInterpreter(): Promise<string | undefined> {
  const extension = vscode.extensions.getExtension<PythonExtension>("ms-python.python");
  if (!extension) {
    return undefined;
  }
  const python = await extension.activate();
  const selected = await python.environments.resolveEnvironment(
    python.environments.getActiveEnvironmentPath(),
  );
  return selected?.executable.uri?.fsPath;
}

async function pythonEnvironment(): Promise<string | undefined> {
  const interpreter = await pythonInterpreter();
  return interpreter && path.dirname(interpreter);
}

/** The folders of PATH; relative ones could lead into the workspace and are left out. */
function onPath(): string[] {
  return (process.env["PATH"] ?? "").split(path.delimiter).filter((folder) => path.isAbsolute(folder));
}

async function isProgram(file: string): Promise<boolean> {
  return access(file, windows ? constants.F_OK : constants.X_OK).then(
    () => true,
    () => false,
  );
}
