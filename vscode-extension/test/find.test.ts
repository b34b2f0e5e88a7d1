import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { Uri, type ExtensionContext, type LogOutputChannel } from "vscode";
import { findServer, type Found } from "../src/find";
import { registerInstall } from "../src/install";
import { findPython, removeOldEnvironments } from "../src/python";
import type { Server } from "../src/server";
import { cancellable, handlers, installed, messages, settings, workspace } from "./vscode";

const PYTHON = `#!/bin/sh
case "$*" in
  *version_info*) echo "3 12 $0" ;;
  *"-m venv"*) [ "$NO_VENV" ] || { mkdir -p "$4/bin"; cp "$0" "$4/bin/python"; } ;;
  *"-m pip"*) echo "$*" > "$FAILS.said"; [ ! "$SLOW" ] || exec sleep 100; [ ! -e "$FAILS" ] || { echo "ERROR: no network" >&2; exit 1; }; touch "$(dirname "$0")/packages" ;;
esac
`;
/** A file; while it exists, pip fails. */
const FAILS = "FAILS";

let home: string;
let storage: string;
let context: ExtensionContext;
const known = process.env["PATH"];
const log = {
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
} as unknown as LogOutputChannel;
const find = (): Promise<Found> => findServer(context, log);

async function program(file: string, text: string): Promise<string> {
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, text);
  await chmod(file, 0o755);
  return file;
}

beforeEach(async () => {
  home = await mkdtemp(path.join(tmpdir(), "find-"));
  storage = path.join(home, "storage");
  await mkdir(storage);
  await mkdir(path.join(home, "extension", "dist"), { recursive: true });
  const requirements = JSON.stringify({ run: ["llvmlite==1"], cuda: ["cuda-python==1"] });
  await writeFile(path.join(home, "extension", "dist", "requirements.json"), requirements);
  context = {
    globalStorageUri: Uri.file(storage),
    extensionPath: path.join(home, "extension"),
    extension: { packageJSON: { version: "0.2.0" } },
  } as unknown as ExtensionContext;
  await program(path.join(home, "bin", "python3"), PYTHON);
  process.env["PATH"] = `${path.join(home, "bin")}:/usr/bin:/bin`;
  process.env[FAILS] = path.join(home, "fails");
  settings.clear();
  installed.clear();
  messages.length = 0;
});

afterEach(async () => {
  process.env["PATH"] = known;
  workspace.isTrusted = true;
  await rm(home, { recursive: true });
});

/** The API of the Python extension while it has selected this interpreter. */
const selected = (python: string) => (): unknown => ({
  environments: {
    getActiveEnvironmentPath: () => ({ path: python }),
    resolveEnvironment: async () => Promise.resolve({ executable: { uri: Uri.file(python) } }),
  },
});

test("a damaged environment.json does not end the search", async () => {
  for (const damaged of [
    "",
    "{",
    "null",
    '{"python": 1}',
    '{"python": "p", "requirements": [], "environment": "../../elsewhere"}',
  ]) {
    await writeFile(path.join(storage, "environment.json"), damaged);
    const { command, kind } = await find();
    assert.deepEqual([command, kind], [path.join(home, "bin", "python3"), "bundled"], damaged);
  }
});

test("a Python extension that fails, or has another API, does not end the search", async () => {
  const fail = (): never => {
    throw new Error("broken");
  };
  for (const api of [
    fail,
    () => undefined,
    () => ({}),
    () => ({ environments: { getActiveEnvironmentPath: fail } }),
  ]) {
    installed.set("ms-python.python", api);
    assert.equal((await find()).where, "this extension, with Python of PATH");
  }
});

test("a shim that chooses a Python by folder is asked once, and its choice is started", async () => {
  const shim = '#!/bin/sh\n[ "$PWD" = / ] && echo "3 12 /opt/python3.12" || echo "3 9 /opt/python3.9"\n';
  await program(path.join(home, "bin", "python3"), shim);
  assert.equal((await find()).command, "/opt/python3.12");
});

test("a Python that is too old, or prints something else, is passed over", async () => {
  await program(path.join(home, "bin", "python3"), "#!/bin/sh\necho 3 10 $0\n");
  await program(path.join(home, "bin", "python"), "#!/bin/sh\necho Install Python from the store\n");
  const newer = await program(path.join(home, "bin", "python3.14"), PYTHON);
  process.env["PATH"] = `${path.join(home, "bin")}:relative`;
  assert.equal((await find()).command, newer);
  await rm(newer);
  await assert.rejects(find(), /needs Python 3.11 or later, which was not found/);
});

test("the server of the selected environment is used if it has the version of this extension", async () => {
  const asked = path.join(home, "asked");
  const python = await program(path.join(home, "venv", "bin", "python"), PYTHON);
  const server = path.join(home, "venv", "bin", "gpuasync-lsp");
  installed.set("ms-python.python", selected(python));
  await program(server, `#!/bin/sh\necho "$*" >> ${asked}\necho gpuasync-lsp 0.0.1\n`);
  const { command, kind } = await find();
  assert.deepEqual([command, kind], [python, "bundled"]);
  assert.equal(await readFile(asked, "utf8"), "--version\n");
  await program(server, "#!/bin/sh\necho gpuasync-lsp 0.2.0\n");
  assert.equal((await find()).command, server);
  workspace.isTrusted = false;
  assert.equal((await find()).command, path.join(home, "bin", "python3"));
});

