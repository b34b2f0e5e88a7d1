import assert from "node:assert/strict";
import { test } from "node:test";
import { Uri } from "vscode";
import { parsed, previewed, SCHEME, uriOf } from "../src/previewUri";
import { VirtualFiles } from "../src/virtual";

const preview = uriOf({ source: "file:///a/b.mlir", llvm: 22 });
const files = (give: () => Promise<string | undefined>): VirtualFiles =>
  new VirtualFiles(SCHEME, "", give, (uri) => parsed(uri) !== undefined);

test("the URI of a preview has its source and its release", () => {
  assert.equal(preview.path, "/b (lowered, LLVM 22).mlir");
  const { source, llvm } = previewed(preview) ?? {};
  assert.deepEqual([source?.toString(), llvm], ["file:///a/b.mlir", 22]);
});

test("a URI that is no preview's is not found, and is not remembered", async () => {
  const some = files(() => Promise.resolve("text"));
  for (const query of ["", "{", "null", "[]", '{"source": 1}']) {
    const uri = Uri.from({ scheme: SCHEME, path: "/.vscode/settings.json", query });
    assert.throws(() => some.stat(uri), /not found/);
    await assert.rejects(some.readFile(uri), /not found/);
    assert.equal(previewed(uri), undefined);
  }
  assert.deepEqual(some.known, []);
  some.stat(preview);
  assert.deepEqual(some.known.map(String), [preview.toString()]);
});

test("a text that is outdated when it arrives is asked for again", async () => {
  const texts = ["old", "new"];
  const some = files(() => {
    const text = texts.shift();
    if (text === "old") {
      some.refresh(preview);
    }
    return Promise.resolve(text);
  });
  assert.equal(Buffer.from(await some.readFile(preview)).toString(), "new");
  some.forget(preview);
  assert.deepEqual(some.known, []);
});
