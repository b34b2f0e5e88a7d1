import assert from "node:assert/strict";
import { test } from "node:test";
import { withVersion } from "../src/toml";

for (const [text, llvm, wanted] of [
  ["", 22, "llvm = 22\n"],
  ["llvm = 19\n", 22, "llvm = 22\n"],
  ['# ours\n llvm="19"\nselect = []\n', 22, "# ours\nllvm = 22\nselect = []\n"],
  ["select = []\n", 22, "llvm = 22\nselect = []\n"],
  ["[severity]\nllvm = 1\n", 22, "llvm = 22\n[severity]\nllvm = 1\n"],
  ["llvm = 19\n[severity]\n", null, "[severity]\n"],
  ["select = []\n", null, "select = []\n"],
] as const) {
  test(`${JSON.stringify(text)} with ${String(llvm)}`, () => {
    assert.equal(withVersion(text, llvm), wanted);
  });
}
