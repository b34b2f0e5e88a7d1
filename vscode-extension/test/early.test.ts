import assert from "node:assert/strict";
import { once } from "node:events";
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { after, before, beforeEach, test } from "node:test";
import { EarlyServer } from "../src/early";
import type { Found } from "../src/find";
import { installed, settings } from "./vscode";

let home: string;
let python: string;
let starts: string;
const known = process.env["PATH"];

before(async () => {
  home = await mkdtemp(path.join(tmpdir(), "early-"));
  [python, starts] = [path.join(home, "python3"), path.join(home, "starts")];
  // A server that ends with its input; what it writes first tells that it runs.
  const server = `echo "$PWD $*" >> ${starts}; echo ready; exec cat`;
  const said = 'echo "3 12 $0"';
  await writeFile(python, `#!/bin/sh\ncase "$*" in *version_info*) ${said} ;; *) ${server} ;; esac\n`);
  await chmod(python, 0o755);
  process.env["PATH"] = `${home}:/usr/bin:/bin`;
});

beforeEach(async () => {
  settings.clear();
  installed.clear();
  await rm(starts, { force: true });
});

after(async () => {
  process.env["PATH"] = known;
  await rm(home, { recursive: true });
});

const found = (command: string, kind: Found["kind"] = "bundled"): Found => ({
  command,
  kind,
  args: [],
  where: "",
});

test("the server that was started early is used once, if the search leads to the same Python", async () => {
  const early = new EarlyServer("/extension");
  const server = await early.take(found(python));
  assert.ok(server);
  await once(server.stdout, "data");
  assert.equal(await readFile(starts, "utf8"), "/ -I /extension/bundled/start.py --stdio\n");
  assert.equal(await early.take(found(python)), undefined);
  server.stdin.end();
  assert.deepEqual(await once(server, "exit"), [0, null]);
});

test("the server that was started early ends if another one is chosen, or none", async () => {
  for (const chosen of [found("/opt/python3"), found(python, "environment"), undefined]) {
    const early = new EarlyServer("/extension");
    const server = early["process"];
    assert.ok(server);
    await once(server.stdout, "data");
    const ended = once(server, "exit");
    if (chosen) {
      assert.equal(await early.take(chosen), undefined);
    } else {
      early.dispose();
    }
    assert.deepEqual(await ended, [0, null]);
  }
});

test("no server is started early if a setting or the Python extension may name another one", () => {
  for (const name of ["gpuasync.serverPath", "gpuasync.python"]) {
    settings.set(name, python);
    assert.equal(new EarlyServer("/extension")["process"], undefined);
    settings.clear();
  }
  installed.set("ms-python.python", () => undefined);
  assert.equal(new EarlyServer("/extension")["process"], undefined);
});
