/** Creates the server and registers the features, one file each. */
import type * as vscode from "vscode";
import { early } from "./first";
import { registerExample } from "./example";
import { registerFixAll } from "./fixAll";
import { registerInstall } from "./install";
import { registerPasses } from "./passes";
import { registerPreview } from "./preview";
import { removeOldEnvironments } from "./python";
import { registerRun } from "./run";
import { Server } from "./server";
import { registerStatus } from "./status";
import { registerStreams } from "./streams";
import { registerTest } from "./test";

let server: Server | undefined;

export function activate(context: vscode.ExtensionContext): void {
  server = new Server(context, early);
  context.subscriptions.push(
    early,
    server,
    registerExample(server),
    registerFixAll(),
    registerInstall(context, server),
    registerPasses(server),
    registerPreview(server),
    registerRun(context, server),
    registerStatus(server),
    registerStreams(context, server),
    registerTest(server),
  );
  void removeOldEnvironments(context);
  void server.restart(); // Activation must not wait for a dialog or for Python.
}

export async function deactivate(): Promise<void> {
  await server?.stop();
}
