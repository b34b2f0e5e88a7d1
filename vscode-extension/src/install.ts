/**
 * What runs need and has compiled parts (llvmlite, NumPy; for GPUs cuda-python) comes into an environment of this
 * extension, when it is first needed and the user says so. The server itself needs nothing.
 */
import { execFile } from "node:child_process";
import { mkdir, rm, writeFile } from "node:fs/promises";
import * as path from "node:path";
import { promisify } from "node:util";
import * as vscode from "vscode";
import { findPython, interpreterOf, madeWith, privateEnvironment, requirements, type Made } from "./python";
import type { Server } from "./server";

const execute = promisify(execFile);

/** What can be missing: the names of extras of the server's package. */
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
    const title = "Install what runs need into an environment of this extension";
    const choice = await vscode.window.showQuickPick(kinds, { title });
    if (choice) {
      await install(context, server, choice.lacking);
    }
  });
}

/** Asks whether to install what a run has lacked, and does it; true if it can run now. */
export async function offer(
  context: vscode.ExtensionContext,
  server: Server,
  lacking: Lacking,
): Promise<boolean> {
  if (!server.isBundled) {
    return false; // the report says what is missing, and whoever chose that server knows where to install
  }
  const choice = await vscode.window.showInformationMessage(
    `${NEEDS[lacking]}. Install them for this extension?`,
    {
      modal: true,
      detail:
        "They have compiled parts and so are not inside the extension. pip installs them, from the package index that it " +
        "is set up for, into an environment that only this extension uses.",
    },
    "Install and Run",
  );
  return choice === "Install and Run" && (await install(context, server, lacking));
}

/** Makes the environment afresh and starts the server from it; says what went wrong where it cannot. */
async function install(context: vscode.ExtensionContext, server: Server, lacking: Lacking): Promise<boolean> {
  const environment = privateEnvironment(context);
  try {
    const wanted = (await requirements(context))[lacking] ?? [];
    await vscode.window.withProgress(
      { location: vscode.ProgressLocation.Notification, title: "Installing what runs need" },
      async (progress) => {
        const python = await findPython(context, server.log, false);
        await server.stop(); // it may run from there
        await rm(environment, { recursive: true, force: true });
        await mkdir(path.dirname(environment), { recursive: true });
        progress.report({ message: `with ${python.program}` });
        await run(server, python.program, ["-I", "-m", "venv", environment]);
        progress.report({ message: wanted.map((text) => text.split(/[<>=;]/, 1)[0]).join(", ") });
        const pip = ["-I", "-m", "pip", "install", "--disable-pip-version-check", "--only-binary", ":all:"];
        await run(server, interpreterOf(environment), [...pip, ...wanted]);
        const made: Made = { python: python.program, requirements: wanted };
        await writeFile(madeWith(environment), JSON.stringify(made));
      },
    );
  } catch (error) {
    server.log.error(String(error));
    await server.restart();
    const choice = await vscode.window.showErrorMessage(
      `What runs need could not be installed: ${reason(error)}`,
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

async function run(server: Server, program: string, args: string[]): Promise<void> {
  server.log.info([program, ...args].join(" "));
  const { stdout, stderr } = await execute(program, args, {
    maxBuffer: 1 << 24,
    cwd: path.parse(program).root,
  });
  server.log.info(stdout + stderr);
}

function reason(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const lines = message.trim().split("\n");
  return lines.find((line) => line.startsWith("ERROR:")) ?? lines[0] ?? "";
}
