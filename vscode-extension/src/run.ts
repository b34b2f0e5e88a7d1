/** Runs a function on a GPU or on the CPU. Nothing runs in a workspace that the user does not trust. */
import * as vscode from "vscode";
import { activeDocument } from "./active";
import { offer } from "./install";
import { runFinished, type Device, type RunArguments } from "./protocol";
import { shown, type Server } from "./server";
import { entries, type Argument, type Entry } from "./signature";

/** The last run that was asked for: it is run again when what it lacked has been installed. */
let last: RunArguments | undefined;

export function registerRun(context: vscode.ExtensionContext, server: Server): vscode.Disposable {
  server.onNotification(runFinished, ({ lacks, uri, entry }) => {
    const again = last;
    if (lacks && again?.uri === uri && again.entry === entry) {
      void shown(async () => {
        if (await offer(context, server, lacks)) {
          await run(server, again);
        }
      });
    }
  });
  server.intercept("gpuasync.run", (argument) =>
    shown(async () => {
      const { uri, device, entry } = argument as Partial<RunArguments> & { uri: string };
      const document = await vscode.workspace.openTextDocument(vscode.Uri.parse(uri));
      await choose(server, document, device, entry);
    }),
  );
  const command = (name: string, device: Device): vscode.Disposable =>
    vscode.commands.registerCommand(name, () => shown(() => choose(server, activeDocument(), device)));
  return vscode.Disposable.from(command("gpuasync.runOnGpu", "cuda"), command("gpuasync.runOnCpu", "cpu"));
}

/** Asks what was not said, and runs it. The report comes as a notification, see report.ts. */
async function choose(
  server: Server,
  document: vscode.TextDocument,
  device?: Device,
  name?: string,
): Promise<void> {
  if (!vscode.workspace.isTrusted) {
    throw new Error("Programs run in trusted workspaces only.");
  }
  const functions = entries(document.getText()).filter((entry) => name === undefined || entry.name === name);
  if (functions.length === 0) {
    throw new Error(`This file has no function ${name ? `@${name} ` : ""}with a body.`);
  }
  const entry = functions.length === 1 ? functions[0] : await pickEntry(functions);
  const args = entry && (await askArguments(entry));
  if (!args) {
    return;
  }
  const configuration = vscode.workspace.getConfiguration("gpuasync", document);
  const argument: RunArguments = {
    uri: server.identifier(document.uri).uri,
    device: device ?? configuration.get("device", "auto"),
    entry: entry.name,
    args,
    profile: configuration.get("run.profile", true),
  };
  last = argument;
  await run(server, argument);
}

async function run(server: Server, argument: RunArguments): Promise<void> {
  const where = { cuda: " on the GPU", cpu: " on the CPU", auto: "" }[argument.device];
  await vscode.window.withProgress(
    {
      location: vscode.ProgressLocation.Notification,
      title: `Running @${argument.entry ?? ""}${where}`,
      cancellable: true,
    },
    (_, token) => server.execute("gpuasync.run", argument, token),
  );
}

async function pickEntry(functions: Entry[]): Promise<Entry | undefined> {
  const items = functions.map((entry) => ({
    label: `@${entry.name}`,
    description: entry.arguments.map(({ type }) => type).join(", "),
    detail: `line ${entry.line + 1}`,
    entry,
  }));
  return (await vscode.window.showQuickPick(items, { title: "Run which function?" }))?.entry;
}

/** How each argument is made, by its name; undefined if the user thought better of it. */
async function askArguments(entry: Entry): Promise<Record<string, string> | undefined> {
  const args: Record<string, string> = {};
  for (const [index, argument] of entry.arguments.entries()) {
    const value = await askArgument(argument, `Argument ${index + 1} of ${entry.arguments.length}`);
    if (value === undefined) {
      return undefined;
    }
    args[argument.name] = value;
  }
  return args;
}

/** A number, or how an array is filled, with its extents where the type leaves them open. */
async function askArgument({ name, type }: Argument, step: string): Promise<string | undefined> {
  const title = `${step}: %${name} : ${type}`;
  if (!/^(?:memref|tensor|vector)</.test(type)) {
    return vscode.window.showInputBox({ title, prompt: "A number", value: "1" });
  }
  const fill = await askFill(title);
  const open = /^\w+<[^,>]*/.exec(type)?.[0].match(/\?/g)?.length ?? 0;
  if (fill === undefined || fill.endsWith(".npy") || open === 0) {
    return fill;
  }
  const extents = await vscode.window.showInputBox({
    title,
    prompt: open === 1 ? "The size that the type leaves open" : `The ${open} sizes that the type leaves open`,
    value: Array<string>(open).fill("16").join("x"),
    validateInput: (text) => (/^\d+(x\d+)*$/.test(text) ? undefined : "whole numbers with x between them"),
  });
  return extents && `${fill}@${extents}`;
}

async function askFill(title: string): Promise<string | undefined> {
  const items = [
    { label: "iota", description: "0, 1, 2, …" },
    { label: "ones" },
    { label: "zeros" },
    { label: "random", description: "the same numbers every time" },
    { label: "random:…", description: "random numbers of a seed" },
    { label: "File…", description: "an array saved by NumPy (.npy)" },
  ];
  const choice = await vscode.window.showQuickPick(items, { title });
  if (choice?.label === "random:…") {
    const validateInput = (text: string): string | undefined =>
      /^\d+$/.test(text) ? undefined : "a whole number";
    const seed = await vscode.window.showInputBox({ title, prompt: "Seed", value: "0", validateInput });
    return seed && `random:${seed}`;
  }
  if (choice?.label === "File…") {
    const files = await vscode.window.showOpenDialog({ filters: { "NumPy array": ["npy"] } });
    return files?.[0]?.fsPath;
  }
  return choice?.label;
}
