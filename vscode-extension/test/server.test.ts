import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { Uri, type ExtensionContext } from "vscode";
import { Client } from "../src/client";
import type { EarlyServer } from "../src/early";
import { Server } from "../src/server";
import { clients, servers, State } from "./languageclient";
import {
  EventEmitter,
  events,
  installed,
  messages,
  settings,
  warnings,
  window,
  workspaceSettings,
} from "./vscode";

const context = {
  extensionPath: "/extension",
  globalStorageUri: Uri.file("/storage"),
  extension: { packageJSON: { version: "0.2.0" } },
} as unknown as ExtensionContext;
/** No server was started early. */
const early = { take: async () => Promise.resolve(undefined) } as unknown as EarlyServer;
const alive = (): number => clients.filter(({ state }) => state !== State.Stopped).length;
const settle = async (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

let server: Server;

beforeEach(() => {
  clients.length = messages.length = warnings.length = 0;
  servers.hanging = false;
  servers.started = Promise.resolve();
  settings.clear();
  settings.set("gpuasync.serverPath", process.execPath);
  server = new Server(context, early);
});

afterEach(() => {
  server.dispose();
});

test("a server that hangs is replaced, which the log says, and the user is not asked", async () => {
  await server.restart();
  servers.hanging = true;
  await server.restart();
  assert.deepEqual([clients.length, alive(), server.isRunning], [2, 1, true]);
  assert.match(warnings.join(), /did not stop in time: Error: Stopping the server timed out/);
  assert.deepEqual(messages, []);
});

test("a notification that fails while no server runs is logged, and the user is not bothered", async () => {
  const client = new Client({ command: "" }, {}, undefined);
  client.error("saving failed");
  await client.start();
  client.error("saving failed");
  await client.dispose();
  client.error("saving failed");
  client.error("cannot start", undefined, "force");
  assert.deepEqual(clients[0]?.shown, [false, true, false, "force"]);
});

test("two restarts while a server starts are one, and never do two servers live", async () => {
  let start = (): void => undefined;
  servers.started = new Promise((resolve) => (start = resolve));
  const most: number[] = [];
  server.onRunning(() => most.push(alive()));
  const asked = [server.restart(), server.restart(), server.restart()];
  await settle();
  assert.deepEqual([clients.length, server.isStarting, server.isRunning], [1, true, false]);
  start();
  await Promise.all(asked);
  assert.deepEqual([clients.length, alive(), server.isRunning], [2, 1, true]);
  assert.ok(Math.max(...most) <= 1, most.join());
});

test("a start ends without an answer to the message that no server was found", async (t) => {
  settings.set("gpuasync.serverPath", "/nothing");
  t.mock.method(window, "showWarningMessage", async (message: string): Promise<undefined> => {
    messages.push(message);
    return new Promise(() => undefined); // nobody closes it
  });
  await server.restart();
  assert.match(messages.join(), /serverPath names no program: \/nothing\. Highlighting works/);
  settings.set("gpuasync.serverPath", process.execPath);
  await server.restart();
  assert.ok(server.isRunning);
});

test("trust, and a setting that names a program, start a server anew; other settings do not", async () => {
  const changed = async (name: string): Promise<number> => {
    events.configured.fire({ affectsConfiguration: (each) => each === name });
    await server.restart(); // also waits for the one that the event has asked for
    return clients.splice(0).length;
  };
  assert.equal(await changed("gpuasync.severity"), 1);
  assert.equal(await changed("gpuasync.mlirOpt"), 2);
  assert.equal(await changed("gpuasync.run.command"), 2);
  events.trusted.fire(undefined);
  await server.restart();
  assert.equal(clients.length, 2);
});

test("another interpreter starts the server anew, unless a setting names the server", async (t) => {
  const selected = new EventEmitter<undefined>();
  installed.set("ms-python.python", () => ({
    environments: { onDidChangeActiveEnvironmentPath: selected.event },
  }));
  const known = process.env["PATH"];
  process.env["PATH"] = "";
  t.after(() => {
    process.env["PATH"] = known;
    installed.clear();
  });
  server.dispose();
  server = new Server(context, early);
  await settle();
  selected.fire(undefined);
  await server.restart();
  assert.equal(clients.splice(0).length, 1);
  settings.clear();
  selected.fire(undefined);
  await settle();
  assert.match(messages.join(), /needs Python 3.11 or later/);
});

test("programs come from the user's settings alone, and only this extension says whether to trust", async () => {
  settings.set("gpuasync.mlirOpt", "/usr/bin/mlir-opt");
  workspaceSettings
    .set("gpuasync.mlirOpt", "/workspace/evil")
    .set("gpuasync.run.command", ["/workspace/evil"]);
  await server.restart();
  const given = JSON.stringify(clients[0]?.options.initializationOptions);
  assert.match(given, /"mlirOpt":"\/usr\/bin\/mlir-opt"/);
  assert.match(given, /"trusted":true/);
  assert.doesNotMatch(given, /evil/);
});
