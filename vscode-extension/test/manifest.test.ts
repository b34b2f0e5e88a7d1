import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { test } from "node:test";

interface Command {
  command: string;
  title: string;
  when?: string;
}

interface Setting {
  type?: string | string[];
  enum?: unknown[];
  order: number;
  scope: string;
}

interface Manifest {
  private?: boolean;
  galleryBanner: unknown;
  keywords: string[];
  license: string;
  activationEvents: string[];
  capabilities: Record<"untrustedWorkspaces" | "virtualWorkspaces", { supported: string }>;
  contributes: {
    commands: Command[];
    configurationDefaults: Partial<Record<string, Record<string, unknown>>>;
    configuration: { title: string; properties: Record<string, Setting> }[];
    menus: Record<string, Command[]>;
  };
}

const manifest = JSON.parse(await readFile("package.json", "utf8")) as Manifest;
const { commands, configuration, configurationDefaults, menus } = manifest.contributes;

test("the page of the extension has a banner, keywords and an SPDX licence", () => {
  assert.equal(manifest.private, undefined);
  assert.ok(manifest.galleryBanner);
  assert.ok(manifest.keywords.includes("mlir"));
  assert.equal(manifest.license, "Apache-2.0 WITH LLVM-exception");
});

test("the check of all files begins in a folder with MLIR files, without an open one", () => {
  assert.ok(manifest.activationEvents.includes("workspaceContains:**/*.mlir"));
  assert.ok(!manifest.activationEvents.includes("onLanguage:mlir")); // VS Code implies it.
});

test("highlighting works in virtual workspaces, diagnosis in untrusted ones", () => {
  assert.equal(manifest.capabilities.virtualWorkspaces.supported, "limited");
  assert.equal(manifest.capabilities.untrustedWorkspaces.supported, "limited");
});

test("settings are in groups, in an order, and can be edited without settings.json", () => {
  assert.ok(configuration.length >= 4);
  for (const { title, properties } of configuration) {
    assert.ok(title);
    const orders = Object.values(properties).map(({ order }) => order);
    assert.deepEqual(orders, [...orders.keys()]);
    for (const [name, { type, enum: values, scope }] of Object.entries(properties)) {
      assert.ok(scope, name);
      // VS Code has no editor for a union of types, unless it is an enum.
      assert.ok(values !== undefined || typeof type === "string", name);
    }
  }
});

test("the indentation of MLIR is a default, which .editorconfig, a file and the user override", async () => {
  assert.equal(configurationDefaults["[mlir]"]?.["editor.tabSize"], 2);
  for (const file of await readdir("src")) {
    const text = file.endsWith(".ts") ? await readFile(`src/${file}`, "utf8") : "";
    assert.doesNotMatch(text, /tabSize|insertSpaces|indentSize/, file);
  }
});

test("buttons in the title of an editor are for sources, previews or streams, not for git's or a pass's documents", () => {
  const ours = /resourceScheme (=~ \/\^\(file\|untitled\)\$\/|== gpuasync-lowering)|== gpuasync.streams/;
  for (const { command, when } of menus["editor/title"] ?? []) {
    assert.match(when ?? "", ours, command);
  }
});

test("each entry of a menu is a command with a title", () => {
  const titles = new Map(commands.map(({ command, title }) => [command, title]));
  for (const { command } of Object.values(menus).flat()) {
    assert.ok(titles.get(command), command);
  }
});

test("nothing promises snippets, which nothing contributes", async () => {
  for (const file of ["README.md", "walkthrough/install.md", "package.json", "src/server.ts"]) {
    assert.doesNotMatch(await readFile(file, "utf8"), /snippet/i, file);
  }
});
