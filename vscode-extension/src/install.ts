/** Installs the server into a Python environment that belongs to this extension. */
import { execFile } from "node:child_process";
import { mkdir, rm } from "node:fs/promises";
import * as path from "node:path";
import { promisify } from "node:util";
import * as vscode from "vscode";
import { binaries, ownText, privateEnvironment, pythonInterpreter } from "./find";
import type { Server } from "./server";

const execute = promisify(execFile);

export function registerInstall(context: vscode.ExtensionContext, server: Server): vscode.Disposable {
  return vscode.commands.registerCommand("gpuasync.install", () => install(context, server));
}

/** Makes the environment afresh and starts the server from it; says what went wrong where it cannot. */
async function install(context: vscode.ExtensionContext, server: Server): Promise<void> {
  const environment = privateEnvironment(context);
  const requirement = ownText("installFrom") ?? "gpuasync-lsp[run]";
  try {
    await vscode.window.withProgress(
      { location: vscode.ProgressLocation.Notification, title: "Installing the GPU Async language server" },
      async (progress) => {
        const python = await findPython();
        progress.report({ message: `with ${python}` });
        await rm(environment, { recursive: true, force: true });
        await mkdir(path.dirname(environment), { recursive: true });
        await run(server, python, ["-I", "-m", "venv", environment]);
        progress.report({ message: requirement });
        const own = path.join(binaries(environment), "python");
        await run(server, own, ["-I", "-m", "pip", "install", "--disable-pip-version-check", requirement]);
      },
    );
  } catch (error) {
    server.log.error(String(error));
    const choice = await vscode.window.showErrorMessage(
      `The language server could not be installed: ${firstLine(error)}`,
      "Show Log",
    );
    if (choice) {
      server.log.show();
    }
    return;
  }
  await server.restart();
}

async function run(server: Server, program: string, args: string[]): Promise<void> {
  server.log.info([program, ...args].join(" "));
  const { stdout, stderr } = await execute(program, args, { maxBuffer: 1 << 24 });
  server.log.info(stdout + stderr);
}

/** A Python of 3.11 or later: the selected one, else what PATH has. */
async function findPython(): Promise<string> {
  const candidates = [
    await pythonInterpreter(),
    "python3",
    "python",
    "python3.13",
    "python3.12",
    "python3.11",
  ];
  const test = "import sys, venv; sys.exit(sys.version_info < (3, 11))";
  for (const candidate of candidates) {
    if (candidate && (await execute(candidate, ["-I", "-c", test]).then(Boolean, () => false))) {
      return candidate;
    }
  }
  throw new Error("no Python 3.11 or later with the venv module was found on PATH");
}

function firstLine(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const lines = message.trim().split("\n");
  return lines.find((line) => line.startsWith("ERROR:")) ?? lines[0] ?? "";
}
