import assert from "node:assert/strict";
import { test } from "node:test";
import { entries } from "../src/signature";

const SOURCE = `module {
  func.func private @printMemrefF32(memref<*xf32>)
  func.func @main() {
    return
  }
  func.func @scale(%n: index, %a: memref<?xf32, strided<[1], offset: ?>> {llvm.noalias},
                   %f: (i32, i32) -> i32) -> (f32, f32) attributes {llvm.emit_c_interface} {
    return
  }
}`;

test("functions with a body, with their places", () => {
  assert.deepEqual(
    entries(SOURCE).map(({ name, line }) => [name, line]),
    [
      ["main", 2],
      ["scale", 5],
    ],
  );
});

test("arguments are cut at top-level commas, without their attributes", () => {
  assert.deepEqual(entries(SOURCE)[1]?.arguments, [
    { name: "n", type: "index" },
    { name: "a", type: "memref<?xf32, strided<[1], offset: ?>>" },
    { name: "f", type: "(i32, i32) -> i32" },
  ]);
});

test("a list that does not end is no function", () => {
  assert.deepEqual(entries("func.func @broken(%a: i32"), []);
});
