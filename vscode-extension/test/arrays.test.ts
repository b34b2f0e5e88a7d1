import assert from "node:assert/strict";
import { test } from "node:test";
import { rows } from "../src/webview/arrays";

test("nested lists become rows", () => {
  assert.deepEqual(rows("[[1, 2.5], [-3e2, ...]]"), [
    [1, 2.5],
    [-300, "…"],
  ]);
  assert.deepEqual(rows("[[[1 2]\n  [3 4]]]"), [
    [1, 2],
    [3, 4],
  ]);
});

test("what is no number of its own spelling", () => {
  assert.deepEqual(rows("[inf, -inf, nan, true]"), [[Infinity, -Infinity, NaN, 1]]);
});

test("a scalar is no array", () => {
  assert.equal(rows("42"), undefined);
});
