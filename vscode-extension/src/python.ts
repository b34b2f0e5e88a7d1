/** Finds a Python for the server inside this extension. */
import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { accessSync, constants, readFileSync } from "node:fs";
import { readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import * as path from "node:path";
import { promisify } from "node:util";
import type { PythonExtension } from "@vscode/python-extension";
import * as vscode from "vscode";

const execute = promisify(execFile);

export const windows = process.platform === "win32";
const NAMES = ["python3", "python", ...[15, 14, 13, 12, 11].map((minor) => `python3.${minor}`)];
const ASK = "import sys; print(*sys.version_info[:2], sys.executable)";
const PATIENCE_MS = 20_000;
/** Environments that are older than this are assumed to be unused by all windows. */
const OLD_MS = 7 * 24 * 3600 * 1000;

export interface Python {
  program: string;
  /** The interpreter's origin, as a phrase for the user. */
  where: string;
}

/**
 * Returns a setting of the user, or undefined; ignores a workspace's settings.
 *
 * A workspace file can set even a setting of the scope `machine`, in Restricted Mode too, by a key above it:
 * `"gpuasync": {"serverPath": "..."}`.
 */
export function ownSetting(name: string): unknown {
  return vscode.workspace.getConfiguration("gpuasync").inspect(name)?.globalValue ?? undefined;
}

/** Returns a setting of the user that is a string; undefined for anything else. */
export function ownText(name: string): string | undefined {
  const value = ownSetting(name);
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** Returns an unused folder for a new environment of this extension: other windows run from the existing ones. */
export function newEnvironment(context: vscode.ExtensionContext): string {
  return path.join(context.globalStorageUri.fsPath, `environment-${randomUUID()}`);
}

/** Records that `environment` is complete, and makes it the current one. */
export async function keepMade(
  context: vscode.ExtensionContext,
  environment: string,
  made: Omit<Made, "environment">,
): Promise<void> {
  const file = madeWith(context);
  const scratch = `${file}.${randomUUID()}`;
  await writeFile(scratch, JSON.stringify({ ...made, environment: path.basename(environment) }));
  await rename(scratch, file); // Atomic, so that no window reads a part of the file.
}

/** Removes environments other than the current one that are older than a week. */
export async function removeOldEnvironments(context: vscode.ExtensionContext): Promise<void> {
  const home = context.globalStorageUri.fsPath;
  const current = readMade(context)?.environment;
  const names = await readdir(home).catch(() => []);
  for (const name of names.filter((each) => /^environment(-[\w-]+)?$/.test(each) && each !== current)) {
    const folder = path.join(home, name);
    if (Date.now() - (await stat(folder)).mtimeMs > OLD_MS) {
      await rm(folder, { recursive: true, force: true });
    }
  }
}

/** Returns the path of an environment's interpreter. */
export function interpreterOf(environment: string): string {
  return windows ? path.join(environment, "Scripts", "python.exe") : path.join(environment, "bin", "python");
}

/** Returns pip's requirements for runs that are not bundled with this extension, by the name of the extra. */
export async function requirements(context: vscode.ExtensionContext): Promise<Record<string, string[]>> {
  const file = path.join(context.extensionPath, "dist", "requirements.json");
  return JSON.parse(await readFile(file, "utf8")) as Record<string, string[]>;
}

/**
 * Returns the first Python that is 3.11 or later: of this extension's environment if `own`, of the setting, of the
 * Python extension, or on PATH.
 *
 * Throws an error with a message for the user if there is none, or if the setting names none.
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
    const program = path.isAbsolute(configured) ? await fitting(configured, log) : undefined;
    if (!program) {
      throw new Error(`The setting gpuasync.python does not name a Python 3.11 or later: ${configured}`);
    }
    return { program, where: "the setting gpuasync.python" };
  }
  const candidates: Python[] = [
    ...(await selectedPythons(log)).map((program) => ({ program, where: "the selected Python environment" })),
    ...onPath().map((program) => ({ program, where: "PATH" })),
  ];
  for (const { program: candidate, where } of candidates) {
    const program = isProgram(candidate) ? await fitting(candidate, log) : undefined;
    if (program) {
      return { program, where };
    }
  }
  throw new Error("The GPU Async language server needs Python 3.11 or later, which was not found.");
}

/** The properties of the current environment; it is used only if all of them match. */
export interface Made {
  python: string;
  requirements: string[];
  /** The name of the environment's folder. */
  environment: string;
}

/** Returns the path of the file that names the current environment. */
function madeWith(context: vscode.ExtensionContext): string {
  return path.join(context.globalStorageUri.fsPath, "environment.json");
}

/**
 * Returns the interpreter of this extension's environment, if it is complete, of this version, and made with the
 * requested Python.
 */
async function environmentPython(
  context: vscode.ExtensionContext,
  configured: string | undefined,
  log: vscode.LogOutputChannel,
): Promise<string | undefined> {
  const made = readMade(context);
  if (made === undefined) {
    return undefined;
  }
  const environment = path.join(context.globalStorageUri.fsPath, made.environment);
  const wanted = Object.values(await requirements(context)).map((each) => each.join());
  const interpreter = interpreterOf(environment);
  const python = configured && (await fitting(configured, log));
  const current = wanted.includes(made.requirements.join()) && (!configured || python === made.python);
  if (current && isProgram(interpreter) && (await fitting(interpreter, log))) {
    return interpreter;
  }
  log.info(`${environment} was created for a different version or Python, and is not used`);
  return undefined;
}

/** Returns the properties of the current environment; undefined if there is none, or if the file is damaged. */
function readMade(context: vscode.ExtensionContext): Made | undefined {
  try {
    const made = JSON.parse(readFileSync(madeWith(context), "utf8")) as Partial<Made> | null;
    const isWhole =
      typeof made?.python === "string" &&
      Array.isArray(made.requirements) &&
      typeof made.environment === "string" &&
      path.basename(made.environment) === made.environment;
    return isWhole ? (made as Made) : undefined;
  } catch {
    return undefined;
  }
}

/** What a Python says about itself; undefined if the program is none. */
interface Said {
  version: [number, number];
  /** The interpreter that the program starts. */
  interpreter: string;
}

/** Asks a Python for its version. */
async function ask(program: string): Promise<Said | undefined> {
  const said = await output(program, ["-I", "-c", ASK]);
  const [, major, minor, interpreter] = /^(\d+) (\d+) (.+)$/m.exec(said ?? "") ?? [];
  return interpreter
    ? { version: [Number(major), Number(minor)], interpreter: interpreter.trim() }
    : undefined;
}

/** The answer of a Python that was asked before the first search for one. */
const asked = new Map<string, Promise<Said | undefined>>();

/**
 * Returns the first program on PATH that is named like a Python, and the interpreter that it starts. The next search
 * does not ask this program again.
 */
export function firstPython(): { program: string; interpreter: Promise<string | undefined> } | undefined {
  const program = onPath().find(isProgram);
  if (program === undefined) {
    return undefined;
  }
  const answer = ask(program);
  asked.set(program, answer);
  return { program, interpreter: answer.then((said) => said?.interpreter).catch(() => undefined) };
}

/**
 * Returns the interpreter that `program` starts, if it is 3.11 or later.
 *
 * A shim (pyenv, `py.exe`) may choose an interpreter by the current folder, so the one that it reports is started
 * directly.
 */
async function fitting(program: string, log: vscode.LogOutputChannel): Promise<string | undefined> {
  const answer = asked.get(program) ?? ask(program);
  asked.delete(program);
  const said = await answer;
  const [major, minor] = said?.version ?? [0, 0];
  if (said && (major > 3 || (major === 3 && minor >= 11))) {
    return said.interpreter;
  }
  log.info(`${program} is ${said ? `Python ${major}.${minor}, too old` : "no Python"}`);
  return undefined;
}

/** Returns a folder without files of a project, in which a program can be started. */
export function rootOf(program: string): string {
  return path.parse(program).root;
}

/** Returns the output of a program, or undefined if it fails. */
export async function output(program: string, args: string[]): Promise<string | undefined> {
  return execute(program, args, { timeout: PATIENCE_MS, cwd: rootOf(program) }).then(
    ({ stdout }) => stdout,
    () => undefined,
  );
}

/** Returns the Python extension, if it is installed and the workspace is trusted. */
export function pythonExtension(): vscode.Extension<Partial<PythonExtension> | undefined> | undefined {
  return vscode.workspace.isTrusted ? vscode.extensions.getExtension("ms-python.python") : undefined;
}

/** Returns the API of the Python extension; undefined if the extension is absent, fails, or has a different API. */
async function pythonApi(log?: vscode.LogOutputChannel): Promise<PythonExtension | undefined> {
  const extension = pythonExtension();
  if (!extension) {
    return undefined;
  }
  try {
    const python = await extension.activate();
    return python?.environments ? (python as PythonExtension) : undefined;
  } catch (error) {
    log?.warn(`the Python extension failed, so its selected environment is not used: ${String(error)}`);
    return undefined;
  }
}

/**
 * Returns the interpreters that are selected in the Python extension, if it is installed and the workspace is trusted:
 * that of the first folder, then those of other folders.
 */
export async function selectedPythons(log: vscode.LogOutputChannel): Promise<string[]> {
  const { environments } = (await pythonApi(log)) ?? {};
  const found: (string | undefined)[] = [];
  try {
    for (const folder of environments ? (vscode.workspace.workspaceFolders ?? [undefined]) : []) {
      const active = environments?.getActiveEnvironmentPath(folder?.uri);
      const selected = active && (await environments?.resolveEnvironment(active));
      found.push(selected?.executable.uri?.fsPath);
    }
  } catch (error) {
    log.warn(`the Python extension names no environment: ${String(error)}`);
  }
  return [...new Set(found)].filter((each) => each !== undefined);
}

/** Calls `listener` when a different interpreter is selected in the Python extension. */
export function onDidSelectPython(listener: () => void): vscode.Disposable {
  let subscription: vscode.Disposable | undefined;
  let disposed = false;
  void pythonApi().then((python) => {
    if (!disposed) {
      subscription = python?.environments.onDidChangeActiveEnvironmentPath(listener);
    }
  });
  return new vscode.Disposable(() => {
    disposed = true;
    subscription?.dispose();
  });
}

/** Returns the possible paths of Python on PATH, without relative folders, which could lead into the workspace. */
function onPath(): string[] {
  const folders = (process.env["PATH"] ?? "")
    .split(path.delimiter)
    .filter((folder) => path.isAbsolute(folder));
  const names = windows ? [...NAMES.map((name) => `${name}.exe`), "py.exe"] : NAMES;
  return names.flatMap((name) => folders.map((folder) => path.join(folder, name)));
}

/**
 * Returns whether a file exists and can be executed. Does not wait for the event loop, which other extensions block for
 * seconds while a window opens.
 */
export function isProgram(file: string): boolean {
  try {
    accessSync(file, windows ? constants.F_OK : constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
