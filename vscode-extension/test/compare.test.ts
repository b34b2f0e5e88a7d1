import assert from "node:assert/strict";
import { test } from "node:test";
import type { Compared } from "../src/messages";
import { readNpy } from "../src/npy";
import { gridOf } from "../src/webview/arrays";
import { difference } from "../src/webview/difference";

const grid = gridOf({
  name: "a",
  type: "",
  preview: "",
  changed: true,
  shape: [2, 2],
  elements: [1, 2.5, "nan", 4],
});
const other = (elements: (number | string)[], shape = [2, 2]): Compared => ({
  with: "previous",
  label: "the previous run",
  shape,
  elements,
  error: "",
});

test("what differs is counted, and told at its indices", () => {
  assert.ok(grid);
  const found = difference(grid, [2, 2], other([1, 2, "nan", 4]));
  assert.equal(
    found.summary,
    "1 of 4 elements differ from the previous run, by 0.5 at most, the first at [0, 1]",
  );
  assert.deepEqual([found.before(0, 1), found.before(0, 0), found.before(1, 0)], [2, undefined, undefined]);
  assert.deepEqual(found.grid?.elements, [0, 0.5, 0, 0]);
});

test("what is equal, or of another shape, has no picture", () => {
  assert.ok(grid);
  const equal = difference(grid, [2, 2], other([1, 2.5, "nan", 4]));
  assert.deepEqual([equal.summary, equal.grid], ["Equal to the previous run in 4 elements", undefined]);
  const unlike = difference(grid, [2, 2], other([1, 2, 3, 4], [4]));
  assert.equal(unlike.summary, "Not compared with the previous run: its shape is 4");
});

function npy(descr: string, shape: string, data: Uint8Array, order = "False"): Uint8Array {
  const header = `{'descr': '${descr}', 'fortran_order': ${order}, 'shape': ${shape}, }\n`;
  const text = new TextEncoder().encode(header);
  return Uint8Array.from([
    0x93,
    ...new TextEncoder().encode("NUMPY"),
    1,
    0,
    text.length,
    0,
    ...text,
    ...data,
  ]);
}

test("files of NumPy are read by their type", () => {
  const floats = new Uint8Array(new Float32Array([1, -2.5, Infinity]).buffer);
  assert.deepEqual(readNpy(npy("<f4", "(3,)", floats), 10), { shape: [3], elements: [1, -2.5, "inf"] });
  assert.deepEqual(readNpy(npy("<f2", "(1, 2)", Uint8Array.from([0, 0x3c, 1, 0])), 10).elements, [
    1,
    2 ** -24,
  ]);
  assert.deepEqual(readNpy(npy(">i2", "(2,)", Uint8Array.from([0, 5, 0xff, 0xff])), 10).elements, [5, -1]);
  assert.deepEqual(readNpy(npy("|b1", "()", Uint8Array.from([1])), 10), { shape: [], elements: [1] });
  assert.deepEqual(readNpy(npy("|u1", "(3,)", Uint8Array.from([1, 2, 3])), 2).elements, [1, 2]);
});

test("files that are none are refused with their reason", () => {
  assert.throws(() => readNpy(new Uint8Array(20), 9), /not an .npy file/);
  assert.throws(() => readNpy(npy("|O", "(1,)", new Uint8Array(8)), 9), /only arrays of numbers/);
  assert.throws(() => readNpy(npy("<f4", "(9,)", new Uint8Array(8)), 9), /ends before/);
  assert.throws(() => readNpy(npy("<f4", "(1,)", new Uint8Array(4), "True"), 9), /column by column/);
});
