/**
 * Installs the packages that runs need into an environment of this extension, when they are first needed and the user
 * agrees. They contain compiled code (llvmlite, NumPy; for GPUs cuda-python). The server needs none of them.
 */
import { execFile } from "node:child_process";
import { mkdir, rm } from "node:fs/promises";
import * as path from "node:path";
import { promisify } from "node:util";
import * as vscode from "vscode";
import { findPython, interpreterOf, isProgram, keepMade, newEnvironment, requirements } from "./python";
import type { Server } from "./server";

const execute = promisify(execFile);

/** An extra of the server's package that can be missing. */
export type Lacking = "run" | "cuda";

const NEEDS: Record<Lacking, string> = {
  run: "Running on the CPU needs llvmlite and NumPy",
  cuda: "Running on the GPU needs cuda-python, NVIDIA's libdevice, llvmlite and NumPy",
};

export function registerInstall(context: vscode.ExtensionContext, server: Server): vscode.Disposable {
  return vscode.commands.registerCommand("gpuasync.install", async () => {
    const kinds: (vscode.QuickPickItem & { lacking: Lacking })[] = [
      { label: "For the CPU", description: "llvmlite, NumPy", lacking: "run" },
      { label: "For NVIDIA GPUs, too", description: "also cuda-python and libdevice", lacking: "cuda" },
    ];
    const title = "Install the packages for runs into an environment of this extension";
    const choice = await vscode.window.showQuickPick(kinds, { title });
    if (choice) {
      await install(context, server, choice.lacking);
    }
  });
}

/** Asks whether to install the packages that a run lacked, and installs them; returns whether the run can start now. */
export async function offer(
  context: vscode.ExtensionContext,
  server: Server,
  lacking: Lacking,
): Promise<boolean> {
  if (!server.isBundled) {
    return false; // The report names the missing packages, and the user configured the server.
  }
  const choice = await vscode.window.showInformationMessage(
    `${NEEDS[lacking]}. Install them for this extension?`,
    {
      modal: true,
      detail:
        "They contain compiled code and are not part of the extension. pip installs them, from the package index that it " +
        "is configured for, into an environment that only this extension uses.",
    },
    "Install and Run",
  );
  return choice === "Install and Run" && (await install(context, server, lacking));
}

/**
 * Creates a new environment and starts the server from it; reports errors. Environments that other windows use are
 * kept, and an unfinished environment is never used.
 */
async function install(context: vscode.ExtensionContext, server: Server, lacking: Lacking): Promise<boolean> {
  const environment = newEnvironment(context);
  try {
    const wanted = (await requirements(context))[lacking] ?? [];
    await vscode.window.withProgress(
      {
        location: vscode.ProgressLocation.Notification,
        title: "Installing the packages for runs",
        cancellable: true,
      },
      async (progress, cancelled) => {
        const ended = new AbortController();
        cancelled.onCancellationRequested(() => {
          ended.abort();
        });
        const python = await findPython(context, server.log, false);
        await mkdir(path.dirname(environment), { recursive: true });
        progress.report({ message: `with ${python.program}` });
        await run(server, python.program, ["-I", "-m", "venv", environment], ended.signal);
        const interpreter = interpreterOf(environment);
        if (!isProgram(interpreter)) {
          // The Python of the Microsoft Store redirects files below AppData to a different folder.
          throw new Error(
            `${python.program} created no environment in ${environment}. Choose another Python in gpuasync.python.`,
          );
        }
        progress.report({ message: wanted.map((text) => text.split(/[<>=;]/, 1)[0]).join(", ") });
        const pip = ["-I", "-m", "pip", "install", "--disable-pip-version-check", "--only-binary", ":all:"];
        await run(server, interpreter, [...pip, ...proxy(), ...wanted], ended.signal);
        await keepMade(context, environment, { python: python.program, requirements: wanted });
      },
    );
  } catch (error) {
    await rm(environment, { recursive: true, force: true });
    if ((error as { name?: string }).name === "AbortError") {
      return false;
    }
    server.log.error(said(error));
    const choice = await vscode.window.showErrorMessage(
      `The packages for runs could not be installed: ${reason(error)}`,
      "Show Log",
    );
    if (choice) {
      server.log.show();
    }
    return false;
  }
  await server.restart();
  return server.isRunning;
}

async function run(server: Server, program: string, args: string[], signal: AbortSignal): Promise<void> {
  server.log.info([program, ...args].join(" "));
  const { stdout, stderr } = await execute(program, args, {
    maxBuffer: 1 << 24,
    cwd: path.parse(program).root,
    signal,
  });
  server.log.info(stdout + stderr);
}

/**
 * Returns pip's option for the proxy in VS Code's settings; without one, pip's own settings and the environment apply.
 */
function proxy(): string[] {
  const address = vscode.workspace.getConfiguration("http").get<string>("proxy");
  return address ? ["--proxy", address] : [];
}

/** Returns the output of a failed program and the error. Debian's venv prints what to install on standard output. */
function said(error: unknown): string {
  const { stdout = "", stderr = "" } = error as { stdout?: string; stderr?: string };
  return [error instanceof Error ? error.message : String(error), stdout, stderr].filter(Boolean).join("\n");
}

function reason(error: unknown): string {
  const lines = said(error).trim().split("\n");
  const missing = lines.find((line) => /^\s*apt(-get)? install /.test(line));
  if (missing) {
    return `this Python lacks venv. Run \`${missing.trim()}\`, and try again.`;
  }
  return lines.find((line) => line.startsWith("ERROR:")) ?? lines[0] ?? "";
}
