/** Finds a Python for the server inside this extension. */
import { execFile } from "node:child_process";
import { constants } from "node:fs";
import { access, readFile } from "node:fs/promises";
import * as path from "node:path";
import { promisify } from "node:util";
import * as vscode from "vscode";

const execute = promisify(execFile);

export const windows = process.platform === "win32";
const NAMES = ["python3", "python", ...[15, 14, 13, 12, 11].map((minor) => `python3.${minor}`)];
const ASK = "import sys; print(*sys.version_info[:2])";
const PATIENCE_MS = 20_000;

export interface Python {
  program: string;
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
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** The environment of this extension, which has what runs need. */
export function privateEnvironment(context: vscode.ExtensionContext): string {
  return path.join(context.globalStorageUri.fsPath, "environment");
}

/** The interpreter of an environment. */
export function interpreterOf(environment: string): string {
  return windows ? path.join(environment, "Scripts", "python.exe") : path.join(environment, "bin", "python");
}

/** What is needed for runs, and is not inside this extension, by the name of the extra: requirements for pip. */
export async function requirements(context: vscode.ExtensionContext): Promise<Record<string, string[]>> {
  const file = path.join(context.extensionPath, "dist", "requirements.json");
  return JSON.parse(await readFile(file, "utf8")) as Record<string, string[]>;
}

/**
 * The first Python of 3.11 or later: of this extension's environment if `own`, of the setting, the selected one, those
 * of PATH. Throws a sentence for the user if there is none, or if the setting's is none.
 */
export async function findPython(
  context: vscode.ExtensionContext,
  log: vscode.LogOutputChannel,
  own = true,
): Promise<Python> {
  const configured = ownText("python");
  const ours = own ? await environmentPython(context, configured, log) : undefined;
  if (ours) {
    return { program: ours, where: "the environment of this extension" };
  }
  if (configured) {
    if (!path.isAbsolute(configured) || !(await fits(configured, log))) {
      throw new Error(`The setting gpuasync.python names no Python of 3.11 or later: ${configured}`);
    }
    return { program: configured, where: "the setting gpuasync.python" };
  }
  const selected = await selectedPython();
  const candidates: Python[] = [
    ...(selected ? [{ program: selected, where: "the selected Python environment" }] : []),
    ...onPath().map((program) => ({ program, where: "PATH" })),
  ];
  for (const candidate of candidates) {
    if ((await isProgram(candidate.program)) && (await fits(candidate.program, log))) {
      return candidate;
    }
  }
  throw new Error("The GPU Async language server needs Python 3.11 or later, which was not found.");
}

/** What the environment was made with and for; with anything else it is not used. */
export interface Made {
  python: string;
  requirements: string[];
}

/** Where an environment says what it was made with. */
export function madeWith(environment: string): string {
  return path.join(environment, "made-with.json");
}

/** The interpreter of this extension's environment, if that is whole, of this version, and of the Python asked for. */
async function environmentPython(
  context: vscode.ExtensionContext,
  configured: string | undefined,
  log: vscode.LogOutputChannel,
): Promise<string | undefined> {
  const environment = privateEnvironment(context);
  const text = await readFile(madeWith(environment), "utf8").catch(() => undefined);
  if (text === undefined) {
    return undefined;
  }
  const made = JSON.parse(text) as Made;
  const wanted = Object.values(await requirements(context)).map((each) => each.join());
  const interpreter = interpreterOf(environment);
  const current = wanted.includes(made.requirements.join()) && (!configured || configured === made.python);
  if (current && (await isProgram(interpreter)) && (await fits(interpreter, log))) {
    return interpreter;
  }
  log.info(`${environment} was made for another version or Python, and is not used`);
  return undefined;
}

async function fits(program: string, log: vscode.LogOutputChannel): Promise<boolean> {
  const said = await output(program, ["-I", "-c", ASK]);
  const [major = 0, minor = 0] = (said ?? "").split(" ").map(Number);
  const good = major > 3 || (major === 3 && minor >= 11);
  if (!good) {
    log.info(`${program} is ${said === undefined ? "no Python" : `Python ${major}.${minor}, too old`}`);
  }
  return good;
}

/** What a program prints, or undefined if it fails. */
export async function output(program: string, args: string[]): Promise<string | undefined> {
  return execute(program, args, { timeout: PATIENCE_MS, cwd: path.parse(program).root }).then(
    ({ stdout }) => stdout,
    () => undefined,
  );
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

/** The interpreter selected in the Python extension, if that is installed; none of an untrusted workspace. */
export async function selectedPython(): Promise<string | undefined> {
  const extension = vscode.extensions.getExtension<PythonExtension>("ms-python.python");
  if (!extension || !vscode.workspace.isTrusted) {
    return undefined;
  }
  const python = await extension.activate();
  const selected = await python.environments.resolveEnvironment(
    python.environments.getActiveEnvironmentPath(),
  );
  return selected?.executable.uri?.fsPath;
}

/** Where a Python may be in the folders of PATH; relative ones could lead into the workspace and are left out. */
function onPath(): string[] {
  const folders = (process.env["PATH"] ?? "")
    .split(path.delimiter)
    .filter((folder) => path.isAbsolute(folder));
  const names = windows ? [...NAMES.map((name) => `${name}.exe`), "py.exe"] : NAMES;
  return names.flatMap((name) => folders.map((folder) => path.join(folder, name)));
}

export async function isProgram(file: string): Promise<boolean> {
  return access(file, windows ? constants.F_OK : constants.X_OK).then(
    () => true,
    () => false,
  );
}