test("of several folders, the first whose environment has the server decides", async (t) => {
  const folders = ["first", "second"].map((name) => Uri.file(path.join(home, name)));
  const known = workspace.workspaceFolders;
  workspace.workspaceFolders = folders.map((uri) => ({ uri }));
  t.after(() => {
    workspace.workspaceFolders = known;
  });
  installed.set("ms-python.python", () => ({
    environments: {
      getActiveEnvironmentPath: ({ fsPath }: Uri) => fsPath,
      resolveEnvironment: async (folder: string) =>
        Promise.resolve({ executable: { uri: Uri.file(path.join(folder, "bin", "python")) } }),
    },
  }));
  await program(path.join(home, "second", "bin", "python"), PYTHON);
  assert.equal((await find()).command, path.join(home, "second", "bin", "python"));
  const server = "#!/bin/sh\necho gpuasync-lsp 0.2.0\n";
  const second = await program(path.join(home, "second", "bin", "gpuasync-lsp"), server);
  assert.equal((await find()).command, second);
  const first = await program(path.join(home, "first", "bin", "gpuasync-lsp"), server);
  assert.equal((await find()).command, first);
});

test("a setting that names no program is an error, and a relative path never is one", async () => {
  settings.set("gpuasync.serverPath", path.join(home, "nothing"));
  await assert.rejects(find(), /serverPath names no program/);
  settings.set("gpuasync.serverPath", "bin/python3");
  await assert.rejects(find(), /serverPath names no program/);
  settings.clear();
  settings.set("gpuasync.python", "python3");
  await assert.rejects(find(), /gpuasync.python does not name a Python/);
});

/** The command that installs the packages for runs, of one more window. */
function install(): () => Promise<void> {
  const server = { log, isRunning: true, isBundled: true, restart: async () => Promise.resolve() };
  registerInstall(context, server as unknown as Server);
  return handlers.get("gpuasync.install") as () => Promise<void>;
}

const environments = async (): Promise<string[]> =>
  (await readdir(storage)).filter((name) => name !== "environment.json");

test("two windows that install at once have an environment each, and both stay", async () => {
  const [first, second] = [install(), install()];
  await Promise.all([first(), second()]);
  assert.deepEqual(messages, []);
  const made = await environments();
  assert.equal(made.length, 2);
  for (const name of made) {
    assert.deepEqual(await readdir(path.join(storage, name, "bin")), ["packages", "python"]);
  }
  const { program: python, where } = await findPython(context, log);
  assert.equal(where, "the environment of this extension");
  assert.ok(made.map((name) => path.join(storage, name, "bin", "python")).includes(python));
});

test("an installation that fails is removed, and the one before stays", async () => {
  await install()();
  const before = await environments();
  await writeFile(process.env[FAILS] ?? "", "");
  await install()();
  assert.match(messages.join(), /could not be installed: ERROR: no network/);
  assert.deepEqual(await environments(), before);
  assert.equal((await findPython(context, log)).where, "the environment of this extension");
});

test("pip gets the proxy of VS Code's settings", async () => {
  settings.set("http.proxy", "http://proxy:3128");
  await install()();
  assert.match(await readFile(`${home}/fails.said`, "utf8"), / --proxy http:\/\/proxy:3128 llvmlite==1\n/);
});

test("an installation that is cancelled ends its program, says nothing, and leaves nothing", async (t) => {
  process.env["SLOW"] = "yes";
  t.after(() => delete process.env["SLOW"]);
  const installing = install()();
  while (!existsSync(`${home}/fails.said`)) {
    await new Promise(setImmediate); // until pip runs
  }
  cancellable.source.cancel();
  await installing;
  assert.deepEqual([messages, await environments()], [[], []]);
});

test("a Python whose environments are redirected, as the Microsoft Store's, is named with what to do", async (t) => {
  process.env["NO_VENV"] = "yes";
  t.after(() => delete process.env["NO_VENV"]);
  await install()();
  assert.match(
    messages.join(),
    /python3 created no environment in .*Choose another Python in gpuasync.python/,
  );
});

test("an environment for other requirements is not used", async () => {
  await install()();
  await writeFile(path.join(home, "extension", "dist", "requirements.json"), '{"run": ["llvmlite==2"]}');
  assert.equal((await findPython(context, log)).where, "PATH");
});

test("of the environments that are a week old, only the current one stays", async () => {
  await install()();
  const [current = ""] = await environments();
  const old = new Date(Date.now() - 8 * 24 * 3600 * 1000);
  await mkdir(path.join(storage, "environment-recent"));
  await mkdir(path.join(storage, "environment-old"));
  await mkdir(path.join(storage, "others"));
  for (const name of [current, "environment-old", "others"]) {
    await utimes(path.join(storage, name), old, old);
  }
  await removeOldEnvironments(context);
  assert.deepEqual((await environments()).sort(), [current, "environment-recent", "others"].sort());
});
