/** Wires the features, one file each, to one server. */
import type * as vscode from "vscode";
import { registerExample } from "./example";
import { registerFixAll } from "./fixAll";
import { registerIndentation } from "./indentation";
import { registerInstall } from "./install";
import { registerPasses } from "./passes";
import { registerPreview } from "./preview";
import { registerRun } from "./run";
import { Server } from "./server";
import { registerStatus } from "./status";
import { registerStreams } from "./streams";
import { registerTest } from "./test";

let server: Server | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  server = new Server(context);
  context.subscriptions.push(
    server,
    registerExample(server),
    registerFixAll(),
    registerIndentation(),
    registerInstall(context, server),
    registerPasses(server),
    registerPreview(server),
    registerRun(context, server),
    registerStatus(server),
    registerStreams(context, server),
    registerTest(server),
  );
  await server.start();
}

export async function deactivate(): Promise<void> {
  await server?.stop();
}
