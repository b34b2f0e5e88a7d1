import assert from "node:assert/strict";
import { test } from "node:test";
import { commentEdit, commentedVersion, withVersion } from "../src/releaseText";

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

for (const [text, wanted] of [
  ["// gpuasync: llvm=19\n", 19],
  ["module {}\n  //gpuasync: ignore[GA101] llvm = 22 // more\n", 22],
  ["module {} // gpuasync: llvm=19\n", 19],
  ["// gpuasync:\n\n// llvm=19\n", undefined],
  ["// gpuasync: llvm =\n\n19\n", undefined],
] as const) {
  test(`the release and its comment are on one line: ${JSON.stringify(text)}`, () => {
    assert.equal(commentedVersion(text), wanted);
  });
}

for (const [text, llvm, wanted] of [
  ["module {}\n", 22, "// gpuasync: llvm=22\nmodule {}\n"],
  [
    "// RUN: cat %s\n// RUN: true\nmodule {}\n",
    22,
    "// RUN: cat %s\n// RUN: true\n// gpuasync: llvm=22\nmodule {}\n",
  ],
  ["// gpuasync: llvm=19, ignore[GA1]\n", 22, "// gpuasync: llvm=22, ignore[GA1]\n"],
  ["a\n\n  // gpuasync: llvm=19 \r\n\nb\n", null, "a\n\n\nb\n"],
  ["module {} // gpuasync: llvm=19\r\nb\n", null, "module {}\r\nb\n"],
  ["// gpuasync: llvm=19", null, ""],
] as const) {
  test(`${JSON.stringify(text)} for ${String(llvm)}`, () => {
    const edit = commentEdit(text, llvm);
    assert.ok(edit);
    assert.equal(text.slice(0, edit.start) + edit.text + text.slice(edit.end), wanted);
  });
}

test("a comment that says more than the release is not removed", () => {
  for (const text of ["// gpuasync: ignore[GA1] llvm=19\n", "// gpuasync: llvm=19 // ours\n"]) {
    assert.throws(() => commentEdit(text, null), /remove it by hand/);
  }
  assert.equal(commentEdit("module {}\n", null), undefined);
});
