import assert from "node:assert/strict";
import { test } from "node:test";
import { format, gridOf, statistics } from "../src/webview/arrays";

const value = (shape: number[], elements: (number | string)[]) => ({
  name: "a",
  type: "",
  preview: "",
  changed: true,
  shape,
  elements,
});
const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

test("a matrix has its rows and columns", () => {
  const grid = gridOf(value([3, 4], upTo(12)));
  assert.ok(grid);
  assert.deepEqual([grid.rows, grid.columns, grid.cell(2, 1), grid.index(2)], [3, 4, 9, "2"]);
});

test("what stands above two dimensions is told by all its indices", () => {
  const grid = gridOf(value([2, 3, 4], upTo(24)));
  assert.ok(grid);
  assert.deepEqual([grid.rows, grid.index(0), grid.index(5), grid.cell(5, 3)], [6, "0, 0", "1, 2", 23]);
});

test("a vector is wrapped, and its tail has its own indices", () => {
  const grid = gridOf(value([1024], upTo(1024)));
  assert.ok(grid);
  assert.deepEqual([grid.rows, grid.columns, grid.index(63), grid.cell(63, 15)], [64, 16, "1008", 1023]);
});

test("of a large array the first elements are known", () => {
  const grid = gridOf(value([1000, 1000], upTo(10)));
  assert.ok(grid);
  assert.deepEqual([grid.size, grid.cell(0, 9), grid.cell(0, 10)], [1_000_000, 9, undefined]);
});

test("no dimensions, no elements, no array", () => {
  assert.equal(gridOf(value([], [7]))?.cell(0, 0), 7);
  assert.equal(gridOf(value([0, 4], []))?.rows, 0);
  assert.equal(gridOf(value([4, 0], []))?.rows, 0);
  assert.equal(gridOf({ name: "a", type: "i32", preview: "7", changed: true }), undefined);
});

test("statistics leave out what is no number", () => {
  assert.equal(statistics([1, 2, "nan", 6]), "least 1, greatest 6, mean 3, 1 not finite");
  assert.equal(statistics(["nan"]), "no numbers");
  assert.equal(format(0.1 + 0.2), "0.3");
  assert.equal(format("9007199254740993"), "9007199254740993");
});
