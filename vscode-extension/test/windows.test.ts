import assert from "node:assert/strict";
import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { test } from "node:test";
import { Uri, type ExtensionContext, type LogOutputChannel } from "vscode";
import { installed } from "./vscode";

test("on Windows, the server of conda and of a plain Python is in Scripts, that of a venv beside Python", async (t) => {
  Object.defineProperty(process, "platform", { value: "win32" });
  const { findServer } = await import("../src/find"); // reads the platform once
  const home = await mkdtemp(path.join(tmpdir(), "windows-"));
  t.after(() => rm(home, { recursive: true }));
  installed.set("ms-python.python", () => ({
    environments: {
      getActiveEnvironmentPath: () => ({ path: home }),
      resolveEnvironment: async () =>
        Promise.resolve({ executable: { uri: Uri.file(path.join(home, "python.exe")) } }),
    },
  }));
  const context = { extension: { packageJSON: { version: "0.2.0" } } } as unknown as ExtensionContext;
  await mkdir(path.join(home, "Scripts"));
  for (const folder of ["Scripts", "."]) {
    const server = path.join(home, folder, "gpuasync-lsp.exe");
    await writeFile(server, "#!/bin/sh\necho gpuasync-lsp 0.2.0\n");
    await chmod(server, 0o755);
    const { command, kind } = await findServer(context, {} as LogOutputChannel);
    assert.deepEqual([command, kind], [server, "environment"]);
  }
});
